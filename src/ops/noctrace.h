/*
 * NoC events of a trace: summed up for the report, or written as the files that the runtime writes,
 * one for each execution of a program. Markers come core by core, as struct ops_cores gives them.
 */
#ifndef OPS_NOCTRACE_H
#define OPS_NOCTRACE_H

#include "ops/cores.h"
#include "ops/noc.h"
#include "ops/record.h"

struct ops_noctrace;

int ops_noctrace_open(struct ops_noctrace **n, struct ops_cores *cores);
int ops_noctrace_marker(struct ops_noctrace *n, const struct ops_marker *m);
void ops_noctrace_close(struct ops_noctrace *n);

/* Behind the last marker: what the files would tell. */
int ops_noctrace_sums(struct ops_noctrace *n, struct ops_noc *noc);

/*
 * Behind the last marker: the files, into FOLDER. HOST has the names of ops. Walks over the markers
 * again, as often as it takes to hold only a part of the events at a time. The number of files.
 */
int64_t ops_noctrace_write(struct ops_noctrace *n, const struct ops_host *host, const char *folder,
			   struct tacho_error *err);

#endif
