/* SPDX-License-Identifier: Apache-2.0 */
/* Lays out the stacked picture of perf-report. */
#include "perf/picture.h"
#include "base/fmt.h"
#include "perf/draw.h"

#include <math.h>
#include <string.h>

#define HEIGHT     800.0
#define TOP        70.0 /* of the bars */
#define BOTTOM     760.0
#define BAR_LEFT   60.0
#define TEXT       7.0 /* height of capitals */
#define LEAST_TEXT 2.0 /* percent: smaller segments have no text */
#define WIDEST_PNG 9600.0

/* From dark to light; ops of one category get steps between. */
static const struct {
	uint32_t dark, light;
} shades[CATEGORY_COUNT] = {
	[CATEGORY_COMPUTE] = {0x3f007d, 0xdadaeb}, [CATEGORY_TM] = {0x00441b, 0xc7e9c0},
	[CATEGORY_DM] = {0x7f2704, 0xfdd0a2},      [CATEGORY_CCL] = {0x08306b, 0xc6dbef},
	[CATEGORY_OTHER] = {0x252525, 0xd9d9d9},   [CATEGORY_HOST] = {0x67000d, 0xfcbba1},
};
#define SHADES 12

static const uint32_t classic_colors[] = {
	0x1f77b4, 0xaec7e8, 0xff7f0e, 0xffbb78, 0x2ca02c, 0x98df8a, 0xd62728,
	0xff9896, 0x9467bd, 0xc5b0d5, 0x8c564b, 0xc49c94, 0xe377c2, 0xf7b6d2,
	0x7f7f7f, 0xc7c7c7, 0xbcbd22, 0xdbdb8d, 0x17becf, 0x9edae5,
};
#define CLASSIC (sizeof(classic_colors) / sizeof(classic_colors[0]))

static uint32_t picture_mix(uint32_t a, uint32_t b, double t)
{
	uint32_t color = 0;

	for (int shift = 16; shift >= 0; shift -= 8) {
		double x = a >> shift & 0xff, y = b >> shift & 0xff;

		color |= (uint32_t)lrint(x + (y - x) * t) << shift;
	}
	return color;
}

/* Black or white, whichever is readable on it. */
static uint32_t picture_ink(uint32_t color)
{
	double light =
		0.299 * (color >> 16 & 0xff) + 0.587 * (color >> 8 & 0xff) + 0.114 * (color & 0xff);

	return light > 140 ? 0x000000 : 0xffffff;
}

/* By device, category and time: the order of the segments from the top. */
static int picture_compare(const void *a, const void *b)
{
	const struct perf_stack *x = *(const struct perf_stack *const *)a,
				*y = *(const struct perf_stack *const *)b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->category != y->category)
		return x->category < y->category ? -1 : 1;
	if (x->time != y->time)
		return x->time > y->time ? -1 : 1;
	return strcmp(x->key, y->key);
}

struct bar {
	const struct perf_stack **stacks;
	size_t n;
	double x, w, total;
};

/* Makes a name fit: drops the common suffix, shrinks, then cuts it. Returns its height. */
static double picture_fit(char *label, size_t size, double room)
{
	static const char ending[] = "DeviceOperation";
	char *end = strstr(label, ending);
	double height = TEXT;
	size_t len;

	if (end && draw_text_width(label, height) > room)
		memmove(end, end + strlen(ending), strlen(end + strlen(ending)) + 1);
	while (height > 4.5 && draw_text_width(label, height) > room)
		height -= 0.25;
	len = strlen(label);
	while (len > 3 && len + 3 < size && draw_text_width(label, height) > room) {
		do
			len--;
		while (len && ((unsigned char)label[len] & 0xc0) == 0x80);
		strcpy(label + len, "..");
	}
	return height;
}

static void draw_segment(struct drawing *d, const struct perf_stack *s, const struct bar *bar,
			 double y, double h, uint32_t color)
{
	char label[200], share[40];
	double height;

	draw_box(d, bar->x, y, bar->w, h, color, 0x000000);
	if (s->time / bar->total * 100 < LEAST_TEXT)
		return;
	snprintf(share, sizeof(share), "%.1f %%", s->time / bar->total * 100);
	snprintf(label, sizeof(label) - 3, "%s", s->key);
	height = picture_fit(label, sizeof(label), bar->w - 20 - draw_text_width(share, TEXT));
	draw_text(d, bar->x + 6, y + h / 2, height, DRAW_LEFT, false, picture_ink(color), label);
	draw_text(d, bar->x + bar->w - 6, y + h / 2, height, DRAW_RIGHT, false, picture_ink(color),
		  share);
}

