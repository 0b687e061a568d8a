/* SPDX-License-Identifier: Apache-2.0 */
/* csvexport: write cells and rows, choose the sheet. */
#include "tracy/sheet.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FLUSH (256u << 10)

static void sheet_flush(struct sheet *c)
{
	if (c->out.len)
		fwrite(c->out.data, 1, c->out.len, c->file);
	buf_reset(&c->out);
}

void sheet_raw(struct sheet *c, const char *text)
{
	buf_adds(&c->out, text);
}

void sheet_quoted(struct sheet *c, const char *text, size_t len)
{
	buf_addc(&c->out, '"');
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '"')
			buf_addc(&c->out, '"');
		buf_addc(&c->out, text[i]);
	}
	buf_addc(&c->out, '"');
}

static bool is_plain(const struct sheet *c, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] == '"' || text[i] == '\n' || text[i] == '\r' ||
		    text[i] == c->separator[0])
			return false;
	return true;
}

void sheet_text(struct sheet *c, const char *text, size_t len)
{
	if (is_plain(c, text, len))
		buf_add(&c->out, text, len);
	else
		sheet_quoted(c, text, len);
}

char *sheet_digits(char *at, int64_t value)
{
	char digits[SHEET_DIGITS], *from = digits + sizeof(digits);
	uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

	/* Two digits per division: a trace has millions of numbers. */
	for (; rest >= 100; rest /= 100) {
		*--from = (char)('0' + rest % 10);
		*--from = (char)('0' + rest / 10 % 10);
	}
	*--from = (char)('0' + rest % 10);
	if (rest >= 10)
		*--from = (char)('0' + rest / 10);
	if (value < 0)
		*--from = '-';
	memcpy(at, from, (size_t)(digits + sizeof(digits) - from));
	return at + (digits + sizeof(digits) - from);
}

void sheet_number(struct sheet *c, int64_t value)
{
	char digits[SHEET_DIGITS];

	buf_add(&c->out, digits, (size_t)(sheet_digits(digits, value) - digits));
}

void sheet_next(struct sheet *c)
{
	sheet_raw(c, c->separator);
}

void sheet_end(struct sheet *c)
{
	buf_addc(&c->out, '\n');
	if (c->out.len >= FLUSH)
		sheet_flush(c);
}

void sheet_header(struct sheet *c, const char *const *names)
{
	for (int i = 0; names[i]; i++) {
		if (i)
			sheet_next(c);
		sheet_raw(c, names[i]);
	}
	sheet_end(c);
}

void sheet_srcloc(struct sheet *c, uint32_t srcloc, bool line)
{
	const char *name = trace_srcloc_name(c->trace, srcloc);
	const struct trace_srcloc *s =
		srcloc < c->trace->srcloc_count ? &c->trace->srclocs[srcloc] : NULL;

	sheet_text(c, name, strlen(name));
	sheet_next(c);
	sheet_text(c, s ? s->file : "", s ? strlen(s->file) : 0);
	sheet_next(c);
	if (line) {
		sheet_number(c, s ? s->line : 0);
		sheet_next(c);
	}
}

static bool sheet_matches(const struct tracy_csv_options *o, const char *name)
{
	if (!o->filter)
		return true;
	return (o->case_sensitive ? strstr(name, o->filter) : strcasestr(name, o->filter)) != NULL;
}

static int sheet_prepare(struct sheet *c)
{
	const char *origin = trace_property(c->trace, TRACE_ORIGIN);
	uint32_t n = c->trace->srcloc_count;

	if (origin)
		c->origin = trace_ns(c->trace, strtoull(origin, NULL, 10));
	c->taken = malloc(n + 1);
	if (!c->taken)
		return TACHO_ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		c->taken[i] = sheet_matches(c->o, trace_srcloc_name(c->trace, i));
	return 0;
}

int tracy_csv(struct trace *trace, FILE *file, const struct tracy_csv_options *options,
	      struct tacho_error *err)
{
	struct sheet c = {.trace = trace, .file = file, .o = options, .out = BUF_INIT};
	int r;

	c.separator = options->separator && options->separator[0] ? options->separator : ",";
	r = sheet_prepare(&c);
	if (r == 0) {
		if (options->messages)
			r = sheet_messages(&c);
		else if (options->devices)
			r = sheet_devices(&c);
		else if (options->unwrap)
			r = sheet_zones(&c);
		else
			r = sheet_stats(&c);
	}
	if (r == 0 && c.out.failed)
		r = TACHO_ENOMEM;
	sheet_flush(&c);
	buf_free(&c.out);
	free(c.taken);
	if (r < 0)
		err_set(err, r, "%s: %s", trace->path, err_text(r));
	return r;
}
