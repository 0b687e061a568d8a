/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints by a format, "tile {} at {:x}\n", in addition to the streams of debug/dprint.h. The device
 * parses the format; without a listening host the calls compile to nothing.
 */
#ifndef TACHO_KERNEL_PRINT_H
#define TACHO_KERNEL_PRINT_H

#include "debug/dprint.h"
#include "kernel/types.h"

/* Numbers that the compiler has no type for. */
struct bf16_t {
	uint16_t val;
	constexpr bf16_t(uint16_t bits = 0) : val(bits)
	{
	}
	constexpr operator float() const
	{
		return __builtin_bit_cast(float, (uint32_t)val << 16);
	}
};
/* Sign and magnitude in the units of a shared exponent. */
template <uint32_t bits> struct tacho_block_float {
	uint8_t exponent, mantissa;
	constexpr tacho_block_float(uint16_t both)
	    : exponent((uint8_t)both), mantissa((uint8_t)(both >> 8))
	{
	}
	constexpr tacho_block_float(uint8_t e, uint8_t m) : exponent(e), mantissa(m)
	{
	}
	constexpr operator float() const
	{
		float value = (float)(mantissa & ((1u << bits) - 1)) / (float)(1u << (bits - 1));

		for (int e = exponent; e > 127; e--)
			value *= 2;
		for (int e = exponent; e < 127; e++)
			value /= 2;
		return mantissa >> bits & 1 ? -value : value;
	}
};
struct bf8_t : tacho_block_float<7> {
	using tacho_block_float::tacho_block_float;
};
struct bf4_t : tacho_block_float<3> {
	using tacho_block_float::tacho_block_float;
};
/* A text that is known when the kernel is compiled. */
struct ct_string {
	const char *text;
};
#define CTSTR(literal) (ct_string{literal})
/* Prints the name of a type. */
template <class T> struct dp_type_name_t {
};
/* Prints the address of a call and that of its caller, which "addr2line -e KERNEL.elf" resolves. */
struct dp_top_callstack_t {
	uintptr_t pc, ra, skip_frames;
	constexpr dp_top_callstack_t(uintptr_t p, uintptr_t r, uintptr_t skip)
	    : pc(p), ra(r), skip_frames(skip)
	{
	}
	__attribute__((always_inline)) static dp_top_callstack_t current(uintptr_t skip)
	{
		uintptr_t pc;

		__asm__ volatile("auipc %0, 0" : "=r"(pc));
		return {pc, (uintptr_t)__builtin_return_address(0), skip + 1};
	}
};
template <uint32_t n> struct dp_typed_array_t {
	DataFormat format;
	uint32_t len, data[n];
};

/* A part of a tile, as stored in a circular buffer. */
struct SliceRange {
	uint8_t h0, h1, hs, w0, w1, ws;
	static constexpr SliceRange hw0_32_16()
	{
		return {0, 32, 16, 0, 32, 16};
	}
	static constexpr SliceRange hw0_32_8()
	{
		return {0, 32, 8, 0, 32, 8};
	}
	static constexpr SliceRange hw0_32_4()
	{
		return {0, 32, 4, 0, 32, 4};
	}
	static constexpr SliceRange h0_w0_32()
	{
		return {0, 1, 1, 0, 32, 1};
	}
	static constexpr SliceRange h0_32_w0()
	{
		return {0, 32, 1, 0, 1, 1};
	}
};
enum dprint_tslice_cb_t { TSLICE_INPUT_CB, TSLICE_OUTPUT_CB };
enum dprint_tslice_ptr_t { TSLICE_RD_PTR, TSLICE_WR_PTR };
template <int max_count = 64> struct TileSlice {
	uint32_t address;
	DataFormat format;
	SliceRange range;
	bool rows, untilized;
	TileSlice(uint32_t cb, uint32_t tile, const SliceRange &r,
		  dprint_tslice_cb_t = TSLICE_INPUT_CB, dprint_tslice_ptr_t which = TSLICE_RD_PTR,
		  bool endl_rows = true, bool print_untilized = true)
	    : format(get_dataformat((int32_t)cb)), range(r), rows(endl_rows),
	      untilized(print_untilized)
	{
		const LocalCBInterface &c = tacho_cbs[cb];

		address = ((which == TSLICE_RD_PTR ? c.fifo_rd_ptr : c.fifo_wr_ptr) << CB_SHIFT) +
			  tile * (uint32_t)get_tile_size((int32_t)cb);
	}
	TileSlice(uint32_t cb, uint32_t tile, const SliceRange &r, bool endl_rows,
		  bool print_untilized = true)
	    : TileSlice(cb, tile, r, TSLICE_INPUT_CB,
			TACHO_RISC == 4 ? TSLICE_WR_PTR : TSLICE_RD_PTR, endl_rows, print_untilized)
	{
	}
};
TileSlice(uint32_t, uint32_t, SliceRange)->TileSlice<64>;
using TSLICE = TileSlice<64>;

