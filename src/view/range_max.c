/* SPDX-License-Identifier: Apache-2.0 */
/* The maximum of any part of a growing list. */
#include "view/range_max.h"

int peaks_add(struct peaks *p, uint64_t value)
{
	uint64_t group = ++p->n;

	for (unsigned k = 0; k < PEAKS_LEVELS; k++) {
		p->open[k] = value > p->open[k] ? value : p->open[k];
		if (group % PEAKS_FAN)
			break;
		group /= PEAKS_FAN;
		value = p->open[k];
		p->open[k] = 0;
		if (spill_push(&p->levels[k], value) < 0)
			return TACHO_ENOMEM;
	}
	return 0;
}

uint64_t peaks_max(const struct peaks *p, uint64_t first, uint64_t end,
		   uint64_t (*value)(const void *context, uint64_t i), const void *context)
{
	uint64_t most = 0;

	while (first < end) {
		uint64_t size = 1, found = 0;
		bool whole = false;

		for (unsigned k = 0; k < PEAKS_LEVELS; k++) {
			uint64_t group = size * PEAKS_FAN;

			if (first % group || end - first < group || first / group >= p->levels[k].n)
				break;
			size = group;
			found = p->levels[k].v[first / group];
			whole = true;
		}
		if (!whole)
			found = value(context, first);
		most = found > most ? found : most;
		first += size;
	}
	return most;
}

size_t peaks_memory(const struct peaks *p)
{
	size_t bytes = 0;

	for (unsigned k = 0; k < PEAKS_LEVELS; k++)
		bytes += spill_memory(&p->levels[k].store);
	return bytes;
}

void peaks_free(struct peaks *p)
{
	for (unsigned k = 0; k < PEAKS_LEVELS; k++)
		spill_free(&p->levels[k]);
}
