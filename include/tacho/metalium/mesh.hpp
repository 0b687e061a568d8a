/* SPDX-License-Identifier: Apache-2.0 */
/* Meshes of devices: one program on all of them, buffers replicated or cut over them. */
#pragma once

#include <tacho/metalium/program.hpp>

namespace tt::tt_metal
{

/* A part of a device's cores. A program uses one; there is nothing to enforce here. */
class SubDevice
{
public:
	template <typename T>
	explicit SubDevice(const T &cores) : cores_(std::begin(cores), std::end(cores))
	{
	}
	const CoreRangeSet &cores(HalProgrammableCoreType type) const
	{
		return cores_.at(static_cast<size_t>(type));
	}
	bool has_core_type(HalProgrammableCoreType type) const
	{
		return static_cast<size_t>(type) < cores_.size();
	}

private:
	std::vector<CoreRangeSet> cores_;
};

} /* namespace tt::tt_metal */

namespace tacho_metalium
{

/* ---- callbacks at the end of each run ---- */
struct run_record {
	uint64_t runtime_id = 0, start = 0, end = 0;
	int chip = 0;
	double ghz = 0;
	std::vector<std::string> sources;
};
inline std::map<uint64_t, std::function<void(const run_record &)>> &run_listeners()
{
	static std::map<uint64_t, std::function<void(const run_record &)>> listeners;
	return listeners;
}

inline void run_one(const std::shared_ptr<chip> &c, program_note &note,
		    const std::shared_ptr<built> &b)
{
	if (run_listeners().empty()) {
		check(tacho_enqueue(c->get(), b->program));
		return;
	}
	check(tacho_finish(c->get()));
	run_record r;

	r.runtime_id = note.runtime_id;
	r.chip = c->id();
	r.ghz = c->info().mhz / 1000.0;
	for (const kernel_note &k : note.kernels)
		r.sources.push_back(k.source);
	r.start = tacho_device_cycles(c->get());
	check(tacho_enqueue(c->get(), b->program));
	check(tacho_finish(c->get()));
	r.end = tacho_device_cycles(c->get());
	for (auto &[id, listener] : run_listeners())
		listener(r);
}

/* One program on several chips is one op, unless the caller numbers its runs. */
inline std::vector<std::shared_ptr<built>> run(const chips_t &chips, program_note &note)
{
	std::vector<tacho_device *> devices;
	std::vector<std::shared_ptr<built>> all;
	const bool group = chips.size() > 1 && !note.runtime_id;

	for (const auto &c : chips) {
		devices.push_back(c->get());
		all.push_back(note.on(c));
	}
	if (group) {
		const op_text text(note.name, note.kernels, note.cbs);

		check(tacho_op_begin(devices.data(), static_cast<unsigned>(devices.size()),
				     &text.op));
	}
	try {
		for (size_t i = 0; i < chips.size(); i++)
			run_one(chips[i], note, all[i]);
	} catch (...) {
		if (group)
			tacho_op_end(devices[0]);
		throw;
	}
	if (group)
		check(tacho_op_end(devices[0]));
	return all;
}

inline void finish(const chips_t &chips)
{
	for (const auto &c : chips)
		check(tacho_finish(c->get()));
}

/* A trace on each chip, and the programs that it runs. */
struct trace_note {
	std::vector<tacho_trace *> traces;
	std::vector<std::shared_ptr<built>> programs;
	chips_t chips;
};

} /* namespace tacho_metalium */

