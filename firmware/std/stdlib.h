/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels use only its types. */
#include <stddef.h>
