/* SPDX-License-Identifier: Apache-2.0 */
/* Terminal output: colours, widths, and escaping of hostile text. */
#include "base/term.h"
#include "base/environ.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool term_use_color(int choice, FILE *out)
{
	const char *no = environ_get("NO_COLOR");

	if (choice)
		return choice == 1;
	return !(no && *no) && isatty(fileno(out));
}

void term_add(struct buf *out, enum term_color color, const char *text, size_t len)
{
	if (color == TERM_NONE) {
		buf_add(out, text, len);
		return;
	}
	buf_addf(out, "\x1b[38;5;%dm", color);
	buf_add(out, text, len);
	buf_add(out, "\x1b[0m", 4);
}

/* The length of a colour sequence at TEXT, 0 if there is none. */
static size_t term_sequence(const char *text, size_t len)
{
	size_t i = 2;

	if (len < 3 || text[0] != '\x1b' || text[1] != '[')
		return 0;
	while (i < len && ((text[i] >= '0' && text[i] <= '9') || text[i] == ';'))
		i++;
	return i < len && text[i] == 'm' ? i + 1 : 0;
}

size_t term_width(const char *text, size_t len)
{
	size_t width = 0, skip;

	for (size_t i = 0; i < len; i++) {
		skip = term_sequence(text + i, len - i);
		if (skip)
			i += skip - 1;
		else if (((unsigned char)text[i] & 0xc0) != 0x80)
			width++;
	}
	return width;
}

void term_add_safe(struct buf *out, const char *text, size_t len)
{
	uint32_t code;
	size_t n;

	for (size_t i = 0; i < len; i += n ? n : 1) {
		n = utf8_control(text + i, len - i, &code);
		buf_addc(out, n ? '?' : text[i]);
	}
}

void term_print_safe(FILE *out, const char *text)
{
	struct buf safe = BUF_INIT;

	term_add_safe(&safe, text, strlen(text));
	fwrite(safe.data, 1, safe.failed ? 0 : safe.len, out);
	buf_free(&safe);
}

void term_add_escaped(struct buf *out, const char *text, size_t len)
{
	uint32_t code;
	size_t n;

	for (size_t i = 0; i < len; i += n) {
		n = utf8_control(text + i, len - i, &code);
		if (n) {
			if (code == '\n' || code == '\t')
				buf_adds(out, code == '\n' ? "\\n" : "\\t");
			else
				buf_addf(out, code < 0x80 ? "\\x%02x" : "\\u%04x", code);
			continue;
		}
		n = utf8_char(text + i, len - i);
		if (n) {
			buf_add(out, text + i, n);
		} else {
			n = 1;
			buf_addf(out, "\\x%02x", (unsigned char)text[i]);
		}
	}
}

/* ------------------------------------------------------------------- guard */

struct guard {
	FILE *out;
	struct buf line; /* what has no end yet: a character may be in two writes */
};

static int guard_flush(struct guard *g, size_t len)
{
	struct buf safe = BUF_INIT;
	int r;

	for (size_t at = 0, n; at < len; at += n) {
		const char *text = g->line.data + at;
		size_t left = len - at;

		/* "\r\n" ends a line as well. */
		for (n = 0; n < left && text[n] != '\n' && text[n] != '\t' &&
			    !(text[n] == '\r' && n + 1 < left && text[n + 1] == '\n');
		     n++)
			;
		term_add_escaped(&safe, text, n);
		if (n < left)
			buf_addc(&safe, text[n++]);
	}
	r = safe.failed || fwrite(safe.data, 1, safe.len, g->out) < safe.len ? -1 : 0;
	memmove(g->line.data, g->line.data + len, g->line.len - len);
	g->line.len -= len;
	buf_free(&safe);
	return r;
}

static ssize_t guard_write(void *cookie, const char *bytes, size_t len)
{
	struct guard *g = cookie;
	const char *end = memrchr(bytes, '\n', len);
	size_t whole = end ? g->line.len + (size_t)(end - bytes) + 1 : 0;

	if (buf_add(&g->line, bytes, len) < 0 || (whole && guard_flush(g, whole) < 0))
		return 0;
	return (ssize_t)len;
}

static int term_guard_close(void *cookie)
{
	struct guard *g = cookie;
	int r = g->line.len ? guard_flush(g, g->line.len) : 0;

	buf_free(&g->line);
	free(g);
	return r;
}

FILE *term_guard(FILE *out)
{
	static const cookie_io_functions_t functions = {.write = guard_write,
							.close = term_guard_close};
	struct guard *g = isatty(fileno(out)) ? calloc(1, sizeof(*g)) : NULL;
	FILE *guard = NULL;

	if (g) {
		g->out = out;
		g->line = (struct buf)BUF_INIT;
		guard = fopencookie(g, "w", functions);
		if (!guard)
			free(g);
	}
	return guard ? guard : out;
}

void term_unguard(FILE *guard, FILE *out)
{
	if (guard != out)
		fclose(guard);
}

/* The byte at which the COLUMNth column of TEXT begins. */
static size_t column_offset(const char *text, size_t len, size_t column)
{
	size_t i = 0;

	for (; i < len; i++)
		if (((unsigned char)text[i] & 0xc0) != 0x80 && column-- == 0)
			break;
	return i;
}

void term_add_cut(struct buf *out, const char *text, size_t len, size_t width)
{
	size_t has = term_width(text, len), left, right;

	if (has <= width || width < 4) {
		buf_add(out, text, column_offset(text, len, width));
		return;
	}
	left = (width - 1) / 2;
	right = column_offset(text, len, has - (width - 2 - left));
	buf_add(out, text, column_offset(text, len, left));
	buf_adds(out, "..");
	buf_add(out, text + right, len - right);
}

size_t term_columns(FILE *out)
{
	struct winsize size;

	if (!isatty(fileno(out)))
		return 0;
	if (ioctl(fileno(out), TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
		return 80;
	return size.ws_col;
}
