/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ops of examples/nano_gpt against a plain model of double precision: activations, loss,
 * gradients by finite differences, steps of AdamW.
 */
#include "gpt.h"
#include "text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- the plain model ---- */
struct plain {
	struct gpt_shape shape;
	double *value[64]; /* parameters, as in struct gpt */
	unsigned count;
	size_t volume[64];
	const uint32_t *ids, *targets;
	double *x; /* the last residual stream, for comparison */
	double *logits;
};

static double *doubles_make(size_t n)
{
	double *p = calloc(n, sizeof(*p));

	assert_non_null(p);
	return p;
}

/* OUT[rows][n] = IN[rows][k] W[n][k]^T + B */
static void plain_linear(double *out, const double *in, const double *w, const double *b,
			 size_t rows, size_t k, size_t n)
{
	for (size_t r = 0; r < rows; r++)
		for (size_t j = 0; j < n; j++) {
			double sum = b ? b[j] : 0;

			for (size_t i = 0; i < k; i++)
				sum += in[r * k + i] * w[j * k + i];
			out[r * n + j] = sum;
		}
}

static void plain_norm(double *out, const double *in, const double *gamma, const double *beta,
		       size_t rows, size_t n)
{
	for (size_t r = 0; r < rows; r++) {
		double mean = 0, square = 0;

		for (size_t i = 0; i < n; i++)
			mean += in[r * n + i] / (double)n;
		for (size_t i = 0; i < n; i++)
			square += (in[r * n + i] - mean) * (in[r * n + i] - mean) / (double)n;
		for (size_t i = 0; i < n; i++)
			out[r * n + i] =
				(in[r * n + i] - mean) / sqrt(square + 1e-6) * gamma[i] + beta[i];
	}
}

static void plain_attention(double *out, const double *qkv, const struct gpt_shape *s)
{
	size_t d = s->dim / s->heads, e = s->dim;
	double *p = doubles_make(s->sequence);

	for (size_t b = 0; b < s->batch; b++)
		for (size_t h = 0; h < s->heads; h++)
			for (size_t t = 0; t < s->sequence; t++) {
				const double *q = qkv + (b * s->sequence + t) * 3 * e + h * d;
				double most = -1e300, sum = 0;

				for (size_t u = 0; u <= t; u++) {
					const double *k =
						qkv + (b * s->sequence + u) * 3 * e + e + h * d;

					p[u] = 0;
					for (size_t i = 0; i < d; i++)
						p[u] += q[i] * k[i] / sqrt((double)d);
					most = fmax(most, p[u]);
				}
				for (size_t u = 0; u <= t; u++)
					sum += p[u] = exp(p[u] - most);
				for (size_t i = 0; i < d; i++) {
					double o = 0;

					for (size_t u = 0; u <= t; u++)
						o += p[u] / sum *
						     qkv[(b * s->sequence + u) * 3 * e + 2 * e +
							 h * d + i];
					out[(b * s->sequence + t) * e + h * d + i] = o;
				}
			}
	free(p);
}

