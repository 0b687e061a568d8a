/* SPDX-License-Identifier: Apache-2.0 */
/* Private: map Tracy's device contexts to tracks of a trace, for files and for clients. */
#ifndef TRACY_DEVICE_H
#define TRACY_DEVICE_H

#include "base/buf.h"
#include "trace/trace.h"

/* Contexts of Tenstorrent devices have the RISCs of a core as tracks; their names identify them. */
bool device_has_cores(const char *context, bool many_threads, uint8_t type);

/* Fills T->id, and NAME, for a queue of context NUMBER: "CONTEXT/BRISC", "CONTEXT/17". */
void device_track(struct trace_track *t, struct buf *name, const char *context, uint32_t number,
		  bool cores, uint64_t queue);

/* The type of a context: a viewer of another line reads 6 as Metal. */
#define DEVICE_TYPE_TT     6
#define DEVICE_TYPE_CUSTOM 7
#define DEVICE_TYPE_VULKAN 2

/* In 0.14 files the number of a RISC's track is the trace's own id with this bit set. */
#define DEVICE_TID (1ull << 62)

/* "BRISC", from the id of a track. */
const char *device_risc(uint64_t id);

/* Number of a queue of such a core, and back. */
#define DEVICE_QUEUE_ID(q) TRACE_CORE_ID((q) >> 11 & 255, (q) >> 3 & 15, (q) >> 7 & 15, (q)&7)
uint64_t device_queue(uint64_t id);

/*
 * Device zones have no texts in Tracy. The op id of a program, the first value of its outermost
 * zone, is therefore stored as the function of the source location. Only zones of the first RISC of
 * a core carry it, on behalf of all. Returns whether this zone, of depth 0, has one.
 */
bool device_has_ops(uint64_t id); /* Returns whether a track is that RISC's. */
#define DEVICE_OP_FUNCTION "OP ID:%llu"
bool device_op(const struct trace *trace, uint32_t track, uint32_t srcloc, uint32_t extras,
	       struct trace_cursor *cursor, uint64_t *id);

#endif
