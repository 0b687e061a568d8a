/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs written for tt-metal on Tacho's devices: common names. Failures are exceptions, logs go
 * to standard error, enums can be printed.
 *
 * The programs were built with a precompiled header and rely on its includes, so all the standard
 * headers that they use are included here.
 */
#pragma once

/*
 * Programs put 64-bit addresses into lists of 32-bit arguments. Not by an option of pkg-config,
 * which may set no warnings.
 */
#pragma GCC diagnostic ignored "-Wnarrowing"

#include <tacho/device.h>
#include <tacho/metalium/enums.hpp>
#include <tacho/tacho.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <ostream>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unistd.h>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#ifndef FMT_HEADER_ONLY
#define FMT_HEADER_ONLY
#endif
#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

/* Programs of 2024 and 2025 expect other rules of bfloat16. */
#ifndef TACHO_METALIUM_API
#define TACHO_METALIUM_API 2026
#endif

#if TACHO_METALIUM_API < 2026
/* Headers of that time had "using namespace std" in them. */
using std::map;
using std::set;
using std::string;
using std::unordered_map;
using std::unordered_set;
using std::vector;
#endif

/* ---- names of enumerators, found in what the compiler calls a function ---- */
namespace tacho_metalium
{

template <typename E, E value> constexpr std::string_view enum_raw_name()
{
	std::string_view text = __PRETTY_FUNCTION__;
	size_t at = text.find("value = ");
	size_t end = text.find_first_of(";]", at);

	return text.substr(at + 8, end - at - 8);
}

template <typename E, size_t... I> std::string enum_find(E e, std::index_sequence<I...>)
{
	std::string found;

	((e == static_cast<E>(I) ? (found = std::string(enum_raw_name<E, static_cast<E>(I)>()), 0)
				 : 0),
	 ...);
	return found;
}

/* "Type::NAME", or a number when the value has no name below 64. */
template <typename E> std::string enum_name(E e)
{
	std::string name = enum_find(e, std::make_index_sequence<64>());

	if (name.empty() || name[0] == '(')
		return std::to_string(static_cast<long long>(e));
	size_t last = name.rfind("::");
	size_t before = last == std::string::npos || !last ? last : name.rfind("::", last - 1);

	return before == std::string::npos ? name : name.substr(before + 2);
}

/* A set-user-id program must not obey the environment of its caller. */
inline const char *environment(const char *name)
{
	return secure_getenv(name);
}

/* A failure of the C library becomes an exception with its text. */
inline int check(int result)
{
	if (result < 0)
		throw std::runtime_error(tacho_device_error());
	return result;
}

inline std::string message()
{
	return "";
}
template <typename F, typename... A> std::string message(const F &format, const A &...args)
{
	return fmt::format(fmt::runtime(std::string_view(format)), args...);
}

[[noreturn]] inline void fail(const char *kind, const char *file, int line, const char *condition,
			      const std::string &info)
{
	std::string text = fmt::format("{} @ {}:{}: {}", kind, file, line, condition);

	if (!info.empty())
		text += fmt::format("\ninfo:\n{}", info);
	if (environment("TT_ASSERT_ABORT")) {
		fmt::print(stderr, "{}\n", text);
		std::abort();
	}
	throw std::runtime_error(text);
}

/* All names of an enum with values below 64. */
template <typename E, size_t... I>
std::vector<std::pair<E, std::string>> enum_list(std::index_sequence<I...>)
{
	std::vector<std::pair<E, std::string>> all;

	((enum_raw_name<E, static_cast<E>(I)>()[0] == '('
		  ? void()
		  : void(all.emplace_back(static_cast<E>(I), enum_name(static_cast<E>(I))))),
	 ...);
	return all;
}

} /* namespace tacho_metalium */

/* What older programs use of magic_enum. */
namespace magic_enum
{
template <typename E> std::string enum_name(E e)
{
	const std::string name = tacho_metalium::enum_name(e);

	return name.substr(name.rfind(':') == std::string::npos ? 0 : name.rfind(':') + 1);
}
template <typename E> std::vector<std::pair<E, std::string>> enum_entries()
{
	auto all = tacho_metalium::enum_list<E>(std::make_index_sequence<64>());

	for (auto &entry : all)
		entry.second = enum_name(entry.first);
	return all;
}
template <typename E> std::vector<E> enum_values()
{
	std::vector<E> all;

	for (const auto &entry : enum_entries<E>())
		all.push_back(entry.first);
	return all;
}
} /* namespace magic_enum */

