/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables: the one way to print rows, as text for people, as CSV, JSON or Markdown.
 *
 *	static const struct table_column columns[] = {
 *		{"name", "name", TABLE_STRING},
 *		{"total_ns", "total", TABLE_NS},
 *	};
 *	struct table t;
 *	table_open(&t, stdout, &style, TABLE_COLUMNS(columns));
 *	table_text(&t, "main");
 *	table_real(&t, 1234.0);
 *	table_row(&t);
 *	r = table_close(&t);
 *
 * Text has aligned columns and human units; what could harm a terminal is shown escaped, and on a
 * terminal long strings are cut in the middle so that a row fits. CSV (RFC 4180) and JSON (an array
 * of objects) have plain figures: nanoseconds, bytes. Rows are written as they come: text waits for
 * the first rows only, to learn the widths, so memory stays bounded.
 *
 * Markdown has the columns and units of text.
 *
 * A record (style.record) is a table with one row: lines of "title  value" in text, one object in
 * JSON.
 */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include "base/buf.h"
#include "base/json.h"
#include "base/term.h"
#include "base/vec.h"

#include <stdio.h>

enum table_format { TABLE_AS_TEXT, TABLE_AS_CSV, TABLE_AS_JSON, TABLE_AS_MARKDOWN };
extern const char *const table_formats[]; /* the words for an OPT_ENUM */

enum table_type {
	TABLE_STRING,
	TABLE_COUNT,   /* 1,234,567 */
	TABLE_ID,      /* 1234567: a pid, a line */
	TABLE_NS,      /* 1.235 ms; whole nanoseconds in CSV and JSON */
	TABLE_BYTES,   /* 1.50 KiB */
	TABLE_PERCENT, /* 12.34 */
	TABLE_NUMBER,  /* any number as it is */
};

struct table_column {
	const char *key;   /* in CSV and JSON; NULL: not there */
	const char *title; /* in text; NULL: not shown there */
	enum table_type type;
};

/* An array of columns and their number, for table_open(). */
#define TABLE_COLUMNS(array) (array), sizeof(array) / sizeof((array)[0])

struct table_style {
	enum table_format format;
	bool record;
	bool guard; /* CSV: a ' before what a spreadsheet would take for a formula */
	bool color;
	size_t width;              /* of the terminal; 0: never cut */
	const char *const *hidden; /* text: keys of columns that are not worth showing, or NULL */
};

struct table_line {
	size_t first; /* in cells */
	enum term_color color;
};

struct table {
	FILE *out;
	FILE *guard; /* what is written to: term_guard() of OUT for CSV and JSON */
	struct table_style style;
	const struct table_column *columns;
	size_t n;
	size_t at;             /* the column of the next cell */
	enum term_color color; /* of the row that is being made */
	bool started;          /* the header is out, widths are fixed */
	bool headed;           /* Markdown: the header is out */
	size_t rows;
	struct buf line; /* the output of one row */
	struct json json;
	struct buf cells; /* text: cells of pending rows, back to back */
	struct {
		VEC(size_t);
	} ends; /* where each cell ends */
	struct {
		VEC(struct table_line);
	} waiting;
	struct {
		VEC(size_t);
	} widths;
	int error; /* the first; later calls do nothing */
};

/* COLUMNS must outlive the table. Errors are sticky and come from table_row() and table_close(). */
void table_open(struct table *t, FILE *out, const struct table_style *style,
		const struct table_column *columns, size_t n);

/* The cells of a row, in the order of the columns. */
void table_string(struct table *t, const char *text, size_t len);
void table_text(struct table *t, const char *text);
void table_uint(struct table *t, uint64_t value);
void table_int(struct table *t, int64_t value);
void table_real(struct table *t, double value);
void table_none(struct table *t);

/* The colour of the row that is being made, in text. */
void table_color(struct table *t, enum term_color color);

/* Ends a row. 0, TACHO_ENOMEM or TACHO_EWRITE: a long listing stops then. */
int table_row(struct table *t);

/* Writes what waits and frees the table; returns the first error. */
int table_close(struct table *t);

#endif
