/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads tiles of INPUTS tensors with the same number for each unit. Words: how many tiles after
 * which each input starts again, 0 if it never does (a tensor that is broadcast over batches).
 */
#include "ops.h"

constexpr uint32_t GROUP = 4; /* tiles per barrier; the circular buffers hold two groups */

void kernel_main()
{
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT, n;

	for (uint32_t unit = first; unit < first + count; unit += n) {
		n = first + count - unit < GROUP ? first + count - unit : GROUP;
		for (uint32_t i = 0; i < INPUTS; i++) {
			uint32_t size = get_tile_size(i), period = OP_WORD(i), to;

			cb_reserve_back(i, n);
			to = get_write_ptr(i);
			for (uint32_t k = 0; k < n; k++, to = cb_next(i, to, size))
				noc_async_read(
					op_page(i, period ? (unit + k) % period : unit + k, size),
					to, size);
		}
		noc_async_read_barrier();
		for (uint32_t i = 0; i < INPUTS; i++)
			cb_push_back(i, n);
	}
}
