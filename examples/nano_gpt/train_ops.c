/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ops: those that only training needs with their kernels, circular buffers, units of work,
 * performance model, and the name and attributes that the real op reports; the others as calls of
 * src/nn.
 */
#include "train_ops.h"

#include "nn/call.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gpt_fail(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("nano_gpt: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static void reason_print(const char *reason)
{
	gpt_fail("%s", reason);
}

void train_open(struct nn *nn)
{
	nn->failed = reason_print;
	nn_open(nn, NULL);
}

void train_write_ids(struct nn *nn, struct nn_tensor *t, const uint32_t *ids)
{
	nn_write_cells(nn, t, ids, 0);
}

static struct nn_job job_of(const char *name, const struct nn_tensor *out,
			    const struct nn_tensor *a, const struct nn_tensor *b,
			    const struct nn_tensor *c)
{
	const struct nn_tensor *in[] = {a, b, c};
	struct nn_job job = {.name = name, .outputs = 1, .out = {*out}};

	while (job.inputs < 3 && in[job.inputs]) {
		job.in[job.inputs] = *in[job.inputs];
		job.inputs++;
	}
	return job;
}

static const char *memory_text(const struct nn_tensor *t)
{
	return t->memory == TACHO_L1 ? "MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,"
				       "buffer_type=BufferType::L1)"
				     : "MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,"
				       "buffer_type=BufferType::DRAM)";
}

static void attributes_put(struct nn_job *job, const char *const *attributes)
{
	job->attributes = attributes;
	for (job->attribute_count = 0; attributes[job->attribute_count];)
		job->attribute_count += 2;
}

/* ---- products ---- */
static void product_run(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *a,
			const struct nn_tensor *b, const struct nn_tensor *bias, bool transpose_a,
			bool transpose_b)
{
	struct nn_job job = job_of("MatmulDeviceOperation", out, a, b, bias);
	/* One matrix of all rows, and so of all batches. */
	struct nn_tensor *flat[] = {&job.in[0], &job.in[1], &job.out[0]};

	for (unsigned i = 0; i < 3; i++) {
		flat[i]->shape[2] *= flat[i]->shape[0] * flat[i]->shape[1];
		flat[i]->shape[0] = flat[i]->shape[1] = 1;
	}
	job.fidelity = TACHO_HIFI2;
	attributes_put(&job, (const char *const[]){"compute_kernel_config",
						   "math_fidelity=MathFidelity::HiFi2", NULL});
	nn_product(nn, &job,
		   &(struct nn_product){.transpose_a = transpose_a, .transpose_b = transpose_b});
}

void train_linear(struct nn *nn, struct nn_tensor *y, const struct nn_tensor *x,
		  const struct nn_tensor *w, const struct nn_tensor *bias)
{
	product_run(nn, y, x, w, bias, false, true);
}

void train_matmul(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *a,
		  const struct nn_tensor *b, bool transpose_a, bool transpose_b)
{
	product_run(nn, out, a, b, NULL, transpose_a, transpose_b);
}

/* ---- tile by tile ---- */
void train_add(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *a,
	       const struct nn_tensor *b)
{
	struct nn_job job = job_of("BinaryNgDeviceOperation", out, a, b, NULL);

	attributes_put(&job, (const char *const[]){
				     "binary_op_type", "BinaryOpType::ADD", "lhs_activations", "{}",
				     "rhs_activations", "{}", "post_activations", "{}",
				     "memory_config", memory_text(out), "input_dtype",
				     nn_dtype_name(a), "dtype", nn_dtype_name(out),
				     "subtile_broadcast_type", "SubtileBroadcastType::NONE", NULL});
	nn_eltwise(nn, &job, &(struct nn_eltwise){.math = NN_MATH_ADD});
}

void train_gelu(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *x)
{
	struct nn_job job = job_of("UnaryDeviceOperation", out, x, NULL, NULL);
	struct nn_eltwise how = {.step_count = 1};

	nn_step_unary(&how.steps[0], "gelu", 0);
	attributes_put(&job,
		       (const char *const[]){
			       "op_chain", "{UnaryWithParam(op_type=UnaryOpType::GELU,params={0})}",
			       "output_dtype", nn_dtype_name(out), "output_memory_config",
			       memory_text(out), NULL});
	nn_eltwise(nn, &job, &how);
}

