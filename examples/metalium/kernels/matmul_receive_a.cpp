/* SPDX-License-Identifier: Apache-2.0 */
// Receives the rows of A from the first core of the row.
#include <cstdint>

void kernel_main()
{
	constexpr uint32_t m_tiles = get_compile_time_arg_val(0),
			   k_tiles = get_compile_time_arg_val(1);
	constexpr uint32_t columns = get_compile_time_arg_val(3);
	const uint32_t ready = get_semaphore(get_arg_val<uint32_t>(0)),
		       sent = get_semaphore(get_arg_val<uint32_t>(1));
	const uint32_t x = get_arg_val<uint32_t>(2), y = get_arg_val<uint32_t>(3);
	auto *sent_here = reinterpret_cast<volatile tt_l1_ptr uint32_t *>(sent);

	for (uint32_t i = 0; i < m_tiles * columns; i++) {
		cb_reserve_back(tt::CBIndex::c_0, k_tiles);
		noc_semaphore_set(sent_here, INVALID);
		noc_semaphore_inc(get_noc_addr(x, y, ready), 1);
		noc_semaphore_wait(sent_here, VALID);
		cb_push_back(tt::CBIndex::c_0, k_tiles);
	}
}
