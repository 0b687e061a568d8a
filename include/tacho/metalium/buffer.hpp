/* SPDX-License-Identifier: Apache-2.0 */
/* Devices and their buffers. A device here is one or several of Tacho's: a mesh acts on all. */
#pragma once

#include <tacho/metalium/cores.hpp>

namespace tt::tt_metal
{
class IDevice;
class Buffer;
class Program;
class CommandQueue;
namespace distributed
{
class MeshDevice;
class MeshBuffer;
class MeshCommandQueue;
} /* namespace distributed */
using Device = IDevice;

using SubDeviceId = tt::stl::StrongType<uint8_t, struct SubDeviceIdTag>;
using SubDeviceManagerId = tt::stl::StrongType<uint64_t, struct SubDeviceManagerIdTag>;

struct DispatchCoreConfig {
	DispatchCoreConfig() = default;
	DispatchCoreConfig(DispatchCoreType)
	{
	}
	DispatchCoreConfig(DispatchCoreType, DispatchCoreAxis)
	{
	}
	DispatchCoreConfig(DispatchCoreAxis)
	{
	}
};

} /* namespace tt::tt_metal */

namespace tacho_metalium
{

/* One device of the C library, closed with its last user. */
class chip
{
public:
	explicit chip(int id)
	{
		tacho_device_options options = {};
		const char *arch = environment("TACHO_ARCH");

		/*
		 * Products have harvested grids; results do not depend on it, but other tools
		 * expect it in a profile.
		 */
		if (!environment("TACHO_CORES") &&
		    (!arch || !*arch || !strcmp(arch, "wormhole_b0")))
			options.cores = 72;
		else if (!environment("TACHO_CORES") && arch && !strcmp(arch, "blackhole"))
			options.cores = 130;
		requested_ = options.cores;
		check(tacho_device_open(&device_, &options));
		tacho_device_info(device_, &info_);
		id_ = id;
	}
	~chip()
	{
		close();
	}
	chip(const chip &) = delete;
	chip &operator=(const chip &) = delete;

	tacho_device *get() const
	{
		if (!device_)
			throw std::runtime_error(fmt::format("device {} is closed", id_));
		return device_;
	}
	bool is_open() const
	{
		return device_ != nullptr;
	}
	void close()
	{
		/* Release what programs still hold first: the device must outlive it. */
		while (!owned_.empty()) {
			auto release = std::move(owned_.begin()->second);

			owned_.erase(owned_.begin());
			release();
		}
		tacho_device_close(device_);
		device_ = nullptr;
	}
	void own(const void *what, std::function<void()> release)
	{
		owned_[what] = std::move(release);
	}
	/* Releases it, unless closing the device did. */
	void release(const void *what)
	{
		auto at = owned_.find(what);

		if (at == owned_.end())
			return;
		auto last = std::move(at->second);

		owned_.erase(at);
		last();
	}
	int id() const
	{
		return id_;
	}
	const struct tacho_device_info &info() const
	{
		return info_;
	}
	bool is_blackhole() const
	{
		return !strcmp(info_.arch, "blackhole");
	}
	bool is_tiny() const
	{
		return !strcmp(info_.arch, "tiny");
	}
	uint32_t dram_alignment() const
	{
		return is_blackhole() ? 64 : 32;
	}
	/*
	 * A row (Blackhole: a column) belongs to dispatch, unless the library already reserves it.
	 */
	CoreCoord compute_grid() const
	{
		const bool kept = is_tiny() || (requested_ && info_.cores < requested_);

		if (kept)
			return {info_.columns, info_.rows};
		return is_blackhole() ? CoreCoord(info_.columns - 1, info_.rows)
				      : CoreCoord(info_.columns, info_.rows - 1);
	}
	/* Coordinates for kernels: Wormhole's are translated, so that they have no gaps. */
	CoreCoord worker(CoreCoord logical) const
	{
		tacho_core at = {static_cast<uint16_t>(logical.x),
				 static_cast<uint16_t>(logical.y)},
			   noc;

		check(tacho_core_noc(get(), at, &noc));
		if (!strcmp(info_.arch, "wormhole_b0"))
			return {18 + logical.x, 18 + logical.y};
		return {noc.x, noc.y};
	}

private:
	tacho_device *device_ = nullptr;
	struct tacho_device_info info_ = {};
	std::map<const void *, std::function<void()>> owned_;
	unsigned requested_ = 0;
	int id_ = 0;
};

using chips_t = std::vector<std::shared_ptr<chip>>;

/* Open chips, by id: a device that is opened twice is one. */
inline std::map<int, std::weak_ptr<chip>> &chips_open()
{
	static std::map<int, std::weak_ptr<chip>> open;
	return open;
}
inline std::shared_ptr<chip> chip_open(int id)
{
	auto known = chips_open()[id].lock();

	if (known && known->is_open())
		return known;
	auto made = std::make_shared<chip>(id);

	chips_open()[id] = made;
	return made;
}

inline std::vector<tacho_core_range> ranges_of(const CoreRangeSet &set)
{
	std::vector<tacho_core_range> out;

	for (const CoreRange &r : set.ranges())
		out.push_back({{static_cast<uint16_t>(r.start_coord.x),
				static_cast<uint16_t>(r.start_coord.y)},
			       {static_cast<uint16_t>(r.end_coord.x),
				static_cast<uint16_t>(r.end_coord.y)}});
	return out;
}
inline CoreRangeSet set_of(const tt::tt_metal::CoreSpecVariant &spec)
{
	return std::visit([](const auto &cores) { return CoreRangeSet(cores); }, spec);
}

} /* namespace tacho_metalium */

