/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the kernels of this folder, which take shapes as run-time arguments, in tiles, so that
 * one compiled kernel serves all shapes.
 *
 * Common arguments: address and memory (0 DRAM, 1 L1, else the argument from which on its shards
 * are described) of each tensor, inputs before outputs; the macro TENSORS is their number; then the
 * words of the op: OP_WORD(i). Arguments of a core: its first unit of work and how many. Compute
 * kernels get the words of the op only, so TENSORS is 0.
 */
#ifndef TACHO_OPS_H
#define TACHO_OPS_H

#ifndef TENSORS
#define TENSORS 0
#endif
#define OP_WORD(i) get_common_arg_val<uint32_t>(2 * TENSORS + (i))
#define UNIT_FIRST get_arg_val<uint32_t>(0)
#define UNIT_COUNT get_arg_val<uint32_t>(1)

/* Circular buffers of constants that the reader fills, and of intermediates. */
enum { CB_SCALER = 5, CB_MASK = 6, CB_HOT = 7, CB_OUT = 16, CB_TEMP = 24 };

#if TACHO_RISC < 2
/* ---- data movement ---- */
/*
 * Words of shards, in pages: columns of the tensor, rows and columns of a shard, shards in a row;
 * then the core of each shard, a byte.
 */
static uint64_t shard_page(uint32_t base, uint32_t at, uint32_t page, uint32_t size,
			   uint32_t offset)
{
	const uint32_t columns = get_common_arg_val<uint32_t>(at);
	const uint32_t high = get_common_arg_val<uint32_t>(at + 1),
		       wide = get_common_arg_val<uint32_t>(at + 2);
	const uint32_t row = page / columns, column = page % columns;
	const uint32_t shard = row / high * get_common_arg_val<uint32_t>(at + 3) + column / wide;
	const uint32_t bank =
		get_common_arg_val<uint32_t>(at + 4 + shard / 4) >> 8 * (shard % 4) & 0xff;

	return tacho::interleaved<false>(bank, base + (row % high * wide + column % wide) * size, 0,
					 offset, noc_index);
}

FORCE_INLINE uint64_t op_page(uint32_t tensor, uint32_t page, uint32_t size, uint32_t offset = 0)
{
	uint32_t base = get_common_arg_val<uint32_t>(2 * tensor);
	uint32_t memory = get_common_arg_val<uint32_t>(2 * tensor + 1);

	if (!memory)
		return tacho::interleaved<true>(page, base, size, offset, noc_index);
	if (memory == 1)
		return tacho::interleaved<false>(page, base, size, offset, noc_index);
	return shard_page(base, memory, page, size, offset);
}

/* Bytes from one page to the next, for pages that are not tiles. */
FORCE_INLINE uint32_t op_stride(uint32_t tensor, uint32_t size)
{
	uint32_t align =
		get_common_arg_val<uint32_t>(2 * tensor + 1) ? L1_ALIGNMENT : DRAM_ALIGNMENT;

	return (size + align - 1) / align * align;
}

/* Bytes of a page of a circular buffer. */
FORCE_INLINE uint32_t cb_page(uint32_t cb)
{
	return tacho_cbs[cb].fifo_page_size << CB_SHIFT;
}

/* The page after AT in a circular buffer. */
FORCE_INLINE uint32_t cb_next(uint32_t cb, uint32_t at, uint32_t size)
{
	at += size;
	return at >= tacho_cbs[cb].fifo_limit << CB_SHIFT
		       ? at - (tacho_cbs[cb].fifo_size << CB_SHIFT)
		       : at;
}

/* Reads N pages from FIRST on, STRIDE apart, and pushes them together. */
inline void pages_read(uint32_t cb, uint32_t tensor, uint32_t first, uint32_t n,
		       uint32_t stride = 1)
{
	uint32_t size = get_tile_size(cb), to;

	cb_reserve_back(cb, n);
	to = get_write_ptr(cb);
	for (uint32_t i = 0; i < n; i++, first += stride, to = cb_next(cb, to, size))
		noc_async_read(op_page(tensor, first, size), to, size);
	noc_async_read_barrier();
	cb_push_back(cb, n);
}

/* Reads a page of 32 ids, for this RISC itself; they are valid until cb_pop_front(). */
inline const volatile uint32_t *ids_read(uint32_t cb, uint32_t tensor, uint32_t page)
{
	constexpr uint32_t size = 32 * sizeof(uint32_t);

	cb_reserve_back(cb, 1);
	noc_async_read(op_page(tensor, page, size), get_write_ptr(cb), size);
	noc_async_read_barrier();
	cb_push_back(cb, 1);
	cb_wait_front(cb, 1);
	return (const volatile uint32_t *)get_read_ptr(cb);
}

inline void pages_write(uint32_t cb, uint32_t tensor, uint32_t first, uint32_t n)
{
	uint32_t size = get_tile_size(cb), from;

	cb_wait_front(cb, n);
	from = get_read_ptr(cb);
	for (uint32_t i = 0; i < n; i++, from = cb_next(cb, from, size))
		noc_async_write(from, op_page(tensor, first + i, size), size);
	noc_async_write_barrier();
	cb_pop_front(cb, n);
}

/* The position of a row and column in a tile. */
constexpr uint32_t tile_cell(uint32_t row, uint32_t column)
{
	return (row / 16 * 2 + column / 16) * 256 + row % 16 * 16 + column % 16;
}

/* Stores the low SIZE bytes of BITS. */
FORCE_INLINE void value_put(uint32_t at, uint32_t size, uint32_t bits)
{
	if (size == 4)
		*(volatile uint32_t *)at = bits;
	else if (size == 2)
		*(volatile uint16_t *)at = (uint16_t)bits;
	else
		*(volatile uint8_t *)at = (uint8_t)bits;
}

