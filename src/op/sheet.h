/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An ops report in memory, as text. A row has a key by which it is found in another report: call
 * count, trace and replay ("1024/7/2"); a signpost has its name.
 */
#ifndef OP_SHEET_H
#define OP_SHEET_H

#include "base/buf.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct op_sheet_cells {
	VEC(size_t); /* where in the text each begins; NUL-terminated */
};

struct op_sheet {
	struct buf text;
	struct op_sheet_cells names;
	struct op_sheet_cells cells; /* names.n for each row */
	struct op_sheet_cells keys;  /* of each row */
	size_t rows;
};

/* S is zeroed by the caller and freed by it, whatever is returned. */
int op_sheet_load(struct op_sheet *s, const char *path, struct tacho_error *err);
void op_sheet_free(struct op_sheet *s);

/* The column of that name in any case, or -1. */
int64_t op_sheet_column(const struct op_sheet *s, const char *name);

/* "" for column -1. Valid as long as S. */
const char *op_sheet_cell(const struct op_sheet *s, size_t row, int64_t column);

/* Empty, or a word for nothing. */
bool op_sheet_blank(const char *text);

#endif
