/* SPDX-License-Identifier: Apache-2.0 */
/* Of it kernels take nothing but types. */
#include <stddef.h>
