/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Enums that host programs and kernels of tt-metal share: formats and indices of circular buffers.
 * Compiled for the host and for RISCs, so it includes nothing but <cstdint>.
 */
#pragma once

#include <cstdint>

namespace tt
{
enum class DataFormat : uint8_t {
	Float32 = 0,
	Float16 = 1,
	Bfp8 = 2,
	Bfp4 = 3,
	Tf32 = 4,
	Float16_b = 5,
	Bfp8_b = 6,
	Bfp4_b = 7,
	Int32 = 8,
	UInt16 = 9,
	Lf8 = 10,
	Bfp2 = 11,
	MxInt8 = 12,
	Int16 = 13,
	Int8 = 14,
	Bfp2_b = 15,
	UInt32 = 24,
	Fp8_e4m3 = 26,
	UInt8 = 30,
	RawUInt8 = 240,
	RawUInt16 = 241,
	RawUInt32 = 242,
	Invalid = 255,
};

#define TACHO_NAMES_0_TO_7(name) \
	name##0, name##1, name##2, name##3, name##4, name##5, name##6, name##7
#define TACHO_NAMES_0_TO_9(name) TACHO_NAMES_0_TO_7(name), name##8, name##9
enum CBIndex : uint8_t {
	TACHO_NAMES_0_TO_9(c_),
	TACHO_NAMES_0_TO_9(c_1),
	TACHO_NAMES_0_TO_9(c_2),
	TACHO_NAMES_0_TO_9(c_3),
	TACHO_NAMES_0_TO_9(c_4),
	TACHO_NAMES_0_TO_9(c_5),
	c_60,
	c_61,
	c_62,
	c_63,
	SIZE
};
/* Their names in older programs. */
enum CB : uint8_t {
	TACHO_NAMES_0_TO_7(c_in),
	TACHO_NAMES_0_TO_7(dataflow),
	TACHO_NAMES_0_TO_7(c_out),
	TACHO_NAMES_0_TO_7(c_intermed),
};
#undef TACHO_NAMES_0_TO_9
#undef TACHO_NAMES_0_TO_7

namespace tt_metal
{
enum class BufferType { DRAM, L1, SYSTEM_MEMORY, L1_SMALL, TRACE };
enum class TensorMemoryLayout {
	INTERLEAVED = 0,
	SINGLE_BANK = 1,
	HEIGHT_SHARDED = 2,
	WIDTH_SHARDED = 3,
	BLOCK_SHARDED = 4,
	ND_SHARDED = 5
};
} // namespace tt_metal
} // namespace tt