void train_gelu_backward(struct nn *nn, struct nn_tensor *dx, const struct nn_tensor *g,
			 const struct nn_tensor *x)
{
	struct nn_job job = job_of("GeluBwDeviceOperation", dx, g, x, NULL);
	struct nn_eltwise how = {.step_count = 2};

	nn_step_unary(&how.steps[0], "gelu_derivative", 1);
	nn_step_binary(&how.steps[1], "mul_binary", 0, 1, 0);
	attributes_put(&job, (const char *const[]){"output_dtype", nn_dtype_name(dx),
						   "output_memory_config", memory_text(dx), NULL});
	nn_eltwise(nn, &job, &how);
}

void train_adamw(struct nn *nn, struct nn_tensor *parameter, struct nn_tensor *gradient,
		 struct nn_tensor *m, struct nn_tensor *v, const struct train_adamw *how)
{
	struct nn_call c = {
		.name = "AdamWDeviceOperation",
		.reader = "tiles_read.cpp",
		.compute = "adamw.cpp",
		.writer = "tiles_write.cpp",
		.in = {parameter, gradient, m, v},
		.inputs = 4,
		.out = {parameter, m, v},
		.outputs = 3,
		.units = nn_pages(parameter),
		.tiles = true,
		.cbs = {{0, 8, parameter->format, 0},
			{1, 8, gradient->format, 0},
			{2, 8, TACHO_FLOAT32, 0},
			{3, 8, TACHO_FLOAT32, 0},
			{CB_OUT, 2, parameter->format, 0},
			{CB_OUT + 1, 2, TACHO_FLOAT32, 0},
			{CB_OUT + 2, 2, TACHO_FLOAT32, 0}},
		.cycles = 4 * nn_cycles("copy") + 6 * nn_cycles("mul_unary") +
			  2 * nn_cycles("add_binary") + nn_cycles("square") + nn_cycles("sqrt") +
			  nn_cycles("div_binary") + nn_cycles("sub_binary"),
	};
	/* The reader takes its periods, all 0, from the same place. */
	const float words[] = {how->beta1,
			       1 - how->beta1,
			       how->beta2,
			       1 - how->beta2,
			       (float)(how->lr / (1 - how->beta1_power)),
			       (float)(1 / (1 - how->beta2_power)),
			       how->epsilon,
			       1 - how->lr * how->weight_decay};

	for (unsigned i = 0; i < 8; i++)
		c.compute_words[i] = nn_float_bits(words[i]);
	nn_attribute_add(&c, "lr", "%g", (double)how->lr);
	nn_attribute_add(&c, "beta1", "%g", (double)how->beta1);
	nn_attribute_add(&c, "beta2", "%g", (double)how->beta2);
	nn_attribute_add(&c, "beta1_pow", "%g", how->beta1_power);
	nn_attribute_add(&c, "beta2_pow", "%g", how->beta2_power);
	nn_attribute_add(&c, "epsilon", "%g", (double)how->epsilon);
	nn_attribute_add(&c, "weight_decay", "%g", (double)how->weight_decay);
	nn_attribute_add(&c, "amsgrad", "false");
	nn_attribute_add(&c, "stochastic_rounding", "false");
	nn_run(nn, &c);
}

/* ---- layer norm ---- */
void train_layernorm(struct nn *nn, struct nn_tensor *y, struct nn_tensor *mean,
		     struct nn_tensor *rstd, const struct nn_tensor *x,
		     const struct nn_tensor *gamma, const struct nn_tensor *beta, float epsilon)
{
	struct nn_job job = job_of("LayerNormForwardDeviceOperation", y, x, gamma, beta);
	char text[32];

	job.out[job.outputs++] = *mean;
	job.out[job.outputs++] = *rstd;
	snprintf(text, sizeof(text), "%g", (double)epsilon);
	attributes_put(&job,
		       (const char *const[]){"epsilon", text, "return_mean_rstd", "true", NULL});
	nn_norm(nn, &job,
		&(struct nn_norm){.flags = NN_NORM_GAMMA | NN_NORM_BETA | NN_NORM_STATS,
				  .epsilon = epsilon});
}

