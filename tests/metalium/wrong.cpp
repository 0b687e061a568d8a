/* SPDX-License-Identifier: Apache-2.0 */
// One wrong use of the API per argument: each must end in one line that names it. A second argument
// makes it use a device and its queue, as programs did before there were meshes.
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>

using namespace tt;
using namespace tt::tt_metal;

/* The program that makes the mistake, unless making it already fails. */
static Program wrong_program(const std::string &what)
{
	const CoreCoord core = {0, 0};
	Program program = CreateProgram();

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
	if (what == "tile")
		CreateCircularBuffer(
			program, core,
			CircularBufferConfig(2048, {{CBIndex::c_6, DataFormat::Float16_b}})
				.set_page_size(CBIndex::c_6, 2048)
				.set_tile_dims(CBIndex::c_6, Tile({3, 32})));
	return program;
}

static void wrong_on_mesh(const std::string &what)
{
	auto device = distributed::MeshDevice::create_unit_mesh(0);
	distributed::MeshCommandQueue &queue = device->mesh_command_queue();
	distributed::MeshWorkload workload;
	auto buffer = distributed::MeshBuffer::create(
		distributed::ReplicatedBufferConfig{.size = what == "size" ? 100 : 128},
		distributed::DeviceLocalBufferConfig{.page_size = 64}, device.get());

	if (what == "memory")
		distributed::MeshBuffer::create(
			distributed::ReplicatedBufferConfig{.size = 1ull << 40},
			distributed::DeviceLocalBufferConfig{.page_size = 1 << 20}, device.get());
	if (what == "write")
		distributed::EnqueueWriteMeshBuffer(queue, buffer, std::vector<uint32_t>(3), true);
	workload.add_program(distributed::MeshCoordinateRange(device->shape()),
			     wrong_program(what));
	distributed::EnqueueMeshWorkload(queue, workload, true);
	device->close();
}

static void wrong_on_device(const std::string &what)
{
	IDevice *device = CreateDevice(0);
	CommandQueue &queue = device->command_queue();
	auto buffer = CreateBuffer(InterleavedBufferConfig{device, what == "size" ? 100u : 128u, 64,
							   BufferType::DRAM});

	if (what == "memory")
		CreateBuffer(
			InterleavedBufferConfig{device, 1ull << 40, 1 << 20, BufferType::DRAM});
	if (what == "write")
		EnqueueWriteBuffer(queue, buffer, std::vector<uint32_t>(3), true);
	Program program = wrong_program(what);

	EnqueueProgram(queue, program, true);
	CloseDevice(device);
}

int main(int argc, char **argv)
{
	try {
		(argc > 2 ? wrong_on_device : wrong_on_mesh)(argc > 1 ? argv[1] : "");
	} catch (const std::exception &e) {
		fmt::print("{}\n", e.what());
		return 3;
	}
	return 0;
}
