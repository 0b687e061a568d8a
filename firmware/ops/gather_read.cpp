/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes pages of values that lie elsewhere: the output in row order is seen as up to eight
 * dimensions, each input gives the values for a box of them. Words:
 *
 *	0    bytes of a value (0: whole pages)
 *	1    layout of the output (1: tiles)
 *	2, 3 columns and rows of the output
 *	4    number of dimensions
 *	5    bits of all other values
 *	6    number of conditions
 *	7    extents of the dimensions
 *	15   two conditions of six words: dimensions a and b, their factors, offset, limit
 *	27   for each input 28: layout, columns, rows, base, strides, low and high bounds
 *
 * A unit is a page of the output.
 */
#include "ops.h"

constexpr uint32_t DIMS = 8, SOURCE = 27, SOURCE_WORDS = 28, NONE = ~0u;

struct place {
	uint32_t at[DIMS]; /* in each dimension */
	uint32_t run;      /* values from here on that are alike */
};

static uint32_t value_size, dims;

FORCE_INLINE uint32_t source_word(uint32_t input, uint32_t i)
{
	return OP_WORD(SOURCE + SOURCE_WORDS * input + i);
}

static void place_find(place &p, uint32_t linear, uint32_t count)
{
	for (uint32_t d = dims; d--;) {
		uint32_t extent = OP_WORD(7 + d);

		p.at[d] = linear % extent;
		linear /= extent;
		if (d == dims - 1)
			p.run = extent - p.at[d] < count ? extent - p.at[d] : count;
	}
}

/* Conditions on the last dimension hold for one value at a time. */
static bool forms_hold(place &p)
{
	for (uint32_t i = 0; i < OP_WORD(6); i++) {
		uint32_t f = 15 + 6 * i, a = OP_WORD(f), b = OP_WORD(f + 1);
		int32_t v = (int32_t)(p.at[a] * OP_WORD(f + 2) + p.at[b] * OP_WORD(f + 3) +
				      OP_WORD(f + 4));

		if ((a == dims - 1 && OP_WORD(f + 2)) || (b == dims - 1 && OP_WORD(f + 3)))
			p.run = 1;
		if (v < 0 || v >= (int32_t)OP_WORD(f + 5))
			return false;
	}
	return true;
}

/* The input that has the value; cuts the run to where that changes. */
static uint32_t input_find(place &p)
{
	if (!forms_hold(p))
		return NONE;
	for (uint32_t i = 0; i < INPUTS; i++) {
		bool inside = true;

		for (uint32_t d = 0; d < dims - 1; d++)
			inside = inside && p.at[d] >= source_word(i, 12 + d) &&
				 p.at[d] < source_word(i, 20 + d);
		if (!inside)
			continue;
		uint32_t last = p.at[dims - 1], low = source_word(i, 12 + dims - 1),
			 high = source_word(i, 20 + dims - 1);

		if (last >= low && last < high) {
			p.run = high - last < p.run ? high - last : p.run;
			return i;
		}
		if (last < low && low - last < p.run)
			p.run = low - last;
	}
	return NONE;
}

/* Reads COUNT consecutive values of an input. */
static void source_read(uint32_t input, uint32_t linear, uint32_t count, uint32_t to)
{
	const uint32_t width = source_word(input, 1), height = source_word(input, 2);

	while (count) {
		uint32_t row = linear / width, column = linear % width, n = width - column;
		uint64_t from;

		if (source_word(input, 0)) {
			uint32_t r = row % height, tile_rows = (height + 31) / 32;
			uint32_t page = (row / height * tile_rows + r / 32) * ((width + 31) / 32) +
					column / 32;

			n = n < 16 - column % 16 ? n : 16 - column % 16;
			from = op_page(input, page, 1024 * value_size,
				       value_size * tile_cell(r % 32, column % 32));
		} else {
			from = op_page(input, row, op_stride(input, width * value_size),
				       column * value_size);
		}
		n = n < count ? n : count;
		noc_async_read(from, to, n * value_size);
		linear += n;
		to += n * value_size;
		count -= n;
	}
}

/* COUNT values of the output from LINEAR on, to L1. */
static void values_read(uint32_t linear, uint32_t count, uint32_t to)
{
	while (count) {
		place p;

		place_find(p, linear, count);
		uint32_t input = input_find(p);

		if (input == NONE) {
			for (uint32_t i = 0; i < p.run; i++)
				value_put(to + i * value_size, value_size, OP_WORD(5));
		} else {
			uint32_t from = source_word(input, 3),
				 step = source_word(input, 4 + dims - 1);

			for (uint32_t d = 0; d < dims; d++)
				from += p.at[d] * source_word(input, 4 + d);
			if (step == 1)
				source_read(input, from, p.run, to);
			else
				for (uint32_t i = 0; i < p.run; i++)
					source_read(input, from + i * step, 1, to + i * value_size);
		}
		linear += p.run;
		to += p.run * value_size;
		count -= p.run;
	}
}

static void tile_read(uint32_t unit, uint32_t to, uint32_t size)
{
	const uint32_t width = OP_WORD(2), height = OP_WORD(3);
	const uint32_t across = (width + 31) / 32, down = (height + 31) / 32;
	uint32_t column = unit % across * 32, row = unit / across % down * 32;
	uint32_t rows = height - row < 32 ? height - row : 32;
	uint32_t first = unit / across / down * height + row;

	if (rows < 32 || width - column < 32)
		l1_clear(to, size);
	for (uint32_t r = 0; r < rows; r++)
		for (uint32_t half = 0; half < 32 && column + half < width; half += 16) {
			uint32_t left = width - column - half;

			values_read((first + r) * width + column + half, left < 16 ? left : 16,
				    to + value_size * tile_cell(r, half));
		}
}

static void page_read(uint32_t unit, uint32_t to, uint32_t size)
{
	place p;

	place_find(p, unit, 1);
	uint32_t input = input_find(p);

	if (input == NONE) {
		l1_clear(to, size);
		return;
	}
	uint32_t from = source_word(input, 3);

	for (uint32_t d = 0; d < dims; d++)
		from += p.at[d] * source_word(input, 4 + d);
	noc_async_read(op_page(input, from, op_stride(input, size)), to, size);
}

void kernel_main()
{
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT, size = cb_page(CB_OUT);

	value_size = OP_WORD(0);
	dims = OP_WORD(4);
	for (uint32_t unit = first; unit < first + count; unit++) {
		uint32_t to;

		cb_reserve_back(CB_OUT, 1);
		to = get_write_ptr(CB_OUT);
		if (!value_size)
			page_read(unit, to, size);
		else if (OP_WORD(1))
			tile_read(unit, to, size);
		else
			values_read(unit * OP_WORD(2), OP_WORD(2), to);
		noc_async_read_barrier();
		cb_push_back(CB_OUT, 1);
	}
}
