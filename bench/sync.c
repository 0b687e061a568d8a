/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accuracy of a device's clock: 60 s of the software device, whose true clock can be read, with
 * exchanges every 100 ms, at 20,000 moments; compared with one straight line through one-way
 * samples at the beginning and the end, as in sync_device_info.csv.
 */
#include "unit/sync_model.h"

#include <stdio.h>

#define SECONDS 60
#define SAMPLES 20000

static double errors[SAMPLES], bounds[SAMPLES], lines[SAMPLES];

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Error of the straight line in ns: the host's time at which the device showed a cycle. */
static double line_error(const struct sync_classic *c, const struct tensix *t, uint64_t cycle)
{
	double start = (double)c->host_start * 1e9 / backend_tick_rate();
	double truth = (double)cycle * 1e3 / tensix_arch(t)->mhz;
	double shown_ns =
		start + ((double)tensix_clock_read(t, 0, cycle) - c->delay) / c->frequency;

	return shown_ns < truth ? truth - shown_ns : shown_ns - truth;
}

static void print_ns(double ns)
{
	if (ns < 10000)
		printf(" %7.0f ns", ns);
	else if (ns < 1e7)
		printf(" %7.1f us", ns / 1e3);
	else
		printf(" %7.1f ms", ns / 1e6);
}

/* Prints the table's line; returns the number of broken promises. */
static unsigned scene_report(const char *name, bool classic)
{
	unsigned broken = 0;

	for (int i = 0; i < SAMPLES; i++)
		broken += errors[i] > bounds[i];
	qsort(errors, SAMPLES, sizeof(*errors), by_size);
	qsort(bounds, SAMPLES, sizeof(*bounds), by_size);
	qsort(lines, SAMPLES, sizeof(*lines), by_size);
	printf("%-24s", name);
	print_ns(errors[SAMPLES / 2]);
	print_ns(errors[SAMPLES * 99 / 100]);
	print_ns(errors[SAMPLES - 1]);
	print_ns(bounds[SAMPLES / 2]);
	printf(" %5u of %u", broken, SAMPLES);
	if (classic) {
		print_ns(lines[SAMPLES / 2]);
		print_ns(lines[SAMPLES - 1]);
	}
	printf("\n");
	return broken;
}

static bool scene_run(enum sync_scene which, struct tacho_device *d, bool kernels)
{
	struct sync_classic *classic = calloc(1, sizeof(*classic));
	struct sync_model m = {.random = 88172645463325252ull + which};
	struct tensix *t = d->self;
	uint64_t from, to;
	unsigned broken;

	if (!classic)
		abort();
	model_bus(t, 1234 + which);
	model_scene(&m, t, which, SECONDS + 5);
	kernels = kernels && sync_classic_run(d, classic) == 0;
	from = tensix_now(t) + 2000;
	model_run(&m, d, SECONDS, 100);
	to = tensix_now(t) - tensix_arch(t)->mhz * 110000ull;
	kernels = kernels && sync_classic_run(d, classic) == 0;
	for (int i = 0; i < SAMPLES; i++) {
		uint64_t at = from + (uint64_t)((double)(to - from) * model_chance(&m));
		struct sync_error e = model_error(&m, t, at);

		errors[i] = e.error;
		bounds[i] = e.bound;
		lines[i] = kernels ? line_error(classic, t, at) : 0;
	}
	broken = scene_report(scene_names[which], kernels);
	device_clock_free(&m.clock);
	sync_classic_free(classic);
	return !broken && (which > SCENE_STEP || errors[SAMPLES / 2] <= 50);
}

int main(void)
{
	bool good = true;

	printf("Two-way exchanges every 100 ms, the shortest of 4, for %d s of device time; one way 450 ns + "
	       "exponential 120 ns, 0.4 %% preempted for 5 to 60 us\n\n",
	       SECONDS);
	printf("%-24s %10s %10s %10s %10s %14s %10s %10s\n", "device clock", "median", "p99", "max",
	       "bound", "above bound", "one-way", "max");
	for (int i = 0; i < SCENES; i++) {
		struct tacho_device *d;
		bool kernels = true;
		struct sync_model bare;
		struct tensix *t;

		if (tacho_device_open(&d, &(struct tacho_device_options){.arch = "tiny"}) < 0) {
			/* without a compiler for kernels: no one-way samples */
			model_open(&bare, &t, 1);
			d = &bare.d;
			kernels = false;
		}
		good &= scene_run(i, d, kernels);
		if (kernels)
			tacho_device_close(d);
		else
			model_close(&bare);
	}
	return !good;
}