namespace tt::tt_metal
{

class Allocator
{
public:
	explicit Allocator(const tacho_metalium::chip &chip) : chip_(&chip)
	{
	}
	uint32_t get_alignment(BufferType type) const
	{
		return type == BufferType::DRAM || type == BufferType::TRACE
			       ? chip_->dram_alignment()
			       : 16;
	}
	uint32_t get_num_banks(BufferType type) const
	{
		return type == BufferType::DRAM ? chip_->info().dram_banks : chip_->info().cores;
	}
	DeviceAddr get_bank_size(BufferType type) const
	{
		return type == BufferType::DRAM ? chip_->info().dram_bank_size
						: chip_->info().l1_free;
	}
	DeviceAddr get_base_allocator_addr(const BufferType type) const
	{
		return type == BufferType::DRAM ? 0 : chip_->info().l1_size - chip_->info().l1_free;
	}
	DeviceAddr get_base_allocator_addr(HalProgrammableCoreType) const
	{
		return get_base_allocator_addr(BufferType::L1);
	}
	CoreCoord get_logical_core_from_bank_id(uint32_t bank) const
	{
		return {bank % chip_->info().columns, bank / chip_->info().columns};
	}
	const std::vector<uint32_t> get_bank_ids_from_logical_core(BufferType, CoreCoord core) const
	{
		return {static_cast<uint32_t>(core.y * chip_->info().columns + core.x)};
	}

private:
	const tacho_metalium::chip *chip_;
};

class IDevice
{
public:
	explicit IDevice(tacho_metalium::chips_t chips) : chips_(std::move(chips))
	{
		allocator_ = std::make_unique<Allocator>(first());
	}
	virtual ~IDevice() = default;

