/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What data movement kernels in C++ call: addresses, NoC transfers and barriers, multicast,
 * transaction ids, semaphores, circular buffers. It is included before a kernel's first line. For
 * kernels in C see dataflow_api.h.
 */
#ifndef TACHO_KERNEL_DATAFLOW_H
#define TACHO_KERNEL_DATAFLOW_H

#include "kernel/args.h"
#include "tacho_noc.h"

#include <tacho/kernel_profiler.h>

#define NOC_ADDR_LOCAL_BITS         36
#define NOC_ADDR_NODE_ID_BITS       6
#define NOC_UNICAST_ADDR_X(addr)    ((uint32_t)((uint64_t)(addr) >> 36) & 63)
#define NOC_UNICAST_ADDR_Y(addr)    ((uint32_t)((uint64_t)(addr) >> 42) & 63)
#define NOC_LOCAL_ADDR_OFFSET(addr) ((uint64_t)(addr)&0xfffffffffull)
#define NOC_LOCAL_ADDR(addr)        ((uint32_t)(addr))
/* Virtual coordinates are the same on both NoCs. */
#define DYNAMIC_NOC_X(noc, x)          (x)
#define DYNAMIC_NOC_Y(noc, y)          (y)
#define NOC_X(x)                       (x)
#define NOC_Y(y)                       (y)
#define NOC_X_PHYS_COORD(x)            (x)
#define NOC_Y_PHYS_COORD(y)            (y)
#define NOC_XY_ENCODING(x, y)          ((uint32_t)(y) << 6 | (uint32_t)(x))
#define NOC_CLEAR_OUTSTANDING_REQ_MASK 0xffffu

/* ---- addresses ---- */
FORCE_INLINE uint64_t get_noc_addr(uint32_t x, uint32_t y, uint32_t address, uint8_t = noc_index)
{
	return NOC_XY_ADDR(x, y, address);
}
FORCE_INLINE uint64_t get_noc_addr(uint32_t address, uint8_t noc = noc_index)
{
	return NOC_XY_ADDR(my_x[noc], my_y[noc], address);
}
/* XY: y << 6 | x, as in the bank tables. */
FORCE_INLINE uint64_t get_noc_addr_helper(uint32_t xy, uint32_t address)
{
	return (uint64_t)xy << 36 | address;
}
/* The corners may be given in either order. */
FORCE_INLINE uint64_t get_noc_multicast_addr(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1,
					     uint32_t address, uint8_t = noc_index)
{
	return NOC_MULTICAST_ADDR(x0, y0, x1, y1, address);
}

#include "kernel/addrgen.h"

template <bool DRAM>
FORCE_INLINE uint64_t get_noc_addr_from_bank_id(uint32_t bank, uint32_t offset,
						uint8_t noc = noc_index)
{
	return tacho::bank_base<DRAM>(bank, noc) + offset;
}

/* ---- reads ---- */
namespace tacho
{
FORCE_INLINE void read_packet(uint8_t noc, uint64_t from, uint32_t to, uint32_t size)
{
	niu_read_packet(noc, from, to, size);
}
FORCE_INLINE void read_any(uint8_t noc, uint64_t from, uint32_t to, uint32_t size)
{
	for (; size > NOC_MAX_BURST_SIZE; size -= NOC_MAX_BURST_SIZE) {
		read_packet(noc, from, to, NOC_MAX_BURST_SIZE);
		from += NOC_MAX_BURST_SIZE;
		to += NOC_MAX_BURST_SIZE;
	}
	read_packet(noc, from, to, size);
}
} // namespace tacho

template <bool trace = true>
FORCE_INLINE void noc_async_read_one_packet(uint64_t from, uint32_t to, uint32_t size,
					    uint8_t noc = noc_index,
					    uint32_t = NOC_UNICAST_WRITE_VC)
{
	TACHO_NOC_EVENT_ON(noc, READ, from, to, size, 0);
	tacho::read_packet(noc, from, to, size);
}
template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool trace = true>
inline void noc_async_read(uint64_t from, uint32_t to, uint32_t size, uint8_t noc = noc_index,
			   uint32_t = NOC_UNICAST_WRITE_VC)
{
	TACHO_NOC_EVENT_ON(noc, READ, from, to, size, 0);
	if constexpr (max_page_size <= NOC_MAX_BURST_SIZE)
		tacho::read_packet(noc, from, to, size);
	else
		tacho::read_any(noc, from, to, size);
}