namespace tt::tt_metal::distributed
{

class MeshShape
{
public:
	MeshShape(uint32_t n) : dims_{n}
	{
	}
	MeshShape(uint32_t rows, uint32_t columns) : dims_{rows, columns}
	{
	}
	explicit MeshShape(std::vector<uint32_t> dims) : dims_(std::move(dims))
	{
	}
	size_t dims() const
	{
		return dims_.size();
	}
	uint32_t operator[](int i) const
	{
		return dims_.at(i < 0 ? dims_.size() - static_cast<size_t>(-i)
				      : static_cast<size_t>(i));
	}
	size_t mesh_size() const
	{
		return std::accumulate(dims_.begin(), dims_.end(), size_t{1}, std::multiplies<>());
	}
	bool operator==(const MeshShape &) const = default;

private:
	std::vector<uint32_t> dims_;
};

class MeshCoordinate
{
public:
	explicit MeshCoordinate(uint32_t n) : at_{n}
	{
	}
	MeshCoordinate(uint32_t row, uint32_t column) : at_{row, column}
	{
	}
	explicit MeshCoordinate(std::vector<uint32_t> at) : at_(std::move(at))
	{
	}
	static MeshCoordinate zero_coordinate(size_t dims)
	{
		return MeshCoordinate(std::vector<uint32_t>(dims));
	}
	size_t dims() const
	{
		return at_.size();
	}
	uint32_t operator[](int i) const
	{
		return at_.at(i < 0 ? at_.size() - static_cast<size_t>(-i)
				    : static_cast<size_t>(i));
	}
	std::span<const uint32_t> coords() const
	{
		return at_;
	}
	auto operator<=>(const MeshCoordinate &) const = default;
	bool operator==(const MeshCoordinate &) const = default;

private:
	std::vector<uint32_t> at_;
};

/* A box of devices; both ends are inside. */
class MeshCoordinateRange
{
public:
	MeshCoordinateRange(const MeshShape &shape)
	    : start_(MeshCoordinate::zero_coordinate(shape.dims())), end_(last_of(shape))
	{
	}
	MeshCoordinateRange(const MeshCoordinate &start, const MeshCoordinate &end)
	    : start_(start), end_(end)
	{
		TACHO_METALIUM_REQUIRE(start.dims() == end.dims(),
				       "a range of devices has two ends of one kind");
	}
	explicit MeshCoordinateRange(const MeshCoordinate &one) : start_(one), end_(one)
	{
	}
	const MeshCoordinate &start_coord() const
	{
		return start_;
	}
	const MeshCoordinate &end_coord() const
	{
		return end_;
	}
	bool contains(const MeshCoordinate &c) const
	{
		for (size_t i = 0; i < c.dims(); i++)
			if (c[static_cast<int>(i)] < start_[static_cast<int>(i)] ||
			    c[static_cast<int>(i)] > end_[static_cast<int>(i)])
				return false;
		return c.dims() == start_.dims();
	}
	std::vector<MeshCoordinate> all() const
	{
		std::vector<MeshCoordinate> out;
		std::vector<uint32_t> at(start_.coords().begin(), start_.coords().end());

		for (;;) {
			out.emplace_back(at);
			size_t i = at.size();

			for (; i > 0; i--) {
				if (at[i - 1]++ < end_[static_cast<int>(i - 1)])
					break;
				at[i - 1] = start_[static_cast<int>(i - 1)];
			}
			if (!i)
				return out;
		}
	}
	auto begin() const
	{
		list_ = std::make_shared<std::vector<MeshCoordinate>>(all());
		return list_->begin();
	}
	auto end() const
	{
		return list_->end();
	}
	bool operator==(const MeshCoordinateRange &o) const
	{
		return start_ == o.start_ && end_ == o.end_;
	}
	auto operator<=>(const MeshCoordinateRange &o) const
	{
		return std::tie(start_, end_) <=> std::tie(o.start_, o.end_);
	}

private:
	MeshCoordinate start_, end_;
	mutable std::shared_ptr<std::vector<MeshCoordinate>> list_;

	static MeshCoordinate last_of(const MeshShape &shape)
	{
		std::vector<uint32_t> at;

		for (size_t i = 0; i < shape.dims(); i++)
			at.push_back(shape[static_cast<int>(i)] - 1);
		return MeshCoordinate(std::move(at));
	}
};

using MeshTraceId = tt::stl::StrongType<uint32_t, struct MeshTraceIdTag>;

class MeshEvent
{
public:
	MeshEvent(uint32_t id = 0) : id_(id)
	{
	}
	uint32_t id() const
	{
		return id_;
	}

private:
	uint32_t id_;
};

struct MeshDeviceConfig {
	std::optional<MeshShape> mesh_shape;
	std::optional<MeshCoordinate> offset;
	std::vector<int> physical_device_ids;

