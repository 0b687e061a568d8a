/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noc_trace_dev*.json: the NoC transfers of one execution of a program. Only this file knows the
 * format; the program's device reader and the exporter of traces write it.
 */
#ifndef TTLOG_DEVNOC_H
#define TTLOG_DEVNOC_H

#include "base/json.h"
#include "op/noc.h"

#include <stdint.h>

/* An execution: the ids of its entries and of its file name. */
struct devnoc_run {
	unsigned device;
	uint64_t id;
	uint64_t trace, session; /* session 0: none */
	const char *name;        /* of the op; may be empty */
	size_t name_len;
};

/* A transfer, or the start or end of a zone. */
struct devnoc_entry {
	const char *risc;
	unsigned x, y;
	uint64_t cycles;
	const char *type;  /* the transfer's kind; the zone's name */
	const char *phase; /* "ZONE_START" or "ZONE_END"; NULL: a transfer */
	uint64_t word;
	uint64_t addresses; /* the second word; 0: none */
};

void devnoc_entry(struct json *j, const struct devnoc_run *run, const struct devnoc_entry *e);

void devnoc_file_name(struct buf *out, const struct devnoc_run *run);

#endif
