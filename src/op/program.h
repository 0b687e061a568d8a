/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the JSON of an op's message into a program. */
#ifndef OP_PROGRAM_H
#define OP_PROGRAM_H

#include "base/jread.h"
#include "op/op.h"

/* A program of which nothing is known. */
struct op_program op_program_unknown(void);

/*
 * Fills P from JSON. Members of unexpected form are left out; the name of the first one that should
 * be a number and is not goes to NO_NUMBER. 0 or TACHO_ENOMEM.
 */
#define OP_NO_NUMBER 48
int op_program_fill(struct op_table *t, struct op_program *p, const struct jread_value *json,
		    char no_number[OP_NO_NUMBER]);

/* Adds a cell: TEXT for COLUMN, with commas replaced. */
int op_program_cell(struct op_table *t, struct op_program *p, enum op_column column,
		    const char *text, size_t len);

#endif
