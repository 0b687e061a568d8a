/* SPDX-License-Identifier: Apache-2.0 */
// Zones of the host around a program with zones in its kernel, as guides to tt-metal show them; the
// headers and calls are those of 2024. inference.py is the same for a model in Python. To record:
//	TT_METAL_DEVICE_PROFILER=1 tacho run -- ./inference
#include "tt_metal/host_api.hpp"
#include <tracy/Tracy.hpp>

#include "autograd/auto_context.hpp"
#include "tt_metal/impl/profiler/tt_metal_profiler.hpp"

void run_inference(tt::tt_metal::IDevice *device, Program &program)
{
	ZoneScopedN("RunInference");

	{
		ZoneScopedN("EnqueueProgram");
		EnqueueProgram(device->command_queue(), program, false);
	}

	{
		ZoneScopedN("WaitForCompletion");
		Finish(device->command_queue());
	}
}

int main()
{
	using namespace tt::tt_metal;
	using ttml::autograd::ctx;
	constexpr uint32_t tiles = 8, tile_bytes = 2048;
	const CoreCoord core(0, 0);
	IDevice *device = CreateDevice(0);
	Program program = CreateProgram();
	const InterleavedBufferConfig config = {device, tiles * tile_bytes, tile_bytes,
						BufferType::DRAM};
	auto from = CreateBuffer(config), to = CreateBuffer(config);
	std::vector<uint32_t> input(tiles * tile_bytes / 4), output;

	CreateCircularBuffer(
		program, core,
		CircularBufferConfig(tiles * tile_bytes, {{0, tt::DataFormat::Float16_b}})
			.set_page_size(0, tile_bytes));
	KernelHandle kernel =
		CreateKernel(program, "kernels/inference.cpp", core, DataMovementConfig{});
	SetRuntimeArgs(program, kernel, core, {from->address(), to->address(), tiles});

	for (uint32_t step = 0; step < 3; step++) {
		std::iota(input.begin(), input.end(), step);
		EnqueueWriteBuffer(device->command_queue(), from, input, false);
		run_inference(device, program);
		// Data of the kernels so far are in the logs from here on.
		ctx().get_profiler().dump_results();
	}
	EnqueueReadBuffer(device->command_queue(), to, output, true);
	const bool right = output == input;

	CloseDevice(device);
	fmt::print("{}\n", right ? "Test Passed" : "Test Failed");
	return right ? 0 : 1;
}