/* State: the command buffer keeps its target, and for single packets its size. */
namespace tacho
{
FORCE_INLINE void read_set_state(uint8_t noc, uint64_t from, uint32_t size)
{
	TACHO_NOC_EVENT_ON(noc, READ_SET_STATE, from, 0, size, 0);
	niu_wait(noc, NIU_BUF_READ);
	NIU(noc, NIU_BUF_READ, NIU_TARG_MID) = (uint32_t)(from >> 32);
	NIU(noc, NIU_BUF_READ, NIU_CTRL) = NIU_CTRL_READ;
}
template <bool posted> FORCE_INLINE void write_set_state(uint8_t noc, uint64_t to, uint32_t size)
{
	TACHO_NOC_EVENT_ON(noc, WRITE_SET_STATE, to, 0, size, posted);
	niu_wait(noc, NIU_BUF_WRITE);
	NIU(noc, NIU_BUF_WRITE, NIU_CTRL) = posted ? NIU_CTRL_POSTED : NIU_CTRL_WRITE;
	NIU(noc, NIU_BUF_WRITE, NIU_RET_MID) = (uint32_t)(to >> 32);
}
} // namespace tacho
FORCE_INLINE void noc_async_read_set_state(uint64_t from, uint8_t noc = noc_index)
{
	tacho::read_set_state(noc, from, 0);
}
template <bool count = true>
FORCE_INLINE void noc_async_read_with_state(uint32_t from, uint32_t to, uint32_t size,
					    uint8_t noc = noc_index)
{
	TACHO_NOC_EVENT_ON(noc, READ_WITH_STATE, 0, to, size, 0);
	for (uint32_t part; size; from += part, to += part, size -= part) {
		part = size > NOC_MAX_BURST_SIZE ? NOC_MAX_BURST_SIZE : size;
		niu_wait(noc, NIU_BUF_READ);
		NIU(noc, NIU_BUF_READ, NIU_TARG_LO) = from;
		NIU(noc, NIU_BUF_READ, NIU_RET_LO) = to;
		NIU(noc, NIU_BUF_READ, NIU_LEN) = part;
		NIU(noc, NIU_BUF_READ, NIU_GO) = 1;
		if (count)
			noc_reads_num_issued[noc]++;
	}
}
template <bool use_vc = false>
FORCE_INLINE void noc_async_read_one_packet_set_state(uint64_t from, uint32_t size, uint32_t = 0,
						      uint8_t noc = noc_index)
{
	tacho::read_set_state(noc, from, size);
	NIU(noc, NIU_BUF_READ, NIU_LEN) = size;
}
template <bool count = true, bool use_vc = false>
FORCE_INLINE void noc_async_read_one_packet_with_state(uint32_t from, uint32_t to, uint32_t = 0,
						       uint8_t noc = noc_index)
{
	TACHO_NOC_EVENT_ON(noc, READ_WITH_STATE, 0, to, 0, 0);
	niu_wait(noc, NIU_BUF_READ);
	NIU(noc, NIU_BUF_READ, NIU_TARG_LO) = from;
	NIU(noc, NIU_BUF_READ, NIU_RET_LO) = to;
	NIU(noc, NIU_BUF_READ, NIU_GO) = 1;
	if (count)
		noc_reads_num_issued[noc]++;
}
FORCE_INLINE void noc_async_read_inc_num_issued(uint32_t by, uint8_t noc = noc_index)
{
	noc_reads_num_issued[noc] += by;
}

