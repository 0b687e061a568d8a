/* SPDX-License-Identifier: Apache-2.0 */
/* bfloat16 on the host, vectors of it, and the order of values inside tiles. */
#pragma once

#include <tacho/metalium/base.hpp>

/* The upper half of a float. Programs before 2026 take an integer as its bits and cut a float. */
class bfloat16
{
public:
	static constexpr size_t SIZEOF = 2;

	constexpr bfloat16() = default;
	template <typename T>
	requires std::is_arithmetic_v<T>
	constexpr bfloat16(T value)
	{
		if constexpr (TACHO_METALIUM_API < 2026 && std::is_integral_v<T>)
			bits_ = static_cast<uint16_t>(value);
		else if constexpr (TACHO_METALIUM_API < 2026)
			bits_ = static_cast<uint16_t>(
				std::bit_cast<uint32_t>(static_cast<float>(value)) >> 16);
		else
			bits_ = rounded(static_cast<float>(value));
	}
	static constexpr bfloat16 from_bits(uint16_t bits)
	{
		bfloat16 b;

		b.bits_ = bits;
		return b;
	}
	static constexpr bfloat16 truncate(float value)
	{
		return from_bits(static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16));
	}
	constexpr operator float() const
	{
		return std::bit_cast<float>(static_cast<uint32_t>(bits_) << 16);
	}
	constexpr float to_float() const
	{
		return *this;
	}
	constexpr uint16_t to_uint16() const
	{
		return bits_;
	}
	constexpr uint16_t to_packed() const
	{
		return bits_;
	}
	constexpr bool operator==(const bfloat16 &o) const
	{
		return bits_ == o.bits_;
	}
	constexpr auto operator<=>(const bfloat16 &o) const
	{
		return static_cast<float>(*this) <=> static_cast<float>(o);
	}
	bfloat16 &operator+=(bfloat16 o)
	{
		return *this = of(static_cast<float>(*this) + static_cast<float>(o));
	}
	bfloat16 &operator-=(bfloat16 o)
	{
		return *this = of(static_cast<float>(*this) - static_cast<float>(o));
	}
	bfloat16 &operator*=(bfloat16 o)
	{
		return *this = of(static_cast<float>(*this) * static_cast<float>(o));
	}
	bfloat16 &operator/=(bfloat16 o)
	{
		return *this = of(static_cast<float>(*this) / static_cast<float>(o));
	}

private:
	uint16_t bits_ = 0;

	static constexpr bfloat16 of(float value)
	{
		return bfloat16(value);
	}
	/* To the nearest, ties to even; NaN has one form. */
	static constexpr uint16_t rounded(float value)
	{
		uint32_t bits = std::bit_cast<uint32_t>(value);

		if (value != value)
			return 0x7fc0;
		return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
	}
};
static_assert(sizeof(bfloat16) == 2);

inline std::ostream &operator<<(std::ostream &os, const bfloat16 &b)
{
	return os << b.to_uint16();
}
template <> struct fmt::formatter<bfloat16> : fmt::formatter<uint16_t> {
	template <typename C> auto format(const bfloat16 &b, C &context) const
	{
		return fmt::formatter<uint16_t>::format(b.to_uint16(), context);
	}
};

inline uint32_t pack_two_bfloat16_into_uint32(std::pair<bfloat16, bfloat16> two)
{
	return static_cast<uint32_t>(two.second.to_uint16()) << 16 | two.first.to_uint16();
}
inline std::pair<bfloat16, bfloat16> unpack_two_bfloat16_from_uint32(uint32_t word)
{
	return {bfloat16::from_bits(static_cast<uint16_t>(word)),
		bfloat16::from_bits(static_cast<uint16_t>(word >> 16))};
}
inline std::vector<uint32_t> pack_bfloat16_vec_into_uint32_vec(const std::vector<bfloat16> &values)
{
	std::vector<uint32_t> words(values.size() / 2);

	std::memcpy(words.data(), values.data(), words.size() * 4);
	return words;
}
template <typename F>
std::vector<bfloat16> unpack_uint32_vec_into_bfloat16_vec(const std::vector<uint32_t> &words,
							  F change)
{
	std::vector<bfloat16> values;

	for (uint32_t word : words) {
		auto two = unpack_two_bfloat16_from_uint32(word);

		values.push_back(change(two.first));
		values.push_back(change(two.second));
	}
	return values;
}
inline std::vector<bfloat16> unpack_uint32_vec_into_bfloat16_vec(const std::vector<uint32_t> &words)
{
	return unpack_uint32_vec_into_bfloat16_vec(words, [](const bfloat16 &b) { return b; });
}