#ifdef DEBUG_PRINT_ENABLED

namespace tacho
{
inline void print_text(const char *text, uint32_t len)
{
	while (len) {
		uint8_t part[33];
		uint8_t n = (uint8_t)(len < 32 ? len : 32);

		part[0] = n;
		for (uint8_t i = 0; i < n; i++)
			part[i + 1] = (uint8_t)text[i];
		tacho_dp_put(DPRINT_TEXT, part, n + 1u);
		text += n;
		len -= n;
	}
}
template <class T> void print_one(const volatile T &value)
{
	using V = std::remove_cv_t<T>;

	if constexpr (std::is_enum_v<V>)
		DPRINT << (std::underlying_type_t<V>)value;
	else if constexpr (std::is_same_v<V, uint8_t> || std::is_same_v<V, bool>)
		DPRINT << (unsigned)value;
	else if constexpr (std::is_array_v<V>)
		tacho_dp_text((const char *)&value[0]);
	else if constexpr (std::is_same_v<V, double>)
		DPRINT << (float)value;
	else if constexpr (std::is_same_v<V, const char *> || std::is_same_v<V, char *>)
		tacho_dp_text((const char *)value);
	else if constexpr (std::is_pointer_v<V>)
		DPRINT << HEX() << (uint32_t)value << DEC();
	else if constexpr (std::is_arithmetic_v<V>)
		DPRINT << (V)value;
	else
		DPRINT << const_cast<const V &>(value);
}
/* "{:08x}" and the like: the text between the braces. */
inline void print_how(const char *spec, uint32_t len)
{
	uint32_t i = 0, width = 0;

	while (i < len && spec[i] != ':')
		i++;
	for (i++; i < len && (spec[i] == '#' || spec[i] == '0' || spec[i] == '<' || spec[i] == '>');
	     i++)
		;
	for (; i < len && spec[i] >= '0' && spec[i] <= '9'; i++)
		width = width * 10 + (uint32_t)(spec[i] - '0');
	if (width)
		DPRINT << SETW((uint8_t)width);
	if (i < len && spec[i] == '.') {
		uint32_t digits = 0;

		for (i++; i < len && spec[i] >= '0' && spec[i] <= '9'; i++)
			digits = digits * 10 + (uint32_t)(spec[i] - '0');
		DPRINT << SETPRECISION((uint8_t)digits);
	}
	if (i < len && (spec[i] == 'x' || spec[i] == 'X'))
		DPRINT << HEX();
}
template <class... A> void print_nth(uint32_t n, const A &...values)
{
	uint32_t i = 0;

	((i++ == n ? print_one(values) : (void)0), ...);
}
template <class... A> void print_format(const char *format, const A &...values)
{
	uint32_t next = 0;

	while (*format) {
		uint32_t n = 0, spec = 0;

		while (format[n] && format[n] != '{' && format[n] != '}')
			n++;
		print_text(format, n);
		format += n;
		if (!*format)
			return;
		if (format[0] == format[1] || *format == '}') {
			print_text(format, 1);
			format += format[0] == format[1] ? 2 : 1;
			continue;
		}
		while (format[1 + spec] && format[1 + spec] != '}')
			spec++;
		if (format[1] >= '0' && format[1] <= '9')
			next = (uint32_t)(format[1] - '0');
		print_how(format + 1, spec);
		print_nth(next++, values...);
		DPRINT << DEC();
		format += 1 + spec + (format[1 + spec] != 0);
	}
}
inline void print_value(uint32_t address, DataFormat format, uint32_t i)
{
	switch (format) {
	case DataFormat::Float16_b:
		DPRINT << BF16(((volatile uint16_t *)address)[i]);
		return;
	case DataFormat::Float32:
		DPRINT << __builtin_bit_cast(float, ((volatile uint32_t *)address)[i]);
		return;
	case DataFormat::Int32:
		DPRINT << ((volatile int32_t *)address)[i];
		return;
	case DataFormat::UInt32:
		DPRINT << ((volatile uint32_t *)address)[i];
		return;
	case DataFormat::UInt16:
		DPRINT << ((volatile uint16_t *)address)[i];
		return;
	case DataFormat::UInt8:
		DPRINT << (uint32_t)((volatile uint8_t *)address)[i];
		return;
	default:
		DPRINT << "?";
	}
}
} // namespace tacho

