/* SPDX-License-Identifier: Apache-2.0 */
// Reads the columns of B that this core needs, and writes the compute kernel's results.
#include <cstdint>

void kernel_main()
{
	constexpr uint32_t m_tiles = get_compile_time_arg_val(0),
			   k_tiles = get_compile_time_arg_val(1);
	constexpr uint32_t n_tiles = get_compile_time_arg_val(2),
			   columns = get_compile_time_arg_val(3);
	constexpr auto b_args = TensorAccessorArgs<4>();
	constexpr auto c_args = TensorAccessorArgs<b_args.next_compile_time_args_offset()>();
	const auto b = TensorAccessor(b_args, get_arg_val<uint32_t>(0));
	const auto c = TensorAccessor(c_args, get_arg_val<uint32_t>(1));
	const uint32_t first = get_arg_val<uint32_t>(2);

	for (uint32_t row = 0; row < m_tiles; row++)
		for (uint32_t column = first; column < first + columns; column++) {
			for (uint32_t k = 0; k < k_tiles; k++) {
				cb_reserve_back(tt::CBIndex::c_1, 1);
				noc_async_read_page(k * n_tiles + column, b,
						    get_write_ptr(tt::CBIndex::c_1));
				noc_async_read_barrier();
				cb_push_back(tt::CBIndex::c_1, 1);
			}
			cb_wait_front(tt::CBIndex::c_16, 1);
			noc_async_write_page(row * n_tiles + column, c,
					     get_read_ptr(tt::CBIndex::c_16));
			noc_async_write_barrier();
			cb_pop_front(tt::CBIndex::c_16, 1);
		}
}
