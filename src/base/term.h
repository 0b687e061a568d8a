/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Terminals: whether to colour, and text that cannot harm one. Colours are of the 256-colour table,
 * "ESC[38;5;Nm" .. "ESC[0m".
 */
#ifndef BASE_TERM_H
#define BASE_TERM_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdio.h>

enum term_color {
	TERM_NONE = 0, /* the terminal's own */
	TERM_GREY = 8,
	TERM_RED = 9,
	TERM_GREEN = 10,
	TERM_YELLOW = 11,
	TERM_BLUE = 12,
	TERM_MAGENTA = 13,
	TERM_CYAN = 14,
	TERM_WHITE = 15,
	TERM_ORANGE = 208,
};

/*
 * CHOICE is that of --color: 0 auto, 1 always, 2 never. Auto is a terminal on OUT without NO_COLOR
 * in the environment.
 */
bool term_use_color(int choice, FILE *out);

/* Appends TEXT between the start and the end of COLOR; TERM_NONE adds the text alone. */
void term_add(struct buf *out, enum term_color color, const char *text, size_t len);

/* How many columns TEXT takes: code points, colour sequences left out. */
size_t term_width(const char *text, size_t len);

/* Appends TEXT with each character that is not to be shown as it is (base/utf8.h) as '?'. */
void term_add_safe(struct buf *out, const char *text, size_t len);

/* Prints TEXT so. */
void term_print_safe(FILE *out, const char *text);

/*
 * Appends TEXT for people to read: such characters and bytes that are not UTF-8 as \n, \t, \x1b,
 * \u202e.
 */
void term_add_escaped(struct buf *out, const char *text, size_t len);

/*
 * OUT itself, or when it is a terminal a stream to it that escapes as above what is written; ends
 * of lines and tabs stay. For formats that other programs read (CSV, JSON): they get the bytes as
 * they are, a person who looks at them cannot be harmed. term_unguard() flushes it; what failed is
 * seen in OUT.
 */
FILE *term_guard(FILE *out);
void term_unguard(FILE *guard, FILE *out);

/* Appends TEXT, which has no colour in it, in at most WIDTH columns; ".." replaces its middle. */
void term_add_cut(struct buf *out, const char *text, size_t len, size_t width);

/* Columns of the terminal on OUT; 0 when it is none. */
size_t term_columns(FILE *out);

#endif