#define TT_THROW(...)                                                           \
	::tacho_metalium::fail("TT_THROW", __FILE__, __LINE__, "tt::exception", \
			       ::tacho_metalium::message(__VA_ARGS__))
#define TT_FATAL(condition, ...)                                                           \
	do {                                                                               \
		if (!(condition)) [[unlikely]]                                             \
			::tacho_metalium::fail("TT_FATAL", __FILE__, __LINE__, #condition, \
					       ::tacho_metalium::message(__VA_ARGS__));    \
	} while (0)
/* Wrong uses of the API: one line that names the cause. */
#define TACHO_METALIUM_REQUIRE(condition, ...)                                            \
	do {                                                                              \
		if (!(condition)) [[unlikely]]                                            \
			throw std::runtime_error(::tacho_metalium::message(__VA_ARGS__)); \
	} while (0)
#ifdef DEBUG
#define TT_ASSERT(condition, ...) TT_FATAL(condition __VA_OPT__(, ) __VA_ARGS__)
#else
#define TT_ASSERT(condition, ...) static_cast<void>(condition)
#endif

namespace tt
{

/* ---- logs ---- */
enum LogType {
	LogAlways,
	LogTest,
	LogVerif,
	LogMetal,
	LogDevice,
	LogOp,
	LogBuildKernels,
	LogDispatch,
	LogDistributed,
	LogMetalTrace,
	LogModel,
	LogTimer,
	LogProfiler,
	LogLLRuntime,
	LogRuntime,
	LogEmulationDriver,
	LogNone
};

} /* namespace tt */

namespace tacho_metalium
{

enum log_level {
	log_level_trace,
	log_level_debug,
	log_level_info,
	log_level_warning,
	log_level_error,
	log_level_critical,
	log_level_off
};

/* From TT_LOGGER_LEVEL or TT_METAL_LOGGER_LEVEL; info otherwise. */
inline log_level log_threshold()
{
	static const log_level level = [] {
		static constexpr const char *names[] = {"trace", "debug",    "info", "warning",
							"error", "critical", "off"};
		const char *text = environment("TT_LOGGER_LEVEL");

		if (!text)
			text = environment("TT_METAL_LOGGER_LEVEL");
		for (int i = 0; text && i < 7; i++)
			if (!strncasecmp(text, names[i], std::strlen(names[i]) < 4 ? 3 : 4))
				return static_cast<log_level>(i);
		return log_level_info;
	}();
	return level;
}

inline void log_line(log_level level, tt::LogType type, const std::string &text)
{
	static constexpr const char *names[] = {"trace",   "debug", "info",
						"warning", "error", "critical"};

	if (level >= log_threshold())
		fmt::print(stderr, "{:<8} | {:<8} | {}\n", names[level],
			   enum_name(type).substr(std::min<size_t>(3, enum_name(type).size())),
			   text);
}

} /* namespace tacho_metalium */

