/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensors on a device and the ops of a GPT, forward and backward. Each op is one program with the
 * kernels of firmware/ops; programs are cached by op and shapes, as their kernels take shapes at
 * run time.
 *
 * Tensors are [batch, 1, rows, columns] in tiles of 32 x 32, interleaved; the sizes of all but ids
 * are multiples of 32, or 1 row. Ops wait for nothing: results are there after nn_finish() or when
 * a tensor is read. All functions end the program with the device's reason when a call fails.
 */
#ifndef NN_H
#define NN_H

#include <tacho/device.h>

#include <stdbool.h>
#include <stdint.h>

struct nn_tensor {
	struct tacho_buffer *buffer;
	uint32_t shape[4];
	enum tacho_format format; /* TACHO_UINT32: ids, 32 in a page, not in tiles */
	enum tacho_memory memory;
};

struct nn {
	struct tacho_device *device;
	struct tacho_device_info info;
	bool l1;        /* new tensors are in L1 */
	uint32_t share; /* tiles that a core gets at least; 0 counts as 1 */
	struct nn_program *programs;
	unsigned program_count;
	struct nn_tensor point; /* one value, which markers get */
	uint64_t ops;
	uint64_t bytes; /* of all tensors */
};

void nn_open(struct nn *nn);
void nn_close(struct nn *nn);
void nn_finish(struct nn *nn);
/* Ends the program with a line. */
void nn_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
int nn_check(int result);

void nn_tensor_new(struct nn *nn, struct nn_tensor *t, uint32_t batch, uint32_t heads,
		   uint32_t rows, uint32_t columns, enum tacho_format format);
void nn_tensor_free(struct nn_tensor *t);
/* VALUES in row order. */
void nn_write(struct nn_tensor *t, const float *values);
void nn_read(const struct nn_tensor *t, float *values);
void nn_write_ids(struct nn_tensor *t, const uint32_t *ids);
uint64_t nn_volume(const struct nn_tensor *t);

/* y = x w^T + bias; BIAS may be NULL. W is [out, in]. */
void nn_linear(struct nn *nn, struct nn_tensor *y, const struct nn_tensor *x,
	       const struct nn_tensor *w, const struct nn_tensor *bias);
/* out = a b, each transposed if asked. */
void nn_matmul(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *a,
	       const struct nn_tensor *b, bool transpose_a, bool transpose_b);
/* B may have fewer batches than A: it is used again then. */
void nn_add(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *a,
	    const struct nn_tensor *b);
void nn_gelu(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *x);
void nn_gelu_backward(struct nn *nn, struct nn_tensor *dx, const struct nn_tensor *g,
		      const struct nn_tensor *x);
/* MEAN and RSTD: [rows, 1], float32. */
void nn_layernorm(struct nn *nn, struct nn_tensor *y, struct nn_tensor *mean,
		  struct nn_tensor *rstd, const struct nn_tensor *x, const struct nn_tensor *gamma,
		  const struct nn_tensor *beta, float epsilon);
/* PARTS: g (x - mean) rstd, whose column sums are the gradient of gamma. */
void nn_layernorm_backward(struct nn *nn, struct nn_tensor *dx, struct nn_tensor *parts,
			   const struct nn_tensor *g, const struct nn_tensor *x,
			   const struct nn_tensor *gamma, const struct nn_tensor *mean,
			   const struct nn_tensor *rstd);
/* The sums of all columns of X, as a row, times SCALE. */
void nn_sum_rows(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *x);
/* Sum over batches. */
void nn_sum_batch(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *x);
/* [B, 1, S, PARTS * E] to PARTS tensors [B, H, S, E / H], and back. */
void nn_heads_split(struct nn *nn, struct nn_tensor *const *out, unsigned parts,
		    const struct nn_tensor *x);
void nn_heads_merge(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *const *in,
		    unsigned parts);
/* Causal attention; LSE: [B, H, S, 1], float32, the logarithm of each row's sum of exponentials. */
void nn_attention(struct nn *nn, struct nn_tensor *o, struct nn_tensor *lse,
		  const struct nn_tensor *q, const struct nn_tensor *k, const struct nn_tensor *v);
/* D: like LSE; computed for nn_attention_backward_kv(). */
void nn_attention_backward_q(struct nn *nn, struct nn_tensor *dq, struct nn_tensor *d,
			     const struct nn_tensor *g, const struct nn_tensor *o,
			     const struct nn_tensor *q, const struct nn_tensor *k,
			     const struct nn_tensor *v, const struct nn_tensor *lse);
void nn_attention_backward_kv(struct nn *nn, struct nn_tensor *dk, struct nn_tensor *dv,
			      const struct nn_tensor *g, const struct nn_tensor *q,
			      const struct nn_tensor *k, const struct nn_tensor *v,
			      const struct nn_tensor *lse, const struct nn_tensor *d);
void nn_embedding(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *ids,
		  const struct nn_tensor *table);
void nn_embedding_backward(struct nn *nn, struct nn_tensor *dtable, const struct nn_tensor *ids,
			   const struct nn_tensor *g);
/* LOSS: a column of float32, one per row. Only the first CLASSES columns of LOGITS count. */
void nn_cross_entropy(struct nn *nn, struct nn_tensor *loss, const struct nn_tensor *logits,
		      const struct nn_tensor *targets, uint32_t classes);
void nn_cross_entropy_backward(struct nn *nn, struct nn_tensor *dlogits,
			       const struct nn_tensor *logits, const struct nn_tensor *targets,
			       uint32_t classes, float scale);
/* The mean of a column: its first value. */
void nn_mean(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *column);

struct nn_adamw {
	float lr, beta1, beta2, epsilon, weight_decay;
	double beta1_power, beta2_power; /* beta^t */
};
void nn_adamw(struct nn *nn, struct nn_tensor *parameter, struct nn_tensor *gradient,
	      struct nn_tensor *m, struct nn_tensor *v, const struct nn_adamw *how);
/* COUNT ops that do nothing but mark a place in the report. */
void nn_marker(struct nn *nn, const char *identifier, unsigned count);

#endif
