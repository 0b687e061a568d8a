/* SPDX-License-Identifier: Apache-2.0 */
/* Attention with fused softmax: of whole sequences, and of one query against a cache. */
#include "nn/call.h"

#include <string.h>

int nn_attention(struct nn *nn, const struct nn_job *job, const struct nn_attention *how)
{
	const struct nn_tensor *q = &job->in[0], *k = &job->in[1], *v = &job->in[2];
	const struct nn_tensor *mask = how->masked ? &job->in[3] : NULL;
	const struct nn_tensor *last = how->decode & 2 ? &job->in[3] : NULL;
	const struct nn_tensor *table = how->decode & 4 ? &job->in[job->inputs - 1] : NULL;
	uint32_t wt = nn_columns(k), block = (k->shape[2] + 31) / 32, pages = 0;
	uint32_t keys = table ? table->shape[3] * block : block;
	uint32_t heads = how->decode ? q->shape[2] : q->shape[1];
	uint32_t rows = how->decode ? 1 : (q->shape[2] + 31) / 32;
	struct nn_call c = {
		.reader = "attention_read.cpp",
		.compute = "attention.cpp",
		.writer = "attention_write.cpp",
		.word_count = 17 + NN_USERS,
		.units = how->decode ? q->shape[1] * heads : nn_rows(q),
		.cbs = {{0, 2 * wt, q->format, 0},
			{1, 2 * wt, k->format, 0},
			{2, 2 * wt, v->format, 0},
			{4, how->decode ? 2 : 0, TACHO_UINT32, 32},
			{8, last ? 1 : 0, TACHO_UINT32, last ? nn_page_size(last) : 0},
			{9, table ? 1 : 0, TACHO_UINT32, table ? nn_page_size(table) : 0},
			{CB_SCALER, 1, TACHO_FLOAT32, 0},
			{CB_MASK, 1, TACHO_BFLOAT16, 0},
			{CB_OUT, 2, job->out[0].format, 0},
			{CB_TEMP, keys, TACHO_FLOAT32, 0},
			{CB_TEMP + 1, 1, TACHO_FLOAT32, 0},
			{CB_TEMP + 2, keys, TACHO_FLOAT32, 0},
			{CB_TEMP + 3, 1, TACHO_FLOAT32, 0},
			{3, mask ? 2 : 0, mask ? mask->format : q->format, 0}},
		.cycles = (uint64_t)(how->causal ? (keys + 1) / 2 : keys) *
			  (2 * wt * nn_cycles("matmul") + 2 * nn_cycles("reduce") +
			   nn_cycles("exp") + nn_cycles("mul_unary") + nn_cycles("sub")),
	};

	if (wt > 8)
		return nn_fail(nn, "%s: heads of more than 256 columns", job->name);
	nn_call_begin(&c, job);
	if (mask)
		pages = (mask->shape[2] + 31) / 32 * keys;
	memcpy(c.words,
	       (uint32_t[]){rows, wt, nn_float_bits(how->scale), keys, k->shape[2] % 32,
			    how->causal, how->masked, heads, k->shape[1],
			    mask && mask->shape[0] > 1 ? pages * mask->shape[1] : 0,
			    mask && mask->shape[1] > 1 ? pages : 0, k->shape[3] % 32,
			    nn_clear_code(q->format), nn_clear_code(k->format), how->decode,
			    (q->shape[2] + 31) / 32},
	       16 * sizeof(c.words[0]));
	memcpy(c.words + 16, how->positions, sizeof(how->positions));
	c.words[16 + NN_USERS] = block;
	return nn_run(nn, &c);
}
