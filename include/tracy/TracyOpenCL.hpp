/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zones of commands on OpenCL queues, for programs written for Tracy: a context of a device is a
 * track, a zone lasts from the start to the end of the command whose event it is given.
 *
 *	TracyCLCtx ctx = TracyCLContext(context, device);
 *	{
 *		TracyCLZone(ctx, "blur");
 *		clEnqueueNDRangeKernel(queue, kernel, ..., &event);
 *		TracyCLZoneSetEvent(event);
 *	}
 *	TracyCLCollect(ctx);	when commands have ended, for example once per frame
 *	TracyCLDestroy(ctx);
 *
 * The queue needs CL_QUEUE_PROFILING_ENABLE. The device's clock is compared with the host's when
 * the context is made, and again by TracyCLCollect() when no zone is pending: with OpenCL 2.1 by
 * clGetDeviceAndHostTimer(), else by the end of a command. A context is used by one thread at a
 * time. Zones without an event, and those of commands that fail, are dropped.
 */
#ifndef TACHO_TRACY_OPENCL_HPP
#define TACHO_TRACY_OPENCL_HPP

#ifndef TRACY_ENABLE

#define TracyCLContext(context, device) nullptr
#define TracyCLDestroy(ctx)
#define TracyCLContextName(ctx, name, size)
#define TracyCLNamedZone(ctx, varname, name, active)
#define TracyCLNamedZoneC(ctx, varname, name, color, active)
#define TracyCLZone(ctx, name)
#define TracyCLZoneC(ctx, name, color)
#define TracyCLZoneTransient(ctx, varname, name, active)
#define TracyCLNamedZoneS(ctx, varname, name, depth, active)
#define TracyCLNamedZoneCS(ctx, varname, name, color, depth, active)
#define TracyCLZoneS(ctx, name, depth)
#define TracyCLZoneCS(ctx, name, color, depth)
#define TracyCLZoneTransientS(ctx, varname, name, depth, active)
#define TracyCLNamedZoneSetEvent(varname, event)
#define TracyCLZoneSetEvent(event)
#define TracyCLCollect(ctx)

namespace tracy
{
class OpenCLCtxScope
{
};
} // namespace tracy
using TracyCLCtx = void *;

#else

#include "Tracy.hpp"

#include <CL/cl.h>
#include <atomic>
#include <deque>

namespace tracy
{
/* Numbers of contexts are shared with all that a program makes by Tracy's C functions. */
inline uint8_t OpenCLContextNumber()
{
	static std::atomic<unsigned> next{0};

	return static_cast<uint8_t>(next++ % 255);
}

class OpenCLCtx
{
public:
	OpenCLCtx(cl_context context, cl_device_id device)
	    : context_(context), device_(device), number_(OpenCLContextNumber())
	{
		struct ___tracy_gpu_new_context_data data = {};

		data.gpuTime = Read();
		data.period = 1; /* nanoseconds */
		data.context = number_;
		___tracy_emit_gpu_new_context_serial(data);
		synced_ = tacho_ticks();
	}
	OpenCLCtx(const OpenCLCtx &) = delete;
	OpenCLCtx &operator=(const OpenCLCtx &) = delete;
	~OpenCLCtx()
	{
		for (const Pending &p : pending_)
			if (p.end && p.event)
				clReleaseEvent(p.event);
	}

	void Name(const char *name, uint16_t len)
	{
		struct ___tracy_gpu_context_name_data data = {};

		data.context = number_;
		data.name = name;
		data.len = len;
		___tracy_emit_gpu_context_name_serial(data);
	}

	/* Reports the times of commands that have ended, in order. */
	void Collect()
	{
		while (!pending_.empty() && Report(pending_.front())) {
			pending_.pop_front();
			first_++;
		}
		if (pending_.empty() && tacho_ticks() - synced_ > SYNC_TICKS)
			Sync();
	}

private:
	friend class OpenCLCtxScope;

	struct Pending {
		cl_event event;
		uint16_t query;
		bool end;
	};

	static constexpr uint64_t SYNC_TICKS = 1000000000; /* some tenths of a second */