void train_layernorm_backward(struct nn *nn, struct nn_tensor *dx, struct nn_tensor *parts,
			      const struct nn_tensor *g, const struct nn_tensor *x,
			      const struct nn_tensor *gamma, const struct nn_tensor *mean,
			      const struct nn_tensor *rstd)
{
	uint32_t wt = nn_columns(x);
	struct nn_call c = {
		.name = "LayerNormBackwardDeviceOperation",
		.reader = "layernorm_bw_read.cpp",
		.compute = "layernorm_bw.cpp",
		.writer = "layernorm_bw_write.cpp",
		.in = {g, x, gamma, mean, rstd},
		.inputs = 5,
		.out = {dx, parts},
		.outputs = 2,
		.words = {wt, nn_float_bits(1.0f / (float)x->shape[3])},
		.units = nn_rows(x),
		.cbs = {{0, 2 * wt, g->format, 0},
			{1, 2 * wt, x->format, 0},
			{2, wt, gamma->format, 0},
			{3, 2, TACHO_FLOAT32, 0},
			{4, 2, TACHO_FLOAT32, 0},
			{CB_OUT, 2, dx->format, 0},
			{CB_OUT + 1, 2, parts->format, 0},
			{CB_TEMP, wt, TACHO_FLOAT32, 0},
			{CB_TEMP + 1, wt, TACHO_FLOAT32, 0},
			{CB_TEMP + 2, 1, TACHO_FLOAT32, 0},
			{CB_TEMP + 3, 1, TACHO_FLOAT32, 0}},
		.cycles = wt * (6 * nn_cycles("mul") + 3 * nn_cycles("sub") +
				nn_cycles("sub_binary")) +
			  2 * nn_cycles("reduce_dst"),
	};

	nn_run(nn, &c);
}

/* ---- sums ---- */
void train_sum_rows(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *x)
{
	struct nn_job job = job_of("ReduceDeviceOperation", out, x, NULL, NULL);

	job.in[0].shape[2] *= x->shape[0] * x->shape[1]; /* one matrix */
	job.in[0].shape[0] = job.in[0].shape[1] = 1;
	attributes_put(&job, (const char *const[]){"math_op", "ReduceOpMath::SUM", "dim",
						   "ReduceOpDim::H", "scaler", "1",
						   "output_mem_config", memory_text(out),
						   "output_dtype", nn_dtype_name(out), NULL});
	nn_reduce(nn, &job, &(struct nn_reduce){.dim = 2, .scale = 1});
}

void train_sum_batch(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *x)
{
	struct nn_job job = job_of("FastReduceNCDeviceOperation", out, x, NULL, NULL);

	attributes_put(&job, (const char *const[]){"dims", "{0}", "output_mem_config",
						   memory_text(out), NULL});
	nn_reduce(nn, &job, &(struct nn_reduce){.dim = 0, .scale = 1});
}

void train_mean(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *column)
{
	struct nn_job job = job_of("MorehMeanOperation", out, column, NULL, NULL);

	job.in[0].shape[2] *= column->shape[0] * column->shape[1];
	job.in[0].shape[0] = job.in[0].shape[1] = 1;
	attributes_put(&job, (const char *const[]){"dim", "2", "keepdim", "true", NULL});
	nn_reduce(nn, &job,
		  &(struct nn_reduce){.dim = 2, .scale = 1.0f / (float)nn_volume(column)});
}

