/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The histogram of one name's durations. A pass counts them in buckets that are a 64th of an octave
 * wide; percentiles and bins are computed from the buckets. So memory
 * is the same for ten zones and for a hundred million, and figures are right to one percent
 * (count, mean, least and largest exactly; percentiles too while there are few).
 */
#include "base/order.h"
#include "view/call_args.h"
#include "view/chunk_stats.h"

#include <math.h>
#include <string.h>

#define BITS 6u

/* Numbers below 2^(BITS+1) have a bucket each; above, each octave has 2^BITS. */
uint32_t hist_bucket(uint64_t v)
{
	unsigned top = 63u - (unsigned)__builtin_clzll(v | 1);
	unsigned shift = top > BITS ? top - BITS : 0;

	return (shift << BITS) + (uint32_t)(v >> shift);
}

static double bucket_low(uint32_t bucket)
{
	unsigned shift = bucket >> BITS ? (bucket >> BITS) - 1 : 0;

	return ldexp((double)(bucket - (shift << BITS)), (int)shift);
}

double hist_middle(uint32_t bucket)
{
	double from = bucket_low(bucket), to = bucket_low(bucket + 1);

	return to - from <= 1 ? from : (from + to) / 2;
}

void hist_add(struct hist *h, uint64_t v)
{
	double x = (double)v;
	uint32_t b = hist_bucket(v);

	if (!h->count || v < h->min)
		h->min = v;
	if (!h->count || v > h->max)
		h->max = v;
	h->count++;
	h->sum += x;
	h->squares += x * x;
	h->buckets[b]++;
	h->totals[b] += x;
	if (h->kept < HIST_FEW)
		h->few[h->kept++] = v;
}

/* The value at RANK (from 0) among the stored ones of a bucket. */
static double kept_at(const struct hist *h, uint32_t bucket, size_t rank)
{
	uint64_t v[HIST_FEW];
	size_t n = 0;

	for (uint32_t i = 0; i < h->kept; i++)
		if (hist_bucket(h->few[i]) == bucket)
			v[n++] = h->few[i];
	qsort(v, n, sizeof(*v), order_u64);
	return (double)v[rank < n ? rank : n - 1];
}

/* The value at a share of all: exact while all are stored, else interpolated in its bucket. */
double hist_at(const struct hist *h, double share)
{
	double rank = share * (double)h->count, seen = 0;

	for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
		double n = (double)h->buckets[i], low, high, value;

		if (seen + n < rank || n == 0) {
			seen += n;
			continue;
		}
		if (h->kept == h->count)
			return kept_at(h, i, (size_t)fmax(ceil(rank - seen) - 1, 0));
		low = bucket_low(i);
		high = bucket_low(i + 1);
		value = high - low <= 1 ? low : low + (high - low) * (rank - seen) / n;
		return fmin(fmax(value, (double)h->min), (double)h->max);
	}
	return (double)h->max;
}

double hist_sigma(const struct hist *h)
{
	double mean = h->count ? h->sum / (double)h->count : 0;

	return h->count ? sqrt(fmax(0, h->squares / (double)h->count - mean * mean)) : 0;
}

/* The edges of N bins between LOW and HIGH. */
static double zone_histogram_edge(double low, double high, unsigned i, unsigned n, bool logarithmic)
{
	if (logarithmic)
		return low * pow(high / low, (double)i / n);
	return low + (high - low) * i / n;
}

/* Buckets on an edge belong to the bin of their middle. */
void hist_bins(const struct hist *h, double low, double high, unsigned n, bool logarithmic,
	       struct hist_bin *bins)
{
	if (logarithmic && low < 1)
		low = 1;
	if (high <= low)
		high = low + 1;
	for (unsigned i = 0; i < n; i++)
		bins[i] = (struct hist_bin){zone_histogram_edge(low, high, i, n, logarithmic),
					    zone_histogram_edge(low, high, i + 1, n, logarithmic),
					    0, 0};
	for (uint32_t b = 0; b < HIST_BUCKETS; b++) {
		double middle = hist_middle(b), place;

		if (!h->buckets[b])
			continue;
		if (middle < low)
			middle = low;
		place = logarithmic ? log(middle / low) / log(high / low)
				    : (middle - low) / (high - low);
		place = fmin(fmax(place * n, 0), n - 1);
		bins[(unsigned)place].count += h->buckets[b];
		bins[(unsigned)place].total += h->totals[b];
	}
}

