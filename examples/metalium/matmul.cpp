/* SPDX-License-Identifier: Apache-2.0 */
// C = A x B, first on one core, then on a row of cores: each computes some columns of C, and the
// first reads A for all and sends it by multicast.
#include "example.hpp"

constexpr uint32_t m_tiles = 2, k_tiles = 4, n_tiles = 8;

struct Matrices {
	std::shared_ptr<distributed::MeshBuffer> a, b, c;
};

static void product(Example &example, const Matrices &in, uint32_t cores)
{
	const CoreRange row({0, 0}, {cores - 1, 0});
	const uint32_t columns = n_tiles / cores;
	std::vector<uint32_t> a_args = {m_tiles, k_tiles, cores, columns},
			      b_args = {m_tiles, k_tiles, n_tiles, columns};
	Program program = CreateProgram();

	Example::tile_queue(program, row, tt::CBIndex::c_0, k_tiles);
	Example::tile_queue(program, row, tt::CBIndex::c_1, 2);
	Example::tile_queue(program, row, tt::CBIndex::c_16, 2);
	TensorAccessorArgs(*in.a).append_to(a_args);
	TensorAccessorArgs(*in.b).append_to(b_args);
	TensorAccessorArgs(*in.c).append_to(b_args);
	const uint32_t ready = CreateSemaphore(program, row, 0),
		       sent = CreateSemaphore(program, row, INVALID);
	KernelHandle sender = CreateKernel(program, "kernels/matmul_send_a.cpp", CoreCoord(0, 0),
					   ReaderDataMovementConfig(a_args));
	KernelHandle writer = CreateKernel(program, "kernels/matmul_b_c.cpp", row,
					   WriterDataMovementConfig(b_args));

	CreateKernel(program, "kernels/matmul_compute.cpp", row,
		     ComputeConfig{.math_fidelity = MathFidelity::HiFi4,
				   .compile_args = {m_tiles * columns, k_tiles}});
	const CoreCoord first = example.device->worker_core_from_logical_core({0, 0});
	const CoreCoord second =
		example.device->worker_core_from_logical_core({cores > 1 ? 1u : 0u, 0});
	const CoreCoord last = example.device->worker_core_from_logical_core({cores - 1, 0});

	SetRuntimeArgs(program, sender, CoreCoord(0, 0),
		       {in.a->address(), ready, sent, second.x, second.y, last.x, last.y});
	if (cores > 1) {
		const CoreRange others({1, 0}, {cores - 1, 0});
		KernelHandle receiver = CreateKernel(program, "kernels/matmul_receive_a.cpp",
						     others, ReaderDataMovementConfig(a_args));

		SetRuntimeArgs(program, receiver, others, {ready, sent, first.x, first.y});
	}
	for (uint32_t i = 0; i < cores; i++)
		SetRuntimeArgs(program, writer, CoreCoord(i, 0),
			       {in.b->address(), in.c->address(), i * columns});
	example.run(std::move(program));
}

int main()
{
	constexpr uint32_t m = m_tiles * 32, k = k_tiles * 32, n = n_tiles * 32;
	Example example;
	const auto a = create_random_vector_of_bfloat16_native(m * k * 2, 1, 1);
	const auto b = create_random_vector_of_bfloat16_native(k * n * 2, 1, 2);
	const Matrices in = {example.tiles(m_tiles * k_tiles), example.tiles(k_tiles * n_tiles),
			     example.tiles(m_tiles * n_tiles)};
	bool right = true;

	EnqueueWriteMeshBuffer(example.queue, in.a, tilize_nfaces(a, m, k));
	EnqueueWriteMeshBuffer(example.queue, in.b, tilize_nfaces(b, k, n));
	for (uint32_t cores : {1u, 2u, 4u}) {
		std::vector<bfloat16> c, nothing(m * n, bfloat16(0.0f));

		if (cores > example.device->compute_with_storage_grid_size().x)
			continue;
		EnqueueWriteMeshBuffer(example.queue, in.c, nothing);
		product(example, in, cores);
		EnqueueReadMeshBuffer(example.queue, c, in.c);
		c = untilize_nfaces(c, m, n);
		for (uint32_t y = 0; y < m; y++)
			for (uint32_t x = 0; x < n; x++) {
				float sum = 0;

				for (uint32_t i = 0; i < k; i++)
					sum += float(a[y * k + i]) * float(b[i * n + x]);
				right &= std::abs(float(c[y * n + x]) - sum) <= 0.02f * sum + 0.1f;
			}
		fmt::print("{} x {} x {} on {} cores: {}\n", m, k, n, cores,
			   right ? "right" : "wrong");
	}
	return example.end(right);
}