	MeshDeviceConfig(std::optional<MeshShape> shape = std::nullopt,
			 std::optional<MeshCoordinate> offset_ = std::nullopt,
			 std::vector<int> ids = {})
	    : mesh_shape(std::move(shape)), offset(std::move(offset_)),
	      physical_device_ids(std::move(ids))
	{
	}
};

class MeshWorkload
{
public:
	MeshWorkload() = default;
	MeshWorkload(MeshWorkload &&) = default;
	MeshWorkload &operator=(MeshWorkload &&) = default;
	void add_program(const MeshCoordinateRange &range, Program &&program)
	{
		programs_.insert_or_assign(range, std::move(program));
	}
	std::map<MeshCoordinateRange, Program> &get_programs()
	{
		return programs_;
	}
	const std::map<MeshCoordinateRange, Program> &get_programs() const
	{
		return programs_;
	}

private:
	std::map<MeshCoordinateRange, Program> programs_;
};

/* Enqueued work runs in order on one engine, so every event has already happened. */
class MeshCommandQueue
{
public:
	MeshCommandQueue(MeshDevice *device, uint32_t id) : device_(device), id_(id)
	{
	}
	MeshDevice *device() const
	{
		return device_;
	}
	uint32_t id() const
	{
		return id_;
	}
	MeshEvent enqueue_record_event(std::span<const SubDeviceId> = {},
				       const std::optional<MeshCoordinateRange> & = std::nullopt)
	{
		return MeshEvent(++events_);
	}
	MeshEvent
	enqueue_record_event_to_host(std::span<const SubDeviceId> = {},
				     const std::optional<MeshCoordinateRange> & = std::nullopt)
	{
		return MeshEvent(++events_);
	}
	void enqueue_wait_for_event(const MeshEvent &)
	{
	}
	void enqueue_mesh_workload(MeshWorkload &workload, bool blocking);
	void enqueue_write_mesh_buffer(const std::shared_ptr<MeshBuffer> &buffer, const void *data,
				       bool blocking);
	void enqueue_read_mesh_buffer(void *data, const std::shared_ptr<MeshBuffer> &buffer,
				      bool blocking);
	void finish(std::span<const SubDeviceId> = {});

private:
	MeshDevice *device_;
	uint32_t id_, events_ = 0;
};

class MeshDeviceView
{
public:
	MeshDeviceView(MeshShape shape, std::vector<IDevice *> devices)
	    : shape_(std::move(shape)), devices_(std::move(devices))
	{
	}
	const MeshShape &shape() const
	{
		return shape_;
	}
	size_t num_devices() const
	{
		return devices_.size();
	}
	const std::vector<IDevice *> &get_devices() const
	{
		return devices_;
	}

private:
	MeshShape shape_;
	std::vector<IDevice *> devices_;
};

class MeshDevice : public IDevice, public std::enable_shared_from_this<MeshDevice>
{
public:
	MeshDevice(tacho_metalium::chips_t chips, MeshShape shape, size_t queues)
	    : IDevice(std::move(chips)), shape_(std::move(shape))
	{
		queues_ = static_cast<uint8_t>(queues);
	}
	static std::shared_ptr<MeshDevice>
	create(const MeshDeviceConfig &config, size_t l1_small = 0, size_t trace_region = 0,
	       size_t queues = 1, const DispatchCoreConfig & = {},
	       std::span<const uint32_t> l1_bank_remap = {}, size_t worker_l1 = 0)
	{
		TACHO_ZONE("MeshDevice::create");
		MeshShape shape = config.mesh_shape.value_or(MeshShape(1, 1));
		tacho_metalium::chips_t chips;

		(void)l1_small, (void)trace_region, (void)l1_bank_remap, (void)worker_l1;
		for (size_t i = 0; i < shape.mesh_size(); i++)
			chips.push_back(
				tacho_metalium::chip_open(i < config.physical_device_ids.size()
								  ? config.physical_device_ids[i]
								  : static_cast<int>(i)));
		return std::make_shared<MeshDevice>(std::move(chips), std::move(shape), queues);
	}
	static std::shared_ptr<MeshDevice>
	create_unit_mesh(int id, size_t l1_small = 0, size_t trace_region = 0, size_t queues = 1,
			 const DispatchCoreConfig &dispatch = {},
			 std::span<const uint32_t> l1_bank_remap = {}, size_t worker_l1 = 0)
	{
		return create(MeshDeviceConfig(MeshShape(1, 1), std::nullopt, {id}), l1_small,
			      trace_region, queues, dispatch, l1_bank_remap, worker_l1);
	}
	static std::map<int, std::shared_ptr<MeshDevice>>
	create_unit_meshes(const std::vector<int> &ids, size_t l1_small = 0,
			   size_t trace_region = 0, size_t queues = 1,
			   const DispatchCoreConfig &dispatch = {},
			   std::span<const uint32_t> l1_bank_remap = {}, size_t worker_l1 = 0)
	{
		std::map<int, std::shared_ptr<MeshDevice>> out;

		for (int id : ids)
			out[id] = create_unit_mesh(id, l1_small, trace_region, queues, dispatch,
						   l1_bank_remap, worker_l1);
		return out;
	}

