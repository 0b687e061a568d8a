/* SPDX-License-Identifier: Apache-2.0 */
/* A library with the interface of libttsim.so for tests of its users: the software device of the
 * architecture $TACHO_ARCH as a PCI device. Its windows are Wormhole's, or Blackhole's if
 * $STAND_IN_BLACKHOLE is set. Like the real one it ends the process on any wrong access. */
#include "tensix/tensix.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void libttsim_init(void);
EXPORT void libttsim_exit(void);
EXPORT void libttsim_clock(uint32_t cycles);
EXPORT uint32_t libttsim_pci_config_rd32(uint32_t device, uint32_t offset);
EXPORT void libttsim_pci_mem_rd_bytes(uint64_t address, void *data, uint32_t len);
EXPORT void libttsim_pci_mem_wr_bytes(uint64_t address, const void *data, uint32_t len);

#define BAR0        0x140000000ull
#define CONFIG      0x1fc00000u
#define CONFIG_SIZE 2520u

static struct tensix *simulated;
static uint8_t config[CONFIG_SIZE]; /* of the windows */

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
	if (device)
		return 0xffffffff;
	switch (offset) {
	case 0:
		return getenv("STAND_IN_BLACKHOLE") ? 0xb1401e52 : 0x401e1e52;
	case 0x10:
		return (uint32_t)BAR0 | 4;
	case 0x14:
		return BAR0 >> 32;
	default:
		abort();
	}
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

/* Which tile and address a place of BAR 0 shows. */
static uint64_t window_find(uint64_t place, uint32_t len, uint32_t *x, uint32_t *y)
{
	unsigned bits = 21, number = (unsigned)(place >> 21), tile, other;
	uint64_t all, first;
	uint32_t word[3];

	if (getenv("STAND_IN_BLACKHOLE")) {
		memcpy(word, config + 12 * number, sizeof(word));
		first = word[0] | (uint64_t)(word[1] & 0x7ff) << 32;
		tile = word[1] >> 11;
		other = word[2] & ~0xc0u;
	} else {
		if (place < 0xb000000)
			abort(); /* smaller windows: no user of it has them */
		bits = 24;
		memcpy(&all, config + 8 * (166 + ((place - 0xb000000) >> 24)), sizeof(all));
		first = all & 0xfff;
		tile = all >> 12 & 0xffffff;
		other = (unsigned)(all >> 36 & ~0xcull);
	}
	if (tile > 0xfff || other || (place & ((1u << bits) - 1)) + len > 1u << bits)
		abort();
	*x = tile & 63;
	*y = tile >> 6;
	return first << bits | (place & ((1u << bits) - 1));
}

static void window_access(uint64_t place, void *in, const void *out, uint32_t len)
{
	uint32_t x, y;
	uint64_t address = window_find(place, len, &x, &y);
	int core = core_find(x, y), r;
	unsigned bank;

	if (core >= 0) {
		if (address >= 0xff000000 && ((address | len) & 3 || len > 4))
			abort(); /* registers have words only */
		r = in ? tensix_read(simulated, (unsigned)core, (uint32_t)address, in, len)
		       : tensix_write(simulated, (unsigned)core, (uint32_t)address, out, len);
	} else {
		bank = bank_find(x, y, &address);
		r = in ? tensix_dram_read(simulated, bank, address, in, len)
		       : tensix_dram_write(simulated, bank, address, out, len);
	}
	if (r < 0)
		abort();
}

void libttsim_pci_mem_rd_bytes(uint64_t address, void *data, uint32_t len)
{
	if (!len || address < BAR0)
		abort();
	window_access(address - BAR0, data, NULL, len);
}

void libttsim_pci_mem_wr_bytes(uint64_t address, const void *data, uint32_t len)
{
	uint64_t place = address - BAR0;

	if (!len || address < BAR0)
		abort();
	if (place < CONFIG)
		window_access(place, NULL, data, len);
	else if (len == 4 && !(place & 3) && place - CONFIG < CONFIG_SIZE)
		memcpy(config + (place - CONFIG), data, 4);
	else
		abort();
}
