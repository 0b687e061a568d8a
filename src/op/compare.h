/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares two ops reports. Rows match when call count, trace and replay are equal (signposts: name
 * and turn); the columns that both files have are compared. Numbers are compared as numbers; an
 * empty cell, "nan" and "None" are equal.
 */
#ifndef OP_COMPARE_H
#define OP_COMPARE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct op_compare_options {
	bool ids_only;           /* do the same ops occur? */
	double tolerance;        /* in percent, for numbers */
	int64_t max_differences; /* that are printed */
};

struct op_compare_result {
	uint64_t rows_a, rows_b, matched, columns;
	uint64_t differences;    /* cells */
	uint64_t only_a, only_b; /* rows */
};

/* Prints differences to OUT as they are found. */
int op_compare(const char *a, const char *b, const struct op_compare_options *options, FILE *out,
	       struct op_compare_result *result, struct tacho_error *err);

#endif
