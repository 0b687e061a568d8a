/* SPDX-License-Identifier: Apache-2.0 */
/* Figures that several tables need. */
#ifndef OP_FIGURES_H
#define OP_FIGURES_H

#include <stddef.h>
#include <stdint.h>

/* Of N > 0 values, which are sorted by it; between the two in the middle when N is even. */
double op_median(double *v, size_t n);

/* Two numbers into one key of a map. */
static inline uint64_t op_mix(uint64_t a, uint64_t b)
{
	a = (a ^ b) * 0x9e3779b97f4a7c15;
	return a ^ a >> 29;
}

#endif
