/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building the index: one pass over the zones, written block by block. A mapping would be simpler,
 * but a full disk or a truncated file is a signal there and an error here.
 */
#include "trace/lod.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

/* The data of an index that is being written. */
struct lod_writer {
	int fd;
	uint64_t at;   /* in the data */
	uint64_t data; /* where that begins in the file */
	struct {
		VEC(uint64_t);
	} sums;
	uint8_t block[LOD_BLOCK];
};

static int writer_add(struct lod_writer *w, const void *bytes, uint64_t len)
{
	const uint8_t *from = bytes;
	int r = 0;

	while (r == 0 && len) {
		uint64_t used = w->at % LOD_BLOCK, n = LOD_BLOCK - used;

		n = n < len ? n : len;
		memcpy(w->block + used, from, n);
		from += n;
		len -= n;
		w->at += n;
		if (w->at % LOD_BLOCK == 0) {
			r = vec_push(&w->sums, XXH3_64bits(w->block, LOD_BLOCK));
			r = r < 0 ? r
				  : lod_write(w->fd, w->data + (w->sums.n - 1) * LOD_BLOCK,
					      w->block, LOD_BLOCK);
		}
	}
	return r;
}

/* Fills up to a multiple of BYTES. */
static int writer_pad(struct lod_writer *w, uint64_t bytes)
{
	static const uint8_t zeros[LOD_BLOCK];

	return writer_add(w, zeros, (bytes - w->at % bytes) % bytes);
}

void lod_leaf_close(struct lod_builder *b)
{
	uint64_t i = b->leaf_count++;
	struct lod_node *parent = &b->parents[i / LOD_LEAVES];
	struct lod_leaf *leaf = &b->leaves[i - b->leaf_base];

	if (i % LOD_LEAVES == 0)
		*parent = (struct lod_node){.start = b->start, .first = b->first << 24};
	if (b->end - parent->start > UINT32_MAX || (b->zones > 1 && b->longest >= LEAF_WIDE)) {
		*leaf = (struct lod_leaf){.longest = LEAF_WIDE << 6 | (b->zones - 1)};
	} else {
		leaf->start = (uint32_t)(b->start - parent->start);
		leaf->end = (uint32_t)(b->end - parent->start);
		leaf->busy = b->zones > 1 ? (uint32_t)b->busy : b->srcloc;
		leaf->longest = b->zones > 1 ? (uint32_t)b->longest << 6 | b->longest_at << 3 |
						       (b->zones - 1)
					     : 0;
	}
	/* The parent sums up its leaves itself: wide ones have no figures of their own. */
	parent->end = b->end;
	parent->busy += b->busy;
	if (b->longest > parent->longest) {
		parent->longest = b->longest;
		parent->first = (parent->first >> 24) << 24 |
				(b->first + b->longest_at - (parent->first >> 24));
	}
	if (!b->alone)
		b->usual += (b->end - b->start) / 8 - b->usual / 8;
	b->first += b->zones;
	b->zones = 0;
	if (b->leaf_count % LOD_CREDIT == 0)
		b->credit++;
}

/* True if the leaf shall end before a zone that is not its first. */
static bool ends_early(struct lod_builder *b, uint64_t start, bool alone)
{
	uint64_t gap = start - b->end;

	return b->credit &&
	       (alone || b->alone || (gap > 4 * b->usual && gap > 4 * (b->end - b->start)));
}

static void lod_zone_add(struct lod_builder *b, uint64_t start, uint64_t end, uint32_t srcloc)
{
	bool alone = end - start > 4 * b->usual && b->credit && b->leaf_count;

	if (b->zones == LOD_ZONES) {
		lod_leaf_close(b);
	} else if (b->zones && ends_early(b, start, alone)) {
		b->credit--;
		lod_leaf_close(b);
	}
	if (b->zones == 0) {
		b->start = start;
		b->busy = b->longest = 0;
		b->longest_at = 0;
		b->srcloc = srcloc;
		b->alone = alone;
	}
	b->end = end;
	b->busy += end - start;
	if (end - start > b->longest) {
		b->longest = end - start;
		b->longest_at = b->zones;
	}
	b->zones++;
}

