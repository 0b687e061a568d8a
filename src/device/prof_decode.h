/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes the kernel profiler's words, as stored in L1 or DRAM, to runs, zones, events and values.
 * Kernels can overwrite them, so nothing in them is trusted: markers are checked against the RISC
 * that wrote them, the zones that exist, the order of time and the nesting of zones. Invalid
 * markers are dropped and counted. docs/device.md has the layout.
 */
#ifndef DEVICE_PROF_DECODE_H
#define DEVICE_PROF_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum prof_kind {
	PROF_K_ZONE,
	PROF_K_TOTAL,
	PROF_K_DATA,
	PROF_K_EVENT,
	PROF_K_DATA_16,
	PROF_K_DAMAGE, /* follows the items of a run: data[0] of its markers cannot be trusted */
};

#define PROF_END_LOST   1u /* no trusted end marker: the end is the run's last time */
#define PROF_START_LOST 2u /* no trusted start marker: the start is the run's first time */
#define PROF_CUT        4u /* open when the run was stopped or its buffer was full */

struct prof_item {
	enum prof_kind kind;
	uint16_t id; /* of the zone or value; events: the number */
	uint16_t flags;
	uint32_t risc, flat, replay, op; /* from the run's id words */
	uint64_t start, end;             /* cycles; all but zones have end == start */
	uint64_t data[2];                /* totals: cycles */
};

typedef void (*prof_fn)(void *context, const struct prof_item *item);

/* State between calls for each RISC of each core. */
struct prof_reader {
	uint64_t last;  /* time of 44 bits, extended */
	uint64_t until; /* when the last run was stopped; 0: it was not */
	uint64_t ended; /* end of the last whole run: the next one starts after it */
};

struct prof_counts {
	uint64_t runs, markers;
	uint64_t damaged; /* untrusted markers */
};

/* Bounds for the words of one RISC. */
struct prof_expect {
	uint32_t risc, flat; /* its id words */
	uint32_t zones;      /* zone ids are below it; 0: any */
	uint32_t lap; /* words of the ring that held one run; 0: no ring, runs are consecutive */
	uint64_t earliest, latest; /* times; latest 0: any */
	bool accumulated;          /* the first words have the profiler's own times */
	bool cut;                  /* the buffer was full: ends may be missing */
};

/* Length of a marker in words, from its first word. */
unsigned prof_marker_words(uint32_t high);

void prof_decode(struct prof_reader *reader, const uint32_t *words, size_t n,
		 const struct prof_expect *expect, prof_fn fn, void *context,
		 struct prof_counts *counts);

#endif
