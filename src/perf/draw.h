/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A drawing as a list of boxes and lines of text, in units of 1/100 inch; y goes down. It is built
 * once and written as SVG or as PNG.
 */
#ifndef PERF_DRAW_H
#define PERF_DRAW_H

#include "base/buf.h"
#include "base/vec.h"

enum draw_anchor {
	DRAW_LEFT,
	DRAW_MIDDLE,
	DRAW_RIGHT,
};

struct draw_shape {
	bool text;
	bool vertical; /* text that reads from bottom to top */
	enum draw_anchor anchor;
	double x, y;            /* the box's corner, or the text's anchor at half its height */
	double w, h;            /* the box; of a text, h is the height of its capitals */
	uint32_t color, border; /* 0xRRGGBB */
	char *label;
};

struct drawing {
	double w, h;
	VEC(struct draw_shape);
	bool failed; /* out of memory */
};

void draw_box(struct drawing *d, double x, double y, double w, double h, uint32_t color,
	      uint32_t border);
void draw_text(struct drawing *d, double x, double y, double height, enum draw_anchor anchor,
	       bool vertical, uint32_t color, const char *label);
void drawing_free(struct drawing *d);

/* The width of a text of that height in the font of the PNG; SVG viewers come close to it. */
double draw_text_width(const char *label, double height);

int drawing_svg(const struct drawing *d, struct buf *out);

/* SCALE is pixels per unit. 0 or TACHO_ENOMEM. */
int drawing_png(const struct drawing *d, double scale, struct buf *out);

/* font.c: the strokes of a character as points "xy", strokes separated by blanks; never NULL. */
const char *font_strokes(uint32_t character);

/* The next character of UTF-8, or U+FFFD; advances *TEXT. */
uint32_t font_next(const char **text);

#define FONT_BASELINE 2   /* of the y of a stroke */
#define FONT_CAPITAL  6   /* height of a capital */
#define FONT_ADVANCE  5.8 /* from one character to the next */

#endif
