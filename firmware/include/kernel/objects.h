/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same calls as objects: Noc, CircularBuffer, DataflowBuffer, Semaphore, CoreLocalMem,
 * endpoints. noc_traits_t says what may be a source or a target of transfers.
 */
#ifndef TACHO_KERNEL_OBJECTS_H
#define TACHO_KERNEL_OBJECTS_H

#include "kernel/types.h"

#include "kernel/args.h"
#include "kernel/local.h"

template <typename T> struct noc_traits_t {
	static_assert(tacho::always_false<T>,
		      "this type is neither a source nor a target of the NoC");
};

enum class NocOptions : uint32_t {
	DEFAULT = 0,
	TXN_ID = 1,
	POSTED = 2,
	CUSTOM_VC = 4,
	MCAST_INCL_SRC = 8,
	INLINE_L1 = 16,
	INLINE_REG = 32,
};
constexpr NocOptions operator|(NocOptions a, NocOptions b) noexcept
{
	return NocOptions(uint32_t(a) | uint32_t(b));
}
constexpr bool has_flag(NocOptions options, NocOptions flag) noexcept
{
	return uint32_t(options) & uint32_t(flag);
}
struct NocOptVals {
	uint8_t vc = NOC_UNICAST_WRITE_VC;
	uint32_t trid = 0;
};

class Noc
{
	uint8_t id;

public:
	enum class AddressType { NOC, LOCAL_L1 };
	static constexpr uint32_t INVALID_TXN_ID = 0xFFFFFFFF;
	/* Options of early 2026. */
	struct McastMode {
		static constexpr NocOptions INCLUDE_SRC = NocOptions::MCAST_INCL_SRC,
					    EXCLUDE_SRC = NocOptions::DEFAULT;
	};
	struct TxnIdMode {
		static constexpr NocOptions ENABLED = NocOptions::TXN_ID,
					    DISABLED = NocOptions::DEFAULT;
	};
	struct ResponseMode {
		static constexpr NocOptions POSTED = NocOptions::POSTED,
					    NON_POSTED = NocOptions::DEFAULT;
	};
	struct BarrierMode {
		static constexpr NocOptions TXN_ID = NocOptions::TXN_ID, FULL = NocOptions::DEFAULT;
	};
	struct VcSelection {
		static constexpr NocOptions CUSTOM = NocOptions::CUSTOM_VC,
					    DEFAULT = NocOptions::DEFAULT;
	};
	template <typename T> using src_args_t = typename noc_traits_t<T>::src_args_type;
	template <typename T> using dst_args_t = typename noc_traits_t<T>::dst_args_type;
	template <typename T>
	using dst_args_mcast_t = typename noc_traits_t<T>::dst_args_mcast_type;
	template <AddressType type>
	using addr_underlying_t = std::conditional_t<type == AddressType::NOC, uint64_t, uint32_t>;

