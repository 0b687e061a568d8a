/* SPDX-License-Identifier: Apache-2.0 */
/* Private: the strings of a file that is being written, each once, numbered in order of arrival. */
#ifndef TRACY_STRINGS_H
#define TRACY_STRINGS_H

#include "base/buf.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* In a file of several processes: what tracks without a name are called behind their process. */
#define STRING_FRAMES "Frame"
#define STRING_MEMORY "memory"

struct string_entry {
	size_t at; /* in text */
	uint32_t len;
	bool pointer; /* is also known by a pointer */
};

struct strings {
	struct buf text;
	struct {
		VEC(struct string_entry);
	} list;
	uint32_t *slots; /* index + 1, 0 = free */
	size_t slot_count;
};

/* Any unique number does for the address that a string had in the program. */
#define STRING_POINTER(i) (0x10000 + 16 * (uint64_t)(i))

/* The number of a string, or TACHO_ENOMEM. */
int64_t strings_add(struct strings *s, const char *text, size_t len);
void strings_free(struct strings *s);

#endif
