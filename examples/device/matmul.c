/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix product over all cores, checked against the host's. */
#include "matrix.h"

#include <math.h>

#define M 256u
#define K 128u
#define N 256u

static float a[M][K], b[K][N], out[M][N];

static void fill(void)
{
	for (unsigned i = 0; i < M; i++)
		for (unsigned k = 0; k < K; k++)
			a[i][k] = (float)((int)((i * 3 + k * 5) % 17) - 8) / 8;
	for (unsigned k = 0; k < K; k++)
		for (unsigned j = 0; j < N; j++)
			b[k][j] = (float)((int)((k * 7 + j) % 13) - 6) / 4;
}

/* The largest difference from the host's result, relative to the size of the terms. */
static double compare(void)
{
	double worst = 0;

	for (unsigned i = 0; i < M; i++)
		for (unsigned j = 0; j < N; j++) {
			double want = 0, terms = 1e-9, error;

			for (unsigned k = 0; k < K; k++) {
				want += (double)a[i][k] * b[k][j];
				terms += fabs((double)a[i][k] * b[k][j]);
			}
			error = fabs(out[i][j] - want) / terms;
			worst = error > worst ? error : worst;
		}
	return worst;
}

int main(void)
{
	struct tacho_device *device;
	struct tacho_device_info info;
	struct tacho_program *program;
	struct matrix da, db, dc;
	uint64_t cycles;
	double error;

	fill();
	check(tacho_device_open(&device, NULL));
	tacho_device_info(device, &info);
	da = matrix_new(device, &a[0][0], M, K);
	db = matrix_new(device, &b[0][0], K, N);
	dc = matrix_new(device, NULL, M, N);
	program = matmul_program(device, &da, &db, &dc);
	cycles = tacho_device_cycles(device);
	check(tacho_enqueue(device, program));
	check(tacho_finish(device));
	cycles = tacho_device_cycles(device) - cycles;
	matrix_read(&dc, &out[0][0]);
	error = compare();
	printf("%u x %u x %u on %u cores of %s: %s (largest error %.2g), %llu cycles (modelled)\n",
	       M, K, N, info.cores, info.arch, error < 0.01 ? "right" : "WRONG", error,
	       (unsigned long long)cycles);
	tacho_program_free(program);
	tacho_buffer_free(da.buffer);
	tacho_buffer_free(db.buffer);
	tacho_buffer_free(dc.buffer);
	tacho_device_close(device);
	return error >= 0.01;
}