inline std::vector<bfloat16> create_random_vector_of_bfloat16_native(size_t bytes, float most,
								     int seed, float offset = 0.0f)
{
	std::mt19937 random(static_cast<uint32_t>(seed));
	std::uniform_real_distribution<float> distribution(0.0f, most);
	std::vector<bfloat16> values(bytes / 2);

	for (bfloat16 &v : values)
		v = bfloat16(distribution(random) + offset);
	return values;
}
inline std::vector<uint32_t> create_random_vector_of_bfloat16(size_t bytes, float most, int seed,
							      float offset = 0.0f)
{
	return pack_bfloat16_vec_into_uint32_vec(
		create_random_vector_of_bfloat16_native(bytes, most, seed, offset));
}
inline std::vector<uint32_t> create_random_vector_of_bfloat16_1_1(size_t bytes, int seed)
{
	return create_random_vector_of_bfloat16(bytes, 2.0f, seed, -1.0f);
}
inline std::vector<uint32_t> create_random_vector_of_bfloat16_0_2(size_t bytes, int seed)
{
	return create_random_vector_of_bfloat16(bytes, 2.0f, seed);
}
inline std::vector<uint32_t> create_constant_vector_of_bfloat16(size_t bytes, float value)
{
	return pack_bfloat16_vec_into_uint32_vec(std::vector<bfloat16>(bytes / 2, bfloat16(value)));
}
inline std::vector<uint32_t> create_arange_vector_of_bfloat16(size_t bytes, bool print = false)
{
	std::vector<bfloat16> values(bytes / 2);

	for (size_t i = 0; i < values.size(); i++)
		values[i] = bfloat16(static_cast<float>(i));
	if (print)
		for (const bfloat16 &v : values)
			std::cout << static_cast<float>(v) << " ";
	return pack_bfloat16_vec_into_uint32_vec(values);
}
inline std::vector<bfloat16> create_identity_matrix(int rows, int columns, int ones)
{
	std::vector<bfloat16> values(static_cast<size_t>(rows) * static_cast<size_t>(columns),
				     bfloat16(0.0f));

	for (int i = 0; i < ones; i++)
		values[static_cast<size_t>(i) * static_cast<size_t>(columns) +
		       static_cast<size_t>(i)] = bfloat16(1.0f);
	return values;
}

