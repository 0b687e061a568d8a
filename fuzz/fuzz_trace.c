/*
 * Any bytes as a trace file: opened, walked, checked, counted, indexed, resumed, and followed while
 * it grows by pieces. Checksums are not compared in fuzz builds, since no fuzzer guesses them.
 */
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* A small file may stand for many zones: reading them all teaches nothing new. */
#define ENOUGH 50000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink; /* every byte that is given out is read */

static void use(const void *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		sink += ((const uint8_t *)bytes)[i];
}

static void use_text(const char *s)
{
	while (*s)
		sink += (uint8_t)*s++;
}

static void use_model(const struct trace *t)
{
	for (uint32_t i = 0; i < t->process_count; i++) {
		use_text(t->processes[i].name);
		use_text(t->processes[i].command);
	}
	for (uint32_t i = 0; i < t->track_count; i++) {
		use_text(t->tracks[i].name);
		use_text(t->processes[t->tracks[i].process].name);
		sink += t->ledgers[i].rows_lost;
		if (t->tracks[i].srcloc != TRACE_NONE)
			use_text(trace_srcloc_name(t, t->tracks[i].srcloc));
	}
	for (uint32_t i = 0; i < t->srcloc_count; i++)
		use_text(t->srclocs[i].file);
	for (uint32_t i = 0; i < t->property_count; i++)
		use_text(t->properties[i].value);
	sink += (uint64_t)(trace_ns(t, t->end) + trace_realtime_ns(t, t->end));
	sink += trace_ticks(t, 1000) + (trace_duration_ns(t, t->start, t->end) > 0);
}

static void use_zones(struct trace *t)
{
	struct trace_walk *w;
	struct trace_zone z;
	struct trace_extra x;
	uint32_t lane;

	if (trace_walk_open(&w, t, TRACE_NONE, 0, UINT64_MAX) < 0)
		return;
	for (int n = 0; n < ENOUGH && trace_walk_next(w, &z, &lane) > 0; n++) {
		use_text(t->srclocs[z.srcloc].name);
		for (uint32_t i = 0; i < z.extras; i++)
			if (trace_cursor_extra(trace_walk_cursor(w), i, &x) == 0)
				use(x.text, x.len);
	}
	trace_walk_close(w);
}

static void use_rows(struct trace *t)
{
	struct trace_rows *r;
	struct trace_row row;
	uint32_t track;

	if (trace_rows_open(&r, t, TRACE_NONE, 0, UINT64_MAX) < 0)
		return;
	for (int n = 0; n < ENOUGH && trace_rows_next(r, &row, &track) > 0; n++) {
		use(row.text, row.text_len);
		use_text(t->tracks[track].name);
	}
	trace_rows_close(r);
}

static void use_strips(struct trace *t, struct trace_lod *lod)
{
	float busy[64], lead[64];
	uint32_t name[64];
	struct trace_strip s = {.width = 64, .wide = 2, .busy = busy, .lead = lead, .name = name};

	for (uint32_t lane = 0; lane < t->lane_count && lane < 16; lane++)
		for (uint64_t span = t->end - t->start + 1; span; span >>= 7) {
			s.t0 = t->start + span / 3;
			s.t1 = s.t0 + span > s.t0 ? s.t0 + span : UINT64_MAX;
			trace_strip_clear(&s);
			if (s.t1 > s.t0)
				trace_lod_strip(lod, lane, &s);
			s.on_grid = !s.on_grid;
			s.res = (uint32_t)(span % 40);
			s.pixel = span >> 6;
		}
	free(s.items);
}

static void use_figures(struct trace *t)
{
	struct trace_filter filter = {.t0 = t->start + 1, .t1 = t->end};
	struct trace_lod_item *items = NULL;
	struct trace_check check;
	struct trace_stat *stats;
	struct trace_lod *lod;
	size_t count, cap = 0;

	trace_check(t, &check, NULL);
	if (t->zones > 10 * ENOUGH)
		return;
	if (trace_stats(t, NULL, &stats, &count, NULL) == 0)
		free(stats);
	if (trace_stats(t, &filter, &stats, &count, NULL) == 0)
		free(stats);
	if (trace_lod_open(&lod, t, "/proc/nowhere", NULL) < 0)
		return;
	count = 0;
	for (uint32_t lane = 0; lane < t->lane_count && lane < 16; lane++)
		for (uint64_t span = t->end - t->start + 1; span; span >>= 9)
			trace_lod_query(lod, lane, t->start, t->start + span, 100, &items, &count,
					&cap);
	free(items);
	use_strips(t, lod);
	trace_lod_close(lod);
}

/* The same bytes in three pieces. */
static void follow(const char *path, int fd, const uint8_t *data, size_t size)
{
	size_t at[4] = {0, size / 3, size - size / 5, size};
	struct trace_lod *lod = NULL;
	struct trace *t = NULL;

	if (ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		abort();
	for (int i = 0; i < 3; i++) {
		size_t len = at[i + 1] - at[i];

		if (write(fd, data + at[i], len) != (ssize_t)len)
			abort();
		if (!t && trace_follow(&t, path, NULL) < 0)
			return;
		if (i && trace_refresh(t, NULL) < 0)
			break;
		use_model(t);
		use_zones(t);
		use_rows(t);
		if (!lod && trace_lod_open(&lod, t, "/proc/nowhere", NULL) < 0)
			break;
		if (trace_lod_refresh(lod, NULL) < 0)
			break;
	}
	trace_lod_close(lod);
	trace_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t zones = 0;
	int fd = memfd_create("trace", MFD_CLOEXEC);
	char path[64];
	struct trace *t;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (trace_open(&t, path, NULL) == 0) {
		use_model(t);
		use_zones(t);
		use_rows(t);
		use_figures(t);
		zones = t->zones;
		trace_close(t);
		if (zones < ENOUGH)
			follow(path, fd, data, size);
	}
	close(fd);
	return 0;
}
