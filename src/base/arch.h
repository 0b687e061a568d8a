/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The architectures: one table with every figure that differs between them, and the names that all
 * of them share (RISCs, zones of the firmware). The software device (src/tensix), the host library
 * (src/device), ops (src/op) and perf-report (src/perf) read it; it is in base because none of
 * those may include another. A new architecture is one more entry in arch.c.
 */
#ifndef BASE_ARCH_H
#define BASE_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many passes of the multiplier an operand's mantissa gets: fewer are faster and less exact. */
enum arch_fidelity {
	FIDELITY_NONE, /* unknown */
	FIDELITY_LOFI,
	FIDELITY_HIFI2,
	FIDELITY_HIFI3,
	FIDELITY_HIFI4,
	FIDELITY_COUNT,
};

/* "HiFi4"; NULL for FIDELITY_NONE. The other way round NAME may be NULL. */
const char *arch_fidelity_name(enum arch_fidelity f);
enum arch_fidelity arch_fidelity_find(const char *name);

struct arch_xy {
	uint8_t x, y;
};

/* Peaks that perf-report compares an op with. Two releases of tt-perf-report differ in some
 * figures. */
struct arch_peak {
	uint16_t workers;       /* cores for ops, when a report does not say */
	uint16_t sharded_cores; /* cores that a DRAM-sharded matmul reads with */
};

struct arch {
	const char *name;
	const char *aliases; /* other names, separated by blanks; or NULL */
	const char *report;  /* its name in perf-report, or NULL */
	uint32_t mhz;
	uint8_t dram_banks;            /* 0: not public */
	double dram_gbs;               /* all banks together, GB/s */
	double tflops[FIDELITY_COUNT]; /* peak of one core, TFLOP/s */
	struct arch_peak peak, peak_next;

	/* For the software device; noc_x 0: it does not model this one;
	 * those that it models come first. */
	uint8_t noc_x, noc_y; /* size of the NoC */
	const char *worker_x; /* NoC columns and rows of Tensix cores, as bytes */
	const char *worker_y;
	uint8_t worker_columns, worker_rows;
	bool harvest_columns; /* what a smaller part lacks: columns, else rows */
	const struct arch_xy *ethernet;
	uint8_t ethernet_count;
	const struct arch_xy *dram_port;  /* where each bank is reached */
	const struct arch_xy *dram_alias; /* further tiles of the same memory: 3 per group */
	uint8_t dram_aliases;
	uint8_t banks_per_group; /* banks at one port, dram_size apart */
	uint64_t dram_size;      /* bytes of a bank */
	uint32_t l1_size;
	uint32_t local_size[5]; /* data RAM of B, NC, T0-T2 */
	uint32_t iram_size;     /* NCRISC */
	uint32_t ethernet_l1_size;
	uint32_t mailbox;    /* L1 address of the mailboxes */
	uint32_t niu_stride; /* between command buffers */
	uint32_t flit_bytes;
	uint32_t packet_bytes; /* the largest packet */
	uint32_t dram_alignment;
	double dram_bytes_per_cycle;   /* per bank */
	uint32_t virtual_x, virtual_y; /* where virtual coordinates start; 0 = none */
	uint16_t core_choices[4];      /* Tensix cores of the parts that are sold, most first */
};

/* All architectures, NULL at the end of the list. */
const struct arch *arch_at(unsigned i);
/* By name or alias, in any case; NULL if there is none. */
const struct arch *arch_find(const char *name);

/* Operations of a matrix product that a core does in a cycle when each operand goes through once,
 * and so the cycles of a product of two 32 x 32 tiles per pass. */
#define ARCH_MATMUL_OPS    4096
#define ARCH_MATMUL_CYCLES (2 * 32 * 32 * 32 / ARCH_MATMUL_OPS)

/*
 * The RISCs. Each has up to three spellings: in the device log, in the names of tracks, and the
 * short one of the debug printer.
 *
 *	id            device log         track         short
 */
#define ARCH_RISCS(X)                                 \
	X(BRISC, "BRISC", "BRISC", "BR")              \
	X(NCRISC, "NCRISC", "NCRISC", "NC")           \
	X(TRISC_0, "TRISC_0", "TRISC0", "TR0")        \
	X(TRISC_1, "TRISC_1", "TRISC1", "TR1")        \
	X(TRISC_2, "TRISC_2", "TRISC2", "TR2")        \
	X(ERISC, "ERISC", "ERISC", "ER")              \
	X(AGG, "TENSIX_RISC_AGG", "CORE_AGG", "")     \
	X(QUASAR_DM0, "QUASAR_DM0", "QUASAR_DM0", "") \
	X(QUASAR_DM, "QUASAR_DM", "QUASAR_DM", "")    \
	X(QUASAR_TRISC, "QUASAR_NEO", "QUASAR_NEO", "")

enum arch_risc {
#define X(id, log, track, brief) RISC_##id,
	ARCH_RISCS(X)
#undef X
		RISC_OTHER,
};

/* RISC number RISC of a core, 0 to 4; on Ethernet cores there is one. */
static inline enum arch_risc arch_risc_at(unsigned risc, bool ethernet)
{
	return ethernet ? RISC_ERISC : risc <= RISC_TRISC_2 ? (enum arch_risc)risc : RISC_OTHER;
}

const char *arch_risc_log_name(enum arch_risc risc);   /* "TRISC_0" */
const char *arch_risc_track_name(enum arch_risc risc); /* "TRISC0" */
const char *arch_risc_short_name(enum arch_risc risc); /* "TR0" */
/* Any of the first two spellings; Quasar numbers its RISCs: QUASAR_DM3, QUASAR_NEO0_TRISC2. */
enum arch_risc arch_risc_find(const char *name, size_t len);

/*
 * Zones of the firmware: what their names say. A kernel's own zones have none of these bits but
 * ARCH_ZONE_ANY_FW, which is set for each name with "FW" in it.
 */
enum arch_zone {
	ARCH_ZONE_FW = 1 << 0,     /* BRISC-FW and its kind */
	ARCH_ZONE_KERNEL = 1 << 1, /* BRISC-KERNEL and its kind */
	ARCH_ZONE_DM_KERNEL = 1 << 2,
	ARCH_ZONE_BRISC_KERNEL = 1 << 3,
	ARCH_ZONE_NCRISC_KERNEL = 1 << 4,
	ARCH_ZONE_TRISC_KERNEL = 1 << 5,
	ARCH_ZONE_ERISC_KERNEL = 1 << 6,
	ARCH_ZONE_TRACE_FW = 1 << 7,
	ARCH_ZONE_TRACE_KERNEL = 1 << 8,
	ARCH_ZONE_CB_WAIT = 1 << 9,
	ARCH_ZONE_CB_RESERVE = 1 << 10,
	ARCH_ZONE_ANY_FW = 1 << 11, /* "FW" anywhere in the name */
	ARCH_ZONE_BRISC_FW = 1 << 12,
	ARCH_ZONE_ERISC_FW = 1 << 13,
	ARCH_ZONE_DM0_FW = 1 << 14,
	ARCH_ZONE_DISPATCH = 1 << 15,       /* a command queue's own */
	ARCH_ZONE_DM_LIKE_KERNEL = 1 << 16, /* Quasar's data movement */
	ARCH_ZONE_TRISC_FW = 1 << 17,
	ARCH_ZONE_DM_FW = 1 << 18,
};

/* Bits of enum arch_zone. */
uint32_t arch_zone_find(const char *name, size_t len);

#endif