	bool close() override
	{
		TACHO_ZONE("MeshDevice::close");
		release_traces();
		IDevice::close();
		return true;
	}
	~MeshDevice() override
	{
		release_traces();
	}
	const MeshShape &shape() const
	{
		return shape_;
	}
	size_t num_rows() const
	{
		return shape_[0];
	}
	size_t num_cols() const
	{
		return shape_[-1];
	}
	size_t num_devices() const
	{
		return chips_.size();
	}
	size_t size() const
	{
		return chips_.size();
	}
	std::vector<int> get_device_ids() const
	{
		std::vector<int> ids;

		for (const auto &c : chips_)
			ids.push_back(c->id());
		return ids;
	}
	std::vector<IDevice *> get_devices() const
	{
		std::vector<IDevice *> out;

		for (size_t i = 0; i < chips_.size(); i++)
			out.push_back(device_at(i));
		return out;
	}
	IDevice *get_device(int id) const
	{
		for (size_t i = 0; i < chips_.size(); i++)
			if (chips_[i]->id() == id)
				return device_at(i);
		TT_THROW("the mesh has no device {}", id);
	}
	IDevice *get_device(const MeshCoordinate &at) const
	{
		return device_at(index_of(at));
	}
	IDevice *get_device(size_t row, size_t column) const
	{
		return device_at(index_of(
			MeshCoordinate(static_cast<uint32_t>(row), static_cast<uint32_t>(column))));
	}
	MeshDeviceView get_view() const
	{
		return {shape_, get_devices()};
	}
	MeshCommandQueue &mesh_command_queue(std::optional<uint8_t> id = std::nullopt)
	{
		const uint8_t n = id.value_or(0);

		TACHO_METALIUM_REQUIRE(n < queues_, "the device has {} command queues, not {}",
				       queues_, n + 1);
		auto &queue = mesh_queues_[n];

		if (!queue)
			queue = std::make_unique<MeshCommandQueue>(this, n);
		return *queue;
	}
	void quiesce_devices()
	{
		tacho_metalium::finish(chips_);
	}
	void reshape(const MeshShape &shape)
	{
		TACHO_METALIUM_REQUIRE(shape.mesh_size() == chips_.size(),
				       "a mesh of {} devices has another shape", chips_.size());
		shape_ = shape;
	}
	std::shared_ptr<MeshDevice>
	create_submesh(const MeshShape &shape,
		       const std::optional<MeshCoordinate> &offset = std::nullopt)
	{
		tacho_metalium::chips_t part;

		for (const MeshCoordinate &c : MeshCoordinateRange(shape)) {
			std::vector<uint32_t> at(c.coords().begin(), c.coords().end());

			for (size_t i = 0; offset && i < at.size(); i++)
				at[i] += (*offset)[static_cast<int>(i)];
			part.push_back(chips_.at(index_of(MeshCoordinate(at))));
		}
		return std::make_shared<MeshDevice>(std::move(part), shape, queues_);
	}

	/* ---- sub-devices ---- */
	SubDeviceManagerId create_sub_device_manager(std::span<const SubDevice> sub_devices,
						     DeviceAddr)
	{
		(void)sub_devices;
		return SubDeviceManagerId(++managers_);
	}
	SubDeviceManagerId create_sub_device_manager(std::initializer_list<SubDevice>, DeviceAddr)
	{
		return SubDeviceManagerId(++managers_);
	}
	void load_sub_device_manager(SubDeviceManagerId)
	{
	}
	void clear_loaded_sub_device_manager()
	{
	}
	void remove_sub_device_manager(SubDeviceManagerId)
	{
	}
	void set_sub_device_stall_group(std::span<const SubDeviceId>)
	{
	}
	void set_sub_device_stall_group(std::initializer_list<SubDeviceId>)
	{
	}
	void reset_sub_device_stall_group()
	{
	}

