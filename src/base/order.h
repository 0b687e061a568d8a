/* SPDX-License-Identifier: Apache-2.0 */
/* Orders for qsort() and bsearch(): of single values, and of structures by their members. */
#ifndef BASE_ORDER_H
#define BASE_ORDER_H

#include <stdint.h>
#include <string.h>

static inline int order_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Finite numbers: NaN would have no place. */
static inline int order_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static inline int order_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/*
 * Defines an order of structures by their members:
 *
 *	ORDER_BY(by_lane, struct zone, ORDER_UP(lane) ?: ORDER_DOWN(end));
 *
 * sorts by lane, those of one lane with the last end first. X and Y are the two structures.
 */
#define ORDER_BY(name, type, order)                   \
	static int name(const void *a, const void *b) \
	{                                             \
		const type *x = a, *y = b;            \
                                                      \
		return order;                         \
	}                                             \
	_Static_assert(sizeof(type) > 0, "takes the semicolon")

#define ORDER_UP(member)   ((x->member > y->member) - (x->member < y->member))
#define ORDER_DOWN(member) ((x->member < y->member) - (x->member > y->member))

#endif
