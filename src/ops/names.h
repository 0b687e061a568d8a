/* Strings told apart by number: the same text gives the same index, from 0 upwards. */
#ifndef OPS_NAMES_H
#define OPS_NAMES_H

#include "base/map.h"
#include "base/vec.h"

#include <stdint.h>

struct ops_name {
	char *text; /* NUL-terminated */
	size_t len;
};

struct ops_names {
	VEC(struct ops_name);
	struct map by_hash;
	size_t limit; /* how many there may be; 0: LIMIT_OPS_NAMES */
};

/* The index of TEXT, which is copied when it is new. Negative: TACHO_ENOMEM or TACHO_ELIMIT. */
int64_t ops_names_add(struct ops_names *names, const char *text, size_t len);
void ops_names_free(struct ops_names *names);

#endif