	/* ---- traces ---- */
	MeshTraceId begin_mesh_trace(uint8_t = 0)
	{
		TACHO_METALIUM_REQUIRE(!capture_, "a trace is being captured already");
		capture_ = std::make_shared<tacho_metalium::trace_note>();
		for (const auto &c : chips_)
			tacho_metalium::check(tacho_trace_begin(c->get()));
		return MeshTraceId(++traces_made_);
	}
	void end_mesh_trace(uint8_t, const MeshTraceId &id)
	{
		TACHO_METALIUM_REQUIRE(capture_, "no trace is being captured");
		capture_->chips = chips_;
		for (const auto &c : chips_) {
			tacho_trace *trace;

			tacho_metalium::check(tacho_trace_end(c->get(), &trace));
			capture_->traces.push_back(trace);
		}
		traces_[*id] = std::move(capture_);
		capture_.reset();
	}
	void replay_mesh_trace(uint8_t, const MeshTraceId &id, bool blocking)
	{
		TACHO_ZONE("replay_mesh_trace");
		for (tacho_trace *t : traces_.at(*id)->traces)
			tacho_metalium::check(tacho_trace_replay(t));
		if (blocking)
			tacho_metalium::finish(chips_);
	}
	void release_mesh_trace(const MeshTraceId &id)
	{
		auto at = traces_.find(*id);

		if (at == traces_.end())
			return;
		trace_free(*at->second);
		traces_.erase(at);
	}
	MeshTraceId begin_mesh_trace(const MeshCommandQueue &q)
	{
		return begin_mesh_trace(queue_id(q));
	}
	void end_mesh_trace(const MeshCommandQueue &q, const MeshTraceId &id)
	{
		end_mesh_trace(queue_id(q), id);
	}
	void replay_mesh_trace(const MeshCommandQueue &q, const MeshTraceId &id, bool blocking)
	{
		replay_mesh_trace(queue_id(q), id, blocking);
	}

	size_t index_of(const MeshCoordinate &at) const
	{
		size_t index = 0;

		for (size_t i = 0; i < shape_.dims(); i++) {
			TACHO_METALIUM_REQUIRE(i < at.dims() && at[static_cast<int>(i)] <
									shape_[static_cast<int>(i)],
					       "the mesh has no device at these coordinates");
			index = index * shape_[static_cast<int>(i)] + at[static_cast<int>(i)];
		}
		return index;
	}
	tacho_metalium::chips_t chips_in(const MeshCoordinateRange &range) const
	{
		tacho_metalium::chips_t out;

		for (const MeshCoordinate &c : range)
			out.push_back(chips_.at(index_of(c)));
		return out;
	}
	/* Programs of a trace live as long as the trace. */
	void keep_for_trace(const std::vector<std::shared_ptr<tacho_metalium::built>> &programs)
	{
		if (capture_)
			capture_->programs.insert(capture_->programs.end(), programs.begin(),
						  programs.end());
	}
	bool is_capturing() const
	{
		return capture_ != nullptr;
	}

private:
	MeshShape shape_;
	std::map<uint8_t, std::unique_ptr<MeshCommandQueue>> mesh_queues_;
	mutable std::map<size_t, std::unique_ptr<IDevice>> devices_;
	std::map<uint32_t, std::shared_ptr<tacho_metalium::trace_note>> traces_;
	std::shared_ptr<tacho_metalium::trace_note> capture_;
	uint32_t traces_made_ = 0;
	uint64_t managers_ = 0;

