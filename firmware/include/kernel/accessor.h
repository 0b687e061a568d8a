/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TensorAccessor: where page i of a buffer lies, interleaved or sharded. The host describes the
 * buffer in compile-time arguments, or partly in common runtime arguments:
 *
 *	word 0		enum ArgConfig bits
 *	aligned page size	unless RuntimePageSize
 *	rank, banks, shape of the tensor, shape of a shard, coordinates of the banks	if Sharded
 *
 * Shapes are in pages, coordinates are x << 8 | y, two in a word; of DRAM banks x is the number.
 * Bit 31 of the banks says that the shards of a bank follow each other.
 */
#ifndef TACHO_KERNEL_ACCESSOR_H
#define TACHO_KERNEL_ACCESSOR_H

#include "kernel/addrgen.h"
#include "kernel/args.h"

namespace tensor_accessor
{
constexpr std::size_t UNKNOWN = std::size_t(-1);
constexpr uint32_t MAX_RANK = 8;

enum class ArgConfig : uint8_t {
	None = 0,
	Sharded = 1,
	IsDram = 2,
	RuntimeRank = 4,
	RuntimeNumBanks = 8,
	RuntimeTensorShape = 16,
	RuntimeShardShape = 32,
	RuntimeBankCoords = 64,
	RuntimePageSize = 128,
};
struct ArgsConfig {
	using Underlying = uint8_t;
	uint32_t bits;
	constexpr ArgsConfig(uint32_t b = 0) : bits(b)
	{
	}
	constexpr bool test(ArgConfig c) const
	{
		return bits & uint32_t(c);
	}
};

class Page
{
	uint64_t address;
	uint32_t id;

public:
	Page(uint64_t a, uint32_t i) : address(a), id(i)
	{
	}
	uint64_t noc_addr() const
	{
		return address;
	}
	uint32_t page_id() const
	{
		return id;
	}
};
} // namespace tensor_accessor