	Noc() : id(noc_index)
	{
	}
	explicit Noc(uint8_t noc) : id(noc)
	{
	}
	uint8_t get_noc_id() const
	{
		return id;
	}
	bool is_local_bank(uint32_t x, uint32_t y) const
	{
		return x == my_x[id] && y == my_y[id];
	}
	bool is_local_addr(const uint64_t address) const
	{
		return is_local_bank(NOC_UNICAST_ADDR_X(address), NOC_UNICAST_ADDR_Y(address));
	}

private:
	template <AddressType type, typename Src>
	addr_underlying_t<type> source(const Src &src, const src_args_t<Src> &args) const
	{
		return addr_underlying_t<type>(
			noc_traits_t<Src>::template src_addr<type>(src, *this, args));
	}
	template <AddressType type, typename Dst>
	addr_underlying_t<type> target(const Dst &dst, const dst_args_t<Dst> &args) const
	{
		return addr_underlying_t<type>(
			noc_traits_t<Dst>::template dst_addr<type>(dst, *this, args));
	}
	static constexpr AddressType far = AddressType::NOC, near = AddressType::LOCAL_L1;
	static constexpr uint32_t any_size = NOC_MAX_BURST_SIZE + 1;

public:
	template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = any_size,
		  bool trace = true, typename Src, typename Dst>
	void async_read(const Src &src, const Dst &dst, uint32_t size,
			const src_args_t<Src> &src_args, const dst_args_t<Dst> &dst_args,
			const NocOptVals &vals = {}) const
	{
		if constexpr (has_flag(opts, NocOptions::TXN_ID))
			noc_async_read_set_trid(vals.trid, id);
		noc_async_read<max_page_size, trace>(
			source<far>(src, src_args), target<near>(dst, dst_args), size, id, vals.vc);
	}
	template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = any_size,
		  typename Src>
	void set_async_read_state(const Src &src, uint32_t size, const src_args_t<Src> &src_args,
				  const NocOptVals &vals = {}) const
	{
		if constexpr (has_flag(opts, NocOptions::TXN_ID))
			noc_async_read_set_trid(vals.trid, id);
		if constexpr (max_page_size <= NOC_MAX_BURST_SIZE)
			noc_async_read_one_packet_set_state(source<far>(src, src_args), size, 0,
							    id);
		else
			noc_async_read_set_state(source<far>(src, src_args), id);
	}
	template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = any_size,
		  typename Src, typename Dst>
	void async_read_with_state(const Src &src, const Dst &dst, uint32_t size,
				   const src_args_t<Src> &src_args, const dst_args_t<Dst> &dst_args,
				   const NocOptVals &vals = {}) const
	{
		uint32_t from = (uint32_t)source<far>(src, src_args);

		if constexpr (has_flag(opts, NocOptions::TXN_ID))
			noc_async_read_set_trid(vals.trid, id);
		if constexpr (max_page_size <= NOC_MAX_BURST_SIZE)
			noc_async_read_one_packet_with_state(from, target<near>(dst, dst_args), 0,
							     id);
		else
			noc_async_read_with_state(from, target<near>(dst, dst_args), size, id);
	}
	template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = any_size,
		  bool trace = true, typename Src, typename Dst>
	void async_write(const Src &src, const Dst &dst, uint32_t size,
			 const src_args_t<Src> &src_args, const dst_args_t<Dst> &dst_args,
			 const NocOptVals &vals = {}) const
	{
		if constexpr (has_flag(opts, NocOptions::TXN_ID))
			noc_async_write_set_trid(vals.trid, id);
		noc_async_write<max_page_size, trace, has_flag(opts, NocOptions::POSTED)>(
			source<near>(src, src_args), target<far>(dst, dst_args), size, id, vals.vc);
	}
	template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = any_size,
		  bool trace = true, typename Src, typename Dst>
	void async_write_multicast(const Src &src, const Dst &dst, uint32_t size,
				   uint32_t receivers, const src_args_t<Src> &src_args,
				   const dst_args_mcast_t<Dst> &dst_args, bool linked = false) const
	{
		uint64_t to = noc_traits_t<Dst>::template dst_addr_mcast<far>(dst, *this, dst_args);

		static_assert(!has_flag(opts, NocOptions::TXN_ID),
			      "no transaction ids for multicast");
		if constexpr (has_flag(opts, NocOptions::MCAST_INCL_SRC))
			noc_async_write_multicast_loopback_src(source<near>(src, src_args), to,
							       size, receivers, linked, id);
		else
			noc_async_write_multicast<max_page_size>(source<near>(src, src_args), to,
								 size, receivers, linked, id);
	}
	template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = any_size,
		  typename Dst>
	void set_async_write_state(const Dst &dst, uint32_t size, const dst_args_t<Dst> &dst_args,
				   const NocOptVals &vals = {}) const
	{
		noc_async_write_one_packet_set_state<has_flag(opts, NocOptions::POSTED)>(
			target<far>(dst, dst_args), size, id, vals.vc);
	}
	template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = any_size,
		  typename Src, typename Dst>
	void async_write_with_state(const Src &src, const Dst &dst, uint32_t size,
				    const src_args_t<Src> &src_args,
				    const dst_args_t<Dst> &dst_args, const NocOptVals & = {}) const
	{
		constexpr bool posted = has_flag(opts, NocOptions::POSTED);
		uint32_t to = (uint32_t)target<far>(dst, dst_args);

		if constexpr (max_page_size <= NOC_MAX_BURST_SIZE)
			noc_async_write_one_packet_with_state<posted>(source<near>(src, src_args),
								      to, id);
		else
			noc_async_write_with_state<posted>(source<near>(src, src_args), to, size,
							   id);
	}
	template <NocOptions opts = NocOptions::DEFAULT, typename Dst>
	void inline_dw_write(const Dst &dst, uint32_t value, const dst_args_t<Dst> &dst_args,
			     uint8_t be = 0xF, const NocOptVals &vals = {}) const
	{
		noc_inline_dw_write<InlineWriteDst::DEFAULT, has_flag(opts, NocOptions::POSTED)>(
			target<far>(dst, dst_args), value, be, id, vals.vc);
	}
	bool is_read_trid_flushed(uint32_t trid) const
	{
		return ncrisc_noc_read_with_transaction_id_flushed(id, trid);
	}
	template <NocOptions opts = NocOptions::DEFAULT>
	void async_read_barrier(const NocOptVals &vals = {}) const
	{
		if constexpr (has_flag(opts, NocOptions::TXN_ID))
			noc_async_read_barrier_with_trid(vals.trid, id);
		else
			noc_async_read_barrier(id);
	}
	template <NocOptions opts> void async_read_barrier(uint32_t trid) const
	{
		async_read_barrier<opts>(NocOptVals{.trid = trid});
	}
	template <NocOptions opts> void async_write_barrier(uint32_t trid) const
	{
		async_write_barrier<opts>(NocOptVals{.trid = trid});
	}
	template <NocOptions opts = NocOptions::DEFAULT>
	void async_write_barrier(const NocOptVals &vals = {}) const
	{
		if constexpr (has_flag(opts, NocOptions::TXN_ID))
			noc_async_write_barrier_with_trid(vals.trid, id);
		else
			noc_async_write_barrier(id);
	}
	template <NocOptions opts = NocOptions::DEFAULT>
	void async_writes_flushed(const NocOptVals &vals = {}) const
	{
		if constexpr (has_flag(opts, NocOptions::TXN_ID))
			noc_async_write_flushed_with_trid(vals.trid, id);
		else if constexpr (has_flag(opts, NocOptions::POSTED))
			noc_async_posted_writes_flushed(id);
		else
			noc_async_writes_flushed(id);
	}
	void async_atomic_barrier() const
	{
		noc_async_atomic_barrier(id);
	}
	void async_full_barrier() const
	{
		noc_async_full_barrier(id);
	}

