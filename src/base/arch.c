/* SPDX-License-Identifier: Apache-2.0 */
/* The architectures. Grids, sizes and rates are those of the chips; what is not public is a round
 * figure. */
#include "base/arch.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* One core's TFLOP/s by its clock: a pass takes each operand once. A wormhole chip is quoted as a
 * whole instead: its 72 cores share 74, 148 and 262 TFLOP/s. */
#define PASS(mhz) (ARCH_MATMUL_OPS * ((mhz) / 1000.0) / 1000)
#define PEAK(mhz)                                                                   \
	{                                                                           \
		[FIDELITY_HIFI4] = PASS(mhz) / 4, [FIDELITY_HIFI3] = PASS(mhz) / 3, \
		[FIDELITY_HIFI2] = PASS(mhz) / 2, [FIDELITY_LOFI] = PASS(mhz)       \
	}

/* Bytes per cycle of a bank. */
#define BANK_BYTES(gbs, banks, mhz) ((gbs)*1000.0 / ((banks) * (mhz)))

static const struct arch_xy wormhole_ethernet[] = {
	{1, 0}, {2, 0}, {3, 0}, {4, 0}, {6, 0}, {7, 0}, {8, 0}, {9, 0},
	{1, 6}, {2, 6}, {3, 6}, {4, 6}, {6, 6}, {7, 6}, {8, 6}, {9, 6},
};

/* Two banks of one group are reached at two different tiles, so that their ports do not share a
 * link. */
static const struct arch_xy wormhole_dram[] = {
	{0, 0}, {0, 1}, {0, 5}, {0, 6}, {5, 0}, {5, 1},
	{5, 2}, {5, 9}, {5, 3}, {5, 4}, {5, 5}, {5, 6},
};
static const struct arch_xy wormhole_dram_tiles[] = {
	{0, 0}, {0, 1}, {0, 11}, {0, 5}, {0, 6}, {0, 7}, {5, 0}, {5, 1}, {5, 11},
	{5, 2}, {5, 9}, {5, 10}, {5, 3}, {5, 4}, {5, 8}, {5, 5}, {5, 6}, {5, 7},
};

static const struct arch_xy blackhole_ethernet[] = {
	{1, 1},  {2, 1},  {3, 1},  {4, 1},  {5, 1},  {6, 1},  {7, 1},
	{10, 1}, {11, 1}, {12, 1}, {13, 1}, {14, 1}, {15, 1}, {16, 1},
};
static const struct arch_xy blackhole_dram[] = {
	{0, 0}, {0, 2}, {0, 9}, {0, 5}, {9, 0}, {9, 2}, {9, 9}, {9, 5},
};
static const struct arch_xy blackhole_dram_tiles[] = {
	{0, 0},  {0, 1}, {0, 11}, {0, 2}, {0, 10}, {0, 3}, {0, 9},  {0, 4},
	{0, 8},  {0, 5}, {0, 7},  {0, 6}, {9, 0},  {9, 1}, {9, 11}, {9, 2},
	{9, 10}, {9, 3}, {9, 9},  {9, 4}, {9, 8},  {9, 5}, {9, 7},  {9, 6},
};

static const struct arch_xy tiny_ethernet[] = {{1, 0}};
static const struct arch_xy tiny_dram[] = {{0, 0}, {0, 1}};
static const struct arch_xy tiny_dram_tiles[] = {{0, 0}, {0, 1}};