template <std::size_t CTA, std::size_t CRTA = tensor_accessor::UNKNOWN> struct TensorAccessorArgs {
	using Bit = tensor_accessor::ArgConfig;
	static constexpr auto args_config =
		tensor_accessor::ArgsConfig(get_compile_time_arg_val(CTA));
	static constexpr bool is_sharded = args_config.test(Bit::Sharded);
	static constexpr bool is_dram = args_config.test(Bit::IsDram);
	static constexpr bool rank_is_crta = args_config.test(Bit::RuntimeRank);
	static constexpr bool num_banks_is_crta = args_config.test(Bit::RuntimeNumBanks);
	static constexpr bool tensor_shape_is_crta = args_config.test(Bit::RuntimeTensorShape);
	static constexpr bool shard_shape_is_crta = args_config.test(Bit::RuntimeShardShape);
	static constexpr bool bank_coords_is_crta = args_config.test(Bit::RuntimeBankCoords);
	static constexpr bool page_size_is_crta = args_config.test(Bit::RuntimePageSize);
	static_assert(!is_sharded || !rank_is_crta || (tensor_shape_is_crta && shard_shape_is_crta),
		      "a rank at run time needs shapes at run time");
	static_assert(!is_sharded || !num_banks_is_crta || bank_coords_is_crta,
		      "a number of banks at run time needs their coordinates at run time");

private:
	template <std::size_t i, bool used> static constexpr uint32_t word()
	{
		if constexpr (used)
			return get_compile_time_arg_val(i);
		else
			return 0;
	}
	static constexpr std::size_t rank_at = CTA + (page_size_is_crta ? 1 : 2);
	static constexpr std::size_t banks_at = rank_at + (rank_is_crta ? 0 : 1);
	static constexpr std::size_t shape_at = banks_at + (num_banks_is_crta ? 0 : 1);

public:
	static constexpr uint32_t AlignedPageSize = word<CTA + 1, !page_size_is_crta>();
	static constexpr uint32_t RankCT = word < rank_at, is_sharded && !rank_is_crta > ();
	static constexpr uint32_t NumBanksRawCT = word < banks_at,
				  is_sharded && !num_banks_is_crta > ();
	static constexpr uint32_t NumBanksCT = NumBanksRawCT & 0x7fffffffu;
	static constexpr bool is_shard_contiguous = NumBanksRawCT >> 31;
	static constexpr std::size_t shard_at = shape_at + (tensor_shape_is_crta ? 0 : RankCT);
	static constexpr std::size_t coords_at = shard_at + (shard_shape_is_crta ? 0 : RankCT);
	static constexpr std::size_t tensor_shape_at = shape_at;

	constexpr TensorAccessorArgs() = default;

	static constexpr uint32_t num_compile_time_args()
	{
		if (!is_sharded)
			return uint32_t(rank_at - CTA);
		return uint32_t(coords_at + (bank_coords_is_crta ? 0 : (NumBanksCT + 1) / 2) - CTA);
	}
	static constexpr uint32_t next_compile_time_args_offset()
	{
		return CTA + num_compile_time_args();
	}
	static constexpr std::size_t crta_offset()
	{
		return CRTA == tensor_accessor::UNKNOWN ? 0 : CRTA;
	}

private:
	/* Runtime parts, in the order of the words. */
	static constexpr uint32_t page_crta = 0;
	static constexpr uint32_t rank_crta = page_size_is_crta ? 1 : 0;
	static uint32_t common(uint32_t i)
	{
		return get_common_arg_val<uint32_t>(int(crta_offset() + i));
	}
	static constexpr uint32_t banks_crta = rank_crta + (is_sharded && rank_is_crta ? 1 : 0);
	static constexpr uint32_t shape_crta =
		banks_crta + (is_sharded && num_banks_is_crta ? 1 : 0);
	static constexpr uint32_t shard_crta()
	{
		return shape_crta + (tensor_shape_is_crta ? get_rank() : 0);
	}
	static constexpr uint32_t coords_crta()
	{
		return shard_crta() + (shard_shape_is_crta ? get_rank() : 0);
	}

public:
	static constexpr uint32_t get_aligned_page_size()
	{
		if constexpr (page_size_is_crta)
			return common(page_crta);
		else
			return AlignedPageSize;
	}
	static constexpr uint32_t get_rank()
	{
		if constexpr (rank_is_crta)
			return common(rank_crta);
		else
			return RankCT;
	}
	static constexpr uint32_t get_num_banks()
	{
		if constexpr (num_banks_is_crta)
			return common(banks_crta) & 0x7fffffffu;
		else
			return NumBanksCT;
	}
	static bool get_shard_contiguous()
	{
		if constexpr (num_banks_is_crta)
			return common(banks_crta) >> 31;
		else
			return is_shard_contiguous;
	}
	static uint32_t get_tensor_dim(uint32_t i)
	{
		if constexpr (tensor_shape_is_crta)
			return common(shape_crta + i);
		else
			return kernel_compile_time_args[tensor_shape_at + i];
	}
	static uint32_t get_shard_dim(uint32_t i)
	{
		if constexpr (shard_shape_is_crta)
			return common(shard_crta() + i);
		else
			return kernel_compile_time_args[shard_at + i];
	}
	static uint16_t get_bank_coord(uint32_t bank)
	{
		uint32_t pair;

		if constexpr (bank_coords_is_crta)
			pair = common(coords_crta() + bank / 2);
		else
			pair = kernel_compile_time_args[coords_at + bank / 2];
		return uint16_t(bank % 2 ? pair >> 16 : pair);
	}
	static constexpr uint32_t num_common_runtime_args()
	{
		if constexpr (!is_sharded)
			return page_size_is_crta ? 1 : 0;
		else
			return coords_crta() +
			       (bank_coords_is_crta ? (get_num_banks() + 1) / 2 : 0);
	}
	static constexpr uint32_t next_common_runtime_args_offset()
	{
		return uint32_t(crta_offset()) + num_common_runtime_args();
	}
};

