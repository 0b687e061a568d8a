/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the program of all five RISCs of a core: the device never crashes and never hangs.
 */
#include "tensix/tensix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t starts[] = {0, 0x6000, 0xA000, 0xE000, 0x12000};
	struct tensix_config config = {.arch = "tiny", .cores = 2};
	uint32_t go = 0;
	struct tensix_fault fault;
	struct tensix *t;

	if (tensix_new(&t, &config, NULL) < 0)
		return 0;
	for (int i = 0; i < 5; i++)
		tensix_write(t, 1, starts[i], data, size < 0x2000 ? size : 0x2000);
	tensix_write(t, 1, TENSIX_SOFT_RESET, &go, 4);
	for (int i = 0; i < 8; i++) {
		tensix_run(t, 2000);
		tensix_fault(t, &fault, true);
	}
	tensix_free(t);
	return 0;
}
