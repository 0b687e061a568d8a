/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line of profile_log_device.csv, in its current form of 15 columns. Only this file turns
 * markers into lines, for the program's device reader and the exporter of traces.
 */
#ifndef TTLOG_DEVROW_H
#define TTLOG_DEVROW_H

#include "base/buf.h"
#include "op/files.h"
#include "op/marker.h"

/* Where a marker was recorded, and what is known of its zone or value. */
struct devrow_place {
	unsigned device, x, y;   /* on NoC 0 */
	const char *risc;        /* see arch_risc_log_name() */
	const char *name, *file; /* "" if unknown; of a counter its name */
	uint32_t line;
	uint16_t timer; /* op_zone_timer() */
};

/* Both header lines. */
void devrow_header(struct buf *out, const char *arch, uint32_t mhz, unsigned max_cores);

/* The line with its end. Commas and line ends in cells become ';' and blanks. */
void devrow_add(struct buf *out, const struct op_marker *m, const struct devrow_place *place);

/* Combines a program's number and its device. Program 0 means none and stays 0. */
static inline uint64_t devrow_run(uint64_t program, unsigned device)
{
	return program ? program << 10 | device : 0;
}

/* The second word of a NoC event, with addresses. */
struct devrow_noc {
	uint32_t to, from, counter;
};
struct devrow_noc devrow_noc(uint64_t word);

#endif