/* A host-generated tensor name: its description, and where its address is found. */
namespace tensor_accessor
{
template <uint32_t CTA, uint32_t ADDR_CRTA> struct TensorBindingToken {
	using args_t = TensorAccessorArgs<CTA, ADDR_CRTA / 4 + 1>;
	static constexpr args_t args{};
	static constexpr uint32_t addr_crta_offset = ADDR_CRTA;
};

/* Stands for the arguments of any interleaved buffer, whose accessors are of one type then: kernels
 * choose one of two. */
template <bool dram> struct Interleaved {
	static constexpr bool is_sharded = false, is_dram = dram, rank_is_crta = false;
};

/* The shapes of a sharded buffer. */
template <class Args> struct Distribution {
	static constexpr bool is_dram = Args::is_dram;
	static constexpr bool is_interleaved = !Args::is_sharded;
	static constexpr bool has_static_rank = !Args::rank_is_crta;
	static constexpr bool is_static = false, tensor_shape_static = false,
			      shard_shape_static = false, bank_coords_static = false;
	struct Shape {
		uint32_t dim[MAX_RANK];
		constexpr uint32_t operator[](uint32_t i) const
		{
			return dim[i];
		}
	};
	uint32_t dims = 0, banks = 1, pages = 1, per_shard = 1, shards = 1;
	bool contiguous = false;
	Shape tensor{}, shard{}, grid{};

	constexpr Distribution()
	{
		if constexpr (Args::is_sharded) {
			dims = Args::get_rank();
			banks = Args::get_num_banks();
			contiguous = Args::get_shard_contiguous();
			for (uint32_t i = 0; i < dims && i < MAX_RANK; i++) {
				tensor.dim[i] = Args::get_tensor_dim(i);
				shard.dim[i] = Args::get_shard_dim(i);
				grid.dim[i] = (tensor.dim[i] + shard.dim[i] - 1) / shard.dim[i];
				pages *= tensor.dim[i];
				per_shard *= shard.dim[i];
				shards *= grid.dim[i];
			}
		}
	}
	uint32_t rank() const
	{
		return dims;
	}
	uint32_t num_banks() const
	{
		return banks;
	}
	uint32_t tensor_volume() const
	{
		return pages;
	}
	uint32_t shard_volume() const
	{
		return per_shard;
	}
	const Shape &tensor_shape() const
	{
		return tensor;
	}
	const Shape &shard_shape() const
	{
		return shard;
	}
	const Shape &shard_grid() const
	{
		return grid;
	}
	uint16_t bank_coord(uint32_t bank) const
	{
		return Args::get_bank_coord(bank);
	}
};

template <class Args>
using DistributionOf =
	Distribution<std::conditional_t<Args::is_sharded, Args, Interleaved<Args::is_dram>>>;

template <bool dram> constexpr Distribution<Interleaved<dram>> make_interleaved_dspec()
{
	return {};
}

/* Consecutive pages, for loops. */
template <class Accessor> struct PageRange {
	const Accessor &accessor;
	uint32_t first, last;
	uint8_t noc;
	struct iterator {
		const PageRange *range;
		uint32_t id;
		/* A page that lives as long as the expression. */
		struct pointer {
			Page page;
			const Page *operator->() const
			{
				return &page;
			}
		};
		pointer operator->() const
		{
			return {**this};
		}
		Page operator*() const
		{
			return Page(range->accessor.get_noc_addr(id, 0, range->noc), id);
		}
		iterator &operator++()
		{
			id++;
			return *this;
		}
		iterator &operator+=(uint32_t n)
		{
			id += n;
			return *this;
		}
		bool operator!=(const iterator &o) const
		{
			return id != o.id;
		}
		bool operator==(const iterator &o) const
		{
			return id == o.id;
		}
	};
	iterator begin() const
	{
		return {this, first};
	}
	iterator end() const
	{
		return {this, last};
	}
};
/* The pages of one shard that are inside the tensor. */
template <class Accessor> struct ShardRange {
	const Accessor &accessor;
	uint32_t shard, first, last;
	uint8_t noc;
	struct iterator {
		const ShardRange *range;
		uint32_t at;
		void skip()
		{
			while (at < range->last &&
			       range->accessor.page_in_shard(range->shard, at) == UINT32_MAX)
				at++;
		}
		/* A page that lives as long as the expression. */
		struct pointer {
			Page page;
			const Page *operator->() const
			{
				return &page;
			}
		};
		pointer operator->() const
		{
			return {**this};
		}
		Page operator*() const
		{
			uint32_t id = range->accessor.page_in_shard(range->shard, at);

			return Page(range->accessor.get_noc_addr(id, 0, range->noc), id);
		}
		iterator &operator++()
		{
			at++;
			skip();
			return *this;
		}
		iterator &operator+=(uint32_t n)
		{
			while (n--)
				++*this;
			return *this;
		}
		bool operator==(const iterator &o) const
		{
			return at == o.at;
		}
		bool operator!=(const iterator &o) const
		{
			return at != o.at;
		}
	};
	iterator begin() const
	{
		iterator i{this, first};

		i.skip();
		return i;
	}
	iterator end() const
	{
		return {this, last};
	}
};
} // namespace tensor_accessor
using tensor_accessor::TensorBindingToken;