/* ---- writes ---- */
namespace tacho
{
FORCE_INLINE void count_write(uint8_t noc, uint32_t receivers, bool posted)
{
	if (posted) {
		noc_posted_writes_num_issued[noc]++;
	} else {
		noc_nonposted_writes_num_issued[noc]++;
		noc_nonposted_writes_acked[noc] += receivers;
	}
}
FORCE_INLINE void write_packet(uint8_t noc, uint32_t from, uint64_t to, uint32_t size,
			       uint32_t ctrl, uint32_t receivers)
{
	niu_write_packet(noc, from, to, size, ctrl);
	count_write(noc, receivers, !(ctrl & 0x10));
}
inline void write_any(uint8_t noc, uint32_t from, uint64_t to, uint32_t size, uint32_t ctrl,
		      uint32_t receivers)
{
	for (; size > NOC_MAX_BURST_SIZE; size -= NOC_MAX_BURST_SIZE) {
		write_packet(noc, from, to, NOC_MAX_BURST_SIZE, ctrl, receivers);
		from += NOC_MAX_BURST_SIZE;
		to += NOC_MAX_BURST_SIZE;
	}
	write_packet(noc, from, to, size, ctrl, receivers);
}
constexpr uint32_t multicast_ctrl(bool linked, bool with_source)
{
	return NIU_CTRL_WRITE | NIU_CTRL_MCAST | (linked ? NIU_CTRL_LINKED : 0) |
	       (with_source ? NIU_CTRL_SOURCE : 0);
}
} // namespace tacho

template <bool trace = true, bool posted = false>
FORCE_INLINE void noc_async_write_one_packet(uint32_t from, uint64_t to, uint32_t size,
					     uint8_t noc = noc_index,
					     uint32_t = NOC_UNICAST_WRITE_VC)
{
	TACHO_NOC_EVENT_ON(noc, WRITE_, to, from, size, posted);
	tacho::write_packet(noc, from, to, size, posted ? NIU_CTRL_POSTED : NIU_CTRL_WRITE, 1);
}
template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool trace = true, bool posted = false>
inline void noc_async_write(uint32_t from, uint64_t to, uint32_t size, uint8_t noc = noc_index,
			    uint32_t = NOC_UNICAST_WRITE_VC)
{
	TACHO_NOC_EVENT_ON(noc, WRITE_, to, from, size, posted);
	tacho::write_any(noc, from, to, size, posted ? NIU_CTRL_POSTED : NIU_CTRL_WRITE, 1);
}
/* RECEIVERS: the cores of the rectangle without the sender; with loopback_src the sender counts. */
template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1>
inline void noc_async_write_multicast(uint32_t from, uint64_t to, uint32_t size, uint32_t receivers,
				      bool linked = false, uint8_t noc = noc_index,
				      uint8_t = NOC_MULTICAST_WRITE_VC)
{
	TACHO_NOC_EVENT_ON(noc, WRITE_MULTICAST, to, from, size, 0);
	tacho::write_any(noc, from, to, size, tacho::multicast_ctrl(linked, false), receivers);
}
template <bool trace = true>
FORCE_INLINE void noc_async_write_multicast_one_packet(uint32_t from, uint64_t to, uint32_t size,
						       uint32_t receivers, bool linked = false,
						       uint8_t noc = noc_index)
{
	noc_async_write_multicast(from, to, size, receivers, linked, noc);
}
inline void noc_async_write_multicast_loopback_src(uint32_t from, uint64_t to, uint32_t size,
						   uint32_t receivers, bool linked = false,
						   uint8_t noc = noc_index)
{
	TACHO_NOC_EVENT_ON(noc, WRITE_MULTICAST, to, from, size, 0);
	tacho::write_any(noc, from, to, size, tacho::multicast_ctrl(linked, true), receivers);
}

template <bool posted = false>
FORCE_INLINE void noc_async_write_set_state(uint64_t to, uint8_t noc = noc_index,
					    uint8_t = NOC_UNICAST_WRITE_VC)
{
	tacho::write_set_state<posted>(noc, to, 0);
}
template <bool posted = false>
FORCE_INLINE void noc_async_write_with_state(uint32_t from, uint32_t to, uint32_t size,
					     uint8_t noc = noc_index)
{
	TACHO_NOC_EVENT_ON(noc, WRITE_WITH_STATE, 0, from, size, posted);
	for (uint32_t part; size; from += part, to += part, size -= part) {
		part = size > NOC_MAX_BURST_SIZE ? NOC_MAX_BURST_SIZE : size;
		niu_wait(noc, NIU_BUF_WRITE);
		NIU(noc, NIU_BUF_WRITE, NIU_TARG_LO) = from;
		NIU(noc, NIU_BUF_WRITE, NIU_RET_LO) = to;
		NIU(noc, NIU_BUF_WRITE, NIU_LEN) = part;
		NIU(noc, NIU_BUF_WRITE, NIU_GO) = 1;
		tacho::count_write(noc, 1, posted);
	}
}
template <bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_set_state(uint64_t to, uint32_t size,
						       uint8_t noc = noc_index,
						       uint8_t = NOC_UNICAST_WRITE_VC)
{
	tacho::write_set_state<posted>(noc, to, size);
	NIU(noc, NIU_BUF_WRITE, NIU_LEN) = size;
}
template <bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_state(uint32_t from, uint32_t to,
							uint8_t noc = noc_index)
{
	TACHO_NOC_EVENT_ON(noc, WRITE_WITH_STATE, 0, from, 0, posted);
	niu_wait(noc, NIU_BUF_WRITE);
	NIU(noc, NIU_BUF_WRITE, NIU_TARG_LO) = from;
	NIU(noc, NIU_BUF_WRITE, NIU_RET_LO) = to;
	NIU(noc, NIU_BUF_WRITE, NIU_GO) = 1;
	tacho::count_write(noc, 1, posted);
}

