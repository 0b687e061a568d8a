/* SPDX-License-Identifier: Apache-2.0 */
// Copies tiles in two phases, each of them a zone: all into a circular buffer, then all out of it.
#include "dataflow_api.h"
#include <tools/profiler/kernel_profiler.hpp>

void kernel_main()
{
	DeviceZoneScopedMainN("DATAFLOW-KERNEL");

	uint32_t src_addr = get_arg_val<uint32_t>(0);
	uint32_t dst_addr = get_arg_val<uint32_t>(1);
	uint32_t num_tiles = get_arg_val<uint32_t>(2);

	constexpr uint32_t cb_id = tt::CBIndex::c_0;
	const uint32_t tile_size = get_tile_size(cb_id);
	const uint32_t tiles = get_write_ptr(cb_id);
	const InterleavedAddrGenFast<true> src = {src_addr, tile_size, get_dataformat(cb_id)};
	const InterleavedAddrGenFast<true> dst = {dst_addr, tile_size, get_dataformat(cb_id)};

	{
		DeviceZoneScopedN("ReadFromDRAM");
		for (uint32_t i = 0; i < num_tiles; i++) {
			noc_async_read_tile(i, src, tiles + i * tile_size);
			noc_async_read_barrier();
		}
	}

	{
		DeviceZoneScopedN("WriteToDRAM");
		for (uint32_t i = 0; i < num_tiles; i++) {
			noc_async_write_tile(i, dst, tiles + i * tile_size);
			noc_async_write_barrier();
		}
	}
}
