/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges device logs of several runs of one program, for performance counters that do not fit into
 * one run. The result is the first log with the counters of the others: each gets the time that
 * the first log's counters of the same op on the same core have.
 */
#ifndef TTLOG_MERGE_H
#define TTLOG_MERGE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct ttlog_merged {
	uint64_t rows;      /* of the first log */
	uint64_t counters;  /* added */
	uint64_t unmatched; /* counters of ops and cores that have none in the first log */
};

/* True if PATH begins as a device log does. */
bool ttlog_is_device_log(const char *path);

/* Writes the device logs PATHS to OUT as one. */
int ttlog_merge(char **paths, int count, FILE *out, struct ttlog_merged *merged,
		struct tacho_error *err);

#endif
