/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiles in bfp8_b and bfp4_b: 64 exponents, one for 16 values, then sign and magnitude of each
 * value, face after face. Values are rounded as by the device's packer.
 */
#pragma once

#include <tacho/metalium/numbers.hpp>

namespace tacho_metalium
{

constexpr size_t block_values = 1024, block_exponents = 64;

inline void require_exponents_b(bool a)
{
	TACHO_METALIUM_REQUIRE(!a, "block formats with exponents of 5 bits are not supported");
}

/* Code of a value whose block has this exponent; the top bit of the magnitude is 2^0. */
inline uint32_t block_code(float value, int exponent, unsigned bits)
{
	const uint32_t most = (1u << (bits - 1)) - 1;
	const float scaled =
		std::ldexp(std::fabs(value), static_cast<int>(bits) - 2 + 127 - exponent);
	uint32_t magnitude = most;

	if (std::isnan(value))
		magnitude = 0;
	else if (scaled < static_cast<float>(most))
		magnitude = static_cast<uint32_t>(std::rint(scaled));
	return magnitude | (magnitude && std::signbit(value) ? most + 1 : 0);
}

inline int block_exponent(const float *values)
{
	float most = 0;
	int exponent = 0;

	for (size_t i = 0; i < 16; i++)
		if (std::isfinite(values[i]))
			most = std::max(most, std::fabs(values[i]));
	if (most == 0)
		return 0;
	std::frexp(most, &exponent);
	return std::clamp(exponent + 126, 0, 254);
}

/* ROWS: the values of each tile are row after row, not face after face. */
template <typename In> std::vector<uint32_t> pack_blocks(const In &in, unsigned bits, bool rows)
{
	const size_t tiles = in.size() / block_values;
	const size_t bytes = block_exponents + block_values * bits / 8;
	std::vector<float> values(in.size());
	std::vector<uint32_t> words(tiles * bytes / 4);
	auto *out = reinterpret_cast<uint8_t *>(words.data());

	TACHO_METALIUM_REQUIRE(in.size() % block_values == 0, "{} values are not tiles of 32 x 32",
			       in.size());
	for (size_t i = 0; i < in.size(); i++)
		values[i] = static_cast<float>(in[i]);
	if (rows && tiles)
		values = convert_layout_tile_swizzled_to_tile_nfaces(values);
	for (size_t i = 0; i < values.size(); i++) {
		uint8_t *tile = out + i / block_values * bytes;
		const size_t at = i % block_values, bit = at * bits;

		if (at % 16 == 0)
			tile[at / 16] = static_cast<uint8_t>(block_exponent(&values[i]));
		tile[block_exponents + bit / 8] |=
			static_cast<uint8_t>(block_code(values[i], tile[at / 16], bits) << bit % 8);
	}
	return words;
}

template <typename In> std::vector<float> unpack_blocks(const In &in, unsigned bits, bool rows)
{
	const size_t bytes = block_exponents + block_values * bits / 8;
	const size_t tiles = in.size() * 4 / bytes;
	const auto *from = reinterpret_cast<const uint8_t *>(std::data(in));
	const uint32_t most = (1u << (bits - 1)) - 1;
	std::vector<float> values(tiles * block_values);

	for (size_t i = 0; i < values.size(); i++) {
		const uint8_t *tile = from + i / block_values * bytes;
		const size_t at = i % block_values, bit = at * bits;
		const uint32_t code = tile[block_exponents + bit / 8] >> bit % 8;
		const float value = std::ldexp(static_cast<float>(code & most),
					       tile[at / 16] - 127 - static_cast<int>(bits) + 2);

		values[i] = code >> (bits - 1) & 1 ? -value : value;
	}
	return rows && tiles ? convert_layout_tile_nfaces_to_tile_swizzled(values) : values;
}

inline std::vector<float> random_floats(size_t count, float most, int seed, float offset)
{
	std::mt19937 random(static_cast<uint32_t>(seed));
	std::uniform_real_distribution<float> distribution(0.0f, most);
	std::vector<float> values(count);

	for (float &v : values)
		v = distribution(random) + offset;
	return values;
}

} /* namespace tacho_metalium */

#define TACHO_METALIUM_BLOCKS(name, bits)                                                          \
	template <typename T = float, typename In>                                                 \
	std::vector<uint32_t> pack_as_##name##_tiles(const In &in, bool rows, bool a)              \
	{                                                                                          \
		tacho_metalium::require_exponents_b(a);                                            \
		return tacho_metalium::pack_blocks(in, bits, rows);                                \
	}                                                                                          \
	template <typename In>                                                                     \
	std::vector<uint32_t> pack_fp32_vec_as_##name##_tiles(const In &in, bool rows, bool a)     \
	{                                                                                          \
		return pack_as_##name##_tiles(in, rows, a);                                        \
	}                                                                                          \
	template <typename In>                                                                     \
	std::vector<float> unpack_##name##_tiles_into_float_vec(const In &in, bool rows, bool a)   \
	{                                                                                          \
		tacho_metalium::require_exponents_b(a);                                            \
		return tacho_metalium::unpack_blocks(in, bits, rows);                              \
	}                                                                                          \
	inline std::vector<uint32_t> create_random_vector_of_##name(                               \
		uint32_t bytes, bool a, float most, int seed, float offset = 0.0f)                 \
	{                                                                                          \
		return pack_as_##name##_tiles(                                                     \
			tacho_metalium::random_floats(bytes / (64 + 128 * bits) * 1024, most,      \
						      seed, offset),                               \
			true, a);                                                                  \
	}                                                                                          \
	inline std::vector<uint32_t> create_constant_vector_of_##name(uint32_t bytes, float value, \
								      bool a)                      \
	{                                                                                          \
		return pack_as_##name##_tiles(                                                     \
			std::vector<float>(bytes / (64 + 128 * bits) * 1024, value), true, a);     \
	}
TACHO_METALIUM_BLOCKS(bfp8, 8)
TACHO_METALIUM_BLOCKS(bfp4, 4)
#undef TACHO_METALIUM_BLOCKS