	static constexpr int READINGS = 5;

	/* The number of the entry, counted from the first one of all. */
	uint64_t Add(bool end, cl_event event)
	{
		pending_.push_back({event, static_cast<uint16_t>(queries_++), end});
		return first_ + pending_.size() - 1;
	}
	uint16_t Query(uint64_t entry) const
	{
		return pending_[entry - first_].query;
	}

	/* False: it has not ended. A command that failed, or no command, has no time. */
	bool Report(const Pending &p)
	{
		struct ___tracy_gpu_time_data data = {};
		cl_int status = CL_COMPLETE;
		cl_ulong time = 0;

		data.gpuTime = INT64_MIN; /* drop it */
		data.queryId = p.query;
		data.context = number_;
		if (p.event &&
		    clGetEventInfo(p.event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
				   &status, nullptr) == CL_SUCCESS &&
		    status > CL_COMPLETE)
			return false;
		if (p.event && status == CL_COMPLETE &&
		    clGetEventProfilingInfo(
			    p.event, p.end ? CL_PROFILING_COMMAND_END : CL_PROFILING_COMMAND_START,
			    sizeof(time), &time, nullptr) == CL_SUCCESS)
			data.gpuTime = static_cast<int64_t>(time);
		___tracy_emit_gpu_time_serial(data);
		if (p.end && p.event)
			clReleaseEvent(p.event);
		return true;
	}

	/* A reading that took no longer than usual: the host's clock is read right after it. */
	int64_t Read()
	{
		uint64_t shortest = UINT64_MAX;

		for (int i = 0;; i++) {
			uint64_t before = tacho_ticks();
			int64_t now = Now();
			uint64_t length = tacho_ticks() - before;

			if (i >= READINGS &&
			    (length <= shortest + shortest / 2 || i == 4 * READINGS))
				return now;
			shortest = length < shortest ? length : shortest;
		}
	}

	/* The device's clock. */
	int64_t Now()
	{
		int64_t now = 0;
#if defined(CL_VERSION_2_1)
		cl_ulong device = 0, host = 0;

		if (clGetDeviceAndHostTimer(device_, &device, &host) == CL_SUCCESS && device)
			return static_cast<int64_t>(device);
#endif
		CommandEnd(&now);
		return now;
	}

	/* When a small write has just ended. */
	void CommandEnd(int64_t *now)
	{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
		cl_command_queue queue =
			clCreateCommandQueue(context_, device_, CL_QUEUE_PROFILING_ENABLE, nullptr);
#pragma GCC diagnostic pop
		cl_mem memory =
			clCreateBuffer(context_, CL_MEM_WRITE_ONLY, sizeof(*now), nullptr, nullptr);
		cl_event event = nullptr;
		int64_t zero = 0;
		cl_ulong end = 0;

		if (queue && memory &&
		    clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, sizeof(zero), &zero, 0, nullptr,
					 &event) == CL_SUCCESS &&
		    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end,
					    nullptr) == CL_SUCCESS)
			*now = static_cast<int64_t>(end);
		if (event)
			clReleaseEvent(event);
		if (memory)
			clReleaseMemObject(memory);
		if (queue)
			clReleaseCommandQueue(queue);
	}

	void Sync()
	{
		struct ___tracy_gpu_time_sync_data data = {};

		data.gpuTime = Read();
		data.context = number_;
		if (data.gpuTime)
			___tracy_emit_gpu_time_sync_serial(data);
		synced_ = tacho_ticks();
	}

	cl_context context_;
	cl_device_id device_;
	uint8_t number_;
	uint64_t synced_, first_ = 0, queries_ = 0;
	std::deque<Pending> pending_;
};