/* Writes one word, only the bytes whose bits are set in BE. */
namespace tacho
{
FORCE_INLINE void write_word(uint8_t noc, uint64_t to, uint32_t value, uint8_t be, uint32_t ctrl,
			     uint32_t receivers)
{
	niu_wait(noc, NIU_BUF_INLINE);
	NIU(noc, NIU_BUF_INLINE, NIU_TARG_LO) = (uint32_t)to;
	NIU(noc, NIU_BUF_INLINE, NIU_TARG_MID) = (uint32_t)(to >> 32);
	NIU(noc, NIU_BUF_INLINE, NIU_CTRL) = ctrl;
	NIU(noc, NIU_BUF_INLINE, NIU_LEN) = be;
	NIU(noc, NIU_BUF_INLINE, NIU_DATA) = value;
	NIU(noc, NIU_BUF_INLINE, NIU_GO) = 1;
	count_write(noc, receivers, !(ctrl & 0x10));
}
constexpr uint32_t inline_ctrl(bool posted)
{
	return posted ? NIU_CTRL_INLINE & ~0x10u : NIU_CTRL_INLINE;
}
} // namespace tacho

template <InlineWriteDst dst = InlineWriteDst::DEFAULT, bool posted = false, bool flush = true>
FORCE_INLINE void noc_inline_dw_write(uint64_t to, uint32_t value, uint8_t be = 0xF,
				      uint8_t noc = noc_index, uint8_t = NOC_UNICAST_WRITE_VC,
				      uint32_t = 0)
{
	TACHO_NOC_EVENT_ON(noc, WRITE_INLINE, to, 0, 4, posted);
	tacho::write_word(noc, to, value, be, tacho::inline_ctrl(posted), 1);
}
template <InlineWriteDst dst = InlineWriteDst::DEFAULT, bool posted = false, bool flush = true>
FORCE_INLINE void
noc_inline_mcast_dw_write(uint64_t to, uint32_t value, uint8_t be = 0xF, uint8_t noc = noc_index,
			  uint8_t = NOC_MULTICAST_WRITE_VC, uint32_t = 0, uint32_t receivers = 1)
{
	TACHO_NOC_EVENT_ON(noc, WRITE_INLINE, to, 0, 4, posted);
	tacho::write_word(noc, to, value, be, tacho::inline_ctrl(posted) | NIU_CTRL_MCAST,
			  receivers);
}
template <bool posted = false, bool set_val = false>
FORCE_INLINE void noc_inline_dw_write_set_state(uint64_t to, uint32_t value = 0, uint8_t be = 0xF,
						uint8_t = write_at_cmd_buf, uint8_t noc = noc_index,
						uint8_t = NOC_UNICAST_WRITE_VC)
{
	niu_wait(noc, NIU_BUF_INLINE);
	NIU(noc, NIU_BUF_INLINE, NIU_TARG_LO) = (uint32_t)to;
	NIU(noc, NIU_BUF_INLINE, NIU_TARG_MID) = (uint32_t)(to >> 32);
	NIU(noc, NIU_BUF_INLINE, NIU_CTRL) = tacho::inline_ctrl(posted);
	NIU(noc, NIU_BUF_INLINE, NIU_LEN) = be;
	if (set_val)
		NIU(noc, NIU_BUF_INLINE, NIU_DATA) = value;
}
template <bool update_addr_lo = false, bool update_counter = true, bool posted = false,
	  bool update_addr_hi = false, bool update_val = false,
	  InlineWriteDst dst = InlineWriteDst::DEFAULT>