template <class Spec> struct TensorAccessor;

/* Sharded, or interleaved. */
template <class Args> struct TensorAccessor<tensor_accessor::Distribution<Args>> {
	using DSpec = tensor_accessor::Distribution<Args>;
	static constexpr bool is_dram = Args::is_dram;
	uint32_t bank_base_address;
	uint32_t page_size; /* for interleaved buffers the user's, not aligned */
	uint32_t aligned_page_size;
	[[no_unique_address]] std::conditional_t<Args::is_sharded, DSpec, std::tuple<>> spec{};

	template <std::size_t CTA, std::size_t CRTA>
	TensorAccessor(TensorAccessorArgs<CTA, CRTA> args, uint32_t base,
		       uint32_t size = decltype(args)::get_aligned_page_size())
	    : bank_base_address(base), page_size(size),
	      aligned_page_size(tacho::align(size, tacho::bank_alignment<is_dram>()))
	{
	}
	TensorAccessor(DSpec description, uint32_t base, uint32_t size)
	    : bank_base_address(base), page_size(size),
	      aligned_page_size(tacho::align(size, tacho::bank_alignment<is_dram>()))
	{
		if constexpr (Args::is_sharded)
			spec = description;
	}
	template <uint32_t CTA, uint32_t ADDR>
	explicit TensorAccessor(TensorBindingToken<CTA, ADDR>)
	    : TensorAccessor(TensorBindingToken<CTA, ADDR>::args,
			     get_common_arg_val<uint32_t>(ADDR / 4))
	{
	}

	auto dspec() const
	{
		if constexpr (Args::is_sharded)
			return spec;
		else
			return DSpec();
	}
	uint32_t get_bank_base_address() const
	{
		return bank_base_address;
	}
	uint32_t get_aligned_page_size() const
	{
		return aligned_page_size;
	}

	struct PageMapping {
		uint32_t bank_id, bank_page_offset;
	};
	PageMapping get_bank_and_offset(uint32_t id) const
	{
		uint32_t shard = 0, inside = 0, shards = 1, volume = 1;

		for (uint32_t i = spec.dims; i-- > 0;) {
			uint32_t at = id % spec.tensor.dim[i];

			id /= spec.tensor.dim[i];
			shard += at / spec.shard.dim[i] * shards;
			inside += at % spec.shard.dim[i] * volume;
			shards *= spec.grid.dim[i];
			volume *= spec.shard.dim[i];
		}
		return shard_place(shard, inside);
	}
	PageMapping shard_place(uint32_t shard, uint32_t inside) const
	{
		uint32_t per_bank = (spec.shards + spec.banks - 1) / spec.banks;
		uint32_t bank = spec.contiguous ? shard / per_bank : shard % spec.banks;
		uint32_t row = spec.contiguous ? shard % per_bank : shard / spec.banks;

		return {bank, row * spec.per_shard + inside};
	}
	uint64_t bank_address(PageMapping at, uint32_t offset, uint8_t noc) const
	{
		uint16_t coord = spec.bank_coord(at.bank_id);
		uint64_t base =
			is_dram ? tacho::bank_base<true>(coord >> 8, noc)
				: get_noc_addr_helper((uint32_t)(coord & 255) << 6 | coord >> 8, 0);

		return base + bank_base_address + at.bank_page_offset * aligned_page_size + offset;
	}

	FORCE_INLINE uint64_t get_noc_addr(const uint32_t id, const uint32_t offset = 0,
					   uint8_t noc = noc_index) const
	{
		if constexpr (Args::is_sharded)
			return bank_address(get_bank_and_offset(id), offset, noc);
		else
			return tacho::interleaved<is_dram>(id, bank_base_address, aligned_page_size,
							   offset, noc);
	}
	/* By coordinates in pages, the last dimension fastest. */
	template <class Coordinates>
	requires requires(const Coordinates &c)
	{
		c[0];
	}
	uint64_t get_noc_addr(const Coordinates &at, const uint32_t offset = 0,
			      uint8_t noc = noc_index) const
	{
		uint32_t id = 0;

		for (uint32_t i = 0; i < spec.dims; i++)
			id = id * spec.tensor.dim[i] + at[i];
		return get_noc_addr(id, offset, noc);
	}
	uint64_t get_shard_noc_addr(const uint32_t shard, const uint32_t offset = 0,
				    uint8_t noc = noc_index) const
	{
		return bank_address(shard_place(shard, 0), offset, noc);
	}
	template <class Coordinates>
	requires requires(const Coordinates &c)
	{
		c[0];
	}
	uint64_t get_shard_noc_addr(const Coordinates &at, const uint32_t offset = 0,
				    uint8_t noc = noc_index) const
	{
		uint32_t shard = 0;

		for (uint32_t i = 0; i < spec.dims; i++)
			shard = shard * spec.grid.dim[i] + at[i];
		return get_shard_noc_addr(shard, offset, noc);
	}
	/* Number of the page at index AT of a shard; UINT32_MAX: beyond the tensor. */
	uint32_t page_in_shard(uint32_t shard, uint32_t at) const
	{
		uint32_t id = 0, volume = 1;

		for (uint32_t i = spec.dims; i-- > 0;) {
			uint32_t c = shard % spec.grid.dim[i] * spec.shard.dim[i] +
				     at % spec.shard.dim[i];

			shard /= spec.grid.dim[i];
			at /= spec.shard.dim[i];
			if (c >= spec.tensor.dim[i])
				return UINT32_MAX;
			id += c * volume;
			volume *= spec.tensor.dim[i];
		}
		return id;
	}

	bool is_local_bank(uint32_t x, uint32_t y, uint8_t noc = noc_index) const
	{
		return x == my_x[noc] && y == my_y[noc];
	}
	bool is_local_addr(const uint64_t address, uint8_t noc = noc_index) const
	{
		return is_local_bank((uint32_t)(address >> 36) & 63, (uint32_t)(address >> 42) & 63,
				     noc);
	}
	bool is_local_page(const uint32_t id, uint8_t noc = noc_index) const
	{
		return is_local_addr(get_noc_addr(id, 0, noc), noc);
	}
	bool is_local_shard(const uint32_t shard, uint8_t noc = noc_index) const
	{
		return is_local_addr(get_shard_noc_addr(shard, 0, noc), noc);
	}
	tensor_accessor::ShardRange<TensorAccessor> shard_pages(uint32_t shard, uint32_t first = 0,
								uint32_t last = 0,
								uint8_t noc = noc_index) const
	{
		return {*this, shard, first, last ? last : spec.per_shard, noc};
	}
	tensor_accessor::PageRange<TensorAccessor> pages(uint32_t first = 0, uint32_t last = 0,
							 uint8_t noc = noc_index) const
	{
		if constexpr (Args::is_sharded)
			return {*this, first, last ? last : spec.pages, noc};
		else
			return {*this, first, last, noc};
	}
};
template <std::size_t CTA, std::size_t CRTA>
TensorAccessor(TensorAccessorArgs<CTA, CRTA>, uint32_t)
	-> TensorAccessor<tensor_accessor::DistributionOf<TensorAccessorArgs<CTA, CRTA>>>;
