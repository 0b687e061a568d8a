/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growable array of any type:
 *	struct { VEC(int); } v = {0};
 *	if (vec_push(&v, 3) < 0) return TACHO_ENOMEM;
 *	for (size_t i = 0; i < v.n; i++) use(v.v[i]);
 *	vec_free(&v);
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/err.h"

#include <stddef.h>
#include <stdlib.h>

#define VEC(type) \
	type *v;  \
	size_t n, cap

/* Makes room for N elements in all; 0 or TACHO_ENOMEM. */
#define vec_reserve(a, count) vec_grow((void **)&(a)->v, &(a)->cap, (count), sizeof(*(a)->v))

#define vec_push(a, item) \
	(vec_reserve((a), (a)->n + 1) < 0 ? TACHO_ENOMEM : ((a)->v[(a)->n++] = (item), 0))

#define vec_free(a)                    \
	do {                           \
		free((a)->v);          \
		(a)->v = NULL;         \
		(a)->n = (a)->cap = 0; \
	} while (0)

static inline int vec_grow(void **v, size_t *cap, size_t need, size_t size)
{
	size_t more = *cap ? *cap + *cap / 2 : 16;
	void *p;

	if (need <= *cap)
		return 0;
	if (more < need)
		more = need;
	p = reallocarray(*v, more, size);
	if (!p)
		return TACHO_ENOMEM;
	*v = p;
	*cap = more;
	return 0;
}

#endif
