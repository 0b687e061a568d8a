/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ops: for each one its kernels, circular buffers, units of work, performance model, and the
 * name and attributes that the real op reports.
 */
#include "nn_private.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SCALER = 5, MASK = 6, HOT = 7, OUT = 16, TEMP = 24 };

static uint32_t float_bits(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, 4);
	return bits;
}

static unsigned cycles_of(const char *op)
{
	return tacho_tile_cycles(op, TACHO_HIFI4);
}

static void __attribute__((format(printf, 3, 4)))
attribute_set(struct nn_call *c, const char *name, const char *format, ...)
{
	va_list args;
	unsigned n = 0;

	while (n < NN_ATTRIBUTES - 1 && c->attributes[n].name)
		n++;
	c->attributes[n].name = name;
	va_start(args, format);
	vsnprintf(c->attributes[n].value, sizeof(c->attributes[n].value), format, args);
	va_end(args);
}

static void attribute_memory(struct nn_call *c, const char *name, const struct nn_tensor *t)
{
	attribute_set(c, name,
		      "MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,"
		      "buffer_type=BufferType::%s)",
		      t->memory == TACHO_L1 ? "L1" : "DRAM");
}

static const char *dtype_name(const struct nn_tensor *t)
{
	return t->format == TACHO_BFLOAT16 ? "DataType::BFLOAT16" : "DataType::FLOAT32";
}

/* ---- products ---- */

/*
 * The block of the product that a core computes at a time: at most 8 tiles, so that dst holds it
 * twice. Chooses the shape for which the busiest core takes the least time; a tile that is read
 * costs about as much as two products.
 */
static void block_choose(uint32_t rows, uint32_t columns, uint32_t cores, uint32_t *m, uint32_t *n)
{
	uint64_t best = UINT64_MAX;

	for (uint32_t h = 1; h <= 8 && h <= rows; h++)
		for (uint32_t w = 1; h * w <= 8 && w <= columns; w++) {
			uint64_t blocks = (uint64_t)((rows + h - 1) / h) * ((columns + w - 1) / w);
			uint64_t cost = (blocks + cores - 1) / cores * (h * w + 2 * (h + w));

			if (cost < best) {
				best = cost;
				*m = h;
				*n = w;
			}
		}
}

static void product_run(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *a,
			const struct nn_tensor *b, const struct nn_tensor *bias, bool transpose_a,
			bool transpose_b)
{
	uint32_t mt = nn_rows(out), nt = nn_columns(out);
	uint32_t kt = transpose_a ? nn_rows(a) : nn_columns(a), bk = kt < 4 ? kt : 4;
	uint32_t bm = 1, bn = 1;
	struct nn_call c = {
		.name = "MatmulDeviceOperation",
		.variant = bias          ? "bias"
			   : transpose_a ? "turn a"
			   : transpose_b ? "turn b"
					 : "",
		.reader = "matmul_read.cpp",
		.compute = "matmul.cpp",
		.writer = "matmul_write.cpp",
		.in = {a, b, bias},
		.inputs = bias ? 3 : 2,
		.out = {out},
		.outputs = 1,
		.fidelity = TACHO_HIFI2,
	};

	block_choose(mt, nt, nn_cores(nn, mt * nt), &bm, &bn);
	c.units = (mt + bm - 1) / bm * ((nt + bn - 1) / bn);
	memcpy(c.words,
	       (uint32_t[]){mt, kt, nt, bm, bn, bk, transpose_a, transpose_b, 0, bias != NULL},
	       sizeof(c.words));
	memcpy(c.cbs,
	       (struct nn_cb[]){{0, 2 * bm * bk, a->format},
				{1, 2 * bn * bk, b->format},
				{OUT, bm * bn, out->format},
				{2, bias ? 2 * bn : 0, TACHO_BFLOAT16}},
	       4 * sizeof(c.cbs[0]));
	/* As the real model: 4096 multiplications per cycle and core, on the whole grid. */
	c.ideal_cycles = 2.0 * mt * nt * kt * 32768 / (nn->info.cores * 4096.0) * 2;
	attribute_set(&c, "program_config",
		      "MatmulMultiCoreProgramConfig(block=%ux%u;in0_block_w=%u)", bm, bn, bk);
	attribute_set(&c, "bcast_batch", "true");
	attribute_memory(&c, "output_mem_config", out);
	attribute_set(&c, "output_dtype", "%s", dtype_name(out));
	attribute_set(&c, "compute_kernel_config", "math_fidelity=MathFidelity::HiFi2");
	attribute_set(&c, "transpose_a", "%s", transpose_a ? "true" : "false");
	attribute_set(&c, "transpose_b", "%s", transpose_b ? "true" : "false");
	nn_run(nn, &c);
}

