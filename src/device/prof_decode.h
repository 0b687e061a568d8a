/*
 * The kernel profiler's words, as they lie in L1 or DRAM, to runs, zones, events and values.
 * Nothing in them is trusted: what cannot be is counted and passed over. docs/device.md has the
 * layout.
 */
#ifndef DEVICE_PROF_DECODE_H
#define DEVICE_PROF_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum prof_kind { PROF_K_ZONE, PROF_K_TOTAL, PROF_K_DATA, PROF_K_EVENT, PROF_K_DATA_16 };

#define PROF_END_LOST                                                                        \
	1u                 /* its end marker was missing: the end is the run's last time, or \
			    * when it was stopped */
#define PROF_START_LOST 2u /* its start marker was missing: the start is the run's first time */

struct prof_item {
	enum prof_kind kind;
	uint16_t id; /* of the zone or value; events: the number */
	uint16_t flags;
	uint32_t risc, flat, replay, op; /* from the run's id words */
	uint64_t start, end;             /* cycles; all but zones have end == start */
	uint64_t data[2];                /* totals: cycles */
};

typedef void (*prof_fn)(void *context, const struct prof_item *item);

/* Kept from one call to the next for each RISC of each core. */
struct prof_reader {
	uint64_t last;  /* time of 44 bits, extended */
	uint64_t until; /* the last run was on its way until then, and was stopped; 0: it was not */
};

struct prof_counts {
	uint64_t runs, markers;
	uint64_t damaged; /* words or markers that make no sense */
};

/* Words of a marker in all, by its first one. */
unsigned prof_marker_words(uint32_t high);

/* RISC and FLAT: what the id words should say; others are counted as damaged and believed. */
void prof_decode(struct prof_reader *reader, const uint32_t *words, size_t n, uint32_t risc,
		 uint32_t flat, prof_fn fn, void *context, struct prof_counts *counts);

#endif
