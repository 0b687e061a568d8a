/*
 * What the host's logs would say, straight out of a trace: messages in order of time, and the zones
 * that tell when ops were called and what was called within them.
 */
#ifndef OPS_HOSTTRACE_H
#define OPS_HOSTTRACE_H

#include "ops/hostlog.h"
#include "trace/trace.h"

/* Zones of ops have this in their names; of the functions within them these count. */
#define OPS_ZONE_PARENT   "TT_"
#define OPS_ZONE_CHILDREN "CompileProgram,HWCommandQueue_write_buffer"

/* Messages about ops or signposts: 1, 0 or a negative error. TRACKS: one byte per track, 0 leaves
 * it out; NULL: all. */
int ops_trace_has_messages(struct trace *trace, const uint8_t *tracks);

/* Fills HOST from the trace, as from the two logs. CHILDREN: names, separated by commas. */
int ops_trace_host(struct ops_host *host, struct trace *trace, const uint8_t *tracks,
		   const char *children, struct ops_issues *issues, struct tacho_error *err);

/* Only the messages. */
int ops_trace_messages(struct ops_host *host, struct trace *trace, const uint8_t *tracks,
		       struct ops_issues *issues);

#endif