void nn_linear(struct nn *nn, struct nn_tensor *y, const struct nn_tensor *x,
	       const struct nn_tensor *w, const struct nn_tensor *bias)
{
	product_run(nn, y, x, w, bias, false, true);
}

void nn_matmul(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *a,
	       const struct nn_tensor *b, bool transpose_a, bool transpose_b)
{
	product_run(nn, out, a, b, NULL, transpose_a, transpose_b);
}

/* ---- tile by tile ---- */
static struct nn_call eltwise_call(const char *name, const char *define,
				   const struct nn_tensor *out, const struct nn_tensor *a,
				   const struct nn_tensor *b)
{
	struct nn_call c = {
		.name = name,
		.variant = define,
		.define = define,
		.reader = "tiles_read.cpp",
		.compute = "eltwise.cpp",
		.writer = "tiles_write.cpp",
		.in = {a, b},
		.inputs = b ? 2 : 1,
		.out = {out},
		.outputs = 1,
		.units = nn_pages(out),
		.tiles = true,
		.cbs = {{0, 8, a->format},
			{OUT, 2, out->format},
			{1, b ? 8 : 0, b ? b->format : 0}},
	};

	if (b && nn_pages(b) != nn_pages(a))
		c.words[1] = nn_pages(b);
	return c;
}

void nn_add(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *a,
	    const struct nn_tensor *b)
{
	struct nn_call c = eltwise_call("BinaryNgDeviceOperation", "ELTWISE_ADD", out, a, b);

	c.cycles = cycles_of("add");
	attribute_set(&c, "binary_op_type", "BinaryOpType::ADD");
	attribute_set(&c, "lhs_activations", "{}");
	attribute_set(&c, "rhs_activations", "{}");
	attribute_set(&c, "post_activations", "{}");
	attribute_memory(&c, "memory_config", out);
	attribute_set(&c, "input_dtype", "%s", dtype_name(a));
	attribute_set(&c, "dtype", "%s", dtype_name(out));
	attribute_set(&c, "subtile_broadcast_type", "SubtileBroadcastType::NONE");
	nn_run(nn, &c);
}

void nn_gelu(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *x)
{
	struct nn_call c = eltwise_call("UnaryDeviceOperation", "ELTWISE_GELU", out, x, NULL);

	c.cycles = cycles_of("copy") + cycles_of("gelu");
	attribute_set(&c, "op_chain", "{UnaryWithParam(op_type=UnaryOpType::GELU,params={0})}");
	attribute_set(&c, "output_dtype", "%s", dtype_name(out));
	attribute_memory(&c, "output_memory_config", out);
	nn_run(nn, &c);
}

void nn_gelu_backward(struct nn *nn, struct nn_tensor *dx, const struct nn_tensor *g,
		      const struct nn_tensor *x)
{
	struct nn_call c = eltwise_call("GeluBwDeviceOperation", "ELTWISE_GELU_BW", dx, g, x);

	c.cycles = cycles_of("copy") + cycles_of("gelu_derivative") + cycles_of("mul");
	attribute_set(&c, "output_dtype", "%s", dtype_name(dx));
	attribute_memory(&c, "output_memory_config", dx);
	nn_run(nn, &c);
}

void nn_adamw(struct nn *nn, struct nn_tensor *parameter, struct nn_tensor *gradient,
	      struct nn_tensor *m, struct nn_tensor *v, const struct nn_adamw *how)
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
		.cbs = {{0, 8, parameter->format},
			{1, 8, gradient->format},
			{2, 8, TACHO_FLOAT32},
			{3, 8, TACHO_FLOAT32},
			{OUT, 2, parameter->format},
			{OUT + 1, 2, TACHO_FLOAT32},
			{OUT + 2, 2, TACHO_FLOAT32}},
		.cycles = 4 * cycles_of("copy") + 6 * cycles_of("mul_unary") +
			  2 * cycles_of("add_binary") + cycles_of("square") + cycles_of("sqrt") +
			  cycles_of("div_binary") + cycles_of("sub_binary"),
		.changing = true,
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
		c.compute_words[i] = float_bits(words[i]);
	attribute_set(&c, "lr", "%g", (double)how->lr);
	attribute_set(&c, "beta1", "%g", (double)how->beta1);
	attribute_set(&c, "beta2", "%g", (double)how->beta2);
	attribute_set(&c, "beta1_pow", "%g", how->beta1_power);
	attribute_set(&c, "beta2_pow", "%g", how->beta2_power);
	attribute_set(&c, "epsilon", "%g", (double)how->epsilon);
	attribute_set(&c, "weight_decay", "%g", (double)how->weight_decay);
	attribute_set(&c, "amsgrad", "false");
	attribute_set(&c, "stochastic_rounding", "false");
	nn_run(nn, &c);
}

