/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices in DRAM, tile by tile, and programs over them, each described as an op. */
#ifndef MATRIX_H
#define MATRIX_H

#include "example.h"

#define TILE 2048u /* bytes of a bfloat16 tile */

struct matrix {
	struct tacho_buffer *buffer;
	unsigned rows, columns; /* multiples of 32 */
};

/* VALUES in row order, or zeros if it is NULL. */
static inline struct matrix matrix_new(struct tacho_device *device, const float *values,
				       unsigned rows, unsigned columns)
{
	struct matrix m = {.rows = rows, .columns = columns};
	uint16_t *tiles = calloc((size_t)rows * columns, 2);

	for (unsigned i = 0; tiles && values && i < rows; i++)
		for (unsigned j = 0; j < columns; j++)
			tiles[tiled(i, j, columns)] = to_bfloat16(values[i * columns + j]);
	check(tacho_buffer_new(&m.buffer, device, TACHO_DRAM, (uint64_t)rows * columns * 2, TILE));
	check(tacho_buffer_write(m.buffer, 0, tiles, (uint64_t)rows * columns * 2));
	free(tiles);
	return m;
}

static inline void matrix_read(const struct matrix *m, float *values)
{
	uint16_t *tiles = malloc((size_t)m->rows * m->columns * 2);

	check(tacho_buffer_read(m->buffer, 0, tiles, (uint64_t)m->rows * m->columns * 2));
	for (unsigned i = 0; i < m->rows; i++)
		for (unsigned j = 0; j < m->columns; j++)
			values[i * m->columns + j] = from_bfloat16(tiles[tiled(i, j, m->columns)]);
	free(tiles);
}

static inline unsigned matrix_tiles(const struct matrix *m)
{
	return m->rows / 32 * (m->columns / 32);
}

static inline struct tacho_tensor matrix_tensor(const struct matrix *m)
{
	return (struct tacho_tensor){.shape = {1, 1, m->rows, m->columns},
				     .layout = TACHO_TILE,
				     .format = TACHO_BFLOAT16,
				     .memory = TACHO_DRAM};
}

/*
 * The program that computes OUT from N matrices on all cores: kernels for reading, writing and
 * computing; each core has a run of OUT's tiles. CYCLES: time of one tile of OUT in the tile
 * engine.
 */
struct matrix_job {
	const char *name, *reader, *compute;
	const struct matrix *in[2], *out;
	unsigned n;
	unsigned cycles;
};

static inline void matrix_describe(struct tacho_program *program,
				   const struct tacho_device_info *info, const struct matrix_job *j)
{
	struct tacho_tensor in[2], out = matrix_tensor(j->out);
	const struct tacho_attribute attributes[] = {{"dtype", "BFLOAT16"},
						     {"math_fidelity", "HiFi2"}};
	uint64_t bytes = (uint64_t)matrix_tiles(j->out) * TILE, ideal, compute, bandwidth;
	double bws[2], out_bw;

	for (unsigned i = 0; i < j->n; i++) {
		in[i] = matrix_tensor(j->in[i]);
		bytes += (uint64_t)matrix_tiles(j->in[i]) * TILE;
	}
	compute = (uint64_t)matrix_tiles(j->out) * j->cycles * 1000 / info->cores / info->mhz;
	bandwidth = (uint64_t)((double)bytes / info->dram_gbs);
	ideal = (compute > bandwidth ? compute : bandwidth) + 1;
	for (unsigned i = 0; i < j->n; i++)
		bws[i] = (double)matrix_tiles(j->in[i]) * TILE / (double)ideal;
	out_bw = (double)matrix_tiles(j->out) * TILE / (double)ideal;
	check(tacho_op_describe(program, &(struct tacho_op){
						 .name = j->name,
						 .attributes = attributes,
						 .attribute_count = 2,
						 .inputs = in,
						 .input_count = j->n,
						 .outputs = &out,
						 .output_count = 1,
						 .compute_ns = compute,
						 .bandwidth_ns = bandwidth,
						 .ideal_ns = ideal,
						 .input_bws = bws,
						 .input_bw_count = j->n,
						 .output_bws = &out_bw,
						 .output_bw_count = 1,
					 }));
}

/* Each core computes a run of tiles of the result. */
static inline void matrix_split(struct tacho_program *program, const struct tacho_device_info *info,
				const struct matrix *out, const int kernels[3])
{
	unsigned tiles = matrix_tiles(out), at = 0;

	for (unsigned i = 0; i < info->cores; i++) {
		struct tacho_core core = {(uint16_t)(i % info->columns),
					  (uint16_t)(i / info->columns)};
		uint32_t args[] = {at, tiles / info->cores + (i < tiles % info->cores)};

		check(tacho_program_args(program, kernels[0], core, args, 2));
		check(tacho_program_args(program, kernels[1], core, args, 2));
		check(tacho_program_args(program, kernels[2], core, args + 1, 1));
		at += args[1];
	}
}

static inline struct tacho_program *matrix_program(struct tacho_device *device,
						   const struct matrix_job *j)
{
	static const unsigned circular[] = {0, 1, 16};
	static const enum tacho_risc riscs[] = {TACHO_NCRISC, TACHO_BRISC, TACHO_COMPUTE};
	const char *sources[] = {j->reader, KERNEL("mm_writer.c"), j->compute};
	uint32_t shape[] = {j->in[0]->columns / 32, j->out->columns / 32};
	uint32_t from[2] = {0}, to = tacho_buffer_address(j->out->buffer);
	struct tacho_device_info info;
	struct tacho_program *program;
	int kernels[3];

	tacho_device_info(device, &info);
	check(tacho_program_new(&program, device));
	for (int i = 0; i < 3; i++)
		check(tacho_program_cb(program, &(struct tacho_cb){
							.index = circular[i],
							.cores = all_cores(&info),
							.pages = 2,
							.page_size = TILE,
							.format = TACHO_BFLOAT16,
						}));
	for (int i = 0; i < 3; i++)
		kernels[i] = check(tacho_program_kernel(program, &(struct tacho_kernel){
									 .source = sources[i],
									 .risc = riscs[i],
									 .cores = all_cores(&info),
									 .compile_args = shape,
									 .compile_arg_count = 2,
									 .fidelity = TACHO_HIFI2,
								 }));
	matrix_split(program, &info, j->out, kernels);
	for (unsigned i = 0; i < j->n; i++)
		from[i] = tacho_buffer_address(j->in[i]->buffer);
	check(tacho_program_common_args(program, kernels[0], from, j->n));
	check(tacho_program_common_args(program, kernels[1], &to, 1));
	matrix_describe(program, &info, j);
	return program;
}

/* OUT = A x B: 32 cycles for each product of two tiles. */
static inline struct tacho_program *matmul_program(struct tacho_device *device,
						   const struct matrix *a, const struct matrix *b,
						   const struct matrix *out)
{
	return matrix_program(device, &(struct matrix_job){
					      .name = "Matmul",
					      .reader = KERNEL("mm_reader.c"),
					      .compute = KERNEL("mm_compute.c"),
					      .in = {a, b},
					      .out = out,
					      .n = 2,
					      .cycles = a->columns / 32 * 32,
				      });
}

#endif
