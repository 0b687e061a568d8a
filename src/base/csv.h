/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A streaming CSV reader: RFC 4180 with what is met in practice. Cells are separated by ',',
 * records by LF, CRLF or CR; a cell that begins with '"' runs to its closing quote, may hold
 * separators and line ends, and has "" for a quote. A byte order mark is skipped, and so are lines
 * of blanks only.
 *
 *	struct csv *csv;
 *	struct csv_row row;
 *	if ((r = csv_open(&csv, path, &err)) < 0)
 *		return r;
 *	while ((r = csv_next(csv, &row, &err)) > 0)
 *		use(row.cells[0].text, row.cells[0].len);
 *	csv_close(csv);
 *
 * Memory is one window of the file, which grows only when a single record does not fit. A record
 * knows the line that it starts on, so that a message can say FILE:LINE.
 */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct csv;

/* Text is not NUL-terminated and lives until the next csv_next(). */
struct csv_cell {
	const char *text;
	size_t len;
};

struct csv_row {
	const struct csv_cell *cells;
	size_t n;
	uint64_t line;   /* of the file, from 1, where the record starts */
	uint64_t offset; /* in bytes */
};

/* PATH is a file, a pipe, or "-" for standard input. */
int csv_open(struct csv **csv, const char *path, struct tacho_error *err);

/* The same over LEN bytes of memory, which must outlive the reader. */
int csv_open_memory(struct csv **csv, const void *bytes, size_t len, struct tacho_error *err);

/*
 * The next record: 1, or 0 at the end. TACHO_EDAMAGED: the file ends inside a quoted cell (the
 * records before it were whole); TACHO_ELIMIT: a record or its number of cells is beyond the
 * limits.
 */
int csv_next(struct csv *csv, struct csv_row *row, struct tacho_error *err);

/* Takes NULL. */
void csv_close(struct csv *csv);

/* The type of a cell when read as a number. */
enum csv_number {
	CSV_BLANK, /* empty, blanks, or one of the usual words for "no value" (NA, nan, null, ..) */
	CSV_INT,   /* digits only, within 64 bits */
	CSV_REAL,
	CSV_NO_NUMBER,
};

/*
 * Reads a whole cell as a number; *VALUE is NaN unless the answer is CSV_INT or CSV_REAL. Blanks
 * around it are accepted. Up to 17 digits count and are scaled once by a power of ten: exact for up
 * to 15 digits and the usual exponents, and within an ulp of the nearest double beyond. "inf" and
 * "-infinity" are numbers, but not one that is too large for a double.
 */
enum csv_number csv_number(struct csv_cell cell, double *value);

/* The same for whole numbers, exact in all 64 bits: 0, or TACHO_EFORMAT if the cell is none. */
int csv_integer(struct csv_cell cell, int64_t *value);

/* True if the cell is empty or a word for "no value". */
bool csv_blank(struct csv_cell cell);

/* Appends TEXT as a cell, quoted only when it must be. */
struct buf;
void csv_add(struct buf *out, const char *text, size_t len);

#endif