	tt::ARCH arch() const
	{
		return first().is_blackhole() ? ARCH::BLACKHOLE : ARCH::WORMHOLE_B0;
	}
	int id() const
	{
		return first().id();
	}
	ChipId build_id() const
	{
		return id();
	}
	uint8_t num_hw_cqs() const
	{
		return queues_;
	}
	bool is_initialized() const
	{
		return first().is_open();
	}
	bool is_mmio_capable() const
	{
		return true;
	}
	CoreCoord grid_size() const
	{
		return {first().info().columns, first().info().rows};
	}
	CoreCoord logical_grid_size() const
	{
		return grid_size();
	}
	CoreCoord compute_with_storage_grid_size() const
	{
		return first().compute_grid();
	}
	CoreCoord dram_grid_size() const
	{
		return {first().info().dram_banks, 1};
	}
	int num_dram_channels() const
	{
		return static_cast<int>(first().info().dram_banks);
	}
	uint32_t l1_size_per_core() const
	{
		return first().info().l1_size;
	}
	DeviceAddr dram_size_per_channel() const
	{
		return first().info().dram_bank_size;
	}
	int get_clock_rate_mhz() const
	{
		return static_cast<int>(first().info().mhz);
	}
	CoreCoord worker_core_from_logical_core(const CoreCoord &core) const
	{
		return first().worker(core);
	}
	std::vector<CoreCoord>
	worker_cores_from_logical_cores(const std::vector<CoreCoord> &cores) const
	{
		std::vector<CoreCoord> out;

		for (const CoreCoord &c : cores)
			out.push_back(first().worker(c));
		return out;
	}
	CoreCoord virtual_core_from_logical_core(const CoreCoord &core, const CoreType &) const
	{
		return first().worker(core);
	}
	CoreCoord physical_worker_core_from_logical_core(const CoreCoord &core) const
	{
		tacho_core at = {static_cast<uint16_t>(core.x), static_cast<uint16_t>(core.y)}, noc;

		tacho_metalium::check(tacho_core_noc(first().get(), at, &noc));
		return {noc.x, noc.y};
	}
	CoreCoord virtual_noc0_coordinate(uint8_t, CoreCoord core) const
	{
		return core;
	}
	std::unordered_set<CoreCoord> get_active_ethernet_cores(bool skip_reserved = false) const
	{
		(void)skip_reserved;
		return {}; /* no cables are plugged in */
	}
	bool is_active_ethernet_core(CoreCoord, bool = false) const
	{
		return false;
	}
	CoreCoord ethernet_core_from_logical_core(const CoreCoord &core) const
	{
		return core;
	}
	CoreRangeSet worker_cores(HalProgrammableCoreType, SubDeviceId) const
	{
		return CoreRange({0, 0}, {compute_with_storage_grid_size().x - 1,
					  compute_with_storage_grid_size().y - 1});
	}
	const std::unique_ptr<Allocator> &allocator() const
	{
		return allocator_;
	}
	const std::unique_ptr<Allocator> &allocator(SubDeviceId) const
	{
		return allocator_;
	}
	void enable_program_cache()
	{
	}
	void disable_and_clear_program_cache()
	{
	}
	void clear_program_cache()
	{
	}
	std::size_t num_program_cache_entries()
	{
		return 0;
	}
	void enable_async(bool)
	{
	}
	virtual bool close()
	{
		const bool open = first().is_open();

		for (auto &c : chips_)
			c->close();
		return open;
	}
	CommandQueue &command_queue(size_t id = 0);

	const tacho_metalium::chips_t &tacho_chips() const
	{
		return chips_;
	}

protected:
	const tacho_metalium::chip &first() const
	{
		return *chips_.front();
	}
	tacho_metalium::chips_t chips_;
	std::unique_ptr<Allocator> allocator_;
	std::map<size_t, std::unique_ptr<CommandQueue>> command_queues_;
	uint8_t queues_ = 1;
};

/* ---- how a buffer is spread ---- */
class Shape2D
{
public:
	Shape2D() = default;
	Shape2D(size_t height, size_t width) : height_(height), width_(width)
	{
	}
	Shape2D(const std::array<uint32_t, 2> &shape) : height_(shape[0]), width_(shape[1])
	{
	}
	Shape2D(const std::pair<size_t, size_t> &shape) : height_(shape.first), width_(shape.second)
	{
	}
	size_t height() const
	{
		return height_;
	}
	size_t width() const
	{
		return width_;
	}
	bool operator==(const Shape2D &) const = default;

private:
	size_t height_ = 0, width_ = 0;
};

struct ShardSpec {
	CoreRangeSet grid;
	std::array<uint32_t, 2> shape{};
	ShardOrientation orientation = ShardOrientation::ROW_MAJOR;

