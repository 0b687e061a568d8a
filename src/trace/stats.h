/* SPDX-License-Identifier: Apache-2.0 */
/* Private: statistics, computed by passes over the zones that a filter selects. */
#ifndef TRACE_STATS_H
#define TRACE_STATS_H

#include "trace/reader.h"

struct zone_scan {
	struct trace_private *p;
	const struct trace_filter *filter; /* NULL: all zones */
	const uint32_t *fold;              /* what source locations count as, or NULL */
	uint64_t *offsets;                 /* of the blocks that have something for the filter */
	size_t block_count;
	struct zone_columns columns;
	uint64_t *duration; /* of the zones of one block */
	uint32_t *srcloc;   /* TRACE_NONE for zones that are not selected or not finished */
	uint32_t n;
};

int zone_scan_open(struct zone_scan *s, struct trace_private *p, const struct trace_filter *filter);
/* Decodes block I into DURATION, SRCLOC and N. A damaged block has none. */
int zone_scan_block(struct zone_scan *s, size_t i);
void zone_scan_close(struct zone_scan *s);

static inline bool filter_is_all(const struct trace_filter *f)
{
	return !f || (f->t0 == 0 && f->t1 == UINT64_MAX && !f->tracks && !f->srclocs);
}

/* Sums of the zones that FILTER selects, per source location, counted in the blocks. */
int sums_count(struct trace_private *p, const struct trace_filter *filter, struct zone_sums *sums);

/* percentile.c: fills median and p99 of STATS, whose other figures are known. */
int percentiles_find(struct zone_scan *scan, struct trace_stat *stats, size_t count);

#endif