	/* Writes zeros: to L1 of this core by reading memory that is all 0, to DRAM from there. */
	template <typename Dst>
	void async_write_zeros(const Dst &dst, uint32_t size,
			       const dst_args_t<Dst> &args = {}) const
	{
		if constexpr (requires { noc_traits_t<Dst>::local; }) {
			uint32_t to = target<near>(dst, args);
			uint64_t zeros = NOC_XY_ADDR(my_x[id], my_y[id], TACHO_ZEROS);

			for (uint32_t part; size; to += part, size -= part) {
				part = size > TACHO_ZEROS_SIZE ? TACHO_ZEROS_SIZE : size;
				noc_async_read(zeros, to, part, id);
			}
		} else {
			uint64_t to = target<far>(dst, args);

			for (uint32_t part; size; to += part, size -= part) {
				part = size > TACHO_ZEROS_SIZE ? TACHO_ZEROS_SIZE : size;
				noc_async_write(TACHO_ZEROS, to, part, id);
			}
		}
	}
	template <typename Dst, typename Scratch>
	void async_write_zeros(const Dst &dst, uint32_t size, const dst_args_t<Dst> &args,
			       const Scratch &) const
	{
		async_write_zeros(dst, size, args);
	}
	void write_zeros_l1_barrier() const
	{
		noc_async_read_barrier(id);
	}
	void write_zeros_dram_barrier() const
	{
		noc_async_write_barrier(id);
	}
};

