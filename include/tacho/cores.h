/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zones of a device's cores: for code that reads a device and learns afterwards when something
 * started and ended there. Each RISC of a core is a track of its own.
 *
 *	uint64_t core = tacho_core_id(0, 1, 1, 0);
 *	tacho_core_name(core, "Device 0, core 0,0 (NoC 1,1)/BRISC", 0xee9a00);
 *	tacho_core_begin(core, tacho_srcloc_make("KERNEL", "", "kernel.c", 3, 0), start, 0);
 *	tacho_core_end(core, the same number, end);
 *
 * Times are ticks of this machine's clock (tacho_ticks()). Events of one core must come in order of
 * time and from one thread at a time; zones nest. The rules of tacho/tacho.h hold.
 */
#ifndef TACHO_CORES_H
#define TACHO_CORES_H

#include <tacho/tacho.h>

#ifdef __cplusplus
extern "C" {
#endif

/* x and y on the NoC, below 4096; device below 65536; risc below 256. */
static inline uint64_t tacho_core_id(unsigned device, unsigned x, unsigned y, unsigned risc)
{
	return (uint64_t)device << 32 | (uint64_t)x << 20 | (uint64_t)y << 8 | risc;
}

/* NAME: the common name of the core's tracks, a slash, the RISC. Call it once per recording. */
void tacho_core_name(uint64_t core, const char *name, uint32_t color);
/* SRCLOC: a number of tacho_srcloc_make(). VALUE is attached to the zone unless it is 0. */
void tacho_core_begin(uint64_t core, uint32_t srcloc, uint64_t ticks, uint64_t value);
void tacho_core_end(uint64_t core, uint32_t srcloc, uint64_t ticks);
/* Attaches one more value, also 0, to the innermost open zone of that number. */
void tacho_core_value(uint64_t core, uint32_t srcloc, uint64_t value);

/* What a RISC recorded, at which cycle of its device's clock. Numbers of docs/format.md. */
enum tacho_marker_kind {
	TACHO_MARK_START, /* of a zone. Without a parent it has values: the id of the op that runs,
			     0 for none, and of a replay trace << 32 | number of the replay */
	TACHO_MARK_END,
	TACHO_MARK_TOTAL,   /* a zone's sum of cycles */
	TACHO_MARK_DATA,    /* one value or two */
	TACHO_MARK_EVENT,   /* the value is its number */
	TACHO_MARK_NOC,     /* a transfer: its words */
	TACHO_MARK_COUNTER, /* a performance counter: value, cycles */
};

struct tacho_marker {
	enum tacho_marker_kind kind;
	uint32_t srcloc; /* a number of tacho_srcloc_make() */
	uint64_t ticks, cycle;
	unsigned values; /* how many there are: at most 2 */
	uint64_t value[2];
};

/* One marker of a RISC, with its zone: instead of begin, value and end. */
void tacho_core_marker(uint64_t core, const struct tacho_marker *marker);

/*
 * Records the call of an op: the number of the call, device | hit << 32 (hit: 0 unknown, 1 the
 * device has not run such an op before, 2 it has; device UINT32_MAX: the op runs on the host) and
 * the hash of its description. TEXT is its name or, so that later calls can refer to it by the
 * hash, its name, a zero byte and the description, a JSON object. 1: it stays in the trace. 0:
 * there was no room for it, or later events may overwrite it, so describe the op again.
 */
int tacho_core_op(uint64_t id, uint64_t device_hit, uint64_t hash, const char *text, size_t len);
/* A device captures or replays a trace of ops; DEVICE_STEP and OP as in docs/format.md. */
void tacho_core_trace(uint64_t trace, uint64_t device_step, uint64_t op);

/* Describes a device as JSON: a property of the trace. Call it once per recording. */
void tacho_device_describe(unsigned device, const char *json, size_t len);

/* Reports that the core had no room for MARKERS markers (0: unknown number) until now. */
void tacho_core_lost(uint64_t core, uint64_t ticks, uint64_t markers);
/* Reports that MARKERS of the core cannot be trusted: a kernel has overwritten them. */
void tacho_core_damaged(uint64_t core, uint64_t ticks, uint64_t markers);

/*
 * At this tick the device's clock showed CYCLES; the tick is wrong by at most BOUND_NS (UINT64_MAX:
 * unknown). Send points in order, before the zones whose times depend on them.
 */
void tacho_device_clock(uint32_t device, uint64_t ticks, uint64_t cycles, uint64_t bound_ns,
			uint32_t mhz);

#ifdef __cplusplus
}
#endif
#endif
