/* SPDX-License-Identifier: Apache-2.0 */
/* The API for the current kind of kernel, for headers that both kinds include. */
#if TACHO_RISC >= 2 && TACHO_RISC <= 4
#include "kernel/compute.h"
#else
#include "kernel/dataflow.h"
#endif
