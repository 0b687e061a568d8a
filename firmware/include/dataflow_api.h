/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What data movement kernels (BRISC, NCRISC, ERISC) use: NoC transfers, semaphores, circular
 * buffers, arguments, and where the pages of an interleaved buffer lie.
 *
 *	#include "dataflow_api.h"
 *
 *	void kernel_main(void)
 *	{
 *		struct InterleavedAddrGen src = {get_arg_val(0), 2048};
 *
 *		cb_reserve_back(0, 1);
 *		noc_async_read_page(0, &src, get_write_ptr(0));
 *		noc_async_read_barrier();
 *		cb_push_back(0, 1);
 *	}
 *
 * Transfers are asynchronous: a barrier waits until all of this RISC are done.
 */
#ifdef __cplusplus
#include "kernel/dataflow.h"
#endif
#ifndef TACHO_DATAFLOW_API_H
#define TACHO_DATAFLOW_API_H
#ifndef __cplusplus

#include "tacho_hw.h"
#include "tacho_noc.h"
#include <tacho/kernel_profiler.h>

#ifndef TACHO_DRAM_BANKS
#define TACHO_DRAM_BANKS 12
#endif
#ifndef TACHO_L1_BANKS
#define TACHO_L1_BANKS 64
#endif

typedef volatile uint32_t tacho_word;

/* ---- addresses ---- */
FORCE_INLINE uint64_t get_noc_addr_xy(uint32_t x, uint32_t y, uint32_t address)
{
	return NOC_XY_ADDR(x, y, address);
}

FORCE_INLINE uint64_t get_noc_addr_local(uint32_t address)
{
	return NOC_XY_ADDR(my_x[noc_index], my_y[noc_index], address);
}

/* The corners may be given in either order. */
FORCE_INLINE uint64_t get_noc_multicast_addr(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1,
					     uint32_t address)
{
	return NOC_MULTICAST_ADDR(x0, y0, x1, y1, address);
}

#define BANK_XY(table) ((volatile uint16_t *)(BANK_TABLE + (table)*2))
#define BANK_OFFSET(bank)                  \
	((volatile int32_t *)(BANK_TABLE + \
			      ((TACHO_DRAM_BANKS + TACHO_L1_BANKS) * 4 + 3) / 4 * 4))[bank]

/* Address of byte ADDRESS of a DRAM bank; a bank's port is the same on both NoCs. */
FORCE_INLINE uint64_t get_noc_addr_from_bank_id(uint32_t bank, uint32_t address)
{
	uint32_t xy = BANK_XY(noc_index * TACHO_DRAM_BANKS)[bank];

	return ((uint64_t)xy << 36) + (uint32_t)(address + (uint32_t)BANK_OFFSET(bank));
}

/* ---- interleaved buffers: page i lies in bank i % banks, row i / banks ---- */
struct InterleavedAddrGen {
	uint32_t bank_base_address;
	uint32_t page_size;
};

FORCE_INLINE uint64_t tacho_page_dram(uint32_t page, uint32_t base, uint32_t page_size)
{
	uint32_t bank = page % TACHO_DRAM_BANKS, row = page / TACHO_DRAM_BANKS;

	return get_noc_addr_from_bank_id(bank, base + row * page_size);
}

FORCE_INLINE uint64_t tacho_page_l1(uint32_t page, uint32_t base, uint32_t page_size)
{
	uint32_t bank = page % TACHO_L1_BANKS, row = page / TACHO_L1_BANKS;
	uint32_t xy = BANK_XY(2 * TACHO_DRAM_BANKS + noc_index * TACHO_L1_BANKS)[bank];

	return ((uint64_t)xy << 36) + base + row * page_size;
}

/* ---- reads and writes ---- */
FORCE_INLINE void noc_async_read(uint64_t from, uint32_t to, uint32_t size)
{
	TACHO_NOC_EVENT(READ, from, to, size, 0);
	while (size > TACHO_PACKET) {
		niu_read_packet(noc_index, from, to, TACHO_PACKET);
		from += TACHO_PACKET;
		to += TACHO_PACKET;
		size -= TACHO_PACKET;
	}
	niu_read_packet(noc_index, from, to, size);
}

FORCE_INLINE void tacho_write(uint32_t from, uint64_t to, uint32_t size, uint32_t ctrl,
			      uint32_t receivers)
{
	uint32_t part = size > TACHO_PACKET ? TACHO_PACKET : size;

	for (;; from += part, to += part, size -= part, part = size > part ? part : size) {
		niu_write_packet(noc_index, from, to, part, ctrl);
		noc_nonposted_writes_num_issued[noc_index]++;
		noc_nonposted_writes_acked[noc_index] += receivers;
		if (size == part)
			return;
	}
}

