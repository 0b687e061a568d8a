/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws the stacked picture of perf-report as SVG or PNG: boxes, lines and text.
 *
 * libcairo was considered instead. Debian's needs 18 further libraries, including those of X11 and
 * fontconfig: 5.6 MB that the wheel would bring for one bar chart. It also draws no text on a
 * machine without fonts. With strokes of our own (font.c) the PNG is the same everywhere.
 */
#include "perf/draw.h"
#include "perf/picture.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

static void draw_push(struct drawing *d, struct draw_shape shape)
{
	if (vec_push(d, shape) < 0) {
		free(shape.label);
		d->failed = true;
	}
}

void draw_box(struct drawing *d, double x, double y, double w, double h, uint32_t color,
	      uint32_t border)
{
	draw_push(d, (struct draw_shape){
			     .x = x, .y = y, .w = w, .h = h, .color = color, .border = border});
}

void draw_text(struct drawing *d, double x, double y, double height, enum draw_anchor anchor,
	       bool vertical, uint32_t color, const char *label)
{
	struct draw_shape s = {.text = true,
			       .vertical = vertical,
			       .anchor = anchor,
			       .x = x,
			       .y = y,
			       .h = height,
			       .color = color,
			       .label = strdup(label)};

	if (s.label)
		draw_push(d, s);
	else
		d->failed = true;
}

void drawing_free(struct drawing *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->v[i].label);
	vec_free(d);
}

double draw_text_width(const char *label, double height)
{
	int n = 0;

	while (*label) {
		font_next(&label);
		n++;
	}
	return n * FONT_ADVANCE * height / FONT_CAPITAL;
}

/* SVG */

static void add_escaped(struct buf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			buf_adds(out, "&lt;");
		else if (*text == '&')
			buf_adds(out, "&amp;");
		else if ((unsigned char)*text < 0x20 || *text == 0x7f)
			buf_addc(out, '?');
		else
			buf_addc(out, *text);
	}
}

static void svg_shape(const struct draw_shape *s, struct buf *out)
{
	static const char *const anchors[] = {"start", "middle", "end"};

	if (!s->text) {
		buf_addf(
			out,
			"<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#%06x\" "
			"stroke=\"#%06x\" stroke-width=\"0.5\"/>\n",
			s->x, s->y, s->w, s->h, s->color, s->border);
		return;
	}
	/* Capitals of common fonts are 0.72 of the font's size. */
	buf_addf(out,
		 "<text transform=\"translate(%.2f %.2f)%s\" y=\"%.2f\" font-size=\"%.2f\" "
		 "text-anchor=\"%s\" fill=\"#%06x\">",
		 s->x, s->y, s->vertical ? " rotate(-90)" : "", s->h / 2, s->h / 0.72,
		 anchors[s->anchor], s->color);
	add_escaped(out, s->label);
	buf_adds(out, "</text>\n");
}

int drawing_svg(const struct drawing *d, struct buf *out)
{
	buf_addf(out,
		 PERF_SVG_START " viewBox=\"0 0 %.0f %.0f\" width=\"%.2fin\" height=\"%.2fin\" "
				"font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\">\n"
				"<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
		 d->w, d->h, d->w / 100, d->h / 100);
	for (size_t i = 0; i < d->n; i++)
		svg_shape(&d->v[i], out);
	buf_adds(out, "</svg>\n");
	return out->failed || d->failed ? TACHO_ENOMEM : 0;
}

/* PNG */

struct pixels {
	unsigned char *v; /* rows of 1 filter byte and 3 bytes per pixel */
	size_t w, h, stride;
	double scale;
};

static void draw_blend(struct pixels *p, long x, long y, uint32_t color, double cover)
{
	unsigned char *at;

	if (x < 0 || y < 0 || (size_t)x >= p->w || (size_t)y >= p->h || cover <= 0)
		return;
	cover = cover > 1 ? 1 : cover;
	at = p->v + (size_t)y * p->stride + 1 + (size_t)x * 3;
	for (int i = 0; i < 3; i++) {
		double part = color >> (16 - 8 * i) & 0xff;

		at[i] = (unsigned char)lrint(at[i] + (part - at[i]) * cover);
	}
}

