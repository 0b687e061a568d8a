/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of cores, for the kernels, circular buffers and semaphores of a program. */
#include "device/program.h"

static bool range_has(const struct tacho_core_range *range, unsigned x, unsigned y)
{
	return x >= range->first.x && x <= range->last.x && y >= range->first.y &&
	       y <= range->last.y;
}

static int range_check(const struct tacho_device *d, const struct tacho_core_range *r,
		       bool ethernet)
{
	unsigned columns = ethernet ? d->shape.cores - d->workers : d->shape.columns;
	unsigned rows = ethernet ? 1 : d->shape.rows;

	if (r->first.x > r->last.x || r->first.y > r->last.y)
		return device_fail(
			TACHO_EUSAGE,
			"cores %u,%u-%u,%u are not a range: the first must not be after the last",
			r->first.x, r->first.y, r->last.x, r->last.y);
	if (r->last.x >= columns || r->last.y >= rows)
		return device_fail(TACHO_EUSAGE,
				   "cores %u,%u-%u,%u are not inside the grid of %u x %u",
				   r->first.x, r->first.y, r->last.x, r->last.y, columns, rows);
	return 0;
}

int core_set_make(struct core_set *set, const struct tacho_device *d, bool ethernet,
		  const struct tacho_core_range *ranges, unsigned count,
		  const struct tacho_core_range *one)
{
	if (!ranges) {
		ranges = one;
		count = 1;
	}
	*set = (struct core_set){0};
	for (unsigned i = 0; i < count; i++) {
		int r = range_check(d, &ranges[i], ethernet);

		if (r == 0 && vec_push(set, ranges[i]) < 0)
			r = device_fail(TACHO_ENOMEM, "no memory");
		if (r < 0) {
			vec_free(set);
			return r;
		}
	}
	return 0;
}

bool core_set_has(const struct core_set *set, unsigned x, unsigned y)
{
	for (size_t i = 0; i < set->n; i++)
		if (range_has(&set->v[i], x, y))
			return true;
	return false;
}

static uint16_t later_of(uint16_t a, uint16_t b)
{
	return a > b ? a : b;
}

bool core_set_meets(const struct core_set *a, const struct core_set *b, struct tacho_core *first)
{
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < b->n; k++) {
			const struct tacho_core_range *r = &a->v[i], *o = &b->v[k];

			if (r->first.x > o->last.x || o->first.x > r->last.x ||
			    r->first.y > o->last.y || o->first.y > r->last.y)
				continue;
			if (first)
				*first = (struct tacho_core){later_of(r->first.x, o->first.x),
							     later_of(r->first.y, o->first.y)};
			return true;
		}
	return false;
}