	ShardSpec(const CoreRangeSet &grid_, const std::array<uint32_t, 2> &shape_,
		  ShardOrientation orientation_ = ShardOrientation::ROW_MAJOR, bool = false)
	    : grid(grid_), shape(shape_), orientation(orientation_)
	{
	}
	uint32_t num_cores() const
	{
		return grid.num_cores();
	}
	uint32_t numel() const
	{
		return shape[0] * shape[1];
	}
};

struct ShardSpecBuffer {
	ShardSpec tensor_shard_spec;
	std::array<uint32_t, 2> page_shape{};
	std::array<uint32_t, 2> tensor2d_shape_in_pages{};

	ShardSpecBuffer(const CoreRangeSet &grid, const std::array<uint32_t, 2> &shard_shape,
			ShardOrientation orientation, const std::array<uint32_t, 2> &page,
			const std::array<uint32_t, 2> &tensor)
	    : tensor_shard_spec(grid, shard_shape, orientation), page_shape(page),
	      tensor2d_shape_in_pages(tensor)
	{
	}
	ShardSpecBuffer(const CoreRangeSet &grid, const std::array<uint32_t, 2> &shard_shape,
			ShardOrientation orientation, bool, const std::array<uint32_t, 2> &page,
			const std::array<uint32_t, 2> &tensor)
	    : ShardSpecBuffer(grid, shard_shape, orientation, page, tensor)
	{
	}
	ShardSpecBuffer(const ShardSpec &spec, const std::array<uint32_t, 2> &page,
			const std::array<uint32_t, 2> &tensor)
	    : tensor_shard_spec(spec), page_shape(page), tensor2d_shape_in_pages(tensor)
	{
	}
	CoreRangeSet grid() const
	{
		return tensor_shard_spec.grid;
	}
	std::array<uint32_t, 2> shape() const
	{
		return tensor_shard_spec.shape;
	}
	ShardOrientation orientation() const
	{
		return tensor_shard_spec.orientation;
	}
	std::array<uint32_t, 2> shape_in_pages() const
	{
		return {std::max(1u, shape()[0] / page_shape[0]),
			std::max(1u, shape()[1] / page_shape[1])};
	}
	DeviceAddr num_pages() const
	{
		return static_cast<DeviceAddr>(shape_in_pages()[0]) * shape_in_pages()[1];
	}
};

class BufferShardingArgs
{
public:
	BufferShardingArgs() = default;
	BufferShardingArgs(std::nullopt_t)
	{
	}
	BufferShardingArgs(std::optional<ShardSpecBuffer> spec, TensorMemoryLayout layout)
	    : spec_(std::move(spec)), layout_(layout)
	{
	}
	BufferShardingArgs(std::optional<ShardSpecBuffer> spec) : spec_(std::move(spec))
	{
		if (spec_)
			layout_ = TensorMemoryLayout::HEIGHT_SHARDED;
	}
	const std::optional<ShardSpecBuffer> &shard_spec() const
	{
		return spec_;
	}
	TensorMemoryLayout buffer_layout() const
	{
		return layout_;
	}

private:
	std::optional<ShardSpecBuffer> spec_;
	TensorMemoryLayout layout_ = TensorMemoryLayout::INTERLEAVED;
};

struct BufferConfig {
	IDevice *device = nullptr;
	DeviceAddr size = 0, page_size = 0;
	BufferType buffer_type = BufferType::DRAM;
	TensorMemoryLayout buffer_layout = TensorMemoryLayout::INTERLEAVED;
};
using InterleavedBufferConfig = BufferConfig;

struct ShardedBufferConfig {
	IDevice *device = nullptr;
	DeviceAddr size = 0, page_size = 0;
	BufferType buffer_type = BufferType::L1;
	TensorMemoryLayout buffer_layout = TensorMemoryLayout::HEIGHT_SHARDED;
	ShardSpecBuffer shard_parameters;
};

struct BufferRegion {
	DeviceAddr offset = 0, size = 0;
};

/* The same buffer on each chip of its device, at one address. */
class Buffer
{
public:
	static std::shared_ptr<Buffer> create(IDevice *device, DeviceAddr size,
					      DeviceAddr page_size, BufferType type,
					      const BufferShardingArgs &sharding = std::nullopt,
					      std::optional<bool> bottom_up = std::nullopt,
					      std::optional<SubDeviceId> = std::nullopt)
	{
		return std::make_shared<Buffer>(device, device->tacho_chips(), size, page_size,
						type, sharding, bottom_up, 0);
	}
	static std::shared_ptr<Buffer> create(IDevice *device, DeviceAddr address, DeviceAddr size,
					      DeviceAddr page_size, BufferType type,
					      const BufferShardingArgs &sharding = std::nullopt,
					      std::optional<bool> bottom_up = std::nullopt,
					      std::optional<SubDeviceId> = std::nullopt)
	{
		return std::make_shared<Buffer>(device, device->tacho_chips(), size, page_size,
						type, sharding, bottom_up, address);
	}
	Buffer(IDevice *device, tacho_metalium::chips_t chips, DeviceAddr size,
	       DeviceAddr page_size, BufferType type, const BufferShardingArgs &sharding,
	       std::optional<bool> bottom_up, DeviceAddr address)
	    : device_(device), chips_(std::move(chips)), size_(size), page_size_(page_size),
	      type_(type), sharding_(sharding)
	{
		TACHO_METALIUM_REQUIRE(
			!size || (page_size && size % page_size == 0),
			"a buffer of {} bytes in pages of {}: the size is not a multiple of the page size",
			size, page_size);
		if (size)
			allocate(bottom_up, address);
	}
	~Buffer()
	{
		deallocate();
	}
	Buffer(const Buffer &) = delete;
	Buffer &operator=(const Buffer &) = delete;

