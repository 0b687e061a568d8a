/* SPDX-License-Identifier: Apache-2.0 */
/* ops_perf_results.csv: a table of ops, read and written. */
#ifndef OP_CSV_H
#define OP_CSV_H

#include "op/op.h"

#include <stdio.h>

/* A cell that is not what its column holds: its op has it as a text. LINE is of the file. FIELD
 * says which column. */
typedef void (*op_bad_fn)(void *context, uint64_t line, struct op_field field, struct op_text text);

/*
 * Appends the ops of a report to the table. Columns are found by name; those of older reports, in
 * which shapes have no logical sizes, too. ALL: what has no field of its own is kept as well, in
 * extra columns. BAD may be NULL. TACHO_EFORMAT: no column is that of an op. TACHO_EDAMAGED: the
 * file ends inside a cell, and the table has the ops before it.
 */
int op_table_read_csv(struct op_table *t, const char *path, bool all, op_bad_fn bad, void *context,
		      struct tacho_error *err);

/* The report: a header, then a line for each op. */
int op_table_write_csv(const struct op_table *t, FILE *out, struct tacho_error *err);

#endif
