/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Speed of the software device. A whole op is 64 cores x 5 RISCs x 11.2 k instructions, from
 * enqueue to finish; the floor is a loop of one indirect jump per instruction. Then programs: a
 * tile, a thousand small ops, a product of large matrices.
 */
#include "device/program.h"
#include "matrix.h"
#include "tacho_layout.h"
#include "tensix/private.h"

#include <tacho/device.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 15

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double time_least(double a, double b)
{
	return a < b ? a : b;
}

/* Nanoseconds of one indirect jump to a data-dependent target. */
static double floor_ns(void)
{
	static const void *const labels[] = {&&a, &&b, &&c, &&d};
	static uint8_t ops[4096];
	volatile uint32_t result;
	double best = 1e9;

	for (unsigned i = 0; i < sizeof(ops); i++)
		ops[i] = (uint8_t)(i * 2654435761u >> 29 & 3);
	for (int round = 0; round < ROUNDS; round++) {
		uint32_t x = 1, n = 0;
		double start = now_ms();

#define NEXT goto *labels[ops[++n & 4095]]
		goto a;
	a:
		x += n;
		NEXT;
	b:
		x ^= n;
		NEXT;
	c:
		x += 3;
		NEXT;
	d:
		x = x << 1 | x >> 31;
		if (n >= 4000000)
			goto done;
		NEXT;
	done:
		result = x;
		(void)result;
		best = time_least(best, (now_ms() - start) * 1e6 / n);
	}
	return best;
}

/* The interpreter alone: a loop of 8 instructions with a load and a store, one RISC, no windows. */
static double interpreter_ns(void)
{
	static const uint32_t words[] = {
		0x000402b7, /* lui t0, 0x40 */
		0x01000337, /* lui t1, 0x1000: rounds */
		0x0002a383, /* loop: lw t2, 0(t0) */
		0x00a54513, /* xori a0, a0, 10 */
		0x00750533, /* add a0, a0, t2 */
		0x00155593, /* srli a1, a0, 1 */
		0x00b54533, /* xor a0, a0, a1 */
		0x00a2a223, /* sw a0, 4(t0) */
		0xfff30313, /* addi t1, t1, -1 */
		0xfe0312e3, /* bnez t1, loop */
	};
	uint32_t reset = TENSIX_RESET_ALL & ~(1u << 11);
	struct tensix_config config = {.arch = "tiny"};
	struct tensix *t;
	struct tensix_hart *h;
	double best = 1e9;

	if (tensix_new(&t, &config, NULL) < 0)
		return 0;
	tensix_write(t, 1, 0, words, sizeof(words));
	tensix_write(t, 1, TENSIX_SOFT_RESET, &reset, 4);
	h = &t->cores[1].hart[0];
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t from = h->instructions;
		double start = now_ms();

		rv32_run(h, h->cycle + 4000000);
		best = time_least(best,
				  (now_ms() - start) * 1e6 / (double)(h->instructions - from));
	}
	tensix_free(t);
	return best;
}

struct bench_op {
	double enqueue, finish;
	double instructions;
};

static struct bench_op whole_op(const struct tacho_core_range *cores)
{
	static const enum tacho_risc riscs[] = {TACHO_BRISC, TACHO_NCRISC, TACHO_COMPUTE};
	struct tacho_device *device;
	struct tacho_program *program;
	struct tensix_stats before, after;
	struct bench_op best = {1e9, 1e9, 0};

	check(tacho_device_open(&device, &(struct tacho_device_options){.cores = 64}));
	check(tacho_program_new(&program, device));
	for (int i = 0; i < 3; i++)
		check(tacho_program_kernel(program, &(struct tacho_kernel){.source = BENCH_KERNEL,
									   .risc = riscs[i],
									   .cores = *cores}));
	for (int round = 0; round < ROUNDS; round++) {
		double start = now_ms(), middle;

		tensix_stats(device->self, &before);
		check(tacho_enqueue(device, program));
		middle = now_ms();
		check(tacho_finish(device));
		tensix_stats(device->self, &after);
		best.enqueue = time_least(best.enqueue, middle - start);
		best.finish = time_least(best.finish, now_ms() - middle);
		best.instructions = (double)(after.instructions - before.instructions);
	}
	tacho_program_free(program);
	tacho_device_close(device);
	return best;
}

/* ---- cost of recording in a kernel ---- */
struct cost {
	double instructions, cycles;
	double inside; /* of zones: cycles between their two markers */
};

#define MARKS 100u

static void add_inside(void *context, const struct tacho_device_event *e)
{
	struct cost *c = context;

	if (e->kind == TACHO_DEVICE_ZONE && !strcmp(e->name, "ZONE"))
		c->inside += (double)(e->end - e->start) / MARKS;
	if (e->kind == TACHO_DEVICE_ZONE && !strcmp(e->name, "BRISC-KERNEL"))
		c->cycles = (double)(e->end - e->start);
}

static void count_insn(void *context, unsigned core, unsigned risc, uint64_t cycle, uint32_t pc,
		       uint32_t word)
{
	struct cost *c = context;

	(void)core, (void)cycle, (void)word;
	c->instructions += risc == 0 && pc - KERNEL_TEXT < KERNEL_TEXT_SLOT;
}

