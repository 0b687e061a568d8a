/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact percentiles without sorting. A first pass over the zones counts durations in buckets whose
 * width is a small share of their value; a wanted rank then lies in one bucket. If that bucket is
 * wider than one tick, a further pass looks into it alone: it collects the few durations in it, or
 * counts them in narrower buckets. Two passes are the rule, whatever the number of zones.
 */
#include "base/order.h"
#include "trace/stats.h"

#define COARSE_BITS_MIN 3u
#define COARSE_BITS_MAX 11u
#define COARSE_BYTES \
	(4u << 20) /* for all buckets of the first pass: they should stay in the cache */
#define FINE_BITS   12u
#define COLLECT     4096u       /* durations that are collected rather than counted */
#define GROUP_BYTES (64u << 20) /* more source locations than this is enough for: in groups */

/* The buckets of the first pass for one source location. */
struct coarse {
	uint64_t *buckets;
	uint32_t first; /* bucket number of buckets[0] */
	uint32_t count;
};

/* One wanted rank, and what is known of it: it lies in [low, low + span]. */
struct target {
	struct trace_stat *stat;
	bool p99;
	uint64_t rank; /* among the durations in the range, from 0 */
	uint64_t low, span;
	uint64_t inside; /* durations in the range */
	uint64_t *cells; /* buckets of 1 << shift ticks, or collected durations; NULL: found */
	uint64_t used;   /* collected */
	uint32_t shift;
	bool collect;
};

struct finder {
	struct zone_scan *scan;
	struct trace_stat *stats;
	size_t count;
	unsigned bits;
	struct coarse *coarse;  /* per source location */
	struct target *targets; /* two per entry of stats */
	struct range {
		uint64_t low[2], width[2]; /* a width of 0: found */
		struct target *targets;
	} * ranges; /* per source location: where its two targets look, small enough for the cache
		     */
};

/* Numbers below 2^(bits+1) have a bucket each; above, each octave has 2^bits. */
static inline uint32_t percentile_bucket_of(uint64_t v, unsigned bits)
{
	unsigned top = 63u - (unsigned)__builtin_clzll(v | 1);
	unsigned shift = top > bits ? top - bits : 0;

	return (shift << bits) + (uint32_t)(v >> shift);
}

/* ------------------------------------------------------------- first pass */

static size_t coarse_bytes(const struct finder *f, unsigned bits)
{
	size_t n = 0;

	for (size_t i = 0; i < f->count; i++)
		if (f->stats[i].count)
			n += percentile_bucket_of(f->stats[i].max, bits) -
			     percentile_bucket_of(f->stats[i].min, bits) + 1;
	return n * sizeof(uint64_t);
}

static int coarse_open(struct finder *f)
{
	uint32_t srclocs = f->scan->p->trace.srcloc_count;

	f->coarse = calloc(srclocs + 1, sizeof(*f->coarse));
	if (!f->coarse)
		return TACHO_ENOMEM;
	f->bits = COARSE_BITS_MAX;
	while (f->bits > COARSE_BITS_MIN && coarse_bytes(f, f->bits) > COARSE_BYTES)
		f->bits--;
	for (size_t i = 0; i < f->count; i++) {
		struct coarse *c = &f->coarse[f->stats[i].srcloc];

		if (!f->stats[i].count)
			continue;
		c->first = percentile_bucket_of(f->stats[i].min, f->bits);
		c->count = percentile_bucket_of(f->stats[i].max, f->bits) - c->first + 1;
		c->buckets = calloc(c->count, sizeof(*c->buckets));
		if (!c->buckets)
			return TACHO_ENOMEM;
	}
	return 0;
}

static int coarse_pass(struct finder *f)
{
	const struct zone_scan *s = f->scan;
	uint32_t srclocs = s->p->trace.srcloc_count;

	for (size_t b = 0; b < s->block_count; b++) {
		int r = zone_scan_block(f->scan, b);

		if (r < 0)
			return r;
		for (uint32_t i = 0; i < s->n; i++) {
			struct coarse *c;
			uint32_t bucket;

			if (s->srcloc[i] >= srclocs)
				continue;
			c = &f->coarse[s->srcloc[i]];
			bucket = percentile_bucket_of(s->duration[i], f->bits) - c->first;
			/* Not of this group; or outside, when the file's statistics are wrong. */
			if (bucket < c->count)
				c->buckets[bucket]++;
		}
	}
	return 0;
}

/* --------------------------------------------------------------- targets */

static void target_found(struct target *t, uint64_t value)
{
	*(t->p99 ? &t->stat->p99 : &t->stat->median) = value;
	free(t->cells);
	t->cells = NULL;
}

/* The range is known: found, or what the next pass shall do. */
static int target_narrow(struct target *t, uint64_t low, uint64_t span, uint64_t inside)
{
	free(t->cells);
	t->cells = NULL;
	t->low = low;
	t->span = span;
	t->inside = inside;
	if (!span || !inside) {
		target_found(t, low);
		return 0;
	}
	t->used = 0;
	t->shift = 0;
	t->collect = inside <= COLLECT;
	while (span >> t->shift >= 1u << FINE_BITS)
		t->shift++;
	t->cells = calloc(t->collect ? inside : (span >> t->shift) + 1, sizeof(*t->cells));
	return t->cells ? 0 : TACHO_ENOMEM;
}

/* The cell of the rank. N > 0; a rank beyond all values is in the last cell that has any. */
static size_t cell_of_rank(const uint64_t *cells, size_t n, uint64_t *rank)
{
	size_t i = 0;

	while (i + 1 < n && *rank >= cells[i])
		*rank -= cells[i++];
	return i;
}

