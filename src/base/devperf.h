/*
 * cpp_device_perf_report.csv: what is measured of each execution of a program, by the device's own
 * clock. The one place that knows its columns; the program's device reader and the exporter of
 * traces write it.
 */
#ifndef BASE_DEVPERF_H
#define BASE_DEVPERF_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

#define DEVPERF_FILE "cpp_device_perf_report.csv"
#define DEVPERF_NONE (-1)

/* In the order of the columns. */
enum devperf_column {
	DEVPERF_TRACE_FW,
	DEVPERF_TRACE_KERNEL,
	DEVPERF_FIRST_TO_LAST,
	DEVPERF_FW,
	DEVPERF_KERNEL,
	DEVPERF_KERNEL_DM,
	DEVPERF_BRISC,
	DEVPERF_NCRISC,
	DEVPERF_TRISC0,
	DEVPERF_TRISC1,
	DEVPERF_TRISC2,
	DEVPERF_ERISC,
	DEVPERF_QUASAR_DM,
	DEVPERF_QUASAR_TRISC,
	DEVPERF_QUASAR_DM_FW,
	DEVPERF_QUASAR_TRISC_FW,
	DEVPERF_COLUMNS,
};

/* From the first marker that may be its start to the last that may be its end. */
struct devperf_span {
	uint64_t start, end; /* cycles; UINT64_MAX: none yet */
	uint64_t ends;       /* markers that could be its end; the first may be its start */
};

#define DEVPERF_SPAN_INIT ((struct devperf_span){UINT64_MAX, UINT64_MAX, 0})

/* A marker that can be the start, the end, or both. */
static inline void devperf_take(struct devperf_span *s, bool starts, bool ends, uint64_t cycles)
{
	if (starts && cycles < s->start)
		s->start = cycles;
	if (!ends)
		return;
	if (s->end == UINT64_MAX || cycles > s->end)
		s->end = cycles;
	s->ends++;
}

static inline bool devperf_found(const struct devperf_span *s)
{
	return s->start != UINT64_MAX && s->end != UINT64_MAX && s->end >= s->start && s->ends > 1;
}

struct devperf_row {
	uint64_t id;
	int64_t trace, session; /* DEVPERF_NONE */
	unsigned device;
	const char *arch;
	uint32_t mhz;
	unsigned cores;    /* that ran firmware */
	int64_t max_cores; /* DEVPERF_NONE: unknown */
	const struct devperf_span *spans;
	int64_t gap, gap_dm; /* devperf_gap() */
};

/* Nanoseconds from the end of the execution before (NULL: this is the first) to the start of this
 * one, by one column; DEVPERF_NONE when they overlap, or when there is nothing to measure. */
int64_t devperf_gap(uint32_t mhz, const struct devperf_span *span,
		    const struct devperf_span *before);

/* Lines without their ends; both with the columns of Quasar or without. */
void devperf_header(struct buf *out, bool quasar);
void devperf_line(struct buf *out, const struct devperf_row *row, bool quasar);

/* The title of a column. */
const char *devperf_name(enum devperf_column column);

#endif
