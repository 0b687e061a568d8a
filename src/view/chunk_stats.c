/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of chunks of lanes, so that those of any range are sums. */
#include "view/chunk_stats.h"
#include "base/now.h"
#include "base/order.h"
#include "base/search.h"
#include "view/spill_array.h"
#include "view/zone_tally.h"

#include <string.h>
#include <time.h>

/* One name in one chunk, in the file; BUCKETS of struct bucket follow. */
struct entry {
	uint32_t srcloc, count;
	uint64_t total, inside, recursive; /* ticks */
	uint64_t min, max;
	double squares;
	uint32_t unfinished, buckets;
};

struct bucket {
	uint32_t number, count;
};

struct chunk {
	uint64_t first, last; /* starts of its zones */
	uint64_t offset;      /* of its entries in the file */
	uint64_t number;      /* of its first zone in the lane */
	uint32_t entries, zones;
};

struct lane_chunks {
	VEC(struct chunk);
};

/*
 * For a trace being recorded, calls add chunks for what was written since the last call; the rest
 * at the end of a lane is less than a chunk.
 */
struct chunks {
	struct view_trace *on;
	bool grows; /* LOCK is held while they are read */
	pthread_t thread;
	pthread_mutex_t lock; /* of STATE and STOP, and of all below until it is READY */
	pthread_cond_t changed;
	enum { MAKING, READY, FAILED } state;
	bool stop;
	uint8_t uuid[16]; /* of their trace */
	struct {
		VEC(struct lane_chunks);
	} lanes;
	struct map
		places; /* index in LANES by track << 32 | depth: indexes change as a trace grows */
	SPILL(uint8_t); /* entries */
};

/* ---------------------------------------------------------------- making */

/* The number of the zone after the first N. */
static uint64_t chunks_end(const struct lane_chunks *l, size_t n)
{
	return n ? l->v[n - 1].number + l->v[n - 1].zones : 0;
}

struct maker {
	struct chunks *k;
	struct tally tally;
	struct lane_chunks *lane;
	struct chunk chunk;
};

static int bytes_add(struct chunks *k, const void *data, size_t len)
{
	if (k->n + len > k->store.room && spill_grow(&k->store, (void **)&k->v, k->n + len) < 0)
		return TACHO_ENOMEM;
	memcpy(k->v + k->n, data, len);
	k->n += len;
	return 0;
}

static int entry_write(struct chunks *k, const struct sums *s, uint32_t srcloc)
{
	struct entry e = {.srcloc = srcloc,
			  .count = (uint32_t)s->count,
			  .total = s->total,
			  .inside = s->inside,
			  .recursive = s->recursive,
			  .min = s->min,
			  .max = s->max,
			  .squares = s->squares,
			  .unfinished = (uint32_t)s->unfinished};
	uint32_t low = s->count ? hist_bucket(s->min) : 1,
		 high = s->count ? hist_bucket(s->max) : 0;
	int r;

	for (uint32_t i = low; i <= high; i++)
		e.buckets += s->buckets[i] != 0;
	r = bytes_add(k, &e, sizeof(e));
	for (uint32_t i = low; r == 0 && i <= high; i++)
		if (s->buckets[i]) {
			struct bucket b = {i, s->buckets[i]};

			r = bytes_add(k, &b, sizeof(b));
		}
	return r;
}

static int chunk_close(struct maker *m)
{
	struct lane_chunks *l = m->lane;
	size_t before = m->k->n;
	int r = 0;

	if (!m->chunk.zones)
		return 0;
	m->chunk.offset = before;
	m->chunk.entries = (uint32_t)m->tally.met.n;
	for (size_t i = 0; r == 0 && i < m->tally.met.n; i++)
		r = entry_write(m->k, &m->tally.v[m->tally.met.v[i]], m->tally.met.v[i]);
	if (r == 0)
		r = vec_push(l, m->chunk);
	if (r < 0)
		m->k->n = before;
	tally_clear(&m->tally);
	m->chunk.zones = 0;
	return r;
}

