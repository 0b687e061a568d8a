/* SPDX-License-Identifier: Apache-2.0 */
/* The CSV reader and the conversion of cells to numbers. Records are scanned in place. */
#include "base/csv.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define WINDOW  (1u << 20)
#define BLOCK   64    /* bytes scanned at a time */
#define PADDING BLOCK /* readable bytes after the data, so the scan may load whole blocks */

struct csv {
	char *path;
	int fd; /* -1: over memory, everything is in the window */
	bool end;
	char *data;
	size_t len, cap; /* bytes in the window, without the padding */
	size_t at;       /* where the next record starts */
	uint64_t base;   /* file offset of data[0] */
	uint64_t line;
	struct {
		VEC(struct csv_cell);
	} cells;
};

/* One record as found in the window, before its quotes are taken away. */
struct scan {
	size_t at;
	uint64_t lines; /* line ends passed */
	bool whole;     /* false: the window ended first */
	bool quotes;    /* some cell has them */
};

static int csv_new(struct csv **out, const char *path, size_t cap, struct tacho_error *err)
{
	struct csv *csv = calloc(1, sizeof(*csv));

	if (csv) {
		csv->fd = -1;
		csv->line = 1;
		csv->path = strdup(path);
		csv->cap = cap;
		csv->data = malloc(cap + PADDING);
	}
	if (!csv || !csv->path || !csv->data) {
		csv_close(csv);
		return err_set(err, TACHO_ENOMEM, "%s: out of memory", path);
	}
	*out = csv;
	return 0;
}

int csv_open(struct csv **out, const char *path, struct tacho_error *err)
{
	struct stat st;
	struct csv *csv;
	int r = csv_new(&csv, path, WINDOW, err);

	if (r < 0)
		return r;
	csv->fd = !strcmp(path, "-") ? dup(0) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (csv->fd < 0 || fstat(csv->fd, &st) < 0)
		r = err_errno(err, TACHO_EREAD, "cannot open %s", path);
	else if (S_ISDIR(st.st_mode))
		r = err_set(err, TACHO_EREAD, "%s is a directory", path);
	if (r < 0) {
		csv_close(csv);
		return r;
	}
	*out = csv;
	return 0;
}

int csv_open_memory(struct csv **out, const void *bytes, size_t len, struct tacho_error *err)
{
	int r = csv_new(out, "memory", len, err);

	if (r < 0)
		return r;
	if (len)
		memcpy((*out)->data, bytes, len);
	(*out)->len = len;
	(*out)->end = true;
	return 0;
}

void csv_close(struct csv *csv)
{
	if (!csv)
		return;
	if (csv->fd >= 0)
		close(csv->fd);
	vec_free(&csv->cells);
	free(csv->data);
	free(csv->path);
	free(csv);
}