namespace tacho
{
struct offset_args {
	uint32_t offset_bytes = 0;
};
struct offset_mcast_args {
	uint32_t noc_x_start = 0, noc_y_start = 0, noc_x_end = 0, noc_y_end = 0, offset_bytes = 0;
};
struct page_args {
	uint32_t page_id = 0;
	uint32_t offset_bytes = 0;
};

/* L1 of this core: LOCAL marks it as such. */
template <class T, class Pointers> struct local_traits {
	using src_args_type = offset_args;
	using dst_args_type = offset_args;
	using dst_args_mcast_type = offset_mcast_args;
	static constexpr bool local = true;
	template <Noc::AddressType type> static auto place(uint32_t address, const Noc &noc)
	{
		if constexpr (type == Noc::AddressType::LOCAL_L1)
			return address;
		else
			return ::get_noc_addr(address, noc.get_noc_id());
	}
	template <Noc::AddressType type>
	static auto src_addr(const T &t, const Noc &noc, const src_args_type &args)
	{
		return place<type>(Pointers::source(t) + args.offset_bytes, noc);
	}
	template <Noc::AddressType type>
	static auto dst_addr(const T &t, const Noc &noc, const dst_args_type &args)
	{
		return place<type>(Pointers::target(t) + args.offset_bytes, noc);
	}
	template <Noc::AddressType type>
	static auto dst_addr_mcast(const T &t, const Noc &noc, const dst_args_mcast_type &args)
	{
		return ::get_noc_multicast_addr(
			args.noc_x_start, args.noc_y_start, args.noc_x_end, args.noc_y_end,
			Pointers::target(t) + args.offset_bytes, noc.get_noc_id());
	}
};
struct buffer_pointers {
	template <class T> static uint32_t source(const T &t)
	{
		return t.get_read_ptr();
	}
	template <class T> static uint32_t target(const T &t)
	{
		return t.get_write_ptr();
	}
};
struct memory_pointers {
	template <class T> static uint32_t source(const T &t)
	{
		return (uint32_t)t.get_address();
	}
	template <class T> static uint32_t target(const T &t)
	{
		return (uint32_t)t.get_address();
	}
};

/* Pages of a tensor. */
template <class T> struct page_traits {
	using src_args_type = page_args;
	using dst_args_type = page_args;
	template <Noc::AddressType type, class Args>
	static auto place(const T &t, const Noc &noc, const Args &args)
	{
		uint64_t address =
			t.get_noc_addr(args.page_id, args.offset_bytes, noc.get_noc_id());

		if constexpr (type == Noc::AddressType::LOCAL_L1)
			return (uint32_t)address;
		else
			return address;
	}
	template <Noc::AddressType type>
	static auto src_addr(const T &t, const Noc &noc, const src_args_type &args)
	{
		return place<type>(t, noc, args);
	}
	template <Noc::AddressType type>
	static auto dst_addr(const T &t, const Noc &noc, const dst_args_type &args)
	{
		return place<type>(t, noc, args);
	}
};
} // namespace tacho

template <class Spec>
struct noc_traits_t<TensorAccessor<Spec>> : tacho::page_traits<TensorAccessor<Spec>> {
};
template <class A> struct noc_traits_t<PageView<A>> : tacho::page_traits<PageView<A>> {
};
template <>
struct noc_traits_t<AbstractTensorAccessorWrapper>
    : tacho::page_traits<AbstractTensorAccessorWrapper> {
};
template <bool DRAM>
struct noc_traits_t<InterleavedAddrGen<DRAM>> : tacho::page_traits<InterleavedAddrGen<DRAM>> {
};
template <bool DRAM, uint32_t hw>
struct noc_traits_t<InterleavedAddrGenFast<DRAM, hw>>
    : tacho::page_traits<InterleavedAddrGenFast<DRAM, hw>> {
};
template <class A> struct noc_traits_t<ShardView<A>> {
	struct src_args_type {
		uint32_t shard_id = 0;
		uint32_t offset_bytes = 0;
	};
	using dst_args_type = src_args_type;
	template <Noc::AddressType type>
	static auto src_addr(const ShardView<A> &v, const Noc &noc, const src_args_type &args)
	{
		return typename Noc::addr_underlying_t<type>(
			v.get_noc_addr(args.shard_id, args.offset_bytes, noc.get_noc_id()));
	}
	template <Noc::AddressType type>
	static auto dst_addr(const ShardView<A> &v, const Noc &noc, const dst_args_type &args)
	{
		return src_addr<type>(v, noc, args);
	}
};
template <> struct noc_traits_t<tensor_accessor::Page> {
	using src_args_type = tacho::offset_args;
	using dst_args_type = tacho::offset_args;
	template <Noc::AddressType type>
	static auto src_addr(const tensor_accessor::Page &p, const Noc &, const src_args_type &args)
	{
		return typename Noc::addr_underlying_t<type>(p.noc_addr() + args.offset_bytes);
	}
	template <Noc::AddressType type>
	static auto dst_addr(const tensor_accessor::Page &p, const Noc &noc,
			     const dst_args_type &args)
	{
		return src_addr<type>(p, noc, args);
	}
};