/* The next COUNT zones of a lane, in chunks; the last may be smaller. */
static int lane_make(struct maker *m, struct view_call *c, uint32_t lane, uint64_t count)
{
	struct zones_choice choice = ZONES_ALL;
	struct zone_found found;
	struct zones zones;
	int r = 0;

	choice.self = choice.unfinished = true;
	choice.numbered = count;
	choice.number = chunks_end(m->lane, m->lane->n);
	choice.t0 = m->lane->n ? m->lane->v[m->lane->n - 1].last : 0;
	zone_walk_open(&zones, c, &choice);
	zones.lane = lane;
	while (r >= 0 && (r = zone_walk_next(&zones, &found)) > 0) {
		if (!m->chunk.zones) {
			m->chunk.first = found.zone.start;
			m->chunk.number = zone_walk_number(&zones);
		}
		m->chunk.last = found.zone.start;
		m->chunk.zones = (uint32_t)(zone_walk_number(&zones) + 1 - m->chunk.number);
		r = tally_zone(&m->tally, &found);
		if (r == 0 && m->chunk.zones >= CHUNK_ZONES)
			r = chunk_close(m);
	}
	zone_walk_close(&zones);
	return r < 0 ? r : call_gone(c) ? TACHO_ENO : chunk_close(m);
}

/* NULL: no memory. */
static struct lane_chunks *chunk_stats_lane_of(struct chunks *k, const struct trace_lane_info *info)
{
	uint64_t key = (uint64_t)info->track << 32 | info->depth;
	const uint32_t *known = map_get(&k->places, key);
	struct lane_chunks fresh = {0};

	if (known)
		return &k->lanes.v[*known];
	if (map_set(&k->places, key, (uint32_t)k->lanes.n) < 0 || vec_push(&k->lanes, fresh) < 0)
		return NULL;
	return &k->lanes.v[k->lanes.n - 1];
}

static void chunk_stats_forget(struct chunks *k)
{
	for (size_t i = 0; i < k->lanes.n; i++)
		vec_free(&k->lanes.v[i]);
	vec_free(&k->lanes);
	map_free(&k->places);
	k->places = (struct map){0};
	spill_free(k);
}

/* Adds missing chunks. Those added before an error, or before the client left, stay. */
static int read_on(struct chunks *k, struct view_call *c)
{
	const struct trace *trace = c->trace;
	struct maker m = {.k = k};
	size_t before = k->n;
	int r = tally_open(&m.tally, trace->srcloc_count, false);

	if (memcmp(k->uuid, trace->uuid, sizeof(k->uuid)))
		chunk_stats_forget(k);
	memcpy(k->uuid, trace->uuid, sizeof(k->uuid));
	for (uint32_t i = 0; r == 0 && i < trace->lane_count; i++) {
		uint64_t zones = trace->lanes[i].zones, done;

		m.lane = chunk_stats_lane_of(k, &trace->lanes[i]);
		if (!m.lane) {
			r = TACHO_ENOMEM;
			break;
		}
		/* Another handle may have read further than this one. */
		done = chunks_end(m.lane, m.lane->n);
		zones = zones > done ? zones - done : 0;
		if (k->grows)
			zones -= zones % CHUNK_ZONES;
		if (zones)
			r = lane_make(&m, c, i, zones);
	}
	tally_free(&m.tally);
	if (k->n != before)
		spill_rest(&k->store);
	return r;
}

static bool must_stop(void *context)
{
	struct chunks *k = context;
	bool stop;

	pthread_mutex_lock(&k->lock);
	stop = k->stop;
	pthread_mutex_unlock(&k->lock);
	return stop;
}

static void *chunk_stats_make(void *context)
{
	struct chunks *k = context;
	struct view_handle *h;
	struct view_call call = {.on = k->on, .gone = must_stop, .context = k};
	int r = handle_take(k->on, SCAN, &h);

	if (r == 0) {
		call.trace = h->trace;
		r = trace_find_recursion(h->trace);
		if (r == 0)
			r = read_on(k, &call);
		handle_put(k->on, h);
	}
	pthread_mutex_lock(&k->lock);
	k->state = r == 0 ? READY : FAILED;
	pthread_cond_broadcast(&k->changed);
	pthread_mutex_unlock(&k->lock);
	/* Answers a page's first queries now, so that the next viewer finds them cached. */
	if (r == 0 && k->on->keeps) {
		call_prepare(k->on, "overview", must_stop, k);
		call_prepare(k->on, "flame?limit=2000", must_stop, k);
	}
	return NULL;
}