/* A kernel that repeats one operation MARKS times. */
static struct cost run_marks(struct tacho_device *device, uint32_t what)
{
	const uint32_t args[] = {what, MARKS};
	struct tacho_program *program;
	struct cost cost = {0};
	int kernel;

	check(tacho_program_new(&program, device));
	kernel =
		check(tacho_program_kernel(program, &(struct tacho_kernel){.source = ZONE_KERNEL}));
	check(tacho_program_args(program, kernel, (struct tacho_core){0, 0}, args, 2));
	tensix_trace(device->self, count_insn, &cost);
	check(tacho_enqueue(device, program));
	check(tacho_profiler_read(device, add_inside, &cost));
	tensix_trace(device->self, NULL, NULL);
	tacho_program_free(program);
	return cost;
}

/* Minus the cost of the same loop without recording. */
static void print_costs(void)
{
	static const char *const names[] = {"", "zone", "timestamped value", "event", "sum zone"};
	struct tacho_device *device;
	struct cost base;

	setenv("TT_METAL_PROFILER_SUM", "1", 1);
	check(tacho_device_open(&device,
				&(struct tacho_device_options){.arch = "tiny", .profile = 1}));
	unsetenv("TT_METAL_PROFILER_SUM");
	base = run_marks(device, 0);
	for (uint32_t what = 1; what < sizeof(names) / sizeof(names[0]); what++) {
		struct cost c = run_marks(device, what);

		printf("%-34s%6.1f instructions, %5.1f cycles (modelled)", names[what],
		       (c.instructions - base.instructions) / MARKS,
		       (c.cycles - base.cycles) / MARKS);
		if (c.inside > 0)
			printf(", of which %.1f lie inside it", c.inside);
		printf("\n");
	}
	tacho_device_close(device);
}

/* ---- ops of programs ---- */
static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Seconds of CPU time for RUNS runs of A x B of so many tiles each way; the smallest of three. */
static double product_s(const struct tacho_device_options *options, unsigned tiles, unsigned runs)
{
	unsigned n = tiles * 32;
	float *values = calloc((size_t)n * n, sizeof(*values));
	struct tacho_device *device;
	struct tacho_program *program;
	struct matrix a, b, c;
	double best = 1e9;

	for (size_t i = 0; values && i < (size_t)n * n; i++)
		values[i] = (float)(i % 17) - 8;
	check(tacho_device_open(&device, options));
	a = matrix_new(device, values, n, n);
	b = matrix_new(device, values, n, n);
	c = matrix_new(device, NULL, n, n);
	program = matmul_program(device, &a, &b, &c);
	check(tacho_enqueue(device, program));
	check(tacho_finish(device));
	for (unsigned round = 0; round < 3; round++) {
		double start = cpu_s();

		for (unsigned i = 0; i < runs; i++) {
			check(tacho_enqueue(device, program));
			check(tacho_finish(device));
		}
		best = time_least(best, cpu_s() - start);
	}
	tacho_program_free(program);
	tacho_device_close(device);
	free(values);
	return best;
}

static void print_programs(void)
{
	const struct tacho_device_options tiny = {.arch = "tiny"}, grid = {.cores = 64};
	double one = product_s(&tiny, 1, 1000), small = product_s(&grid, 1, 1000),
	       large = product_s(&grid, 32, 1);

	printf("one tile on the tiny device       %6.3f ms CPU, %.2f x the bound of 0.1 ms\n", one,
	       one / 0.1);
	printf("1000 small ops on 64 cores        %6.3f s CPU, %.2f x the bound of 0.5 s\n", small,
	       small / 0.5);
	printf("product of 1024 x 1024, bfloat16  %6.3f s CPU, %.2f x the bound of 0.5 s\n", large,
	       large / 0.5);
}

int main(void)
{
	double floor = floor_ns(), interpreter = interpreter_ns(), interpret_ms, total;
	struct bench_op op = whole_op(&(struct tacho_core_range){{0, 0}, {7, 7}});

	total = op.enqueue + op.finish;
	interpret_ms = op.instructions * interpreter / 1e6;
	printf("floor: one indirect jump          %6.2f ns\n", floor);
	printf("interpreter, one RISC             %6.2f ns per instruction, %4.0f MIPS, %.2f x the floor\n",
	       interpreter, 1e3 / interpreter, interpreter / floor);
	printf("op: 64 cores x 5 RISCs            %6.2f ms, %.2f M instructions (%.1f k per RISC), %.0f MIPS\n",
	       total, op.instructions / 1e6, op.instructions / 320e3,
	       op.instructions / total / 1e3);
	printf("    to the bound of 25 ms         %6.2f x\n", total / 25);
	printf("    to the floor                  %6.2f x\n",
	       total * 1e6 / op.instructions / floor);
	printf("    share: launch                 %6.1f %%\n", 100 * op.enqueue / total);
	printf("    share: instructions           %6.1f %% (at the speed of one RISC)\n",
	       100 * interpret_ms / total);
	printf("    share: windows, caches, NoC   %6.1f %%\n",
	       100 * (op.finish - interpret_ms) / total);
	print_costs();
	print_programs();
	return 0;
}
