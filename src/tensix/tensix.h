/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The software device: a grid of Tensix cores that runs the same RV32IM programs as the hardware.
 *
 *	struct tensix *t;
 *	tensix_new(&t, &(struct tensix_config){.arch = "tiny"}, &err);
 *	tensix_write(t, 0, 0x3a00, program, size);       L1 of core 0
 *	tensix_write(t, 0, TENSIX_SOFT_RESET, &zero, 4); releases its RISCs
 *	while (tensix_run(t, 1000000) == TENSIX_LIMIT) ...
 *
 * It is used through memory only: when a RISC leaves reset it runs the contents of L1, from the
 * hardware's reset address. docs/device.md describes the model and its time; times are those of a
 * model, not of a chip.
 *
 * Time is a number of cycles since the device was created, the same for all cores ("true" time). A
 * core's wall clock may show another: see tensix_clock_*().
 *
 * Only one thread at a time may use a device; two devices are independent of each other. The same
 * calls with the same seed always give the same memory and the same times.
 */
#ifndef TENSIX_TENSIX_H
#define TENSIX_TENSIX_H

#include "base/arch.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tensix;

/* ---------------------------------------------------------- architectures */

#define TENSIX_MAX_BANKS 12

/* The architectures of base/arch.h that this device supports; NULL at the end of the list. */
const struct arch *tensix_arch_at(unsigned i);

/* ----------------------------------------------------------------- device */

struct tensix_config {
	const char *arch;      /* NULL: "wormhole_b0" */
	unsigned cores;        /* Tensix cores; 0: the architecture's maximum */
	uint64_t seed;         /* of the DRAM jitter */
	uint32_t dram_latency; /* cycles from a request's arrival to its first byte; 0: 100 */
	uint32_t number;       /* of the device, for messages */
};

/* A device whose cores are in reset. CONFIG is copied. */
int tensix_new(struct tensix **out, const struct tensix_config *config, struct tacho_error *err);
void tensix_free(struct tensix *t);

enum tensix_tile { TENSIX_WORKER, TENSIX_ETHERNET };
enum tensix_risc { TENSIX_B, TENSIX_NC, TENSIX_T0, TENSIX_T1, TENSIX_T2, TENSIX_RISCS };

struct tensix_place {
	enum tensix_tile tile;
	uint8_t x, y;                 /* on NoC 0 */
	uint8_t logical_x, logical_y; /* among the cores of its kind */
	uint8_t riscs;                /* 5, Ethernet: 1 */
};

const struct arch *tensix_arch(const struct tensix *t);

/* Cores are numbered in the order of their NoC coordinates: x, then y. */
unsigned tensix_cores(const struct tensix *t);
void tensix_place(const struct tensix *t, unsigned core, struct tensix_place *place);
/* The core's number, or -1. */
int tensix_core_logical(const struct tensix *t, enum tensix_tile tile, unsigned x, unsigned y);
int tensix_core_noc(const struct tensix *t, unsigned x, unsigned y);
/* Columns and rows of the worker grid. */
void tensix_grid(const struct tensix *t, unsigned *columns, unsigned *rows);

/*
 * The host's access to a core: L1, and registers by words. Takes no time. TACHO_ELIMIT when
 * outside.
 */
int tensix_read(struct tensix *t, unsigned core, uint32_t address, void *data, size_t len);
int tensix_write(struct tensix *t, unsigned core, uint32_t address, const void *data, size_t len);
int tensix_dram_read(struct tensix *t, unsigned bank, uint64_t address, void *data, size_t len);
int tensix_dram_write(struct tensix *t, unsigned bank, uint64_t address, const void *data,
		      size_t len);
/* NoC coordinates of a bank and the offset of addresses in it. */
void tensix_bank(const struct tensix *t, unsigned bank, struct arch_xy *port, uint64_t *offset);

/* -------------------------------------------------------------------- run */

enum tensix_stop {
	TENSIX_IDLE,  /* every RISC is in reset, stopped, or waits for a write that will not come */
	TENSIX_LIMIT, /* the cycles are used up */
	TENSIX_FAULT, /* a RISC stopped: see tensix_fault() */
};

