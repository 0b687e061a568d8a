/* SPDX-License-Identifier: Apache-2.0 */
/* ELF files for the device: parsed, and every symbol and section looked up. */
#include "tensix/elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_image elf;
	const uint8_t *bytes;
	uint32_t n;

	if (elf_parse(&elf, data, size, NULL) < 0)
		return 0;
	for (size_t i = 0; i < elf.nsymbols; i++)
		elf_symbol_at(&elf, elf.symbols[i].address);
	elf_symbol_at(&elf, elf.entry);
	elf_symbol_named(&elf, "kernel_main");
	elf_section(&elf, ".tsc_zones", &bytes, &n);
	elf_free(&elf);
	return 0;
}
