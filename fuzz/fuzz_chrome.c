/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary bytes as a Chrome trace: the result is a sound trace. */
#include "import_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return import_bytes(import_chrome, data, size);
}