/* Runs the device for at most CYCLES. */
enum tensix_stop tensix_run(struct tensix *t, uint64_t cycles);

/* Cycles since the device was created. */
uint64_t tensix_now(const struct tensix *t);

/* Advances time while nothing runs; a time in the past has no effect. */
void tensix_advance(struct tensix *t, uint64_t to_cycle);

enum tensix_fault_kind {
	TENSIX_FAULT_NONE,
	TENSIX_FAULT_ILLEGAL,    /* not an RV32IM instruction */
	TENSIX_FAULT_MISALIGNED, /* misaligned access */
	TENSIX_FAULT_WILD,       /* access to a nonexistent address */
	TENSIX_FAULT_FETCH,      /* pc is outside of executable memory */
	TENSIX_FAULT_BREAK,      /* ebreak or ecall */
	TENSIX_FAULT_NOC,        /* a NoC transfer to or from a nonexistent address */
	TENSIX_FAULT_NODE,       /* ... to or from a nonexistent core: address is x | y << 6 */
	TENSIX_FAULT_ENGINE,     /* an operation that the tile engine does not support */
	TENSIX_FAULT_STACK,      /* the stack grew into the data below it: address is sp */
	TENSIX_FAULT_NULL,       /* a call of address 0 */
};

struct tensix_fault {
	enum tensix_fault_kind kind;
	unsigned device, core, risc;
	struct tensix_place place;
	uint32_t pc, word, address; /* the instruction, and the address of its access */
	uint64_t cycle;
	uint32_t x[32];
};

/* The first fault since the last call with CLEAR; false when there was none. */
bool tensix_fault(struct tensix *t, struct tensix_fault *fault, bool clear);
const char *tensix_fault_name(enum tensix_fault_kind kind);
/* Writes the full reason, with its address or coordinates, to TEXT. */
const char *tensix_fault_text(const struct tensix_fault *fault, char *text, size_t size);

/* The state of each RISC, to find out why a device does not finish. */
enum tensix_state { TENSIX_RESET, TENSIX_RUNNING, TENSIX_WAITING, TENSIX_STOPPED };
struct tensix_hart_info {
	enum tensix_state state;
	uint32_t pc;
	uint64_t cycle, instructions;
	uint32_t watched; /* WAITING: the first word it waits for, else a register */
	uint32_t x[32];
};
int tensix_hart(const struct tensix *t, unsigned core, unsigned risc,
		struct tensix_hart_info *info);

/*
 * Joins two Ethernet cores of two devices. From then on the devices run together: tensix_run() of
 * one runs the others as well, and one thread must use all of them. Each device reports its own
 * faults. Freeing a device ends its links. TACHO_EUSAGE when a core has a link or is not an
 * Ethernet core.
 */
int tensix_link(struct tensix *a, unsigned core_a, struct tensix *b, unsigned core_b);

/*
 * Cycles that the tile engine takes to do OP (matmul, add, sub, mul, copy, transpose, reduce; relu,
 * gelu, exp, sqrt, recip, sigmoid) with one tile; 0: unknown op. PHASES: 1 for LoFi to 4 for HiFi4.
 */
unsigned tensix_tile_cycles(const char *op, unsigned phases);

/* The stack of a RISC must not grow below END, an address of its local RAM; 0: no check. */
void tensix_stack_end(struct tensix *t, unsigned core, unsigned risc, uint32_t end);

/* Makes a RISC wait for CYCLES before each transfer of a kind that it starts, for what-if runs. */
enum tensix_transfer { TENSIX_READ, TENSIX_WRITE, TENSIX_ATOMIC, TENSIX_TRANSFERS };
void tensix_noc_delay(struct tensix *t, unsigned core, unsigned risc, enum tensix_transfer kind,
		      uint32_t cycles);

/* ------------------------------------------------------------- wall clock */

