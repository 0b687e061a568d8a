/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects over L1 of this core that data movement and compute kernels share: CircularBuffer,
 * DataflowBuffer, CoreLocalMem, Scratchpad. The functions cb_* that they call are those of the kind
 * of kernel that is compiled.
 */
#ifndef TACHO_KERNEL_LOCAL_H
#define TACHO_KERNEL_LOCAL_H

#include "kernel/args.h"
#include "kernel/types.h"

class Noc;

/* Runs FUNCTION when the scope ends. */
template <typename F> class Lock
{
	F release;

public:
	ALWI Lock(F f) : release(f)
	{
	}
	ALWI ~Lock()
	{
		release();
	}
	Lock(const Lock &) = delete;
	Lock &operator=(const Lock &) = delete;
};

template <typename T, typename Address = uintptr_t> class CoreLocalMem
{
	Address at;

public:
	using difference_type = std::make_signed_t<Address>;
	CoreLocalMem(Address a) : at(a)
	{
	}
	CoreLocalMem(T *p) : at(reinterpret_cast<Address>(p))
	{
	}
	T *get_unsafe_ptr() const
	{
		return reinterpret_cast<T *>(at);
	}
	Address get_address() const
	{
		return at;
	}
	T &operator[](uint32_t i) const
	{
		return get_unsafe_ptr()[i];
	}
	T &operator*() const
	{
		return *get_unsafe_ptr();
	}
	T *operator->() const
	{
		return get_unsafe_ptr();
	}
	CoreLocalMem &operator+=(difference_type n)
	{
		at += Address(n) * sizeof(T);
		return *this;
	}
	CoreLocalMem &operator-=(difference_type n)
	{
		at -= Address(n) * sizeof(T);
		return *this;
	}
	CoreLocalMem &operator++()
	{
		return *this += 1;
	}
	CoreLocalMem &operator--()
	{
		return *this -= 1;
	}
	CoreLocalMem operator++(int)
	{
		CoreLocalMem old = *this;

		*this += 1;
		return old;
	}
	CoreLocalMem operator--(int)
	{
		CoreLocalMem old = *this;

		*this -= 1;
		return old;
	}
	CoreLocalMem operator+(difference_type n) const
	{
		return CoreLocalMem(Address(at + Address(n) * sizeof(T)));
	}
	CoreLocalMem operator-(difference_type n) const
	{
		return CoreLocalMem(Address(at - Address(n) * sizeof(T)));
	}
	difference_type operator-(const CoreLocalMem &o) const
	{
		return (difference_type(at) - difference_type(o.at)) / difference_type(sizeof(T));
	}
	auto operator<=>(const CoreLocalMem &o) const = delete;
	bool operator==(const CoreLocalMem &o) const
	{
		return at == o.at;
	}
	bool operator<(const CoreLocalMem &o) const
	{
		return at < o.at;
	}
	bool operator<=(const CoreLocalMem &o) const
	{
		return at <= o.at;
	}
	bool operator>(const CoreLocalMem &o) const
	{
		return at > o.at;
	}
	bool operator>=(const CoreLocalMem &o) const
	{
		return at >= o.at;
	}
	explicit operator bool() const
	{
		return at != 0;
	}
	[[nodiscard]] auto scoped_lock(size_t)
	{
		return Lock([]() {});
	}
};

/* Memory of a size that the host chose, by name. */
class ScratchpadBindingToken
{
	template <typename T> friend class Scratchpad;
	uint32_t where, bytes;

public:
	constexpr ScratchpadBindingToken(uint32_t crta, uint32_t size) : where(crta), bytes(size)
	{
	}
};
template <typename T> class Scratchpad
{
	uint32_t base, bytes;

public:
	explicit Scratchpad(ScratchpadBindingToken token)
	    : base(get_common_arg_val<uint32_t>(int(token.where))), bytes(token.bytes)
	{
	}
	T &operator[](uint32_t i) const
	{
		return reinterpret_cast<T *>(base)[i];
	}
	uint32_t size() const
	{
		return bytes / sizeof(T);
	}
	uint32_t size_in_bytes() const
	{
		return bytes;
	}
	uint32_t get_base_address() const
	{
		return base;
	}
	uint32_t get_address() const
	{
		return base;
	}
	CoreLocalMem<T> begin() const
	{
		return CoreLocalMem<T>(uintptr_t(base));
	}
	CoreLocalMem<T> end() const
	{
		return CoreLocalMem<T>(uintptr_t(base + bytes));
	}
	CoreLocalMem<T> local_mem() const
	{
		return begin();
	}
};

