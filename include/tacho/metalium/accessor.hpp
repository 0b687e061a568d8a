/* SPDX-License-Identifier: Apache-2.0 */
/* Where the pages of a buffer are, as compile-time arguments of a kernel's TensorAccessor. */
#pragma once

#include <tacho/metalium/mesh.hpp>

namespace tensor_accessor
{

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
	Runtime = RuntimeRank | RuntimeNumBanks | RuntimeTensorShape | RuntimeShardShape |
		  RuntimeBankCoords
};

class ArgsConfig
{
public:
	constexpr ArgsConfig(ArgConfig bits = ArgConfig::None) : bits_(static_cast<uint8_t>(bits))
	{
	}
	constexpr explicit ArgsConfig(uint8_t bits) : bits_(bits)
	{
	}
	constexpr bool test(ArgConfig bit) const
	{
		return bits_ & static_cast<uint8_t>(bit);
	}
	constexpr uint8_t raw() const
	{
		return bits_;
	}
	constexpr ArgsConfig operator|(ArgsConfig o) const
	{
		return ArgsConfig(static_cast<uint8_t>(bits_ | o.bits_));
	}

private:
	uint8_t bits_;
};
constexpr ArgsConfig operator|(ArgConfig a, ArgConfig b)
{
	return ArgsConfig(a) | ArgsConfig(b);
}

} /* namespace tensor_accessor */

namespace tt::tt_metal
{

class TensorAccessorArgs
{
public:
	TensorAccessorArgs() = default;
	TensorAccessorArgs(const Buffer &buffer, tensor_accessor::ArgsConfig config = {})
	{
		make(&buffer, config);
	}
	TensorAccessorArgs(const Buffer *buffer, tensor_accessor::ArgsConfig config = {})
	{
		make(buffer, config);
	}
	TensorAccessorArgs(const std::shared_ptr<Buffer> &buffer,
			   tensor_accessor::ArgsConfig config = {})
	{
		make(buffer.get(), config);
	}
	TensorAccessorArgs(const distributed::MeshBuffer &buffer,
			   tensor_accessor::ArgsConfig config = {})
	{
		make(buffer.get_backing_buffer(), config);
	}
	TensorAccessorArgs(const distributed::MeshBuffer *buffer,
			   tensor_accessor::ArgsConfig config = {})
	{
		make(buffer ? buffer->get_backing_buffer() : nullptr, config);
	}
	TensorAccessorArgs(const std::shared_ptr<distributed::MeshBuffer> &buffer,
			   tensor_accessor::ArgsConfig config = {})
	{
		make(buffer ? buffer->get_backing_buffer() : nullptr, config);
	}
	static TensorAccessorArgs create_dram_interleaved()
	{
		return interleaved(2);
	}
	static TensorAccessorArgs create_l1_interleaved()
	{
		return interleaved(0);
	}

	void append_to(std::vector<uint32_t> &compile_args) const
	{
		TACHO_METALIUM_REQUIRE(common_.empty(),
				       "the accessor has arguments for run time, too");
		compile_args.insert(compile_args.end(), compile_.begin(), compile_.end());
	}
	void append_to(std::vector<uint32_t> &compile_args,
		       std::vector<uint32_t> &common_args) const
	{
		compile_args.insert(compile_args.end(), compile_.begin(), compile_.end());
		common_args.insert(common_args.end(), common_.begin(), common_.end());
	}
	std::vector<uint32_t> get_compile_time_args() const
	{
		return compile_;
	}
	std::vector<uint32_t> get_common_runtime_args() const
	{
		return common_;
	}

private:
	std::vector<uint32_t> compile_, common_;

	static TensorAccessorArgs interleaved(uint32_t bits)
	{
		TensorAccessorArgs args;

		args.compile_ = {bits, 0};
		return args;
	}
	/* To the compile-time arguments, or to the common ones. */
	std::vector<uint32_t> &part(tensor_accessor::ArgsConfig config,
				    tensor_accessor::ArgConfig bit)
	{
		return config.test(bit) ? common_ : compile_;
	}
	void make(const Buffer *buffer, tensor_accessor::ArgsConfig config)
	{
		using tensor_accessor::ArgConfig;
		const bool sharded = buffer && buffer->is_sharded(),
			   dram = buffer && buffer->is_dram();

		if (!buffer) {
			*this = interleaved(2);
			return;
		}
		config = tensor_accessor::ArgsConfig(static_cast<uint8_t>(
			(config.raw() & ~3u) | (sharded ? 1u : 0u) | (dram ? 2u : 0u)));
		compile_.push_back(
			sharded ? config.raw()
				: config.raw() &
					  (3u | static_cast<uint32_t>(ArgConfig::RuntimePageSize)));
		part(config, ArgConfig::RuntimePageSize)
			.push_back(static_cast<uint32_t>(buffer->aligned_page_size()));
		if (!sharded)
			return;
		const ShardSpecBuffer &spec = buffer->shard_spec();
		const auto cores = buffer->shard_cores();

		part(config, ArgConfig::RuntimeRank).push_back(2);
		part(config, ArgConfig::RuntimeNumBanks)
			.push_back(static_cast<uint32_t>(cores.size()));
		for (uint32_t n : spec.tensor2d_shape_in_pages)
			part(config, ArgConfig::RuntimeTensorShape).push_back(n);
		for (uint32_t n : spec.shape_in_pages())
			part(config, ArgConfig::RuntimeShardShape).push_back(n);
		auto &banks = part(config, ArgConfig::RuntimeBankCoords);

		for (size_t i = 0; i < cores.size(); i += 2)
			banks.push_back(coordinates(*buffer, cores[i]) |
					(i + 1 < cores.size()
						 ? coordinates(*buffer, cores[i + 1]) << 16
						 : 0));
	}
	static uint32_t coordinates(const Buffer &buffer, const CoreCoord &core)
	{
		const CoreCoord at = buffer.is_dram()
					     ? core
					     : buffer.device()->worker_core_from_logical_core(core);

		return static_cast<uint32_t>(at.x << 8 | at.y);
	}
};

} /* namespace tt::tt_metal */