/* Moves the record at AT to the front of the window, makes room after it and continues reading. */
static int csv_refill(struct csv *csv, struct tacho_error *err)
{
	size_t kept = csv->len - csv->at;
	ssize_t n;

	if (csv->at) {
		memmove(csv->data, csv->data + csv->at, kept);
		csv->base += csv->at;
		csv->len = kept;
		csv->at = 0;
	}
	if (csv->len == csv->cap) {
		char *data;

		if (csv->cap >= LIMIT_CSV_RECORD)
			return err_set(err, TACHO_ELIMIT, "%s:%llu: record longer than %u MiB",
				       csv->path, (unsigned long long)csv->line,
				       LIMIT_CSV_RECORD >> 20);
		data = realloc(csv->data, csv->cap * 2 + PADDING);
		if (!data)
			return err_set(err, TACHO_ENOMEM, "%s: out of memory", csv->path);
		csv->data = data;
		csv->cap *= 2;
	}
	do
		n = read(csv->fd, csv->data + csv->len, csv->cap - csv->len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_errno(err, TACHO_EREAD, "cannot read %s", csv->path);
	csv->len += (size_t)n;
	csv->end = n == 0;
	return 0;
}

/* Bit I: the character P[I], before END, is a ',', CR or LF. */
static uint64_t csv_separators_find(const char *p, const char *end)
{
	size_t left = (size_t)(end - p);
	uint64_t mask = 0;
#ifdef __SSE2__
	const __m128i comma = _mm_set1_epi8(','), lf = _mm_set1_epi8('\n'),
		      cr = _mm_set1_epi8('\r');

	for (int i = 0; i < BLOCK; i += 16) {
		__m128i part = _mm_loadu_si128((const __m128i *)(p + i));
		__m128i line = _mm_or_si128(_mm_cmpeq_epi8(part, lf), _mm_cmpeq_epi8(part, cr));
		__m128i hits = _mm_or_si128(line, _mm_cmpeq_epi8(part, comma));

		mask |= (uint64_t)(unsigned)_mm_movemask_epi8(hits) << i;
	}
#else
	for (int i = 0; i < BLOCK; i++)
		mask |= (uint64_t)(p[i] == ',' || p[i] == '\n' || p[i] == '\r') << i;
#endif
	return left < BLOCK ? mask & (((uint64_t)1 << left) - 1) : mask;
}

/* P is after an opening quote: returns the closing one, or END. Counts the lines in between. */
static const char *find_quote(const char *p, const char *end, uint64_t *lines)
{
	const char *from = p + 1, *quote = p;

	for (;;) {
		quote = memchr(quote + 1, '"', (size_t)(end - quote - 1));
		if (!quote) {
			quote = end;
			break;
		}
		if (quote + 1 >= end || quote[1] != '"')
			break;
		quote++;
	}
	while ((from = memchr(from, '\n', (size_t)(quote - from)))) {
		(*lines)++;
		from++;
	}
	return quote;
}

/* The record's last cell, CELL, ends at AT: a line end or the end of the window. */
static int scan_end(struct csv *csv, struct scan *s, const char *cell, const char *at)
{
	const char *end = csv->data + csv->len;

	if (!csv->end && (at == end || (*at == '\r' && at + 1 == end)))
		return 0;
	if (csv->cells.n >= LIMIT_CSV_CELLS)
		return TACHO_ELIMIT;
	if (vec_push(&csv->cells, ((struct csv_cell){cell, (size_t)(at - cell)})) < 0)
		return TACHO_ENOMEM;
	if (at < end) {
		at += *at == '\r' && at + 1 < end && at[1] == '\n' ? 2 : 1;
		s->lines++;
	}
	s->at = (size_t)(at - csv->data);
	s->whole = true;
	return 0;
}

/*
 * Finds the cells of the record at csv->at; changes nothing in the window, so that it can be done
 * again after a refill. A quoted cell is stored with its quotes.
 */
static int scan_record(struct csv *csv, struct scan *s)
{
	const char *p = csv->data + csv->at, *end = csv->data + csv->len, *cell = p;

	csv->cells.n = 0;
	*s = (struct scan){0};
	while (p < end) {
		const char *block = p;
		struct csv_cell *next;
		uint64_t mask;

		if (p == cell && *p == '"') {
			s->quotes = true;
			block = find_quote(p, end, &s->lines);
			if (block == end)
				return 0;
			block++;
		}
		p = block + BLOCK;
		if (vec_reserve(&csv->cells, csv->cells.n + BLOCK) < 0)
			return TACHO_ENOMEM;
		next = csv->cells.v + csv->cells.n;
		for (mask = csv_separators_find(block, end); mask; mask &= mask - 1) {
			const char *at = block + __builtin_ctzll(mask);

			if (*at != ',') {
				csv->cells.n = (size_t)(next - csv->cells.v);
				return scan_end(csv, s, cell, at);
			}
			*next++ = (struct csv_cell){cell, (size_t)(at - cell)};
			cell = at + 1;
			if (*cell == '"') { /* readable, even at the end */
				p = cell;
				break;
			}
		}
		csv->cells.n = (size_t)(next - csv->cells.v);
		if (csv->cells.n > LIMIT_CSV_CELLS)
			return TACHO_ELIMIT;
	}
	return scan_end(csv, s, cell, end);
}

/* Removes quotes in place: "a ""b""" becomes a "b". Text after the closing quote stays. */
static void csv_unquote(struct csv_cell *cell)
{
	char *from = (char *)cell->text + 1, *end = (char *)cell->text + cell->len, *to;
	bool inside = true;

	cell->text = from;
	to = memchr(from, '"', (size_t)(end - from)); /* the first one, mostly the last character */
	for (from = to; from < end; from++) {
		if (inside && *from == '"') {
			if (from + 1 < end && from[1] == '"') {
				*to++ = '"';
				from++;
			} else {
				inside = false;
			}
			continue;
		}
		*to++ = *from;
	}
	cell->len = (size_t)(to - cell->text);
}

static bool only_blanks(const struct csv_cell *cell)
{
	for (size_t i = 0; i < cell->len; i++)
		if (cell->text[i] != ' ' && cell->text[i] != '\t')
			return false;
	return true;
}

/* The next record that is not a blank line, with its quotes; like csv_next(). */
static int next_raw(struct csv *csv, struct csv_row *row, bool *quotes, struct tacho_error *err)
{
	struct scan s;
	int r;

	for (;;) {
		while (csv->len - csv->at < 3 && !csv->end)
			if ((r = csv_refill(csv, err)) < 0)
				return r;
		if (csv->base == 0 && csv->at == 0 && csv->len >= 3 &&
		    !memcmp(csv->data, "\xef\xbb\xbf", 3))
			csv->at = 3;
		if (csv->at == csv->len)
			return 0;
		r = scan_record(csv, &s);
		if (r < 0)
			return err_set(err, r, "%s:%llu: %s", csv->path,
				       (unsigned long long)csv->line,
				       r == TACHO_ELIMIT ? "too many cells" : err_text(r));
		if (!s.whole && csv->end)
			return err_set(err, TACHO_EDAMAGED,
				       "%s:%llu: the file ends inside a quoted cell", csv->path,
				       (unsigned long long)csv->line);
		if (!s.whole) {
			if ((r = csv_refill(csv, err)) < 0)
				return r;
			continue;
		}
		*quotes = s.quotes;
		row->line = csv->line;
		row->offset = csv->base + csv->at;
		csv->at = s.at;
		csv->line += s.lines;
		if (csv->cells.n > 1 || !only_blanks(&csv->cells.v[0]))
			return 1;
	}
}

int csv_next(struct csv *csv, struct csv_row *row, struct tacho_error *err)
{
	bool quotes = false;
	int r = next_raw(csv, row, &quotes, err);

	if (r <= 0)
		return r;
	for (size_t i = 0; quotes && i < csv->cells.n; i++)
		if (csv->cells.v[i].len && csv->cells.v[i].text[0] == '"')
			csv_unquote(&csv->cells.v[i]);
	row->cells = csv->cells.v;
	row->n = csv->cells.n;
	return 1;
}

bool csv_blank(struct csv_cell cell)
{
	static const char *const words[] = {
		"#N/A", "#N/A N/A", "#NA",     "-1.#IND", "-1.#QNAN", "-NaN",
		"-nan", "1.#IND",   "1.#QNAN", "<NA>",    "N/A",      "NA",
		"NULL", "NaN",      "None",    "n/a",     "nan",      "null",
	};

	if (cell.len == 0)
		return true;
	if (cell.len > 8 || !strchr("#-1<Nn", cell.text[0]) ||
	    (cell.text[0] == '1' && (cell.len < 6 || cell.text[1] != '.')))
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == cell.len && !memcmp(words[i], cell.text, cell.len))
			return true;
	return false;
}

