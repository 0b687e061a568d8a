/* SPDX-License-Identifier: Apache-2.0 */
// Kernels that were written against tt-metal's header of this name compile unchanged.
#pragma once
#include <tacho/kernel_profiler.h>
