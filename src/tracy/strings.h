/* SPDX-License-Identifier: Apache-2.0 */
/* Private: the strings of a file that is being written; unique, numbered in order of arrival. */
#ifndef TRACY_STRINGS_H
#define TRACY_STRINGS_H

#include "base/buf.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* In a file with several processes: the name of unnamed tracks, after their process. */
#define STRING_FRAMES "Frame"
#define STRING_MEMORY "memory"

struct string_entry {
	size_t at; /* in text */
	uint32_t len;
	bool pointer; /* also referred to by pointer */
};

struct strings {
	struct buf text;
	struct {
		VEC(struct string_entry);
	} list;
	uint32_t *slots; /* index + 1, 0 = free */
	size_t slot_count;
};

/* The address of a string in the program: any unique number. */
#define STRING_POINTER(i) (0x10000 + 16 * (uint64_t)(i))

/* Returns the number of a string, or TACHO_ENOMEM. */
int64_t strings_add(struct strings *s, const char *text, size_t len);
void strings_free(struct strings *s);

#endif
