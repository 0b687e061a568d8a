/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that kernels in C++ take for granted: attributes, formats, indices of circular buffers,
 * constants of the chip. Everything else of this folder includes it.
 */
#ifndef TACHO_KERNEL_TYPES_H
#define TACHO_KERNEL_TYPES_H

#include "tacho_hw.h"

#include <tacho/metalium/enums.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <math.h>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#define tt_l1_ptr
#define tt_reg_ptr
#define ALWI             inline __attribute__((always_inline))
#define ALWAYS_INLINE    inline __attribute__((always_inline))
#define FORCE_NOINLINE   __attribute__((noinline))
#define TT_ALWAYS_INLINE inline __attribute__((always_inline))

#define KERNEL_BUILD                    1
#define NUM_DRAM_BANKS                  TACHO_DRAM_BANKS
#define NUM_L1_BANKS                    TACHO_L1_BANKS
#define NUM_CIRCULAR_BUFFERS            MAX_CBS
#define L1_ALIGNMENT                    16u
#define NOC_MAX_BURST_SIZE              TACHO_PACKET
#define NOC_UNICAST_WRITE_VC            1
#define NOC_MULTICAST_WRITE_VC          4
#define NOC_DISPATCH_MULTICAST_WRITE_VC 5
#define NOC_MAX_TRANSACTION_ID          0xF
#define NOC_MAX_TRANSACTION_ID_COUNT    255
#define NOC_L1_READ_ALIGNMENT_BYTES     16
#define NOC_L1_WRITE_ALIGNMENT_BYTES    16
#define NOC_DRAM_READ_ALIGNMENT_BYTES   DRAM_ALIGNMENT
#define NOC_DRAM_WRITE_ALIGNMENT_BYTES  16
#define NOC_ADDR_COORD_SHIFT            36
#define NOC_XY_COORD(x, y)              ((uint32_t)(y) << 6 | (uint32_t)(x))
#define NUM_NOCS                        2
#define IS_NOT_POW2_NUM_DRAM_BANKS      ((TACHO_DRAM_BANKS & (TACHO_DRAM_BANKS - 1)) != 0)
#define TILE_HEIGHT                     32
#define TILE_WIDTH                      32
#define MEM_ZEROS_BASE                  TACHO_ZEROS
#define MEM_ZEROS_SIZE                  TACHO_ZEROS_SIZE

/* NoC coordinates of the first Tensix core. */
#ifdef ARCH_BLACKHOLE
#define VIRTUAL_TENSIX_START_X 1
#define VIRTUAL_TENSIX_START_Y 2
#else
#define VIRTUAL_TENSIX_START_X 18
#define VIRTUAL_TENSIX_START_Y 18
#endif

using uint = unsigned int;

using tt::DataFormat;

namespace tt
{
/* How kernels of 2024 ask for dst; both halves always exist here. */
enum DstMode : uint8_t { Full, Half, Tile, NUM_DST_MODES };

namespace constants
{
constexpr uint32_t TILE_HW = 1024, FACE_HEIGHT = 16, FACE_WIDTH = 16, FACE_HW = 256,
		   BFLOAT8_B_TILE_HW = 1088, BFLOAT4_B_TILE_HW = 576;
#undef TILE_HEIGHT
#undef TILE_WIDTH
constexpr uint32_t TILE_HEIGHT = 32, TILE_WIDTH = 32;
} // namespace constants
} // namespace tt

enum class ProgrammableCoreType : uint8_t { TENSIX, ACTIVE_ETH, IDLE_ETH, DRAM, COUNT };
enum class InlineWriteDst : uint8_t { DEFAULT, L1, REG };

constexpr uint32_t INVALID = 0, VALID = 1;

constexpr uint8_t noc_mode = 0;
enum noc_mode_number : uint8_t { DM_DEDICATED_NOC, DM_DYNAMIC_NOC };
/* Command buffers, for kernels that name one. */
constexpr uint8_t write_cmd_buf = 0, read_cmd_buf = 1, write_reg_cmd_buf = 2, write_at_cmd_buf = 3;