/* The common part of CircularBuffer and DataflowBuffer. */
namespace tacho
{
class buffer
{
protected:
	uint32_t id;
	LocalCBInterface &cb() const
	{
		return tacho_cbs[id];
	}

public:
	explicit constexpr buffer(uint32_t i) : id(i)
	{
	}
	void reserve_back(int32_t pages) const
	{
		::cb_reserve_back(id, pages);
	}
	void push_back(int32_t pages) const
	{
		::cb_push_back(id, pages);
	}
	void wait_front(int32_t pages) const
	{
		::cb_wait_front(id, pages);
	}
	void pop_front(int32_t pages) const
	{
		::cb_pop_front(id, pages);
	}
	bool pages_reservable_at_back(int32_t pages) const
	{
		return cb().fifo_num_pages - (uint16_t)(CB_RECEIVED(id) - CB_ACKED(id)) >= pages;
	}
	bool pages_available_at_front(int32_t pages) const
	{
		return (int32_t)(uint16_t)(CB_RECEIVED(id) - CB_ACKED(id)) >= pages;
	}
	uint32_t get_write_ptr() const
	{
		return cb().fifo_wr_ptr << CB_SHIFT;
	}
	uint32_t get_read_ptr() const
	{
		return cb().fifo_rd_ptr << CB_SHIFT;
	}
	constexpr uint32_t get_tile_size() const
	{
		return (uint32_t)::get_tile_size((int32_t)id);
	}
	constexpr uint32_t get_tile_hw() const
	{
		return ::get_tile_hw((int32_t)id);
	}
	constexpr uint32_t get_tile_r_dim() const
	{
		return ::get_tile_r_dim((int32_t)id);
	}
	constexpr uint32_t get_tile_c_dim() const
	{
		return ::get_tile_c_dim((int32_t)id);
	}
	constexpr uint32_t get_tile_num_faces() const
	{
		return ::get_tile_num_faces((int32_t)id);
	}
	constexpr uint32_t get_face_r_dim() const
	{
		return get_tile_r_dim() < 16 ? get_tile_r_dim() : 16;
	}
	constexpr uint32_t get_num_faces_r_dim() const
	{
		return (get_tile_r_dim() + 15) / 16;
	}
	constexpr uint32_t get_num_faces_c_dim() const
	{
		return (get_tile_c_dim() + 15) / 16;
	}
	constexpr uint32_t get_partial_face() const
	{
		return get_tile_r_dim() < 16;
	}
	constexpr uint32_t get_narrow_tile() const
	{
		return get_tile_c_dim() == 16;
	}
	constexpr DataFormat get_dataformat() const
	{
		return ::get_dataformat((int32_t)id);
	}
	constexpr DataFormat get_unpack_dst_format() const
	{
		return get_dataformat();
	}
	constexpr DataFormat get_pack_src_format() const
	{
		return get_dataformat();
	}
	constexpr DataFormat get_pack_dst_format() const
	{
		return get_dataformat();
	}
	/* In compute kernels TRISC0 determines it and sends it to the other two. */
	uint32_t get_tile_address(uint32_t tile) const;
	template <typename T = uint32_t> T read_tile_value(uint32_t tile, uint32_t element) const;
};
} // namespace tacho

