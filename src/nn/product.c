/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices, block by block. */
#include "nn/call.h"

#include <string.h>

/*
 * The block of the product that a core computes at a time: at most 8 tiles, so that dst holds it
 * twice. Chooses the shape for which the busiest core takes the least time; a tile that is read
 * costs about as much as two products.
 */
static void block_choose(uint32_t rows, uint32_t columns, uint32_t matrices, uint32_t cores,
			 uint32_t *m, uint32_t *n)
{
	uint64_t best = UINT64_MAX;

	for (uint32_t h = 1; h <= 8 && h <= rows; h++)
		for (uint32_t w = 1; h * w <= 8 && w <= columns; w++) {
			uint64_t blocks =
				(uint64_t)matrices * ((rows + h - 1) / h) * ((columns + w - 1) / w);
			uint64_t cost = (blocks + cores - 1) / cores * (h * w + 2 * (h + w));

			if (cost < best) {
				best = cost;
				*m = h;
				*n = w;
			}
		}
}

struct product_shape {
	uint32_t rows, inner, columns, matrices; /* rows, inner and columns in tiles */
	uint32_t a_stride, b_stride, valid;
};

/* If B has a single matrix, the rows of all matrices of A are those of one. */
static struct product_shape product_shape_of(const struct nn_job *job, const struct nn_product *how)
{
	const struct nn_tensor *a = &job->in[0], *b = &job->in[1], *out = &job->out[0];
	uint32_t a_count = a->shape[0] * a->shape[1], b_count = b->shape[0] * b->shape[1];
	uint32_t inner = how->transpose_a ? a->shape[2] : a->shape[3];
	struct product_shape s = {.inner = (inner + 31) / 32,
				  .columns = nn_columns(out),
				  .matrices = out->shape[0] * out->shape[1],
				  .valid = inner % 32};

	s.rows = (out->shape[2] + 31) / 32;
	if (b_count == 1 && !how->transpose_a) {
		s.rows *= s.matrices;
		s.matrices = 1;
	}
	s.a_stride = a_count > 1 ? s.rows * s.inner : 0;
	s.b_stride = b_count > 1 ? s.inner * s.columns : 0;
	return s;
}

int nn_product(struct nn *nn, const struct nn_job *job, const struct nn_product *how)
{
	static const double phases[] = {
		[TACHO_HIFI4] = 4, [TACHO_LOFI] = 1, [TACHO_HIFI2] = 2, [TACHO_HIFI3] = 3};
	const struct nn_tensor *a = &job->in[0], *b = &job->in[1], *out = &job->out[0];
	struct product_shape s = product_shape_of(job, how);
	uint32_t bk = s.inner < 4 ? s.inner : 4, bm = 1, bn = 1;
	bool bias = job->inputs > 2;
	struct nn_call c = {
		.variant = bias                                   ? "bias"
			   : how->transpose_a && how->transpose_b ? "turn both"
			   : how->transpose_a                     ? "turn a"
			   : how->transpose_b                     ? "turn b"
								  : "",
		.reader = "matmul_read.cpp",
		.compute = "matmul.cpp",
		.writer = "matmul_write.cpp",
		.word_count = 16 + 4 * how->step_count,
	};

	nn_call_begin(&c, job);
	block_choose(s.rows, s.columns, s.matrices, nn_cores(nn, s.rows * s.columns * s.matrices),
		     &bm, &bn);
	/* A program config names the block; it is cut to what dst holds. */
	if (how->per_core_rows && how->per_core_columns) {
		bn = how->per_core_columns < 8 ? how->per_core_columns : 8;
		bm = how->per_core_rows < 8 / bn ? how->per_core_rows : 8 / bn;
	}
	if (how->inner && s.inner % how->inner == 0)
		bk = how->inner < 8 ? how->inner : 8;
	c.units = (s.rows + bm - 1) / bm * ((s.columns + bn - 1) / bn) * s.matrices;
	memcpy(c.words,
	       (uint32_t[]){s.rows, s.inner, s.columns, bm, bn, bk, how->transpose_a,
			    how->transpose_b, s.b_stride, bias, s.a_stride, s.valid,
			    nn_clear_code(a->format), nn_clear_code(b->format), 0, how->step_count},
	       16 * sizeof(c.words[0]));
	memcpy(c.words + 16, how->steps, sizeof(how->steps));
	memcpy(c.cbs,
	       (struct nn_cb[]){{0, 2 * bm * bk, a->format, 0},
				{1, 2 * bn * bk, b->format, 0},
				{CB_OUT, bm * bn, out->format, 0},
				{2, bias ? 2 * bn : 0, bias ? job->in[2].format : a->format, 0}},
	       4 * sizeof(c.cbs[0]));
	/* As the real model: 4096 multiplications per cycle and core, on the whole grid. */
	c.ideal_cycles = 2.0 * s.rows * s.columns * s.inner * s.matrices * 32768 /
			 (nn->info.cores * 4096.0) * phases[job->fidelity];
	nn_attribute_add(&c, "program_config",
			 "MatmulMultiCoreProgramConfig(block=%ux%u;in0_block_w=%u)", bm, bn, bk);
	nn_attribute_add(&c, "bcast_batch", "%s", s.b_stride ? "false" : "true");
	nn_attribute_memory(&c, "output_mem_config", out);
	nn_attribute_add(&c, "output_dtype", "%s", nn_dtype_name(out));
	nn_attribute_add(&c, "transpose_a", "%s", how->transpose_a ? "true" : "false");
	nn_attribute_add(&c, "transpose_b", "%s", how->transpose_b ? "true" : "false");
	return nn_run(nn, &c);
}
