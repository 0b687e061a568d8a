/* SPDX-License-Identifier: Apache-2.0 */
/* Ops along rows: reductions, softmax, norms. A core has a row of tiles in its L1. */
#include "nn/call.h"

#include <string.h>

/* Values of the last tile along a dimension that count; 0: all. */
static uint32_t valid_of(uint32_t extent)
{
	return extent % 32;
}

/* The lowest (SIGN 0) or highest number of a format, in its bits. */
static uint32_t extreme_bits(enum tacho_format format, bool highest)
{
	switch (format) {
	case TACHO_BFLOAT16:
		return highest ? 0x7f7f : 0xff7f;
	case TACHO_INT32:
		return highest ? 0x7fffffff : 0x80000001;
	case TACHO_UINT32:
		return highest ? 0xffffffff : 0;
	default:
		return highest ? 0x7f7fffff : 0xff7fffff;
	}
}

/* ---- reductions ---- */
int nn_reduce(struct nn *nn, const struct nn_job *job, const struct nn_reduce *how)
{
	static const char *const names[] = {"reduce", "reduce", "add"};
	const struct nn_tensor *in = &job->in[0], *out = &job->out[0];
	uint32_t axis = how->dim == 3 ? 0 : how->dim == 2 ? 1 : 2;
	uint32_t down = (in->shape[2] + 31) / 32, across = nn_columns(in);
	uint32_t n[] = {in->shape[0], in->shape[1], down, across}, inner = 1;
	struct nn_call c = {
		.reader = "reduce_read.cpp",
		.compute = "reduce.cpp",
		.writer = "tiles_write.cpp",
		.units = nn_pages(out),
		.cbs = {{0, 8, in->format, nn_page_size(in)},
			{CB_SCALER, 1, TACHO_FLOAT32, 0},
			{CB_OUT, 2, out->format, nn_page_size(out)}},
		.cycles = n[how->dim] * nn_cycles(names[axis]),
	};

	for (unsigned d = how->dim + 1; d < 4; d++)
		inner *= n[d];
	nn_call_begin(&c, job);
	memcpy(c.words,
	       (uint32_t[]){n[how->dim], inner,
			    nn_float_bits(how->kind == NN_REDUCE_SUM ? how->scale : 1), axis,
			    how->kind, axis == 2 ? 0 : valid_of(in->shape[how->dim]),
			    how->kind == NN_REDUCE_SUM
				    ? 0
				    : extreme_bits(in->format, how->kind == NN_REDUCE_MIN),
			    nn_clear_code(in->format)},
	       8 * sizeof(c.words[0]));
	return nn_run(nn, &c);
}

int nn_accumulate(struct nn *nn, const struct nn_job *job, const struct nn_accumulate *how)
{
	const struct nn_tensor *in = &job->in[0], *out = &job->out[0];
	uint32_t n = in->shape[how->dim], inner = (in->shape[2] + 31) / 32 * nn_columns(in);
	bool floats = in->format == TACHO_BFLOAT16 || in->format == TACHO_FLOAT32;
	struct nn_call c = {
		.reader = "accumulate_move.cpp",
		.compute = "accumulate.cpp",
		.writer = "accumulate_move.cpp",
		.units = nn_pages(out) / n,
		.cbs = {{0, 2, in->format, nn_page_size(in)},
			{CB_OUT, 2, out->format, nn_page_size(out)},
			{CB_TEMP, 1, floats ? TACHO_FLOAT32 : TACHO_INT32, 4096}},
		.cycles = n * (2 * nn_cycles("copy") + nn_cycles("add_binary")),
	};

	if (how->dim == 0)
		inner *= in->shape[1];
	nn_call_begin(&c, job);
	c.words[0] = n;
	c.words[1] = inner;
	c.words[2] = how->reverse;
	memcpy(c.words + 3, &how->step, sizeof(how->step));
	return nn_run(nn, &c);
}

