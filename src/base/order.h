/* SPDX-License-Identifier: Apache-2.0 */
/* Orders for qsort(). */
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

#endif