	uint32_t address() const
	{
		return address_;
	}
	DeviceAddr size() const
	{
		return size_;
	}
	DeviceAddr page_size() const
	{
		return page_size_;
	}
	DeviceAddr aligned_page_size() const
	{
		return tt::align(page_size_, alignment());
	}
	uint32_t num_pages() const
	{
		return static_cast<uint32_t>(page_size_ ? size_ / page_size_ : 0);
	}
	uint32_t num_dev_pages() const
	{
		return num_pages();
	}
	uint32_t alignment() const
	{
		return is_dram() ? chips_.front()->dram_alignment() : 16;
	}
	BufferType buffer_type() const
	{
		return type_;
	}
	TensorMemoryLayout buffer_layout() const
	{
		return sharding_.buffer_layout();
	}
	bool is_l1() const
	{
		return type_ == BufferType::L1 || type_ == BufferType::L1_SMALL;
	}
	bool is_dram() const
	{
		return !is_l1();
	}
	bool is_sharded() const
	{
		return sharding_.shard_spec().has_value();
	}
	bool is_allocated() const
	{
		return !handles_.empty();
	}
	IDevice *device() const
	{
		return device_;
	}
	const ShardSpecBuffer &shard_spec() const
	{
		TACHO_METALIUM_REQUIRE(is_sharded(), "the buffer is not sharded");
		return *sharding_.shard_spec();
	}
	/* Where a page is, for programs that read memory themselves. */
	DeviceAddr page_address(uint32_t, uint32_t page) const
	{
		const uint32_t banks = device_->allocator()->get_num_banks(type_);

		return address_ + page / banks * aligned_page_size();
	}
	/* The DRAM port of a bank, or the core of one of L1. */
	CoreCoord noc_coordinates(uint32_t bank = 0) const
	{
		tacho_core port;
		uint64_t offset;

		if (is_dram()) {
			tacho_metalium::check(
				tacho_bank_noc(chips_.front()->get(), bank, &port, &offset));
			return {port.x, port.y};
		}
		return device_->worker_core_from_logical_core(
			device_->allocator()->get_logical_core_from_bank_id(bank));
	}
	void deallocate()
	{
		for (size_t i = 0; i < handles_.size(); i++)
			chips_[i]->release(handles_[i]);
		handles_.clear();
	}

