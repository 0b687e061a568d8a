/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frame images, compressed to DXT1: 8 bytes for 4 x 4 pixels, two colours of 5, 6 and 5 bits and
 * for each pixel which of them, or of the two colours between them, is nearest.
 */
#include "client/client.h"

#include <string.h>
#include <tacho/tacho.h>

#define BLOCK_PIXELS 16
#define BLOCK_BYTES  8

struct image {
	const uint8_t *pixels;
	unsigned width, x, y; /* of the next block */
};

struct color {
	int c[3];
};

static unsigned color_565(const struct color *c)
{
	return (unsigned)(c->c[0] >> 3) << 11 | (unsigned)(c->c[1] >> 2) << 5 |
	       (unsigned)(c->c[2] >> 3);
}

static struct color color_from_565(unsigned bits)
{
	int r = (int)(bits >> 11), g = (int)(bits >> 5 & 63), b = (int)(bits & 31);

	return (struct color){{r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2}};
}

/* The darkest and the brightest corner of the box around all pixels, moved in by 1/16. */
static void block_ends(const struct color pixels[BLOCK_PIXELS], struct color *low,
		       struct color *high)
{
	*low = *high = pixels[0];
	for (unsigned i = 1; i < BLOCK_PIXELS; i++)
		for (int k = 0; k < 3; k++) {
			int v = pixels[i].c[k];

			low->c[k] = v < low->c[k] ? v : low->c[k];
			high->c[k] = v > high->c[k] ? v : high->c[k];
		}
	for (int k = 0; k < 3; k++) {
		int inset = (high->c[k] - low->c[k]) >> 4;

		low->c[k] += inset;
		high->c[k] -= inset;
	}
}

/* The position of a pixel between two colours, in thirds from LOW: 0 to 3. */
static unsigned pixel_third(const struct color *pixel, const struct color *low,
			    const struct color *high)
{
	int along = 0, whole = 0;

	for (int k = 0; k < 3; k++) {
		int span = high->c[k] - low->c[k];

		along += (pixel->c[k] - low->c[k]) * span;
		whole += span * span;
	}
	if (along <= 0)
		return 0;
	return along >= whole ? 3 : (unsigned)((along * 6 + whole) / (2 * whole));
}

static uint64_t block_pack(const struct image *image)
{
	/* By thirds from the darker colour, which is the second one of a block. */
	static const uint8_t codes[4] = {1, 3, 2, 0};
	struct color pixels[BLOCK_PIXELS], low, high;
	unsigned first, second;
	uint64_t block;

	for (unsigned i = 0; i < BLOCK_PIXELS; i++) {
		size_t at = (size_t)(image->y + i / 4) * image->width + image->x + i % 4;
		const uint8_t *p = image->pixels + 4 * at;

		pixels[i] = (struct color){{p[0], p[1], p[2]}};
	}
	block_ends(pixels, &low, &high);
	first = color_565(&high);
	second = color_565(&low);
	block = first | (uint64_t)second << 16;
	if (first == second)
		return block;
	high = color_from_565(first);
	low = color_from_565(second);
	for (unsigned i = 0; i < BLOCK_PIXELS; i++)
		block |= (uint64_t)codes[pixel_third(&pixels[i], &low, &high)] << (32 + 2 * i);
	return block;
}

static void image_pack(void *context, char *to, size_t len)
{
	struct image *image = context;

	for (size_t i = 0; i < len; i += BLOCK_BYTES) {
		uint64_t block = block_pack(image);

		memcpy(to + i, &block, BLOCK_BYTES);
		image->x += 4;
		if (image->x == image->width) {
			image->x = 0;
			image->y += 4;
		}
	}
}

TACHO_API void tacho_frame_image(const void *rgba, unsigned width, unsigned height, unsigned offset,
				 int flip)
{
	struct image image = {.pixels = rgba, .width = width};
	uint64_t word = RING_IMAGE(width, height, flip != 0, offset & 0xff);
	struct thread *t;

	if (!rgba || !width || !height || (width | height) % 4 || width > 0xffff || height > 0xffff)
		return;
	t = thread_current();
	if (t)
		record_emit_made(t, RING_FRAME_IMAGE, &word, 1, image_pack, &image,
				 (size_t)width * height / 2);
}
