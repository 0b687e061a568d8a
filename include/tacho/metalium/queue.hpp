/* SPDX-License-Identifier: Apache-2.0 */
/* Single devices and their queues, as programs of 2024 and 2025 use them; and reading and writing
 * memory directly. */
#pragma once

#include <tacho/metalium/mesh.hpp>

namespace tt::tt_metal
{

class CommandQueue
{
public:
	CommandQueue(IDevice *device, size_t id) : device_(device), id_(id)
	{
	}
	IDevice *device() const
	{
		return device_;
	}
	uint32_t id() const
	{
		return static_cast<uint32_t>(id_);
	}
	const tacho_metalium::chips_t &tacho_chips() const
	{
		return device_->tacho_chips();
	}

private:
	IDevice *device_;
	size_t id_;
};

inline CommandQueue &IDevice::command_queue(size_t id)
{
	auto &queue = command_queues_[id];

	if (!queue)
		queue = std::make_unique<CommandQueue>(this, id);
	return *queue;
}

/* Devices that CreateDevice() made, until they are closed. */
inline std::map<IDevice *, std::unique_ptr<IDevice>> &tacho_devices()
{
	static std::map<IDevice *, std::unique_ptr<IDevice>> devices;
	return devices;
}
inline IDevice *CreateDevice(int id, uint8_t queues = 1, size_t l1_small = 0,
			     size_t trace_region = 0, const DispatchCoreConfig & = {},
			     const std::vector<uint32_t> & = {})
{
	TACHO_ZONE("CreateDevice");
	(void)queues, (void)l1_small, (void)trace_region;
	auto made =
		std::make_unique<IDevice>(tacho_metalium::chips_t{tacho_metalium::chip_open(id)});
	IDevice *device = made.get();

	tacho_devices()[device] = std::move(made);
	return device;
}
inline IDevice *CreateDeviceMinimal(int id, uint8_t queues = 1,
				    const DispatchCoreConfig &dispatch = {})
{
	return CreateDevice(id, queues, 0, 0, dispatch);
}
inline bool CloseDevice(IDevice *device)
{
	TACHO_ZONE("CloseDevice");
	const bool closed = device->close();

	tacho_devices().erase(device);
	return closed;
}
inline size_t GetNumAvailableDevices()
{
	return 1;
}
inline size_t GetNumPCIeDevices()
{
	return 1;
}
inline bool IsGalaxyCluster()
{
	return false;
}
inline void SetRootDir(const std::string &root)
{
	tacho_metalium::root_dir() = root;
}

/* ---- buffers ---- */
inline std::shared_ptr<Buffer> CreateBuffer(const InterleavedBufferConfig &c)
{
	TACHO_ZONE("CreateBuffer");
	return Buffer::create(c.device, c.size, c.page_size, c.buffer_type);
}
inline std::shared_ptr<Buffer> CreateBuffer(const InterleavedBufferConfig &c, DeviceAddr address)
{
	return Buffer::create(c.device, address, c.size, c.page_size, c.buffer_type);
}
inline std::shared_ptr<Buffer> CreateBuffer(const InterleavedBufferConfig &c, SubDeviceId)
{
	return CreateBuffer(c);
}
inline std::shared_ptr<Buffer> CreateBuffer(const ShardedBufferConfig &c)
{
	return Buffer::create(c.device, c.size, c.page_size, c.buffer_type,
			      BufferShardingArgs(c.shard_parameters, c.buffer_layout));
}
inline std::shared_ptr<Buffer> CreateBuffer(const ShardedBufferConfig &c, DeviceAddr address)
{
	return Buffer::create(c.device, address, c.size, c.page_size, c.buffer_type,
			      BufferShardingArgs(c.shard_parameters, c.buffer_layout));
}
inline void DeallocateBuffer(Buffer &buffer)
{
	buffer.deallocate();
}
inline void AssignGlobalBufferToProgram(const std::shared_ptr<Buffer> &, Program &)
{
}

using BufferRef = std::variant<std::reference_wrapper<Buffer>, std::shared_ptr<Buffer>>;

inline const Buffer &buffer_of(const BufferRef &ref)
{
	if (auto *shared = std::get_if<std::shared_ptr<Buffer>>(&ref))
		return **shared;
	return std::get<std::reference_wrapper<Buffer>>(ref).get();
}
inline void EnqueueWriteBuffer(CommandQueue &, const BufferRef &ref, const void *data,
			       bool blocking)
{
	TACHO_ZONE("EnqueueWriteBuffer");
	const Buffer &buffer = buffer_of(ref);

	(void)blocking;
	for (size_t i = 0; i < buffer.tacho_chips().size(); i++)
		buffer.write(i, data, 0, buffer.size());
}
template <typename T>
void EnqueueWriteBuffer(CommandQueue &cq, const BufferRef &ref, const std::vector<T> &data,
			bool blocking)
{
	const Buffer &buffer = buffer_of(ref);
	const size_t bytes = data.size() * sizeof(T);

#if TACHO_METALIUM_API < 2026
	/* Programs until 2025 may pass less than the buffer holds; the rest stays as it is. */
	if (bytes < buffer.size()) {
		TACHO_ZONE("EnqueueWriteBuffer");
		for (size_t i = 0; i < buffer.tacho_chips().size(); i++)
			buffer.write(i, data.data(), 0, bytes);
		return;
	}
#endif
	TACHO_METALIUM_REQUIRE(bytes >= buffer.size(), "{} bytes do not fill a buffer of {}", bytes,
			       buffer.size());
	EnqueueWriteBuffer(cq, ref, static_cast<const void *>(data.data()), blocking);
}
inline void EnqueueReadBuffer(CommandQueue &, const BufferRef &ref, void *data, bool blocking)
{
	TACHO_ZONE("EnqueueReadBuffer");
	(void)blocking;
	buffer_of(ref).read(0, data, 0, buffer_of(ref).size());
}
template <typename T>
void EnqueueReadBuffer(CommandQueue &cq, const BufferRef &ref, std::vector<T> &data, bool blocking)
{
	data.resize(buffer_of(ref).size() / sizeof(T));
	EnqueueReadBuffer(cq, ref, static_cast<void *>(data.data()), blocking);
}
template <typename T>
void EnqueueWriteSubBuffer(CommandQueue &, const BufferRef &ref, const std::vector<T> &data,
			   const BufferRegion &region, bool)
{
	TACHO_ZONE("EnqueueWriteSubBuffer");
	for (size_t i = 0; i < buffer_of(ref).tacho_chips().size(); i++)
		buffer_of(ref).write(i, data.data(), region.offset, region.size);
}
template <typename T>
void EnqueueReadSubBuffer(CommandQueue &, const BufferRef &ref, std::vector<T> &data,
			  const BufferRegion &region, bool)
{
	TACHO_ZONE("EnqueueReadSubBuffer");
	data.resize(region.size / sizeof(T));
	buffer_of(ref).read(0, data.data(), region.offset, region.size);
}

/* ---- programs ---- */
inline void Finish(CommandQueue &cq, std::span<const SubDeviceId> = {})
{
	TACHO_ZONE("Finish");
	tacho_metalium::finish(cq.tacho_chips());
}
inline void Synchronize(IDevice *device, std::optional<uint8_t> = std::nullopt,
			std::span<const SubDeviceId> = {})
{
	TACHO_ZONE("Synchronize");
	tacho_metalium::finish(device->tacho_chips());
}

/* The trace that a device captures; and traces that were. */
inline std::map<IDevice *, std::shared_ptr<tacho_metalium::trace_note>> &tacho_captures()
{
	static std::map<IDevice *, std::shared_ptr<tacho_metalium::trace_note>> captures;
	return captures;
}
inline std::map<uint32_t, std::shared_ptr<tacho_metalium::trace_note>> &tacho_traces()
{
	static std::map<uint32_t, std::shared_ptr<tacho_metalium::trace_note>> traces;
	return traces;
}
inline void EnqueueProgram(CommandQueue &cq, Program &program, bool blocking)
{
	TACHO_ZONE("EnqueueProgram");
	auto programs = tacho_metalium::run(cq.tacho_chips(), *program.tacho_note());
	auto capture = tacho_captures().find(cq.device());

	if (capture != tacho_captures().end()) {
		auto &list = capture->second->programs;

		list.insert(list.end(), programs.begin(), programs.end());
	} else if (blocking) {
		tacho_metalium::finish(cq.tacho_chips());
	}
}
inline uint32_t BeginTraceCapture(IDevice *device, uint8_t)
{
	static uint32_t made;

	TACHO_METALIUM_REQUIRE(!tacho_captures().contains(device),
			       "a trace is being captured already");
	for (const auto &c : device->tacho_chips())
		tacho_metalium::check(tacho_trace_begin(c->get()));
	tacho_captures()[device] = std::make_shared<tacho_metalium::trace_note>();
	return ++made;
}
inline void EndTraceCapture(IDevice *device, uint8_t, uint32_t id)
{
	TACHO_METALIUM_REQUIRE(tacho_captures().contains(device), "no trace is being captured");
	auto note = tacho_captures()[device];

	tacho_captures().erase(device);
	note->chips = device->tacho_chips();
	for (const auto &c : note->chips) {
		tacho_trace *trace;

		tacho_metalium::check(tacho_trace_end(c->get(), &trace));
		note->traces.push_back(trace);
	}
	tacho_traces()[id] = note;
}
inline void ReplayTrace(IDevice *device, uint8_t, uint32_t id, bool blocking)
{
	TACHO_ZONE("ReplayTrace");
	for (tacho_trace *t : tacho_traces().at(id)->traces)
		tacho_metalium::check(tacho_trace_replay(t));
	if (blocking)
		tacho_metalium::finish(device->tacho_chips());
}
inline void EnqueueTrace(CommandQueue &cq, uint32_t id, bool blocking)
{
	ReplayTrace(cq.device(), 0, id, blocking);
}
inline void ReleaseTrace(IDevice *, uint32_t id)
{
	auto at = tacho_traces().find(id);

	if (at == tacho_traces().end())
		return;
	for (size_t i = 0; i < at->second->traces.size(); i++)
		if (at->second->chips[i]->is_open())
			tacho_trace_free(at->second->traces[i]);
	tacho_traces().erase(at);
}

struct Event {
	IDevice *device = nullptr;
	uint32_t cq_id = 0, event_id = 0;
};
inline void EnqueueRecordEvent(CommandQueue &cq, const std::shared_ptr<Event> &event,
			       std::span<const SubDeviceId> = {})
{
	event->device = cq.device();
	event->event_id++;
}
inline void EnqueueWaitForEvent(CommandQueue &, const std::shared_ptr<Event> &)
{
}
inline void EventSynchronize(const std::shared_ptr<Event> &event)
{
	if (event->device)
		tacho_metalium::finish(event->device->tacho_chips());
}
inline bool EventQuery(const std::shared_ptr<Event> &)
{
	return true;
}

/* A word at one L1 address of some cores that outlives programs. */
class GlobalSemaphore
{
public:
	GlobalSemaphore(IDevice *device, CoreRangeSet cores, uint32_t value)
	    : device_(device), cores_(std::move(cores)),
	      buffer_(Buffer::create(device,
				     16 * device->allocator()->get_num_banks(BufferType::L1), 16,
				     BufferType::L1))
	{
		reset_semaphore_value(value);
	}
	DeviceAddr address() const
	{
		return buffer_->address();
	}
	IDevice *device() const
	{
		return device_;
	}
	void reset_semaphore_value(uint32_t value) const
	{
		for (const auto &c : device_->tacho_chips())
			for (const CoreCoord &core : corerange_to_cores(cores_))
				tacho_metalium::check(
					tacho_core_write(c->get(),
							 {static_cast<uint16_t>(core.x),
							  static_cast<uint16_t>(core.y)},
							 buffer_->address(), &value, 4));
	}

private:
	IDevice *device_;
	CoreRangeSet cores_;
	std::shared_ptr<Buffer> buffer_;
};
inline GlobalSemaphore CreateGlobalSemaphore(IDevice *device, const CoreRangeSet &cores,
					     uint32_t value, BufferType = BufferType::L1)
{
	return {device, cores, value};
}

/* ---- the profiler ---- */
enum class ProfilerReadState { NORMAL, ONLY_DISPATCH_CORES, LAST_FD_READ };
enum class ProfilerDumpState { NORMAL, ONLY_DISPATCH_CORES, LAST_FD_DUMP, CLOSE_DEVICE_SYNC };
struct ProfilerOptionalMetadata {
};

} /* namespace tt::tt_metal */