/* ---- layer norm ---- */
void nn_layernorm(struct nn *nn, struct nn_tensor *y, struct nn_tensor *mean,
		  struct nn_tensor *rstd, const struct nn_tensor *x, const struct nn_tensor *gamma,
		  const struct nn_tensor *beta, float epsilon)
{
	uint32_t wt = nn_columns(x);
	struct nn_call c = {
		.name = "LayerNormForwardDeviceOperation",
		.reader = "layernorm_read.cpp",
		.compute = "layernorm.cpp",
		.writer = "layernorm_write.cpp",
		.in = {x, gamma, beta},
		.inputs = 3,
		.out = {y, mean, rstd},
		.outputs = 3,
		.words = {wt, float_bits(1.0f / (float)x->shape[3]), float_bits(epsilon)},
		.units = nn_rows(x),
		.cbs = {{0, 2 * wt, x->format},
			{1, wt, gamma->format},
			{2, wt, beta->format},
			{SCALER, 1, TACHO_FLOAT32},
			{OUT, 2, y->format},
			{OUT + 1, 1, TACHO_FLOAT32},
			{OUT + 2, 1, TACHO_FLOAT32},
			{TEMP, 1, TACHO_FLOAT32},
			{TEMP + 1, wt, TACHO_FLOAT32},
			{TEMP + 2, 1, TACHO_FLOAT32}},
		.cycles = wt * (cycles_of("reduce") + 3 * cycles_of("mul") + 2 * cycles_of("add")) +
			  cycles_of("reduce_dst") + cycles_of("rsqrt"),
	};

	attribute_set(&c, "epsilon", "%g", (double)epsilon);
	attribute_set(&c, "return_mean_rstd", "true");
	nn_run(nn, &c);
}

void nn_layernorm_backward(struct nn *nn, struct nn_tensor *dx, struct nn_tensor *parts,
			   const struct nn_tensor *g, const struct nn_tensor *x,
			   const struct nn_tensor *gamma, const struct nn_tensor *mean,
			   const struct nn_tensor *rstd)
{
	uint32_t wt = nn_columns(x);
	struct nn_call c = {
		.name = "LayerNormBackwardDeviceOperation",
		.define = "BACKWARD",
		.reader = "layernorm_read.cpp",
		.compute = "layernorm_bw.cpp",
		.writer = "layernorm_bw_write.cpp",
		.in = {g, x, gamma, mean, rstd},
		.inputs = 5,
		.out = {dx, parts},
		.outputs = 2,
		.words = {wt, float_bits(1.0f / (float)x->shape[3])},
		.units = nn_rows(x),
		.cbs = {{0, 2 * wt, g->format},
			{1, 2 * wt, x->format},
			{2, wt, gamma->format},
			{3, 2, TACHO_FLOAT32},
			{4, 2, TACHO_FLOAT32},
			{OUT, 2, dx->format},
			{OUT + 1, 2, parts->format},
			{TEMP, wt, TACHO_FLOAT32},
			{TEMP + 1, wt, TACHO_FLOAT32},
			{TEMP + 2, 1, TACHO_FLOAT32},
			{TEMP + 3, 1, TACHO_FLOAT32}},
		.cycles = wt * (6 * cycles_of("mul") + 3 * cycles_of("sub") +
				cycles_of("sub_binary")) +
			  2 * cycles_of("reduce_dst"),
	};

	nn_run(nn, &c);
}

