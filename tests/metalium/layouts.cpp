/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions on the host: layouts of tiles, halves of words, block formats, banks of the table. */
#include <cstdio>
#include <fmt/base.h>
#include <tt-metalium/bfloat8.hpp>
#include <tt-metalium/tilize_utils.hpp>
#include <tt_stl/span.hpp>

static void require(bool holds, const char *what)
{
	if (!holds)
		throw std::runtime_error(what);
}

static void check_layouts()
{
	constexpr uint32_t rows = 64, columns = 96;
	using enum TensorLayoutType;
	const TensorLayoutType all[] = {LIN_ROW_MAJOR, TILED_SWIZZLED, TILED_NFACES};
	const PhysicalSize shape{rows, columns};
	std::vector<uint32_t> in(rows * columns);

	std::iota(in.begin(), in.end(), 0u);
	const auto span = tt::stl::make_const_span(in);
	const auto faces = convert_layout(span, shape, LIN_ROW_MAJOR, TILED_NFACES);
	const auto small =
		convert_layout(span, shape, LIN_ROW_MAJOR, TILED_NFACES, PhysicalSize{16, 32});
	const auto turned =
		convert_layout(span, shape, LIN_ROW_MAJOR, TILED_NFACES, {}, {}, true, true);

	require(faces == tilize_nfaces(in, rows, columns), "faces");
	require(convert_layout(span, shape, LIN_ROW_MAJOR, TILED_SWIZZLED) ==
			tilize_swizzled(in, rows, columns),
		"rows of tiles");
	/* Row 17, column 50: tile 4 of 16 x 32 (row 1, column 1), its face 1, row 1, column 2. */
	require(small[4 * 512 + 256 + 16 + 2] == 17 * columns + 50, "tiles of 16 x 32");
	/* Row 2, column 20: tile 0, face 2 in turned order, and turned inside. */
	require(turned[2 * 256 + 4 * 16 + 2] == 2 * columns + 20, "turned faces");
	for (auto from : all)
		for (auto to : all)
			require(convert_layout(convert_layout(span, shape, from, to), shape, to,
					       from) == in,
				"there and back");
	require(convert_layout_tile_nfaces_to_tile_swizzled(
			convert_layout_tile_swizzled_to_tile_nfaces(in)) == in,
		"tiles there and back");
	require(u32_from_u16_vector(u16_from_u32_vector(in)) == in, "halves");
	require(TensAddr({2, 3, 4, 5}).offs(1, 2, 3, 4) == 119, "index");
}

static void check_blocks()
{
	std::vector<float> ones(1024, 1.0f), values(2048);
	const auto packed = pack_as_bfp8_tiles(ones, true, false);

	require(packed.size() == 1088 / 4 && packed[0] == 0x7f7f7f7f && packed[16] == 0x40404040,
		"ones in bfp8");
	for (size_t i = 0; i < values.size(); i++)
		values[i] = static_cast<float>(static_cast<int>(i * 37 % 401) - 200) / 64;
	for (bool rows : {false, true}) {
		const auto eight = unpack_bfp8_tiles_into_float_vec(
			pack_fp32_vec_as_bfp8_tiles(values, rows, false), rows, false);
		const auto four = unpack_bfp4_tiles_into_float_vec(
			pack_as_bfp4_tiles(values, rows, false), rows, false);

		for (size_t i = 0; i < values.size(); i++) {
			require(std::fabs(eight[i] - values[i]) <= 4.0f / 128, "bfp8");
			require(std::fabs(four[i] - values[i]) <= 4.0f / 8, "bfp4");
		}
	}
	require(create_random_vector_of_bfp8(2 * 1088, false, 4, 1).size() == 2 * 272, "random");
	require(unpack_bfp4_tiles_into_float_vec(create_constant_vector_of_bfp4(576, -1.5f, false),
						 true, false)[700] == -1.5f,
		"constant");
}

int main()
{
	try {
		check_layouts();
		check_blocks();
	} catch (const std::exception &e) {
		std::printf("Test failed: %s\n", e.what());
		return 1;
	}
	std::puts("Test Passed");
	return 0;
}
