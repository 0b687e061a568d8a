/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Import traces of other tools. (.tracy files are in src/tracy.) The caller opens and closes the
 * file and the writer; memory grows with the events, which are sorted before they are written.
 */
#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include "trace/trace.h"

/* Counts of what a trace has no place for. */
struct import_notes {
	uint64_t left_out; /* events of unsupported kinds, or malformed ones */
	uint64_t cut;      /* zones that outlasted their parent */
	uint64_t samples;
	uint64_t copied; /* samples with a copy of the stack that cannot be walked */
};

/*
 * Adds the contents of a Chrome trace (JSON: complete, begin, end, instant, counter and metadata
 * events) to W. On TACHO_EDAMAGED everything before the damage has been added, and W may be closed.
 */
int import_chrome(struct trace_writer *w, int fd, const char *path, struct import_notes *notes,
		  struct tacho_error *err);
/* True if PATH begins like JSON. Any error means no. */
bool import_chrome_is(const char *path);

/* The same for the text of "perf script": samples of the first event, with their call stacks. */
int import_perf_script(struct trace_writer *w, int fd, const char *path, struct import_notes *notes,
		       struct tacho_error *err);
bool import_perf_script_is(const char *path);

/* The same for a file of "perf record", whose names are looked up in the files of this machine. */
int import_perf_data(struct trace_writer *w, int fd, const char *path, struct import_notes *notes,
		     struct tacho_error *err);
bool import_perf_data_is(const char *path);

#endif