/* ------------------------------------------------------------------- call */

int arg_zones(struct view_call *c, bool named, struct zones_choice *choice)
{
	uint8_t *tracks = NULL;
	uint64_t name;
	int r = arg_range(c, &choice->t0, &choice->t1);

	if (r == 0 && named)
		r = arg_need(c, "name", UINT32_MAX, &name);
	if (r == 0 && named && name >= c->trace->srcloc_count)
		r = call_fail(c, VIEW_MISSING, "there is no such name");
	if (r == 0 && named)
		choice->srcloc = (uint32_t)name;
	if (r == 0)
		r = arg_tracks(c, &tracks);
	choice->tracks = tracks;
	return r;
}

int hist_count(struct view_call *c, const struct zones_choice *choice, struct hist *h)
{
	struct zone_found found;
	struct zones zones;
	int r;

	if (!choice->self && chunks_ready(c->on->chunks, c))
		return chunks_hist(c->on->chunks, c, choice, h);
	zone_walk_open(&zones, c, choice);
	while ((r = zone_walk_next(&zones, &found)) > 0)
		hist_add(h, found.self);
	zone_walk_close(&zones);
	return r;
}

void hist_put(struct view_call *c, const struct hist *h, double tick)
{
	static const struct {
		const char *name;
		double share;
	} shares[] = {{"median", 0.5}, {"p75", 0.75}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}};
	struct json *j = &c->json;

	json_uint(j, "count", h->count);
	json_double(j, "min", (double)h->min * tick);
	json_double(j, "max", (double)h->max * tick);
	json_double(j, "mean", h->count ? h->sum / (double)h->count * tick : NAN);
	json_double(j, "sigma", hist_sigma(h) * tick);
	for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++)
		json_double(j, shares[i].name, h->count ? hist_at(h, shares[i].share) * tick : NAN);
}

void hist_bins_put(struct view_call *c, const struct hist *h, double low, double high, unsigned n,
		   bool logarithmic, double tick)
{
	struct hist_bin bins[HIST_BINS];
	struct json *j = &c->json;

	hist_bins(h, low, high, n, logarithmic, bins);
	json_array(j, "bins");
	for (unsigned i = 0; h->count && i < n; i++) {
		json_array(j, NULL);
		json_double(j, NULL, bins[i].low * tick);
		json_double(j, NULL, bins[i].high * tick);
		json_uint(j, NULL, bins[i].count);
		json_double(j, NULL, bins[i].total * tick);
		json_end(j);
	}
	json_end(j);
}

int call_hist(struct view_call *c)
{
	struct zones_choice choice = ZONES_ALL;
	struct hist *h = calloc(1, sizeof(*h));
	bool logarithmic = false;
	uint64_t bins = 100;
	int r = h ? arg_zones(c, true, &choice) : TACHO_ENOMEM;

	if (r == 0)
		r = arg_uint(c, "bins", HIST_BINS, &bins);
	if (r >= 0)
		r = arg_bool(c, "self", &choice.self);
	if (r >= 0)
		r = arg_bool(c, "log", &logarithmic);
	if (r >= 0)
		r = hist_count(c, &choice, h);
	if (r == 0) {
		call_begin(c);
		hist_put(c, h, call_tick(c));
		hist_bins_put(c, h, (double)h->min, (double)h->max + 1, bins ? (unsigned)bins : 1,
			      logarithmic, call_tick(c));
		json_end(&c->json);
	}
	free((void *)(uintptr_t)choice.tracks);
	free(h);
	return r;
}
