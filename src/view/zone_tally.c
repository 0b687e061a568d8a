/* SPDX-License-Identifier: Apache-2.0 */
/* Accumulate statistics of zones by name. */
#include "view/zone_tally.h"

#include <math.h>
#include <string.h>

int tally_open(struct tally *t, uint32_t srclocs, bool no_buckets)
{
	*t = (struct tally){.n = srclocs, .no_buckets = no_buckets};
	t->v = calloc(srclocs + 1, sizeof(*t->v));
	return t->v ? 0 : TACHO_ENOMEM;
}

struct sums *tally_of(struct tally *t, uint32_t srcloc)
{
	struct sums *s = &t->v[srcloc];

	if (s->count || s->unfinished)
		return s;
	if (!t->no_buckets && !s->buckets)
		s->buckets = calloc(HIST_BUCKETS, sizeof(*s->buckets));
	if ((!t->no_buckets && !s->buckets) || vec_push(&t->met, srcloc) < 0)
		return NULL;
	s->min = UINT64_MAX;
	return s;
}

int tally_zone(struct tally *t, const struct zone_found *f)
{
	uint64_t length = f->zone.end - f->zone.start;
	struct sums *s = tally_of(t, f->zone.srcloc);

	if (!s)
		return TACHO_ENOMEM;
	if (f->zone.flags & TRACE_ZONE_UNFINISHED) {
		s->unfinished++;
		return 0;
	}
	s->count++;
	s->total += length;
	s->inside += length - f->self;
	s->recursive += f->zone.flags & TRACE_ZONE_RECURSIVE ? length : 0;
	s->squares += (double)length * (double)length;
	s->min = length < s->min ? length : s->min;
	s->max = length > s->max ? length : s->max;
	if (s->buckets)
		s->buckets[hist_bucket(length)]++;
	return 0;
}

void tally_clear(struct tally *t)
{
	for (size_t i = 0; i < t->met.n; i++) {
		struct sums *s = &t->v[t->met.v[i]];
		uint32_t *buckets = s->buckets;

		if (buckets)
			memset(buckets, 0, HIST_BUCKETS * sizeof(*buckets));
		*s = (struct sums){.buckets = buckets};
	}
	t->met.n = 0;
}

void tally_free(struct tally *t)
{
	for (uint32_t i = 0; t->v && i < t->n; i++)
		free(t->v[i].buckets);
	free(t->v);
	vec_free(&t->met);
}

static uint64_t zone_tally_value_at(const struct sums *s, double share)
{
	struct hist *h;
	double value;

	if (!s->buckets || !s->count)
		return 0;
	h = calloc(1, sizeof(*h));
	if (!h)
		return 0;
	h->count = s->count;
	h->min = s->min;
	h->max = s->max;
	for (uint32_t i = 0; i < HIST_BUCKETS; i++)
		h->buckets[i] = s->buckets[i];
	value = hist_at(h, share);
	free(h);
	return (uint64_t)llround(value);
}

struct trace_stat tally_stat(const struct sums *s, uint32_t srcloc)
{
	double n = (double)s->count, mean = s->count ? (double)s->total / n : 0;
	struct trace_stat stat = {.srcloc = srcloc,
				  .count = s->count,
				  .total = s->total - s->recursive,
				  .sum = s->total,
				  .self = s->total - s->inside,
				  .min = s->count ? s->min : 0,
				  .max = s->max,
				  .mean = mean,
				  .unfinished = s->unfinished};

	/* As trace_stats(): a range may begin inside a recursion. */
	stat.total = stat.total > stat.self ? stat.total : stat.self;
	if (s->count) {
		stat.sigma = sqrt(fmax(0, s->squares / n - mean * mean));
		stat.median = zone_tally_value_at(s, 0.5);
		stat.p99 = zone_tally_value_at(s, 0.99);
	}
	return stat;
}
