/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing: only the firmware's zones. */
#if TACHO_RISC < 2
#include "dataflow_api.h"
#else
#include "compute_kernel_api.h"
#endif

void kernel_main(void)
{
}