/* ---- sums ---- */
static struct nn_call sum_call(const char *name, const char *define, const struct nn_tensor *out,
			       const struct nn_tensor *in, uint32_t units, float scale)
{
	uint32_t n = nn_pages(in) / units;

	return (struct nn_call){
		.name = name,
		.variant = define,
		.define = define,
		.reader = "reduce_read.cpp",
		.compute = "reduce.cpp",
		.writer = "tiles_write.cpp",
		.in = {in},
		.inputs = 1,
		.out = {out},
		.outputs = 1,
		.words = {n, units, float_bits(scale)},
		.units = units,
		.cbs = {{0, 8, in->format}, {SCALER, 1, TACHO_FLOAT32}, {OUT, 2, out->format}},
		.cycles = n * cycles_of(define ? "reduce" : "add"),
	};
}

void nn_sum_rows(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *x)
{
	struct nn_call c =
		sum_call("ReduceDeviceOperation", "REDUCE_COLUMNS", out, x, nn_columns(x), 1);

	attribute_set(&c, "math_op", "ReduceOpMath::SUM");
	attribute_set(&c, "dim", "ReduceOpDim::H");
	attribute_set(&c, "scaler", "1");
	attribute_memory(&c, "output_mem_config", out);
	attribute_set(&c, "output_dtype", "%s", dtype_name(out));
	nn_run(nn, &c);
}

void nn_sum_batch(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *x)
{
	struct nn_call c = sum_call("FastReduceNCDeviceOperation", NULL, out, x, nn_pages(out), 1);

	attribute_set(&c, "dims", "{0}");
	attribute_memory(&c, "output_mem_config", out);
	nn_run(nn, &c);
}

void nn_mean(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *column)
{
	struct nn_call c = sum_call("MorehMeanOperation", "REDUCE_COLUMNS", out, column, 1,
				    1.0f / (float)nn_volume(column));

	attribute_set(&c, "dim", "2");
	attribute_set(&c, "keepdim", "true");
	nn_run(nn, &c);
}

/* ---- heads ---- */
static void heads_attributes(struct nn_call *c, const struct nn_tensor *heads, unsigned parts)
{
	attribute_set(c, "num_q_heads", "%u", heads->shape[1]);
	attribute_set(c, "num_kv_heads", "%u", parts > 1 ? heads->shape[1] : 0);
	attribute_set(c, "head_dim", "%u", heads->shape[3]);
	attribute_set(c, "transpose_k_heads", "false");
	attribute_memory(c, "output_mem_config", heads);
}

static struct nn_call heads_call(const char *name, const char *file, const struct nn_tensor *heads,
				 const struct nn_tensor *whole, unsigned parts)
{
	return (struct nn_call){
		.name = name,
		.define = parts == 3 ? "PARTS=3" : "PARTS=1",
		.reader = file,
		.writer = file,
		.words = {heads->shape[2] / 32, heads->shape[1], nn_columns(heads)},
		.units = nn_rows(whole),
		.cbs = {{0, 2 * nn_columns(whole), whole->format}},
	};
}

void nn_heads_split(struct nn *nn, struct nn_tensor *const *out, unsigned parts,
		    const struct nn_tensor *x)
{
	struct nn_call c =
		heads_call("NlpCreateHeadsDeviceOperation", "heads_split.cpp", out[0], x, parts);

	c.in[c.inputs++] = x;
	while (c.outputs < parts) {
		c.out[c.outputs] = out[c.outputs];
		c.outputs++;
	}
	heads_attributes(&c, out[0], parts);
	nn_run(nn, &c);
}

void nn_heads_merge(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *const *in,
		    unsigned parts)
{
	struct nn_call c =
		heads_call("NLPConcatHeadsDeviceOperation", "heads_merge.cpp", in[0], out, parts);

	while (c.inputs < parts) {
		c.in[c.inputs] = in[c.inputs];
		c.inputs++;
	}
	c.out[c.outputs++] = out;
	attribute_memory(&c, "output_mem_config", out);
	nn_run(nn, &c);
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
			  float_bits(1 / sqrtf((float)q->shape[3])), 1},
		.units = nn_rows(q),
	};

	attribute_set(&c, "mask_type", "AttentionMaskType::Causal");
	attribute_set(&c, "dropout_probability", "0");
	return c;
}

