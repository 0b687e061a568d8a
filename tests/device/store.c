/* SPDX-License-Identifier: Apache-2.0 */
/* Stores its first argument at the address in its second. */
#include "dataflow_api.h"

void kernel_main(void)
{
	DeviceZoneScopedN("STORE");
	REG32(get_arg_val(1)) = get_arg_val(0);
}
