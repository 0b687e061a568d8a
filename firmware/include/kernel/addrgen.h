/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where pages of interleaved buffers lie: page i in bank i % banks, row i / banks of it. Included
 * by kernel/dataflow.h.
 */
#ifndef TACHO_KERNEL_ADDRGEN_H
#define TACHO_KERNEL_ADDRGEN_H

#include "kernel/types.h"

namespace tacho
{
#define TACHO_TABLE_XY(i) (((const volatile uint16_t *)BANK_TABLE)[i])
/* Address 0 of a bank; the table has the DRAM banks of both NoCs, then cores, then offsets. */
template <bool DRAM> FORCE_INLINE uint64_t bank_base(uint32_t bank, uint8_t noc)
{
	if constexpr (DRAM) {
		const volatile int32_t *offsets =
			(const volatile int32_t *)(BANK_TABLE +
						   ((NUM_DRAM_BANKS + NUM_L1_BANKS) * 4 + 3) / 4 *
							   4);

		return ((uint64_t)TACHO_TABLE_XY(noc * NUM_DRAM_BANKS + bank) << 36) +
		       (uint32_t)offsets[bank];
	} else {
		return (uint64_t)TACHO_TABLE_XY(2 * NUM_DRAM_BANKS + noc * NUM_L1_BANKS + bank)
		       << 36;
	}
}
constexpr uint32_t align(uint32_t size, uint32_t to)
{
	return (size + to - 1) / to * to;
}
template <bool DRAM> constexpr uint32_t bank_count()
{
	return DRAM ? NUM_DRAM_BANKS : NUM_L1_BANKS;
}
template <bool DRAM> constexpr uint32_t bank_alignment()
{
	return DRAM ? DRAM_ALIGNMENT : L1_ALIGNMENT;
}
template <bool DRAM>
FORCE_INLINE uint64_t interleaved(uint32_t id, uint32_t base, uint32_t stride, uint32_t offset,
				  uint8_t noc)
{
	constexpr uint32_t banks = bank_count<DRAM>();

	return bank_base<DRAM>(id % banks, noc) + base + id / banks * stride + offset;
}
} // namespace tacho

template <bool DRAM> constexpr uint32_t get_allocator_alignment()
{
	return tacho::bank_alignment<DRAM>();
}
namespace interleaved_addr_gen
{
template <bool DRAM> constexpr uint32_t get_allocator_alignment()
{
	return tacho::bank_alignment<DRAM>();
}
template <bool DRAM> FORCE_INLINE uint32_t get_bank_offset_index(uint32_t id)
{
	return id / tacho::bank_count<DRAM>();
}
template <bool DRAM> FORCE_INLINE uint32_t get_bank_index(uint32_t id, uint32_t row)
{
	return id - row * tacho::bank_count<DRAM>();
}
template <bool DRAM> FORCE_INLINE uint32_t get_noc_xy(uint32_t bank, uint8_t noc = noc_index)
{
	return (uint32_t)(tacho::bank_base<DRAM>(bank, noc) >> 36);
}
template <bool DRAM> FORCE_INLINE uint32_t get_bank_offset(uint32_t bank)
{
	return (uint32_t)tacho::bank_base<DRAM>(bank, noc_index);
}
} // namespace interleaved_addr_gen

/* The bank table, for kernels that index it: [bank] and [NoC][bank]. */
namespace tacho
{
template <bool DRAM> struct bank_offsets {
	int32_t operator[](uint32_t bank) const
	{
		return (int32_t)bank_base<DRAM>(bank, 0);
	}
};
template <bool DRAM> struct bank_places {
	struct of_noc {
		uint8_t noc;
		uint16_t operator[](uint32_t bank) const
		{
			return (uint16_t)(bank_base<DRAM>(bank, noc) >> 36);
		}
	};
	of_noc operator[](uint32_t noc) const
	{
		return {(uint8_t)noc};
	}
};
} // namespace tacho
constexpr tacho::bank_offsets<true> bank_to_dram_offset{};
constexpr tacho::bank_offsets<false> bank_to_l1_offset{};
constexpr tacho::bank_places<true> dram_bank_to_noc_xy{};
constexpr tacho::bank_places<false> l1_bank_to_noc_xy{};

FORCE_INLINE uint64_t get_dram_noc_addr(const uint32_t id, const uint32_t page_size,
					const uint32_t bank_base_address, const uint32_t offset = 0,
					uint8_t noc = noc_index)
{
	return tacho::interleaved<true>(id, bank_base_address,
					tacho::align(page_size, DRAM_ALIGNMENT), offset, noc);
}