static bool csv_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* "inf" and "infinity", in any case: blanks around them make them a text. */
static bool is_infinity(struct csv_cell cell)
{
	size_t sign = cell.len && (cell.text[0] == '-' || cell.text[0] == '+');

	cell.text += sign;
	cell.len -= sign;
	return (cell.len == 3 && !strncasecmp(cell.text, "inf", 3)) ||
	       (cell.len == 8 && !strncasecmp(cell.text, "infinity", 8));
}

#define DIGITS 17

/* Reads digits as a double and counts the places the point moves; *P ends after them. */
struct decimal {
	double digits;
	int exponent;
	int n;
	bool whole; /* neither point nor exponent */
};

static void read_digits(struct decimal *d, const char **p, const char *end)
{
	for (; *p < end && csv_is_digit(**p); (*p)++) {
		if (d->n < DIGITS) {
			d->digits = d->digits * 10 + (**p - '0');
			d->n++;
		} else {
			d->exponent++;
		}
	}
	if (*p == end || **p != '.')
		return;
	d->whole = false;
	for ((*p)++; *p < end && csv_is_digit(**p); (*p)++) {
		if (d->n < DIGITS) {
			d->digits = d->digits * 10 + (**p - '0');
			d->n++;
			d->exponent--;
		}
	}
}