/* ---- heads ---- */
void train_heads_split(struct nn *nn, struct nn_tensor *const *out, unsigned parts,
		       const struct nn_tensor *x)
{
	struct nn_job job = job_of("NlpCreateHeadsDeviceOperation", out[0], x, NULL, NULL);
	struct nn_heads how = {0};
	char heads[16], width[16];

	for (job.outputs = 0; job.outputs < parts; job.outputs++) {
		job.out[job.outputs] = *out[job.outputs];
		how.heads[job.outputs] = out[0]->shape[1];
	}
	snprintf(heads, sizeof(heads), "%u", out[0]->shape[1]);
	snprintf(width, sizeof(width), "%u", out[0]->shape[3]);
	attributes_put(&job, (const char *const[]){"num_q_heads", heads, "num_kv_heads",
						   parts > 1 ? heads : "0", "head_dim", width,
						   "transpose_k_heads", "false",
						   "output_mem_config", memory_text(out[0]), NULL});
	nn_heads_split(nn, &job, &how);
}

void train_heads_merge(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *const *in,
		       unsigned parts)
{
	struct nn_job job = job_of("NLPConcatHeadsDeviceOperation", out, in[0],
				   parts > 1 ? in[1] : NULL, parts > 2 ? in[2] : NULL);

	attributes_put(&job, (const char *const[]){"output_mem_config", memory_text(out), NULL});
	nn_heads_merge(nn, &job);
}

/* ---- attention ---- */
/* Keys that a tile row of queries sees on average, in tiles: only up to itself. */
static double causal_tiles(const struct nn_tensor *t)
{
	return (t->shape[2] / 32 + 1) / 2.0;
}

static struct nn_call attention_call(const char *name, const char *compute, const char *writer,
				     const char *define, const struct nn_tensor *q)
{
	struct nn_call c = {
		.name = name,
		.compute = compute,
		.reader = "sdpa_read.cpp",
		.writer = writer,
		.define = define,
		.words = {q->shape[2] / 32, nn_columns(q),
			  nn_float_bits(1 / sqrtf((float)q->shape[3])), 1},
		.units = nn_rows(q),
	};

	nn_attribute_add(&c, "mask_type", "AttentionMaskType::Causal");
	nn_attribute_add(&c, "dropout_probability", "0");
	return c;
}

void train_attention(struct nn *nn, struct nn_tensor *o, struct nn_tensor *lse,
		     const struct nn_tensor *q, const struct nn_tensor *k,
		     const struct nn_tensor *v)
{
	uint32_t wt = nn_columns(q), rows = q->shape[2] / 32;
	struct nn_call c =
		attention_call("SDPAForwardDeviceOperation", "sdpa.cpp", "sdpa_write.cpp", NULL, q);
	const struct nn_cb cbs[] = {
		{0, 2 * wt, q->format, 0},          {1, (rows + 1) * wt, k->format, 0},
		{2, (rows + 1) * wt, v->format, 0}, {CB_SCALER, 1, TACHO_FLOAT32, 0},
		{CB_MASK, 1, TACHO_BFLOAT16, 0},    {CB_OUT, 2, o->format, 0},
		{CB_OUT + 1, 1, TACHO_FLOAT32, 0},  {CB_TEMP, rows, TACHO_FLOAT32, 0},
		{CB_TEMP + 1, 1, TACHO_FLOAT32, 0}, {CB_TEMP + 2, rows, TACHO_FLOAT32, 0},
		{CB_TEMP + 3, 1, TACHO_FLOAT32, 0}};

	memcpy(c.cbs, cbs, sizeof(cbs));
	memcpy(c.in, (const struct nn_tensor *[]){q, k, v}, 3 * sizeof(c.in[0]));
	c.inputs = 3;
	c.out[0] = o;
	c.out[1] = lse;
	c.outputs = 2;
	c.cycles = (uint64_t)(causal_tiles(q) *
			      (2 * wt * nn_cycles("matmul") + 2 * nn_cycles("reduce") +
			       nn_cycles("exp") + nn_cycles("mul_unary") + nn_cycles("sub")));
	nn_attribute_add(&c, "return_intermediates", "true");
	nn_run(nn, &c);
}