namespace tt
{

#define TACHO_METALIUM_LOG(name, level)                                                         \
	template <typename F, typename... A>                                                    \
	void name(LogType type, const F &format, const A &...args)                              \
	{                                                                                       \
		if (::tacho_metalium::level >= ::tacho_metalium::log_threshold())               \
			::tacho_metalium::log_line(::tacho_metalium::level, type,               \
						   ::tacho_metalium::message(format, args...)); \
	}
TACHO_METALIUM_LOG(log_trace, log_level_trace)
TACHO_METALIUM_LOG(log_debug, log_level_debug)
TACHO_METALIUM_LOG(log_info, log_level_info)
TACHO_METALIUM_LOG(log_warning, log_level_warning)
TACHO_METALIUM_LOG(log_error, log_level_error)
TACHO_METALIUM_LOG(log_critical, log_level_critical)
#undef TACHO_METALIUM_LOG

template <typename F, typename... A>
[[noreturn]] void log_fatal(LogType type, const F &format, const A &...args)
{
	::tacho_metalium::log_line(::tacho_metalium::log_level_critical, type,
				   ::tacho_metalium::message(format, args...));
	throw std::runtime_error(::tacho_metalium::message(format, args...));
}
template <typename F, typename... A>
requires(!std::is_same_v<F, LogType>) void log_info(const F &format, const A &...args)
{
	log_info(LogAlways, format, args...);
}
template <typename F, typename... A>
requires(!std::is_same_v<F, LogType>) void log_error(const F &format, const A &...args)
{
	log_error(LogAlways, format, args...);
}

/* ---- enums ---- */
enum class ARCH : uint8_t {
	GRAYSKULL = 0,
	WORMHOLE_B0 = 2,
	BLACKHOLE = 3,
	QUASAR = 4,
	Invalid = 0xff
};
inline ARCH get_arch_from_string(std::string_view name)
{
	if (name == "blackhole" || name == "BLACKHOLE")
		return ARCH::BLACKHOLE;
	TACHO_METALIUM_REQUIRE(name == "wormhole_b0" || name == "WORMHOLE_B0",
			       "{} is no architecture", name);
	return ARCH::WORMHOLE_B0;
}

inline uint32_t datum_size(DataFormat f)
{
	switch (f) {
	case DataFormat::Float32:
	case DataFormat::Tf32:
	case DataFormat::Int32:
	case DataFormat::UInt32:
	case DataFormat::RawUInt32:
		return 4;
	case DataFormat::Float16:
	case DataFormat::Float16_b:
	case DataFormat::UInt16:
	case DataFormat::Int16:
	case DataFormat::RawUInt16:
		return 2;
	case DataFormat::Lf8:
	case DataFormat::Int8:
	case DataFormat::UInt8:
	case DataFormat::RawUInt8:
		return 1;
	default:
		throw std::invalid_argument("datum_size: values of this format share an exponent");
	}
}

inline uint32_t tile_size(DataFormat f)
{
	switch (f) {
	case DataFormat::Bfp8:
	case DataFormat::Bfp8_b:
		return 1088;
	case DataFormat::Bfp4:
	case DataFormat::Bfp4_b:
		return 576;
	case DataFormat::Bfp2:
	case DataFormat::Bfp2_b:
		return 320;
	case DataFormat::Invalid:
		throw std::invalid_argument("tile_size: not a format");
	default:
		return 1024 * datum_size(f);
	}
}

inline std::ostream &operator<<(std::ostream &os, DataFormat f)
{
	std::string name = ::tacho_metalium::enum_name(f);

	return os << name.substr(name.rfind(':') + 1);
}

namespace constants
{
constexpr uint32_t TILE_HEIGHT = 32, TILE_WIDTH = 32, TILE_HW = 1024;
constexpr uint32_t FACE_HEIGHT = 16, FACE_WIDTH = 16, FACE_HW = 256;
constexpr uint32_t BFLOAT8_B_TILE_HW = 1088, BFLOAT4_B_TILE_HW = 576;
} /* namespace constants */

template <typename A, typename B> constexpr auto align(A value, B step)
{
	return (value + step - 1) / step * step;
}
template <typename A, typename B> constexpr auto div_up(A value, B step)
{
	return static_cast<uint32_t>((value + step - 1) / step);
}
template <typename A, typename B> constexpr auto round_up(A value, B step)
{
	return static_cast<uint32_t>((value + step - 1) / step * step);
}
template <typename A, typename B> constexpr auto round_down(A value, B step)
{
	return static_cast<uint32_t>(value / step * step);
}

using ChipId = int;
using chip_id_t = int;

namespace stl
{
template <typename T, size_t N = std::dynamic_extent> using Span = std::span<T, N>;
template <typename List> auto make_const_span(const List &list)
{
	return std::span<const std::remove_cvref_t<decltype(*std::data(list))>>(list);
}
template <typename List> auto make_span(List &list)
{
	return std::span<std::remove_reference_t<decltype(*std::data(list))>>(list);
}

/* A value with a type of its own. */
template <typename T, typename Tag> class StrongType
{
public:
	StrongType() = default;
	constexpr explicit StrongType(T value) : value_(std::move(value))
	{
	}
	constexpr const T &operator*() const
	{
		return value_;
	}
	constexpr const T &get() const
	{
		return value_;
	}
	auto operator<=>(const StrongType &) const = default;
	bool operator==(const StrongType &) const = default;

private:
	T value_{};
};
} /* namespace stl */

enum class CoreType {
	ARC,
	DRAM,
	ETH,
	PCIE,
	WORKER,
	HARVESTED,
	ROUTER_ONLY,
	COUNT,
	TENSIX,
	ACTIVE_ETH,
	IDLE_ETH,
	UNKNOWN
};

namespace tt_metal
{
using DeviceAddr = uint64_t;
using KernelHandle = uint32_t;
using CBHandle = uintptr_t;
using ProgramId = uint64_t;
using chip_id_t = int;
using ChipId = int;
enum class HalProgrammableCoreType { TENSIX = 0, ACTIVE_ETH = 1, IDLE_ETH = 2, COUNT = 3 };
enum class ShardOrientation { ROW_MAJOR, COL_MAJOR };
enum class ShardMode { PHYSICAL, LOGICAL };
enum class DataMovementProcessor {
	RISCV_0,
	RISCV_1,
	RISCV_2,
	RISCV_3,
	RISCV_4,
	RISCV_5,
	RISCV_6,
	RISCV_7
};
enum NOC : uint8_t { RISCV_0_default = 0, RISCV_1_default = 1, NOC_0 = 0, NOC_1 = 1 };
enum NOC_MODE : uint8_t { DM_DEDICATED_NOC = 0, DM_DYNAMIC_NOC = 1 };
enum class KernelBuildOptLevel { O1, O2, O3, O0, Os, Ofast, Oz };
enum class UnpackToDestMode : uint8_t { UnpackToDestFp32, Default };
enum Eth : uint8_t { SENDER = 0, RECEIVER = 1, IDLE = 2 };
enum class DispatchCoreType { WORKER, ETH, COUNT };
enum class DispatchCoreAxis { ROW, COL, COUNT };
} /* namespace tt_metal */
} /* namespace tt */

