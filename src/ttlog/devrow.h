/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line of profile_log_device.csv, in its current form of 15 columns. Only this file knows it;
 * the program's device reader and the exporter of traces write it.
 */
#ifndef TTLOG_DEVROW_H
#define TTLOG_DEVROW_H

#include "base/buf.h"
#include "op/files.h"

enum devrow_type {
	DEVROW_ZONE_START,
	DEVROW_ZONE_END,
	DEVROW_ZONE_TOTAL,
	DEVROW_TS_DATA, /* also of 16 bytes: data is the first word */
	DEVROW_TS_EVENT,
};

struct devrow {
	unsigned device, x, y; /* on NoC 0 */
	const char *risc;      /* see arch_risc_log_name() */
	uint32_t timer;        /* 16 bits: op_zone_timer(), an event's number, 9090, 12345 ... */
	uint64_t cycles;
	uint64_t data;           /* totals: cycles; values: the first word; else 0 */
	uint64_t run;            /* devrow_run() */
	uint64_t trace, counter; /* the trace and its replay, from 1; counter 0: none */
	enum devrow_type type;
	const char *name, *file; /* "" if unknown */
	uint32_t line;
	const char *meta; /* JSON; NULL or "": none */
};

/* Both header lines. */
void devrow_header(struct buf *out, const char *arch, uint32_t mhz, unsigned max_cores);

/* The line with its end. Commas and line ends in cells become ';' and blanks. */
void devrow_add(struct buf *out, const struct devrow *row);

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
void devrow_noc_meta(struct buf *out, uint64_t word);

/* Meta data of a performance counter. */
void devrow_counter_meta(struct buf *out, const char *counter, uint64_t cycles, uint64_t value);

#endif
