/* SPDX-License-Identifier: Apache-2.0 */
/* Figures that several tables need. */
#include "op/figures.h"

#include "base/order.h"

#include <stdlib.h>

double op_median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), order_double);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}
