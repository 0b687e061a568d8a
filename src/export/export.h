/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace in other formats: Chrome JSON, Perfetto, CSV, JSON, cProfile's, and tables of what a
 * trace has few of. Files are written as a stream: memory does not grow with the number of zones or
 * rows.
 *
 * Functions return 0 or a negative enum tacho_err. They read the trace by its own handle, so no
 * other thread may use it meanwhile; the caller closes OUT and the trace.
 */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include "base/progress.h"
#include "base/table.h"
#include "trace/trace.h"
#include "view/zone_stream.h"

#include <stdio.h>

/*
 * Tables of what a trace has few of. At most MOST rows are printed (0 = all). Return the number of
 * rows there are, or an error.
 */
typedef int64_t export_list(FILE *out, const struct table_style *style, const struct trace *trace,
			    size_t most);
export_list export_properties, export_processes, export_threads, export_tracks, export_srclocs;

enum export_format { EXPORT_CHROME, EXPORT_CSV, EXPORT_JSON, EXPORT_PSTATS, EXPORT_PERFETTO };

/* Writes the trace to OUT. A write error is TACHO_EWRITE. */
int export_write(FILE *out, struct trace *trace, enum export_format format,
		 const struct view_filter *filter, struct progress *progress);

#endif
