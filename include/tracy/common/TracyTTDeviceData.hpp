/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data of a device, with the names that programs which read Tenstorrent devices themselves use:
 * TTDeviceMarker for newer ones, TTDeviceEvent for older ones. C++17.
 *
 * Fields that hold INVALID_NUM were not set. A marker's meta_data has a type of nlohmann's JSON
 * library, and exists only if that does; otherwise the constructor accepts any type and discards
 * it.
 */
#ifndef TACHO_TRACY_TT_DEVICE_DATA_HPP
#define TACHO_TRACY_TT_DEVICE_DATA_HPP

#include "TracyColor.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#if __has_include(<nlohmann/json.hpp>)
#include <nlohmann/json.hpp>
#define TACHO_TRACY_JSON_
#endif

namespace tracy
{
#define TACHO_TRACY_NEO_(X, n)    \
	X(QUASAR_NEO##n##_TRISC0) \
	X(QUASAR_NEO##n##_TRISC1) \
	X(QUASAR_NEO##n##_TRISC2) \
	X(QUASAR_NEO##n##_TRISC3)
/* TENSIX_RISC_AGG: all RISCs of a core together. Those of Quasar have numbers in a row. */
#define TACHO_TRACY_RISCS_(X)  \
	X(BRISC)               \
	X(NCRISC)              \
	X(TRISC_0)             \
	X(TRISC_1)             \
	X(TRISC_2)             \
	X(ERISC)               \
	X(TENSIX_RISC_AGG)     \
	X(NONE)                \
	X(QUASAR_DM0)          \
	X(QUASAR_DM1)          \
	X(QUASAR_DM2)          \
	X(QUASAR_DM3)          \
	X(QUASAR_DM4)          \
	X(QUASAR_DM5)          \
	X(QUASAR_DM6)          \
	X(QUASAR_DM7)          \
	TACHO_TRACY_NEO_(X, 0) \
	TACHO_TRACY_NEO_(X, 1) \
	TACHO_TRACY_NEO_(X, 2) \
	TACHO_TRACY_NEO_(X, 3)

inline std::string riscName[] = {
#define X(name) #name,
	TACHO_TRACY_RISCS_(X)
#undef X
};

enum class RiscType : uint8_t {
#define X(name) name,
	TACHO_TRACY_RISCS_(X)
#undef X
		CORE_AGG = TENSIX_RISC_AGG
};

enum class TTDeviceMarkerType : uint8_t { ZONE_START, ZONE_END, ZONE_TOTAL, TS_DATA, TS_EVENT };

/* The well-known keywords in a marker's name. */
struct MarkerDetails {
	enum class MarkerNameKeyword : uint16_t {
		_FW,
		BRISC_FW,
		ERISC_FW,
		NCRISC_FW,
		TRISC_FW,
		_KERNEL,
		BRISC_KERNEL,
		ERISC_KERNEL,
		NCRISC_KERNEL,
		TRISC_KERNEL,
		SYNC_ZONE,
		PROFILER,
		DISPATCH,
		PROCESS_CMD,
		RUNTIME_HOST_ID_DISPATCH,
		PACKED_DATA_DISPATCH,
		PACKED_LARGE_DATA_DISPATCH,
		COUNT
	};
	using Flags = std::array<bool, static_cast<size_t>(MarkerNameKeyword::COUNT)>;

	static inline std::unordered_map<std::string, MarkerNameKeyword> marker_name_keywords_map =
		{
			{"-FW", MarkerNameKeyword::_FW},
			{"BRISC-FW", MarkerNameKeyword::BRISC_FW},
			{"ERISC-FW", MarkerNameKeyword::ERISC_FW},
			{"NCRISC-FW", MarkerNameKeyword::NCRISC_FW},
			{"TRISC-FW", MarkerNameKeyword::TRISC_FW},
			{"-KERNEL", MarkerNameKeyword::_KERNEL},
			{"BRISC-KERNEL", MarkerNameKeyword::BRISC_KERNEL},
			{"ERISC-KERNEL", MarkerNameKeyword::ERISC_KERNEL},
			{"NCRISC-KERNEL", MarkerNameKeyword::NCRISC_KERNEL},
			{"TRISC-KERNEL", MarkerNameKeyword::TRISC_KERNEL},
			{"SYNC-ZONE", MarkerNameKeyword::SYNC_ZONE},
			{"PROFILER", MarkerNameKeyword::PROFILER},
			{"DISPATCH", MarkerNameKeyword::DISPATCH},
			{"process_cmd", MarkerNameKeyword::PROCESS_CMD},
			{"runtime_host_id_dispatch", MarkerNameKeyword::RUNTIME_HOST_ID_DISPATCH},
			{"packed_data_dispatch", MarkerNameKeyword::PACKED_DATA_DISPATCH},
			{"packed_large_data_dispatch",
			 MarkerNameKeyword::PACKED_LARGE_DATA_DISPATCH},
	};

	std::string marker_name, source_file;
	uint64_t source_line_num;
	Flags marker_name_keyword_flags{};

	MarkerDetails(const std::string &name, const std::string &file, uint64_t line)
	    : marker_name(name), source_file(file), source_line_num(line)
	{
		for (const auto &word : marker_name_keywords_map)
			marker_name_keyword_flags[static_cast<size_t>(word.second)] =
				name.find(word.first) != std::string::npos;
	}
};

inline const MarkerDetails UnidentifiedMarkerDetails("", "", 0);

/* Core and device, as both kinds of events have them, and as one number of 32 bits. */
struct TTDevicePlace {
	static constexpr uint64_t RISC_BIT_COUNT = 3, CORE_X_BIT_COUNT = 4, CORE_Y_BIT_COUNT = 4;
	static constexpr uint64_t CHIP_BIT_COUNT = 8;
	static constexpr uint64_t CORE_X_BIT_SHIFT = RISC_BIT_COUNT;
	static constexpr uint64_t CORE_Y_BIT_SHIFT = CORE_X_BIT_SHIFT + CORE_X_BIT_COUNT;
	static constexpr uint64_t CHIP_BIT_SHIFT = CORE_Y_BIT_SHIFT + CORE_Y_BIT_COUNT;
	static constexpr uint64_t INVALID_NUM = 1ull << 63;

	static uint64_t bits(uint64_t thread, uint64_t shift, uint64_t count)
	{
		return thread >> shift & ((1ull << count) - 1);
	}
	static uint64_t number(uint64_t risc, uint64_t x, uint64_t y, uint64_t chip)
	{
		return risc | x << CORE_X_BIT_SHIFT | y << CORE_Y_BIT_SHIFT |
		       chip << CHIP_BIT_SHIFT;
	}
};

struct TTDeviceMarker : TTDevicePlace {
	uint64_t runtime_host_id = INVALID_NUM;
	uint64_t trace_id = INVALID_NUM;
	uint64_t trace_id_counter = INVALID_NUM;
	uint64_t chip_id = INVALID_NUM;
	uint64_t core_x = INVALID_NUM;
	uint64_t core_y = INVALID_NUM;
	RiscType risc = RiscType::BRISC;
	uint16_t marker_id = 0;
	uint64_t timestamp = INVALID_NUM;
	uint64_t data = INVALID_NUM;
	uint64_t data_high = 0; /* the second word of a marker with two */
	std::string op_name;
	uint64_t line = INVALID_NUM;
	std::string file;
	std::string marker_name;
	TTDeviceMarkerType marker_type = TTDeviceMarkerType::ZONE_START;
	MarkerDetails::Flags marker_name_keyword_flags{};
#ifdef TACHO_TRACY_JSON_
	nlohmann::json meta_data;
#endif

	TTDeviceMarker() = default; // NOLINT(bugprone-exception-escape): of the JSON library
	explicit TTDeviceMarker(uint32_t thread)
	    : chip_id(bits(thread, CHIP_BIT_SHIFT, CHIP_BIT_COUNT)),
	      core_x(bits(thread, CORE_X_BIT_SHIFT, CORE_X_BIT_COUNT)),
	      core_y(bits(thread, CORE_Y_BIT_SHIFT, CORE_Y_BIT_COUNT)),
	      risc(static_cast<RiscType>(bits(thread, 0, RISC_BIT_COUNT)))
	{
	}
	template <typename... Meta>
	TTDeviceMarker(uint64_t host_id, uint64_t trace, uint64_t replay, uint64_t chip, uint64_t x,
		       uint64_t y, RiscType on, uint16_t id, uint64_t time, uint64_t word,
		       const std::string &op, uint64_t source_line, const std::string &source,
		       const std::string &name, TTDeviceMarkerType type,
		       const MarkerDetails::Flags &flags, const Meta &...meta)
	    : runtime_host_id(host_id), trace_id(trace), trace_id_counter(replay), chip_id(chip),
	      core_x(x), core_y(y), risc(on), marker_id(id), timestamp(time), data(word),
	      op_name(op), line(source_line), file(source), marker_name(name), marker_type(type),
	      marker_name_keyword_flags(flags)
	{
#ifdef TACHO_TRACY_JSON_
		((meta_data = meta), ...);
#else
		((void)meta, ...);
#endif
	}

	/* The same with a second word of data. */
	template <typename... Meta>
	TTDeviceMarker(uint64_t host_id, uint64_t trace, uint64_t replay, uint64_t chip, uint64_t x,
		       uint64_t y, RiscType on, uint16_t id, uint64_t time, uint64_t word,
		       uint64_t high, const std::string &op, uint64_t source_line,
		       const std::string &source, const std::string &name, TTDeviceMarkerType type,
		       const MarkerDetails::Flags &flags, const Meta &...meta)
	    : TTDeviceMarker(host_id, trace, replay, chip, x, y, on, id, time, word, op,
			     source_line, source, name, type, flags, meta...)
	{
		data_high = high;
	}

	/* For messages about a marker. */
	std::string to_string() const
	{
		return marker_name + " (id " + std::to_string(marker_id) + ") at cycle " +
		       std::to_string(timestamp) + " on device " + std::to_string(chip_id) +
		       ", core " + std::to_string(core_x) + "," + std::to_string(core_y) + ", " +
		       riscName[static_cast<uint8_t>(risc)] + ", run " +
		       std::to_string(runtime_host_id) + ", " + file + ":" + std::to_string(line);
	}

	auto order() const
	{
		return std::make_tuple(timestamp, chip_id, core_x, core_y, risc, marker_id);
	}
	friend bool operator<(const TTDeviceMarker &a, const TTDeviceMarker &b)
	{
		return a.order() < b.order();
	}
	friend bool operator==(const TTDeviceMarker &a, const TTDeviceMarker &b)
	{
		return a.order() == b.order();
	}
	uint32_t get_thread_id() const
	{
		return static_cast<uint32_t>(
			number(static_cast<uint8_t>(risc), core_x, core_y, chip_id));
	}
};

/* ---- of the 0.10 line */

enum TTDeviceEventPhase { begin, end, sum };

struct TTDeviceEvent : TTDevicePlace {
	static constexpr uint64_t RUN_NUM_BIT_COUNT = 16;
	static constexpr uint64_t RUN_NUM_BIT_SHIFT = CHIP_BIT_SHIFT + CHIP_BIT_COUNT;

	uint64_t run_num = INVALID_NUM;
	uint64_t chip_id = INVALID_NUM;
	uint64_t core_x = INVALID_NUM;
	uint64_t core_y = INVALID_NUM;
	uint64_t risc = INVALID_NUM;
	uint64_t timer_id = INVALID_NUM;
	uint64_t timestamp = INVALID_NUM;
	uint64_t line = INVALID_NUM;
	std::string file;
	std::string zone_name;
	TTDeviceEventPhase zone_phase = begin;
	Color::ColorType color = Color::Black;

	TTDeviceEvent() = default;
	explicit TTDeviceEvent(uint64_t thread)
	    : chip_id(bits(thread, CHIP_BIT_SHIFT, CHIP_BIT_COUNT)),
	      core_x(bits(thread, CORE_X_BIT_SHIFT, CORE_X_BIT_COUNT)),
	      core_y(bits(thread, CORE_Y_BIT_SHIFT, CORE_Y_BIT_COUNT)),
	      risc(bits(thread, 0, RISC_BIT_COUNT))
	{
	}
	TTDeviceEvent(uint64_t run, uint64_t chip, uint64_t x, uint64_t y, uint64_t on, uint64_t id,
		      uint64_t time, uint64_t source_line, std::string source, std::string name,
		      TTDeviceEventPhase phase, Color::ColorType c = Color::Black)
	    : run_num(run), chip_id(chip), core_x(x), core_y(y), risc(on), timer_id(id),
	      timestamp(time), line(source_line), file(std::move(source)),
	      zone_name(std::move(name)), zone_phase(phase), color(c)
	{
	}

	auto order() const
	{
		return std::make_tuple(timestamp, chip_id, core_x, core_y, risc, timer_id);
	}
	friend bool operator<(const TTDeviceEvent &a, const TTDeviceEvent &b)
	{
		return a.order() < b.order();
	}
	friend bool operator==(const TTDeviceEvent &a, const TTDeviceEvent &b)
	{
		return a.order() == b.order();
	}
	uint64_t get_thread_id() const
	{
		return number(risc, core_x, core_y, chip_id);
	}
};

inline size_t tt_hash(uint64_t time, uint64_t place, uint64_t id)
{
	return std::hash<uint64_t>()(time * 0x9e3779b97f4a7c15u ^ place << 16 ^ id);
}
} // namespace tracy

namespace std
{
template <> struct hash<tracy::TTDeviceMarker> {
	size_t operator()(const tracy::TTDeviceMarker &m) const
	{
		return tracy::tt_hash(m.timestamp, m.get_thread_id(), m.marker_id);
	}
};
template <> struct hash<tracy::TTDeviceEvent> {
	size_t operator()(const tracy::TTDeviceEvent &e) const
	{
		return tracy::tt_hash(e.timestamp, e.get_thread_id(), e.timer_id);
	}
};
} // namespace std

#endif
