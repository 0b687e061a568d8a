/* SPDX-License-Identifier: Apache-2.0 */
// One wrong use of the API per argument: each must end in one line that names it.
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>

using namespace tt;
using namespace tt::tt_metal;

static void wrong_use(const std::string &what, distributed::MeshDevice &device)
{
	const CoreCoord core = {0, 0};
	Program program = CreateProgram();
	distributed::MeshWorkload workload;

	if (what == "kernel")
		CreateKernel(program, "no/such/kernel.cpp", core, DataMovementConfig{});
	KernelHandle kernel = CreateKernelFromString(program, "void kernel_main() {}", core,
						     DataMovementConfig{});

	if (what == "arguments")
		SetRuntimeArgs(program, kernel, core, std::vector<uint32_t>(342));
	if (what == "core")
		SetRuntimeArgs(program, kernel, CoreCoord(1, 0), {1, 2});
	if (what == "grid")
		CreateKernelFromString(program, "void kernel_main() {}", CoreCoord(20, 0),
				       DataMovementConfig{});
	if (what == "page")
		CircularBufferConfig(100, {{CBIndex::c_0, DataFormat::Float16_b}})
			.set_page_size(CBIndex::c_0, 64);
	if (what == "buffer")
		CreateCircularBuffer(
			program, core,
			CircularBufferConfig(2 << 20, {{CBIndex::c_3, DataFormat::Float16_b}})
				.set_page_size(CBIndex::c_3, 2048));
	if (what == "index")
		for (int i = 0; i < 2; i++)
			CreateCircularBuffer(
				program, core,
				CircularBufferConfig(2048, {{CBIndex::c_5, DataFormat::Float16_b}})
					.set_page_size(CBIndex::c_5, 2048));
	if (what == "noc")
		CreateKernelFromString(
			program, "void kernel_main() { }", core,
			DataMovementConfig{.processor = DataMovementProcessor::RISCV_1,
					   .noc = NOC::NOC_0});
	if (what == "risc")
		CreateKernelFromString(program, "void kernel_main() { }", core,
				       DataMovementConfig{});
	if (what == "compile")
		CreateKernelFromString(program, "void kernel_main() { nonsense(); }", core,
				       ComputeConfig{});
	if (what == "size")
		distributed::MeshBuffer::create(
			distributed::ReplicatedBufferConfig{.size = 100},
			distributed::DeviceLocalBufferConfig{.page_size = 64}, &device);
	workload.add_program(distributed::MeshCoordinateRange(device.shape()), std::move(program));
	distributed::EnqueueMeshWorkload(device.mesh_command_queue(), workload, true);
}

int main(int argc, char **argv)
{
	try {
		auto device = distributed::MeshDevice::create_unit_mesh(0);

		wrong_use(argc > 1 ? argv[1] : "", *device);
		device->close();
	} catch (const std::exception &e) {
		fmt::print("{}\n", e.what());
		return 3;
	}
	return 0;
}
