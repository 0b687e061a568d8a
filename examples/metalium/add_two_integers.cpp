/* SPDX-License-Identifier: Apache-2.0 */
// Two integers in DRAM, added by a data-movement core.
#include "example.hpp"

int main()
{
	Example example;
	constexpr CoreCoord core = {0, 0};
	const distributed::ReplicatedBufferConfig size{.size = sizeof(uint32_t)};
	const distributed::DeviceLocalBufferConfig dram{.page_size = sizeof(uint32_t),
							.buffer_type = BufferType::DRAM};
	const distributed::DeviceLocalBufferConfig l1{.page_size = sizeof(uint32_t),
						      .buffer_type = BufferType::L1};
	auto a = distributed::MeshBuffer::create(size, dram, example.device.get());
	auto b = distributed::MeshBuffer::create(size, dram, example.device.get());
	auto sum = distributed::MeshBuffer::create(size, dram, example.device.get());
	auto scratch = distributed::MeshBuffer::create(size, l1, example.device.get());
	std::vector<uint32_t> first = {14}, second = {7}, result;
	std::vector<uint32_t> accessors;
	Program program = CreateProgram();

	EnqueueWriteMeshBuffer(example.queue, a, first);
	EnqueueWriteMeshBuffer(example.queue, b, second);
	for (const auto &buffer : {a, b, sum})
		TensorAccessorArgs(*buffer).append_to(accessors);
	KernelHandle kernel =
		CreateKernel(program, "kernels/add_two_integers.cpp", core,
			     DataMovementConfig{.processor = DataMovementProcessor::RISCV_0,
						.noc = NOC::RISCV_0_default,
						.compile_args = accessors});
	SetRuntimeArgs(program, kernel, core,
		       {a->address(), b->address(), sum->address(), scratch->address()});
	example.run(std::move(program));
	EnqueueReadMeshBuffer(example.queue, result, sum);
	fmt::print("{} + {} = {}\n", first[0], second[0], result[0]);
	return example.end(result[0] == first[0] + second[0]);
}
