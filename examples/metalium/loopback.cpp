/* SPDX-License-Identifier: Apache-2.0 */
// Tiles from DRAM through L1 of one core and back.
#include "example.hpp"

int main()
{
	constexpr uint32_t count = 50;
	constexpr CoreCoord core = {0, 0};
	Example example;
	auto from = example.tiles(count), to = example.tiles(count);
	auto scratch = distributed::MeshBuffer::create(
		distributed::ReplicatedBufferConfig{.size = tile_bytes},
		distributed::DeviceLocalBufferConfig{.page_size = tile_bytes,
						     .buffer_type = BufferType::L1},
		example.device.get());
	std::vector<bfloat16> in = create_random_vector_of_bfloat16_native(count * tile_bytes, 100,
									   1),
			      out;
	std::vector<uint32_t> accessors;
	Program program = CreateProgram();

	EnqueueWriteMeshBuffer(example.queue, from, in);
	TensorAccessorArgs(*from).append_to(accessors);
	TensorAccessorArgs(*to).append_to(accessors);
	KernelHandle kernel = CreateKernel(program, "kernels/copy_tiles.cpp", core,
					   DataMovementConfig{.compile_args = accessors});
	SetRuntimeArgs(program, kernel, core,
		       {from->address(), to->address(), scratch->address(), count});
	example.run(std::move(program));
	EnqueueReadMeshBuffer(example.queue, out, to);
	return example.end(in == out);
}
