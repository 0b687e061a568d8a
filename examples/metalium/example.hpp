/* SPDX-License-Identifier: Apache-2.0 */
// Code that all examples share: a device, its queue, tiles of bfloat16 in DRAM, and one
// program.
#pragma once

#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>
#include <tt-metalium/tilize_utils.hpp>
#include <tt-metalium/work_split.hpp>

using namespace tt::tt_metal;

constexpr uint32_t tile_bytes = sizeof(bfloat16) * tt::constants::TILE_HW;

struct Example {
	std::shared_ptr<distributed::MeshDevice> device =
		distributed::MeshDevice::create_unit_mesh(0);
	distributed::MeshCommandQueue &queue = device->mesh_command_queue();

	std::shared_ptr<distributed::MeshBuffer> tiles(uint32_t count)
	{
		return distributed::MeshBuffer::create(
			distributed::ReplicatedBufferConfig{.size = count * tile_bytes},
			distributed::DeviceLocalBufferConfig{.page_size = tile_bytes,
							     .buffer_type = BufferType::DRAM},
			device.get());
	}

	static void tile_queue(Program &program, const CoreRangeSet &cores, tt::CBIndex index,
			       uint32_t count)
	{
		CreateCircularBuffer(program, cores,
				     CircularBufferConfig(count * tile_bytes,
							  {{index, tt::DataFormat::Float16_b}})
					     .set_page_size(index, tile_bytes));
	}

	void run(Program &&program)
	{
		distributed::MeshWorkload workload;

		workload.add_program(distributed::MeshCoordinateRange(device->shape()),
				     std::move(program));
		distributed::EnqueueMeshWorkload(queue, workload, false);
		distributed::Finish(queue);
	}

	// The exit code of the program.
	int end(bool right)
	{
		right &= device->close();
		fmt::print("{}\n", right ? "Test Passed" : "Test Failed");
		return right ? 0 : 1;
	}
};
