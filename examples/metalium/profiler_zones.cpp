/* SPDX-License-Identifier: Apache-2.0 */
// Zones, values and events of kernels, read in the middle of a run. Record it with
//	TT_METAL_DEVICE_PROFILER=1 tacho run -- ./profiler_zones
#include "example.hpp"

#include <tracy/Tracy.hpp>
#include <tt-metalium/tt_metal_profiler.hpp>

int main()
{
	Example example;
	const CoreRange cores({0, 0}, {1, 1});

	for (uint32_t round = 0; round < 3; round++) {
		ZoneScopedN("Round");
		Program program = CreateProgram();

		for (auto [processor, noc] :
		     {std::pair{DataMovementProcessor::RISCV_0, NOC::RISCV_0_default},
		      std::pair{DataMovementProcessor::RISCV_1, NOC::RISCV_1_default}})
			CreateKernel(
				program, "kernels/zones.cpp", cores,
				DataMovementConfig{
					.processor = processor,
					.noc = noc,
					.defines = {{"LOOPS", std::to_string(10 * (round + 1))}}});
		program.set_runtime_id(round + 1);
		example.run(std::move(program));
		ReadMeshDeviceProfilerResults(*example.device);
	}
	return example.end(true);
}
