/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JSON reader: one document becomes a tree of values in an arena.
 *
 *	struct jread r = {0};
 *	const struct jread_value *v = jread_parse(&r, text, len, &err);
 *	const struct jread_value *name = jread_get(v, "name");
 *	jread_free(&r);
 *
 * Numbers keep their text, so that 64-bit ids and floats come out exactly as they went in. Members
 * keep their order; of a repeated key the last value counts, at the place of the first. NaN and the
 * infinities are accepted, as other writers produce them. A tree lives until the next jread_parse()
 * with the same reader, which reuses its memory.
 */
#ifndef BASE_JREAD_H
#define BASE_JREAD_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JREAD_DEPTH 64

enum jread_type {
	JREAD_NULL,
	JREAD_TRUE,
	JREAD_FALSE,
	JREAD_INT,  /* digits only; text as written */
	JREAD_REAL, /* text as written */
	JREAD_STRING,
	JREAD_ARRAY,
	JREAD_OBJECT,
};

struct jread_value {
	enum jread_type type;
	const char *text; /* of a number or string; not NUL-terminated */
	size_t len;
	const char *key; /* of a member */
	size_t key_len;
	struct jread_value *first, *last; /* elements or members */
	struct jread_value *next;
};

struct jread_chunk;

struct jread {
	struct jread_chunk *chunks; /* the newest first */
	const char *from, *at, *end;
	int depth;
};

/* NULL if TEXT is not JSON; ERR has the offset. TEXT must outlive the tree. */
const struct jread_value *jread_parse(struct jread *r, const char *text, size_t len,
				      struct tacho_error *err);
void jread_free(struct jread *r);

/* The member KEY of an object; NULL when V is NULL or no object or has none. */
const struct jread_value *jread_get(const struct jread_value *v, const char *key);

/* V as a whole number; false when it is none or does not fit. */
bool jread_int(const struct jread_value *v, int64_t *value);
bool jread_uint(const struct jread_value *v, uint64_t *value);

/* V as a double; NaN if it is not a number. */
double jread_double(const struct jread_value *v);

#endif
