/* SPDX-License-Identifier: Apache-2.0 */
/* The model: parameters, the forward and the backward pass, the optimizer's step. */
#include "gpt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EPSILON 1e-6f

static uint64_t gpt_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* Normally distributed, by twelve uniform numbers: the same on every machine. */
static float gpt_normal(uint64_t *state)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)(gpt_random(state) >> 11) / 9007199254740992.0;
	return (float)sum;
}

static uint32_t padded(uint32_t n)
{
	return (n + 31) / 32 * 32;
}

struct gpt_parameter *gpt_block_parameter(struct gpt *g, unsigned block, unsigned which)
{
	return &g->parameters[GPT_PARAMETERS + block * GPT_BLOCK_PARAMETERS + which];
}

/* DEVIATION of the initial values; 0: all of them are VALUE. */
static void parameter_new(struct gpt *g, struct gpt_parameter *p, uint32_t rows, uint32_t columns,
			  float value, float deviation, uint64_t *random)
{
	size_t n = (size_t)rows * columns;
	float *values = calloc(n, sizeof(*values)), *zeros = calloc(n, sizeof(*zeros));

	if (!values || !zeros)
		gpt_fail("no memory");
	nn_tensor_new(g->nn, &p->value, 1, 1, rows, columns, TACHO_BFLOAT16);
	nn_tensor_new(g->nn, &p->gradient, 1, 1, rows, columns, TACHO_BFLOAT16);
	nn_tensor_new(g->nn, &p->m, 1, 1, rows, columns, TACHO_FLOAT32);
	nn_tensor_new(g->nn, &p->v, 1, 1, rows, columns, TACHO_FLOAT32);
	for (size_t i = 0; i < n; i++)
		values[i] = deviation > 0 ? deviation * gpt_normal(random) : value;
	nn_write(g->nn, &p->value, values);
	nn_write(g->nn, &p->m, zeros);
	nn_write(g->nn, &p->v, zeros);
	free(values);
	free(zeros);
}

static void parameters_new(struct gpt *g, uint64_t seed)
{
	static const struct {
		const char *name;
		uint8_t rows, columns; /* times dim; 0: one */
		float value, deviation;
	} of_block[GPT_BLOCK_PARAMETERS] = {
		[GPT_LN1_GAMMA] = {"ln1/gamma", 0, 1, 1, 0},
		[GPT_LN1_BETA] = {"ln1/beta", 0, 1, 0, 0},
		[GPT_QKV_WEIGHT] = {"qkv/weight", 3, 1, 0, 0.02f},
		[GPT_QKV_BIAS] = {"qkv/bias", 0, 3, 0, 0},
		[GPT_OUT_WEIGHT] = {"out/weight", 1, 1, 0, 0.02f},
		[GPT_OUT_BIAS] = {"out/bias", 0, 1, 0, 0},
		[GPT_LN2_GAMMA] = {"ln2/gamma", 0, 1, 1, 0},
		[GPT_LN2_BETA] = {"ln2/beta", 0, 1, 0, 0},
		[GPT_FC1_WEIGHT] = {"fc1/weight", 4, 1, 0, 0.02f},
		[GPT_FC1_BIAS] = {"fc1/bias", 0, 4, 0, 0},
		[GPT_FC2_WEIGHT] = {"fc2/weight", 1, 4, 0, 0.02f},
		[GPT_FC2_BIAS] = {"fc2/bias", 0, 1, 0, 0},
	};
	static const char *const names[GPT_PARAMETERS] = {"tokens", "positions", "ln_f/gamma",
							  "ln_f/beta", "head"};
	const struct gpt_shape *s = &g->shape;
	const uint32_t rows[GPT_PARAMETERS] = {padded(s->vocabulary), s->sequence, 1, 1,
					       padded(s->vocabulary)};
	uint64_t random = seed;

	g->parameter_count = GPT_PARAMETERS + s->blocks * GPT_BLOCK_PARAMETERS;
	g->parameters = calloc(g->parameter_count, sizeof(*g->parameters));
	if (!g->parameters)
		gpt_fail("no memory");
	for (unsigned i = 0; i < GPT_PARAMETERS; i++) {
		bool norm = i == GPT_LNF_GAMMA || i == GPT_LNF_BETA;

		snprintf(g->parameters[i].name, sizeof(g->parameters[i].name), "%s", names[i]);
		parameter_new(g, &g->parameters[i], rows[i], s->dim, i == GPT_LNF_GAMMA,
			      norm ? 0 : 0.02f, &random);
	}
	for (unsigned b = 0; b < s->blocks; b++)
		for (unsigned i = 0; i < GPT_BLOCK_PARAMETERS; i++) {
			struct gpt_parameter *p = gpt_block_parameter(g, b, i);

			snprintf(p->name, sizeof(p->name), "block_%u/%s", b, of_block[i].name);
			parameter_new(g, p, of_block[i].rows ? of_block[i].rows * s->dim : 1,
				      of_block[i].columns * s->dim, of_block[i].value,
				      of_block[i].deviation, &random);
		}
}

