/*
 * An ops report in memory, as text. A row has a key by which it is found in another report: call
 * count, trace and replay ("1024/7/2"); a signpost has its name.
 */
#ifndef OPS_SHEET_H
#define OPS_SHEET_H

#include "base/buf.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct ops_sheet_cells {
	VEC(size_t); /* where in the text each begins; NUL-terminated */
};

struct ops_sheet {
	struct buf text;
	struct ops_sheet_cells names;
	struct ops_sheet_cells cells; /* names.n for each row */
	struct ops_sheet_cells keys;  /* of each row */
	size_t rows;
};

/* S is zeroed by the caller and freed by it, whatever is returned. */
int ops_sheet_load(struct ops_sheet *s, const char *path, struct tacho_error *err);
void ops_sheet_free(struct ops_sheet *s);

/* The column of that name in any case, or -1. */
int64_t ops_sheet_column(const struct ops_sheet *s, const char *name);

/* "" for column -1. Valid as long as S. */
const char *ops_sheet_cell(const struct ops_sheet *s, size_t row, int64_t column);

/* Empty, or a word for nothing. */
bool ops_sheet_blank(const char *text);

#endif