/* ---- tiles, by the formats and shapes of the circular buffers ---- */
namespace tacho
{
#ifdef TACHO_CB_FORMATS
constexpr uint8_t cb_format[MAX_CBS] = {TACHO_CB_FORMATS};
#else
constexpr uint8_t cb_format[MAX_CBS] = {255};
#endif
#ifdef TACHO_CB_TILES /* height << 8 | width */
constexpr uint16_t cb_tile[MAX_CBS] = {TACHO_CB_TILES};
#else
constexpr uint16_t cb_tile[MAX_CBS] = {};
#endif

constexpr uint32_t tile_height(uint32_t cb)
{
	return cb < MAX_CBS && cb_tile[cb] ? cb_tile[cb] >> 8 : 32;
}
constexpr uint32_t tile_width(uint32_t cb)
{
	return cb < MAX_CBS && cb_tile[cb] ? cb_tile[cb] & 255 : 32;
}
constexpr DataFormat format_of(uint32_t cb)
{
	return cb < MAX_CBS ? static_cast<DataFormat>(cb_format[cb]) : DataFormat::Invalid;
}
/* Block formats have an exponent per 16 values; all of a tile take a multiple of 16 bytes. */
constexpr uint32_t align_exponents(uint32_t values)
{
	return (values / 16 + 15) / 16 * 16;
}
/* Bytes of a tile with this many values. */
constexpr uint32_t tile_bytes(DataFormat f, uint32_t values)
{
	switch (f) {
	case DataFormat::Float32:
	case DataFormat::Tf32:
	case DataFormat::Int32:
	case DataFormat::UInt32:
	case DataFormat::RawUInt32:
		return values * 4;
	case DataFormat::Bfp8:
	case DataFormat::Bfp8_b:
		return values + align_exponents(values);
	case DataFormat::Bfp4:
	case DataFormat::Bfp4_b:
		return values / 2 + align_exponents(values);
	case DataFormat::Bfp2:
	case DataFormat::Bfp2_b:
		return values / 4 + align_exponents(values);
	case DataFormat::Int8:
	case DataFormat::UInt8:
	case DataFormat::Lf8:
	case DataFormat::Fp8_e4m3:
	case DataFormat::RawUInt8:
		return values;
	default:
		return values * 2;
	}
}
template <class T> inline constexpr bool always_false = false;
} // namespace tacho

constexpr inline int32_t get_tile_size(const int32_t cb)
{
	return (int32_t)tacho::tile_bytes(tacho::format_of((uint32_t)cb),
					  tacho::tile_height((uint32_t)cb) *
						  tacho::tile_width((uint32_t)cb));
}
constexpr inline uint32_t get_tile_hw(const int32_t cb)
{
	return tacho::tile_height((uint32_t)cb) * tacho::tile_width((uint32_t)cb);
}
constexpr inline uint32_t get_tile_num_faces(const int32_t cb)
{
	return ((tacho::tile_height((uint32_t)cb) + 15) / 16) *
	       ((tacho::tile_width((uint32_t)cb) + 15) / 16);
}
constexpr inline uint32_t get_tile_r_dim(const int32_t cb)
{
	return tacho::tile_height((uint32_t)cb);
}
constexpr inline uint32_t get_tile_c_dim(const int32_t cb)
{
	return tacho::tile_width((uint32_t)cb);
}
constexpr inline DataFormat get_dataformat(const int32_t cb)
{
	return tacho::format_of((uint32_t)cb);
}
constexpr uint32_t MUL_WITH_TILE_SIZE(uint32_t format, uint32_t index)
{
	return index * tacho::tile_bytes(static_cast<DataFormat>(format & 0x1f), 1024);
}

/* Descriptions of the circular buffers, for kernels that index them. */
namespace tacho
{
template <class F> constexpr std::array<uint32_t, MAX_CBS> each_cb(F f)
{
	std::array<uint32_t, MAX_CBS> all{};

	for (uint32_t i = 0; i < MAX_CBS; i++)
		all[i] = f((int32_t)i);
	return all;
}
constexpr auto formats = each_cb([](int32_t i) { return (uint32_t)cb_format[i]; });
constexpr auto tile_sizes = each_cb([](int32_t i) { return (uint32_t)::get_tile_size(i); });
constexpr auto tile_faces = each_cb([](int32_t i) { return ::get_tile_num_faces(i); });
constexpr auto tile_rows = each_cb([](int32_t i) { return tile_height((uint32_t)i); });
constexpr auto tile_columns = each_cb([](int32_t i) { return tile_width((uint32_t)i); });
constexpr auto face_rows = each_cb([](int32_t i) {
	uint32_t rows = tile_height((uint32_t)i);

	return rows < 16 ? rows : 16;
});
constexpr auto partial_faces =
	each_cb([](int32_t i) { return (uint32_t)(tile_height((uint32_t)i) < 16); });
constexpr auto narrow_tiles =
	each_cb([](int32_t i) { return (uint32_t)(tile_width((uint32_t)i) == 16); });
} // namespace tacho
#define TACHO_DESCRIBE(way)                                        \
	constexpr auto &way##_src_format = tacho::formats;         \
	constexpr auto &way##_dst_format = tacho::formats;         \
	constexpr auto &way##_tile_size = tacho::tile_sizes;       \
	constexpr auto &way##_tile_num_faces = tacho::tile_faces;  \
	constexpr auto &way##_tile_face_r_dim = tacho::face_rows;  \
	constexpr auto &way##_tile_r_dim = tacho::tile_rows;       \
	constexpr auto &way##_tile_c_dim = tacho::tile_columns;    \
	constexpr auto &way##_partial_face = tacho::partial_faces; \
	constexpr auto &way##_narrow_tile = tacho::narrow_tiles;