FORCE_INLINE void noc_async_write(uint32_t from, uint64_t to, uint32_t size)
{
	TACHO_NOC_EVENT(WRITE_, to, from, size, 0);
	tacho_write(from, to, size, NIU_CTRL_WRITE, 1);
}

/* RECEIVERS: the cores of the rectangle, without the sender. */
FORCE_INLINE void noc_async_write_multicast(uint32_t from, uint64_t to, uint32_t size,
					    uint32_t receivers)
{
	TACHO_NOC_EVENT(WRITE_MULTICAST, to, from, size, 0);
	tacho_write(from, to, size, NIU_CTRL_WRITE | NIU_CTRL_MCAST, receivers);
}

FORCE_INLINE void noc_async_write_multicast_loopback_src(uint32_t from, uint64_t to, uint32_t size,
							 uint32_t receivers)
{
	TACHO_NOC_EVENT(WRITE_MULTICAST, to, from, size, 0);
	tacho_write(from, to, size, NIU_CTRL_WRITE | NIU_CTRL_MCAST | NIU_CTRL_SOURCE, receivers);
}

FORCE_INLINE void noc_inline_dw_write(uint64_t to, uint32_t value)
{
	TACHO_NOC_EVENT(WRITE_INLINE, to, 0, 4, 0);
	niu_wait(noc_index, NIU_BUF_INLINE);
	NIU(noc_index, NIU_BUF_INLINE, NIU_TARG_LO) = (uint32_t)to;
	NIU(noc_index, NIU_BUF_INLINE, NIU_TARG_MID) = (uint32_t)(to >> 32);
	NIU(noc_index, NIU_BUF_INLINE, NIU_CTRL) = NIU_CTRL_INLINE;
	NIU(noc_index, NIU_BUF_INLINE, NIU_LEN) = 0xf;
	NIU(noc_index, NIU_BUF_INLINE, NIU_DATA) = value;
	NIU(noc_index, NIU_BUF_INLINE, NIU_GO) = 1;
	noc_nonposted_writes_num_issued[noc_index]++;
	noc_nonposted_writes_acked[noc_index]++;
}

FORCE_INLINE void noc_async_read_barrier(void)
{
	TACHO_NOC_EVENT(READ_BARRIER_START, 0, 0, 0, 0);
	while (NIU_COUNTER(noc_index, NIU_READ_RESP) != noc_reads_num_issued[noc_index])
		;
	TACHO_NOC_EVENT(READ_BARRIER_END, 0, 0, 0, 0);
	invalidate_l1_cache();
}

FORCE_INLINE void noc_async_write_barrier(void)
{
	TACHO_NOC_EVENT(WRITE_BARRIER_START, 0, 0, 0, 0);
	while (NIU_COUNTER(noc_index, NIU_WRITE_ACK) != noc_nonposted_writes_acked[noc_index])
		;
	TACHO_NOC_EVENT(WRITE_BARRIER_END, 0, 0, 0, 0);
	invalidate_l1_cache();
}

/* The data has left: its memory may be reused, but it need not have arrived. */
FORCE_INLINE void noc_async_writes_flushed(void)
{
	TACHO_NOC_EVENT(WRITE_FLUSH, 0, 0, 0, 0);
	while (NIU_COUNTER(noc_index, NIU_WRITE_SENT) != noc_nonposted_writes_num_issued[noc_index])
		;
}

FORCE_INLINE void noc_async_atomic_barrier(void)
{
	TACHO_NOC_EVENT(ATOMIC_BARRIER, 0, 0, 0, 0);
	while (NIU_COUNTER(noc_index, NIU_ATOMIC_RESP) != noc_nonposted_atomics_acked[noc_index])
		;
	invalidate_l1_cache();
}

FORCE_INLINE void noc_async_full_barrier(void)
{
	noc_async_read_barrier();
	noc_async_write_barrier();
	noc_async_atomic_barrier();
}

/* ---- semaphores ---- */
FORCE_INLINE void noc_semaphore_inc(uint64_t semaphore, uint32_t by)
{
	TACHO_NOC_EVENT(SEMAPHORE_INC, semaphore, 0, 4, 0);
	niu_wait(noc_index, NIU_BUF_ATOMIC);
	NIU(noc_index, NIU_BUF_ATOMIC, NIU_TARG_LO) = (uint32_t)semaphore;
	NIU(noc_index, NIU_BUF_ATOMIC, NIU_TARG_MID) = (uint32_t)(semaphore >> 32);
	NIU(noc_index, NIU_BUF_ATOMIC, NIU_RET_LO) = 0;
	NIU(noc_index, NIU_BUF_ATOMIC, NIU_CTRL) = NIU_CTRL_ATOMIC;
	NIU(noc_index, NIU_BUF_ATOMIC, NIU_LEN) =
		1u << 12 | 31u << 2 | ((uint32_t)semaphore >> 2 & 3);
	NIU(noc_index, NIU_BUF_ATOMIC, NIU_DATA) = by;
	NIU(noc_index, NIU_BUF_ATOMIC, NIU_GO) = 1;
	noc_nonposted_atomics_acked[noc_index]++;
}

