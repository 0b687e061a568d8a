/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For programs that read a Tenstorrent device themselves and feed what they found: one context per
 * core, its clock by a populate call, its name, then begins and ends of zones. They come to the
 * same tracks as those of devices that Tacho reads: one per RISC of a core. C++17; the names are
 * those of tt-metal's header, of its 0.10 line (zones, events) and of its newer one (markers).
 *
 *	TracyTTCtx ctx = TracyTTContext();
 *	TracyTTContextPopulate(ctx, TracyGetCpuTime(), device_cycles, 1.0);	GHz
 *	TracyTTContextName(ctx, name.c_str(), name.size());
 *	TracyTTPushStartMarker(ctx, marker);	timestamps in device cycles
 *	TracyTTPushEndMarker(ctx, marker);
 *
 * Events of one RISC must come in the order of their times. An end without a begin is ignored. The
 * calls of one context may come from any thread. Zones that are open when recording begins are not
 * seen. Outermost zones carry the run's host id as a value, and the trace and its replay counter
 * when they are set. What a marker measured (TS_DATA, TS_EVENT, ZONE_TOTAL) is pushed by
 * TracyTTPushMarker.
 */
#ifndef TACHO_TRACY_TT_DEVICE_HPP
#define TACHO_TRACY_TT_DEVICE_HPP

#ifndef TRACY_ENABLE

#define TracyTTContext() nullptr
#define TracyTTDestroy(ctx)
#define TracyTTContextName(ctx, name, size)
#define TracyTTContextPopulate(ctx, cpu_time, timeshift, frequency)
#define TracyTTContextCalibrate(ctx, cpu_time, timeshift, frequency)
#define TracyTTPushStartMarker(ctx, marker)
#define TracyTTPushEndMarker(ctx, marker)
#define TracyTTPushMarker(ctx, marker)
#define TracyTTPushStartZone(ctx, event)
#define TracyTTPushEndZone(ctx, event)
#define TracyGetTimerMul() 0
#define TracyGetBaseTime() 0
#define TracyGetCpuTime()  0
#define TracySetCpuTime(cpu_time)

namespace tracy
{
class TTCtxScope
{
};
} // namespace tracy

using TracyTTCtx = void *;

#else

#include "Tracy.hpp"
#include "common/TracyTTDeviceData.hpp"

#include <cmath>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <tacho/cores.h>
#include <vector>

namespace tracy
{
/* ------------------------------------------------------------------ clocks */

struct TTClockPoint {
	uint64_t ticks;
	int64_t ns;
};

inline TTClockPoint tt_clock_now()
{
	struct timespec ts;
	uint64_t before = tacho_ticks();

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return {before + (tacho_ticks() - before) / 2, ts.tv_sec * 1000000000ll + ts.tv_nsec};
}

inline const TTClockPoint tt_clock_start = tt_clock_now();
inline int64_t tt_sync_time = 0;

/* Nanoseconds per tick since the program started: the longer it runs the more precise. */
inline double get_tracy_timer_mul()
{
	TTClockPoint now = tt_clock_now();
	struct timespec pause = {0, 1000000};

	while (now.ns - tt_clock_start.ns < 20000000) {
		nanosleep(&pause, nullptr);
		now = tt_clock_now();
	}
	return double(now.ns - tt_clock_start.ns) / double(now.ticks - tt_clock_start.ticks);
}

inline int64_t get_tracy_base_time()
{
	return int64_t(tt_clock_start.ticks);
}

inline int64_t get_cpu_time()
{
	return int64_t(tacho_ticks());
}

inline void set_cpu_sync_time(int64_t ticks)
{
	tt_sync_time = ticks;
}

/* The cores of a device share its clock: each point is recorded once per recording. */
inline void tt_tell_clock(uint32_t chip, uint64_t recording, uint64_t ticks, uint64_t cycles,
			  uint32_t mhz)
{
	static std::mutex lock;
	static std::map<uint32_t, std::array<uint64_t, 3>> reported;
	std::array<uint64_t, 3> point = {recording, ticks, cycles};
	std::lock_guard<std::mutex> hold(lock);

	if (reported[chip] == point)
		return;
	reported[chip] = point;
	tacho_device_clock(chip, ticks, cycles, UINT64_MAX, mhz);
}

/* ---------------------------------------------------------------- contexts */

class TTCtx
{
public:
	/* At tick TCPU (0: what TracySetCpuTime() said) the device counted TGPU cycles; GHz. */
	void PopulateTTContext(int64_t tcpu, double tgpu, double frequency)
	{
		std::lock_guard<std::mutex> hold(lock_);

		cpu_ = uint64_t(tcpu ? tcpu : tt_sync_time);
		cycles_ = std::isfinite(tgpu) ? tgpu : 0;
		mhz_ = std::isfinite(frequency) && frequency > 0 ? frequency * 1000 : 1000;
		ticks_per_cycle_ = 1000 / mhz_ / get_tracy_timer_mul();
		clock_reported_ = 0;
	}
	void CalibrateTTContext(int64_t tcpu, double tgpu, double frequency)
	{
		PopulateTTContext(tcpu, tgpu, frequency);
	}
	void Name(const char *name, uint16_t size)
	{
		std::lock_guard<std::mutex> hold(lock_);

		name_.assign(name, size);
		for (auto &track : tracks_)
			track.second.reported = 0;
	}

