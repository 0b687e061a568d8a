/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: the pixels of frame images. Files have DXT1 blocks; on the wire the codes of the pixels
 * are numbered from the darker colour to the brighter one.
 */
#ifndef TRACY_IMAGE_H
#define TRACY_IMAGE_H

#include <stdint.h>
#include <string.h>

/* Recodes LEN bytes of blocks in place: the pixel with code C gets codes[C]. */
static inline void image_recode(char *blocks, size_t len, const uint8_t codes[4])
{
	uint8_t bytes[256];

	for (unsigned i = 0; i < 256; i++)
		bytes[i] = (uint8_t)(codes[i & 3] | codes[i >> 2 & 3] << 2 |
				     codes[i >> 4 & 3] << 4 | codes[i >> 6] << 6);
	for (size_t at = 0; at + 8 <= len; at += 8)
		for (unsigned i = 4; i < 8; i++)
			blocks[at + i] = (char)bytes[(uint8_t)blocks[at + i]];
}

static inline void image_from_wire(char *blocks, size_t len)
{
	image_recode(blocks, len, (const uint8_t[4]){1, 3, 2, 0});
}

static inline void image_to_wire(char *blocks, size_t len)
{
	image_recode(blocks, len, (const uint8_t[4]){3, 0, 2, 1});
}

#endif
