/* The level-of-detail index: its file. */
#include "trace/lod.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
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

void lod_levels_of(const struct trace_lod *lod, uint32_t lane, struct lod_levels *l)
{
	const struct lod_lane *info;
	const uint8_t *at;
	uint64_t n;

	memset(l, 0, sizeof(*l));
	if (lod->live) {
		lod_live_levels(lod, lane, l);
		return;
	}
	info = &lod->lanes[lane];
	at = lod->map + info->offset;
	n = info->leaves;
	l->zones = info->zones;
	l->leaf_count = n;
	l->leaves = (const struct lod_leaf *)at;
	at += n * sizeof(struct lod_leaf);
	for (n = lod_parents(n); n && l->levels < LOD_LEVELS; n = lod_above(n)) {
		l->nodes[l->levels] = (const struct lod_node *)at;
		l->counts[l->levels++] = n;
		at += n * sizeof(struct lod_node);
	}
}

/* --------------------------------------------------------------- the file */

static uint64_t table_checksum(const struct lod_header *h)
{
	const struct lod_lane *lanes = (const struct lod_lane *)(h + 1);

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

/* Whether the mapping is the index of this trace and all its places are inside. */
static bool map_is_right(const struct trace_lod *lod)
{
	const struct trace *t = &lod->p->trace;
	const struct lod_header *h = (const struct lod_header *)lod->map;
	const struct lod_lane *lanes = (const struct lod_lane *)(h + 1);
	uint64_t at;

	if (lod->size < sizeof(*h) || memcmp(h->magic, LOD_MAGIC, sizeof(h->magic)) ||
	    h->version != LOD_VERSION || memcmp(h->uuid, t->uuid, sizeof(h->uuid)) ||
	    h->trace_size != t->file_size || h->zones != t->zones ||
	    h->lane_count != t->lane_count || h->size != lod->size ||
	    (lod->size - sizeof(*h)) / sizeof(*lanes) < h->lane_count)
		return false;
	if (h->checksum != table_checksum(h))
		return false;
	at = sizeof(*h) + h->lane_count * sizeof(*lanes);
	for (uint32_t i = 0; i < h->lane_count; i++) {
		uint32_t first, count;

		if (lanes[i].zones != t->lanes[i].zones || lanes[i].leaves > lanes[i].zones ||
		    lanes[i].offset < at || lanes[i].offset > lod->size || lanes[i].offset % 8 ||
		    lane_size(h, &lanes[i]) > lod->size - lanes[i].offset)
			return false;
		lod_rows_shape(h->duration, lanes[i].zones, &first, &count);
		if (lanes[i].row_first != first || lanes[i].row_count != count)
			return false;
		at = lanes[i].offset + lane_size(h, &lanes[i]);
	}
	return true;
}

static int map_file(struct trace_lod *lod, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;
	void *map = MAP_FAILED;

	if (fd < 0)
		return TACHO_ENO;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_size > 0)
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	lod->map = map;
	lod->size = (size_t)st.st_size;
	if (map != MAP_FAILED && map_is_right(lod)) {
		futimens(fd, NULL); /* that it was of use */
		close(fd);
		return 0;
	}
	close(fd);
	if (map == MAP_FAILED) {
		lod->map = NULL;
		return TACHO_ENO;
	}
	munmap(lod->map, lod->size);
	lod->map = NULL;
	return TACHO_ENO;
}

static void lod_ready(struct trace_lod *lod)
{
	const struct lod_header *h = (const struct lod_header *)lod->map;

	lod->lanes = (const struct lod_lane *)(h + 1);
	lod->duration = h->duration;
	lod->rows =
		h->origin == lod->p->trace.origin && h->duration == lod_duration(&lod->p->trace);
}

static int map_make(struct trace_lod *lod, const char *dir)
{
	char *path = lod_cache_path(&lod->p->trace, dir);
	int r = 0;

	if (!path || map_file(lod, path) < 0) {
		r = path ? lod_build(lod, path) : TACHO_EWRITE;
		/* No room or no right to keep it: it lives in memory then. */
		if (r == TACHO_EWRITE)
			r = lod_build(lod, NULL);
		else if (r == 0)
			lod_cache_trim(path);
	}
	if (r == 0)
		lod_ready(lod);
	free(path);
	return r;
}

int trace_lod_open(struct trace_lod **out, struct trace *trace, const char *dir,
		   struct tacho_error *err)
{
	struct trace_lod *lod = calloc(1, sizeof(*lod));
	int r = TACHO_ENOMEM;

	if (lod) {
		lod->p = private_of(trace);
		lod->reloads = lod->p->reloads;
		lod->live = lod->p->followed && trace->damage.unfinished;
		r = lod->live ? lod_live_update(lod) : map_make(lod, dir);
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

	if (lod->reloads != lod->p->reloads) {
		/* Another recording has taken the place of a complete one, or the end was cut. */
		if (lod->map)
			munmap(lod->map, lod->size);
		lod->map = NULL;
		lod_live_free(lod);
		lod->rows = false;
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
	if (lod->map)
		munmap(lod->map, lod->size);
	lod_live_free(lod);
	vec_free(&lod->live_lanes);
	free(lod);
}

uint64_t trace_lod_size(const struct trace_lod *lod)
{
	return lod->size;
}