int lod_segment_add(struct lod_builder *b, struct trace_private *p, const struct segment *s)
{
	struct zblock *z;
	int r = zblock_get(p, s->offset, ZBLOCK_TIMES | ZBLOCK_SRCLOCS, &z);

	if (r < 0)
		return r;
	if (segment_fits(s, z)) {
		for (uint32_t i = s->first; i < s->first + s->count; i++)
			lod_zone_add(b, z->start[i], z->end[i], z->srcloc[i]);
	} else {
		/* A damaged block leaves a hole: zones of no length keep the numbers right. */
		for (uint32_t i = 0; i < s->count; i++)
			lod_zone_add(b, s->start, s->start, TRACE_NONE);
	}
	if (b->rows && b->rows->count && segment_fits(s, z))
		for (uint32_t i = s->first; i < s->first + s->count; i++)
			lod_rows_zone(b->rows, z->start[i], z->end[i]);
	zblock_put(p, z);
	return 0;
}

void lod_node_sum(struct lod_node *node, const struct lod_node *child, uint64_t count)
{
	uint64_t first = child[0].first >> 24, at = NODE_FAR;

	*node = (struct lod_node){.start = child[0].start, .end = child[count - 1].end};
	for (uint64_t i = 0; i < count; i++) {
		node->busy += child[i].busy;
		if (i && child[i].longest <= node->longest)
			continue;
		node->longest = child[i].longest;
		at = NODE_FAR;
		if ((child[i].first & NODE_FAR) != NODE_FAR)
			at = (child[i].first >> 24) - first + (child[i].first & NODE_FAR);
		if (at > NODE_FAR)
			at = NODE_FAR;
	}
	node->first = first << 24 | at;
}

/* Room for the leaves of COUNT more zones: full ones and those that end early. */
uint64_t lod_leaf_room(const struct lod_builder *b, uint64_t count)
{
	uint64_t more = count / LOD_ZONES + b->credit + 3;

	return more + more / (LOD_CREDIT - 1) + 2;
}

/* A lane that is being built: leaves are written as they come, the levels above at the end. */
struct lane_parts {
	struct lod_builder builder;
	struct lod_rows rows;
	struct {
		VEC(struct lod_leaf);
	} leaves;
	struct {
		VEC(struct lod_node);
	} nodes;
};

static int lane_segment_add(struct lane_parts *l, struct trace_private *p, struct lod_writer *w,
			    const struct segment *s)
{
	struct lod_builder *b = &l->builder;
	uint64_t room = lod_leaf_room(b, s->count), first = b->leaf_count;
	int r;

	if (vec_reserve(&l->leaves, room) < 0 ||
	    vec_reserve(&l->nodes, (first + room) / LOD_LEAVES + 1) < 0)
		return TACHO_ENOMEM;
	b->leaves = l->leaves.v;
	b->parents = l->nodes.v;
	b->leaf_base = first;
	r = lod_segment_add(b, p, s);
	return r < 0 ? r
		     : writer_add(w, b->leaves, (b->leaf_count - first) * sizeof(struct lod_leaf));
}

/* The last leaf, which SEGMENT_ADD has left open. */
static int last_leaf_add(struct lane_parts *l, struct lod_writer *w)
{
	struct lod_builder *b = &l->builder;

	if (!b->zones)
		return 0;
	b->leaf_base = b->leaf_count;
	lod_leaf_close(b);
	return writer_add(w, b->leaves, sizeof(struct lod_leaf));
}

static int nodes_add(struct lane_parts *l, struct lod_writer *w)
{
	uint64_t n = lod_parents(l->builder.leaf_count), below = 0;
	uint64_t room = n;

	for (uint64_t more = lod_above(n); more; more = lod_above(more))
		room += more;
	if (vec_reserve(&l->nodes, room) < 0)
		return TACHO_ENOMEM;
	for (uint64_t more; (more = lod_above(n)) > 0; n = more) {
		const struct lod_node *child = l->nodes.v + below;

		for (uint64_t i = 0; i < more; i++) {
			uint64_t left = n - i * LOD_FAN;

			lod_node_sum(&l->nodes.v[below + n + i], child + i * LOD_FAN,
				     left < LOD_FAN ? left : LOD_FAN);
		}
		below += n;
	}
	return writer_add(w, l->nodes.v, room * sizeof(*l->nodes.v));
}

static int lane_build(const struct trace_lod *lod, struct lod_lane *lane, uint32_t i,
		      struct lod_writer *w)
{
	const struct trace_lane_info *info = &lod->p->trace.lanes[i];
	const struct lane *in = info->private;
	struct lane_parts l = {.builder.credit = LOD_CREDIT_FIRST};
	uint64_t at = w->at;
	int r = lod_rows_begin(&l.rows, &lod->p->trace, info->zones);

