/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the kernel that limits an op: the one that reads, computes, or writes. Recorded waits of
 * the compute kernels for circular buffers decide; without them, the RISC that ran clearly longer
 * than the others is the limit. Data is written last: the writer is the last to end in any case.
 */
#include "perf/report.h"

#include <math.h>

#define WAIT_SHARE     0.5  /* of the compute kernel's time */
#define CLEARLY        1.10 /* times as long as the others */
#define CLEARLY_WRITER 2.0

const char *perf_limit_name(enum perf_limit limit)
{
	static const char *const names[LIMIT_COUNT] = {"", "reader", "compute", "writer",
						       "balanced"};

	return names[limit];
}

enum perf_limit perf_limit_of(const struct perf_device *d)
{
	float spans[] = {d->reader, d->compute, d->writer};
	static const enum perf_limit limits[] = {LIMIT_READER, LIMIT_COMPUTE, LIMIT_WRITER};
	int longest = 0, known = 0;
	float next = 0;

	if (d->compute > 0 && d->input_wait > WAIT_SHARE * d->compute)
		return LIMIT_READER;
	if (d->compute > 0 && d->output_wait > WAIT_SHARE * d->compute)
		return LIMIT_WRITER;
	if (d->compute > 0 && d->input_wait >= 0 && d->output_wait >= 0)
		return LIMIT_COMPUTE;
	for (int i = 0; i < 3; i++) {
		known += spans[i] > 0;
		if (!(spans[longest] >= spans[i]) && spans[i] > 0)
			longest = i;
	}
	for (int i = 0; i < 3; i++)
		if (i != longest && spans[i] > next)
			next = spans[i];
	if (known < 2)
		return LIMIT_UNKNOWN;
	return spans[longest] >= next * (longest == 2 ? CLEARLY_WRITER : CLEARLY) ? limits[longest]
										  : LIMIT_BALANCED;
}

double perf_balance(const struct perf_device *d)
{
	return d->core_most > 0 && d->core_mean > 0 ? d->core_mean / d->core_most * 100 : NAN;
}