static double plain_loss(struct plain *m)
{
	const struct gpt_shape *s = &m->shape;
	size_t rows = (size_t)s->batch * s->sequence, e = s->dim,
	       v = (s->vocabulary + 31) / 32 * 32;
	double *x = m->x, *y = doubles_make(rows * 4 * e), *z = doubles_make(rows * 4 * e),
	       loss = 0;

	for (size_t r = 0; r < rows; r++)
		for (size_t i = 0; i < e; i++)
			x[r * e + i] = m->value[GPT_TOKENS][m->ids[r] * e + i] +
				       m->value[GPT_POSITIONS][r % s->sequence * e + i];
	for (unsigned b = 0; b < s->blocks; b++) {
		double **p = m->value + GPT_PARAMETERS + b * GPT_BLOCK_PARAMETERS;

		plain_norm(y, x, p[GPT_LN1_GAMMA], p[GPT_LN1_BETA], rows, e);
		plain_linear(z, y, p[GPT_QKV_WEIGHT], p[GPT_QKV_BIAS], rows, e, 3 * e);
		plain_attention(y, z, s);
		plain_linear(z, y, p[GPT_OUT_WEIGHT], p[GPT_OUT_BIAS], rows, e, e);
		for (size_t i = 0; i < rows * e; i++)
			x[i] += z[i];
		plain_norm(y, x, p[GPT_LN2_GAMMA], p[GPT_LN2_BETA], rows, e);
		plain_linear(z, y, p[GPT_FC1_WEIGHT], p[GPT_FC1_BIAS], rows, e, 4 * e);
		for (size_t i = 0; i < rows * 4 * e; i++)
			z[i] *= 0.5 * (1 + erf(z[i] / sqrt(2)));
		plain_linear(y, z, p[GPT_FC2_WEIGHT], p[GPT_FC2_BIAS], rows, 4 * e, e);
		for (size_t i = 0; i < rows * e; i++)
			x[i] += y[i];
	}
	plain_norm(y, x, m->value[GPT_LNF_GAMMA], m->value[GPT_LNF_BETA], rows, e);
	plain_linear(m->logits, y, m->value[GPT_HEAD], NULL, rows, e, v);
	for (size_t r = 0; r < rows; r++) {
		double sum = 0;

		for (size_t i = 0; i < s->vocabulary; i++)
			sum += exp(m->logits[r * v + i]);
		loss += (log(sum) - m->logits[r * v + m->targets[r]]) / (double)rows;
	}
	free(y);
	free(z);
	return loss;
}

/* ---- both models with the same parameters ---- */
static const struct gpt_shape small = {
	.blocks = 1, .heads = 2, .dim = 64, .sequence = 64, .batch = 2, .vocabulary = 25};

struct both {
	struct nn nn;
	struct gpt gpt;
	struct plain plain;
	struct text text;
	uint32_t ids[512], targets[512];
};

static double *tensor_doubles(struct nn *nn, const struct nn_tensor *t)
{
	size_t n = nn_volume(t);
	double *out = doubles_make(n);
	float *values = calloc(n, sizeof(*values));

	assert_non_null(values);
	nn_read(nn, t, values);
	for (size_t i = 0; i < n; i++)
		out[i] = (double)values[i];
	free(values);
	return out;
}

static void plain_take(struct both *b)
{
	for (unsigned i = 0; i < b->gpt.parameter_count; i++) {
		free(b->plain.value[i]);
		b->plain.value[i] = tensor_doubles(&b->nn, &b->gpt.parameters[i].value);
		b->plain.volume[i] = nn_volume(&b->gpt.parameters[i].value);
	}
}

static void both_open(struct both *b, const struct gpt_shape *shape)
{
	size_t rows = (size_t)shape->batch * shape->sequence;

	memset(b, 0, sizeof(*b));
	text_open(&b->text, NULL, 7);
	train_open(&b->nn);
	gpt_new(&b->gpt, &b->nn, shape, 7);
	text_batch(&b->text, shape->batch, shape->sequence, b->ids, b->targets);
	gpt_load(&b->gpt, b->ids, b->targets);
	b->plain = (struct plain){.shape = *shape,
				  .ids = b->ids,
				  .targets = b->targets,
				  .count = b->gpt.parameter_count};
	b->plain.x = doubles_make(rows * shape->dim);
	b->plain.logits = doubles_make(rows * 64);
	plain_take(b);
}

static void both_close(struct both *b)
{
	for (unsigned i = 0; i < b->plain.count; i++)
		free(b->plain.value[i]);
	free(b->plain.x);
	free(b->plain.logits);
	text_free(&b->text);
	gpt_free(&b->gpt);
	nn_close(&b->nn);
}

