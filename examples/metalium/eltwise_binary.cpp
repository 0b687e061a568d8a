/* SPDX-License-Identifier: Apache-2.0 */
// a - b and a * b, tile by tile on one core: reader, compute kernel and writer; the operation is a
// define.
#include "example.hpp"

static std::vector<bfloat16> tiles_combined(Example &example, const std::vector<bfloat16> &a,
					    const std::vector<bfloat16> &b, const std::string &op)
{
	constexpr CoreCoord core = {0, 0};
	const uint32_t count = a.size() * sizeof(bfloat16) / tile_bytes;
	auto left = example.tiles(count), right = example.tiles(count), out = example.tiles(count);
	std::vector<uint32_t> reader_args, writer_args;
	std::vector<bfloat16> result;
	Program program = CreateProgram();

	EnqueueWriteMeshBuffer(example.queue, left, a);
	EnqueueWriteMeshBuffer(example.queue, right, b);
	for (tt::CBIndex index : {tt::CBIndex::c_0, tt::CBIndex::c_1, tt::CBIndex::c_16})
		Example::tile_queue(program, core, index, 2);
	TensorAccessorArgs(*left).append_to(reader_args);
	TensorAccessorArgs(*right).append_to(reader_args);
	TensorAccessorArgs(*out).append_to(writer_args);
	KernelHandle reader = CreateKernel(program, "kernels/read_two.cpp", core,
					   ReaderDataMovementConfig(reader_args));
	KernelHandle writer = CreateKernel(program, "kernels/write_tiles.cpp", core,
					   WriterDataMovementConfig(writer_args));
	KernelHandle compute =
		CreateKernel(program, "kernels/combine_tiles.cpp", core,
			     ComputeConfig{.defines = {{"COMBINE_INIT", op + "_init"},
						       {"COMBINE", op + "_tiles"}}});
	SetRuntimeArgs(program, reader, core, {left->address(), right->address(), 0, count});
	SetRuntimeArgs(program, writer, core, {out->address(), 0, count});
	SetRuntimeArgs(program, compute, core, {count});
	example.run(std::move(program));
	EnqueueReadMeshBuffer(example.queue, result, out);
	return result;
}

int main()
{
	constexpr uint32_t count = 8;
	Example example;
	const auto a = create_random_vector_of_bfloat16_native(count * tile_bytes, 2, 1);
	const auto b = create_random_vector_of_bfloat16_native(count * tile_bytes, 2, 2);
	const auto minus = tiles_combined(example, a, b, "sub"),
		   times = tiles_combined(example, a, b, "mul");
	bool right = true;

	for (size_t i = 0; i < a.size(); i++) {
		right &= std::abs(float(minus[i]) - (float(a[i]) - float(b[i]))) <= 0.02f;
		right &= std::abs(float(times[i]) - float(a[i]) * float(b[i])) <= 0.02f;
	}
	return example.end(right);
}