	/* All of it, or a part, on one chip. */
	void write(size_t chip, const void *data, DeviceAddr offset, DeviceAddr len) const
	{
		if (len)
			tacho_metalium::check(tacho_buffer_write(handle(chip), offset, data, len));
	}
	void read(size_t chip, void *data, DeviceAddr offset, DeviceAddr len) const
	{
		if (len)
			tacho_metalium::check(tacho_buffer_read(handle(chip), offset, data, len));
	}
	const tacho_metalium::chips_t &tacho_chips() const
	{
		return chips_;
	}
	/* Cores (banks of DRAM) of the shards, in their order. */
	std::vector<CoreCoord> shard_cores() const
	{
		const ShardSpecBuffer &spec = shard_spec();

		return corerange_to_cores(spec.grid(), std::nullopt,
					  spec.orientation() == ShardOrientation::ROW_MAJOR);
	}

private:
	IDevice *device_;
	tacho_metalium::chips_t chips_;
	DeviceAddr size_, page_size_;
	BufferType type_;
	BufferShardingArgs sharding_;
	uint32_t address_ = 0;
	std::vector<tacho_buffer *> handles_;

	tacho_buffer *handle(size_t chip) const
	{
		if (handles_.empty())
			throw std::runtime_error("the buffer has been deallocated");
		chips_.at(chip)->get();
		return handles_.at(chip);
	}
	void allocate(std::optional<bool> bottom_up, DeviceAddr address)
	{
		std::vector<tacho_core> banks;
		tacho_shards shards = {};
		tacho_buffer_options options = {};

		options.memory = is_l1() ? TACHO_L1 : TACHO_DRAM;
		options.size = size_;
		options.page_size = static_cast<uint32_t>(page_size_);
		options.address = static_cast<uint32_t>(address);
		options.from_top = bottom_up ? (*bottom_up ? -1 : 1) : 0;
		if (is_sharded()) {
			const ShardSpecBuffer &spec = shard_spec();

			for (const CoreCoord &c : shard_cores())
				banks.push_back(
					{static_cast<uint16_t>(c.x), static_cast<uint16_t>(c.y)});
			shards.rows = spec.tensor2d_shape_in_pages[0];
			shards.columns = spec.tensor2d_shape_in_pages[1];
			shards.shard_rows = spec.shape_in_pages()[0];
			shards.shard_columns = spec.shape_in_pages()[1];
			shards.banks = banks.data();
			shards.bank_count = static_cast<unsigned>(banks.size());
			options.shards = &shards;
		}
		for (const auto &chip : chips_) {
			tacho_buffer *made;

			try {
				tacho_metalium::check(
					tacho_buffer_make(&made, chip->get(), &options));
			} catch (...) {
				deallocate();
				throw;
			}
			handles_.push_back(made);
			chip->own(made, [made] { tacho_buffer_free(made); });
			address_ = tacho_buffer_address(handles_.front());
			TACHO_METALIUM_REQUIRE(
				tacho_buffer_address(made) == address_,
				"a mesh buffer has no common address: device {} gave 0x{:x}, not 0x{:x}",
				chip->id(), tacho_buffer_address(made), address_);
		}
	}
};

} /* namespace tt::tt_metal */

template <> struct fmt::formatter<tt::tt_metal::Shape2D> : fmt::formatter<std::string_view> {
	template <typename C> auto format(const tt::tt_metal::Shape2D &s, C &context) const
	{
		return fmt::formatter<std::string_view>::format(
			fmt::format("({}, {})", s.height(), s.width()), context);
	}
};