static const struct arch archs[] = {
	{
		.name = "wormhole_b0",
		.aliases = "wormhole",
		.report = "wormhole",
		.mhz = 1000,
		.dram_banks = 12,
		.dram_gbs = 288,
		.tflops = {[FIDELITY_HIFI4] = 74.0 / 72,
			   [FIDELITY_HIFI3] = 74.0 / 72 * 4 / 3,
			   [FIDELITY_HIFI2] = 148.0 / 72,
			   [FIDELITY_LOFI] = 262.0 / 72},
		.peak = {64, 12},
		.peak_next = {64, 12},
		.noc_x = 10,
		.noc_y = 12,
		.worker_x = "\1\2\3\4\6\7\10\11",
		.worker_columns = 8,
		.worker_y = "\1\2\3\4\5\7\10\11\12\13",
		.worker_rows = 10,
		.ethernet = wormhole_ethernet,
		.ethernet_count = 16,
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
		.dram_bytes_per_cycle = BANK_BYTES(288, 12, 1000),
		.virtual_x = 18,
		.virtual_y = 18,
		.core_choices = {80, 72, 64},
	},
	{
		.name = "blackhole",
		.aliases = "p150 p150a p150b p150c blackhole_p150",
		.report = "blackhole",
		.mhz = 1350,
		.dram_banks = 8,
		.dram_gbs = 512,
		.tflops = PEAK(1350),
		.peak = {130, 12},
		.peak_next = {110, 8},
		.noc_x = 17,
		.noc_y = 12,
		.worker_x = "\1\2\3\4\5\6\7\12\13\14\15\16\17\20",
		.worker_columns = 14,
		.worker_y = "\2\3\4\5\6\7\10\11\12\13",
		.worker_rows = 10,
		.harvest_columns = true,
		.ethernet = blackhole_ethernet,
		.ethernet_count = 14,
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
		.dram_bytes_per_cycle = BANK_BYTES(512, 8, 1350),
		.core_choices = {140, 130, 120, 110},
	},
	{
		.name = "tiny", /* no chip: a small device for tests */
		.report = "tiny",
		.mhz = 1000,
		.dram_banks = 2,
		.dram_gbs = 48,
		.tflops = PEAK(1000),
		.peak = {4, 2},
		.peak_next = {4, 2},
		.noc_x = 3,
		.noc_y = 3,
		.worker_x = "\1\2",
		.worker_columns = 2,
		.worker_y = "\1\2",
		.worker_rows = 2,
		.ethernet = tiny_ethernet,
		.ethernet_count = 1,
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
		.dram_bytes_per_cycle = BANK_BYTES(48, 2, 1000),
		.core_choices = {4, 2},
	},
	{
		.name = "blackhole_p100",
		.aliases = "p100 p100a blackhole_p100a",
		.report = "blackhole_p100",
		.mhz = 1350,
		.dram_banks = 7,
		.dram_gbs = 448,
		.tflops = PEAK(1350),
		.peak = {110, 7},
		.peak_next = {110, 7},
	},
	{
		.name = "bh20",
		.report = "bh20",
		.mhz = 1350,
		.dram_gbs = 512,
		.tflops = PEAK(1350),
		.peak = {20, 12},
		.peak_next = {20, 8},
	},
	{
		.name = "n1",
		.report = "n1",
		.mhz = 650,
		.dram_gbs = 120,
		.tflops = PEAK(650),
		.peak = {20, 12},
		.peak_next = {20, 8},
	},
};

const struct arch *arch_at(unsigned i)
{
	return i < sizeof(archs) / sizeof(archs[0]) ? &archs[i] : NULL;
}

/* True if NAME is one of the blank-separated words of LIST. */
static bool word_listed(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = list; p && *p; p += strcspn(p, " "), p += *p == ' ')
		if (strcspn(p, " ") == len && !strncasecmp(p, name, len))
			return true;
	return false;
}

const struct arch *arch_find(const char *name)
{
	for (size_t i = 0; i < sizeof(archs) / sizeof(archs[0]); i++)
		if (!strcasecmp(archs[i].name, name) || word_listed(archs[i].aliases, name))
			return &archs[i];
	return NULL;
}

static const char *const fidelities[FIDELITY_COUNT] = {
	[FIDELITY_LOFI] = "LoFi",
	[FIDELITY_HIFI2] = "HiFi2",
	[FIDELITY_HIFI3] = "HiFi3",
	[FIDELITY_HIFI4] = "HiFi4",
};

const char *arch_fidelity_name(enum arch_fidelity f)
{
	return fidelities[f];
}

enum arch_fidelity arch_fidelity_find(const char *name)
{
	for (int i = FIDELITY_NONE + 1; name && i < FIDELITY_COUNT; i++)
		if (!strcmp(fidelities[i], name))
			return (enum arch_fidelity)i;
	return FIDELITY_NONE;
}

/* ---- RISCs ---- */
static const struct {
	const char *log, *track, *brief;
} riscs[] = {
#define X(id, log, track, brief) {log, track, brief},
	ARCH_RISCS(X)
#undef X
		{"?", "?", "?"},
};

