/* SPDX-License-Identifier: Apache-2.0 */
/* Interned strings: equal texts have the same index, from 0 upwards. */
#ifndef OP_NAMES_H
#define OP_NAMES_H

#include "base/map.h"
#include "base/vec.h"

#include <stdint.h>

struct op_name {
	char *text; /* NUL-terminated */
	size_t len;
};

struct op_names {
	VEC(struct op_name);
	struct map by_hash;
	size_t limit; /* maximum number; 0: LIMIT_OPS_NAMES */
};

/* The index of TEXT, which is copied if new. Negative: TACHO_ENOMEM or TACHO_ELIMIT. */
int64_t op_names_add(struct op_names *names, const char *text, size_t len);
void op_names_free(struct op_names *names);

#endif
