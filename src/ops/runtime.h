/*
 * What the runtime itself would have measured: cpp_device_perf_report.csv out of markers. Markers
 * come core by core; kept is what each execution of a program needs, not the markers.
 */
#ifndef OPS_RUNTIME_H
#define OPS_RUNTIME_H

#include "base/buf.h"
#include "ops/cores.h"
#include "ops/cppreport.h"

struct ops_runtime;

int ops_runtime_open(struct ops_runtime **rt, struct ops_cores *cores);
int ops_runtime_marker(struct ops_runtime *rt, const struct ops_marker *m);

/* Behind the last marker: orders the executions and measures the gaps between them. */
int ops_runtime_finish(struct ops_runtime *rt);

/* Executions of programs so far. */
size_t ops_runtime_count(const struct ops_runtime *rt);

/* Line 0 is the header; the text is without the line's end. False behind the last line. */
bool ops_runtime_line(struct ops_runtime *rt, size_t line, struct buf *text);

/*
 * How unevenly the cores of an execution worked: nanoseconds of its slowest core and of all on
 * average, in kernels. False when it is not known.
 */
bool ops_runtime_cores(const struct ops_runtime *rt, int64_t device, uint64_t id, int64_t trace,
		       int64_t session, double *max_ns, double *avg_ns);
void ops_runtime_close(struct ops_runtime *rt);

#endif
