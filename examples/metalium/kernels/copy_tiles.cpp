/* SPDX-License-Identifier: Apache-2.0 */
// Copies pages one by one.
#include <cstdint>

void kernel_main()
{
	constexpr auto from_args = TensorAccessorArgs<0>();
	constexpr auto to_args = TensorAccessorArgs<from_args.next_compile_time_args_offset()>();
	const auto from = TensorAccessor(from_args, get_arg_val<uint32_t>(0));
	const auto to = TensorAccessor(to_args, get_arg_val<uint32_t>(1));
	const uint32_t scratch = get_arg_val<uint32_t>(2), count = get_arg_val<uint32_t>(3);

	for (uint32_t i = 0; i < count; i++) {
		noc_async_read_page(i, from, scratch);
		noc_async_read_barrier();
		noc_async_write_page(i, to, scratch);
		noc_async_write_barrier();
	}
}