FORCE_INLINE void noc_inline_dw_write_with_state(uint32_t value, uint32_t address = 0,
						 uint8_t = write_at_cmd_buf,
						 uint8_t noc = noc_index)
{
	niu_wait(noc, NIU_BUF_INLINE);
	if (update_addr_lo)
		NIU(noc, NIU_BUF_INLINE, NIU_TARG_LO) = address;
	if (update_addr_hi)
		NIU(noc, NIU_BUF_INLINE, NIU_TARG_MID) = address;
	if (update_val)
		NIU(noc, NIU_BUF_INLINE, NIU_DATA) = value;
	NIU(noc, NIU_BUF_INLINE, NIU_GO) = 1;
	if (update_counter)
		tacho::count_write(noc, 1, posted);
}

/* ---- pages: of any type that knows the address and size of page ID ---- */
template <typename Gen>
requires std::is_class_v<Gen> FORCE_INLINE uint64_t get_noc_addr(const uint32_t id, const Gen &gen,
								 uint32_t offset = 0,
								 uint8_t noc = noc_index)
{
	return gen.get_noc_addr(id, offset, noc);
}
template <typename Gen, bool trace = true>
FORCE_INLINE void noc_async_read_page(const uint32_t id, const Gen &gen, uint32_t to,
				      uint32_t offset = 0, uint8_t noc = noc_index)
{
	noc_async_read(tacho::page_address(gen, id, offset, noc), to,
		       tacho::page_bytes(gen) - offset, noc);
}
template <typename Gen, bool trace = true, bool posted = false>
FORCE_INLINE void noc_async_write_page(const uint32_t id, const Gen &gen, uint32_t from,
				       uint32_t size = 0, uint32_t offset = 0,
				       uint8_t noc = noc_index)
{
	noc_async_write<NOC_MAX_BURST_SIZE + 1, trace, posted>(
		from, tacho::page_address(gen, id, offset, noc),
		size ? size : tacho::page_bytes(gen), noc);
}
template <typename Gen>
FORCE_INLINE void noc_async_read_tile(const uint32_t id, const Gen &gen, uint32_t to,
				      uint32_t offset = 0, uint8_t noc = noc_index)
{
	noc_async_read_page(id, gen, to, offset, noc);
}
template <typename Gen>
FORCE_INLINE void noc_async_write_tile(const uint32_t id, const Gen &gen, uint32_t from,
				       uint8_t noc = noc_index)
{
	noc_async_write_page(id, gen, from, 0, 0, noc);
}
template <typename Gen>
FORCE_INLINE void noc_async_read_shard(const uint32_t shard, const Gen &gen, uint32_t to,
				       uint8_t noc = noc_index)
{
	noc_async_read(gen.get_shard_noc_addr(shard, 0, noc), to,
		       gen.dspec().shard_volume() * gen.get_aligned_page_size(), noc);
}
template <typename Gen, bool posted = false>
FORCE_INLINE void noc_async_write_shard(const uint32_t shard, const Gen &gen, uint32_t from,
					uint8_t noc = noc_index)
{
	noc_async_write<NOC_MAX_BURST_SIZE + 1, true, posted>(
		from, gen.get_shard_noc_addr(shard, 0, noc),
		gen.dspec().shard_volume() * gen.get_aligned_page_size(), noc);
}

