/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring file for the fuzz targets: a small sound one, overwritten by the input's bytes. The input
 * is a list of patches: one byte selects the header, the table or an extent, two give the offset in
 * words, one the number of words; then the words follow. The rest is written to the first thread.
 */
#ifndef FUZZ_RING_IMAGE_H
#define FUZZ_RING_IMAGE_H

#include "ring/layout.h"

#include <string.h>

#define IMAGE_EXTENTS 6u
#define IMAGE_SIZE    (RING_DATA + IMAGE_EXTENTS * RING_STRIDE)

static inline void image_segment(char *base, uint32_t extent, uint64_t thread, uint64_t sequence,
				 uint32_t next)
{
	struct ring_segment *s = (struct ring_segment *)(base + ring_segment_offset(extent));

	s->magic = RING_SEG_MAGIC;
	s->extent = extent;
	s->thread = thread;
	s->sequence = sequence;
	s->ticks = 1000;
	s->next = next;
	ring_extents(base)[extent].state = RING_EXTENT_SEGMENT;
	ring_extents(base)[extent].thread = thread;
}

static inline void image_page(char *base, uint32_t extent, uint64_t thread, uint32_t next)
{
	struct ring_page *page = (struct ring_page *)(base + ring_page_offset(extent));

	page->segment.magic = RING_PAGE_MAGIC;
	page->segment.extent = extent;
	page->segment.thread = thread;
	page->segment.ticks = 1000;
	page->segment.next = next;
	page->tid = 100 + (uint32_t)thread;
	ring_extents(base)[extent].state = RING_EXTENT_PAGE;
	ring_extents(base)[extent].thread = thread;
}

/* The process's own stream, two threads, one of them with two segments; over zeros. */
static inline void image_fill(char *base)
{
	struct ring_header *h = (struct ring_header *)base;

	h->version = RING_VERSION;
	h->word_size = 8;
	h->byte_order = 0x01020304;
	h->pid = 0x7fffffff;
	h->max_extents = IMAGE_EXTENTS;
	h->ticks = 1000;
	h->extents = IMAGE_EXTENTS - 1;
	h->threads = 2;
	memcpy(h->command, "fuzzed", 7);
	h->command_len = 7;
	image_page(base, 0, 0, 0);
	image_page(base, 1, 1, 4);
	image_page(base, 2, 2, 0);
	image_segment(base, 3, 1, 1, 5);
	image_segment(base, 4, 1, 2, 0);
	h->magic = RING_MAGIC;
}

/* The same over the existing contents. */
static inline void image_make(char *base)
{
	memset(base, 0, RING_PAGE_SIZE + 64 * sizeof(struct ring_extent));
	for (uint32_t i = 0; i < IMAGE_EXTENTS; i++)
		memset(base + ring_segment_offset(i), 0, RING_SEG_SIZE);
	image_fill(base);
}

static inline void image_patch(char *base, const uint8_t *data, size_t size)
{
	char *to = base + ring_page_offset(1) + sizeof(struct ring_page);
	size_t room = RING_PAGE_SIZE - sizeof(struct ring_page);

	while (size >= 4) {
		unsigned where = data[0] % (2 + 2 * IMAGE_EXTENTS);
		size_t offset = (data[1] | (size_t)data[2] << 8) * 8, n = (size_t)data[3] * 8;
		size_t limit = RING_PAGE_SIZE;
		char *at = base;

		if (where == 1)
			at = base + RING_PAGE_SIZE;
		else if (where >= 2 + IMAGE_EXTENTS)
			at = base + ring_page_offset(where - 2 - IMAGE_EXTENTS);
		else if (where >= 2) {
			at = base + ring_segment_offset(where - 2);
			limit = RING_SEG_SIZE;
		}
		data += 4;
		size -= 4;
		if (n > size)
			n = size;
		if (n == 0)
			break;
		offset %= limit;
		memcpy(at + offset, data, n < limit - offset ? n : limit - offset);
		data += n;
		size -= n;
	}
	memcpy(to, data, size < room ? size : room);
}

#endif
