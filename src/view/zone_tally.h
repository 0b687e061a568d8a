/* SPDX-License-Identifier: Apache-2.0 */
/* Private: figures of zones by name, as they are added up. */
#ifndef VIEW_ZONE_TALLY_H
#define VIEW_ZONE_TALLY_H

#include "view/zone_histogram.h"

/* Figures of one name that are being added up. */
struct sums {
	uint64_t count, total, inside, recursive, min, max, unfinished;
	double squares;
	uint32_t *buckets; /* HIST_BUCKETS of them; NULL while there is no zone */
};

struct tally {
	struct sums *v; /* by source location */
	uint32_t n;
	struct {
		VEC(uint32_t);
	} met; /* source locations that have zones */
	bool no_buckets;
};

int tally_open(struct tally *t, uint32_t srclocs, bool no_buckets);
/* The sums of a name, ready to be added to; NULL: no memory. */
struct sums *tally_of(struct tally *t, uint32_t srcloc);
int tally_zone(struct tally *t, const struct zone_found *f);
/* Empties it; the next chunk reuses the memory of the buckets. */
void tally_clear(struct tally *t);
void tally_free(struct tally *t);
struct trace_stat tally_stat(const struct sums *s, uint32_t srcloc);

#endif