inline bool is_close(float a, float b, float relative = 0.01f, float absolute = 0.001f)
{
	const float difference = std::fabs(a - b);
	const float limit = std::fmax(absolute, relative * std::fmax(std::fabs(a), std::fabs(b)));

	if (difference <= limit)
		return true;
	std::cout << "Discrepancy: A = " << a << ", B = " << b << "\n";
	std::cout << "  absdiff = " << difference << ", tolerance = " << limit << "\n";
	return false;
}
inline bool equal_within_n_sig_figs(float a, float b, int figures)
{
	if (a == b)
		return true;
	const float scale = std::pow(
		10.0f, static_cast<float>(figures) -
			       std::ceil(std::log10(std::fmax(std::fabs(a), std::fabs(b)))));

	return std::fabs(std::round(a * scale) - std::round(b * scale)) <= 1.0f;
}
inline bool equal_within_absolute_tolerance(float a, float b, float tolerance)
{
	return std::fabs(a - b) < tolerance;
}
template <typename F>
bool packed_uint32_t_vector_comparison(const std::vector<uint32_t> &a,
				       const std::vector<uint32_t> &b, F same, int *at = nullptr)
{
	if (a.size() != b.size())
		return false;
	for (size_t i = 0; i < a.size(); i++) {
		auto x = unpack_two_bfloat16_from_uint32(a[i]),
		     y = unpack_two_bfloat16_from_uint32(b[i]);

		if (!same(static_cast<float>(x.first), static_cast<float>(y.first)) ||
		    !same(static_cast<float>(x.second), static_cast<float>(y.second))) {
			if (at)
				*at = static_cast<int>(i);
			return false;
		}
	}
	return true;
}
inline void print_golden_metalium_vectors(const std::vector<bfloat16> &golden,
					  const std::vector<bfloat16> &result)
{
	std::cout << "-- index -- golden -- metalium --\n";
	for (size_t i = 0; i < std::min(golden.size(), result.size()); i += 100)
		std::cout << "-- " << i << " -- " << static_cast<float>(golden[i]) << " -- "
			  << static_cast<float>(result[i]) << " --\n";
}
/* ---- tiles ---- */
namespace tacho_metalium
{

/* Calls PUT(index in the matrix, index in the tiles) for each value of the M x N matrices in COUNT.
 */
template <typename F> void tiles_walk(size_t count, uint32_t m, uint32_t n, bool faces, F put)
{
	const size_t whole = static_cast<size_t>(m) * n;

	TACHO_METALIUM_REQUIRE(count && whole && count % whole == 0 && m % 32 == 0 && n % 32 == 0,
			       "{} values are not matrices of {} x {} in tiles of 32 x 32", count,
			       m, n);
	for (size_t at = 0; at < count; at++) {
		const size_t base = at / whole * whole, tile = (at - base) / 1024,
			     in = (at - base) % 1024;
		const size_t row = tile / (n / 32) * 32, column = tile % (n / 32) * 32;
		size_t y = in / 32, x = in % 32;

		if (faces) {
			const size_t face = in / 256, inside = in % 256;

			y = face / 2 * 16 + inside / 16;
			x = face % 2 * 16 + inside % 16;
		}
		put(base + (row + y) * n + column + x, at);
	}
}

template <typename T>
std::vector<T> to_tiles(const std::vector<T> &in, uint32_t m, uint32_t n, bool faces)
{
	std::vector<T> out(in.size());

	tiles_walk(in.size(), m, n, faces,
		   [&](size_t matrix, size_t tiles) { out[tiles] = in[matrix]; });
	return out;
}
template <typename T>
std::vector<T> from_tiles(const std::vector<T> &in, uint32_t m, uint32_t n, bool faces)
{
	std::vector<T> out(in.size());

	tiles_walk(in.size(), m, n, faces,
		   [&](size_t matrix, size_t tiles) { out[matrix] = in[tiles]; });
	return out;
}

} /* namespace tacho_metalium */

template <typename T> std::vector<T> tilize_nfaces(const std::vector<T> &in, uint32_t m, uint32_t n)
{
	return tacho_metalium::to_tiles(in, m, n, true);
}
template <typename T>
std::vector<T> untilize_nfaces(const std::vector<T> &in, uint32_t m, uint32_t n)
{
	return tacho_metalium::from_tiles(in, m, n, true);
}
template <typename T>
std::vector<T> tilize_swizzled(const std::vector<T> &in, uint32_t m, uint32_t n)
{
	return tacho_metalium::to_tiles(in, m, n, false);
}
template <typename T>
std::vector<T> untilize_swizzled(const std::vector<T> &in, uint32_t m, uint32_t n)
{
	return tacho_metalium::from_tiles(in, m, n, false);
}