	void PushStartMarker(const TTDeviceMarker &m)
	{
		std::lock_guard<std::mutex> hold(lock_);

		if (Track *t = Find(m.chip_id, m.core_x, m.core_y, uint64_t(m.risc)))
			Begin(*t, m, Location(m, "", ColorOf(m)));
	}
	void PushEndMarker(const TTDeviceMarker &m)
	{
		std::lock_guard<std::mutex> hold(lock_);

		if (Track *t = Find(m.chip_id, m.core_x, m.core_y, uint64_t(m.risc)))
			End(*t, m.timestamp);
	}
	/* Any kind; markers that are not zones become zones of length 0 that carry the data. */
	void PushMarker(const TTDeviceMarker &m)
	{
		static const char *const kinds[] = {"", "", "ZONE_TOTAL", "TS_DATA", "TS_EVENT"};
		size_t kind = size_t(m.marker_type);

		if (m.marker_type == TTDeviceMarkerType::ZONE_START)
			return PushStartMarker(m);
		if (m.marker_type == TTDeviceMarkerType::ZONE_END)
			return PushEndMarker(m);

		std::lock_guard<std::mutex> hold(lock_);
		Track *t = Find(m.chip_id, m.core_x, m.core_y, uint64_t(m.risc));

		if (!t || kind >= sizeof(kinds) / sizeof(*kinds))
			return;
		uint32_t where = Location(m, kinds[kind], ColorOf(m));
		uint64_t now = Ticks(*t, m.timestamp);

		tacho_core_begin(t->core, where, now, 0);
		if (m.data != TTDeviceMarker::INVALID_NUM)
			tacho_core_value(t->core, where, m.data);
		tacho_core_end(t->core, where, now);
	}

	void PushStartZone(const TTDeviceEvent &e)
	{
		TTDeviceMarker m = AsMarker(e);

		std::lock_guard<std::mutex> hold(lock_);
		if (Track *t = Find(e.chip_id, e.core_x, e.core_y, e.risc))
			Begin(*t, m, Location(m, "", e.color ? uint32_t(e.color) : ColorOf(m)));
	}
	void PushEndZone(const TTDeviceEvent &e)
	{
		std::lock_guard<std::mutex> hold(lock_);

		if (Track *t = Find(e.chip_id, e.core_x, e.core_y, e.risc))
			End(*t, e.timestamp);
	}

private:
	struct Track {
		uint64_t core;
		uint64_t reported;          /* the recording that knows its name */
		uint64_t last;              /* tick: times do not run backwards */
		std::vector<uint32_t> open; /* source locations */
	};

	static TTDeviceMarker AsMarker(const TTDeviceEvent &e)
	{
		TTDeviceMarker m;

		m.runtime_host_id = e.run_num;
		m.risc = RiscType(uint8_t(e.risc));
		m.timestamp = e.timestamp;
		m.line = e.line;
		m.file = e.file;
		m.marker_name = e.zone_name;
		return m;
	}

	static uint32_t ColorOf(const TTDeviceMarker &m)
	{
		static constexpr Color::ColorType colors[] = {
			Color::Orange2,       Color::SeaGreen3,  Color::SkyBlue3,
			Color::Turquoise2,    Color::CadetBlue1, Color::Yellow3,
			Color::DarkSlateGray3};
		size_t risc = size_t(m.risc);

		if (m.marker_name.find("PROFILER") != std::string::npos)
			return Color::Tomato3;
		return risc < sizeof(colors) / sizeof(*colors) ? colors[risc]
							       : Color::DarkSlateGray3;
	}

	static uint32_t Location(const TTDeviceMarker &m, const char *kind, uint32_t color)
	{
		return tacho_srcloc_make(m.marker_name.c_str(), kind, m.file.c_str(),
					 m.line == m.INVALID_NUM ? 0 : uint32_t(m.line), color);
	}