class OpenCLCtxScope
{
public:
	OpenCLCtxScope(OpenCLCtx *ctx, const SourceLocationData *srcloc, bool active)
	    : ctx_(active ? ctx : nullptr)
	{
		if (ctx_)
			Begin(reinterpret_cast<uint64_t>(srcloc),
			      ___tracy_emit_gpu_zone_begin_serial);
	}
	OpenCLCtxScope(OpenCLCtx *ctx, uint32_t line, const char *source, size_t source_len,
		       const char *function, size_t function_len, const char *name, size_t name_len,
		       bool active)
	    : ctx_(active ? ctx : nullptr)
	{
		if (ctx_)
			Begin(___tracy_alloc_srcloc_name(line, source, source_len, function,
							 function_len, name, name_len, 0),
			      ___tracy_emit_gpu_zone_begin_alloc_serial);
	}
	OpenCLCtxScope(const OpenCLCtxScope &) = delete;
	OpenCLCtxScope &operator=(const OpenCLCtxScope &) = delete;

	void SetEvent(cl_event event)
	{
		if (!ctx_ || event_ || clRetainEvent(event) != CL_SUCCESS)
			return;
		event_ = event;
		ctx_->pending_[begin_ - ctx_->first_].event = event;
	}

	~OpenCLCtxScope()
	{
		struct ___tracy_gpu_zone_end_data data = {};

		if (!ctx_)
			return;
		data.queryId = ctx_->Query(ctx_->Add(true, event_));
		data.context = ctx_->number_;
		___tracy_emit_gpu_zone_end_serial(data);
	}

private:
	void Begin(uint64_t srcloc, void (*emit)(const struct ___tracy_gpu_zone_begin_data))
	{
		struct ___tracy_gpu_zone_begin_data data = {};

		begin_ = ctx_->Add(false, nullptr);
		data.srcloc = srcloc;
		data.queryId = ctx_->Query(begin_);
		data.context = ctx_->number_;
		emit(data);
	}

	OpenCLCtx *ctx_;
	cl_event event_ = nullptr;
	uint64_t begin_ = 0;
};
} // namespace tracy

using TracyCLCtx = tracy::OpenCLCtx *;

#define TracyCLContext(context, device)     new tracy::OpenCLCtx(context, device)
#define TracyCLDestroy(ctx)                 delete (ctx)
#define TracyCLContextName(ctx, name, size) (ctx)->Name(name, size)
#define TracyCLCollect(ctx)                 (ctx)->Collect()

#define TracyCLNamedZoneC(ctx, varname, name, color, active)                                     \
	static constexpr tracy::SourceLocationData TracyConcat(                                  \
		__tracy_gpu_source_location, TracyLine){name, TracyFunction, TracyFile,          \
							(uint32_t)TracyLine, color};             \
	tracy::OpenCLCtxScope varname(ctx, &TracyConcat(__tracy_gpu_source_location, TracyLine), \
				      active)
#define TracyCLNamedZone(ctx, varname, name, active) \
	TracyCLNamedZoneC(ctx, varname, name, 0, active)
#define TracyCLZone(ctx, name)         TracyCLNamedZone(ctx, __tracy_gpu_zone, name, true)
#define TracyCLZoneC(ctx, name, color) TracyCLNamedZoneC(ctx, __tracy_gpu_zone, name, color, true)
#define TracyCLZoneTransient(ctx, varname, name, active)                                           \
	tracy::OpenCLCtxScope varname(ctx, TracyLine, TracyFile, strlen(TracyFile), TracyFunction, \
				      strlen(TracyFunction), name, strlen(name), active)

#define TracyCLNamedZoneS(ctx, varname, name, depth, active) \
	TracyCLNamedZone(ctx, varname, name, active)
#define TracyCLNamedZoneCS(ctx, varname, name, color, depth, active) \
	TracyCLNamedZoneC(ctx, varname, name, color, active)
#define TracyCLZoneS(ctx, name, depth)         TracyCLZone(ctx, name)
#define TracyCLZoneCS(ctx, name, color, depth) TracyCLZoneC(ctx, name, color)
#define TracyCLZoneTransientS(ctx, varname, name, depth, active) \
	TracyCLZoneTransient(ctx, varname, name, active)

#define TracyCLNamedZoneSetEvent(varname, event) varname.SetEvent(event)
#define TracyCLZoneSetEvent(event)               __tracy_gpu_zone.SetEvent(event)

#endif /* TRACY_ENABLE */
#endif