struct chunks *chunks_start(struct view_trace *t)
{
	struct chunks *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->on = t;
	k->grows = t->followed;
	k->state = k->grows ? READY : MAKING;
	pthread_mutex_init(&k->lock, NULL);
	pthread_cond_init(&k->changed, NULL);
	if (!k->grows && pthread_create(&k->thread, NULL, chunk_stats_make, k)) {
		free(k);
		return NULL;
	}
	return k;
}

void chunks_free(struct chunks *k)
{
	if (!k)
		return;
	pthread_mutex_lock(&k->lock);
	k->stop = true;
	pthread_mutex_unlock(&k->lock);
	if (!k->grows)
		pthread_join(k->thread, NULL);
	chunk_stats_forget(k);
	pthread_mutex_destroy(&k->lock);
	pthread_cond_destroy(&k->changed);
	free(k);
}

bool chunks_ready(struct chunks *k, struct view_call *c)
{
	bool ready;

	if (!k || (k->grows && c->trace->zones < CHUNKS_FROM))
		return false;
	pthread_mutex_lock(&k->lock);
	while (k->state == MAKING && !call_gone(c)) {
		struct timespec until = now_realtime_plus(1000);

		pthread_cond_timedwait(&k->changed, &k->lock, &until);
	}
	ready = k->state == READY;
	pthread_mutex_unlock(&k->lock);
	return ready;
}

/* ----------------------------------------------------------------- asking */

/* The entries of a chunk, one after the other. */
static const struct entry *entry_next(const uint8_t **at, const struct bucket **buckets)
{
	const struct entry *e = (const struct entry *)*at;

	*buckets = (const struct bucket *)(e + 1);
	*at += sizeof(*e) + e->buckets * sizeof(struct bucket);
	return e;
}

static int entry_add(struct tally *t, const struct entry *e, const struct bucket *buckets)
{
	struct sums *s = tally_of(t, e->srcloc);

	if (!s)
		return TACHO_ENOMEM;
	s->count += e->count;
	s->unfinished += e->unfinished;
	s->total += e->total;
	s->inside += e->inside;
	s->recursive += e->recursive;
	s->squares += e->squares;
	s->min = e->count && e->min < s->min ? e->min : s->min;
	s->max = e->count && e->max > s->max ? e->max : s->max;
	for (uint32_t i = 0; s->buckets && i < e->buckets; i++)
		s->buckets[buckets[i].number] += buckets[i].count;
	return 0;
}

static bool chunk_has(struct chunks *k, const struct chunk *c, uint32_t srcloc)
{
	const uint8_t *at = k->v + c->offset;
	const struct bucket *ignored;

	if (srcloc == TRACE_NONE)
		return true;
	for (uint32_t i = 0; i < c->entries; i++)
		if (entry_next(&at, &ignored)->srcloc == srcloc)
			return true;
	return false;
}

/* Adds zones of a chunk on the edge of the range one by one. */
static int edge_add(struct view_call *c, uint32_t lane, const struct chunk *chunk,
		    const struct zones_choice *choice, struct tally *t)
{
	struct zones_choice part = *choice;
	struct zone_found found;
	struct zones zones;
	int r = 0;

	/* By number: zones of no length may be at the same time on both sides of a border. */
	part.t0 = chunk->first > choice->t0 ? chunk->first : choice->t0;
	part.numbered = chunk->zones;
	part.number = chunk->number;
	zone_walk_open(&zones, c, &part);
	zones.lane = lane;
	while (r >= 0 && (r = zone_walk_next(&zones, &found)) > 0)
		r = tally_zone(t, &found);
	zone_walk_close(&zones);
	return r;
}

/* Adds the zones after the first N chunks, in a growing trace. */
static int tail_add(struct view_call *c, uint32_t lane, const struct lane_chunks *l, size_t n,
		    const struct zones_choice *choice, struct tally *t)
{
	const struct trace_lane_info *info = &c->trace->lanes[lane];
	struct chunk rest = {.first = n ? l->v[n - 1].last : 0, .number = chunks_end(l, n)};

	if (info->zones <= rest.number || info->end < choice->t0 || rest.first >= choice->t1)
		return 0;
	rest.zones = (uint32_t)(info->zones - rest.number);
	return edge_add(c, lane, &rest, choice, t);
}