	/* The track of a RISC; nullptr while nothing is recorded or if there is no such core. */
	Track *Find(uint64_t chip, uint64_t x, uint64_t y, uint64_t risc)
	{
		uint64_t recording = tacho_key() >> 32;

		if (!recording || chip > 0xffff || x > 0xfff || y > 0xfff || risc > 0xff)
			return nullptr;
		uint64_t core =
			tacho_core_id(unsigned(chip), unsigned(x), unsigned(y), unsigned(risc));
		Track &t = tracks_[core];

		if (clock_reported_ != recording) {
			clock_reported_ = recording;
			tt_tell_clock(uint32_t(chip), recording, cpu_, uint64_t(cycles_),
				      uint32_t(std::lround(mhz_)));
		}
		if (t.reported == recording)
			return &t;
		t.open.clear(); /* what began in an earlier recording ended with it */
		std::string name = name_.empty() ? "Device: " + std::to_string(chip) + ", Core (" +
							   std::to_string(x) + "," +
							   std::to_string(y) + ")"
						 : name_;

		name += '/';
		name += risc < sizeof(riscName) / sizeof(*riscName) ? riscName[risc]
								    : std::to_string(risc);
		t.core = core;
		t.reported = recording;
		tacho_core_name(core, name.c_str(), 0);
		return &t;
	}

	uint64_t Ticks(Track &t, uint64_t cycles) const
	{
		double since = (double(cycles) - cycles_) * ticks_per_cycle_;
		uint64_t now = cpu_ + uint64_t(std::llround(std::isfinite(since) ? since : 0));

		return t.last = now > t.last ? now : t.last;
	}

	void Begin(Track &t, const TTDeviceMarker &m, uint32_t where)
	{
		tacho_core_begin(t.core, where, Ticks(t, m.timestamp), 0);
		if (t.open.empty() && m.runtime_host_id != m.INVALID_NUM) {
			tacho_core_value(t.core, where, m.runtime_host_id);
			if (m.trace_id != m.INVALID_NUM && m.trace_id_counter != m.INVALID_NUM)
				tacho_core_value(t.core, where,
						 m.trace_id << 32 | uint32_t(m.trace_id_counter));
		}
		t.open.push_back(where);
	}
	void End(Track &t, uint64_t cycles)
	{
		if (t.open.empty())
			return;
		tacho_core_end(t.core, t.open.back(), Ticks(t, cycles));
		t.open.pop_back();
	}

	std::mutex lock_;
	std::string name_;
	uint64_t cpu_ = tt_clock_start.ticks;
	double cycles_ = 0, mhz_ = 1000, ticks_per_cycle_ = 1;
	uint64_t clock_reported_ = 0; /* the recording that knows the clock */
	std::map<uint64_t, Track> tracks_;
};

inline TTCtx *CreateTTContext()
{
	return new TTCtx;
}

inline void DestroyTTContext(TTCtx *ctx)
{
	delete ctx;
}
} // namespace tracy

using TracyTTCtx = tracy::TTCtx *;

#define TracyTTContext()                    tracy::CreateTTContext()
#define TracyTTDestroy(ctx)                 tracy::DestroyTTContext(ctx)
#define TracyTTContextName(ctx, name, size) (ctx)->Name(name, uint16_t(size))
#define TracyTTContextPopulate(ctx, cpu_time, timeshift, frequency) \
	(ctx)->PopulateTTContext(cpu_time, timeshift, frequency)
#define TracyTTContextCalibrate(ctx, cpu_time, timeshift, frequency) \
	(ctx)->CalibrateTTContext(cpu_time, timeshift, frequency)
#define TracyTTPushStartMarker(ctx, marker) (ctx)->PushStartMarker(marker)
#define TracyTTPushEndMarker(ctx, marker)   (ctx)->PushEndMarker(marker)
#define TracyTTPushMarker(ctx, marker)      (ctx)->PushMarker(marker)
#define TracyTTPushStartZone(ctx, event)    (ctx)->PushStartZone(event)
#define TracyTTPushEndZone(ctx, event)      (ctx)->PushEndZone(event)

#define TracyGetTimerMul()        tracy::get_tracy_timer_mul()
#define TracyGetBaseTime()        tracy::get_tracy_base_time()
#define TracyGetCpuTime()         tracy::get_cpu_time()
#define TracySetCpuTime(cpu_time) tracy::set_cpu_sync_time(cpu_time)

#endif
#endif