namespace tacho_metalium
{

inline void chip_dump(const chip &c)
{
	check(tacho_finish(c.get()));
	check(tacho_profiler_dump(c.get()));
}
inline void device_dump(const tt::tt_metal::IDevice &device)
{
	for (const auto &c : device.tacho_chips())
		chip_dump(*c);
}

} /* namespace tacho_metalium */

namespace tt::tt_metal
{

inline void ReadMeshDeviceProfilerResults(distributed::MeshDevice &device,
					  ProfilerReadState = ProfilerReadState::NORMAL,
					  const std::optional<ProfilerOptionalMetadata> & = {})
{
	TACHO_ZONE("ReadMeshDeviceProfilerResults");
	tacho_metalium::device_dump(device);
}
inline void DumpMeshDeviceProfileResults(distributed::MeshDevice &device,
					 ProfilerDumpState = ProfilerDumpState::NORMAL,
					 const std::optional<ProfilerOptionalMetadata> & = {})
{
	ReadMeshDeviceProfilerResults(device);
}

namespace detail
{

inline std::map<int, IDevice *> CreateDevices(const std::vector<int> &ids, uint8_t queues = 1,
					      size_t l1_small = 0, size_t trace_region = 0,
					      const DispatchCoreConfig &dispatch = {})
{
	std::map<int, IDevice *> devices;

	for (int id : ids)
		devices[id] = CreateDevice(id, queues, l1_small, trace_region, dispatch);
	return devices;
}
inline void CloseDevices(const std::map<int, IDevice *> &devices)
{
	for (auto [id, device] : devices)
		CloseDevice(device);
}
inline void CompileProgram(IDevice *device, Program &program, bool = false)
{
	TACHO_ZONE("CompileProgram");
	for (const auto &c : device->tacho_chips())
		tacho_metalium::check(tacho_program_compile(program.tacho_note()->on(c)->program));
}
inline void WaitProgramDone(IDevice *device, Program &, bool = true)
{
	tacho_metalium::finish(device->tacho_chips());
}
inline void LaunchProgram(IDevice *device, Program &program, bool wait = true, bool = false)
{
	TACHO_ZONE("LaunchProgram");
	tacho_metalium::run(device->tacho_chips(), *program.tacho_note());
	if (wait)
		tacho_metalium::finish(device->tacho_chips());
}
inline void LaunchProgram(IDevice *device, const std::shared_ptr<Program> &program,
			  bool wait = true, bool = false)
{
	LaunchProgram(device, *program, wait);
}
inline bool ConfigureDeviceWithProgram(IDevice *, Program &, bool = false)
{
	return true;
}
inline void WriteRuntimeArgsToDevice(IDevice *, Program &, bool = false)
{
}

inline void ReadDeviceProfilerResults(IDevice *device,
				      ProfilerReadState = ProfilerReadState::NORMAL,
				      const std::optional<ProfilerOptionalMetadata> & = {})
{
	TACHO_ZONE("ReadDeviceProfilerResults");
	tacho_metalium::device_dump(*device);
}
inline void DumpDeviceProfileResults(IDevice *device)
{
	ReadDeviceProfilerResults(device);
}
template <typename T> void DumpDeviceProfileResults(IDevice *device, const T &)
{
	ReadDeviceProfilerResults(device);
}

template <typename T> void WriteToBuffer(Buffer &buffer, const std::vector<T> &data)
{
	TACHO_METALIUM_REQUIRE(data.size() * sizeof(T) >= buffer.size(),
			       "{} bytes do not fill a buffer of {}", data.size() * sizeof(T),
			       buffer.size());
	for (size_t i = 0; i < buffer.tacho_chips().size(); i++)
		buffer.write(i, data.data(), 0, buffer.size());
}
template <typename T>
void WriteToBuffer(const std::shared_ptr<Buffer> &buffer, const std::vector<T> &data)
{
	WriteToBuffer(*buffer, data);
}
template <typename T> void ReadFromBuffer(const Buffer &buffer, std::vector<T> &data)
{
	data.resize(buffer.size() / sizeof(T));
	buffer.read(0, data.data(), 0, buffer.size());
}
template <typename T>
void ReadFromBuffer(const std::shared_ptr<Buffer> &buffer, std::vector<T> &data)
{
	ReadFromBuffer(*buffer, data);
}
inline uint32_t TileSize(const DataFormat &f)
{
	return tt::tile_size(f);
}

template <typename T>
bool WriteToDeviceL1(IDevice *device, const CoreCoord &core, uint32_t address, const T &data,
		     CoreType = CoreType::WORKER)
{
	tacho_metalium::check(
		tacho_core_write(device->tacho_chips().front()->get(),
				 {static_cast<uint16_t>(core.x), static_cast<uint16_t>(core.y)},
				 address, data.data(), data.size() * sizeof(*data.data())));
	return true;
}
inline bool ReadFromDeviceL1(IDevice *device, const CoreCoord &core, uint32_t address,
			     uint32_t size, std::vector<uint32_t> &data,
			     CoreType = CoreType::WORKER)
{
	data.resize(size / 4);
	tacho_metalium::check(
		tacho_core_read(device->tacho_chips().front()->get(),
				{static_cast<uint16_t>(core.x), static_cast<uint16_t>(core.y)},
				address, data.data(), size));
	return true;
}
template <typename T>
bool WriteToDeviceDRAMChannel(IDevice *device, int channel, uint32_t address, const T &data)
{
	tacho_metalium::check(tacho_dram_write(device->tacho_chips().front()->get(),
					       static_cast<unsigned>(channel), address, data.data(),
					       data.size() * sizeof(*data.data())));
	return true;
}
inline bool ReadFromDeviceDRAMChannel(IDevice *device, int channel, uint32_t address, uint32_t size,
				      std::vector<uint32_t> &data)
{
	data.resize(size / 4);
	tacho_metalium::check(tacho_dram_read(device->tacho_chips().front()->get(),
					      static_cast<unsigned>(channel), address, data.data(),
					      size));
	return true;
}

} /* namespace detail */

inline void DumpDeviceProfileResults(IDevice *device)
{
	detail::ReadDeviceProfilerResults(device);
}
inline void DumpDeviceProfileResults(IDevice *device, const Program &)
{
	detail::ReadDeviceProfilerResults(device);
}

} /* namespace tt::tt_metal */
