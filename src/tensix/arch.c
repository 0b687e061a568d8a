/* The architectures. Grids, sizes and rates are those of the chips; what is not public is a round
 * figure. */
#include "base/chip.h"
#include "tensix/tensix.h"

#include <string.h>

static const struct tensix_xy wormhole_ethernet[] = {
	{1, 0}, {2, 0}, {3, 0}, {4, 0}, {6, 0}, {7, 0}, {8, 0}, {9, 0},
	{1, 6}, {2, 6}, {3, 6}, {4, 6}, {6, 6}, {7, 6}, {8, 6}, {9, 6},
};

/* Two banks of one group are reached at two different tiles, so that their ports do not share a
 * link. */
static const struct tensix_xy wormhole_dram[] = {
	{0, 0}, {0, 1}, {0, 5}, {0, 6}, {5, 0}, {5, 1},
	{5, 2}, {5, 9}, {5, 3}, {5, 4}, {5, 5}, {5, 6},
};
static const struct tensix_xy wormhole_dram_tiles[] = {
	{0, 0}, {0, 1}, {0, 11}, {0, 5}, {0, 6}, {0, 7}, {5, 0}, {5, 1}, {5, 11},
	{5, 2}, {5, 9}, {5, 10}, {5, 3}, {5, 4}, {5, 8}, {5, 5}, {5, 6}, {5, 7},
};

static const struct tensix_xy blackhole_ethernet[] = {
	{1, 1},  {2, 1},  {3, 1},  {4, 1},  {5, 1},  {6, 1},  {7, 1},
	{10, 1}, {11, 1}, {12, 1}, {13, 1}, {14, 1}, {15, 1}, {16, 1},
};
static const struct tensix_xy blackhole_dram[] = {
	{0, 0}, {0, 2}, {0, 9}, {0, 5}, {9, 0}, {9, 2}, {9, 9}, {9, 5},
};
static const struct tensix_xy blackhole_dram_tiles[] = {
	{0, 0},  {0, 1}, {0, 11}, {0, 2}, {0, 10}, {0, 3}, {0, 9},  {0, 4},
	{0, 8},  {0, 5}, {0, 7},  {0, 6}, {9, 0},  {9, 1}, {9, 11}, {9, 2},
	{9, 10}, {9, 3}, {9, 9},  {9, 4}, {9, 8},  {9, 5}, {9, 7},  {9, 6},
};

static const struct tensix_xy tiny_ethernet[] = {{1, 0}};
static const struct tensix_xy tiny_dram[] = {{0, 0}, {0, 1}};
static const struct tensix_xy tiny_dram_tiles[] = {{0, 0}, {0, 1}};

static const struct tensix_arch archs[] = {
	{
		.name = "wormhole_b0",
		.noc_x = 10,
		.noc_y = 12,
		.worker_x = "\1\2\3\4\6\7\10\11",
		.worker_columns = 8,
		.worker_y = "\1\2\3\4\5\7\10\11\12\13",
		.worker_rows = 10,
		.ethernet = wormhole_ethernet,
		.ethernet_count = 16,
		.dram_banks = CHIP_WORMHOLE_BANKS,
		.dram_port = wormhole_dram,
		.dram_alias = wormhole_dram_tiles,
		.dram_aliases = 18,
		.banks_per_group = 2,
		.dram_size = 1ull << 30,
		.l1_size = 1499136,
		.local_size = {4096, 4096, 2048, 2048, 2048},
		.iram_size = 16384,
		.ethernet_l1_size = 256 << 10,
		.mailbox = 16,
		.niu_stride = 0x400,
		.flit_bytes = 32,
		.packet_bytes = 8192,
		.dram_alignment = 32,
		.mhz = CHIP_WORMHOLE_MHZ,
		.dram_bytes_per_cycle = CHIP_BANK_BYTES(WORMHOLE),
		.virtual_x = 18,
		.virtual_y = 18,
		.core_choices = {80, 72, 64},
	},
	{
		.name = "blackhole",
		.noc_x = 17,
		.noc_y = 12,
		.worker_x = "\1\2\3\4\5\6\7\12\13\14\15\16\17\20",
		.worker_columns = 14,
		.worker_y = "\2\3\4\5\6\7\10\11\12\13",
		.worker_rows = 10,
		.harvest_columns = true,
		.ethernet = blackhole_ethernet,
		.ethernet_count = 14,
		.dram_banks = CHIP_BLACKHOLE_BANKS,
		.dram_port = blackhole_dram,
		.dram_alias = blackhole_dram_tiles,
		.dram_aliases = 24,
		.banks_per_group = 1,
		.dram_size = 4ull << 30,
		.l1_size = 1536 << 10,
		.local_size = {8192, 8192, 4096, 4096, 4096},
		.ethernet_l1_size = 512 << 10,
		.mailbox = 96,
		.niu_stride = 0x800,
		.flit_bytes = 64,
		.packet_bytes = 16384,
		.dram_alignment = 64,
		.mhz = CHIP_BLACKHOLE_MHZ,
		.dram_bytes_per_cycle = CHIP_BANK_BYTES(BLACKHOLE),
		.core_choices = {140, 130, 120, 110},
	},
	{
		.name = "tiny",
		.noc_x = 3,
		.noc_y = 3,
		.worker_x = "\1\2",
		.worker_columns = 2,
		.worker_y = "\1\2",
		.worker_rows = 2,
		.ethernet = tiny_ethernet,
		.ethernet_count = 1,
		.dram_banks = CHIP_TINY_BANKS,
		.dram_port = tiny_dram,
		.dram_alias = tiny_dram_tiles,
		.dram_aliases = 2,
		.banks_per_group = 1,
		.dram_size = 64ull << 20,
		.l1_size = 1499136,
		.local_size = {4096, 4096, 2048, 2048, 2048},
		.iram_size = 16384,
		.ethernet_l1_size = 256 << 10,
		.mailbox = 16,
		.niu_stride = 0x400,
		.flit_bytes = 32,
		.packet_bytes = 8192,
		.dram_alignment = 32,
		.mhz = CHIP_TINY_MHZ,
		.dram_bytes_per_cycle = CHIP_BANK_BYTES(TINY),
		.core_choices = {4, 2},
	},
};

const struct tensix_arch *tensix_arch_at(unsigned i)
{
	return i < sizeof(archs) / sizeof(archs[0]) ? &archs[i] : NULL;
}

const struct tensix_arch *tensix_arch_find(const char *name)
{
	for (unsigned i = 0; tensix_arch_at(i); i++)
		if (!strcmp(archs[i].name, name))
			return &archs[i];
	return NULL;
}