void nn_attention(struct nn *nn, struct nn_tensor *o, struct nn_tensor *lse,
		  const struct nn_tensor *q, const struct nn_tensor *k, const struct nn_tensor *v)
{
	uint32_t wt = nn_columns(q), rows = q->shape[2] / 32;
	struct nn_call c =
		attention_call("SDPAForwardDeviceOperation", "sdpa.cpp", "sdpa_write.cpp", NULL, q);
	const struct nn_cb cbs[] = {
		{0, 2 * wt, q->format},          {1, (rows + 1) * wt, k->format},
		{2, (rows + 1) * wt, v->format}, {SCALER, 1, TACHO_FLOAT32},
		{MASK, 1, TACHO_BFLOAT16},       {OUT, 2, o->format},
		{OUT + 1, 1, TACHO_FLOAT32},     {TEMP, rows, TACHO_FLOAT32},
		{TEMP + 1, 1, TACHO_FLOAT32},    {TEMP + 2, rows, TACHO_FLOAT32},
		{TEMP + 3, 1, TACHO_FLOAT32}};

	memcpy(c.cbs, cbs, sizeof(cbs));
	memcpy(c.in, (const struct nn_tensor *[]){q, k, v}, 3 * sizeof(c.in[0]));
	c.inputs = 3;
	c.out[0] = o;
	c.out[1] = lse;
	c.outputs = 2;
	c.cycles = (uint64_t)(causal_tiles(q) *
			      (2 * wt * cycles_of("matmul") + 2 * cycles_of("reduce") +
			       cycles_of("exp") + cycles_of("mul_unary") + cycles_of("sub")));
	attribute_set(&c, "return_intermediates", "true");
	nn_run(nn, &c);
}

void nn_attention_backward_q(struct nn *nn, struct nn_tensor *dq, struct nn_tensor *d,
			     const struct nn_tensor *g, const struct nn_tensor *o,
			     const struct nn_tensor *q, const struct nn_tensor *k,
			     const struct nn_tensor *v, const struct nn_tensor *lse)
{
	uint32_t wt = nn_columns(q), rows = q->shape[2] / 32;
	struct nn_call c = attention_call("SDPABackwardQDeviceOperation", "sdpa_bw_q.cpp",
					  "sdpa_write.cpp", "BACKWARD_Q", q);
	const struct nn_cb cbs[] = {
		{0, 2 * wt, g->format},          {1, 2 * wt, o->format},
		{2, 2 * wt, q->format},          {3, (rows + 1) * wt, k->format},
		{4, (rows + 1) * wt, v->format}, {8, 2, TACHO_FLOAT32},
		{MASK, 1, TACHO_BFLOAT16},       {OUT, 2, dq->format},
		{OUT + 1, 1, TACHO_FLOAT32},     {TEMP, rows, TACHO_FLOAT32},
		{TEMP + 1, 1, TACHO_FLOAT32}};

	memcpy(c.cbs, cbs, sizeof(cbs));
	memcpy(c.in, (const struct nn_tensor *[]){g, o, q, k, v, lse}, 6 * sizeof(c.in[0]));
	c.inputs = 6;
	c.out[0] = dq;
	c.out[1] = d;
	c.outputs = 2;
	c.cycles =
		(uint64_t)(causal_tiles(q) * (3 * wt * cycles_of("matmul") + cycles_of("exp") +
					      3 * cycles_of("mul_unary") + 2 * cycles_of("sub")));
	nn_run(nn, &c);
}

void nn_attention_backward_kv(struct nn *nn, struct nn_tensor *dk, struct nn_tensor *dv,
			      const struct nn_tensor *g, const struct nn_tensor *q,
			      const struct nn_tensor *k, const struct nn_tensor *v,
			      const struct nn_tensor *lse, const struct nn_tensor *d)
{
	uint32_t wt = nn_columns(q), rows = q->shape[2] / 32;
	struct nn_call c = attention_call("SDPABackwardKVDeviceOperation", "sdpa_bw_kv.cpp",
					  "rows_write.cpp", "BACKWARD_KV", q);
	const struct nn_cb cbs[] = {
		{0, (rows + 1) * wt, g->format}, {1, (rows + 1) * wt, q->format},
		{2, 2 * wt, k->format},          {3, 2 * wt, v->format},
		{8, 2, TACHO_FLOAT32},           {9, 2, TACHO_FLOAT32},
		{MASK, 1, TACHO_BFLOAT16},       {OUT, 2 * wt, dk->format},
		{OUT + 1, 2 * wt, dv->format},   {TEMP, rows, TACHO_FLOAT32},
		{TEMP + 1, rows, TACHO_FLOAT32}};

	memcpy(c.cbs, cbs, sizeof(cbs));
	memcpy(c.in, (const struct nn_tensor *[]){g, q, k, v, lse, d}, 6 * sizeof(c.in[0]));
	c.inputs = 6;
	c.out[0] = dk;
	c.out[1] = dv;
	c.outputs = 2;
	c.writer_words[0] = c.writer_words[1] = wt;
	c.cycles =
		(uint64_t)(causal_tiles(q) * (4 * wt * cycles_of("matmul") + cycles_of("exp") +
					      3 * cycles_of("mul_unary") + 2 * cycles_of("sub")));
	nn_run(nn, &c);
}