	l.builder.rows = &l.rows;
	for (size_t k = 0; r == 0 && k < in->segments.n; k++)
		r = lane_segment_add(&l, lod->p, w, &in->segments.v[k]);
	if (r == 0)
		r = last_leaf_add(&l, w);
	if (r == 0)
		r = nodes_add(&l, w);
	if (r == 0)
		r = writer_pad(w, 64);
	if (r == 0) {
		uint64_t bytes = lod_rows_bytes(l.rows.duration, l.rows.first, l.rows.count);
		uint8_t *rows = calloc(1, bytes + 1);

		r = TACHO_ENOMEM;
		if (rows) {
			lod_rows_end(&l.rows, rows);
			r = writer_add(w, rows, bytes);
		}
		free(rows);
	}
	*lane = (struct lod_lane){info->zones, l.builder.leaf_count, at, l.rows.first,
				  l.rows.count};
	vec_free(&l.leaves);
	vec_free(&l.nodes);
	lod_rows_free(&l.rows);
	return r;
}

/* Last, so that a file that was not finished has no header. */
static int header_write(const struct trace *t, const struct lod_writer *w,
			const struct lod_lane *lanes)
{
	struct lod_header h = {.version = LOD_VERSION,
			       .lane_count = t->lane_count,
			       .trace_size = t->file_size,
			       .zones = t->zones,
			       .blocks = w->sums.n,
			       .origin = t->origin,
			       .duration = lod_duration(t)};
	int r;

	memcpy(h.magic, LOD_MAGIC, sizeof(h.magic));
	memcpy(h.uuid, t->uuid, sizeof(h.uuid));
	h.sums = XXH3_64bits(w->sums.v, w->sums.n * sizeof(*w->sums.v));
	h.checksum = lod_header_checksum(&h, lanes);
	r = lod_write(w->fd, w->data + w->sums.n * LOD_BLOCK, w->sums.v,
		      w->sums.n * sizeof(*w->sums.v));
	if (r == 0)
		r = lod_write(w->fd, sizeof(h), lanes, t->lane_count * sizeof(*lanes));
	return r < 0 ? r : lod_write(w->fd, 0, &h, sizeof(h));
}

static int index_write(const struct trace_lod *lod, int fd)
{
	const struct trace *t = &lod->p->trace;
	struct lod_lane *lanes = calloc(t->lane_count + 1ull, sizeof(*lanes));
	struct lod_writer *w = calloc(1, sizeof(*w));
	int r = w && lanes ? 0 : TACHO_ENOMEM;

	if (r == 0) {
		w->fd = fd;
		w->data = lod_data_offset(t->lane_count);
		/* Without any data the file has this size, too. */
		r = ftruncate(fd, (off_t)w->data) < 0 ? TACHO_EWRITE : 0;
	}
	for (uint32_t i = 0; r == 0 && i < t->lane_count; i++)
		r = lane_build(lod, &lanes[i], i, w);
	if (r == 0)
		r = writer_pad(w, LOD_BLOCK);
	if (r == 0)
		r = header_write(t, w, lanes);
	if (w)
		vec_free(&w->sums);
	free(w);
	free(lanes);
	return r;
}

/* The file gets its name when it is complete. */
static int named_build(const struct trace_lod *lod, const char *path, int *fd)
{
	char *temporary;
	int r = TACHO_EWRITE;

	if (asprintf(&temporary, "%s.%d.tmp", path, (int)getpid()) < 0)
		return TACHO_ENOMEM;
	*fd = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (*fd >= 0) {
		r = index_write(lod, *fd);
		if (r == 0 && rename(temporary, path) < 0)
			r = TACHO_EWRITE;
		if (r < 0)
			unlink(temporary);
	}
	free(temporary);
	return r;
}

int lod_build(const struct trace_lod *lod, const char *path, int *fd)
{
	int file = -1, r = TACHO_ENOMEM;

	if (path) {
		r = named_build(lod, path, &file);
	} else {
		file = memfd_create("tacho index", MFD_CLOEXEC);
		if (file >= 0)
			r = index_write(lod, file);
	}
	if (r == 0)
		*fd = file;
	else if (file >= 0)
		close(file);
	return r;
}
