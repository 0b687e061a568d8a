#include "base/term.h"

#include <stdlib.h>
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
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == 0xc2 && i + 1 < len && ((unsigned char)text[i + 1] & 0xe0) == 0x80) {
			buf_addc(out, '?');
			i++;
		} else {
			buf_addc(out, c < 0x20 || c == 0x7f ? '?' : (char)c);
		}
	}
}
