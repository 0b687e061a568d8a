/* SPDX-License-Identifier: Apache-2.0 */
/* Private: the parts of csvexport. */
#ifndef TRACY_SHEET_H
#define TRACY_SHEET_H

#include "base/buf.h"
#include "tracy/tracy.h"

struct sheet {
	struct trace *trace;
	FILE *file;
	const struct tracy_csv_options *o;
	const char *separator;
	struct buf out; /* buffered rows */
	int64_t origin; /* nanoseconds of the trace at the source's time 0 */
	uint8_t *taken; /* by source location: its name matches the filter */
};

/* Nanoseconds since the source's time 0. */
static inline int64_t sheet_ns(const struct sheet *c, uint64_t ticks)
{
	return trace_ns(c->trace, ticks) - c->origin;
}

/* True if the filters select it. */
static inline bool sheet_takes(const struct sheet *c, uint32_t track)
{
	return !c->o->tracks || c->o->tracks[track];
}

static inline bool sheet_is_thread(const struct sheet *c, uint32_t track)
{
	return c->trace->tracks[track].kind == TRACE_THREAD ||
	       c->trace->tracks[track].kind == TRACE_FIBER;
}

/* Cells of a row, and its end. A text is quoted if necessary. */
void sheet_raw(struct sheet *c, const char *text);
void sheet_text(struct sheet *c, const char *text, size_t len);
void sheet_quoted(struct sheet *c, const char *text, size_t len);
void sheet_number(struct sheet *c, int64_t value);
/* The same, written to AT, which has room for SHEET_DIGITS bytes; returns the end. */
#define SHEET_DIGITS 24
char *sheet_digits(char *at, int64_t value);
void sheet_next(struct sheet *c); /* the separator */
void sheet_end(struct sheet *c);
/* Writes the column names, which end with a NULL. */
void sheet_header(struct sheet *c, const char *const *names);
/* name, file, line */
void sheet_srcloc(struct sheet *c, uint32_t srcloc, bool line);

/* ---- sheet_stats.c: a row per source location */
int sheet_stats(struct sheet *c);
/* ---- sheet_zones.c: a row per zone */
int sheet_zones(struct sheet *c);
int sheet_devices(struct sheet *c);
/* ---- sheet_rows.c */
int sheet_messages(struct sheet *c);
int sheet_plots(struct sheet *c);

#endif
