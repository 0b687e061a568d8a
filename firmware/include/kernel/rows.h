/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiles out of rows and rows out of tiles. A circular buffer of rows holds 32 rows of a whole
 * number of tiles; formats with shared exponents have no rows. These calls acquire and release dst
 * themselves, but for pack_untilize_dest.
 */
#ifndef TACHO_KERNEL_ROWS_H
#define TACHO_KERNEL_ROWS_H

#include "kernel/compute.h"

namespace ckernel
{
namespace tacho_impl
{
constexpr uint32_t row_bytes(uint32_t cb)
{
	return tacho::tile_bytes(tacho::format_of(cb), tacho::tile_width(cb));
}
/* Tile TILE of rows that are WIDTH tiles wide, from page PAGE on. */
FORCE_INLINE void unpack_rows(uint32_t cb, uint32_t page, uint32_t tile, uint32_t width)
{
	TE_PUSH(TE_FORMAT, 0u << 16 | cb_layout[cb]);
	parameter(0, width * row_bytes(cb));
	TE_PUSH(TE_UNPACK_ROWS, page_at(cb, page) + tile * row_bytes(cb) / 16);
}
FORCE_INLINE void pack_rows(uint32_t dst, uint32_t cb, uint32_t page, uint32_t tile, uint32_t width,
			    uint32_t rows)
{
	const LocalCBInterface &c = tacho_cbs[cb];

	TE_PUSH(TE_FORMAT, 2u << 16 | cb_layout[cb]);
	TE_PUSH(TE_PACK_DST, dst);
	parameter(0, width * row_bytes(cb));
	parameter(1, rows);
	TE_PUSH(TE_PACK_ROWS, c.fifo_wr_ptr + page * c.fifo_page_size + tile * row_bytes(cb) / 16);
}
} // namespace tacho_impl

TACHO_INIT(tilize_init)
TACHO_INIT(tilize_init_no_pack)
TACHO_INIT(tilize_init_short)
TACHO_INIT(tilize_init_short_with_dt)
TACHO_INIT(fast_tilize_init)
TACHO_INIT(fast_tilize_init_skip_remap)
TACHO_INIT(fast_tilize_init_with_dt)
TACHO_NOTHING(tilize_uninit)
TACHO_NOTHING(tilize_uninit_with_dt)
TACHO_NOTHING(tilize_uninit_no_pack)
TACHO_NOTHING(fast_tilize_uninit)
ALWI void tilize_block(uint32_t in, uint32_t block, uint32_t out, uint32_t in_page = 0,
		       uint32_t out_page = 0)
{
	for (uint32_t t = 0; t < block; t++) {
		tile_regs_acquire();
		UNPACK(tacho_impl::unpack_rows(in, in_page, t, block));
		MATH(tacho_impl::math(TE_COPY, 0, 0));
		tile_regs_commit();
		tile_regs_wait();
		PACK(tacho_impl::pack_to(0, out, out_page + t));
		tile_regs_release();
	}
}
ALWI void fast_tilize_block(uint32_t in, uint32_t block, uint32_t out, uint32_t in_page = 0,
			    uint32_t out_page = 0)
{
	tilize_block(in, block, out, in_page, out_page);
}

/* A row of BLOCK tiles for reduce_tile_math(), each with the scaler's tile. */
template <auto... o, class... A> ALWI void tilizeA_B_reduce_init(A &&...)
{
	tacho_impl::init();
}
TACHO_NOTHING(unpack_tilizeA_B_uninit)
template <auto... o, class... A>
ALWI void unpack_tilizeA_B_block(uint32_t in, uint32_t scaler, uint32_t block, uint32_t scaler_tile,
				 A &&...)
{
	for (uint32_t t = 0; t < block; t++) {
		UNPACK(tacho_impl::unpack_rows(in, 0, t, block));
		UNPACK(tacho_impl::unpack_b(scaler, scaler_tile));
	}
}

TACHO_INIT(untilize_init)
TACHO_INIT(untilize_init_short)
TACHO_NOTHING(untilize_uninit)
template <uint32_t block = 1> ALWI void untilize_block(uint32_t in, uint32_t width, uint32_t out)
{
	uint32_t page = 0;

	PACK(page = tacho_cbs[out].fifo_wr_tile_ptr);
	for (uint32_t t = 0; t < width; t++) {
		tile_regs_acquire();
		UNPACK(tacho_impl::unpack_a(in, t));
		MATH(tacho_impl::math(TE_COPY, 0, 0));
		tile_regs_commit();
		tile_regs_wait();
		PACK(tacho_impl::pack_rows(0, out, page, t, width, 32));
		tile_regs_release();
	}
	PACK(tacho_cbs[out].fifo_wr_tile_ptr += (uint16_t)width);
}

template <auto... o, class... A> ALWI void pack_untilize_init(A &&...)
{
	tacho_impl::init();
}
template <auto... o, class... A> ALWI void pack_untilize_init_skip_remap(A &&...)
{
	tacho_impl::init();
}
template <auto... o, class... A> ALWI void pack_untilize_dest_init(A &&...)
{
}
template <auto... o, class... A> ALWI void pack_untilize_dest_init_short(A &&...)
{
}
TACHO_NOTHING(pack_untilize_uninit)
/* dst holds RT rows of BLOCK tiles; rows in the circular buffer are WIDTH tiles wide. */
template <uint32_t block = 8, uint32_t width = block, bool diagonal = false, bool narrow = false,
	  uint32_t columns = 32, uint32_t dst_offset = 0, bool dense = false, class... A>
ALWI void pack_untilize_dest(uint32_t out, uint32_t rt = 1, uint32_t column = 0, A &&...)
{
	for (uint32_t r = 0; r < rt; r++)
		for (uint32_t c = 0; c < block; c++)
			PACK(tacho_impl::pack_rows(dst_offset + r * block + c, out, r * width,
						   column * block + c, width, 32));
}
template <uint32_t block = 8, uint32_t width = block, auto... o>
ALWI void pack_untilize_block(uint32_t in, uint32_t rt, uint32_t out, uint32_t column = 0)
{
	for (uint32_t r = 0; r < rt; r++) {
		tile_regs_acquire();
		for (uint32_t c = 0; c < block; c++) {
			UNPACK(tacho_impl::unpack_a(in, c));
			MATH(tacho_impl::math(TE_COPY, c, 0));
		}
		tile_regs_commit();
		tile_regs_wait();
		pack_untilize_dest<block, width>(out, 1, column);
		tile_regs_release();
	}
}

/* A row of WIDTH tiles from page IN_TILE on, to rows that begin at page OUT_PAGE. */
template <uint32_t width> ALWI void fast_untilize_init(uint32_t, uint32_t, uint32_t = 0)
{
	tacho_impl::init();
}
template <uint32_t width> ALWI void fast_untilize_init_skip_remap(uint32_t, uint32_t, uint32_t = 0)
{
	tacho_impl::init();
}
template <uint32_t width> ALWI void fast_untilize_uninit(uint32_t)
{
}
template <uint32_t width>
ALWI void fast_untilize_block(uint32_t in, uint32_t out, uint32_t in_tile = 0,
			      uint32_t out_page = 0)
{
	for (uint32_t t = 0; t < width; t++) {
		tile_regs_acquire();
		UNPACK(tacho_impl::unpack_a(in, in_tile + t));
		MATH(tacho_impl::math(TE_COPY, 0, 0));
		tile_regs_commit();
		tile_regs_wait();
		PACK(tacho_impl::pack_rows(0, out, out_page, t, width, 32));
		tile_regs_release();
	}
}

/* ---- calls of the layer below that some kernels use ---- */
ALWI void llk_pack_relu_config(ReluConfig config)
{
#if TACHO_RISC == 4
	static constexpr uint32_t option[] = {0, TE_PACK_RELU, TE_PACK_ABOVE, TE_PACK_BELOW};

	if (config.threshold)
		tacho_impl::parameter(2, config.threshold << 16);
	else if (config.mode == ReluType::MIN_THRESHOLD_RELU)
		config.mode = ReluType::ZERO_RELU;
	TE_PUSH(TE_PACK_MODE,
		(TE_PACK_RELU | TE_PACK_ABOVE | TE_PACK_BELOW) << 8 | option[(int)config.mode]);
#else
	(void)config;
#endif
}
ALWI void llk_pack_relu_config(ReluType type, uint32_t threshold = 0)
{
	llk_pack_relu_config(ReluConfig{type, threshold});
}
ALWI void llk_pack_relu_config(uint32_t packed)
{
	llk_pack_relu_config(ReluConfig::from_packed(packed));
}
template <auto... o, class... A> ALWI void llk_pack_reconfig_l1_acc(uint32_t on, A &&...)
{
	pack_reconfig_l1_acc(on);
}
#define TACHO_LLK(name)                                          \
	template <auto... o, class... A> ALWI void name(A &&...) \
	{                                                        \
	}
TACHO_LLK(llk_unpack_AB_init)
TACHO_LLK(llk_unpack_A_init)
TACHO_LLK(llk_unpack_hw_configure)
TACHO_LLK(llk_unpack_AB_matmul_init)
TACHO_LLK(llk_unpack_tilize_init)
TACHO_LLK(llk_unpack_tilize_uninit)
TACHO_LLK(llk_math_eltwise_binary_init)
TACHO_LLK(llk_math_eltwise_binary_init_with_operands)
TACHO_LLK(llk_math_eltwise_unary_datacopy_init)
TACHO_LLK(llk_math_eltwise_unary_sfpu_init)
TACHO_LLK(llk_math_matmul_init)
TACHO_LLK(llk_math_reduce_init)
TACHO_LLK(llk_math_pack_sync_init)
TACHO_LLK(llk_math_hw_configure)
TACHO_LLK(llk_math_reconfig_remap)
TACHO_LLK(llk_pack_init)
TACHO_LLK(llk_pack_hw_configure)
TACHO_LLK(llk_pack_dest_init)
TACHO_LLK(llk_pack_untilize_init)
TACHO_LLK(llk_pack_untilize_uninit)
TACHO_LLK(llk_pack_reduce_mask_config)
TACHO_LLK(llk_pack_reduce_mask_clear)
TACHO_LLK(llk_pack_reconfig_data_format)
TACHO_LLK(llk_init_packer_dest_offset_registers)
TACHO_LLK(llk_math_set_dvalid)
TACHO_LLK(llk_unpack_reconfig_data_format)
TACHO_LLK(llk_unpack_reconfig_data_format_srca)
TACHO_LLK(llk_unpack_reconfig_data_format_srcb)
TACHO_LLK(llk_math_reconfig_data_format)
TACHO_LLK(llk_math_reconfig_data_format_srca)
TACHO_LLK(llk_math_reconfig_data_format_srcb)
template <class Config> ALWI void pack_relu_config(Config config)
{
	llk_pack_relu_config(config);
}
} // namespace ckernel

#endif