template <std::size_t CTA, std::size_t CRTA>
TensorAccessor(TensorAccessorArgs<CTA, CRTA>, uint32_t, uint32_t)
	-> TensorAccessor<tensor_accessor::DistributionOf<TensorAccessorArgs<CTA, CRTA>>>;
template <class Args>
TensorAccessor(tensor_accessor::Distribution<Args>, uint32_t, uint32_t)
	-> TensorAccessor<tensor_accessor::Distribution<Args>>;
template <uint32_t CTA, uint32_t ADDR>
TensorAccessor(TensorBindingToken<CTA, ADDR>) -> TensorAccessor<
	tensor_accessor::DistributionOf<typename TensorBindingToken<CTA, ADDR>::args_t>>;

/* Several accessors with consecutive arguments. */
template <uint32_t n, std::size_t CTA, std::size_t CRTA = tensor_accessor::UNKNOWN>
constexpr auto make_tensor_accessor_args_tuple()
{
	if constexpr (n == 0) {
		return std::tuple<>();
	} else {
		using Args = TensorAccessorArgs<CTA, CRTA>;

		return std::tuple_cat(
			std::tuple<Args>(),
			make_tensor_accessor_args_tuple<
				n - 1, Args::next_compile_time_args_offset(), CRTA>());
	}
}
namespace tacho
{
template <class Tuple, std::size_t... i>
auto accessors(const Tuple &args, uint32_t first, uint32_t, std::index_sequence<i...>)
{
	return std::make_tuple(
		TensorAccessor(std::get<i>(args), get_arg_val<uint32_t>(int(first + i)))...);
}
} // namespace tacho
template <class... Args>
auto make_tensor_accessor_tuple(const std::tuple<Args...> &args, uint32_t address_rt_arg_index,
				uint32_t = 0)
{
	return tacho::accessors(args, address_rt_arg_index, 0, std::index_sequence_for<Args...>());
}