static void block_new(struct gpt *g, struct gpt_block *b)
{
	const struct gpt_shape *s = &g->shape;
	uint32_t n = s->batch, h = s->heads, t = s->sequence, e = s->dim;
	struct nn_tensor *plain[] = {&b->norm1, &b->merged, &b->projected, &b->middle,
				     &b->norm2, &b->mlp,    &b->out};
	struct nn_tensor *heads[] = {&b->q, &b->k, &b->v, &b->attended};
	struct nn_tensor *columns[] = {&b->mean1, &b->rstd1, &b->mean2, &b->rstd2};

	for (unsigned i = 0; i < 7; i++)
		nn_tensor_new(g->nn, plain[i], n, 1, t, e, TACHO_BFLOAT16);
	for (unsigned i = 0; i < 4; i++) {
		nn_tensor_new(g->nn, heads[i], n, h, t, e / h, TACHO_BFLOAT16);
		nn_tensor_new(g->nn, columns[i], n, 1, t, 1, TACHO_FLOAT32);
	}
	nn_tensor_new(g->nn, &b->qkv, n, 1, t, 3 * e, TACHO_BFLOAT16);
	nn_tensor_new(g->nn, &b->lse, n, h, t, 1, TACHO_FLOAT32);
	nn_tensor_new(g->nn, &b->hidden, n, 1, t, 4 * e, TACHO_BFLOAT16);
	nn_tensor_new(g->nn, &b->active, n, 1, t, 4 * e, TACHO_BFLOAT16);
}

void gpt_new(struct gpt *g, struct nn *nn, const struct gpt_shape *shape, uint64_t seed)
{
	uint32_t n = shape->batch, h = shape->heads, t = shape->sequence, e = shape->dim;
	uint32_t v = padded(shape->vocabulary);
	struct nn_tensor *plain[] = {&g->embedded, &g->start, &g->norm,   &g->d_x,
				     &g->d_norm,   &g->d_sum, &g->d_parts};
	struct nn_tensor *heads[] = {&g->d_q, &g->d_k, &g->d_v, &g->d_heads};

	*g = (struct gpt){.nn = nn, .shape = *shape};
	parameters_new(g, seed);
	g->blocks = calloc(shape->blocks, sizeof(*g->blocks));
	if (!g->blocks)
		gpt_fail("no memory");
	for (unsigned i = 0; i < shape->blocks; i++)
		block_new(g, &g->blocks[i]);
	for (unsigned i = 0; i < 7; i++)
		nn_tensor_new(nn, plain[i], n, 1, t, e, TACHO_BFLOAT16);
	for (unsigned i = 0; i < 4; i++)
		nn_tensor_new(nn, heads[i], n, h, t, e / h, TACHO_BFLOAT16);
	nn_tensor_new(nn, &g->ids, 1, 1, n * t / 32, 32, TACHO_UINT32);
	nn_tensor_new(nn, &g->targets, 1, 1, n * t / 32, 32, TACHO_UINT32);
	nn_tensor_new(nn, &g->mean, n, 1, t, 1, TACHO_FLOAT32);
	nn_tensor_new(nn, &g->rstd, n, 1, t, 1, TACHO_FLOAT32);
	nn_tensor_new(nn, &g->logits, n, 1, t, v, TACHO_BFLOAT16);
	nn_tensor_new(nn, &g->d_logits, n, 1, t, v, TACHO_BFLOAT16);
	nn_tensor_new(nn, &g->losses, n, 1, t, 1, TACHO_FLOAT32);
	nn_tensor_new(nn, &g->loss, 1, 1, 1, 1, TACHO_FLOAT32);
	nn_tensor_new(nn, &g->d_qkv, n, 1, t, 3 * e, TACHO_BFLOAT16);
	nn_tensor_new(nn, &g->d_column, n, h, t, 1, TACHO_FLOAT32);
	nn_tensor_new(nn, &g->d_hidden, n, 1, t, 4 * e, TACHO_BFLOAT16);
	nn_tensor_new(nn, &g->d_active, n, 1, t, 4 * e, TACHO_BFLOAT16);
}

