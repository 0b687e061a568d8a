/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words for what a trace has: kinds, severities, tracks. For verbs, exporters and the viewer.
 */
#ifndef TRACE_NAMES_H
#define TRACE_NAMES_H

#include "trace/trace.h"

/* The words of a severity, a loss, a lock operation; "?" for numbers that are none. */
const char *trace_severity_name(uint64_t severity);
const char *trace_loss_name(uint64_t reason);
const char *trace_lock_op_name(uint64_t op);
const char *trace_row_kind_name(uint32_t kind);
const char *trace_track_kind_name(uint32_t kind);

/*
 * What a, b and c of a kind of row are called in exports, and what they mean. What is not there, is
 * the empty value of its type or says TRACE_FIELD_NONE, is left out.
 */
enum trace_field_type {
	TRACE_FIELD_NONE,
	TRACE_FIELD_UINT,
	TRACE_FIELD_INT,
	TRACE_FIELD_REAL,   /* bits of a double */
	TRACE_FIELD_BOUND,  /* empty: UINT64_MAX */
	TRACE_FIELD_TICKS,  /* a time; empty: 0 */
	TRACE_FIELD_SRCLOC, /* empty: TRACE_NONE */
	TRACE_FIELD_SEVERITY,
	TRACE_FIELD_LOSS,
	TRACE_FIELD_LOCK_OP,
};

struct trace_field {
	const char *name;
	enum trace_field_type type;
};

/* Three of them; of a kind that is not known, three that are none. */
const struct trace_field *trace_row_fields(uint32_t kind);
/* True if the table has the kind. */
bool trace_row_is_described(uint32_t kind);

/* "0", "signal 9", "running", "unknown". TEXT has FMT_SIZE bytes. */
const char *trace_exit_text(const struct trace_process *process, char *text);

/* "#rrggbb", or "" for 0. TEXT has FMT_SIZE bytes. */
const char *trace_color_text(uint32_t color, char *text);

/* "unfinished", "end lost" or "". */
const char *trace_zone_state(uint32_t flags);

/* The name to show for a track: its own, else "thread 123" and the like. TEXT has SIZE bytes. */
const char *trace_track_name(const struct trace *trace, uint32_t track, char *text, size_t size);

/* The process of a track and a source location by its id; blank ones for ids that are none. */
const struct trace_process *trace_process_of(const struct trace *trace, uint32_t track);
const struct trace_srcloc *trace_srcloc_of(const struct trace *trace, uint32_t srcloc);

/* The value of a plot row as a double. */
double trace_plot_value(const struct trace_row *row);

#endif