/* One type for any accessor. */
class AbstractTensorAccessorWrapper
{
	const void *accessor = nullptr;
	uint64_t (*address)(const void *, uint32_t, uint32_t, uint8_t) = nullptr;
	uint32_t bytes = 0;

public:
	AbstractTensorAccessorWrapper() = default;
	template <class Accessor>
	AbstractTensorAccessorWrapper(const Accessor &a)
	    : accessor(&a), address([](const void *p, uint32_t id, uint32_t offset, uint8_t noc) {
		      return static_cast<const Accessor *>(p)->get_noc_addr(id, offset, noc);
	      }),
	      bytes(a.get_aligned_page_size())
	{
	}
	uint64_t get_noc_addr(uint32_t id, uint32_t offset = 0, uint8_t noc = noc_index) const
	{
		return address(accessor, id, offset, noc);
	}
	uint32_t get_aligned_page_size() const
	{
		return bytes;
	}
};
template <class... Accessors>
auto make_abstract_tensor_accessor_wrappers(const std::tuple<Accessors...> &accessors)
{
	return std::apply(
		[](const auto &...a) {
			return std::array<AbstractTensorAccessorWrapper, sizeof...(a)>{
				{AbstractTensorAccessorWrapper(a)...}};
		},
		accessors);
}

template <class Accessor> struct PageView {
	const Accessor &accessor;
	explicit PageView(const Accessor &a) : accessor(a)
	{
	}
	uint64_t get_noc_addr(uint32_t id, uint32_t offset = 0, uint8_t noc = noc_index) const
	{
		return accessor.get_noc_addr(id, offset, noc);
	}
};
template <class Accessor> struct ShardView {
	const Accessor &accessor;
	explicit ShardView(const Accessor &a) : accessor(a)
	{
	}
	uint64_t get_noc_addr(uint32_t shard, uint32_t offset = 0, uint8_t noc = noc_index) const
	{
		return accessor.get_shard_noc_addr(shard, offset, noc);
	}
	bool is_local_shard(uint32_t shard, uint8_t noc = noc_index) const
	{
		return accessor.is_local_shard(shard, noc);
	}
};

#endif
