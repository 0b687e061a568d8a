/* SPDX-License-Identifier: Apache-2.0 */
/* Writes its second argument, with ADDEND, to the address that is the first. */
#include "dataflow_api.h"

void kernel_main(void)
{
	*(volatile uint32_t *)get_arg_val(0) = get_arg_val(1) + ADDEND + NOC_INDEX;
}
