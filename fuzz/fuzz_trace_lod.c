/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a trace file: statistics, and the index that the viewer draws from. */
#include "trace_bytes.h"

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

static void use_lod(struct trace *t)
{
	struct trace_lod_item *items = NULL;
	struct trace_lod *lod;
	size_t count = 0, cap = 0;

	if (trace_lod_open(&lod, t, "/proc/nowhere", NULL) < 0)
		return;
	for (uint32_t lane = 0; lane < t->lane_count && lane < 16; lane++)
		for (uint64_t span = t->end - t->start + 1; span; span >>= 9)
			trace_lod_query(lod, lane, t->start, t->start + span, 100, &items, &count,
					&cap);
	free(items);
	use_strips(t, lod);
	trace_lod_close(lod);
}

static void use_stats(struct trace *t, const struct trace_filter *filter)
{
	struct trace_stat *stats;
	size_t count;

	if (trace_stats(t, filter, &stats, &count, NULL) == 0)
		free(stats);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path;
	struct trace *t;

	bytes_file(data, size, &path);
	if (trace_open(&t, path, NULL) < 0)
		return 0;
	if (t->zones < 10 * ENOUGH) {
		struct trace_filter filter = {.t0 = t->start + 1, .t1 = t->end};

		use_stats(t, NULL);
		use_stats(t, &filter);
		use_lod(t);
	}
	trace_close(t);
	return 0;
}
