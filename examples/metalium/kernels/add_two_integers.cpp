/* SPDX-License-Identifier: Apache-2.0 */
// Reads two words, writes their sum.
#include <cstdint>

static uint32_t word_read(uint64_t from, uint32_t scratch)
{
	noc_async_read(from, scratch, sizeof(uint32_t));
	noc_async_read_barrier();
	return *reinterpret_cast<volatile tt_l1_ptr uint32_t *>(scratch);
}

void kernel_main()
{
	constexpr auto a_args = TensorAccessorArgs<0>();
	constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
	constexpr auto sum_args = TensorAccessorArgs<b_args.next_compile_time_args_offset()>();
	const auto a = TensorAccessor(a_args, get_arg_val<uint32_t>(0));
	const auto b = TensorAccessor(b_args, get_arg_val<uint32_t>(1));
	const auto sum = TensorAccessor(sum_args, get_arg_val<uint32_t>(2));
	const uint32_t scratch = get_arg_val<uint32_t>(3);
	const uint32_t result =
		word_read(a.get_noc_addr(0), scratch) + word_read(b.get_noc_addr(0), scratch);

	*reinterpret_cast<volatile tt_l1_ptr uint32_t *>(scratch) = result;
	noc_async_write(scratch, sum.get_noc_addr(0), sizeof(uint32_t));
	noc_async_write_barrier();
}
