/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small network, recorded as its runtime would: ops with tensors and a performance model,
 * signposts, a trace that is replayed, an op that the host computes itself.
 *
 *	$ TT_METAL_DEVICE_PROFILER=1 tacho run -o layers.tacho -- layers
 */
#include "matrix.h"

#include <math.h>
#include <tacho/tacho.h>

#define BATCH   64u
#define WIDTH   128u
#define CLASSES 32u
#define REPLAYS 3u

static float x[BATCH][WIDTH], w1[WIDTH][WIDTH], w2[WIDTH][CLASSES], y[BATCH][CLASSES];

static void fill(float *values, unsigned n, unsigned step, float scale)
{
	for (unsigned i = 0; i < n; i++)
		values[i] = (float)((int)(i * step % 19) - 9) * scale;
}

/* The largest difference from the host's result, relative to the largest value. */
static double compare(void)
{
	double worst = 0, most = 1e-9;

	for (unsigned i = 0; i < BATCH; i++) {
		double hidden[WIDTH] = {0};

		for (unsigned k = 0; k < WIDTH; k++)
			for (unsigned j = 0; j < WIDTH; j++)
				hidden[j] += (double)x[i][k] * w1[k][j];
		for (unsigned c = 0; c < CLASSES; c++) {
			double want = 0;

			for (unsigned k = 0; k < WIDTH; k++)
				want += (hidden[k] > 0 ? hidden[k] : 0) * w2[k][c];
			most = fabs(want) > most ? fabs(want) : most;
			worst = fabs(want - y[i][c]) > worst ? fabs(want - y[i][c]) : worst;
		}
	}
	return worst / most;
}

/* On the host: the device has no kernel for it here. */
static void softmax(void)
{
	const struct tacho_tensor tensor = {.shape = {1, 1, BATCH, CLASSES}, .on_host = 1};
	struct tacho_op_host op = tacho_op_host_begin(
		&(struct tacho_op){.name = "(host) softmax", .inputs = &tensor, .input_count = 1});

	for (unsigned i = 0; i < BATCH; i++) {
		float sum = 0, most = y[i][0];

		for (unsigned c = 1; c < CLASSES; c++)
			most = y[i][c] > most ? y[i][c] : most;
		for (unsigned c = 0; c < CLASSES; c++)
			sum += y[i][c] = expf(y[i][c] - most);
		for (unsigned c = 0; c < CLASSES; c++)
			y[i][c] /= sum;
	}
	tacho_op_host_end(op);
}

static void run(struct tacho_device *device, struct tacho_program *const *programs)
{
	for (int i = 0; i < 3; i++)
		check(tacho_enqueue(device, programs[i]));
}

int main(void)
{
	struct tacho_device *device;
	struct tacho_program *programs[3];
	struct tacho_trace *trace;
	struct matrix m[6];
	double error;

	fill(&x[0][0], BATCH * WIDTH, 5, 0.125f);
	fill(&w1[0][0], WIDTH * WIDTH, 7, 0.0625f);
	fill(&w2[0][0], WIDTH * CLASSES, 3, 0.0625f);
	check(tacho_device_open(&device, NULL));
	m[0] = matrix_new(device, &x[0][0], BATCH, WIDTH);
	m[1] = matrix_new(device, &w1[0][0], WIDTH, WIDTH);
	m[2] = matrix_new(device, NULL, BATCH, WIDTH);
	m[3] = matrix_new(device, NULL, BATCH, WIDTH);
	m[4] = matrix_new(device, &w2[0][0], WIDTH, CLASSES);
	m[5] = matrix_new(device, NULL, BATCH, CLASSES);
	programs[0] = matmul_program(device, &m[0], &m[1], &m[2]);
	programs[1] = matrix_program(device, &(struct matrix_job){
						     .name = "Relu",
						     .reader = KERNEL("tile_reader.c"),
						     .compute = KERNEL("relu_compute.c"),
						     .in = {&m[2]},
						     .out = &m[3],
						     .n = 1,
						     .cycles = 72, /* copy and relu of a tile */
					     });
	programs[2] = matmul_program(device, &m[3], &m[4], &m[5]);

	tacho_signpost("warm up", NULL);
	run(device, programs);
	check(tacho_finish(device));

	tacho_signpost("replay", "three times");
	check(tacho_trace_begin(device));
	run(device, programs);
	check(tacho_trace_end(device, &trace));
	for (unsigned i = 0; i < REPLAYS; i++)
		check(tacho_trace_replay(trace));
	matrix_read(&m[5], &y[0][0]);
	error = compare();
	softmax();

	printf("two layers, %u samples, 1 + %u times: %s (largest error %.2g)\n", BATCH, REPLAYS,
	       error < 0.02 ? "right" : "WRONG", error);
	tacho_trace_free(trace);
	for (int i = 0; i < 3; i++)
		tacho_program_free(programs[i]);
	for (int i = 0; i < 6; i++)
		tacho_buffer_free(m[i].buffer);
	tacho_device_close(device);
	return error >= 0.02;
}
