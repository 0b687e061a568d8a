/* SPDX-License-Identifier: Apache-2.0 */
/* The level-of-detail index: opening its file, and building it again when it is damaged. */
#include "trace/lod.h"
#include "trace/block.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

uint64_t lod_lane_bytes(uint64_t leaves)
{
	uint64_t bytes = leaves * sizeof(struct lod_leaf);

	for (uint64_t n = lod_parents(leaves); n; n = lod_above(n))
		bytes += n * sizeof(struct lod_node);
	return (bytes + 63) & ~63ull;
}

void lod_levels_of(struct trace_lod *lod, uint32_t lane, struct lod_levels *l)
{
	const struct lod_lane *info;
	uint64_t at, n;

	memset(l, 0, sizeof(*l));
	if (lod->live) {
		lod_live_levels(lod, lane, l);
		return;
	}
	info = &lod->lanes[lane];
	at = info->offset;
	n = info->leaves;
	l->zones = info->zones;
	l->leaves = (struct lod_level){&lod->data, at, n};
	at += n * sizeof(struct lod_leaf);
	for (n = lod_parents(n); n && l->levels < LOD_LEVELS; n = lod_above(n)) {
		l->nodes[l->levels++] = (struct lod_level){&lod->data, at, n};
		at += n * sizeof(struct lod_node);
	}
}

/* --------------------------------------------------------------- the file */

uint64_t lod_data_offset(uint32_t lane_count)
{
	uint64_t bytes = sizeof(struct lod_header) + lane_count * sizeof(struct lod_lane);

	return (bytes + LOD_BLOCK - 1) / LOD_BLOCK * LOD_BLOCK;
}

uint64_t lod_header_checksum(const struct lod_header *h, const struct lod_lane *lanes)
{
	return XXH3_64bits_withSeed(lanes, h->lane_count * sizeof(*lanes),
				    XXH3_64bits(h, offsetof(struct lod_header, checksum)));
}

/* Bytes of all that a lane has. */
static uint64_t lane_size(const struct lod_header *h, const struct lod_lane *l)
{
	uint32_t first, count;

	lod_rows_shape(h->duration, l->zones, &first, &count);
	return lod_lane_bytes(l->leaves) + lod_rows_bytes(h->duration, first, count);
}

/* True if the header is of this trace and agrees with the size of the file. */
static bool header_fits(const struct trace *t, const struct lod_header *h, uint64_t size)
{
	uint64_t data = lod_data_offset(t->lane_count);

	return !memcmp(h->magic, LOD_MAGIC, sizeof(h->magic)) && h->version == LOD_VERSION &&
	       !memcmp(h->uuid, t->uuid, sizeof(h->uuid)) && h->trace_size == t->file_size &&
	       h->zones == t->zones && h->lane_count == t->lane_count && size >= data &&
	       h->blocks == (size - data) / (LOD_BLOCK + sizeof(uint64_t)) &&
	       (size - data) % (LOD_BLOCK + sizeof(uint64_t)) == 0;
}

/* True if the lane table is of this trace and all its places are inside the data. */
static bool lanes_fit(const struct trace *t, const struct lod_header *h,
		      const struct lod_lane *lanes)
{
	uint64_t at = 0, size = h->blocks * LOD_BLOCK;

	if (h->checksum != lod_header_checksum(h, lanes))
		return false;
	for (uint32_t i = 0; i < h->lane_count; i++) {
		uint32_t first, count;

		if (lanes[i].zones != t->lanes[i].zones || lanes[i].leaves > lanes[i].zones ||
		    lanes[i].offset < at || lanes[i].offset > size || lanes[i].offset % 8 ||
		    lane_size(h, &lanes[i]) > size - lanes[i].offset)
			return false;
		lod_rows_shape(h->duration, lanes[i].zones, &first, &count);
		if (lanes[i].row_first != first || lanes[i].row_count != count)
			return false;
		at = lanes[i].offset + lane_size(h, &lanes[i]);
	}
	return true;
}

/* The checksums of the blocks, and where these are. */
static int blocks_read(int fd, const struct lod_header *h, struct lod_block *blocks)
{
	uint64_t data = lod_data_offset(h->lane_count), *sums;
	int r = TACHO_ENOMEM;

	sums = malloc(h->blocks * sizeof(*sums) + 1);
	if (sums)
		r = read_at(fd, data + h->blocks * LOD_BLOCK, sums, h->blocks * sizeof(*sums));
	if (r == 0 && XXH3_64bits(sums, h->blocks * sizeof(*sums)) != h->sums)
		r = TACHO_EDAMAGED;
	for (uint64_t i = 0; r == 0 && i < h->blocks; i++)
		blocks[i] = (struct lod_block){.sum = sums[i], .place = data + i * LOD_BLOCK};
	free(sums);
	return r;
}