/* ---- barriers ---- */
FORCE_INLINE void noc_async_read_barrier(uint8_t noc = noc_index)
{
	TACHO_NOC_EVENT_ON(noc, READ_BARRIER_START, 0, 0, 0, 0);
	while (NIU_COUNTER(noc, NIU_READ_RESP) != noc_reads_num_issued[noc])
		;
	TACHO_NOC_EVENT_ON(noc, READ_BARRIER_END, 0, 0, 0, 0);
	invalidate_l1_cache();
}
FORCE_INLINE void noc_async_write_barrier(uint8_t noc = noc_index)
{
	TACHO_NOC_EVENT_ON(noc, WRITE_BARRIER_START, 0, 0, 0, 0);
	while (NIU_COUNTER(noc, NIU_WRITE_ACK) != noc_nonposted_writes_acked[noc])
		;
	TACHO_NOC_EVENT_ON(noc, WRITE_BARRIER_END, 0, 0, 0, 0);
	invalidate_l1_cache();
}
/* The data has left: its memory may be reused, but it need not have arrived. */
FORCE_INLINE void noc_async_writes_flushed(uint8_t noc = noc_index)
{
	TACHO_NOC_EVENT_ON(noc, WRITE_FLUSH, 0, 0, 0, 0);
	while (NIU_COUNTER(noc, NIU_WRITE_SENT) != noc_nonposted_writes_num_issued[noc])
		;
}
FORCE_INLINE void noc_async_posted_writes_flushed(uint8_t noc = noc_index)
{
	while (NIU_COUNTER(noc, NIU_POSTED_SENT) != noc_posted_writes_num_issued[noc])
		;
}
FORCE_INLINE void noc_async_atomic_barrier(uint8_t noc = noc_index)
{
	TACHO_NOC_EVENT_ON(noc, ATOMIC_BARRIER, 0, 0, 0, 0);
	while (NIU_COUNTER(noc, NIU_ATOMIC_RESP) != noc_nonposted_atomics_acked[noc])
		;
	invalidate_l1_cache();
}
FORCE_INLINE void noc_async_full_barrier(uint8_t noc = noc_index)
{
	noc_async_read_barrier(noc);
	noc_async_write_barrier(noc);
	noc_async_posted_writes_flushed(noc);
	noc_async_atomic_barrier(noc);
}

/* ---- transaction ids: 16 per NoC, each with a count of pending transfers ---- */
FORCE_INLINE void noc_async_read_set_trid(uint32_t trid = 0, uint8_t noc = noc_index)
{
	niu_wait(noc, NIU_BUF_READ);
	NIU(noc, NIU_BUF_READ, NIU_TAG) = trid << 10;
}
FORCE_INLINE void noc_async_write_set_trid(uint32_t trid = 0, uint8_t noc = noc_index)
{
	niu_wait(noc, NIU_BUF_WRITE);
	NIU(noc, NIU_BUF_WRITE, NIU_TAG) = trid << 10;
}
FORCE_INLINE bool ncrisc_noc_read_with_transaction_id_flushed(uint32_t noc, uint32_t trid)
{
	return NIU_COUNTER(noc, 0x10 + trid) == 0;
}
FORCE_INLINE bool ncrisc_noc_nonposted_write_with_transaction_id_flushed(uint32_t noc,
									 uint32_t trid)
{
	return NIU_COUNTER(noc, 0x10 + trid) == 0;
}
FORCE_INLINE void noc_async_read_barrier_with_trid(uint32_t trid, uint8_t noc = noc_index)
{
	while (!ncrisc_noc_read_with_transaction_id_flushed(noc, trid))
		;
	invalidate_l1_cache();
}
FORCE_INLINE void noc_async_write_barrier_with_trid(uint32_t trid, uint8_t noc = noc_index)
{
	noc_async_read_barrier_with_trid(trid, noc);
}
/* Data leaves when its command is accepted. */
FORCE_INLINE void noc_async_write_flushed_with_trid(uint32_t, uint8_t noc = noc_index)
{
	niu_wait(noc, NIU_BUF_WRITE);
}
template <bool skip_ptr_update = false, bool skip_cmdbuf_chk = false>
FORCE_INLINE void noc_async_read_one_packet_with_state_with_trid(uint32_t base, uint32_t offset,
								 uint32_t to, uint32_t trid = 0,
								 uint8_t noc = noc_index)
{
	noc_async_read_set_trid(trid, noc);
	noc_async_read_one_packet_with_state<!skip_ptr_update>(base + offset, to, 0, noc);
}
template <bool count = true, bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_trid(uint32_t from, uint64_t to, uint32_t size,
						       uint32_t trid, uint8_t = write_cmd_buf,
						       uint8_t noc = noc_index,
						       uint8_t = NOC_UNICAST_WRITE_VC)
{
	TACHO_NOC_EVENT_ON(noc, WRITE_WITH_TRID, to, from, size, posted);
	noc_async_write_set_trid(trid, noc);
	niu_write_packet(noc, from, to, size, posted ? NIU_CTRL_POSTED : NIU_CTRL_WRITE);
	if (count)
		tacho::count_write(noc, 1, posted);
}
template <bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_trid_set_state(uint64_t to,
								 uint8_t = write_cmd_buf,
								 uint8_t noc = noc_index,
								 uint8_t = NOC_UNICAST_WRITE_VC)
{
	noc_async_write_set_state<posted>(to, noc);
}
template <bool count = true, bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_trid_with_state(uint32_t from, uint32_t to,
								  uint32_t size, uint32_t trid,
								  uint8_t = write_cmd_buf,
								  uint8_t noc = noc_index)
{
	noc_async_write_set_trid(trid, noc);
	NIU(noc, NIU_BUF_WRITE, NIU_TARG_LO) = from;
	NIU(noc, NIU_BUF_WRITE, NIU_RET_LO) = to;
	NIU(noc, NIU_BUF_WRITE, NIU_LEN) = size;
	NIU(noc, NIU_BUF_WRITE, NIU_GO) = 1;
	if (count)
		tacho::count_write(noc, 1, posted);
}
/* Ids count down by themselves: no reset is needed once all data has arrived. */
FORCE_INLINE void reset_noc_trid_barrier_counter(uint32_t mask = NOC_CLEAR_OUTSTANDING_REQ_MASK,
						 uint32_t noc = noc_index)
{
	for (uint32_t id = 0; id < 16; id++)
		if (mask >> id & 1)
			noc_async_read_barrier_with_trid(id, (uint8_t)noc);
}

