/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes and endings of texts. Inline: any thread may call them, and they own nothing. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_START 0xcbf29ce484222325u

/* FNV-1a, from HASH_START or a previous hash: for keys of maps, and for short texts of caches. */
static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ p[i]) * 0x100000001b3u;
	return hash;
}

/* With the final NUL, so that "a" + "bc" and "ab" + "c" differ. */
static inline uint64_t hash_text(uint64_t hash, const char *text)
{
	return hash_bytes(hash, text, strlen(text) + 1);
}

static inline bool text_ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

#endif