void gpt_free(struct gpt *g)
{
	struct nn_tensor *single[] = {
		&g->embedded, &g->start, &g->norm,     &g->d_x,      &g->d_norm,   &g->d_sum,
		&g->d_parts,  &g->d_q,   &g->d_k,      &g->d_v,      &g->d_heads,  &g->ids,
		&g->targets,  &g->mean,  &g->rstd,     &g->logits,   &g->d_logits, &g->losses,
		&g->loss,     &g->d_qkv, &g->d_column, &g->d_hidden, &g->d_active, &g->point};

	for (unsigned i = 0; i < g->parameter_count; i++) {
		nn_tensor_free(&g->parameters[i].value);
		nn_tensor_free(&g->parameters[i].gradient);
		nn_tensor_free(&g->parameters[i].m);
		nn_tensor_free(&g->parameters[i].v);
	}
	for (unsigned b = 0; b < g->shape.blocks; b++) {
		struct nn_tensor *of = (struct nn_tensor *)&g->blocks[b];

		for (unsigned i = 0; i < sizeof(g->blocks[b]) / sizeof(*of); i++)
			nn_tensor_free(&of[i]);
	}
	for (unsigned i = 0; i < sizeof(single) / sizeof(single[0]); i++)
		nn_tensor_free(single[i]);
	free(g->parameters);
	free(g->blocks);
	*g = (struct gpt){0};
}

uint64_t gpt_volume(const struct gpt *g)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < g->parameter_count; i++)
		n += nn_volume(&g->parameters[i].value);
	return n;
}

void gpt_load(struct gpt *g, const uint32_t *ids, const uint32_t *targets)
{
	train_write_ids(g->nn, &g->ids, ids);
	if (targets)
		train_write_ids(g->nn, &g->targets, targets);
}

/* ---- forward ---- */
#define VALUE(which)    (&gpt_block_parameter(g, block, which)->value)
#define GRADIENT(which) (&gpt_block_parameter(g, block, which)->gradient)

static void block_mark(struct gpt *g, const char *text)
{
	if (g->zones)
		train_marker(g->nn, &g->point, text, 1);
}

static void block_forward(struct gpt *g, unsigned block, const struct nn_tensor *x)
{
	struct gpt_block *b = &g->blocks[block];
	struct nn *nn = g->nn;

	block_mark(g, "[FWD] [START] Block");
	train_layernorm(nn, &b->norm1, &b->mean1, &b->rstd1, x, VALUE(GPT_LN1_GAMMA),
			VALUE(GPT_LN1_BETA), EPSILON);
	train_linear(nn, &b->qkv, &b->norm1, VALUE(GPT_QKV_WEIGHT), VALUE(GPT_QKV_BIAS));
	train_heads_split(nn, (struct nn_tensor *[]){&b->q, &b->k, &b->v}, 3, &b->qkv);
	train_attention(nn, &b->attended, &b->lse, &b->q, &b->k, &b->v);
	train_heads_merge(nn, &b->merged, (const struct nn_tensor *[]){&b->attended}, 1);
	train_linear(nn, &b->projected, &b->merged, VALUE(GPT_OUT_WEIGHT), VALUE(GPT_OUT_BIAS));
	train_add(nn, &b->middle, x, &b->projected);
	train_layernorm(nn, &b->norm2, &b->mean2, &b->rstd2, &b->middle, VALUE(GPT_LN2_GAMMA),
			VALUE(GPT_LN2_BETA), EPSILON);
	train_linear(nn, &b->hidden, &b->norm2, VALUE(GPT_FC1_WEIGHT), VALUE(GPT_FC1_BIAS));
	train_gelu(nn, &b->active, &b->hidden);
	train_linear(nn, &b->mlp, &b->active, VALUE(GPT_FC2_WEIGHT), VALUE(GPT_FC2_BIAS));
	train_add(nn, &b->out, &b->middle, &b->mlp);
	block_mark(g, "[FWD] [END] Block");
}