TACHO_DESCRIBE(unpack)
TACHO_DESCRIBE(pack)
#undef TACHO_DESCRIBE
constexpr uint32_t cb_addr_shift = CB_SHIFT;

FORCE_INLINE LocalCBInterface &get_local_cb_interface(uint32_t cb)
{
	return tacho_cbs[cb];
}

constexpr uint32_t mulsi3(uint32_t a, uint32_t b)
{
	return a * b;
}
template <uint32_t d> constexpr uint32_t udivsi3_const_divisor(uint32_t n)
{
	return n / d;
}
template <uint32_t d> constexpr uint32_t umodsi3_const_divisor(uint32_t n)
{
	return n % d;
}
/* The model's L1 has no cache. */
template <bool> inline void set_l1_data_cache()
{
}
constexpr uint32_t align(uint32_t address, uint32_t to)
{
	return (address + to - 1) / to * to;
}
constexpr uint32_t align_power_of_2(uint32_t address, uint32_t to)
{
	return ((address - 1) | (to - 1)) + 1;
}
constexpr bool is_power_of_2(uint32_t n)
{
	return n && !(n & (n - 1));
}
template <class Gen> inline constexpr bool has_get_aligned_page_size_v = requires(const Gen &gen)
{
	gen.get_aligned_page_size();
};

/* ---- logical coordinates ---- */
inline uint8_t get_absolute_logical_x()
{
	return tacho_logical_x;
}
inline uint8_t get_absolute_logical_y()
{
	return tacho_logical_y;
}
/* Relative to the sub-device; the only one is the whole grid. */
inline uint8_t get_relative_logical_x()
{
	return tacho_logical_x;
}
inline uint8_t get_relative_logical_y()
{
	return tacho_logical_y;
}
inline uint32_t get_my_thread_id()
{
	return 0;
}
inline uint32_t get_num_threads()
{
	return 1;
}

namespace ckernel
{
constexpr uint32_t TILE_R_DIM = 32, TILE_C_DIM = 32, FACE_R_DIM = 16, FACE_C_DIM = 16,
		   FACE_HEIGHT = 16, FACE_WIDTH = 16, TILE_HEIGHT = 32, TILE_WIDTH = 32;
/* Data movers use them to prepare scalers. */
enum class PoolType { SUM, AVG, MAX, MIN };
enum class ReduceDim { REDUCE_ROW, REDUCE_COL, REDUCE_SCALAR };
enum class p_dim_stride_target { IGNORE, FACE_ROW_MAJOR, FACE_COL_MAJOR, TILE_ROW_MAJOR };

enum ThreadId : uint8_t { UnpackThreadId, MathThreadId, PackThreadId, BriscThreadId };

/* Words between BRISC and the TRISCs of a core; a read waits. NCRISC has no mailbox. */
FORCE_INLINE void mailbox_write(uint8_t thread, uint32_t word)
{
	REG32(0xFFEC0000 + ((uint32_t)thread + 1) % 4 * 0x1000) = word;
}
FORCE_INLINE uint32_t mailbox_read(uint8_t thread)
{
	return REG32(0xFFEC0000 + ((uint32_t)thread + 1) % 4 * 0x1000);
}

FORCE_INLINE void wait(uint32_t cycles)
{
	riscv_wait(cycles);
}
/* Loads and waits for the value: the model's loads do so. */
template <typename T> FORCE_INLINE T load_blocking(volatile T *from)
{
	return *from;
}
} // namespace ckernel
using ckernel::p_dim_stride_target;
using ckernel::PoolType;
using ckernel::ReduceDim;

/* ---- debugging ---- */
#define WAYPOINT(name)               ((void)0)
#define DEBUG_STATUS(name)           ((void)0)
#define PAUSE()                      ((void)0)
#define DEBUG_CHECKPOINT(...)        ((void)0)
#define DEBUG_CHECKPOINT_GLOBAL(...) ((void)0)
#define DEBUG_CHECKPOINT_EX(...)     ((void)0)
#define WATCHER_RING_BUFFER_PUSH(x)  ((void)(x))
#ifdef WATCHER_ENABLED
#define ASSERT(condition, ...)                      \
	do {                                        \
		if (!(condition))                   \
			__asm__ volatile("ebreak"); \
	} while (0)
#else
#define ASSERT(condition, ...) ((void)sizeof((condition) ? 1 : 0))
#endif
#define LLK_ASSERT(condition, ...) ((void)sizeof((condition) ? 1 : 0))

#endif
