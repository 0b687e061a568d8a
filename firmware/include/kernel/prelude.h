/* SPDX-License-Identifier: Apache-2.0 */
/* Included before the first line of each kernel in C++ (src/device/source.c). */
#include "kernel/any.h"
#include "kernel/print.h"
#include <tacho/kernel_profiler.h>
