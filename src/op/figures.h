/* SPDX-License-Identifier: Apache-2.0 */
/* Figures that several tables need. */
#ifndef OP_FIGURES_H
#define OP_FIGURES_H

#include <stddef.h>
#include <stdint.h>

/* Median of N > 0 values, which it sorts; the mean of the middle two if N is even. */
double op_median(double *v, size_t n);

/* Packs two numbers into one key of a map. */
static inline uint64_t op_mix(uint64_t a, uint64_t b)
{
	a = (a ^ b) * 0x9e3779b97f4a7c15;
	return a ^ a >> 29;
}

#endif
