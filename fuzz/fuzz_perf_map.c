/* SPDX-License-Identifier: Apache-2.0 */
/* The input is the map of a JIT compiler: names are terminated and inside of it. */
#include "sample/perfmap.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perfmap *m = perfmap_parse((const char *)data, size);
	char text[64];

	for (uint64_t at = 0; m && at < 256; at += 7)
		if (perfmap_find(m, at, text, sizeof(text)) && strlen(text) >= sizeof(text))
			abort();
	perfmap_free(m);
	return 0;
}