static void read_exponent(struct decimal *d, const char **p, const char *end)
{
	const char *q = *p + 1;
	bool negative;
	int n = 0;

	if (*p == end || (**p != 'e' && **p != 'E'))
		return;
	negative = q < end && *q == '-';
	if (q < end && (*q == '-' || *q == '+'))
		q++;
	if (q == end || !csv_is_digit(*q))
		return;
	for (; q < end && csv_is_digit(*q); q++)
		if (n < 100000)
			n = n * 10 + (*q - '0');
	d->whole = false;
	d->exponent += negative ? -n : n;
	*p = q;
}

/* The nearest double, which pow() does not always give. */
static double power_of_ten(int n)
{
	char text[16];
	static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
					1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
					1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

	if (n < 23)
		return powers[n];
	snprintf(text, sizeof(text), "1e%d", n);
	return strtod(text, NULL);
}

static double csv_scale(double digits, int exponent)
{
	if (digits == 0)
		return 0;
	if (exponent > 308)
		return HUGE_VAL;
	if (exponent >= 0)
		return digits * power_of_ten(exponent);
	if (exponent >= -308)
		return digits / power_of_ten(-exponent);
	return exponent < -640 ? 0 : digits / power_of_ten(-308 - exponent) / 1e308;
}

/* Most cells: up to 15 digits, and nothing else. */
static bool csv_is_plain(struct csv_cell cell, double *value)
{
	uint64_t n = 0;

	if (cell.len == 0 || cell.len > 15)
		return false;
	for (size_t i = 0; i < cell.len; i++) {
		if (!csv_is_digit(cell.text[i]))
			return false;
		n = n * 10 + (uint64_t)(cell.text[i] - '0');
	}
	*value = (double)n;
	return true;
}

enum csv_number csv_number(struct csv_cell cell, double *value)
{
	const char *p = cell.text, *end = cell.text + cell.len;
	struct decimal d = {.whole = true};
	bool negative;

	if (csv_is_plain(cell, value))
		return CSV_INT;
	*value = NAN;
	if (csv_blank(cell))
		return CSV_BLANK;
	if (is_infinity(cell)) {
		*value = *p == '-' ? -INFINITY : INFINITY;
		return CSV_REAL;
	}
	while (p < end && is_space(*p))
		p++;
	while (end > p && is_space(end[-1]))
		end--;
	if (p == end)
		return CSV_BLANK;
	negative = *p == '-';
	p += *p == '-' || *p == '+';
	read_digits(&d, &p, end);
	if (d.n == 0)
		return CSV_NO_NUMBER;
	read_exponent(&d, &p, end);
	if (p != end)
		return CSV_NO_NUMBER;
	d.digits = csv_scale(d.digits, d.exponent);
	if (!isfinite(d.digits))
		return CSV_NO_NUMBER;
	/* There is no -0 among whole numbers. */
	*value = negative && (d.digits != 0 || !d.whole) ? -d.digits : d.digits;
	return d.whole && d.digits < 0x1p63 ? CSV_INT : CSV_REAL;
}

int csv_integer(struct csv_cell cell, int64_t *value)
{
	const char *p = cell.text, *end = cell.text + cell.len;
	int64_t n = 0;
	bool negative;

	while (p < end && is_space(*p))
		p++;
	while (end > p && is_space(end[-1]))
		end--;
	negative = p < end && *p == '-';
	p += p < end && (*p == '-' || *p == '+');
	if (p == end)
		return TACHO_EFORMAT;
	for (; p < end; p++)
		if (!csv_is_digit(*p) || __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, *p - '0', &n))
			return TACHO_EFORMAT;
	*value = negative ? -n : n;
	return 0;
}

void csv_add(struct buf *out, const char *text, size_t len)
{
	bool quote = false;
	const char *at;

	for (size_t i = 0; i < len && !quote; i++)
		quote = text[i] == ',' || text[i] == '"' || text[i] == '\n' || text[i] == '\r';
	if (!quote) {
		buf_add(out, text, len);
		return;
	}
	buf_addc(out, '"');
	while ((at = memchr(text, '"', len))) {
		size_t n = (size_t)(at - text) + 1;

		buf_add(out, text, n);
		buf_addc(out, '"');
		text += n;
		len -= n;
	}
	buf_add(out, text, len);
	buf_addc(out, '"');
}
