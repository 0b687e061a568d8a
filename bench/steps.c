/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How well "tacho db regress" finds steps: 300 simulated histories of 160 runs for each kind of
 * noise. False alarms per 1000 runs of one series, and steps found within 10 runs and placed within
 * 3, with the median delay; then the time for 10,000 series of 60 runs.
 */
#include "base/now.h"
#include "steps_sim.h"

#include <stdio.h>

static const struct {
	const char *name;
	struct sim_noise noise;
} kinds[] = {
	{"sigma 0.3 %, 2 % outliers", {0.003, 0, 0.02, 0.05, 0.2, 0}},
	{"sigma 1 %, 3 % outliers +5..20 %", {0.01, 0, 0.03, 0.05, 0.2, 0}},
	{"the same, points are medians of 5", {0.01, 0, 0.03, 0.05, 0.2, 5}},
	{"sigma 3 %, AR 0.3, 5 % outliers +10..50 %", {0.03, 0.3, 0.05, 0.1, 0.5, 0}},
};

int main(int argc, char **argv)
{
	static const double sizes[] = {0.01, 0.02, 0.03, 0.05, 0.10};
	int series = argc > 1 ? atoi(argv[1]) : 300;
	const struct steps_options options = {0};
	uint64_t seed = 1;
	double v[60], start;
	size_t found = 0;

	printf("%-42s %6s", "noise", "false");
	for (size_t i = 0; i < 5; i++)
		printf("  %8.0f %%", 100 * sizes[i]);
	putchar('\n');
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		printf("%-42s %6.2f", kinds[k].name,
		       sim_run(&kinds[k].noise, 0, series * 4, 11).false_alarms);
		for (size_t i = 0; i < 5; i++) {
			struct sim_result r = sim_run(&kinds[k].noise, sizes[i], series, 100 + i);

			printf("  %3.0f %% (%2.0f)", 100 * r.found, r.delay);
		}
		putchar('\n');
		fflush(stdout);
	}
	start = now_seconds();
	for (int s = 0; s < 10000; s++) {
		struct step steps[4];

		for (int i = 0; i < 60; i++)
			v[i] = 1 + 0.01 * sim_normal(&seed);
		found += steps_find(v, 60, &options, steps, 4);
	}
	printf("10,000 series of 60 runs: %.2f s (%zu found)\n", now_seconds() - start, found);
	return 0;
}
