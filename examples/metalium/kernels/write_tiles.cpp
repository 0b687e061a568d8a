/* SPDX-License-Identifier: Apache-2.0 */
// Pages FIRST to FIRST + COUNT of a buffer out of circular buffer 16.
#include <cstdint>

void kernel_main()
{
	constexpr auto args = TensorAccessorArgs<0>();
	const auto out = TensorAccessor(args, get_arg_val<uint32_t>(0));
	const uint32_t first = get_arg_val<uint32_t>(1), count = get_arg_val<uint32_t>(2);

	for (uint32_t i = first; i < first + count; i++) {
		cb_wait_front(tt::CBIndex::c_16, 1);
		noc_async_write_page(i, out, get_read_ptr(tt::CBIndex::c_16));
		noc_async_write_barrier();
		cb_pop_front(tt::CBIndex::c_16, 1);
	}
}