FORCE_INLINE void noc_semaphore_wait(tacho_word *semaphore, uint32_t value)
{
	TACHO_NOC_EVENT(SEMAPHORE_WAIT, 0, (uint32_t)(uintptr_t)semaphore, 0, 0);
	while (*semaphore != value)
		;
}

FORCE_INLINE void noc_semaphore_wait_min(tacho_word *semaphore, uint32_t value)
{
	TACHO_NOC_EVENT(SEMAPHORE_WAIT, 0, (uint32_t)(uintptr_t)semaphore, 0, 0);
	while (*semaphore < value)
		;
}

FORCE_INLINE void noc_semaphore_set(tacho_word *semaphore, uint32_t value)
{
	TACHO_NOC_EVENT(SEMAPHORE_SET, 0, (uint32_t)(uintptr_t)semaphore, 4, 0);
	*semaphore = value;
}

FORCE_INLINE void noc_semaphore_set_remote(uint32_t from, uint64_t to)
{
	TACHO_NOC_EVENT(SEMAPHORE_SET_REMOTE, to, from, 4, 0);
	tacho_write(from, to, 4, NIU_CTRL_WRITE, 1);
}

FORCE_INLINE void noc_semaphore_set_multicast(uint32_t from, uint64_t to, uint32_t receivers)
{
	TACHO_NOC_EVENT(SEMAPHORE_SET_MULTICAST, to, from, 4, 0);
	tacho_write(from, to, 4, NIU_CTRL_WRITE | NIU_CTRL_MCAST, receivers);
}

#ifdef TACHO_ERISC
#include "kernel/ethernet.h"
#endif

/* ---- circular buffers: one producer, one consumer, pages in order ---- */
FORCE_INLINE uint32_t get_tile_size(uint32_t cb)
{
	return tacho_cbs[cb].fifo_page_size;
}

FORCE_INLINE uint32_t get_write_ptr(uint32_t cb)
{
	return tacho_cbs[cb].fifo_wr_ptr;
}

FORCE_INLINE uint32_t get_read_ptr(uint32_t cb)
{
	return tacho_cbs[cb].fifo_rd_ptr;
}

FORCE_INLINE void cb_reserve_back(uint32_t cb, uint32_t pages)
{
	while (tacho_cbs[cb].fifo_num_pages - (uint16_t)(CB_RECEIVED(cb) - CB_ACKED(cb)) < pages)
		;
}

FORCE_INLINE void cb_push_back(uint32_t cb, uint32_t pages)
{
	struct LocalCBInterface *c = &tacho_cbs[cb];

	CB_RECEIVED(cb) = CB_RECEIVED(cb) + pages;
	c->fifo_wr_ptr += pages * c->fifo_page_size;
	if (c->fifo_wr_ptr >= c->fifo_limit)
		c->fifo_wr_ptr -= c->fifo_size;
}

FORCE_INLINE void cb_wait_front(uint32_t cb, uint32_t pages)
{
	while ((uint16_t)(CB_RECEIVED(cb) - CB_ACKED(cb)) < pages)
		;
}

FORCE_INLINE void cb_pop_front(uint32_t cb, uint32_t pages)
{
	struct LocalCBInterface *c = &tacho_cbs[cb];

	CB_ACKED(cb) = CB_ACKED(cb) + pages;
	c->fifo_rd_ptr += pages * c->fifo_page_size;
	if (c->fifo_rd_ptr >= c->fifo_limit)
		c->fifo_rd_ptr -= c->fifo_size;
}

/* ---- pages and older names ---- */
#define get_noc_addr get_noc_addr_xy

FORCE_INLINE void noc_async_read_page(uint32_t page, const struct InterleavedAddrGen *gen,
				      uint32_t to)
{
	noc_async_read(tacho_page_dram(page, gen->bank_base_address, gen->page_size), to,
		       gen->page_size);
}

FORCE_INLINE void noc_async_write_page(uint32_t page, const struct InterleavedAddrGen *gen,
				       uint32_t from)
{
	noc_async_write(from, tacho_page_dram(page, gen->bank_base_address, gen->page_size),
			gen->page_size);
}
#define noc_async_read_tile  noc_async_read_page
#define noc_async_write_tile noc_async_write_page
#endif /* __cplusplus */
#endif
