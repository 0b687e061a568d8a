/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels include it for nothing: they print by DPRINT. */
#include <stddef.h>