void gpt_forward(struct gpt *g)
{
	struct gpt_parameter *p = g->parameters;
	struct nn *nn = g->nn;
	const struct nn_tensor *x = &g->start;

	train_embedding(nn, &g->embedded, &g->ids, &p[GPT_TOKENS].value);
	train_add(nn, &g->start, &g->embedded, &p[GPT_POSITIONS].value);
	for (unsigned i = 0; i < g->shape.blocks; i++) {
		block_forward(g, i, x);
		x = &g->blocks[i].out;
	}
	train_layernorm(nn, &g->norm, &g->mean, &g->rstd, x, &p[GPT_LNF_GAMMA].value,
			&p[GPT_LNF_BETA].value, EPSILON);
	train_linear(nn, &g->logits, &g->norm, &p[GPT_HEAD].value, NULL);
	train_cross_entropy(nn, &g->losses, &g->logits, &g->targets, g->shape.vocabulary);
	train_mean(nn, &g->loss, &g->losses);
}

float gpt_loss(struct gpt *g)
{
	float loss;

	nn_read(g->nn, &g->loss, &loss);
	return loss;
}

/* ---- backward: d_x is the gradient of a block's output, then of its input ---- */

/* Gradients of weight and bias, and of the input (DX may be NULL). */
static void linear_backward(struct nn *nn, struct nn_tensor *dx, struct nn_tensor *dw,
			    struct nn_tensor *db, const struct nn_tensor *g,
			    const struct nn_tensor *x, const struct nn_tensor *w)
{
	train_matmul(nn, dx, g, w, false, false);
	train_matmul(nn, dw, g, x, true, false);
	if (db)
		train_sum_rows(nn, db, g);
}

/* Of a norm with a gradient in d_norm; the input's gradient is left in d_sum. */
static void norm_backward(struct gpt *g, struct nn_tensor *dgamma, struct nn_tensor *dbeta,
			  const struct nn_tensor *x, const struct nn_tensor *gamma,
			  const struct nn_tensor *mean, const struct nn_tensor *rstd)
{
	train_layernorm_backward(g->nn, &g->d_sum, &g->d_parts, &g->d_norm, x, gamma, mean, rstd);
	train_sum_rows(g->nn, dgamma, &g->d_parts);
	train_sum_rows(g->nn, dbeta, &g->d_norm);
}

static void block_backward(struct gpt *g, unsigned block, const struct nn_tensor *x)
{
	struct gpt_block *b = &g->blocks[block];
	struct nn *nn = g->nn;

	block_mark(g, "[BWD] [END] Block");
	linear_backward(nn, &g->d_active, GRADIENT(GPT_FC2_WEIGHT), GRADIENT(GPT_FC2_BIAS), &g->d_x,
			&b->active, VALUE(GPT_FC2_WEIGHT));
	train_gelu_backward(nn, &g->d_hidden, &g->d_active, &b->hidden);
	linear_backward(nn, &g->d_norm, GRADIENT(GPT_FC1_WEIGHT), GRADIENT(GPT_FC1_BIAS),
			&g->d_hidden, &b->norm2, VALUE(GPT_FC1_WEIGHT));
	norm_backward(g, GRADIENT(GPT_LN2_GAMMA), GRADIENT(GPT_LN2_BETA), &b->middle,
		      VALUE(GPT_LN2_GAMMA), &b->mean2, &b->rstd2);
	train_add(nn, &g->d_x, &g->d_x, &g->d_sum);
	linear_backward(nn, &g->d_norm, GRADIENT(GPT_OUT_WEIGHT), GRADIENT(GPT_OUT_BIAS), &g->d_x,
			&b->merged, VALUE(GPT_OUT_WEIGHT));
	train_heads_split(nn, (struct nn_tensor *[]){&g->d_heads}, 1, &g->d_norm);
	train_attention_backward_q(nn, &g->d_q, &g->d_column, &g->d_heads, &b->attended, &b->q,
				   &b->k, &b->v, &b->lse);
	train_attention_backward_kv(nn, &g->d_k, &g->d_v, &g->d_heads, &b->q, &b->k, &b->v, &b->lse,
				    &g->d_column);
	train_heads_merge(nn, &g->d_qkv, (const struct nn_tensor *[]){&g->d_q, &g->d_k, &g->d_v},
			  3);
	linear_backward(nn, &g->d_norm, GRADIENT(GPT_QKV_WEIGHT), GRADIENT(GPT_QKV_BIAS), &g->d_qkv,
			&b->norm1, VALUE(GPT_QKV_WEIGHT));
	norm_backward(g, GRADIENT(GPT_LN1_GAMMA), GRADIENT(GPT_LN1_BETA), x, VALUE(GPT_LN1_GAMMA),
		      &b->mean1, &b->rstd1);
	train_add(nn, &g->d_x, &g->d_x, &g->d_sum);
	block_mark(g, "[BWD] [START] Block");
}

