/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the tiles of eltwise.cpp, with its words. Strides of 0 repeat a tile. */
#include "ops.h"

constexpr uint32_t DIMS = 6, GROUP = 4; /* tiles per barrier; circular buffers hold two groups */

void kernel_main()
{
	uint32_t first = UNIT_FIRST, count = UNIT_COUNT, n, rest = first;
	uint32_t at[DIMS], extent[DIMS], page[INPUTS] = {}, size[INPUTS];

	for (uint32_t d = DIMS; d--; rest /= extent[d]) {
		extent[d] = OP_WORD(5 + d);
		at[d] = rest % extent[d];
	}
	for (uint32_t i = 0; i < INPUTS; i++) {
		size[i] = cb_page(i);
		for (uint32_t d = 0; d < DIMS; d++)
			page[i] += at[d] * OP_WORD(11 + 6 * i + d);
	}
	for (uint32_t done = 0; done < count; done += n) {
		uint32_t to[INPUTS];

		n = count - done < GROUP ? count - done : GROUP;
		for (uint32_t i = 0; i < INPUTS; i++) {
			cb_reserve_back(i, n);
			to[i] = get_write_ptr(i);
		}
		for (uint32_t k = 0; k < n; k++) {
			for (uint32_t i = 0; i < INPUTS; i++) {
				noc_async_read(op_page(i, page[i], size[i]), to[i], size[i]);
				to[i] = cb_next(i, to[i], size[i]);
			}
			for (uint32_t d = DIMS; d--;) {
				uint32_t turn = ++at[d] == extent[d];

				for (uint32_t i = 0; i < INPUTS; i++) {
					uint32_t stride = OP_WORD(11 + 6 * i + d);

					page[i] += turn ? stride - extent[d] * stride : stride;
				}
				if (!turn)
					break;
				at[d] = 0;
			}
		}
		noc_async_read_barrier();
		for (uint32_t i = 0; i < INPUTS; i++)
			cb_push_back(i, n);
	}
}
