/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A GPT of the shape of GPT-2: x = E[t] + P; per block x += O(attention(LN x)), x += W2 gelu(W1 LN
 * x); logits = F LN(x). Parameters and activations are bfloat16 on the device, statistics and the
 * moments of AdamW float32.
 */
#ifndef GPT_H
#define GPT_H

#include "train_ops.h"

struct gpt_shape {
	uint32_t blocks, heads, dim; /* dim / heads is a multiple of 32 */
	uint32_t sequence, batch;    /* sequence is a multiple of 32 */
	uint32_t vocabulary;         /* symbols; padded to a multiple of 32 on the device */
};

struct gpt_parameter {
	char name[32];
	struct nn_tensor value, gradient, m, v;
};

enum {
	GPT_LN1_GAMMA,
	GPT_LN1_BETA,
	GPT_QKV_WEIGHT,
	GPT_QKV_BIAS,
	GPT_OUT_WEIGHT,
	GPT_OUT_BIAS,
	GPT_LN2_GAMMA,
	GPT_LN2_BETA,
	GPT_FC1_WEIGHT,
	GPT_FC1_BIAS,
	GPT_FC2_WEIGHT,
	GPT_FC2_BIAS,
	GPT_BLOCK_PARAMETERS
};
/* Parameters outside of blocks come first. */
enum { GPT_TOKENS, GPT_POSITIONS, GPT_LNF_GAMMA, GPT_LNF_BETA, GPT_HEAD, GPT_PARAMETERS };

/* What the backward pass needs of a block. */
struct gpt_block {
	struct nn_tensor norm1, mean1, rstd1, qkv, q, k, v, attended, lse, merged, projected,
		middle, norm2, mean2, rstd2, hidden, active, mlp, out;
};

struct gpt {
	struct nn *nn;
	struct gpt_shape shape;
	struct gpt_parameter *parameters; /* GPT_PARAMETERS, then those of each block */
	unsigned parameter_count;
	struct gpt_block *blocks;
	struct nn_tensor ids, targets;
	struct nn_tensor point; /* of markers */
	struct nn_tensor embedded, start, norm, mean, rstd, logits, losses, loss;
	/* gradients of activations; used again by each block */
	struct nn_tensor d_logits, d_x, d_norm, d_parts, d_sum, d_qkv, d_q, d_k, d_v, d_heads,
		d_column, d_hidden, d_active;
	unsigned zones; /* 1: markers around blocks */
};

void gpt_new(struct gpt *g, struct nn *nn, const struct gpt_shape *shape, uint64_t seed);
void gpt_free(struct gpt *g);
uint64_t gpt_volume(const struct gpt *g);
struct gpt_parameter *gpt_block_parameter(struct gpt *g, unsigned block, unsigned which);

/* BATCH x SEQUENCE ids each. TARGETS may be NULL: then only logits can be used. */
void gpt_load(struct gpt *g, const uint32_t *ids, const uint32_t *targets);
void gpt_forward(struct gpt *g);
void gpt_backward(struct gpt *g);
void gpt_step(struct gpt *g, const struct train_adamw *how);
/* Waits for the loss of the last forward pass. */
float gpt_loss(struct gpt *g);

/* All parameters, moments and the step; both end the program with a line if they fail. */
void gpt_save(const struct gpt *g, const char *path, uint32_t step);
uint32_t gpt_restore(struct gpt *g, const char *path);

#endif