/* The clock of a core at true time 0, and how much faster it runs from a time on. */
void tensix_clock_offset(struct tensix *t, unsigned core, int64_t cycles);
int tensix_clock_rate(struct tensix *t, unsigned core, uint64_t from_cycle, double rate);
/* The clock of CORE at true time CYCLE. */
uint64_t tensix_clock_read(const struct tensix *t, unsigned core, uint64_t cycle);

/* --------------------------------------------------------------- host bus */

/*
 * tensix_read() and tensix_write() take no time. Over the bus an access takes as long as it does
 * for a host: a latency in each direction, while the device keeps running. Now and then the host's
 * thread is preempted between a clock reading and the access.
 */
struct tensix_bus {
	double latency_ns; /* minimum, one way */
	double jitter_ns;  /* mean of the additional latency, exponentially distributed */
	double preempted;  /* fraction of the accesses */
	double preempt_min, preempt_max; /* ns */
	uint64_t seed;
};
/* The defaults are 450 ns, 120 ns and no preemption. */
void tensix_set_bus(struct tensix *t, const struct tensix_bus *bus);

/*
 * Accesses one word of L1 or a register. *BEFORE and *AFTER: the true time of the host's clock
 * readings before and after. A write is posted: the host continues at once, the word arrives later.
 */
int tensix_bus_read(struct tensix *t, unsigned core, uint32_t address, uint32_t *word,
		    uint64_t *before, uint64_t *after);
int tensix_bus_write(struct tensix *t, unsigned core, uint32_t address, uint32_t word,
		     uint64_t *before, uint64_t *after);

/* Runs the device, or advances time if it is idle, until this cycle. False: a fault. */
bool tensix_run_until(struct tensix *t, uint64_t cycle);

/* ------------------------------------------------------------- statistics */

struct tensix_stats {
	uint64_t instructions; /* actually executed */
	uint64_t slept;        /* of RISCs that spun on an unchanged word: counted, not executed */
	uint64_t packets, flits, dram_bytes;
	uint64_t windows, events, pages_decoded, pages_shared;
	uint64_t engine_ops, engine_unknown; /* instructions of the tile engine; skipped ones */
};
void tensix_stats(const struct tensix *t, struct tensix_stats *stats);

/* A register that a program used and the model does not have: it read as 0. */
struct tensix_unknown {
	uint32_t address;
	uint64_t reads, writes;
	uint32_t pc; /* of the first use */
	uint32_t core, risc;
	uint32_t last_value; /* written */
	const char *name;    /* of its block */
};
size_t tensix_unknown_count(const struct tensix *t);
const struct tensix_unknown *tensix_unknown(const struct tensix *t, size_t i);

/* ---------------------------------------------------------------- tracing */

/* Called before each instruction; slows the device down. NULL: off. */
typedef void (*tensix_trace_fn)(void *context, unsigned core, unsigned risc, uint64_t cycle,
				uint32_t pc, uint32_t word);
void tensix_trace(struct tensix *t, tensix_trace_fn fn, void *context);

/* -------------------------------------------------------------- addresses */

#define TENSIX_LOCAL       0xFFB00000u
#define TENSIX_TDMA        0xFFB11000u
#define TENSIX_DEBUG       0xFFB12000u
#define TENSIX_SOFT_RESET  0xFFB121B0u
#define TENSIX_CLOCK_LOW   0xFFB121F0u
#define TENSIX_CLOCK_HIGH  0xFFB121F4u
#define TENSIX_CLOCK_LATCH 0xFFB121F8u
#define TENSIX_NIU0        0xFFB20000u
#define TENSIX_NIU1        0xFFB30000u
#define TENSIX_STREAMS     0xFFB40000u
#define TENSIX_MOP         0xFFB80000u
#define TENSIX_ETH_QUEUES  0xFFB90000u
#define TENSIX_IRAM        0xFFC00000u
#define TENSIX_GPR         0xFFE00000u
#define TENSIX_PUSH        0xFFE40000u
#define TENSIX_PCBUF       0xFFE80000u
#define TENSIX_MAILBOX     0xFFEC0000u
#define TENSIX_CONFIG      0xFFEF0000u

/* Soft reset bits: 1 = held. */
#define TENSIX_RESET_ALL 0x00047800u

#endif
