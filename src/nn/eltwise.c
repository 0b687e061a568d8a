/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that work tile by tile, and the instructions of the vector unit that they are made of. */
#include "nn/call.h"

#include "tacho_engine.h"

#include <string.h>

/* ---- instructions ---- */
static int step_name_find(const char *const *names, unsigned count, const char *name)
{
	for (unsigned i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return (int)i;
	return -1;
}

#define X(name, text, cycles) text,
static const char *const unary_names[] = {TE_UNARIES(X)};
static const char *const binary_names[] = {TE_BINARIES(X)};
static const char *const ternary_names[] = {TE_TERNARIES(X)};
#undef X

int nn_step_unary(struct nn_step *step, const char *name, unsigned tile)
{
	int op = step_name_find(unary_names, TE_UNARY_COUNT, name);

	*step = (struct nn_step){.word = (uint32_t)TE_SFPU << 24 | (uint32_t)op << 8 | tile};
	return op;
}

int nn_step_binary(struct nn_step *step, const char *name, unsigned a, unsigned b, unsigned out)
{
	int op = step_name_find(binary_names, TE_BINARY_COUNT, name);

	*step = (struct nn_step){.word = (uint32_t)TE_SFPU2 << 24 | (uint32_t)op << 12 | a << 8 |
					 b << 4 | out};
	return op;
}

int nn_step_ternary(struct nn_step *step, const char *name, unsigned a, unsigned b, unsigned c,
		    unsigned out)
{
	int op = step_name_find(ternary_names, TE_TERNARY_COUNT, name);

	*step = (struct nn_step){.word = (uint32_t)TE_SFPU3 << 24 | (uint32_t)op << 16 | a << 12 |
					 b << 8 | c << 4 | out};
	return op;
}

static unsigned step_cycles(const struct nn_step *step)
{
	switch (step->word >> 24) {
	case TE_SFPU:
		return nn_cycles(unary_names[step->word >> 8 & 255]);
	case TE_SFPU2:
		return nn_cycles(binary_names[step->word >> 12 & 255]);
	default:
		return nn_cycles(ternary_names[step->word >> 16 & 63]);
	}
}

/* ---- the op ---- */
enum { W_INPUTS, W_STEPS, W_MATH, W_REPEAT, W_TURNED, W_EXTENTS, W_STRIDES = 11, W_STEP = 29 };
enum { DIMS = 6, FIRST = DIMS - 4 }; /* tensors have four of the kernel's dimensions */

/* Tiles in each dimension. */
static void tensor_extents(const struct nn_tensor *t, bool turned, uint32_t extents[4])
{
	uint32_t rows = turned ? t->shape[3] : t->shape[2],
		 columns = turned ? t->shape[2] : t->shape[3];

	extents[0] = t->shape[0];
	extents[1] = t->shape[1];
	extents[2] = (rows + 31) / 32;
	extents[3] = (columns + 31) / 32;
}

/* Strides, in tiles; 0 where the tensor has 1 and the output more. */
static void tensor_strides(const struct nn_tensor *t, bool turned, const struct nn_tensor *out,
			   uint32_t strides[4])
{
	uint32_t e[4];

	tensor_extents(t, turned, e);
	strides[3] = turned ? e[2] : 1;
	strides[2] = turned ? 1 : e[3];
	strides[1] = e[2] * e[3];
	strides[0] = e[1] * e[2] * e[3];
	for (unsigned d = 0; d < 4; d++) {
		uint32_t own = turned && d >= 2 ? t->shape[5 - d] : t->shape[d];

		if (own == 1 && out->shape[d] > 1)
			strides[d] = 0;
	}
}

int nn_eltwise(struct nn *nn, const struct nn_job *job, const struct nn_eltwise *how)
{
	static const char *const math_names[] = {"copy", "add", "sub", "mul"};
	const struct nn_tensor *out = &job->out[0];
	struct nn_call c = {
		.reader = "eltwise_read.cpp",
		.compute = "eltwise.cpp",
		.writer = "tiles_write.cpp",
		.units = nn_pages(out),
		.tiles = true,
		.word_count = W_STEP + 4 * how->step_count,
		.cbs = {{CB_OUT, 2, out->format, 0}},
		.cycles = nn_cycles(math_names[how->math]) * (how->math ? 1 : job->inputs),
	};

	nn_call_begin(&c, job);
	c.words[W_INPUTS] = job->inputs;
	c.words[W_STEPS] = how->step_count;
	c.words[W_MATH] = how->math;
	c.words[W_TURNED] = how->transpose;
	c.words[W_EXTENTS] = c.words[W_EXTENTS + 1] = 1;
	tensor_extents(out, false, c.words + W_EXTENTS + FIRST);
	for (unsigned i = 0; i < job->inputs; i++) {
		bool turned = how->transpose >> i & 1;
		bool row = job->in[i].shape[2] == 1 && out->shape[2] > 1;
		bool column = job->in[i].shape[3] == 1 && out->shape[3] > 1;

		c.cbs[i + 1] = (struct nn_cb){i, 8, job->in[i].format, nn_page_size(&job->in[i])};
		tensor_strides(&job->in[i], turned, out, c.words + W_STRIDES + DIMS * i + FIRST);
		if (!turned)
			/* The repetition within tiles, as enum BroadcastType of the kernels. */
			c.words[W_REPEAT] |= (row && column ? 3u : row ? 2u : column) << 2 * i;
	}
	c.cbs[0].bytes = nn_page_size(out);
	for (unsigned i = 0; i < how->step_count; i++) {
		memcpy(c.words + W_STEP + 4 * i, &how->steps[i], sizeof(how->steps[i]));
		c.cycles += step_cycles(&how->steps[i]);
	}
	return nn_run(nn, &c);
}

int nn_random(struct nn *nn, const struct nn_job *job, const struct nn_random *how)
{
	struct nn_call c = {
		.compute = "random.cpp",
		.writer = "tiles_write.cpp",
		.units = nn_pages(&job->out[0]),
		.tiles = true,
		.words = {nn_float_bits(how->low), nn_float_bits(how->high - how->low), how->seed},
		.cbs = {{CB_OUT, 2, job->out[0].format, 0}},
		.cycles = nn_cycles("rand"),
	};

	nn_call_begin(&c, job);
	return nn_run(nn, &c);
}
