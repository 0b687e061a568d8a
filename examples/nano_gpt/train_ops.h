/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ops of a GPT, forward and backward, on tensors of src/nn. The sizes of all tensors but ids
 * are multiples of 32, or 1 row; ids are in rows of 32. All functions end the program with the
 * reason when a call fails.
 */
#ifndef TRAIN_OPS_H
#define TRAIN_OPS_H

#include "nn/nn.h"

/* Ends the program with a line. */
void gpt_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void train_open(struct nn *nn);
void train_write_ids(struct nn *nn, struct nn_tensor *t, const uint32_t *ids);

/* y = x w^T + bias; BIAS may be NULL. W is [out, in]. */
void train_linear(struct nn *nn, struct nn_tensor *y, const struct nn_tensor *x,
		  const struct nn_tensor *w, const struct nn_tensor *bias);
/* out = a b, each transposed if asked. */
void train_matmul(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *a,
		  const struct nn_tensor *b, bool transpose_a, bool transpose_b);
/* B may have fewer batches than A: it is used again then. */
void train_add(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *a,
	       const struct nn_tensor *b);
void train_gelu(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *x);
void train_gelu_backward(struct nn *nn, struct nn_tensor *dx, const struct nn_tensor *g,
			 const struct nn_tensor *x);
/* MEAN and RSTD: [rows, 1], float32. */
void train_layernorm(struct nn *nn, struct nn_tensor *y, struct nn_tensor *mean,
		     struct nn_tensor *rstd, const struct nn_tensor *x,
		     const struct nn_tensor *gamma, const struct nn_tensor *beta, float epsilon);
/* PARTS: g (x - mean) rstd, whose column sums are the gradient of gamma. */
void train_layernorm_backward(struct nn *nn, struct nn_tensor *dx, struct nn_tensor *parts,
			      const struct nn_tensor *g, const struct nn_tensor *x,
			      const struct nn_tensor *gamma, const struct nn_tensor *mean,
			      const struct nn_tensor *rstd);
/* The sums of all columns of X, as a row, times SCALE. */
void train_sum_rows(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *x);
/* Sum over batches. */
void train_sum_batch(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *x);
/* [B, 1, S, PARTS * E] to PARTS tensors [B, H, S, E / H], and back. */
void train_heads_split(struct nn *nn, struct nn_tensor *const *out, unsigned parts,
		       const struct nn_tensor *x);
void train_heads_merge(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *const *in,
		       unsigned parts);
/* Causal attention; LSE: [B, H, S, 1], float32, the logarithm of each row's sum of exponentials. */
void train_attention(struct nn *nn, struct nn_tensor *o, struct nn_tensor *lse,
		     const struct nn_tensor *q, const struct nn_tensor *k,
		     const struct nn_tensor *v);
/* D: like LSE; computed for train_attention_backward_kv(). */
void train_attention_backward_q(struct nn *nn, struct nn_tensor *dq, struct nn_tensor *d,
				const struct nn_tensor *g, const struct nn_tensor *o,
				const struct nn_tensor *q, const struct nn_tensor *k,
				const struct nn_tensor *v, const struct nn_tensor *lse);
void train_attention_backward_kv(struct nn *nn, struct nn_tensor *dk, struct nn_tensor *dv,
				 const struct nn_tensor *g, const struct nn_tensor *q,
				 const struct nn_tensor *k, const struct nn_tensor *v,
				 const struct nn_tensor *lse, const struct nn_tensor *d);
void train_embedding(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *ids,
		     const struct nn_tensor *table);
void train_embedding_backward(struct nn *nn, struct nn_tensor *dtable, const struct nn_tensor *ids,
			      const struct nn_tensor *g);
/* LOSS: a column of float32, one per row. Only the first CLASSES columns of LOGITS count. */
void train_cross_entropy(struct nn *nn, struct nn_tensor *loss, const struct nn_tensor *logits,
			 const struct nn_tensor *targets, uint32_t classes);
void train_cross_entropy_backward(struct nn *nn, struct nn_tensor *dlogits,
				  const struct nn_tensor *logits, const struct nn_tensor *targets,
				  uint32_t classes, float scale);
/* The mean of a column: its first value. */
void train_mean(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *column);

struct train_adamw {
	float lr, beta1, beta2, epsilon, weight_decay;
	double beta1_power, beta2_power; /* beta^t */
};
void train_adamw(struct nn *nn, struct nn_tensor *parameter, struct nn_tensor *gradient,
		 struct nn_tensor *m, struct nn_tensor *v, const struct train_adamw *how);
/* COUNT ops that do nothing but mark a place in the report; POINT: one value, made when needed. */
void train_marker(struct nn *nn, struct nn_tensor *point, const char *identifier, unsigned count);

#endif