/* Reads header and lane table; *LANES is the caller's, also after an error. */
static int tables_read(const struct trace *t, int fd, struct lod_header *h, struct lod_lane **lanes)
{
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    read_at(fd, 0, h, sizeof(*h)) < 0 || !header_fits(t, h, (uint64_t)st.st_size))
		return TACHO_EDAMAGED;
	*lanes = malloc(h->lane_count * sizeof(**lanes) + 1);
	if (!*lanes)
		return TACHO_ENOMEM;
	r = read_at(fd, sizeof(*h), *lanes, h->lane_count * sizeof(**lanes));
	return r == 0 && lanes_fit(t, h, *lanes) ? 0 : TACHO_EDAMAGED;
}

/* Uses the index in FD, which it owns from then on when it succeeds. */
static int index_use(struct trace_lod *lod, int fd)
{
	const struct trace *t = &lod->p->trace;
	struct lod_pages pages = {0};
	struct lod_lane *lanes = NULL;
	struct lod_header h;
	int r = tables_read(t, fd, &h, &lanes);

	if (r == 0 && vec_grow((void **)&pages.blocks, &pages.block_room, h.blocks + 1,
			       sizeof(*pages.blocks)) < 0)
		r = TACHO_ENOMEM;
	if (r == 0)
		r = blocks_read(fd, &h, pages.blocks);
	if (r < 0) {
		lod_pages_free(&pages);
		free(lanes);
		return r;
	}
	pages.settled = h.blocks;
	lod->data = pages;
	lod->lanes = lanes;
	lod->header = h;
	lod->size = lod_data_offset(h.lane_count) + h.blocks * (LOD_BLOCK + sizeof(uint64_t));
	lod->file.fd = fd;
	lod->rows = h.origin == t->origin && h.duration == lod_duration(t);
	return 0;
}

/* Opens the cached index. Anything that is wrong with it is a reason to build another. */
static int cached_open(struct trace_lod *lod, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), r;

	if (fd < 0)
		return TACHO_ENO;
	r = index_use(lod, fd);
	if (r == 0)
		futimens(fd, NULL); /* when it was last used */
	else
		close(fd);
	return r;
}

/* Builds the index in the cache, or in memory when it cannot be written there. */
static int index_build(const struct trace_lod *lod, const char *path, int *fd)
{
	int r = path ? lod_build(lod, path, fd) : TACHO_EWRITE;

	if (r == TACHO_EWRITE)
		return lod_build(lod, NULL, fd);
	if (r == 0)
		trace_cache_trim(path);
	return r;
}

static int index_open(struct trace_lod *lod)
{
	char *path = lod_cache_path(&lod->p->trace, lod->dir);
	int fd = -1, r = path ? cached_open(lod, path) : TACHO_ENO;

	if (r < 0 && r != TACHO_ENOMEM) {
		r = index_build(lod, path, &fd);
		if (r == 0)
			r = index_use(lod, fd);
		if (r < 0 && fd >= 0)
			close(fd);
	}
	free(path);
	return r;
}

/*
 * Rebuilds a damaged index. A running query may continue: the index is a function of the trace, so
 * verified blocks are the same in the new one. If they are not, the file was not written by us.
 */
static int index_rebuild(struct trace_lod *lod)
{
	char *path = lod_cache_path(&lod->p->trace, lod->dir);
	struct lod_block *blocks = NULL;
	struct lod_lane *lanes = NULL;
	struct lod_header h;
	int fd = -1, r = index_build(lod, path, &fd);

	if (r == 0)
		r = tables_read(&lod->p->trace, fd, &h, &lanes);
	if (r == 0 && h.checksum != lod->header.checksum)
		r = TACHO_EDAMAGED;
	if (r == 0) {
		blocks = malloc(h.blocks * sizeof(*blocks) + 1);
		r = blocks ? blocks_read(fd, &h, blocks) : TACHO_ENOMEM;
	}
	if (r == 0) {
		close(lod->file.fd);
		lod->file.fd = fd;
		for (uint64_t i = 0; i < h.blocks; i++) {
			blocks[i].frame = lod->data.blocks[i].frame;
			lod->data.blocks[i] = blocks[i];
		}
	} else if (fd >= 0) {
		close(fd);
	}
	free(blocks);
	free(lanes);
	free(path);
	return r;
}

