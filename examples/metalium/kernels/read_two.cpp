/* SPDX-License-Identifier: Apache-2.0 */
// Pages FIRST to FIRST + COUNT of two buffers into circular buffers 0 and 1.
#include <cstdint>

void kernel_main()
{
	constexpr auto a_args = TensorAccessorArgs<0>();
	constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
	const auto a = TensorAccessor(a_args, get_arg_val<uint32_t>(0));
	const auto b = TensorAccessor(b_args, get_arg_val<uint32_t>(1));
	const uint32_t first = get_arg_val<uint32_t>(2), count = get_arg_val<uint32_t>(3);

	for (uint32_t i = first; i < first + count; i++) {
		cb_reserve_back(tt::CBIndex::c_0, 1);
		cb_reserve_back(tt::CBIndex::c_1, 1);
		noc_async_read_page(i, a, get_write_ptr(tt::CBIndex::c_0));
		noc_async_read_page(i, b, get_write_ptr(tt::CBIndex::c_1));
		noc_async_read_barrier();
		cb_push_back(tt::CBIndex::c_0, 1);
		cb_push_back(tt::CBIndex::c_1, 1);
	}
}
