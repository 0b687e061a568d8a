/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An ops report in memory, as text. A row has a key that finds it in another report: call count,
 * trace and replay ("1024/7/2"); a signpost's key is its name.
 */
#ifndef OP_SHEET_H
#define OP_SHEET_H

#include "base/buf.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct op_sheet_cells {
	VEC(size_t); /* offset of each in the text; NUL-terminated */
};

struct op_sheet {
	struct buf text;
	struct op_sheet_cells names;
	struct op_sheet_cells cells; /* names.n for each row */
	struct op_sheet_cells keys;  /* of each row */
	size_t rows;
};

/* The caller zeroes S, and frees it whatever is returned. */
int op_sheet_load(struct op_sheet *s, const char *path, struct tacho_error *err);
void op_sheet_free(struct op_sheet *s);

/* The column of that name, ignoring case, or -1. */
int64_t op_sheet_column(const struct op_sheet *s, const char *name);

/* "" for column -1. Valid as long as S. */
const char *op_sheet_cell(const struct op_sheet *s, size_t row, int64_t column);

/* Empty, or a word such as "nan" for no value. */
bool op_sheet_blank(const char *text);

#endif