/*
 * Overwrites rows from ROW on and columns from COLUMN on of a tile in L1. CODE: bytes of a value <<
 * 16 | bytes before the first.
 */
inline void tile_fill(uint32_t to, uint32_t code, uint32_t row, uint32_t column, uint32_t bits)
{
	const uint32_t size = code >> 16, start = to + (code & 0xffff);

	for (uint32_t r = 0; r < 32; r++)
		for (uint32_t c = r < row ? column : 0; c < 32; c++)
			value_put(start + size * tile_cell(r, c), size, bits);
}

/* Pushes a tile whose first value is BITS: of the scaler of a reduction, only that one is used. */
inline void scaler_push(uint32_t cb, uint32_t bits)
{
	cb_reserve_back(cb, 1);
	*(volatile uint32_t *)get_write_ptr(cb) = bits;
	cb_push_back(cb, 1);
}

/* Clears whole tiles by transfers: stores of the RISC take five cycles each. */
inline void l1_clear(uint32_t to, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += MEM_ZEROS_SIZE)
		noc_async_read(get_noc_addr(MEM_ZEROS_BASE), to + i, MEM_ZEROS_SIZE);
	noc_async_read_barrier();
}

constexpr uint32_t MASK_BITS = 0xff7f; /* the lowest bfloat16: never makes a NaN, as -inf would */

/* Pushes a tile of bfloat16 to add: it hides the columns from FIRST(row) on. */
template <class F> FORCE_INLINE void mask_push(uint32_t cb, F first)
{
	volatile uint32_t *tile;

	cb_reserve_back(cb, 1);
	tile = (volatile uint32_t *)get_write_ptr(cb);
	l1_clear((uint32_t)tile, 2048);
	for (uint32_t r = 0; r < 32; r++) {
		uint32_t c = first(r);

		if (c % 2)
			tile[tile_cell(r, c - 1) / 2] = MASK_BITS << 16;
		for (c = (c + 1) / 2 * 2; c < 32; c += 2)
			tile[tile_cell(r, c) / 2] = MASK_BITS << 16 | MASK_BITS;
	}
	cb_push_back(cb, 1);
}

/* Pushes a tile of bfloat16 with 1 in the first WIDTH columns and 0 in the others. */
inline void ones_push(uint32_t cb, uint32_t width)
{
	uint32_t tile;

	cb_reserve_back(cb, 1);
	tile = get_write_ptr(cb);
	l1_clear(tile, 2048);
	for (uint32_t r = 0; r < 32; r++)
		for (uint32_t c = 0; c < width; c++)
			((volatile uint16_t *)tile)[tile_cell(r, c)] = 0x3f80;
	cb_push_back(cb, 1);
}

/* Hides the columns after the diagonal. */
inline void causal_push(uint32_t cb)
{
	mask_push(cb, [](uint32_t r) { return r + 1; });
}

/* Hides the columns from WIDTH on. */
inline void columns_push(uint32_t cb, uint32_t width)
{
	mask_push(cb, [=](uint32_t) { return width; });
}

/*
 * Pushes N tiles of bfloat16 that are 1 where the column, counted from COLUMN on, is the row's id
 * and 0 elsewhere. IDS: 32 words in L1.
 */
inline void one_hot_push(uint32_t cb, const volatile uint32_t *ids, uint32_t column, uint32_t n)
{
	uint32_t to;

	cb_reserve_back(cb, n);
	to = get_write_ptr(cb);
	l1_clear(to, n * 2048);
	for (uint32_t r = 0; r < 32; r++) {
		uint32_t at = ids[r] - column;

		if (at < 32 * n)
			((volatile uint16_t *)to)[at / 32 * 1024 + tile_cell(r, at % 32)] = 0x3f80;
	}
	cb_push_back(cb, n);
}
#else
/* ---- compute ---- */
using namespace ckernel;

/* dst = dst op tile of CB, of which the whole, the first column or the first row is used. */
FORCE_INLINE void dst_with(uint32_t op, uint32_t cb, uint32_t tile, uint32_t dst,
			   BroadcastType how = BroadcastType::NONE)
{
	tacho_impl::one(op, cb, tile, dst, TE_HOW_DST_A | (uint32_t)how);
}

/* dst += a x b, each transposed if asked. */
enum { TURN_NONE, TURN_A, TURN_B };
FORCE_INLINE void product(uint32_t a, uint32_t b, uint32_t a_tile, uint32_t b_tile, uint32_t dst,
			  uint32_t turn)
{
	tacho_impl::two(TE_MATMUL, a, b, a_tile, b_tile, dst,
			turn == TURN_A   ? TE_HOW_TRANSPOSE_A
			: turn == TURN_B ? TE_HOW_TRANSPOSE
					 : 0);
}

/* Packs one tile of dst into a buffer that has room. */
FORCE_INLINE void tile_out(uint32_t dst, uint32_t cb)
{
	cb_reserve_back(cb, 1);
	pack_tile(dst, cb);
	cb_push_back(cb, 1);
}

/* COUNT instructions of the vector unit from word AT on, with their parameters, for tile ADD. */
FORCE_INLINE void steps_do(uint32_t at, uint32_t count, uint32_t add = 0)
{
	(void)at;
	(void)count;
	(void)add;
#if TACHO_RISC == 3
	for (uint32_t i = 0; i < count; i++, at += 4) {
		for (uint32_t k = 0; k < 3; k++)
			tacho_impl::parameter(k, OP_WORD(at + 1 + k));
		REG32(0xFFE40000) = OP_WORD(at) + add;
	}
#endif
}

FORCE_INLINE void pack_begin(void)
{
	tile_regs_commit();
	tile_regs_wait();
}
#endif
#endif
