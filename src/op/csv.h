/* SPDX-License-Identifier: Apache-2.0 */
/* ops_perf_results.csv: a table of ops, read and written. */
#ifndef OP_CSV_H
#define OP_CSV_H

#include "op/op.h"

#include <stdio.h>

/*
 * A cell whose text does not fit its column; the op stores it as text. LINE is the line of the
 * file, FIELD the column.
 */
typedef void (*op_bad_fn)(void *context, uint64_t line, struct op_field field, struct op_text text);

/*
 * Appends the ops of a report to the table. Columns are found by name, also those of older reports,
 * in which shapes have no logical sizes. ALL: columns without a field are stored too, as extra
 * columns. BAD may be NULL. TACHO_EFORMAT: the file has no column of ops. TACHO_EDAMAGED: the file
 * ends inside a cell, and the table has the ops before it.
 */
int op_table_read_csv(struct op_table *t, const char *path, bool all, op_bad_fn bad, void *context,
		      struct tacho_error *err);

/* The report: a header, then a line for each op. */
int op_table_write_csv(const struct op_table *t, FILE *out, struct tacho_error *err);

#endif