/* ---- endpoints ---- */
struct UnicastEndpoint {
	uint64_t get_noc_unicast_addr(uint32_t x, uint32_t y, uint32_t address, uint8_t noc) const
	{
		return get_noc_addr(x, y, address, noc);
	}
};
struct MulticastEndpoint {
	uint64_t get_noc_multicast_addr(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1,
					uint32_t address, uint8_t noc) const
	{
		return ::get_noc_multicast_addr(x0, y0, x1, y1, address, noc);
	}
};
enum class AllocatorBankType { L1, DRAM };
template <AllocatorBankType type> struct AllocatorBank {
	uint64_t get_noc_addr_from_bank_id(uint32_t bank, uint32_t address, uint8_t noc) const
	{
		return ::get_noc_addr_from_bank_id<type == AllocatorBankType::DRAM>(bank, address,
										    noc);
	}
};
template <> struct noc_traits_t<UnicastEndpoint> {
	struct src_args_type {
		uint32_t noc_x = 0, noc_y = 0, addr = 0;
	};
	using dst_args_type = src_args_type;
	template <Noc::AddressType type>
	static auto src_addr(const UnicastEndpoint &, const Noc &noc, const src_args_type &args)
	{
		if constexpr (type == Noc::AddressType::LOCAL_L1)
			return args.addr;
		else
			return ::get_noc_addr(args.noc_x, args.noc_y, args.addr, noc.get_noc_id());
	}
	template <Noc::AddressType type>
	static auto dst_addr(const UnicastEndpoint &e, const Noc &noc, const dst_args_type &args)
	{
		return src_addr<type>(e, noc, args);
	}
};
template <> struct noc_traits_t<MulticastEndpoint> {
	struct dst_args_mcast_type {
		uint32_t noc_x_start = 0, noc_y_start = 0, noc_x_end = 0, noc_y_end = 0, addr = 0;
	};
	template <Noc::AddressType type>
	static auto dst_addr_mcast(const MulticastEndpoint &, const Noc &noc,
				   const dst_args_mcast_type &args)
	{
		return ::get_noc_multicast_addr(args.noc_x_start, args.noc_y_start, args.noc_x_end,
						args.noc_y_end, args.addr, noc.get_noc_id());
	}
};
template <AllocatorBankType bank_type> struct noc_traits_t<AllocatorBank<bank_type>> {
	struct src_args_type {
		uint32_t bank_id = 0, addr = 0;
	};
	using dst_args_type = src_args_type;
	template <Noc::AddressType type>
	static auto src_addr(const AllocatorBank<bank_type> &b, const Noc &noc,
			     const src_args_type &args)
	{
		return typename Noc::addr_underlying_t<type>(
			b.get_noc_addr_from_bank_id(args.bank_id, args.addr, noc.get_noc_id()));
	}
	template <Noc::AddressType type>
	static auto dst_addr(const AllocatorBank<bank_type> &b, const Noc &noc,
			     const dst_args_type &args)
	{
		return src_addr<type>(b, noc, args);
	}
};

