/* SPDX-License-Identifier: Apache-2.0 */
// Reads a row of tiles of A for each column of C of a core, and sends it to the other cores of the
// row.
#include <cstdint>

void kernel_main()
{
	constexpr uint32_t m_tiles = get_compile_time_arg_val(0),
			   k_tiles = get_compile_time_arg_val(1);
	constexpr uint32_t cores = get_compile_time_arg_val(2),
			   columns = get_compile_time_arg_val(3);
	constexpr auto args = TensorAccessorArgs<4>();
	const auto a = TensorAccessor(args, get_arg_val<uint32_t>(0));
	const uint32_t ready = get_semaphore(get_arg_val<uint32_t>(1)),
		       sent = get_semaphore(get_arg_val<uint32_t>(2));
	const uint32_t x0 = get_arg_val<uint32_t>(3), y0 = get_arg_val<uint32_t>(4);
	const uint32_t x1 = get_arg_val<uint32_t>(5), y1 = get_arg_val<uint32_t>(6);
	auto *ready_here = reinterpret_cast<volatile tt_l1_ptr uint32_t *>(ready);
	auto *sent_here = reinterpret_cast<volatile tt_l1_ptr uint32_t *>(sent);

	*sent_here = VALID;
	for (uint32_t i = 0; i < m_tiles * columns; i++) {
		cb_reserve_back(tt::CBIndex::c_0, k_tiles);
		uint32_t at = get_write_ptr(tt::CBIndex::c_0);
		const uint32_t bytes = get_tile_size(tt::CBIndex::c_0);

		for (uint32_t k = 0; k < k_tiles; k++)
			noc_async_read_page(i / columns * k_tiles + k, a, at + k * bytes);
		noc_async_read_barrier();
		if (cores > 1) {
			noc_semaphore_wait(ready_here, cores - 1);
			noc_semaphore_set(ready_here, 0);
			noc_async_write_multicast(at, get_noc_multicast_addr(x0, y0, x1, y1, at),
						  k_tiles * bytes, cores - 1);
			noc_async_write_barrier();
			noc_semaphore_set_multicast(
				sent, get_noc_multicast_addr(x0, y0, x1, y1, sent), cores - 1);
			noc_async_write_barrier();
		}
		cb_push_back(tt::CBIndex::c_0, k_tiles);
	}
}