/* ---- semaphores ---- */
template <ProgrammableCoreType type = ProgrammableCoreType::TENSIX>
FORCE_INLINE uintptr_t get_semaphore(uint32_t id)
{
	return tacho_sems + id * SEM_STRIDE;
}
namespace tacho
{
FORCE_INLINE void add_word(uint8_t noc, uint64_t to, uint32_t by, uint32_t ctrl, uint32_t receivers)
{
	niu_wait(noc, NIU_BUF_ATOMIC);
	NIU(noc, NIU_BUF_ATOMIC, NIU_TARG_LO) = (uint32_t)to;
	NIU(noc, NIU_BUF_ATOMIC, NIU_TARG_MID) = (uint32_t)(to >> 32);
	NIU(noc, NIU_BUF_ATOMIC, NIU_RET_LO) = 0;
	NIU(noc, NIU_BUF_ATOMIC, NIU_CTRL) = ctrl;
	NIU(noc, NIU_BUF_ATOMIC, NIU_LEN) = 1u << 12 | 31u << 2 | ((uint32_t)to >> 2 & 3);
	NIU(noc, NIU_BUF_ATOMIC, NIU_DATA) = by;
	NIU(noc, NIU_BUF_ATOMIC, NIU_GO) = 1;
	if (ctrl & 0x10)
		noc_nonposted_atomics_acked[noc] += receivers;
}
} // namespace tacho
template <bool posted = false>
FORCE_INLINE void noc_semaphore_inc(uint64_t semaphore, uint32_t by, uint8_t noc = noc_index,
				    uint8_t = NOC_UNICAST_WRITE_VC)
{
	TACHO_NOC_EVENT_ON(noc, SEMAPHORE_INC, semaphore, 0, 4, posted);
	tacho::add_word(noc, semaphore, by, posted ? 1u : NIU_CTRL_ATOMIC, 1);
}
template <bool posted = false>
FORCE_INLINE void noc_semaphore_inc_multicast(uint64_t semaphore, uint32_t by, uint32_t receivers,
					      uint8_t noc = noc_index,
					      uint8_t = NOC_MULTICAST_WRITE_VC)
{
	TACHO_NOC_EVENT_ON(noc, SEMAPHORE_INC_MULTICAST, semaphore, 0, 4, posted);
	tacho::add_word(noc, semaphore, by, (posted ? 1u : NIU_CTRL_ATOMIC) | NIU_CTRL_MCAST,
			receivers);
}
FORCE_INLINE void noc_semaphore_wait(volatile tt_l1_ptr uint32_t *semaphore, uint32_t value)
{
	TACHO_NOC_EVENT(SEMAPHORE_WAIT, 0, (uint32_t)(uintptr_t)semaphore, 0, 0);
	while (*semaphore != value)
		;
}
FORCE_INLINE void noc_semaphore_wait_min(volatile tt_l1_ptr uint32_t *semaphore, uint32_t value)
{
	TACHO_NOC_EVENT(SEMAPHORE_WAIT, 0, (uint32_t)(uintptr_t)semaphore, 0, 0);
	while (*semaphore < value)
		;
}
FORCE_INLINE void noc_semaphore_set(volatile tt_l1_ptr uint32_t *semaphore, uint32_t value)
{
	TACHO_NOC_EVENT(SEMAPHORE_SET, 0, (uint32_t)(uintptr_t)semaphore, 4, 0);
	*semaphore = value;
}
inline void noc_semaphore_set_remote(uint32_t from, uint64_t to, uint8_t noc = noc_index)
{
	TACHO_NOC_EVENT_ON(noc, SEMAPHORE_SET_REMOTE, to, from, 4, 0);
	tacho::write_packet(noc, from, to, 4, NIU_CTRL_WRITE, 1);
}
inline void noc_semaphore_set_multicast(uint32_t from, uint64_t to, uint32_t receivers,
					bool linked = false, uint8_t noc = noc_index,
					uint8_t = NOC_MULTICAST_WRITE_VC)
{
	TACHO_NOC_EVENT_ON(noc, SEMAPHORE_SET_MULTICAST, to, from, 4, 0);
	tacho::write_packet(noc, from, to, 4, tacho::multicast_ctrl(linked, false), receivers);
}
inline void noc_semaphore_set_multicast_loopback_src(uint32_t from, uint64_t to, uint32_t receivers,
						     bool linked = false, uint8_t noc = noc_index)
{
	TACHO_NOC_EVENT_ON(noc, SEMAPHORE_SET_MULTICAST, to, from, 4, 0);
	tacho::write_packet(noc, from, to, 4, tacho::multicast_ctrl(linked, true), receivers);
}