const char *arch_risc_log_name(enum arch_risc risc)
{
	return riscs[risc].log;
}

const char *arch_risc_track_name(enum arch_risc risc)
{
	return riscs[risc].track;
}

const char *arch_risc_short_name(enum arch_risc risc)
{
	return riscs[risc].brief;
}

static bool arch_text_is(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && !memcmp(word, text, len);
}

enum arch_risc arch_risc_find(const char *name, size_t len)
{
	for (int i = 0; i < RISC_OTHER; i++) {
		size_t prefix = strlen(riscs[i].log);

		if (arch_text_is(name, len, riscs[i].log) ||
		    arch_text_is(name, len, riscs[i].track) ||
		    ((i == RISC_QUASAR_DM || i == RISC_QUASAR_TRISC) && len > prefix &&
		     !memcmp(riscs[i].log, name, prefix)))
			return (enum arch_risc)i;
	}
	return RISC_OTHER;
}

/* ---- zones of the firmware ---- */

/* "DM-KERNEL", "DM3-KERNEL". */
static bool zone_is_dm(const char *name, size_t len, const char *suffix)
{
	size_t i = 2;

	if (len < 3 || memcmp(name, "DM", 2))
		return false;
	while (i < len && isdigit((unsigned char)name[i]))
		i++;
	return arch_text_is(name + i, len - i, suffix);
}

uint32_t arch_zone_find(const char *name, size_t len)
{
	static const struct {
		const char *name;
		uint32_t flags;
	} known[] = {
		{"BRISC-FW", ARCH_ZONE_FW | ARCH_ZONE_BRISC_FW},
		{"NCRISC-FW", ARCH_ZONE_FW},
		{"TRISC-FW", ARCH_ZONE_FW | ARCH_ZONE_TRISC_FW},
		{"ERISC-FW", ARCH_ZONE_FW | ARCH_ZONE_ERISC_FW},
		{"TENSIX_RISC_AGG-FW", ARCH_ZONE_FW},
		{"BRISC-KERNEL", ARCH_ZONE_KERNEL | ARCH_ZONE_DM_KERNEL | ARCH_ZONE_BRISC_KERNEL},
		{"NCRISC-KERNEL", ARCH_ZONE_KERNEL | ARCH_ZONE_DM_KERNEL | ARCH_ZONE_NCRISC_KERNEL},
		{"TRISC-KERNEL", ARCH_ZONE_KERNEL | ARCH_ZONE_TRISC_KERNEL},
		{"ERISC-KERNEL", ARCH_ZONE_KERNEL | ARCH_ZONE_DM_KERNEL | ARCH_ZONE_ERISC_KERNEL},
		{"TENSIX_RISC_AGG-KERNEL", ARCH_ZONE_KERNEL},
		{"TRACE-FW", ARCH_ZONE_FW | ARCH_ZONE_TRACE_FW},
		{"TRACE-KERNEL", ARCH_ZONE_KERNEL | ARCH_ZONE_TRACE_KERNEL},
		{"CB-COMPUTE-WAIT-FRONT", ARCH_ZONE_CB_WAIT},
		{"CB-COMPUTE-RESERVE-BACK", ARCH_ZONE_CB_RESERVE},
		{"DM0-FW", ARCH_ZONE_DM0_FW},
	};
	uint32_t flags = 0;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (arch_text_is(name, len, known[i].name))
			flags |= known[i].flags;
	if (zone_is_dm(name, len, "-FW"))
		flags |= ARCH_ZONE_FW | ARCH_ZONE_DM_FW;
	if (zone_is_dm(name, len, "-KERNEL"))
		flags |= ARCH_ZONE_KERNEL | ARCH_ZONE_DM_KERNEL | ARCH_ZONE_DM_LIKE_KERNEL;
	if (memmem(name, len, "FW", 2))
		flags |= ARCH_ZONE_ANY_FW;
	if (memmem(name, len, "CQ-DISPATCH", 11) || memmem(name, len, "CQ-PREFETCH", 11))
		flags |= ARCH_ZONE_DISPATCH;
	return flags;
}