/* ---- softmax ---- */
int nn_softmax(struct nn *nn, const struct nn_job *job, const struct nn_softmax *how)
{
	const struct nn_tensor *in = &job->in[0], *mask = job->inputs > 1 ? &job->in[1] : NULL;
	uint32_t wt = nn_columns(in), pages = 0;
	struct nn_call c = {
		.reader = "softmax_read.cpp",
		.compute = "softmax.cpp",
		.writer = "rows_write.cpp",
		.writer_words = {wt},
		.units = nn_rows(in),
		.cbs = {{0, 2 * wt, in->format, 0},
			{CB_SCALER, 1, TACHO_FLOAT32, 0},
			{CB_MASK, 2, TACHO_BFLOAT16, 0},
			{CB_OUT, 2, job->out[0].format, 0},
			{CB_TEMP, wt, TACHO_FLOAT32, 0},
			{CB_TEMP + 1, 1, TACHO_FLOAT32, 0},
			{CB_TEMP + 2, wt, TACHO_FLOAT32, 0},
			{CB_TEMP + 3, 1, TACHO_FLOAT32, 0},
			{1, mask ? 2 * wt : 0, mask ? mask->format : in->format, 0}},
		.cycles = wt * (nn_cycles("copy") + 2 * nn_cycles("reduce") + nn_cycles("exp") +
				nn_cycles("mul_unary") + nn_cycles("mul")),
	};

	nn_call_begin(&c, job);
	if (mask)
		pages = (mask->shape[2] + 31) / 32 * wt;
	memcpy(c.words,
	       (uint32_t[]){wt, nn_float_bits(how->scale),
			    !mask && how->causal  ? 1
			    : !mask               ? 0
			    : mask->shape[2] == 1 ? 3
						  : 2,
			    valid_of(in->shape[3]), (in->shape[2] + 31) / 32, in->shape[1],
			    mask && mask->shape[0] > 1 ? pages * mask->shape[1] : 0,
			    mask && mask->shape[1] > 1 ? pages : 0, nn_clear_code(in->format),
			    extreme_bits(in->format, false)},
	       10 * sizeof(c.words[0]));
	return nn_run(nn, &c);
}

/* ---- norms ---- */
/* Bits of NN_NORM_* as of the kernels, and those for inputs in rows. */
static uint32_t norm_flags(const struct nn_job *job, uint32_t flags)
{
	unsigned gamma = flags & NN_NORM_RESIDUAL ? 2 : 1;
	unsigned beta = gamma + !!(flags & NN_NORM_GAMMA);

	if (flags & NN_NORM_GAMMA && job->in[gamma].layout == TACHO_ROW_MAJOR)
		flags |= 32;
	if (flags & NN_NORM_BETA && job->in[beta].layout == TACHO_ROW_MAJOR)
		flags |= 64;
	return flags;
}

int nn_norm(struct nn *nn, const struct nn_job *job, const struct nn_norm *how)
{
	const struct nn_tensor *x = &job->in[0], *residual = &job->in[1];
	uint32_t wt = nn_columns(x), flags = how->flags;
	unsigned at = flags & NN_NORM_RESIDUAL ? 2 : 1;
	enum tacho_format gamma = job->in[flags & NN_NORM_GAMMA ? at++ : 0].format;
	enum tacho_format beta = job->in[flags & NN_NORM_BETA ? at : 0].format;
	struct nn_call c = {
		.reader = "norm_read.cpp",
		.compute = "norm.cpp",
		.writer = "norm_write.cpp",
		.units = nn_rows(x),
		.cbs = {{0, 2 * wt, x->format, 0},
			{1, flags & NN_NORM_GAMMA ? wt : 0, gamma, 0},
			{2, flags & NN_NORM_BETA ? wt : 0, beta, 0},
			{3, flags & NN_NORM_RESIDUAL ? 2 * wt : 0, residual->format, 0},
			{CB_SCALER, 1, TACHO_FLOAT32, 0},
			{CB_MASK, 1, TACHO_BFLOAT16, 0},
			{CB_OUT, 2, job->out[0].format, 0},
			{CB_OUT + 1, flags & NN_NORM_STATS ? 1 : 0, TACHO_FLOAT32, 0},
			{CB_OUT + 2, flags & NN_NORM_STATS ? 1 : 0, TACHO_FLOAT32, 0},
			{CB_TEMP, 1, TACHO_FLOAT32, 0},
			{CB_TEMP + 1, wt, TACHO_FLOAT32, 0},
			{CB_TEMP + 2, 1, TACHO_FLOAT32, 0},
			{CB_TEMP + 3, flags & NN_NORM_RESIDUAL ? wt : 0, TACHO_FLOAT32, 0}},
		.cycles = wt * (nn_cycles("reduce") + 3 * nn_cycles("mul") + 2 * nn_cycles("add")) +
			  nn_cycles("reduce_dst") + nn_cycles("rsqrt"),
	};

	nn_call_begin(&c, job);
	memcpy(c.words,
	       (uint32_t[]){wt, nn_float_bits(1.0f / (float)x->shape[3]),
			    nn_float_bits(how->epsilon), norm_flags(job, flags),
			    valid_of(x->shape[3]), nn_clear_code(x->format),
			    nn_clear_code(residual->format)},
	       7 * sizeof(c.words[0]));
	return nn_run(nn, &c);
}
