/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges several ops reports of one program: counters that do not fit into one run are collected in
 * several. Rows match by call count, trace and replay. Rows and cells are the first report's; cells
 * that it leaves empty and columns that it lacks come from the others.
 */
#ifndef OP_MERGE_H
#define OP_MERGE_H

#include "base/err.h"

#include <stdint.h>
#include <stdio.h>

struct op_merge_result {
	uint64_t rows, columns;
	uint64_t filled;    /* cells that came from a report other than the first */
	uint64_t unmatched; /* rows of other reports that the first lacks */
};

/* Writes the ops reports PATHS to OUT as one. */
int op_merge(char **paths, int count, FILE *out, struct op_merge_result *result,
	     struct tacho_error *err);

#endif
