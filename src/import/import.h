/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces of other tools read into ours. (.tracy files are in src/tracy.)
 */
#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include "trace/trace.h"

/* What has no place in a trace. */
struct import_notes {
	uint64_t left_out; /* events of kinds that are not kept, or that make no sense */
	uint64_t cut;      /* zones that reached over the end of the one they began in */
};

/*
 * Adds what a Chrome trace (JSON: complete, begin, end, instant, counter and metadata events) holds
 * to W. On TACHO_EDAMAGED what stands before the damage has been added, and W may be closed.
 */
int import_chrome(struct trace_writer *w, int fd, const char *path, struct import_notes *notes,
		  struct tacho_error *err);
/* Does PATH begin like JSON? Any error means no. */
bool import_chrome_is(const char *path);

#endif