void gpt_backward(struct gpt *g)
{
	struct gpt_parameter *p = g->parameters;
	struct nn *nn = g->nn;
	unsigned last = g->shape.blocks;
	float rows = (float)(g->shape.batch * g->shape.sequence);

	train_cross_entropy_backward(nn, &g->d_logits, &g->logits, &g->targets, g->shape.vocabulary,
				     1 / rows);
	linear_backward(nn, &g->d_norm, &p[GPT_HEAD].gradient, NULL, &g->d_logits, &g->norm,
			&p[GPT_HEAD].value);
	train_layernorm_backward(nn, &g->d_x, &g->d_parts, &g->d_norm,
				 last ? &g->blocks[last - 1].out : &g->start,
				 &p[GPT_LNF_GAMMA].value, &g->mean, &g->rstd);
	train_sum_rows(nn, &p[GPT_LNF_GAMMA].gradient, &g->d_parts);
	train_sum_rows(nn, &p[GPT_LNF_BETA].gradient, &g->d_norm);
	for (unsigned i = last; i--;)
		block_backward(g, i, i ? &g->blocks[i - 1].out : &g->start);
	train_sum_batch(nn, &p[GPT_POSITIONS].gradient, &g->d_x);
	train_embedding_backward(nn, &p[GPT_TOKENS].gradient, &g->ids, &g->d_x);
}

void gpt_step(struct gpt *g, const struct train_adamw *how)
{
	for (unsigned i = 0; i < g->parameter_count; i++) {
		struct gpt_parameter *p = &g->parameters[i];

		train_adamw(g->nn, &p->value, &p->gradient, &p->m, &p->v, how);
	}
}

/* ---- checkpoints ---- */
/* Magic, shape, step; then of each parameter values and both moments, as float32. */
#define CHECKPOINT_MAGIC 0x54504754u

static void checkpoint_copy(const struct gpt *g, FILE *f, const char *path, bool write)
{
	for (unsigned i = 0; i < g->parameter_count; i++) {
		struct gpt_parameter *p = &g->parameters[i];
		struct nn_tensor *of[] = {&p->value, &p->m, &p->v};

		for (int k = 0; k < 3; k++) {
			size_t n = nn_volume(of[k]);
			float *values = calloc(n, sizeof(*values));

			if (!values)
				gpt_fail("no memory");
			if (write)
				nn_read(g->nn, of[k], values);
			if ((write ? fwrite(values, 4, n, f) : fread(values, 4, n, f)) != n)
				gpt_fail(write ? "cannot write %s" : "%s is not complete", path);
			if (!write)
				nn_write(g->nn, of[k], values);
			free(values);
		}
	}
}

void gpt_save(const struct gpt *g, const char *path, uint32_t step)
{
	uint32_t head[8] = {CHECKPOINT_MAGIC, step};
	char part[4096];
	FILE *f;

	if ((size_t)snprintf(part, sizeof(part), "%s.part", path) >= sizeof(part))
		gpt_fail("the path %s is too long", path);
	f = fopen(part, "wb");
	memcpy(head + 2, &g->shape, sizeof(g->shape));
	if (!f || fwrite(head, sizeof(head), 1, f) != 1)
		gpt_fail("cannot write %s", part);
	checkpoint_copy(g, f, part, true);
	if (fclose(f) || rename(part, path) < 0)
		gpt_fail("cannot write %s", path);
}

uint32_t gpt_restore(struct gpt *g, const char *path)
{
	uint32_t head[8];
	FILE *f = fopen(path, "rb");

	if (!f)
		gpt_fail("cannot read %s", path);
	if (fread(head, sizeof(head), 1, f) != 1 || head[0] != CHECKPOINT_MAGIC)
		gpt_fail("%s is not a checkpoint of nano_gpt", path);
	if (memcmp(head + 2, &g->shape, sizeof(g->shape)))
		gpt_fail(
			"%s has %u blocks, %u heads, %u dimensions, sequence %u, batch %u, %u symbols",
			path, head[2], head[3], head[4], head[5], head[6], head[7]);
	checkpoint_copy(g, f, path, false);
	fclose(f);
	return head[1];
}
