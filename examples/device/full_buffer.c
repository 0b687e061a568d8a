/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills the kernel profiler's buffers: 300 zones per RISC. Only 125 of them fit when the host reads
 * them at the end (program_count); the others are counted as lost. Without program_count none is
 * lost. Also prints the cost of a zone. The argument is the number of runs: with
 * TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT=43 the areas in DRAM are full after one run.
 */
#include "example.h"

#define ZONES 300u

struct sums {
	unsigned zones, kernels, cores;
	uint64_t inside, first, last;
};

static void count(void *context, const struct tacho_device_event *e)
{
	struct sums *s = context;

	if (e->kind != TACHO_DEVICE_ZONE)
		return;
	if (strstr(e->name, "-KERNEL"))
		s->kernels++;
	if (strcmp(e->name, "TEST-FULL"))
		return;
	if (e->core.x == 0 && e->core.y == 0 && !strcmp(e->risc, "BRISC")) {
		s->first = !s->zones || e->start < s->first ? e->start : s->first;
		s->last = e->end > s->last ? e->end : s->last;
		s->inside += e->end - e->start;
		s->cores++;
	}
	s->zones++;
}

int main(int argc, char **argv)
{
	static const uint32_t zones[] = {ZONES};
	static const enum tacho_risc riscs[] = {TACHO_BRISC, TACHO_NCRISC, TACHO_COMPUTE};
	struct tacho_device *device;
	struct tacho_device_info info;
	struct tacho_program *program;
	struct sums s = {0};
	unsigned runs = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	uint64_t lost = 0, cut = 0, runs_cut;
	struct tacho_device_options options = {.profile = 1};

	if (!runs) {
		fprintf(stderr, "usage: full_buffer [RUNS]\n");
		return 2;
	}
	if (!getenv("TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT"))
		options.program_count = 1000;
	check(tacho_device_open(&device, &options));
	tacho_device_info(device, &info);
	check(tacho_program_new(&program, device));
	for (int i = 0; i < 3; i++)
		check(tacho_program_kernel(program, &(struct tacho_kernel){
							    .source = KERNEL("full_buffer.c"),
							    .risc = riscs[i],
							    .cores = all_cores(&info),
							    .compile_args = zones,
							    .compile_arg_count = 1,
						    }));
	name_op(program, "FullBuffer", "zones", ZONES);
	for (unsigned i = 0; i < runs; i++)
		check(tacho_enqueue(device, program));
	check(tacho_profiler_read(device, count, &s));
	for (unsigned i = 0; i < info.cores; i++)
		for (unsigned r = 0; r < 5; r++) {
			lost += tacho_profiler_lost(
				device,
				(struct tacho_core){(uint16_t)(i % info.columns),
						    (uint16_t)(i / info.columns)},
				r, &runs_cut);
			cut += runs_cut;
		}
	printf("%u cores x 5 RISCs x %u zones: %u kept (%u per RISC), %llu lost and counted\n",
	       info.cores, ZONES, s.zones, s.zones / (info.cores * 5), (unsigned long long)lost);
	if (cut)
		printf("the areas in DRAM of %llu RISCs were full\n", (unsigned long long)cut);
	printf("a zone takes %.1f cycles, of which %.1f lie inside it (modelled)\n",
	       (double)(s.last - s.first) / s.cores, (double)s.inside / s.cores);
	tacho_program_free(program);
	tacho_device_close(device);
	return !cut &&
	       (s.zones != runs * info.cores * 5 * 125 || s.kernels != runs * info.cores * 5);
}
