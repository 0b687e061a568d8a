/* SPDX-License-Identifier: Apache-2.0 */
/* Registers and firmware state as kernels see them. */
#ifndef TACHO_HW_H
#define TACHO_HW_H

#include "tacho_layout.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which RISC this is compiled for: 0 BRISC (and ERISC), 1 NCRISC, 2-4 TRISC0-2. */
#ifndef TACHO_RISC
#define TACHO_RISC 0
#endif
#if TACHO_RISC == 0
#define COMPILE_FOR_BRISC 1
#elif TACHO_RISC == 1
#define COMPILE_FOR_NCRISC 1
#else
#define COMPILE_FOR_TRISC (TACHO_RISC - 2)
#endif

#ifdef __cplusplus /* kernels write "static FORCE_INLINE" */
#define FORCE_INLINE inline __attribute__((always_inline))
#else
#define FORCE_INLINE static inline __attribute__((always_inline))
#endif
#define REG32(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define REG16(address) (*(volatile uint16_t *)(uintptr_t)(address))
#define REG8(address)  (*(volatile uint8_t *)(uintptr_t)(address))

#define RISCV_DEBUG_REG_WALL_CLOCK_L 0xFFB121F0
#define RISCV_DEBUG_REG_WALL_CLOCK_H 0xFFB121F4
#define RISCV_DEBUG_REG_SOFT_RESET_0 0xFFB121B0

#define MAILBOX(offset) (TACHO_MAILBOX + (offset))
#define PROF_CONTROL    ((volatile uint32_t *)MAILBOX(M_PROF_CONTROL))
#define PROF_BUFFER(r)  ((volatile uint32_t *)MAILBOX(M_PROF_BUFFER + (r)*PROF_BUFFER_WORDS * 4))

/*
 * A circular buffer as one RISC sees it: addresses and sizes are bytes, and on TRISCs, whose engine
 * takes no others, units of 16. Its counters live in stream registers, which all RISCs share.
 */
struct LocalCBInterface {
	uint32_t fifo_limit, fifo_size; /* end of the buffer, whole size */
	uint32_t fifo_rd_ptr, fifo_wr_ptr;
	uint32_t fifo_page_size;
	uint16_t fifo_num_pages;
	uint16_t fifo_wr_tile_ptr; /* pages that were packed since the last push */
};
#if TACHO_RISC >= 2 && TACHO_RISC <= 4
#define CB_SHIFT 4
#else
#define CB_SHIFT 0
#endif

#define CB_RECEIVED(cb) REG32(0xFFB40000 + (cb)*0x1000 + 10 * 4)
#define CB_ACKED(cb)    REG32(0xFFB40000 + (cb)*0x1000 + 8 * 4)

/* Owned by the firmware, in local RAM; a kernel is linked against its addresses. */
extern struct LocalCBInterface tacho_cbs[MAX_CBS];
extern volatile uint32_t *tacho_args, *tacho_common_args;
extern uint32_t tacho_sems;
extern uint8_t my_x[2], my_y[2];
extern uint8_t tacho_noc_index, tacho_logical_x, tacho_logical_y;
extern uint32_t noc_reads_num_issued[2], noc_nonposted_writes_num_issued[2],
	noc_nonposted_writes_acked[2], noc_nonposted_atomics_acked[2],
	noc_posted_writes_num_issued[2];
/* Kernel profiler: next free word, words that open zones still need, sums, replays. */
extern uint32_t tacho_prof_index, tacho_prof_stack, tacho_prof_sum[2], tacho_prof_sum_id[2],
	tacho_prof_replays;
/* Streaming: the word of the buffer that may not be written yet. */
extern uint32_t tacho_prof_limit;
/* Waits until there is room for this many words; 0: there never will be. */
int tacho_prof_wait(uint32_t words);
/* BRISC and NCRISC: flushes this RISC's buffer to DRAM in the middle of a run. */
void tacho_prof_quick_push(void);

/* If the high word changes between the two loads, the low word is small: read the high one again.
 */
FORCE_INLINE uint64_t tacho_wall_clock(void)
{
	uint32_t high = REG32(RISCV_DEBUG_REG_WALL_CLOCK_H);
	uint32_t low = REG32(RISCV_DEBUG_REG_WALL_CLOCK_L);

	if (__builtin_expect(low < 1024, 0))
		high = REG32(RISCV_DEBUG_REG_WALL_CLOCK_H);
	return (uint64_t)high << 32 | low;
}

/* Waits for CYCLES, by the wall clock. */
FORCE_INLINE void riscv_wait(uint32_t cycles)
{
	uint32_t start = REG32(RISCV_DEBUG_REG_WALL_CLOCK_L);

	while (REG32(RISCV_DEBUG_REG_WALL_CLOCK_L) - start < cycles)
		;
}

FORCE_INLINE void invalidate_l1_cache(void)
{
	__asm__ volatile("fence" ::: "memory");
}

/*
 * The NoC of this RISC. For kernels in C++ it is a constant, since they use it as one; the host
 * starts each with the same.
 */
#ifdef __cplusplus
#ifndef NOC_INDEX
#define NOC_INDEX (TACHO_RISC == 1)
#endif
} /* extern "C" */
constexpr uint8_t noc_index = NOC_INDEX;
#else
#define noc_index tacho_noc_index

/* ---- arguments ---- */
FORCE_INLINE uint32_t get_arg_addr(uint32_t i)
{
	return (uint32_t)(uintptr_t)(tacho_args + i);
}

FORCE_INLINE uint32_t get_common_arg_addr(uint32_t i)
{
	return (uint32_t)(uintptr_t)(tacho_common_args + i);
}

FORCE_INLINE uint32_t get_semaphore(uint32_t id)
{
	return tacho_sems + id * SEM_STRIDE;
}

#define get_compile_time_arg_val(i) TACHO_CT_ARG_(i)
#define TACHO_CT_ARG_(i)            TACHO_COMPILE_TIME_ARG_##i

FORCE_INLINE uint32_t get_arg_val(uint32_t i)
{
	return tacho_args[i];
}

FORCE_INLINE uint32_t get_common_arg_val(uint32_t i)
{
	return tacho_common_args[i];
}
#endif
#endif
