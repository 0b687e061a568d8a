/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a compiler's log with names of zones. */
#include "device/device.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct zone_names names = {0};

	names_take(&names, (const char *)data, size);
	for (uint32_t id = 0; id < 65536; id += 4099)
		names_find(&names, (uint16_t)id);
	names_free(&names);
	return 0;
}
