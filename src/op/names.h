/* SPDX-License-Identifier: Apache-2.0 */
/* Interned strings: equal texts have the same index, from 0 upwards, and the same copy. */
#ifndef OP_NAMES_H
#define OP_NAMES_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

#include <stdint.h>

struct op_name {
	const char *text; /* NUL-terminated */
	size_t len;
};

struct op_names {
	VEC(struct op_name);
	struct map by_hash;
	struct arena arena; /* the texts */
	size_t limit;       /* maximum number; 0: LIMIT_OPS_NAMES */
};

/* The index of TEXT, which is copied if new. Negative: TACHO_ENOMEM or TACHO_ELIMIT. */
int64_t op_names_add(struct op_names *names, const char *text, size_t len);
void op_names_free(struct op_names *names);

#endif
