/* SPDX-License-Identifier: Apache-2.0 */
// One vector addition over all cores: each has its part of the tiles.
#include "example.hpp"

int main()
{
	constexpr uint32_t count = 100;
	Example example;
	const CoreCoord grid = example.device->compute_with_storage_grid_size();
	const auto [cores, all, more, less, more_tiles, less_tiles] =
		split_work_to_cores(grid, count, true);
	auto left = example.tiles(count), right = example.tiles(count), out = example.tiles(count);
	const auto a = create_random_vector_of_bfloat16_native(count * tile_bytes, 10, 1);
	const auto b = create_random_vector_of_bfloat16_native(count * tile_bytes, 10, 2);
	std::vector<uint32_t> reader_args, writer_args;
	std::vector<bfloat16> sum;
	Program program = CreateProgram();

	EnqueueWriteMeshBuffer(example.queue, left, a);
	EnqueueWriteMeshBuffer(example.queue, right, b);
	for (tt::CBIndex index : {tt::CBIndex::c_0, tt::CBIndex::c_1, tt::CBIndex::c_16})
		Example::tile_queue(program, all, index, 2);
	TensorAccessorArgs(*left).append_to(reader_args);
	TensorAccessorArgs(*right).append_to(reader_args);
	TensorAccessorArgs(*out).append_to(writer_args);
	KernelHandle reader = CreateKernel(program, "kernels/read_two.cpp", all,
					   ReaderDataMovementConfig(reader_args));
	KernelHandle writer = CreateKernel(program, "kernels/write_tiles.cpp", all,
					   WriterDataMovementConfig(writer_args));
	KernelHandle compute = CreateKernel(
		program, "kernels/combine_tiles.cpp", all,
		ComputeConfig{.defines = {{"COMBINE_INIT", "add_init"}, {"COMBINE", "add_tiles"}}});
	uint32_t first = 0;

	for (const CoreCoord &core : corerange_to_cores(all, std::nullopt, true)) {
		const uint32_t tiles = more.contains(core) ? more_tiles : less_tiles;

		SetRuntimeArgs(program, reader, core,
			       {left->address(), right->address(), first, tiles});
		SetRuntimeArgs(program, writer, core, {out->address(), first, tiles});
		SetRuntimeArgs(program, compute, core, {tiles});
		first += tiles;
	}
	example.run(std::move(program));
	EnqueueReadMeshBuffer(example.queue, sum, out);
	bool right_sum = first == count;

	for (size_t i = 0; i < a.size(); i++)
		right_sum &= std::abs(float(sum[i]) - (float(a[i]) + float(b[i]))) <= 0.1f;
	fmt::print("{} tiles on {} cores of {}\n", count, cores, grid);
	return example.end(right_sum);
}