	static uint8_t queue_id(const MeshCommandQueue &q)
	{
		return static_cast<uint8_t>(q.id());
	}
	IDevice *device_at(size_t i) const
	{
		auto &device = devices_[i];

		if (!device)
			device = std::make_unique<IDevice>(tacho_metalium::chips_t{chips_.at(i)});
		return device.get();
	}
	static void trace_free(const tacho_metalium::trace_note &note)
	{
		for (size_t i = 0; i < note.traces.size(); i++)
			if (note.chips[i]->is_open())
				tacho_trace_free(note.traces[i]);
	}
	void release_traces()
	{
		for (auto &[id, note] : traces_)
			trace_free(*note);
		traces_.clear();
	}
};

class SystemMesh
{
public:
	static SystemMesh &instance()
	{
		static SystemMesh mesh;
		return mesh;
	}
	const MeshShape &shape() const
	{
		return shape_;
	}
	const MeshShape &get_shape() const
	{
		return shape_;
	}

private:
	MeshShape shape_{1, 1};
};

/* ---- buffers ---- */
struct DeviceLocalBufferConfig {
	DeviceAddr page_size = 0;
	BufferType buffer_type = BufferType::DRAM;
	TensorMemoryLayout buffer_layout = TensorMemoryLayout::INTERLEAVED;
	BufferShardingArgs sharding_args{};
	std::optional<bool> bottom_up{};
	std::optional<SubDeviceId> sub_device_id{};
};
struct ReplicatedBufferConfig {
	DeviceAddr size = 0;
};
struct ShardedBufferConfig {
	DeviceAddr global_size = 0;
	Shape2D global_buffer_shape{};
	Shape2D shard_shape{};
	ShardOrientation shard_orientation = ShardOrientation::ROW_MAJOR;
};
using MeshBufferConfig = std::variant<ReplicatedBufferConfig, ShardedBufferConfig>;

class MeshBuffer
{
public:
	static std::shared_ptr<MeshBuffer> create(const MeshBufferConfig &config,
						  const DeviceLocalBufferConfig &local,
						  MeshDevice *device,
						  std::optional<DeviceAddr> address = std::nullopt)
	{
		TACHO_ZONE("MeshBuffer::create");
		return std::make_shared<MeshBuffer>(config, local, device, address);
	}
	MeshBuffer(const MeshBufferConfig &config, const DeviceLocalBufferConfig &local,
		   MeshDevice *device, std::optional<DeviceAddr> address)
	    : config_(config), device_(device)
	{
		const DeviceAddr size = std::visit(
			[&](const auto &c) -> DeviceAddr {
				if constexpr (std::is_same_v<std::decay_t<decltype(c)>,
							     ShardedBufferConfig>)
					return local_size(c, device->num_devices());
				else
					return c.size;
			},
			config);

		buffer_ = std::make_shared<Buffer>(
			device, device->tacho_chips(), size, local.page_size, local.buffer_type,
			local.sharding_args, local.bottom_up, address.value_or(0));
	}
	DeviceAddr address() const
	{
		return buffer_->address();
	}
	DeviceAddr size() const
	{
		auto *sharded = std::get_if<ShardedBufferConfig>(&config_);

		return sharded ? sharded->global_size : buffer_->size();
	}
	DeviceAddr page_size() const
	{
		return buffer_->page_size();
	}
	uint32_t num_pages() const
	{
		return static_cast<uint32_t>(page_size() ? size() / page_size() : 0);
	}
	DeviceAddr device_local_size() const
	{
		return buffer_->size();
	}
	MeshDevice *device() const
	{
		return device_;
	}
	Buffer *get_backing_buffer() const
	{
		return buffer_.get();
	}
	Buffer *get_reference_buffer() const
	{
		return buffer_.get();
	}
	Buffer *get_device_buffer(const MeshCoordinate &) const
	{
		return buffer_.get();
	}
	bool is_allocated() const
	{
		return buffer_->is_allocated();
	}
	void deallocate()
	{
		buffer_->deallocate();
	}
	const MeshBufferConfig &global_config() const
	{
		return config_;
	}

	/* All of it, as the caller sees it: LEN bytes at least. */
	void write(const void *data, size_t len) const
	{
		TACHO_METALIUM_REQUIRE(len >= size(), "{} bytes do not fill a buffer of {}", len,
				       size());
		transfer(const_cast<void *>(data), true);
	}
	void read(void *data) const
	{
		transfer(data, false);
	}

private:
	MeshBufferConfig config_;
	MeshDevice *device_;
	std::shared_ptr<Buffer> buffer_;

