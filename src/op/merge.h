/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several ops reports of the same program into one: counters that do not fit into one run are taken
 * in several. Rows belong together by call count, trace and replay. Rows and cells are the first
 * report's; what it leaves empty, and columns that it does not have, come from the others.
 */
#ifndef OP_MERGE_H
#define OP_MERGE_H

#include "base/err.h"

#include <stdint.h>
#include <stdio.h>

struct op_merge_result {
	uint64_t rows, columns;
	uint64_t filled;    /* cells that came from another report than the first */
	uint64_t unmatched; /* rows of other reports that the first does not have */
};

int op_merge(char **paths, int count, FILE *out, struct op_merge_result *result,
	     struct tacho_error *err);

#endif