static void draw_bar(struct drawing *d, const struct bar *bar, bool classic)
{
	double y = TOP, from = TOP;
	int step = 0;

	for (size_t i = 0; i < bar->n; i++) {
		const struct perf_stack *s = bar->stacks[i];
		double h = s->time / bar->total * (BOTTOM - TOP);
		uint32_t color =
			classic ? classic_colors[i % CLASSIC]
				: picture_mix(shades[s->category].dark, shades[s->category].light,
					      (step % SHADES) / (double)(SHADES - 1));

		if (s->time <= 0)
			continue;
		draw_segment(d, s, bar, y, h, color);
		y += h;
		step++;
		if (i + 1 == bar->n || bar->stacks[i + 1]->category != s->category ||
		    bar->stacks[i + 1]->time <= 0) {
			const char *name = perf_category_name(s->category);

			/* The name of a category is beside its segments if there is room. */
			if (y - from > draw_text_width(name, TEXT) + 4)
				draw_text(d, bar->x - 12, (from + y) / 2, TEXT, DRAW_MIDDLE, true,
					  picture_mix(shades[s->category].dark,
						      shades[s->category].light, 0.3),
					  name);
			from = y;
			step = 0;
		}
	}
}

static void draw_bars(struct drawing *d, const struct perf_stack **stacks, size_t n, bool classic)
{
	size_t devices = n > 0, first = 0, at = 0;
	double pitch;

	for (size_t i = 1; i < n; i++)
		devices += stacks[i]->device != stacks[i - 1]->device;
	d->w = devices > 3 ? 200.0 * (double)devices : 600;
	d->h = HEIGHT;
	pitch = (d->w - 20) / (double)(devices ? devices : 1);
	draw_text(d, d->w / 2, 26, 10, DRAW_MIDDLE, false, 0x000000, "Device time by op");
	while (first < n) {
		struct bar bar = {.stacks = stacks + first,
				  .w = pitch - BAR_LEFT / (devices > 1 ? 2 : 1)};

		bar.x = 20 + pitch * (double)at++ + (devices > 1 ? 10 : 20);
		for (; first + bar.n < n && stacks[first + bar.n]->device == stacks[first]->device;
		     bar.n++)
			bar.total += stacks[first + bar.n]->time;
		if (bar.total > 0) {
			char text[FMT_FIXED_SIZE + 40], total[FMT_FIXED_SIZE];

			fmt_fixed(total, bar.total, 0);
			if (stacks[first]->device == PERF_NO_DEVICE)
				snprintf(text, sizeof(text), "%s " MICRO, total);
			else
				snprintf(text, sizeof(text), "Device %d: %s " MICRO,
					 stacks[first]->device, total);
			draw_text(d, bar.x + bar.w / 2, TOP - 14, TEXT, DRAW_MIDDLE, false,
				  0x000000, text);
			if (isfinite(bar.total)) /* shares of infinity are 0 */
				draw_bar(d, &bar, classic);
		}
		first += bar.n;
	}
}

static int picture_draw(const struct perf_stacked *s, bool classic, struct drawing *d)
{
	const struct perf_stack **stacks = malloc((s->n + 1) * sizeof(const struct perf_stack *));

	if (!stacks)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < s->n; i++)
		stacks[i] = &s->v[i];
	qsort(stacks, s->n, sizeof(const struct perf_stack *), picture_compare);
	draw_bars(d, stacks, s->n, classic);
	free(stacks);
	return d->failed ? TACHO_ENOMEM : 0;
}

int perf_picture_svg(const struct perf_stacked *s, bool classic, struct buf *out)
{
	struct drawing d = {0};
	int r = picture_draw(s, classic, &d);

	if (r == 0)
		r = drawing_svg(&d, out);
	drawing_free(&d);
	return r;
}

int perf_picture_png(const struct perf_stacked *s, bool classic, struct buf *out)
{
	struct drawing d = {0};
	int r = picture_draw(s, classic, &d);

	if (r == 0)
		r = drawing_png(&d, fmin(3, WIDEST_PNG / d.w), out);
	drawing_free(&d);
	return r;
}