namespace ttsl = tt::stl;

enum class MathFidelity : uint8_t { LoFi = 0, HiFi2 = 2, HiFi3 = 3, HiFi4 = 4, Invalid = 0xff };
inline std::ostream &operator<<(std::ostream &os, MathFidelity f)
{
	std::string name = tacho_metalium::enum_name(f);

	return os << name.substr(name.rfind(':') + 1);
}
namespace tt
{
using ::MathFidelity;
namespace tt_metal
{
using ::MathFidelity;
}
} /* namespace tt */

constexpr uint32_t INVALID = 0, VALID = 1;
constexpr uint32_t ALLOCATOR_ALIGNMENT = 32;
constexpr uint32_t PROFILER_OP_SUPPORT_COUNT = 1000;
namespace kernel_profiler
{
constexpr uint32_t PROFILER_L1_GUARANTEED_MARKER_COUNT = 4;
constexpr uint32_t PROFILER_L1_OPTIONAL_MARKER_COUNT = 250;
constexpr uint32_t PROFILER_L1_MARKER_UINT32_SIZE = 2;
constexpr uint32_t PROFILER_L1_PROGRAM_ID_COUNT = 2;
constexpr uint32_t PROFILER_L1_OP_MIN_OPTIONAL_MARKER_COUNT = 2;
} /* namespace kernel_profiler */

#define TACHO_METALIUM_FORMAT_ENUM(type)                                             \
	template <> struct fmt::formatter<type> : fmt::formatter<std::string_view> { \
		template <typename C> auto format(type value, C &context) const      \
		{                                                                    \
			return fmt::formatter<std::string_view>::format(             \
				tacho_metalium::enum_name(value), context);          \
		}                                                                    \
	};
TACHO_METALIUM_FORMAT_ENUM(tt::ARCH)
TACHO_METALIUM_FORMAT_ENUM(tt::DataFormat)
TACHO_METALIUM_FORMAT_ENUM(tt::CoreType)
TACHO_METALIUM_FORMAT_ENUM(MathFidelity)
TACHO_METALIUM_FORMAT_ENUM(tt::tt_metal::BufferType)
TACHO_METALIUM_FORMAT_ENUM(tt::tt_metal::TensorMemoryLayout)
TACHO_METALIUM_FORMAT_ENUM(tt::tt_metal::ShardOrientation)
TACHO_METALIUM_FORMAT_ENUM(tt::tt_metal::DataMovementProcessor)
TACHO_METALIUM_FORMAT_ENUM(tt::tt_metal::HalProgrammableCoreType)
#undef TACHO_METALIUM_FORMAT_ENUM

template <typename T, typename Tag>
struct fmt::formatter<tt::stl::StrongType<T, Tag>> : fmt::formatter<T> {
	template <typename C>
	auto format(const tt::stl::StrongType<T, Tag> &value, C &context) const
	{
		return fmt::formatter<T>::format(*value, context);
	}
};
template <typename T, typename Tag> struct std::hash<tt::stl::StrongType<T, Tag>> {
	size_t operator()(const tt::stl::StrongType<T, Tag> &v) const
	{
		return std::hash<T>()(*v);
	}
};
