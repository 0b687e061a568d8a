/* SPDX-License-Identifier: Apache-2.0 */
/* A library with the interface of libttsim.so: the software device behind it, in $TACHO_ARCH. For
 * tests of who loads such libraries. */
#include "tensix/tensix.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void libttsim_init(void);
EXPORT void libttsim_exit(void);
EXPORT void libttsim_clock(uint32_t cycles);
EXPORT uint32_t libttsim_pci_config_rd32(uint32_t device, uint32_t offset);
EXPORT void libttsim_tile_rd_bytes(uint32_t x, uint32_t y, uint64_t address, void *data,
				   uint32_t len);
EXPORT void libttsim_tile_wr_bytes(uint32_t x, uint32_t y, uint64_t address, const void *data,
				   uint32_t len);

static struct tensix *simulated;

void libttsim_init(void)
{
	struct tacho_error err;

	if (tensix_new(&simulated, &(struct tensix_config){.arch = getenv("TACHO_ARCH")}, &err) < 0)
		abort();
}

void libttsim_exit(void)
{
	tensix_free(simulated);
	simulated = NULL;
}

void libttsim_clock(uint32_t cycles)
{
	tensix_run_until(simulated, tensix_now(simulated) + cycles);
}

uint32_t libttsim_pci_config_rd32(uint32_t device, uint32_t offset)
{
	return device || offset ? 0xffffffff : 0x401e1e52;
}

/* The core at these coordinates; -1: none. */
static int core_find(uint32_t x, uint32_t y)
{
	for (unsigned i = 0; i < tensix_cores(simulated); i++) {
		struct tensix_place p;

		tensix_place(simulated, i, &p);
		if (p.x == x && p.y == y)
			return (int)i;
	}
	return -1;
}

/* The bank whose port is there and which has ADDRESS; it becomes the bank's own. */
static unsigned bank_find(uint32_t x, uint32_t y, uint64_t *address)
{
	const struct arch *a = tensix_arch(simulated);

	for (unsigned i = 0; i < a->dram_banks; i++) {
		struct arch_xy port;
		uint64_t offset;

		tensix_bank(simulated, i, &port, &offset);
		if (port.x == x && port.y == y && *address >= offset &&
		    *address - offset < a->dram_size) {
			*address -= offset;
			return i;
		}
	}
	abort();
}

void libttsim_tile_rd_bytes(uint32_t x, uint32_t y, uint64_t address, void *data, uint32_t len)
{
	int core = core_find(x, y);

	if (core >= 0)
		tensix_read(simulated, (unsigned)core, (uint32_t)address, data, len);
	else
		tensix_dram_read(simulated, bank_find(x, y, &address), address, data, len);
}

void libttsim_tile_wr_bytes(uint32_t x, uint32_t y, uint64_t address, const void *data,
			    uint32_t len)
{
	int core = core_find(x, y);

	if (core >= 0)
		tensix_write(simulated, (unsigned)core, (uint32_t)address, data, len);
	else
		tensix_dram_write(simulated, bank_find(x, y, &address), address, data, len);
}