void train_attention_backward_q(struct nn *nn, struct nn_tensor *dq, struct nn_tensor *d,
				const struct nn_tensor *g, const struct nn_tensor *o,
				const struct nn_tensor *q, const struct nn_tensor *k,
				const struct nn_tensor *v, const struct nn_tensor *lse)
{
	uint32_t wt = nn_columns(q), rows = q->shape[2] / 32;
	struct nn_call c = attention_call("SDPABackwardQDeviceOperation", "sdpa_bw_q.cpp",
					  "sdpa_write.cpp", "BACKWARD_Q", q);
	const struct nn_cb cbs[] = {
		{0, 2 * wt, g->format, 0},          {1, 2 * wt, o->format, 0},
		{2, 2 * wt, q->format, 0},          {3, (rows + 1) * wt, k->format, 0},
		{4, (rows + 1) * wt, v->format, 0}, {8, 2, TACHO_FLOAT32, 0},
		{CB_MASK, 1, TACHO_BFLOAT16, 0},    {CB_OUT, 2, dq->format, 0},
		{CB_OUT + 1, 1, TACHO_FLOAT32, 0},  {CB_TEMP, rows, TACHO_FLOAT32, 0},
		{CB_TEMP + 1, 1, TACHO_FLOAT32, 0}};

	memcpy(c.cbs, cbs, sizeof(cbs));
	memcpy(c.in, (const struct nn_tensor *[]){g, o, q, k, v, lse}, 6 * sizeof(c.in[0]));
	c.inputs = 6;
	c.out[0] = dq;
	c.out[1] = d;
	c.outputs = 2;
	c.cycles =
		(uint64_t)(causal_tiles(q) * (3 * wt * nn_cycles("matmul") + nn_cycles("exp") +
					      3 * nn_cycles("mul_unary") + 2 * nn_cycles("sub")));
	nn_run(nn, &c);
}

void train_attention_backward_kv(struct nn *nn, struct nn_tensor *dk, struct nn_tensor *dv,
				 const struct nn_tensor *g, const struct nn_tensor *q,
				 const struct nn_tensor *k, const struct nn_tensor *v,
				 const struct nn_tensor *lse, const struct nn_tensor *d)
{
	uint32_t wt = nn_columns(q), rows = q->shape[2] / 32;
	struct nn_call c = attention_call("SDPABackwardKVDeviceOperation", "sdpa_bw_kv.cpp",
					  "rows_write.cpp", "BACKWARD_KV", q);
	const struct nn_cb cbs[] = {{0, (rows + 1) * wt, g->format, 0},
				    {1, (rows + 1) * wt, q->format, 0},
				    {2, 2 * wt, k->format, 0},
				    {3, 2 * wt, v->format, 0},
				    {8, 2, TACHO_FLOAT32, 0},
				    {9, 2, TACHO_FLOAT32, 0},
				    {CB_MASK, 1, TACHO_BFLOAT16, 0},
				    {CB_OUT, 2 * wt, dk->format, 0},
				    {CB_OUT + 1, 2 * wt, dv->format, 0},
				    {CB_TEMP, rows, TACHO_FLOAT32, 0},
				    {CB_TEMP + 1, rows, TACHO_FLOAT32, 0}};

	memcpy(c.cbs, cbs, sizeof(cbs));
	memcpy(c.in, (const struct nn_tensor *[]){g, q, k, v, lse, d}, 6 * sizeof(c.in[0]));
	c.inputs = 6;
	c.out[0] = dk;
	c.out[1] = dv;
	c.outputs = 2;
	c.writer_words[0] = c.writer_words[1] = wt;
	c.cycles =
		(uint64_t)(causal_tiles(q) * (4 * wt * nn_cycles("matmul") + nn_cycles("exp") +
					      3 * nn_cycles("mul_unary") + 2 * nn_cycles("sub")));
	nn_run(nn, &c);
}

/* ---- embedding ---- */
void train_embedding(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *ids,
		     const struct nn_tensor *table)
{
	struct nn_job job = job_of("EmbeddingsDeviceOperation", out, ids, table, NULL);

	attributes_put(&job, (const char *const[]){"output_mem_config", memory_text(out), "tilized",
						   "true", "embeddings_type",
						   "EmbeddingsType::GENERIC", NULL});
	nn_embedding(nn, &job);
}

