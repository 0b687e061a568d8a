/* A matrix product over all cores, checked against the host's. */
#include "example.h"

#include <math.h>

#define M    256u
#define K    128u
#define N    256u
#define TILE 2048u /* bytes of a bfloat16 tile */

static float a[M][K], b[K][N];

static void fill(void)
{
	for (unsigned i = 0; i < M; i++)
		for (unsigned k = 0; k < K; k++)
			a[i][k] = (float)((int)((i * 3 + k * 5) % 17) - 8) / 8;
	for (unsigned k = 0; k < K; k++)
		for (unsigned j = 0; j < N; j++)
			b[k][j] = (float)((int)((k * 7 + j) % 13) - 6) / 4;
}

/* The largest difference to the host's result, relative to the size of the terms. */
static double compare(const uint16_t *tiles)
{
	double worst = 0;

	for (unsigned i = 0; i < M; i++)
		for (unsigned j = 0; j < N; j++) {
			double want = 0, terms = 1e-9, error;

			for (unsigned k = 0; k < K; k++) {
				want += (double)a[i][k] * b[k][j];
				terms += fabs((double)a[i][k] * b[k][j]);
			}
			error = fabs(from_bfloat16(tiles[tiled(i, j, N)]) - want) / terms;
			worst = error > worst ? error : worst;
		}
	return worst;
}

static struct tacho_buffer *matrix(struct tacho_device *device, const float *values, unsigned rows,
				   unsigned columns)
{
	uint16_t *tiles = calloc(rows * columns, 2);
	struct tacho_buffer *buffer;

	for (unsigned i = 0; tiles && values && i < rows; i++)
		for (unsigned j = 0; j < columns; j++)
			tiles[tiled(i, j, columns)] = to_bfloat16(values[i * columns + j]);
	check(tacho_buffer_new(&buffer, device, TACHO_DRAM, rows * columns * 2, TILE));
	check(tacho_buffer_write(buffer, 0, tiles, rows * columns * 2));
	free(tiles);
	return buffer;
}

/* Each core computes a run of tiles of the result. */
static void split(struct tacho_program *program, const struct tacho_device_info *info,
		  const int kernels[3])
{
	unsigned tiles = M / 32 * (N / 32), at = 0;

	for (unsigned i = 0; i < info->cores; i++) {
		struct tacho_core core = {(uint16_t)(i % info->columns),
					  (uint16_t)(i / info->columns)};
		uint32_t args[] = {at, tiles / info->cores + (i < tiles % info->cores)};

		check(tacho_program_args(program, kernels[0], core, args, 2));
		check(tacho_program_args(program, kernels[1], core, args, 2));
		check(tacho_program_args(program, kernels[2], core, args + 1, 1));
		at += args[1];
	}
}

static void circular(struct tacho_program *program, unsigned index, struct tacho_core_range cores)
{
	check(tacho_program_cb(program, &(struct tacho_cb){
						.index = index,
						.cores = cores,
						.pages = 2,
						.page_size = TILE,
						.format = TACHO_BFLOAT16,
					}));
}

int main(void)
{
	static uint16_t out[M * N];
	static const uint32_t shape[] = {K / 32, N / 32};
	static const char *const sources[] = {KERNEL("mm_reader.c"), KERNEL("mm_writer.c"),
					      KERNEL("mm_compute.c")};
	static const enum tacho_risc riscs[] = {TACHO_NCRISC, TACHO_BRISC, TACHO_COMPUTE};
	struct tacho_device *device;
	struct tacho_device_info info;
	struct tacho_program *program;
	struct tacho_buffer *da, *db, *dc;
	uint32_t common[3];
	uint64_t cycles;
	double error;
	int kernels[3];

	fill();
	check(tacho_device_open(&device, NULL));
	tacho_device_info(device, &info);
	da = matrix(device, &a[0][0], M, K);
	db = matrix(device, &b[0][0], K, N);
	dc = matrix(device, NULL, M, N);
	check(tacho_program_new(&program, device));
	circular(program, 0, all_cores(&info));
	circular(program, 1, all_cores(&info));
	circular(program, 16, all_cores(&info));
	for (int i = 0; i < 3; i++)
		kernels[i] = check(tacho_program_kernel(program, &(struct tacho_kernel){
									 .source = sources[i],
									 .risc = riscs[i],
									 .cores = all_cores(&info),
									 .compile_args = shape,
									 .compile_arg_count = 2,
									 .fidelity = TACHO_HIFI2,
								 }));
	split(program, &info, kernels);
	common[0] = tacho_buffer_address(da);
	common[1] = tacho_buffer_address(db);
	common[2] = tacho_buffer_address(dc);
	check(tacho_program_common_args(program, kernels[0], common, 2));
	check(tacho_program_common_args(program, kernels[1], common + 2, 1));
	cycles = tacho_device_cycles(device);
	check(tacho_enqueue(device, program));
	check(tacho_finish(device));
	cycles = tacho_device_cycles(device) - cycles;
	check(tacho_buffer_read(dc, 0, out, sizeof(out)));
	error = compare(out);
	printf("%u x %u x %u on %u cores of %s: %s (largest error %.2g), %llu cycles (modelled)\n",
	       M, K, N, info.cores, info.arch, error < 0.01 ? "right" : "WRONG", error,
	       (unsigned long long)cycles);
	tacho_program_free(program);
	tacho_buffer_free(da);
	tacho_buffer_free(db);
	tacho_buffer_free(dc);
	tacho_device_close(device);
	return error >= 0.01;
}