/* Of tiles, row by row. */
template <typename Values, typename Print>
void print_tiles(const Values &values, int tiles, const std::string &name, int first, Print print)
{
	for (size_t i = 0; i < static_cast<size_t>(tiles) * 1024 && i < values.size(); i++) {
		if (i % 1024 == 0)
			std::cout << name << " tile " << static_cast<int>(i / 1024) + first << "\n";
		std::cout << print(values[i]) << (i % 32 == 31 ? ", \n" : ", ");
	}
	std::cout << std::endl;
}
inline void print_vec_of_bfloat16(const std::vector<bfloat16> &values, int tiles,
				  const std::string &name = "", int first = 0)
{
	print_tiles(values, tiles, name, first, [](bfloat16 b) { return static_cast<float>(b); });
}
inline void print_vec_of_uint32_as_packed_bfloat16(const std::vector<uint32_t> &words, int tiles,
						   const std::string &name = "", int first = 0)
{
	print_vec_of_bfloat16(unpack_uint32_vec_into_bfloat16_vec(words), tiles, name, first);
}
inline void print_vec(const std::vector<uint32_t> &words, int tiles, const std::string &name = "",
		      int first = 0)
{
	print_tiles(words, tiles, name, first, [](uint32_t w) { return w; });
}

/* ---- words and halves of them ---- */
inline std::vector<uint16_t> u16_from_u32_vector(const std::vector<uint32_t> &words)
{
	std::vector<uint16_t> halves(words.size() * 2);

	std::memcpy(halves.data(), words.data(), words.size() * 4);
	return halves;
}
inline std::vector<uint32_t> u32_from_u16_vector(const std::vector<uint16_t> &halves)
{
	std::vector<uint32_t> words(halves.size() / 2);

	std::memcpy(words.data(), halves.data(), words.size() * 4);
	return words;
}

/* ---- layouts of tiles, of any shape ---- */
enum class TensorLayoutType { LIN_ROW_MAJOR, TILED_SWIZZLED, TILED_NFACES };
#if TACHO_METALIUM_API < 2025
using TensorLayout = TensorLayoutType;
using enum TensorLayoutType;
using PhysicalSize = std::vector<uint32_t>;
#else
using PhysicalSize = std::array<uint32_t, 2>;
#endif

namespace tacho_metalium
{

struct layout_shape {
	size_t width, tile_rows = 32, tile_columns = 32, face_rows = 16, face_columns = 16;
	bool face_transposed = false, faces_transposed = false;

	/* Where the value at Y, X of the matrix is. */
	size_t place(TensorLayoutType layout, size_t y, size_t x) const
	{
		if (layout == TensorLayoutType::LIN_ROW_MAJOR)
			return y * width + x;
		const size_t tile = y / tile_rows * (width / tile_columns) + x / tile_columns;
		const size_t start = tile * tile_rows * tile_columns;

		y %= tile_rows;
		x %= tile_columns;
		if (layout == TensorLayoutType::TILED_SWIZZLED)
			return start + y * tile_columns + x;
		const size_t row = y / face_rows, column = x / face_columns;
		const size_t face = faces_transposed ? column * (tile_rows / face_rows) + row
						     : row * (tile_columns / face_columns) + column;

		y %= face_rows;
		x %= face_columns;
		return start + face * face_rows * face_columns +
		       (face_transposed ? x * face_rows + y : y * face_columns + x);
	}
};

inline layout_shape layout_of(size_t width, const std::optional<PhysicalSize> &tile,
			      const std::optional<PhysicalSize> &face, bool within, bool order)
{
	layout_shape s{width};

	if (tile) {
		s.tile_rows = (*tile)[0];
		s.tile_columns = (*tile)[1];
		s.face_rows = std::min<size_t>(s.face_rows, s.tile_rows);
		s.face_columns = std::min<size_t>(s.face_columns, s.tile_columns);
	}
	if (face) {
		s.face_rows = (*face)[0];
		s.face_columns = (*face)[1];
	}
	if (!width)
		s.width = s.tile_columns;
	s.face_transposed = within;
	s.faces_transposed = order;
	return s;
}

template <typename In>
auto change_layout(const In &in, const layout_shape &s, TensorLayoutType from, TensorLayoutType to)
{
	std::vector<std::remove_cvref_t<decltype(in[0])>> out(in.size());
	const size_t rows = in.size() / s.width;

	TACHO_METALIUM_REQUIRE(rows && in.size() % s.width == 0 && rows % s.tile_rows == 0 &&
				       s.width % s.tile_columns == 0,
			       "{} values in rows of {} are not tiles of {} x {}", in.size(),
			       s.width, s.tile_rows, s.tile_columns);
	for (size_t y = 0; y < rows; y++)
		for (size_t x = 0; x < s.width; x++)
			out[s.place(to, y, x)] = in[s.place(from, y, x)];
	return out;
}

} /* namespace tacho_metalium */

