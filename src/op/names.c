/* SPDX-License-Identifier: Apache-2.0 */
/* Interns strings as numbers. */
#include "op/names.h"

#include "base/limits.h"

#include <string.h>

static uint64_t names_text_hash(const char *text, size_t len)
{
	uint64_t h = 0xcbf29ce484222325;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * 0x100000001b3;
	return h;
}

int64_t op_names_add(struct op_names *names, const char *text, size_t len)
{
	/* Texts with the same hash are at the following keys. */
	for (uint64_t key = names_text_hash(text, len);; key++) {
		uint32_t *at = map_get(&names->by_hash, key);

		if (!at) {
			struct op_name name = {.len = len};

			if (names->n >= (names->limit ? names->limit : LIMIT_OPS_NAMES))
				return TACHO_ELIMIT;
			name.text = arena_add(&names->arena, text, len);
			if (!name.text || vec_push(names, name) < 0)
				return TACHO_ENOMEM;
			if (map_set(&names->by_hash, key, (uint32_t)(names->n - 1)) < 0) {
				names->n--;
				return TACHO_ENOMEM;
			}
			return (int64_t)names->n - 1;
		}
		if (names->v[*at].len == len && !memcmp(names->v[*at].text, text, len))
			return *at;
	}
}

void op_names_free(struct op_names *names)
{
	arena_free(&names->arena);
	vec_free(names);
	map_free(&names->by_hash);
}