/* ---- embedding ---- */
void nn_embedding(struct nn *nn, struct nn_tensor *out, const struct nn_tensor *ids,
		  const struct nn_tensor *table)
{
	uint32_t wt = nn_columns(table);
	struct nn_call c = {
		.name = "EmbeddingsDeviceOperation",
		.reader = "embedding_read.cpp",
		.writer = "rows_write.cpp",
		.in = {ids, table},
		.inputs = 2,
		.out = {out},
		.outputs = 1,
		.words = {wt},
		.units = nn_pages(ids),
		.cbs = {{0, 1, TACHO_UINT32}, {OUT, 2 * wt, out->format}},
	};

	attribute_memory(&c, "output_mem_config", out);
	attribute_set(&c, "tilized", "true");
	attribute_set(&c, "embeddings_type", "EmbeddingsType::GENERIC");
	nn_run(nn, &c);
}

void nn_embedding_backward(struct nn *nn, struct nn_tensor *dtable, const struct nn_tensor *ids,
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
		.cbs = {{0, 1, TACHO_UINT32},
			{1, 2, g->format},
			{HOT, 2, TACHO_BFLOAT16},
			{OUT, 2, dtable->format}},
		.cycles = groups * cycles_of("matmul"),
	};

	attribute_memory(&c, "output_mem_config", dtable);
	attribute_set(&c, "output_dtype", "%s", dtype_name(dtable));
	attribute_set(&c, "num_embeddings", "%u", dtable->shape[2]);
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
		.words = {wt, classes - 32 * (wt - 1), float_bits(scale)},
		.writer_words = {nn_columns(out)},
		.units = nn_rows(logits),
		.cbs = {{0, 2 * wt, logits->format},
			{1, 1, TACHO_UINT32},
			{SCALER, 1, TACHO_FLOAT32},
			{MASK, 1, TACHO_BFLOAT16},
			{HOT, 2 * wt, TACHO_BFLOAT16},
			{OUT, 2, out->format},
			{TEMP, wt, TACHO_FLOAT32},
			{TEMP + 1, 1, TACHO_FLOAT32},
			{TEMP + 2, wt, TACHO_FLOAT32},
			{TEMP + 3, 1, TACHO_FLOAT32}},
		.cycles = wt * (cycles_of("copy") + 2 * cycles_of("reduce") + cycles_of("exp") +
				cycles_of("mul")),
	};
}

void nn_cross_entropy(struct nn *nn, struct nn_tensor *loss, const struct nn_tensor *logits,
		      const struct nn_tensor *targets, uint32_t classes)
{
	struct nn_call c = entropy_call("CrossEntropyForwardDeviceOperation", NULL, loss, logits,
					targets, classes, 1);

	nn_run(nn, &c);
}

void nn_cross_entropy_backward(struct nn *nn, struct nn_tensor *dlogits,
			       const struct nn_tensor *logits, const struct nn_tensor *targets,
			       uint32_t classes, float scale)
{
	struct nn_call c = entropy_call("CrossEntropyBackwardDeviceOperation", "BACKWARD", dlogits,
					logits, targets, classes, scale);

	attribute_set(&c, "scaler", "%g", (double)scale);
	nn_run(nn, &c);
}

/* ---- markers ---- */
void nn_marker(struct nn *nn, const char *identifier, unsigned count)
{
	struct nn_call c = {
		.name = "ProfilerNoopOperation",
		.writer = "noop.cpp",
		.in = {&nn->point},
		.inputs = 1,
		.units = 1,
		.changing = true,
	};

	if (!nn->point.buffer) {
		nn->point = (struct nn_tensor){.shape = {1, 1, 1, 1}, .format = TACHO_UINT32};
		nn_check(tacho_buffer_new(&nn->point.buffer, nn->device, TACHO_DRAM, 32, 32));
	}
	attribute_set(&c, "identifier", "%s", identifier);
	while (count--)
		nn_run(nn, &c);
}
