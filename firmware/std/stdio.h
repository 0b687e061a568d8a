/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels include it needlessly: they print by DPRINT. */
#include <stddef.h>