	static DeviceAddr local_size(const ShardedBufferConfig &c, size_t devices)
	{
		const size_t whole = c.global_buffer_shape.height() * c.global_buffer_shape.width();
		size_t part = c.shard_shape.height() * c.shard_shape.width();

		/* 0: that side is not cut. */
		if (!c.shard_shape.height())
			part = c.global_buffer_shape.height() * c.shard_shape.width();
		if (!c.shard_shape.width())
			part = c.shard_shape.height() * c.global_buffer_shape.width();
		TACHO_METALIUM_REQUIRE(part && whole % part == 0,
				       "a mesh buffer cannot be cut into such shards");
		const size_t shards = whole / part;

		return c.global_size / shards * ((shards + devices - 1) / devices);
	}
	void transfer(void *data, bool write) const
	{
		auto *c = std::get_if<ShardedBufferConfig>(&config_);

		if (c) {
			transfer_shards(*c, static_cast<char *>(data), write);
			return;
		}
		if (!write) {
			buffer_->read(0, data, 0, buffer_->size());
			return;
		}
		for (size_t i = 0; i < device_->num_devices(); i++)
			buffer_->write(i, data, 0, buffer_->size());
	}
	/* Each row of a shard is a part of a row of the whole. */
	void transfer_shards(const ShardedBufferConfig &c, char *data, bool write) const
	{
		const size_t height = c.global_buffer_shape.height(),
			     width = c.global_buffer_shape.width();
		const size_t h = c.shard_shape.height() ? c.shard_shape.height() : height;
		const size_t w = c.shard_shape.width() ? c.shard_shape.width() : width;
		const size_t datum = c.global_size / (height * width), across = width / w,
			     down = height / h;
		std::vector<char> shard(h * w * datum);

		for (size_t i = 0; i < across * down; i++) {
			const bool rows = c.shard_orientation == ShardOrientation::ROW_MAJOR;
			const size_t x = rows ? i % across : i / down,
				     y = rows ? i / across : i % down;
			const size_t chip = i % device_->num_devices();
			const size_t offset = i / device_->num_devices() * shard.size();

			if (!write)
				buffer_->read(chip, shard.data(), offset, shard.size());
			for (size_t row = 0; row < h; row++) {
				char *whole = data + ((y * h + row) * width + x * w) * datum;
				char *part = shard.data() + row * w * datum;

				std::memcpy(write ? part : whole, write ? whole : part, w * datum);
			}
			if (write)
				buffer_->write(chip, shard.data(), offset, shard.size());
		}
	}
};

/* ---- the queue ---- */
inline void MeshCommandQueue::enqueue_mesh_workload(MeshWorkload &workload, bool blocking)
{
	TACHO_ZONE("EnqueueMeshWorkload");
	for (auto &[range, program] : workload.get_programs())
		device_->keep_for_trace(
			tacho_metalium::run(device_->chips_in(range), *program.tacho_note()));
	if (blocking && !device_->is_capturing())
		tacho_metalium::finish(device_->tacho_chips());
}
inline void MeshCommandQueue::enqueue_write_mesh_buffer(const std::shared_ptr<MeshBuffer> &buffer,
							const void *data, bool)
{
	TACHO_ZONE("EnqueueWriteMeshBuffer");
	buffer->write(data, buffer->size());
}
inline void MeshCommandQueue::enqueue_read_mesh_buffer(void *data,
						       const std::shared_ptr<MeshBuffer> &buffer,
						       bool)
{
	TACHO_ZONE("EnqueueReadMeshBuffer");
	buffer->read(data);
}
inline void MeshCommandQueue::finish(std::span<const SubDeviceId>)
{
	TACHO_ZONE("Finish");
	tacho_metalium::finish(device_->tacho_chips());
}

inline void EnqueueMeshWorkload(MeshCommandQueue &cq, MeshWorkload &workload, bool blocking)
{
	cq.enqueue_mesh_workload(workload, blocking);
}
inline void Finish(MeshCommandQueue &cq, std::span<const SubDeviceId> = {})
{
	cq.finish();
}
inline void Synchronize(MeshDevice *device, std::optional<uint8_t> = std::nullopt,
			std::span<const SubDeviceId> = {})
{
	device->quiesce_devices();
}
template <typename T>
void EnqueueWriteMeshBuffer(MeshCommandQueue &, const std::shared_ptr<MeshBuffer> &buffer,
			    const std::vector<T> &data, bool blocking = false)
{
	TACHO_ZONE("EnqueueWriteMeshBuffer");
	(void)blocking;
	buffer->write(data.data(), data.size() * sizeof(T));
}
template <typename T>
void EnqueueReadMeshBuffer(MeshCommandQueue &, std::vector<T> &data,
			   const std::shared_ptr<MeshBuffer> &buffer, bool blocking = true)
{
	TACHO_ZONE("EnqueueReadMeshBuffer");
	(void)blocking;
	data.resize(buffer->size() / sizeof(T));
	buffer->read(data.data());
}
template <typename T>
void WriteShard(MeshCommandQueue &cq, const std::shared_ptr<MeshBuffer> &buffer,
		const std::vector<T> &data, const MeshCoordinate &at, bool blocking = false)
{
	TACHO_ZONE("WriteShard");
	const Buffer &local = *buffer->get_backing_buffer();

	(void)blocking;
	TACHO_METALIUM_REQUIRE(data.size() * sizeof(T) >= local.size(),
			       "{} bytes do not fill a buffer of {}", data.size() * sizeof(T),
			       local.size());
	local.write(cq.device()->index_of(at), data.data(), 0, local.size());
}
template <typename T>
void ReadShard(MeshCommandQueue &cq, std::vector<T> &data,
	       const std::shared_ptr<MeshBuffer> &buffer, const MeshCoordinate &at,
	       bool blocking = true)
{
	TACHO_ZONE("ReadShard");
	const Buffer &local = *buffer->get_backing_buffer();

	(void)blocking;
	data.resize(local.size() / sizeof(T));
	local.read(cq.device()->index_of(at), data.data(), 0, local.size());
}
inline void EventSynchronize(const MeshEvent &)
{
}
inline bool EventQuery(const MeshEvent &)
{
	return true;
}

/* ---- as 2025 spells it ---- */
inline MeshWorkload CreateMeshWorkload()
{
	return MeshWorkload();
}
inline void AddProgramToMeshWorkload(MeshWorkload &workload, Program &&program,
				     const MeshCoordinateRange &range)
{
	workload.add_program(range, std::move(program));
}
inline MeshTraceId BeginTraceCapture(MeshDevice *device, uint8_t queue)
{
	return device->begin_mesh_trace(queue);
}
inline void EndTraceCapture(MeshDevice *device, const MeshTraceId &id, uint8_t queue)
{
	device->end_mesh_trace(queue, id);
}
inline void EndTraceCapture(MeshDevice *device, uint8_t queue, const MeshTraceId &id)
{
	device->end_mesh_trace(queue, id);
}
inline void ReplayTrace(MeshDevice *device, uint8_t queue, const MeshTraceId &id, bool blocking)
{
	device->replay_mesh_trace(queue, id, blocking);
}
inline void ReleaseTrace(MeshDevice *device, const MeshTraceId &id)
{
	device->release_mesh_trace(id);
}
inline MeshEvent EnqueueRecordEvent(MeshCommandQueue &cq, std::span<const SubDeviceId> = {})
{
	return cq.enqueue_record_event();
}
inline MeshEvent EnqueueRecordEventToHost(MeshCommandQueue &cq, std::span<const SubDeviceId> = {})
{
	return cq.enqueue_record_event();
}
inline void EnqueueWaitForEvent(MeshCommandQueue &cq, const MeshEvent &event)
{
	cq.enqueue_wait_for_event(event);
}

} /* namespace tt::tt_metal::distributed */