template <bool DRAM> struct InterleavedAddrGen {
	uint32_t bank_base_address;
	uint32_t page_size;
	uint32_t aligned_page_size = tacho::align(page_size, tacho::bank_alignment<DRAM>());

	FORCE_INLINE uint32_t get_addr(uint32_t id, uint32_t row, uint32_t,
				       uint32_t offset = 0) const
	{
		(void)id;
		return bank_base_address + row * aligned_page_size + offset;
	}
	FORCE_INLINE uint64_t get_noc_addr(const uint32_t id, const uint32_t offset = 0,
					   uint8_t noc = noc_index) const
	{
		return tacho::interleaved<DRAM>(id, bank_base_address, aligned_page_size, offset,
						noc);
	}
	constexpr uint32_t get_aligned_page_size() const
	{
		return aligned_page_size;
	}
};

template <bool DRAM> struct InterleavedPow2AddrGen {
	uint32_t bank_base_address;
	uint32_t log_base_2_of_page_size;
	uint32_t aligned_log_base_2_of_page_size =
		(1u << log_base_2_of_page_size) < tacho::bank_alignment<DRAM>()
			? (uint32_t)__builtin_ctz(tacho::bank_alignment<DRAM>())
			: log_base_2_of_page_size;

	FORCE_INLINE uint64_t get_noc_addr(const uint32_t id, const uint32_t offset = 0,
					   uint8_t noc = noc_index) const
	{
		return tacho::interleaved<DRAM>(id, bank_base_address,
						1u << aligned_log_base_2_of_page_size, offset, noc);
	}
	constexpr uint32_t get_aligned_page_size() const
	{
		return 1u << aligned_log_base_2_of_page_size;
	}
};
template <bool DRAM> struct InterleavedPow2AddrGenFast : InterleavedPow2AddrGen<DRAM> {
};

/* The stride is that of a tile of the format; page_size is not used for addresses. */
template <bool DRAM, uint32_t tile_hw = 1024> struct InterleavedAddrGenFast {
	uint32_t bank_base_address;
	uint32_t page_size;
	DataFormat data_format = DataFormat::Invalid;

	constexpr uint32_t tile_size() const
	{
		return data_format == DataFormat::Invalid ? page_size
							  : tacho::tile_bytes(data_format, tile_hw);
	}
	FORCE_INLINE uint64_t get_noc_addr(const uint32_t id, const uint32_t offset = 0,
					   uint8_t noc = noc_index) const
	{
		return tacho::interleaved<DRAM>(id, bank_base_address, get_aligned_page_size(),
						offset, noc);
	}
	constexpr uint32_t get_aligned_page_size() const
	{
		return tacho::align(tile_size(), tacho::bank_alignment<DRAM>());
	}
};

template <bool DRAM, uint32_t page_size> FORCE_INLINE auto get_interleaved_addr_gen(uint32_t base)
{
	if constexpr ((page_size & (page_size - 1)) == 0)
		return InterleavedPow2AddrGen<DRAM>{base, (uint32_t)__builtin_ctz(page_size)};
	else
		return InterleavedAddrGen<DRAM>{base, page_size};
}

namespace tacho
{
template <class G>
concept page_source = requires(const G &g)
{
	g.get_noc_addr(uint32_t(0), uint32_t(0), uint8_t(0));
};
/* The short form in guides: a bare address does not give the page size. */
template <class G>
FORCE_INLINE uint64_t page_address(const G &gen, uint32_t id, uint32_t offset, uint8_t noc)
{
	static_assert(page_source<G>,
		      "a tile of a buffer: noc_async_..._tile(i, InterleavedAddrGen<true>{address, "
		      "size of a tile}, address in L1 such as get_write_ptr(cb))");
	if constexpr (page_source<G>)
		return gen.get_noc_addr(id, offset, noc);
	else
		return 0;
}
template <class G> constexpr uint32_t page_bytes(const G &gen)
{
	if constexpr (requires { gen.tile_size(); })
		return gen.tile_size();
	else if constexpr (requires { gen.get_aligned_page_size(); })
		return gen.get_aligned_page_size();
	else if constexpr (requires { gen.page_size; })
		return gen.page_size;
	else if constexpr (requires { gen.log_base_2_of_page_size; })
		return 1u << gen.log_base_2_of_page_size;
	else
		return 0;
}
} // namespace tacho

#endif
