/* SPDX-License-Identifier: Apache-2.0 */
/* The string table of a .tracy file that is being written. */
#include "tracy/strings.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static uint32_t *slot_of(const struct strings *s, uint32_t *slots, size_t count, const char *text,
			 size_t len)
{
	size_t at = XXH3_64bits(text, len) & (count - 1);

	for (; slots[at]; at = (at + 1) & (count - 1)) {
		const struct string_entry *e = &s->list.v[slots[at] - 1];

		if (e->len == len && !memcmp(s->text.data + e->at, text, len))
			break;
	}
	return &slots[at];
}

static int strings_grow(struct strings *s)
{
	size_t count = s->slot_count ? 2 * s->slot_count : 1024;
	uint32_t *slots;

	if (s->list.n < s->slot_count / 2)
		return 0;
	slots = calloc(count, sizeof(*slots));
	if (!slots)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < s->list.n; i++) {
		const struct string_entry *e = &s->list.v[i];

		*slot_of(s, slots, count, s->text.data + e->at, e->len) = (uint32_t)i + 1;
	}
	free(s->slots);
	s->slots = slots;
	s->slot_count = count;
	return 0;
}

int64_t strings_add(struct strings *s, const char *text, size_t len)
{
	uint32_t *slot;

	if (strings_grow(s) < 0)
		return TACHO_ENOMEM;
	slot = slot_of(s, s->slots, s->slot_count, text, len);
	if (*slot)
		return *slot - 1;
	if (vec_push(&s->list, ((struct string_entry){s->text.len, (uint32_t)len, false})) < 0)
		return TACHO_ENOMEM;
	if (buf_add(&s->text, text, len) < 0) {
		s->list.n--;
		return TACHO_ENOMEM;
	}
	*slot = (uint32_t)s->list.n;
	return *slot - 1;
}

void strings_free(struct strings *s)
{
	buf_free(&s->text);
	vec_free(&s->list);
	free(s->slots);
	s->slots = NULL;
}