/* Chunks are in order of time. */
static int lane_tally(struct chunks *k, struct view_call *c, uint32_t lane,
		      const struct zones_choice *choice, struct tally *t)
{
	const struct lane_chunks *l = chunk_stats_lane_of(k, &c->trace->lanes[lane]);
	size_t n = l ? l->n : 0, low = 0, high;
	int r = l ? 0 : TACHO_ENOMEM;

	/* Another handle may have read further than this one. */
	while (k->grows && n && chunks_end(l, n) > c->trace->lanes[lane].zones)
		n--;
	high = n;
	SEARCH_FIRST(low, high, middle, l->v[middle].last < choice->t0);
	for (; r == 0 && low < n && l->v[low].first < choice->t1; low++) {
		const struct chunk *chunk = &l->v[low];

		if (chunk->first >= choice->t0 && chunk->last < choice->t1) {
			const uint8_t *at = k->v + chunk->offset;

			for (uint32_t i = 0; r == 0 && i < chunk->entries; i++) {
				const struct bucket *buckets;
				const struct entry *e = entry_next(&at, &buckets);

				if (choice->srcloc == TRACE_NONE || choice->srcloc == e->srcloc)
					r = entry_add(t, e, buckets);
			}
		} else if (chunk_has(k, chunk, choice->srcloc)) {
			r = edge_add(c, lane, chunk, choice, t);
		}
	}
	return r == 0 && k->grows ? tail_add(c, lane, l, n, choice, t) : r;
}

static int lanes_tally(struct chunks *k, struct view_call *c, const struct zones_choice *choice,
		       struct tally *t)
{
	int r;
	const struct trace *trace;

	if (k->grows)
		pthread_mutex_lock(&k->lock);
	trace = c->trace;
	r = k->grows ? read_on(k, c) : 0;
	for (uint32_t i = 0; r == 0 && i < trace->lane_count; i++) {
		if (choice->tracks && !choice->tracks[trace->lanes[i].track])
			continue;
		r = lane_tally(k, c, i, choice, t);
		if (i % 64 == 0 && call_gone(c))
			break;
	}
	if (k->grows)
		pthread_mutex_unlock(&k->lock);
	return r;
}

ORDER_BY(chunk_stats_by_total, struct trace_stat, ORDER_DOWN(total) ?: ORDER_UP(srcloc));

int chunks_stats(struct chunks *k, struct view_call *c, const struct trace_filter *filter,
		 struct trace_stat **stats, size_t *count)
{
	struct zones_choice choice = ZONES_ALL;
	struct tally t;
	int r = tally_open(&t, c->trace->srcloc_count, filter->no_percentiles);

	if (r == 0)
		r = trace_find_recursion(c->trace);
	choice.t0 = filter->t0;
	choice.t1 = filter->t1;
	choice.tracks = filter->tracks;
	choice.self = choice.unfinished = true;
	if (r == 0)
		r = lanes_tally(k, c, &choice, &t);
	if (r == 0) {
		*stats = malloc((t.met.n + 1) * sizeof(**stats));
		r = *stats ? 0 : TACHO_ENOMEM;
	}
	for (size_t i = 0; r == 0 && i < t.met.n; i++)
		(*stats)[i] = tally_stat(&t.v[t.met.v[i]], t.met.v[i]);
	if (r == 0) {
		qsort(*stats, t.met.n, sizeof(**stats), chunk_stats_by_total);
		*count = t.met.n;
	}
	tally_free(&t);
	return r;
}

int chunks_hist(struct chunks *k, struct view_call *c, const struct zones_choice *choice,
		struct hist *h)
{
	const struct sums *s;
	struct tally t;
	int r = tally_open(&t, c->trace->srcloc_count, false);

	if (r == 0)
		r = lanes_tally(k, c, choice, &t);
	s = r == 0 ? &t.v[choice->srcloc] : NULL;
	if (s && s->count) {
		*h = (struct hist){.count = s->count,
				   .min = s->min,
				   .max = s->max,
				   .sum = (double)s->total,
				   .squares = s->squares};
		for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
			h->buckets[i] = s->buckets[i];
			h->totals[i] = s->buckets[i] * hist_middle(i);
		}
	}
	tally_free(&t);
	return r;
}