template <> struct std::hash<tt::tt_metal::distributed::MeshCoordinate> {
	size_t operator()(const tt::tt_metal::distributed::MeshCoordinate &c) const
	{
		size_t h = c.dims();

		for (uint32_t v : c.coords())
			h = h * 1000003 + v;
		return h;
	}
};
template <> struct std::hash<tt::tt_metal::distributed::MeshCoordinateRange> {
	size_t operator()(const tt::tt_metal::distributed::MeshCoordinateRange &r) const
	{
		std::hash<tt::tt_metal::distributed::MeshCoordinate> one;

		return one(r.start_coord()) * 31 + one(r.end_coord());
	}
};
template <>
struct fmt::formatter<tt::tt_metal::distributed::MeshShape> : fmt::formatter<std::string_view> {
	template <typename C>
	auto format(const tt::tt_metal::distributed::MeshShape &s, C &context) const
	{
		std::string text = "MeshShape([";

		for (size_t i = 0; i < s.dims(); i++)
			text += (i ? ", " : "") + std::to_string(s[static_cast<int>(i)]);
		return fmt::formatter<std::string_view>::format(text + "])", context);
	}
};
template <>
struct fmt::formatter<tt::tt_metal::distributed::MeshCoordinate>
    : fmt::formatter<std::string_view> {
	template <typename C>
	auto format(const tt::tt_metal::distributed::MeshCoordinate &s, C &context) const
	{
		std::string text = "MeshCoordinate([";

		for (size_t i = 0; i < s.dims(); i++)
			text += (i ? ", " : "") + std::to_string(s[static_cast<int>(i)]);
		return fmt::formatter<std::string_view>::format(text + "])", context);
	}
};
