/* SPDX-License-Identifier: Apache-2.0 */
/* Figures that several tables need. */
#include "op/figures.h"

#include <stdlib.h>

static int figures_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double op_median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), figures_compare);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}