/* SHAPE is that of the tensor; its last dimension is the width. */
template <typename T = void, typename In, typename Shape>
auto convert_layout(const In &in, const Shape &shape, TensorLayoutType from, TensorLayoutType to,
		    const std::optional<PhysicalSize> &tile = {},
		    const std::optional<PhysicalSize> &face = {}, bool within = false,
		    bool order = false)
{
	return tacho_metalium::change_layout(
		in, tacho_metalium::layout_of(*std::rbegin(shape), tile, face, within, order), from,
		to);
}
/* One tile after the other, each row by row, or in faces. */
template <typename T = void, typename In>
auto convert_layout_tile_swizzled_to_tile_nfaces(const In &in,
						 const std::optional<PhysicalSize> &tile = {},
						 const std::optional<PhysicalSize> &face = {},
						 bool within = false, bool order = false)
{
	return tacho_metalium::change_layout(
		in, tacho_metalium::layout_of(0, tile, face, within, order),
		TensorLayoutType::TILED_SWIZZLED, TensorLayoutType::TILED_NFACES);
}
template <typename T = void, typename In>
auto convert_layout_tile_nfaces_to_tile_swizzled(const In &in,
						 const std::optional<PhysicalSize> &tile = {},
						 const std::optional<PhysicalSize> &face = {},
						 bool within = false, bool order = false)
{
	return tacho_metalium::change_layout(
		in, tacho_metalium::layout_of(0, tile, face, within, order),
		TensorLayoutType::TILED_NFACES, TensorLayoutType::TILED_SWIZZLED);
}
/* Their names of 2024. */
template <typename T = void, typename In>
auto convert_to_tile_layout(const In &in, const std::optional<PhysicalSize> &tile = {},
			    const std::optional<PhysicalSize> &face = {})
{
	return convert_layout_tile_swizzled_to_tile_nfaces(in, tile, face);
}
template <typename T = void, typename In>
auto convert_to_flat_layout(const In &in, const std::optional<PhysicalSize> &tile = {},
			    const std::optional<PhysicalSize> &face = {})
{
	return convert_layout_tile_nfaces_to_tile_swizzled(in, tile, face);
}
inline uint32_t round_up_to_mul16(uint32_t n)
{
	return (n + 15) / 16 * 16;
}
inline uint32_t round_up_to_mul32(uint32_t n)
{
	return (n + 31) / 32 * 32;
}
inline uint32_t round_up_to_tile(int n, int tile)
{
	return static_cast<uint32_t>((n + tile - 1) / tile * tile);
}
/* Indices of a tensor of four dimensions. */
struct TensAddr {
	std::vector<uint32_t> sh;
	explicit TensAddr(const std::vector<uint32_t> &shape) : sh(shape)
	{
	}
	uint32_t numel() const
	{
		return std::accumulate(sh.begin(), sh.end(), 1u, std::multiplies<uint32_t>());
	}
	int offs(int n, int c, int h, int w) const
	{
		return ((n * static_cast<int>(sh[1]) + c) * static_cast<int>(sh[2]) + h) *
			       static_cast<int>(sh[3]) +
		       w;
	}
};

#if TACHO_METALIUM_API < 2026
/* Where free memory begins; as Allocator::get_base_allocator_addr() says. */
constexpr uint32_t L1_UNRESERVED_BASE = 0x2C000, DRAM_UNRESERVED_BASE = 0;
#endif