/* ---- the classes of local.h as sources and targets ---- */
template <>
struct noc_traits_t<CircularBuffer> : tacho::local_traits<CircularBuffer, tacho::buffer_pointers> {
};
template <CircularBuffer::AddrSelector which>
struct noc_traits_t<CircularBufferView<which>>
    : tacho::local_traits<CircularBufferView<which>, tacho::memory_pointers> {
};
template <>
struct noc_traits_t<DataflowBuffer> : tacho::local_traits<DataflowBuffer, tacho::buffer_pointers> {
};
template <typename T, typename A>
struct noc_traits_t<CoreLocalMem<T, A>>
    : tacho::local_traits<CoreLocalMem<T, A>, tacho::memory_pointers> {
};
template <typename T>
struct noc_traits_t<Scratchpad<T>> : tacho::local_traits<Scratchpad<T>, tacho::memory_pointers> {
};
using DataflowBufferArgs = tacho::offset_args;

/* ---- semaphores ---- */
template <ProgrammableCoreType core_type = ProgrammableCoreType::TENSIX> class Semaphore
{
	uintptr_t address;
	volatile uint32_t *word() const
	{
		return reinterpret_cast<volatile uint32_t *>(address);
	}
	template <ProgrammableCoreType other> friend class Semaphore;
	uint64_t rectangle(const Noc &noc, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1) const
	{
		return ::get_noc_multicast_addr(x0, y0, x1, y1, (uint32_t)address,
						noc.get_noc_id());
	}

public:
	explicit Semaphore(uint32_t id) : address(get_semaphore<core_type>(id))
	{
	}
	void up(uint32_t by)
	{
		*word() = *word() + by;
	}
	void up(const Noc &noc, uint32_t x, uint32_t y, uint32_t by,
		uint8_t vc = NOC_UNICAST_WRITE_VC)
	{
		noc_semaphore_inc(get_noc_addr(x, y, (uint32_t)address, noc.get_noc_id()), by,
				  noc.get_noc_id(), vc);
	}
	void down(uint32_t by)
	{
		noc_semaphore_wait_min(word(), by);
		*word() = *word() - by;
	}
	void wait(uint32_t value)
	{
		noc_semaphore_wait(word(), value);
	}
	void wait_min(uint32_t value)
	{
		noc_semaphore_wait_min(word(), value);
	}
	void set(uint32_t value)
	{
		noc_semaphore_set(word(), value);
	}
	uint32_t value() const
	{
		return *word();
	}
	uintptr_t get_l1_addr() const
	{
		return address;
	}
	template <ProgrammableCoreType other = core_type>
	void relay_unicast(const Noc &noc, const Semaphore<other> &to, uint32_t x, uint32_t y)
	{
		noc_semaphore_set_remote((uint32_t)address,
					 get_noc_addr(x, y, (uint32_t)to.address, noc.get_noc_id()),
					 noc.get_noc_id());
	}
	template <NocOptions opts = NocOptions::DEFAULT>
	void set_multicast(const Noc &noc, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1,
			   uint32_t receivers, bool linked = false)
	{
		relay_multicast<opts>(noc, *this, x0, y0, x1, y1, receivers, linked);
	}
	template <NocOptions opts = NocOptions::DEFAULT, ProgrammableCoreType other = core_type>
	void relay_multicast(const Noc &noc, const Semaphore<other> &to, uint32_t x0, uint32_t y0,
			     uint32_t x1, uint32_t y1, uint32_t receivers, bool linked = false)
	{
		uint64_t all = to.rectangle(noc, x0, y0, x1, y1);

		if constexpr (has_flag(opts, NocOptions::MCAST_INCL_SRC))
			noc_semaphore_set_multicast_loopback_src((uint32_t)address, all, receivers,
								 linked, noc.get_noc_id());
		else
			noc_semaphore_set_multicast((uint32_t)address, all, receivers, linked,
						    noc.get_noc_id());
	}
	void inc_multicast(const Noc &noc, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1,
			   uint32_t by, uint32_t receivers)
	{
		noc_semaphore_inc_multicast(rectangle(noc, x0, y0, x1, y1), by, receivers,
					    noc.get_noc_id());
	}
};
Semaphore(uint32_t)->Semaphore<ProgrammableCoreType::TENSIX>;

namespace experimental
{
using ::AllocatorBank;
using ::AllocatorBankType;
using ::MulticastEndpoint;
using ::Semaphore;
using ::UnicastEndpoint;
} // namespace experimental

#endif