void train_embedding_backward(struct nn *nn, struct nn_tensor *dtable, const struct nn_tensor *ids,
			      const struct nn_tensor *g)
{
	uint32_t groups = nn_pages(ids);
	struct nn_call c = {
		.name = "EmbeddingBackwardDeviceOperation",
		.reader = "embedding_bw_read.cpp",
		.compute = "embedding_bw.cpp",
		.writer = "tiles_write.cpp",
		.in = {ids, g},
		.inputs = 2,
		.out = {dtable},
		.outputs = 1,
		.words = {groups, nn_columns(g)},
		.units = nn_pages(dtable),
		.cbs = {{0, 1, TACHO_UINT32, 0},
			{1, 2, g->format, 0},
			{CB_HOT, 2, TACHO_BFLOAT16, 0},
			{CB_OUT, 2, dtable->format, 0}},
		.cycles = groups * nn_cycles("matmul"),
	};

	nn_attribute_memory(&c, "output_mem_config", dtable);
	nn_attribute_add(&c, "output_dtype", "%s", nn_dtype_name(dtable));
	nn_attribute_add(&c, "num_embeddings", "%u", dtable->shape[2]);
	nn_run(nn, &c);
}

/* ---- loss ---- */
static struct nn_call entropy_call(const char *name, const char *define,
				   const struct nn_tensor *out, const struct nn_tensor *logits,
				   const struct nn_tensor *targets, uint32_t classes, float scale)
{
	uint32_t wt = nn_columns(logits);

	return (struct nn_call){
		.name = name,
		.define = define,
		.reader = "cross_entropy_read.cpp",
		.compute = "cross_entropy.cpp",
		.writer = "rows_write.cpp",
		.in = {logits, targets},
		.inputs = 2,
		.out = {out},
		.outputs = 1,
		.words = {wt, classes - 32 * (wt - 1), nn_float_bits(scale)},
		.writer_words = {nn_columns(out)},
		.units = nn_rows(logits),
		.cbs = {{0, 2 * wt, logits->format, 0},
			{1, 1, TACHO_UINT32, 0},
			{CB_SCALER, 1, TACHO_FLOAT32, 0},
			{CB_MASK, 1, TACHO_BFLOAT16, 0},
			{CB_HOT, 2 * wt, TACHO_BFLOAT16, 0},
			{CB_OUT, 2, out->format, 0},
			{CB_TEMP, wt, TACHO_FLOAT32, 0},
			{CB_TEMP + 1, 1, TACHO_FLOAT32, 0},
			{CB_TEMP + 2, wt, TACHO_FLOAT32, 0},
			{CB_TEMP + 3, 1, TACHO_FLOAT32, 0}},
		.cycles = wt * (nn_cycles("copy") + 2 * nn_cycles("reduce") + nn_cycles("exp") +
				nn_cycles("mul")),
	};
}

void train_cross_entropy(struct nn *nn, struct nn_tensor *loss, const struct nn_tensor *logits,
			 const struct nn_tensor *targets, uint32_t classes)
{
	struct nn_call c = entropy_call("CrossEntropyForwardDeviceOperation", NULL, loss, logits,
					targets, classes, 1);

	nn_run(nn, &c);
}

void train_cross_entropy_backward(struct nn *nn, struct nn_tensor *dlogits,
				  const struct nn_tensor *logits, const struct nn_tensor *targets,
				  uint32_t classes, float scale)
{
	struct nn_call c = entropy_call("CrossEntropyBackwardDeviceOperation", "BACKWARD", dlogits,
					logits, targets, classes, scale);

	nn_attribute_add(&c, "scaler", "%g", (double)scale);
	nn_run(nn, &c);
}

/* ---- markers ---- */
void train_marker(struct nn *nn, struct nn_tensor *point, const char *identifier, unsigned count)
{
	struct nn_call c = {
		.name = "ProfilerNoopOperation",
		.writer = "noop.cpp",
		.in = {point},
		.inputs = 1,
		.units = 1,
	};

	if (!point->buffer) {
		*point = (struct nn_tensor){.shape = {1, 1, 1, 8}, .format = TACHO_UINT32};
		nn_tensor_make(nn, point);
		point->shape[3] = 1;
	}
	nn_attribute_add(&c, "identifier", "%s", identifier);
	while (count--)
		nn_run(nn, &c);
}
