/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Markers: the records of a device. Each RISC of each core writes them in order of time; the reader
 * of the device (src/device) and a trace (op/trace_cores.h) give the same ones.
 */
#ifndef OP_MARKER_H
#define OP_MARKER_H

#include "base/arch.h"
#include "op/op.h"
#include "trace/trace.h"

struct op_marker {
	uint32_t device; /* numbers that its source assigns to devices, ... */
	uint32_t core;   /* ... to the cores of all of them, ... */
	uint32_t risc;   /* ... to the RISCs of all cores, ... */
	uint32_t zone;   /* ... and to the names of zones and values */
	uint32_t zones;  /* from the name: bits of enum arch_zone */
	uint8_t which;   /* enum arch_risc */
	uint8_t kind;    /* enum trace_marker_kind */
	uint8_t values;  /* number of values */
	uint64_t cycle;  /* of the device's clock, as recorded */
	uint64_t value, value2;
	uint64_t id;            /* of the op, 0: none */
	int64_t trace, session; /* of a replay; OP_NONE */
	struct op_text meta;    /* JSON; valid until the next marker */
};

/* The 16-bit id of a zone in logs: folded FNV-1a of "NAME,FILE,LINE,KERNEL_PROFILER". */
uint16_t op_zone_timer(const char *name, const char *file, uint32_t line);

/* Meta data of a value NAME inside ZONE on a dispatch core; nothing is added for others. */
struct buf;
void op_dispatch_meta(struct buf *out, const char *name, const char *zone, uint64_t value);

#endif