static int target_start(struct finder *f, struct target *t)
{
	const struct coarse *c = &f->coarse[t->stat->srcloc];
	uint64_t n = t->stat->count, low, span;
	/* ceil(q * count) from 1, so minus one from 0; integers, for counts beyond 2^53. */
	uint64_t rank = t->p99 ? n - n / 100 - 1 : n - n / 2 - 1;
	uint32_t bucket;
	unsigned shift;
	size_t cell;

	t->rank = rank;
	cell = cell_of_rank(c->buckets, c->count, &t->rank);
	bucket = c->first + (uint32_t)cell;
	shift = bucket >> f->bits ? (bucket >> f->bits) - 1 : 0;
	low = (uint64_t)(bucket - (shift << f->bits)) << shift;
	span = (1ull << shift) - 1;
	return target_narrow(t, low, span, c->buckets[cell]);
}

static int targets_open(struct finder *f)
{
	uint32_t srclocs = f->scan->p->trace.srcloc_count;
	int r = 0;

	f->targets = calloc(2 * f->count + 1, sizeof(*f->targets));
	f->ranges = calloc(srclocs + 1, sizeof(*f->ranges));
	if (!f->targets || !f->ranges)
		return TACHO_ENOMEM;
	for (size_t i = 0; r == 0 && i < f->count; i++) {
		struct target *t = &f->targets[2 * i];

		if (!f->stats[i].count)
			continue;
		f->ranges[f->stats[i].srcloc].targets = t;
		t[0].stat = t[1].stat = &f->stats[i];
		t[1].p99 = true;
		r = target_start(f, &t[0]);
		if (r == 0)
			r = target_start(f, &t[1]);
		free(f->coarse[f->stats[i].srcloc].buckets);
		f->coarse[f->stats[i].srcloc].buckets = NULL;
	}
	return r;
}

/* Uses what a pass has gathered. */
static int target_step(struct target *t)
{
	uint64_t low, span = (1ull << t->shift) - 1;
	size_t cell;

	if (!t->cells)
		return 0;
	if (t->collect) {
		qsort(t->cells, t->used, sizeof(*t->cells), order_u64);
		target_found(t, t->used ? t->cells[t->rank < t->used ? t->rank : t->used - 1]
					: t->low);
		return 0;
	}
	cell = cell_of_rank(t->cells, (t->span >> t->shift) + 1, &t->rank);
	low = t->low + ((uint64_t)cell << t->shift);
	return target_narrow(t, low, span, t->cells[cell]);
}

static void target_add(struct target *t, uint64_t v)
{
	if (!t->collect)
		t->cells[(v - t->low) >> t->shift]++;
	else if (t->used < t->inside)
		t->cells[t->used++] = v;
}

static int fine_pass(struct finder *f)
{
	const struct zone_scan *s = f->scan;
	uint32_t srclocs = s->p->trace.srcloc_count;

	for (uint32_t i = 0; i < srclocs; i++) {
		struct range *r = &f->ranges[i];

		for (int k = 0; k < 2; k++) {
			bool open = r->targets && r->targets[k].cells;

			r->low[k] = open ? r->targets[k].low : 0;
			r->width[k] = open ? r->targets[k].span + 1 : 0;
		}
	}
	for (size_t b = 0; b < s->block_count; b++) {
		int r = zone_scan_block(f->scan, b);

		if (r < 0)
			return r;
		for (uint32_t i = 0; i < s->n; i++) {
			uint64_t v = s->duration[i];
			struct range *range;

			if (s->srcloc[i] >= srclocs)
				continue;
			range = &f->ranges[s->srcloc[i]];
			if (v - range->low[0] < range->width[0])
				target_add(&range->targets[0], v);
			if (v - range->low[1] < range->width[1])
				target_add(&range->targets[1], v);
		}
	}
	return 0;
}

static size_t targets_open_count(const struct finder *f)
{
	size_t n = 0;

	for (size_t i = 0; i < 2 * f->count; i++)
		n += f->targets[i].cells != NULL;
	return n;
}

/* The most that finding the ranks of one source location can take. */
static size_t group_cost(const struct trace_stat *s)
{
	size_t cells = s->count < COLLECT ? s->count : COLLECT;

	if (!s->count)
		return 0;
	return (percentile_bucket_of(s->max, COARSE_BITS_MIN) -
		percentile_bucket_of(s->min, COARSE_BITS_MIN) + 1 + 2 * cells) *
	       sizeof(uint64_t);
}

static int percentile_group_find(struct zone_scan *scan, struct trace_stat *stats, size_t count)
{
	struct finder f = {.scan = scan, .stats = stats, .count = count};
	int r = coarse_open(&f);

	if (r == 0)
		r = coarse_pass(&f);
	if (r == 0)
		r = targets_open(&f);
	while (r == 0 && targets_open_count(&f)) {
		r = fine_pass(&f);
		for (size_t i = 0; r == 0 && i < 2 * count; i++)
			r = target_step(&f.targets[i]);
	}
	for (uint32_t i = 0; f.coarse && i < scan->p->trace.srcloc_count; i++)
		free(f.coarse[i].buckets);
	for (size_t i = 0; f.targets && i < 2 * count; i++)
		free(f.targets[i].cells);
	free(f.coarse);
	free(f.targets);
	free(f.ranges);
	return r;
}

int percentiles_find(struct zone_scan *scan, struct trace_stat *stats, size_t count)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < count;) {
		size_t n = 0, cost = 0;

		do
			cost += group_cost(&stats[i + n++]);
		while (i + n < count && cost + group_cost(&stats[i + n]) <= GROUP_BYTES);
		r = percentile_group_find(scan, stats + i, n);
		i += n;
	}
	return r;
}