/* Larger weights than those of a start, so that attention and norms matter. */
static void weights_scale(struct both *b, float by)
{
	uint64_t seed = 99;

	for (unsigned i = 0; i < b->gpt.parameter_count; i++) {
		size_t n = b->plain.volume[i];
		float *values = calloc(n, sizeof(*values));

		assert_non_null(values);
		for (size_t k = 0; k < n; k++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			values[k] = (float)b->plain.value[i][k] +
				    by * ((float)(seed >> 40) / 8388608.0f - 1);
		}
		nn_write(&b->nn, &b->gpt.parameters[i].value, values);
		free(values);
	}
	plain_take(b);
}

static double data_correlation(const double *a, const double *b, size_t n)
{
	double ma = 0, mb = 0, aa = 0, bb = 0, ab = 0;

	for (size_t i = 0; i < n; i++) {
		ma += a[i] / (double)n;
		mb += b[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		aa += (a[i] - ma) * (a[i] - ma);
		bb += (b[i] - mb) * (b[i] - mb);
		ab += (a[i] - ma) * (b[i] - mb);
	}
	return ab / sqrt(aa * bb);
}

static void test_forward(void **state)
{
	static struct both b;
	double want, *got;
	size_t n;

	(void)state;
	both_open(&b, &small);
	weights_scale(&b, 0.1f);
	gpt_forward(&b.gpt);
	want = plain_loss(&b.plain);
	got = tensor_doubles(&b.nn, &b.gpt.blocks[0].out);
	n = nn_volume(&b.gpt.blocks[0].out);
	print_message("out: correlation %.6f\n", data_correlation(got, b.plain.x, n));
	assert_true(data_correlation(got, b.plain.x, n) > 0.9999);
	free(got);
	got = tensor_doubles(&b.nn, &b.gpt.logits);
	assert_true(data_correlation(got, b.plain.logits, nn_volume(&b.gpt.logits)) > 0.999);
	free(got);
	print_message("loss %.5f, plain %.5f\n", (double)gpt_loss(&b.gpt), want);
	assert_true(fabs((double)gpt_loss(&b.gpt) - want) < 0.005 * want);
	both_close(&b);
}

/* The gradient of each parameter along a random direction, against a difference of losses. */
static void test_gradients(void **state)
{
	static struct both b;
	uint64_t seed = 3;

	(void)state;
	both_open(&b, &small);
	weights_scale(&b, 0.1f);
	gpt_forward(&b.gpt);
	gpt_backward(&b.gpt);
	for (unsigned i = 0; i < b.gpt.parameter_count; i++) {
		double *gradient = tensor_doubles(&b.nn, &b.gpt.parameters[i].gradient), *v;
		double along = 0, norm = 0, want, step = 1e-3;
		double *way = doubles_make(b.plain.volume[i]);

		v = b.plain.value[i];
		/* Mostly along the gradient itself, or noise would hide it. */
		for (size_t k = 0; k < b.plain.volume[i]; k++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			way[k] = gradient[k] * ((double)(seed >> 40) / 8388608.0);
			norm += way[k] * way[k];
		}
		assert_true(norm > 0);
		for (size_t k = 0; k < b.plain.volume[i]; k++) {
			way[k] /= sqrt(norm);
			along += gradient[k] * way[k];
			v[k] += step * way[k];
		}
		want = plain_loss(&b.plain);
		for (size_t k = 0; k < b.plain.volume[i]; k++)
			v[k] -= 2 * step * way[k];
		want = (want - plain_loss(&b.plain)) / (2 * step);
		for (size_t k = 0; k < b.plain.volume[i]; k++)
			v[k] += step * way[k];
		print_message("%-22s %.6f, difference %.6f\n", b.gpt.parameters[i].name, along,
			      want);
		assert_true(fabs(along - want) < 0.03 * fabs(want) + 1e-6);
		free(gradient);
		free(way);
	}
	both_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forward),
		cmocka_unit_test(test_gradients),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
