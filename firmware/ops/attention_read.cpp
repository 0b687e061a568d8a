/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads for attention.cpp. A unit is a tile row of queries of a head. Words:
 *
 *	0      tile rows of queries
 *	1      tiles of a row
 *	2      bits of the scale
 *	3      tile rows of keys
 *	4      keys in use of the last tile row (0: all)
 *	5      1: causal
 *	6      1: there is a mask
 *	7      heads of queries
 *	8      heads of keys
 *	9, 10  pages of the mask from a batch, from a head to the next
 *	11     columns in use of the last tile (0: all)
 *	12, 13 codes of tile_fill() for queries, for keys and values
 *	14     1: one query for each head (decode); 2: the last keys are in the fourth input; 4: the
 *	       last input has the blocks of each batch's keys, in rows
 *	15     decode: tile rows of the heads of queries
 *	16     decode: the last key of each batch
 *	48     tile rows of a block
 */
#include "ops.h"

enum { POSITIONS = 16, BLOCK = 48, CB_USED = 4, CB_LAST = 8, CB_BLOCKS };

/* A row of tiles with zeros in place of padding columns, and rows from ROW on. */
static void row_read(uint32_t cb, uint32_t tensor, uint32_t page, uint32_t code, uint32_t row)
{
	const uint32_t wt = OP_WORD(1), valid = OP_WORD(11), size = cb_page(cb);
	uint32_t to, at;

	cb_reserve_back(cb, wt);
	at = to = get_write_ptr(cb);
	for (uint32_t i = 0; i < wt; i++, at = cb_next(cb, at, size))
		noc_async_read(op_page(tensor, page + i, size), at, size);
	noc_async_read_barrier();
	for (uint32_t i = 0; i < wt; i++, to = cb_next(cb, to, size)) {
		uint32_t column = valid && i == wt - 1 ? valid : 32;

		if (row < 32 || column < 32)
			tile_fill(to, code, row, column, 0);
	}
	cb_push_back(cb, wt);
}

/* Query HEAD of batch BATCH, into the first row of tiles. */
static void query_read(uint32_t batch, uint32_t head)
{
	const uint32_t wt = OP_WORD(1), size = cb_page(0), run = size / 64;
	uint32_t page = (batch * OP_WORD(15) + head / 32) * wt, to;

	cb_reserve_back(0, wt);
	to = get_write_ptr(0);
	for (uint32_t i = 0; i < wt; i++, to = cb_next(0, to, size)) {
		l1_clear(to, size);
		for (uint32_t half = 0; half < 2; half++)
			noc_async_read(op_page(0, page + i, size,
					       run / 16 * tile_cell(head % 32, 16 * half)),
				       to + half * size / 4, run);
	}
	noc_async_read_barrier();
	cb_push_back(0, wt);
}

/* The number of keys that a query of BATCH sees: at least one, for the softmax. */
static uint32_t used_find(uint32_t batch)
{
	uint32_t most = OP_WORD(3) * 32, last = OP_WORD(POSITIONS + batch);

	if (OP_WORD(14) & 2) {
		uint32_t to = get_write_ptr(CB_LAST), stride = op_stride(3, cb_page(CB_LAST));

		noc_async_read(op_page(3, 0, stride, batch * 4), to, 4);
		noc_async_read_barrier();
		last = *(volatile uint32_t *)to;
	}
	return (int32_t)last < 0 ? 1 : last < most ? last + 1 : most;
}

/* The page of the first tile of row J of keys: blocks are anywhere. */
static uint32_t keys_page(uint32_t keys, uint32_t head, uint32_t j)
{
	const uint32_t wt = OP_WORD(1), rows = OP_WORD(BLOCK);
	const volatile uint32_t *blocks = (const volatile uint32_t *)get_write_ptr(CB_BLOCKS);

	if (!(OP_WORD(14) & 4))
		return keys + j * wt;
	return ((blocks[j / rows] * OP_WORD(8) + head) * rows + j % rows) * wt;
}

void kernel_main()
{
	const uint32_t rows = OP_WORD(0), wt = OP_WORD(1), all = OP_WORD(3), causal = OP_WORD(5),
		       mask = OP_WORD(6), heads = OP_WORD(7), decode = OP_WORD(14);
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT;

	scaler_push(CB_SCALER, 0x3f800000);
	if (causal)
		causal_push(CB_MASK);
	else if (!decode && OP_WORD(4))
		columns_push(CB_MASK, OP_WORD(4));
	for (uint32_t unit = first; unit < first + count; unit++) {
		uint32_t matrix = unit / rows, batch = matrix / heads, head = matrix % heads;
		uint32_t kv = head * OP_WORD(8) / heads;
		uint32_t keys = (batch * OP_WORD(8) + kv) * all * wt;
		uint32_t n = causal ? unit % rows + 1 : all, valid = OP_WORD(4);

		if (decode) {
			uint32_t used = used_find(batch), size = cb_page(CB_BLOCKS);

			if (decode & 4)
				noc_async_read(
					op_page(INPUTS - 1, batch, op_stride(INPUTS - 1, size)),
					get_write_ptr(CB_BLOCKS), size);
			scaler_push(CB_USED, used);
			n = (used + 31) / 32;
			valid = used % 32;
			columns_push(CB_MASK, valid ? valid : 32);
			query_read(batch, head); /* and waits for the blocks */
		} else {
			row_read(0, 0, unit * wt, OP_WORD(12), 32);
		}
		for (uint32_t j = 0; j < n; j++) {
			uint32_t end = decode ? n : all, last = j == end - 1 && valid ? valid : 32;

			row_read(1, 1, keys_page(keys, kv, j), OP_WORD(13), last);
			if (mask)
				pages_read(3, 3,
					   batch * OP_WORD(9) + head * OP_WORD(10) +
						   unit % rows * all + j,
					   1);
		}
		for (uint32_t j = 0; j < n; j++) {
			uint32_t end = decode ? n : all, last = j == end - 1 && valid ? valid : 32;

			row_read(2, 2, keys_page(keys, kv, j), OP_WORD(13), last);
		}
	}
}
