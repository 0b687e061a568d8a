/*
 * Making the index: one pass over the zones. How many leaves a lane needs is known only at its end,
 * since leaves may end early, so room is taken for the most that can be and the file is cut at
 * last.
 */
#include "trace/lod.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

/* Each early end makes one leaf more, and there are LOD_CREDIT_FIRST + leaves / LOD_CREDIT of them.
 */
static uint64_t leaf_room(uint64_t zones)
{
	uint64_t full = (zones + LOD_ZONES - 1) / LOD_ZONES;
	uint64_t most = full + full / (LOD_CREDIT - 1) + 2 * LOD_CREDIT_FIRST;

	return most < zones ? most : zones;
}

void lod_leaf_close(struct lod_builder *b)
{
	uint64_t i = b->leaf_count++;
	struct lod_node *parent = &b->parents[i / LOD_LEAVES];
	struct lod_leaf *leaf = &b->leaves[i];

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

/* Whether the leaf shall end before a zone that is not its first. */
static bool ends_early(struct lod_builder *b, uint64_t start, bool alone)
{
	uint64_t gap = start - b->end;

	return b->credit &&
	       (alone || b->alone || (gap > 4 * b->usual && gap > 4 * (b->end - b->start)));
}

static void zone_add(struct lod_builder *b, uint64_t start, uint64_t end, uint32_t srcloc)
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

/* A damaged block leaves a hole: zones of no length keep the numbers right. */
static void hole_add(struct lod_builder *b, const struct segment *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		zone_add(b, s->start, s->start, TRACE_NONE);
}

int lod_segment_add(struct lod_builder *b, struct trace_private *p, const struct segment *s)
{
	struct zblock *z;
	int r = zblock_get(p, s->offset, ZBLOCK_TIMES | ZBLOCK_SRCLOCS, &z);

	if (r < 0)
		return r;
	if (segment_fits(s, z))
		for (uint32_t i = s->first; i < s->first + s->count; i++)
			zone_add(b, z->start[i], z->end[i], z->srcloc[i]);
	else
		hole_add(b, s);
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

static void levels_add(const struct lod_node *below, uint64_t n)
{
	struct lod_node *level = (struct lod_node *)(uintptr_t)below + n;

	for (uint64_t more; (more = lod_above(n)) > 0; n = more) {
		for (uint64_t i = 0; i < more; i++) {
			uint64_t left = n - i * LOD_FAN;

			lod_node_sum(&level[i], below + i * LOD_FAN,
				     left < LOD_FAN ? left : LOD_FAN);
		}
		below = level;
		level += more;
	}
}

/* Builds lane I at AT; the leaves may be fewer than there was room for, so its nodes are moved. */
static int lane_build(struct trace_lod *lod, struct lod_lane *lane, uint32_t i, uint64_t at,
		      struct lod_node *parents, struct lod_rows *rows)
{
	const struct trace_lane_info *info = &lod->p->trace.lanes[i];
	const struct lane *in = info->private;
	struct lod_builder b = {.leaves = (struct lod_leaf *)(lod->map + at),
				.parents = parents,
				.rows = rows,
				.credit = LOD_CREDIT_FIRST};
	uint64_t n;
	int r = 0;

	for (size_t k = 0; r == 0 && k < in->segments.n; k++)
		r = lod_segment_add(&b, lod->p, &in->segments.v[k]);
	if (r < 0)
		return r;
	if (b.zones)
		lod_leaf_close(&b);
	n = lod_parents(b.leaf_count);
	*lane = (struct lod_lane){info->zones, b.leaf_count, at, rows->first, rows->count};
	memcpy(b.leaves + b.leaf_count, parents, n * sizeof(*parents));
	levels_add((struct lod_node *)(b.leaves + b.leaf_count), n);
	lod_rows_end(rows, lod->map + at + lod_lane_bytes(b.leaf_count));
	return 0;
}

static int lanes_build(struct trace_lod *lod)
{
	const struct trace *t = &lod->p->trace;
	struct lod_header *h = (struct lod_header *)lod->map;
	struct lod_lane *lanes = (struct lod_lane *)(h + 1);
	uint64_t at = sizeof(*h) + t->lane_count * sizeof(*lanes);
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < t->lane_count; i++) {
		uint64_t room = leaf_room(t->lanes[i].zones) / LOD_LEAVES + 2;
		struct lod_node *parents = malloc(room * sizeof(*parents));
		struct lod_rows rows;

		r = lod_rows_begin(&rows, t, t->lanes[i].zones);
		if (r == 0)
			r = parents ? lane_build(lod, &lanes[i], i, at, parents, &rows)
				    : TACHO_ENOMEM;
		free(parents);
		lod_rows_free(&rows);
		if (r == 0)
			at += lod_lane_bytes(lanes[i].leaves) +
			      lod_rows_bytes(rows.duration, rows.first, rows.count);
	}
	if (r < 0)
		return r;
	*h = (struct lod_header){.version = LOD_VERSION,
				 .lane_count = t->lane_count,
				 .trace_size = t->file_size,
				 .zones = t->zones,
				 .size = at,
				 .origin = t->origin,
				 .duration = lod_duration(t)};
	memcpy(h->magic, LOD_MAGIC, sizeof(h->magic));
	memcpy(h->uuid, t->uuid, sizeof(h->uuid));
	h->checksum = XXH3_64bits_withSeed(lanes, t->lane_count * sizeof(*lanes),
					   XXH3_64bits(h, offsetof(struct lod_header, checksum)));
	return 0;
}

/* The most that the index can need. */
static uint64_t bytes_most(const struct trace *t)
{
	uint64_t bytes = sizeof(struct lod_header) + t->lane_count * sizeof(struct lod_lane);

	for (uint32_t i = 0; i < t->lane_count; i++) {
		uint32_t first, count;

		lod_rows_shape(lod_duration(t), t->lanes[i].zones, &first, &count);
		bytes += lod_lane_bytes(leaf_room(t->lanes[i].zones)) +
			 lod_rows_bytes(lod_duration(t), first, count);
	}
	return bytes;
}

/* The file is given all its room first: writing to a mapping cannot report a full disk. */
static int file_map(struct trace_lod *lod, const char *path, char **temporary, int *fd)
{
	if (asprintf(temporary, "%s.%d.tmp", path, (int)getpid()) < 0) {
		*temporary = NULL;
		return TACHO_ENOMEM;
	}
	*fd = open(*temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (*fd < 0 || posix_fallocate(*fd, 0, (off_t)lod->size))
		return TACHO_EWRITE;
	lod->map = mmap(NULL, lod->size, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (lod->map == MAP_FAILED) {
		lod->map = NULL;
		return TACHO_EWRITE;
	}
	return 0;
}

/* Cuts the mapping to what was used. */
static int shrink(struct trace_lod *lod, int fd)
{
	size_t used = ((const struct lod_header *)lod->map)->size;
	void *map = mremap(lod->map, lod->size, used, MREMAP_MAYMOVE);

	if (map == MAP_FAILED)
		return TACHO_ENOMEM;
	lod->map = map;
	lod->size = used;
	return fd >= 0 && ftruncate(fd, (off_t)used) < 0 ? TACHO_EWRITE : 0;
}

int lod_build(struct trace_lod *lod, const char *path)
{
	char *temporary = NULL;
	int fd = -1, r = 0;

	lod->size = bytes_most(&lod->p->trace);
	if (path) {
		r = file_map(lod, path, &temporary, &fd);
	} else {
		lod->map = mmap(NULL, lod->size, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (lod->map == MAP_FAILED) {
			lod->map = NULL;
			r = TACHO_ENOMEM;
		}
	}
	if (r == 0)
		r = lanes_build(lod);
	if (r == 0)
		r = shrink(lod, fd);
	if (r == 0 && path && rename(temporary, path) < 0)
		r = TACHO_EWRITE;
	if (r < 0 && lod->map) {
		munmap(lod->map, lod->size);
		lod->map = NULL;
	}
	if (r < 0 && fd >= 0)
		unlink(temporary);
	if (fd >= 0)
		close(fd);
	free(temporary);
	return r;
}
