/* SPDX-License-Identifier: Apache-2.0 */
/* Interns strings as numbers. */
#include "op/names.h"

#include "base/limits.h"
#include "base/text.h"

#include <string.h>

int64_t op_names_add(struct op_names *names, const char *text, size_t len)
{
	/* Texts with the same hash are at the following keys. */
	for (uint64_t key = hash_bytes(HASH_START, text, len);; key++) {
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
