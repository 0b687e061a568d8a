/* SPDX-License-Identifier: Apache-2.0 */
/* The output formats of a report. All write to an open FILE, which the caller closes. */
#ifndef PERF_OUTPUT_H
#define PERF_OUTPUT_H

#include "base/buf.h"
#include "perf/notes.h"
#include "perf/report.h"
#include "perf/stacked.h"
#include "perf/table.h"

#include <stdio.h>

#define PERF_FLUSH (256u << 10) /* bytes collected before a write */

/* Writes the content of OUT and empties it. 0, TACHO_EWRITE or TACHO_ENOMEM. */
int perf_flush(struct buf *out, FILE *file);

struct perf_csv_options {
	bool no_advice, raw_op_codes;
};

int perf_csv_write(const struct perf_report *report, const struct perf_view *view,
		   const struct perf_csv_options *options, FILE *file);

struct perf_text_options {
	struct perf_style style;
	bool no_advice, no_summary;
	const struct perf_hidden *hidden; /* ops that the view hides, or NULL */
	const char *stacked_base; /* of the files with the stacked report, announced below it */
};

/* The summary, the table, the advice and the stacked table. STACKED may be NULL. */
int perf_text_write(const struct perf_report *report, const struct perf_view *view,
		    const struct perf_stacked *stacked, const struct perf_text_options *options,
		    FILE *file);

/* Everything above as one JSON object, with the notes. */
int perf_json_write(const struct perf_report *report, const struct perf_view *view,
		    const struct perf_stacked *stacked, const struct perf_notes *notes, FILE *file);

#define PERF_HTML_START "<!DOCTYPE html>\n<!-- Made by tacho perf-report."

/* Everything as one page that needs no network. STACKED may be NULL. */
int perf_html_write(const struct perf_report *report, const struct perf_stacked *stacked,
		    const struct perf_notes *notes, FILE *file);

/* The regions of each file, with the one that counts by default. */
int perf_regions_write(const struct perf_input *in, const struct perf_options *options, bool json,
		       struct perf_style style, FILE *file);

/* One op: all its data, and the arithmetic of its figures. */
int perf_why_write(const struct perf_report *report, const struct perf_op *op, char *const *paths,
		   size_t n, struct perf_style style, FILE *file, struct tacho_error *err);

#endif