static long draw_within(double at, size_t size)
{
	return lrint(fmin(fmax(at, 0), (double)size));
}

/* Draws one row pixel by pixel and copies it to the others. */
static void draw_fill(struct pixels *p, double x0, double y0, double x1, double y1, uint32_t color)
{
	long left = draw_within(x0, p->w), right = draw_within(x1, p->w),
	     top = draw_within(y0, p->h), bottom = draw_within(y1, p->h);
	unsigned char *first = p->v + (size_t)top * p->stride + 1 + (size_t)left * 3;

	if (left >= right || top >= bottom)
		return;
	for (long x = 0; x < right - left; x++) {
		first[x * 3] = (unsigned char)(color >> 16);
		first[x * 3 + 1] = (unsigned char)(color >> 8);
		first[x * 3 + 2] = (unsigned char)color;
	}
	for (long y = 1; y < bottom - top; y++)
		memcpy(first + (size_t)y * p->stride, first, (size_t)(right - left) * 3);
}

/* The distance of (X, Y) from the line between two points. */
static double draw_distance(double x, double y, const double *a, const double *b)
{
	double dx = b[0] - a[0], dy = b[1] - a[1], length = dx * dx + dy * dy, t = 0;

	if (length > 0)
		t = fmin(1, fmax(0, ((x - a[0]) * dx + (y - a[1]) * dy) / length));
	return hypot(x - a[0] - t * dx, y - a[1] - t * dy);
}

/* A line with round ends; pixels on its edge are covered in part. */
static void png_line(struct pixels *p, const double *a, const double *b, double width,
		     uint32_t color)
{
	double reach = width / 2 + 1;

	for (long y = lrint(floor(fmin(a[1], b[1]) - reach));
	     y <= lrint(ceil(fmax(a[1], b[1]) + reach)); y++)
		for (long x = lrint(floor(fmin(a[0], b[0]) - reach));
		     x <= lrint(ceil(fmax(a[0], b[0]) + reach)); x++)
			draw_blend(p, x, y, color,
				   width / 2 + 0.5 -
					   draw_distance((double)x + 0.5, (double)y + 0.5, a, b));
}

/* A pen on the baseline: maps a point of a stroke to the picture. */
struct pen {
	double x, y, unit;
	bool vertical;
};

static void draw_place(const struct pen *pen, double across, const char *point, double *at)
{
	double right = (across + (point[0] - '0')) * pen->unit,
	       up = (point[1] - '0' - FONT_BASELINE) * pen->unit;

	at[0] = pen->vertical ? pen->x - up : pen->x + right;
	at[1] = pen->vertical ? pen->y - right : pen->y - up;
}

static void png_character(struct pixels *p, const struct pen *pen, double across,
			  const char *strokes, uint32_t color)
{
	double width = fmax(pen->unit * 0.75, 1), a[2], b[2];

	for (; *strokes; strokes += *strokes == ' ') {
		draw_place(pen, across, strokes, a);
		strokes += 2;
		if (!*strokes || *strokes == ' ')
			png_line(p, a, a, width * 1.3, color);
		for (; *strokes && *strokes != ' '; strokes += 2) {
			draw_place(pen, across, strokes, b);
			png_line(p, a, b, width, color);
			memcpy(a, b, sizeof(a));
		}
	}
}

static void png_text(struct pixels *p, const struct draw_shape *s)
{
	double width = draw_text_width(s->label, s->h) * p->scale, half = s->h * p->scale / 2;
	double back = s->anchor == DRAW_LEFT ? 0 : s->anchor == DRAW_MIDDLE ? width / 2 : width;
	struct pen pen = {s->x * p->scale, s->y * p->scale, s->h * p->scale / FONT_CAPITAL,
			  s->vertical};
	const char *text = s->label;

	if (s->vertical) {
		pen.x += half;
		pen.y += back;
	} else {
		pen.x -= back;
		pen.y += half;
	}
	for (double across = 0.6; *text; across += FONT_ADVANCE)
		png_character(p, &pen, across, font_strokes(font_next(&text)), s->color);
}