class CircularBuffer : public tacho::buffer
{
public:
	enum class AddrSelector { WRITE_PTR, READ_PTR };
	using AddrSel = AddrSelector;
	explicit constexpr CircularBuffer(uint32_t cb_id) : buffer(cb_id)
	{
	}
	constexpr uint32_t get_cb_id() const
	{
		return id;
	}
	[[nodiscard]] auto scoped_lock()
	{
		return Lock([]() {});
	}
};
template <CircularBuffer::AddrSelector which> struct CircularBufferView {
	const CircularBuffer &cb;
	explicit constexpr CircularBufferView(const CircularBuffer &c) : cb(c)
	{
	}
	uint32_t get_address() const
	{
		return which == CircularBuffer::AddrSelector::READ_PTR ? cb.get_read_ptr()
								       : cb.get_write_ptr();
	}
};
template <CircularBuffer::AddrSelector which> constexpr auto use(const CircularBuffer &cb)
{
	return CircularBufferView<which>(cb);
}

struct DFBBindingToken {
	explicit constexpr DFBBindingToken(uint16_t id) noexcept : id_(id)
	{
	}
	constexpr operator uint32_t() const noexcept
	{
		return id_;
	}

private:
	uint16_t id_;
};
/* A circular buffer with a name from the host. */
class DataflowBuffer : public tacho::buffer
{
	template <bool write> struct access {
		uint32_t at;
		template <typename T = uint32_t> auto get_ptr() const
		{
			return CoreLocalMem<std::conditional_t<write, T, const T>>(uintptr_t(at));
		}
	};

public:
	constexpr DataflowBuffer(DFBBindingToken token) : buffer(token)
	{
	}
	constexpr DataflowBuffer(uint16_t number) : buffer(number)
	{
	}
	constexpr uint16_t get_id() const
	{
		return (uint16_t)id;
	}
	uint32_t get_entry_size() const
	{
		return cb().fifo_page_size << CB_SHIFT;
	}
	uint32_t get_stride_size() const
	{
		return get_entry_size();
	}
	uint32_t get_total_num_entries() const
	{
		return cb().fifo_num_pages;
	}
	uint32_t get_local_num_entries() const
	{
		return cb().fifo_num_pages;
	}
	uint32_t get_total_size_bytes() const
	{
		return cb().fifo_size << CB_SHIFT;
	}
	uint32_t get_local_size_bytes() const
	{
		return get_total_size_bytes();
	}
	uint32_t get_ring_span_bytes() const
	{
		return get_total_size_bytes();
	}
	uint32_t get_ring_span_num_entries() const
	{
		return cb().fifo_num_pages;
	}
	void finish() const
	{
	}
	template <class N> void write_barrier(const N &noc) const
	{
		noc.async_write_barrier();
	}
	void evil_set_write_ptr(uint32_t address) const
	{
		cb().fifo_wr_ptr = address >> CB_SHIFT;
	}
	void evil_set_read_ptr(uint32_t address) const
	{
		cb().fifo_rd_ptr = address >> CB_SHIFT;
	}
	[[nodiscard]] access<true> scoped_write_lock(uint16_t = 1) const
	{
		return {get_write_ptr()};
	}
	[[nodiscard]] access<false> scoped_read_lock(uint16_t = 1) const
	{
		return {get_read_ptr()};
	}
};

#if !(TACHO_RISC >= 2 && TACHO_RISC <= 4)
inline uint32_t tacho::buffer::get_tile_address(uint32_t tile) const
{
	return get_read_ptr() + tile * cb().fifo_page_size;
}
template <typename T> T tacho::buffer::read_tile_value(uint32_t tile, uint32_t element) const
{
	return reinterpret_cast<volatile T *>(get_tile_address(tile))[element];
}
#endif

/* Where these names were in early 2026. */
namespace experimental
{
using ::CircularBuffer;
using ::CircularBufferView;
using ::CoreLocalMem;
using ::DataflowBuffer;
using ::Lock;
using ::Noc;
using ::use;
} // namespace experimental

#endif
