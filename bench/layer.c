/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU time of ops on the software device: a transformer layer of 128 x 768 with 12 heads, forward,
 * as examples/nano_gpt computes it; an op of one tile; a product of tiles.
 */
#include "gpt.h"

#include <stdio.h>
#include <time.h>

#define ROUNDS 5

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* The least CPU time of a forward pass of one block, without embedding and loss: by difference. */
static double forward_ms(struct nn *nn, unsigned blocks)
{
	static uint32_t ids[128];
	struct gpt g;
	double best = 1e9;

	gpt_new(&g, nn,
		&(struct gpt_shape){.blocks = blocks,
				    .heads = 12,
				    .dim = 768,
				    .sequence = 128,
				    .batch = 1,
				    .vocabulary = 32},
		1);
	gpt_load(&g, ids, ids);
	for (int i = 0; i < ROUNDS; i++) {
		double start = cpu_ms();

		gpt_forward(&g);
		nn_finish(nn);
		if (cpu_ms() - start < best)
			best = cpu_ms() - start;
	}
	gpt_free(&g);
	return best;
}

static double add_ms(struct nn *nn, uint32_t rows, uint32_t columns, unsigned count)
{
	struct nn_tensor a, out;
	double best = 1e9;

	nn_tensor_new(nn, &a, 1, 1, rows, columns, TACHO_BFLOAT16);
	nn_tensor_new(nn, &out, 1, 1, rows, columns, TACHO_BFLOAT16);
	for (int i = 0; i < ROUNDS; i++) {
		double start = cpu_ms();

		for (unsigned k = 0; k < count; k++)
			train_add(nn, &out, &a, &a);
		nn_finish(nn);
		if (cpu_ms() - start < best)
			best = cpu_ms() - start;
	}
	nn_tensor_free(&a);
	nn_tensor_free(&out);
	return best / count;
}

static double product_ms(struct nn *nn, uint32_t m, uint32_t k, uint32_t n)
{
	struct nn_tensor a, b, out;
	double best = 1e9;

	nn_tensor_new(nn, &a, 1, 1, m, k, TACHO_BFLOAT16);
	nn_tensor_new(nn, &b, 1, 1, k, n, TACHO_BFLOAT16);
	nn_tensor_new(nn, &out, 1, 1, m, n, TACHO_BFLOAT16);
	for (int i = 0; i < ROUNDS; i++) {
		double start = cpu_ms();

		train_matmul(nn, &out, &a, &b, false, false);
		nn_finish(nn);
		if (cpu_ms() - start < best)
			best = cpu_ms() - start;
	}
	nn_tensor_free(&a);
	nn_tensor_free(&b);
	nn_tensor_free(&out);
	return best;
}

int main(void)
{
	struct nn nn = {0};
	double ms;

	train_open(&nn);
	add_ms(&nn, 32, 32, 1); /* compiles */
	printf("add of 1 tile: %.3f ms CPU (at most 0.1)\n", add_ms(&nn, 32, 32, 200));
	ms = add_ms(&nn, 1024, 1024, 1);
	printf("add of 1024 tiles: %.2f ms, %.2f us per tile (at most 10)\n", ms, ms * 1e3 / 1024);
	ms = product_ms(&nn, 512, 512, 512);
	printf("product 512^3: %.1f ms, %.2f us per product of tiles (at most 8)\n", ms,
	       ms * 1e3 / 4096);
	ms = product_ms(&nn, 128, 768, 3072);
	printf("product 128 x 768 x 3072: %.1f ms, %.2f us per product of tiles\n", ms,
	       ms * 1e3 / 9216);
	ms = forward_ms(&nn, 2);
	printf("layer 128 x 768: %.1f ms CPU (at most 150)\n", ms - forward_ms(&nn, 1));
	nn_close(&nn);
	return 0;
}