static void add_u32(struct buf *out, uint32_t n)
{
	unsigned char bytes[4] = {(unsigned char)(n >> 24), (unsigned char)(n >> 16),
				  (unsigned char)(n >> 8), (unsigned char)n};

	buf_add(out, bytes, 4);
}

static void add_chunk(struct buf *out, const char *type, const void *data, size_t len)
{
	uLong crc = crc32(0, (const Bytef *)type, 4);

	add_u32(out, (uint32_t)len);
	buf_add(out, type, 4);
	buf_add(out, data, len);
	if (len)
		crc = crc32(crc, data, (uInt)len);
	add_u32(out, (uint32_t)crc);
}

#define SIGNATURE "\x89PNG\r\n\x1a\n"
#define SOFTWARE  "Software\0tacho perf-report"

bool perf_png_ours(const char *head, size_t len)
{
	return len > 8 && !memcmp(head, SIGNATURE, 8) &&
	       memmem(head, len, SOFTWARE, sizeof(SOFTWARE) - 1);
}

static int add_pixels(struct buf *out, const struct pixels *p)
{
	uLongf len = compressBound(p->stride * p->h);
	unsigned char *packed = malloc(len);

	if (!packed || compress2(packed, &len, p->v, p->stride * p->h, 4) != Z_OK) {
		free(packed);
		return TACHO_ENOMEM;
	}
	add_chunk(out, "IDAT", packed, len);
	add_chunk(out, "IEND", "", 0);
	free(packed);
	return out->failed ? TACHO_ENOMEM : 0;
}

int drawing_png(const struct drawing *d, double scale, struct buf *out)
{
	struct pixels p = {
		.w = (size_t)lrint(d->w * scale), .h = (size_t)lrint(d->h * scale), .scale = scale};
	int r;
	struct buf data = BUF_INIT;
	uint32_t per_metre;

	p.stride = p.w * 3 + 1;
	p.v = malloc(p.stride * p.h);
	if (!p.v || d->failed) {
		free(p.v);
		return TACHO_ENOMEM;
	}
	memset(p.v, 0xff, p.stride * p.h);
	for (size_t y = 0; y < p.h; y++)
		p.v[y * p.stride] = 0;
	for (size_t i = 0; i < d->n; i++) {
		if (d->v[i].text)
			png_text(&p, &d->v[i]);
		else {
			double x0 = d->v[i].x * p.scale;
			double y0 = d->v[i].y * p.scale;
			double x1 = (d->v[i].x + d->v[i].w) * p.scale;
			double y1 = (d->v[i].y + d->v[i].h) * p.scale;
			double line = fmax(1, p.scale / 2);

			draw_fill(&p, x0, y0, x1, y1, d->v[i].border);
			if (y1 - y0 > 2 * line && x1 - x0 > 2 * line)
				draw_fill(&p, x0 + line, y0 + line, x1 - line, y1 - line,
					  d->v[i].color);
		}
	}
	per_metre = (uint32_t)lrint(p.scale * 100 / 0.0254);
	buf_add(out, SIGNATURE, 8);
	add_u32(&data, (uint32_t)p.w);
	add_u32(&data, (uint32_t)p.h);
	buf_add(&data, "\x08\x02\x00\x00\x00", 5); /* 8 bits, RGB */
	add_chunk(out, "IHDR", data.data, data.len);
	add_chunk(out, "tEXt", SOFTWARE, sizeof(SOFTWARE) - 1);
	buf_reset(&data);
	add_u32(&data, per_metre);
	add_u32(&data, per_metre);
	buf_addc(&data, 1);
	add_chunk(out, "pHYs", data.data, data.len);
	buf_free(&data);
	r = add_pixels(out, &p);
	free(p.v);
	return r;
}