inline void wait_for_sync_register_value(uintptr_t address, int32_t value)
{
	while (*(volatile int32_t *)address != value)
		;
}

/* ---- circular buffers: one producer, one consumer, pages in order ---- */
FORCE_INLINE uint32_t get_write_ptr(uint32_t cb)
{
	return tacho_cbs[cb].fifo_wr_ptr;
}
FORCE_INLINE uint32_t get_read_ptr(uint32_t cb)
{
	return tacho_cbs[cb].fifo_rd_ptr;
}
FORCE_INLINE bool cb_pages_reservable_at_back(int32_t cb, int32_t pages)
{
	return tacho_cbs[cb].fifo_num_pages - (uint16_t)(CB_RECEIVED(cb) - CB_ACKED(cb)) >= pages;
}
FORCE_INLINE void cb_reserve_back(int32_t cb, int32_t pages)
{
	while (!cb_pages_reservable_at_back(cb, pages))
		;
}
FORCE_INLINE void cb_push_back(const int32_t cb, const int32_t pages)
{
	LocalCBInterface &c = tacho_cbs[cb];

	CB_RECEIVED(cb) = CB_RECEIVED(cb) + (uint32_t)pages;
	c.fifo_wr_ptr += (uint32_t)pages * c.fifo_page_size;
	if (c.fifo_wr_ptr >= c.fifo_limit)
		c.fifo_wr_ptr -= c.fifo_size;
}
FORCE_INLINE bool cb_pages_available_at_front(int32_t cb, int32_t pages)
{
	return (int32_t)(uint16_t)(CB_RECEIVED(cb) - CB_ACKED(cb)) >= pages;
}
FORCE_INLINE void cb_wait_front(int32_t cb, int32_t pages)
{
	while (!cb_pages_available_at_front(cb, pages))
		;
}
FORCE_INLINE void cb_pop_front(int32_t cb, int32_t pages)
{
	LocalCBInterface &c = tacho_cbs[cb];

	CB_ACKED(cb) = CB_ACKED(cb) + (uint32_t)pages;
	c.fifo_rd_ptr += (uint32_t)pages * c.fifo_page_size;
	if (c.fifo_rd_ptr >= c.fifo_limit)
		c.fifo_rd_ptr -= c.fifo_size;
}

#ifdef TACHO_ERISC
#include "kernel/ethernet.h"
#endif
#include "kernel/accessor.h"
#include "kernel/objects.h"

#endif
