#include "base/term.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool term_use_color(int choice, FILE *out)
{
	const char *no = getenv("NO_COLOR");

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
static size_t sequence(const char *text, size_t len)
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
		skip = sequence(text + i, len - i);
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
