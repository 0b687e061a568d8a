/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that reads a device itself, as tt-metal's do: contexts per core, markers sorted by
 * time, some of the newer kind and some of the older. 1 cycle of device 0 is 1 ns, of device 1 it
 * is 2 ns.
 */
#ifndef TRACY_ENABLE
#define TRACY_ENABLE
#endif
#include <algorithm>
#include <cstdio>
#include <tracy/TracyTTDevice.hpp>

static tracy::TTDeviceMarker marker(tracy::RiscType risc, uint64_t time, const char *name,
				    tracy::TTDeviceMarkerType type)
{
	tracy::TTDeviceMarker m;

	m.chip_id = 0;
	m.core_x = 1;
	m.core_y = 2;
	m.risc = risc;
	m.timestamp = time;
	m.runtime_host_id = 1024;
	m.marker_name = name;
	m.file = "kernel.cpp";
	m.line = 17;
	m.marker_type = type;
	return m;
}

/* Two runs of firmware with a kernel in it on two RISCs, a measured value, and an end too much. */
static void newer()
{
	using Type = tracy::TTDeviceMarkerType;
	using Risc = tracy::RiscType;
	std::string name = "Device: 0, Logical (0,1) Physical (1,2)";
	std::vector<tracy::TTDeviceMarker> markers;
	TracyTTCtx ctx = TracyTTContext();

	for (uint64_t run = 0; run < 2; run++) {
		uint64_t at = 5000000 + run * 100000;

		for (Risc risc : {Risc::NCRISC, Risc::BRISC}) {
			markers.push_back(marker(risc, at, "BRISC-FW", Type::ZONE_START));
			markers.push_back(marker(risc, at + 1000, "KERNEL", Type::ZONE_START));
			markers.push_back(marker(risc, at + 3500, "KERNEL", Type::ZONE_END));
			markers.push_back(marker(risc, at + 50000, "BRISC-FW", Type::ZONE_END));
		}
		markers.push_back(marker(Risc::BRISC, at + 20000, "measured", Type::TS_DATA));
		markers.back().data = 77;
	}
	markers.push_back(marker(Risc::BRISC, 9000000, "never begun", Type::ZONE_END));
	std::stable_sort(markers.begin(), markers.end());

	TracyTTContextPopulate(ctx, TracyGetCpuTime(), 5000000.0, 1.0);
	TracyTTContextName(ctx, name.c_str(), name.size());
	for (const auto &m : markers) {
		if (m.marker_type == Type::ZONE_START)
			TracyTTPushStartMarker(ctx, m);
		else if (m.marker_type == Type::ZONE_END)
			TracyTTPushEndMarker(ctx, m);
		else
			TracyTTPushMarker(ctx, m);
	}
	TracyTTDestroy(ctx);
}

static void older()
{
	std::string name = "Device: 1, Core (3,4)";
	TracyTTCtx ctx = TracyTTContext();
	tracy::TTDeviceEvent begin(7, 1, 3, 4, 5, 9, 1000, 21, "erisc.cc", "ERISC-KERNEL",
				   tracy::TTDeviceEventPhase::begin);
	tracy::TTDeviceEvent end = begin;

	end.timestamp = 31000;
	end.zone_phase = tracy::TTDeviceEventPhase::end;
	TracySetCpuTime(TracyGetCpuTime());
	TracyTTContextPopulate(ctx, 0, 1000.0, 0.5);
	TracyTTContextName(ctx, name.c_str(), name.size());
	TracyTTPushStartZone(ctx, begin);
	TracyTTPushEndZone(ctx, end);
	TracyTTDestroy(ctx);
}

int main() // NOLINT(bugprone-exception-escape): a test may end by one
{
	tracy::TTDeviceMarker place(tracy::TTDeviceMarker().get_thread_id() & 0);
	int wrong = place.core_x != 0 || TracyGetTimerMul() <= 0 || TracyGetBaseTime() <= 0;

	newer();
	older();
	return wrong;
}
