/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-1, for the WebSocket handshake only. */
#include "http/sha1.h"

#include <string.h>

static uint32_t sha1_rotate(uint32_t x, unsigned n)
{
	return x << n | x >> (32 - n);
}

/* The function of three words in round I, and its constant. */
static uint32_t sha1_mix(unsigned i, uint32_t b, uint32_t c, uint32_t d)
{
	switch (i / 20) {
	case 0:
		return ((b & c) | (~b & d)) + 0x5a827999u;
	case 1:
		return (b ^ c ^ d) + 0x6ed9eba1u;
	case 2:
		return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcu;
	default:
		return (b ^ c ^ d) + 0xca62c1d6u;
	}
}

static void sha1_block_add(uint32_t h[5], const uint8_t *block)
{
	uint32_t w[80], s[5];

	for (unsigned i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
		       (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (unsigned i = 16; i < 80; i++)
		w[i] = sha1_rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	memcpy(s, h, sizeof(s));
	for (unsigned i = 0; i < 80; i++) {
		uint32_t next = sha1_rotate(s[0], 5) + sha1_mix(i, s[1], s[2], s[3]) + s[4] + w[i];

		s[4] = s[3];
		s[3] = s[2];
		s[2] = sha1_rotate(s[1], 30);
		s[1] = s[0];
		s[0] = next;
	}
	for (unsigned i = 0; i < 5; i++)
		h[i] += s[i];
}

void sha1(const void *bytes, size_t len, uint8_t hash[SHA1_BYTES])
{
	uint32_t h[5] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u};
	const uint8_t *p = bytes;
	uint8_t last[128] = {0};
	size_t left = len % 64, tail = left < 56 ? 64 : 128;

	for (size_t i = 0; i + 64 <= len; i += 64)
		sha1_block_add(h, p + i);
	memcpy(last, p + len - left, left);
	last[left] = 0x80;
	for (unsigned i = 0; i < 8; i++)
		last[tail - 1 - i] = (uint8_t)((uint64_t)len * 8 >> 8 * i);
	for (size_t i = 0; i < tail; i += 64)
		sha1_block_add(h, last + i);
	for (unsigned i = 0; i < SHA1_BYTES; i++)
		hash[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));
}