/* ------------------------------------------------------------------ blocks */

/* The block in memory; NULL and lod->error when that fails. */
static const uint8_t *block_get(struct trace_lod *lod, struct lod_pages *pages, uint64_t block)
{
	int r;

	if (block >= pages->settled)
		return pages->map + block * LOD_BLOCK;
	if (pages->blocks[block].frame)
		return pages->blocks[block].frame;
	r = lod_block_read(&lod->file, pages, block);
	if (r == TACHO_EDAMAGED && lod->live) {
		lod->damaged = true; /* the next query builds it again */
	} else if (r == TACHO_EDAMAGED) {
		r = index_rebuild(lod);
		if (r == 0)
			r = lod_block_read(&lod->file, pages, block);
	}
	lod->error = r;
	return r < 0 ? NULL : pages->blocks[block].frame;
}

const void *lod_fetch(struct trace_lod *lod, struct lod_pages *pages, uint64_t at, uint64_t len,
		      void *scratch)
{
	uint64_t block = at / LOD_BLOCK, from = at % LOD_BLOCK;
	const uint8_t *bytes = block_get(lod, pages, block);
	uint8_t *to = scratch;

	/* The part outside of the file is in one piece. */
	if (!bytes || from + len <= LOD_BLOCK || block >= pages->settled)
		return bytes ? bytes + from : NULL;
	for (;;) {
		uint64_t n = LOD_BLOCK - from < len ? LOD_BLOCK - from : len;

		memcpy(to, bytes + from, n);
		to += n;
		len -= n;
		from = 0;
		if (!len)
			return scratch;
		bytes = block_get(lod, pages, ++block);
		if (!bytes)
			return NULL;
	}
}

void lod_trim(struct trace_lod *lod)
{
	if (lod->file.frames * LOD_BLOCK <= lod->file.limit)
		return;
	if (lod->live)
		lod_live_drop(lod);
	else
		lod_pages_drop(&lod->data);
	lod->file.frames = 0;
}

/* -------------------------------------------------------------------- open */

/* Forgets all that is in the index. */
static void index_forget(struct trace_lod *lod)
{
	lod_pages_free(&lod->data);
	free(lod->lanes);
	lod->lanes = NULL;
	lod_live_free(lod);
	lod_file_close(&lod->file);
	lod->rows = false;
	lod->damaged = false;
}

int trace_lod_open(struct trace_lod **out, struct trace *trace, const char *dir,
		   struct tacho_error *err)
{
	struct trace_lod *lod = calloc(1, sizeof(*lod));
	int r = TACHO_ENOMEM;

	if (lod) {
		lod->p = private_of(trace);
		lod->file = (struct lod_file){.fd = -1, .limit = LOD_RESIDENT};
		lod->dir = dir ? strdup(dir) : NULL;
		lod->reloads = lod->p->reloads;
		lod->live = lod->p->followed && trace->damage.unfinished;
		if (lod->dir || !dir)
			r = lod->live ? lod_live_update(lod) : index_open(lod);
	}
	if (r == 0) {
		*out = lod;
	} else {
		err_set(err, r, "cannot index %s: %s", trace->path, err_text(r));
		trace_lod_close(lod);
	}
	return r;
}

int trace_lod_refresh(struct trace_lod *lod, struct tacho_error *err)
{
	int r;

	/* Another recording replaced a complete one, or the end was cut. */
	if (lod->reloads != lod->p->reloads || lod->damaged) {
		index_forget(lod);
		lod->live = true;
		lod->reloads = lod->p->reloads;
	}
	r = lod->live ? lod_live_update(lod) : 0;
	if (r < 0)
		err_set(err, r, "cannot index %s: %s", lod->p->trace.path, err_text(r));
	return r;
}

void trace_lod_close(struct trace_lod *lod)
{
	if (!lod)
		return;
	index_forget(lod);
	vec_free(&lod->live_lanes);
	free(lod->dir);
	free(lod);
}

uint64_t trace_lod_size(const struct trace_lod *lod)
{
	return lod->size;
}

uint64_t trace_lod_memory(const struct trace_lod *lod)
{
	uint64_t data = lod->live ? lod_live_memory(lod)
				  : lod_pages_memory(&lod->data, lod->data.settled * LOD_BLOCK);

	return lod_file_memory(&lod->file) + data;
}

void trace_lod_set_cache(struct trace_lod *lod, uint64_t bytes)
{
	lod->file.limit = bytes;
}
