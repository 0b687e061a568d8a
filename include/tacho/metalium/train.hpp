/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profiler of tt-train: ttml::autograd::ctx().get_profiler(). It writes what the kernels of all
 * open devices recorded so far to the logs.
 */
#pragma once

#include <tacho/metalium/queue.hpp>

namespace ttml::core
{

class TTProfiler
{
public:
	void dump_results() const
	{
		TACHO_ZONE("TTProfiler::dump_results");
		for (const auto &[id, open] : tacho_metalium::chips_open())
			if (auto chip = open.lock(); chip && chip->is_open() && enabled_)
				tacho_metalium::chip_dump(*chip);
	}
	/*
	 * A signpost NAME. tt-train runs empty programs of that name as marks on the device, NOOPS
	 * of them; the report has signposts for that.
	 */
	void read_results(
		tt::tt_metal::distributed::MeshDevice *device,
		const std::string &name = "noop_identifier", bool dump = false, size_t noops = 5,
		tt::tt_metal::ProfilerReadState = tt::tt_metal::ProfilerReadState::NORMAL) const
	{
		if (!enabled_)
			return;
		if (noops)
			tacho_signpost(name.c_str(), nullptr);
		if (dump)
			tt::tt_metal::ReadMeshDeviceProfilerResults(*device);
	}
	bool is_enabled() const
	{
		return enabled_;
	}
	void enable()
	{
		enabled_ = true;
	}
	void disable()
	{
		enabled_ = false;
	}

private:
	bool enabled_ = true;
};

} /* namespace ttml::core */

namespace ttml::autograd
{

class AutoContext
{
public:
	core::TTProfiler &get_profiler()
	{
		return profiler_;
	}

private:
	core::TTProfiler profiler_;
};

inline AutoContext &ctx()
{
	static AutoContext context;
	return context;
}

} /* namespace ttml::autograd */
