/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The content of the host's logs, directly from a trace: messages in order of time, and the zones
 * that show when ops were called and what they called.
 */
#ifndef OP_TRACE_HOST_H
#define OP_TRACE_HOST_H

#include "op/live.h"
#include "op/messages.h"
#include "trace/trace.h"

/* Names of op zones contain this; of the functions within them these count. */
#define OP_ZONE_PARENT   "TT_"
#define OP_ZONE_CHILDREN "CompileProgram,HWCommandQueue_write_buffer"

/*
 * Does the trace have messages about ops or signposts? 1, 0 or a negative error. TRACKS: one byte
 * per track, 0 leaves it out; NULL: all.
 */
int op_trace_has_messages(struct trace *trace, const uint8_t *tracks);

/*
 * Fills HOST from the trace, as from the two logs. CHILDREN: names separated by commas. LIVE: what
 * earlier calls read of a trace that grows, or NULL.
 */
int op_trace_host(struct op_host *host, struct trace *trace, const uint8_t *tracks,
		  const char *children, struct op_live_host *live, struct op_issues *issues,
		  struct tacho_error *err);

/* Only the messages. */
int op_trace_messages(struct op_host *host, struct trace *trace, const uint8_t *tracks,
		      struct op_issues *issues);

#endif