template <int n> const tacho_dp_stream &operator<<(const tacho_dp_stream &s, const TileSlice<n> &t)
{
	int left = n;

	for (uint32_t h = t.range.h0; left > 0 && h < t.range.h1; h += t.range.hs) {
		for (uint32_t w = t.range.w0; left > 0 && w < t.range.w1; w += t.range.ws, left--) {
			uint32_t i = t.untilized
					     ? (h / 16 * 2 + w / 16) * 256 + h % 16 * 16 + w % 16
					     : h * 32 + w;

			tacho::print_value(t.address, t.format, i);
			s << " ";
		}
		if (t.rows)
			s << "\n";
	}
	return s;
}
static inline const tacho_dp_stream &operator<<(const tacho_dp_stream &s, bf16_t v)
{
	return s << (float)v;
}
static inline const tacho_dp_stream &operator<<(const tacho_dp_stream &s, bf8_t v)
{
	return s << (float)v;
}
static inline const tacho_dp_stream &operator<<(const tacho_dp_stream &s, bf4_t v)
{
	return s << (float)v;
}
static inline const tacho_dp_stream &operator<<(const tacho_dp_stream &s, ct_string v)
{
	return s << v.text;
}
static inline const tacho_dp_stream &operator<<(const tacho_dp_stream &s, dp_top_callstack_t c)
{
	return s << "pc " << HEX() << (uint32_t)c.pc << " from " << (uint32_t)c.ra << DEC();
}
/* The name is between "T = " and "]" of the function's own name. */
template <class T> const tacho_dp_stream &operator<<(const tacho_dp_stream &s, dp_type_name_t<T>)
{
	constexpr std::string_view whole = __PRETTY_FUNCTION__;
	constexpr std::size_t from = whole.find("T = ") + 4;

	tacho::print_text(whole.data() + from, (uint32_t)(whole.size() - from - 1));
	return s;
}
template <uint32_t n>
const tacho_dp_stream &operator<<(const tacho_dp_stream &s, const dp_typed_array_t<n> &a)
{
	for (uint32_t i = 0; i < a.len && i < n; i++)
		s << a.data[i] << " ";
	return s;
}
template <class... A> void tacho_dp_here(const char *format, const A &...values)
{
	tacho::print_format(format, values...);
}
#define DPRINT(...) tacho::print_format(__VA_ARGS__)

#else

template <class... A> static inline void tacho_dp_here(const char *, const A &...)
{
}
#define DPRINT(...) ((void)0)

#endif

/* A stream that is an argument has already been printed. */
static inline void tacho_dp_here(const tacho_dp_stream &)
{
}

#define DEVICE_PRINT(...)        DPRINT(__VA_ARGS__)
#define DEVICE_PRINT_UNPACK(...) DPRINT_UNPACK(__VA_ARGS__)
#define DEVICE_PRINT_MATH(...)   DPRINT_MATH(__VA_ARGS__)
#define DEVICE_PRINT_PACK(...)   DPRINT_PACK(__VA_ARGS__)
#define DEVICE_PRINT_DATA0(...)  DPRINT_DATA0(__VA_ARGS__)
#define DEVICE_PRINT_DATA1(...)  DPRINT_DATA1(__VA_ARGS__)

#endif
