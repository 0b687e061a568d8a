#include "web/chunks.h"
#include "web/tally.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* One name in one chunk, in the file; BUCKETS of struct bucket follow. */
struct entry {
	uint32_t srcloc, count;
	uint64_t total, inside; /* ticks */
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

struct chunks {
	struct web_trace *on;
	pthread_t thread;
	pthread_mutex_t lock; /* of STATE and STOP */
	pthread_cond_t changed;
	enum { MAKING, READY, FAILED } state;
	bool stop;
	struct lane_chunks *lanes; /* of the trace's lanes */
	uint32_t lane_count;
	const uint8_t *map;
	size_t size;
};

/* ---------------------------------------------------------------- making */

struct maker {
	struct chunks *k;
	struct tally tally;
	FILE *file;
	uint64_t offset;
	uint32_t lane, zones;
	struct chunk chunk;
};

static int entry_write(struct maker *m, const struct sums *s, uint32_t srcloc)
{
	struct entry e = {srcloc,     (uint32_t)s->count,      s->total, s->inside, s->min, s->max,
			  s->squares, (uint32_t)s->unfinished, 0};
	uint32_t low = s->count ? hist_bucket(s->min) : 1,
		 high = s->count ? hist_bucket(s->max) : 0;

	for (uint32_t i = low; i <= high; i++)
		e.buckets += s->buckets[i] != 0;
	fwrite(&e, sizeof(e), 1, m->file);
	for (uint32_t i = low; i <= high; i++)
		if (s->buckets[i]) {
			struct bucket b = {i, s->buckets[i]};

			fwrite(&b, sizeof(b), 1, m->file);
		}
	m->offset += sizeof(e) + e.buckets * sizeof(struct bucket);
	return ferror(m->file) ? TACHO_EWRITE : 0;
}

static int chunk_close(struct maker *m)
{
	int r = 0;

	if (!m->zones)
		return 0;
	m->chunk.offset = m->offset;
	m->chunk.entries = (uint32_t)m->tally.met.n;
	m->chunk.zones = m->zones;
	for (size_t i = 0; r == 0 && i < m->tally.met.n; i++)
		r = entry_write(m, &m->tally.v[m->tally.met.v[i]], m->tally.met.v[i]);
	tally_clear(&m->tally);
	m->zones = 0;
	if (r == 0 && vec_push(&m->k->lanes[m->lane], m->chunk) < 0)
		r = TACHO_ENOMEM;
	return r;
}

static int zone_take(struct maker *m, const struct zones *z, const struct zone_found *f)
{
	int r = 0;

	if (m->zones == CHUNK_ZONES || f->lane != m->lane)
		r = chunk_close(m);
	if (!m->zones) {
		m->chunk.first = f->zone.start;
		m->chunk.number = web_zones_number(z);
	}
	m->lane = f->lane;
	m->chunk.last = f->zone.start;
	m->zones++;
	return r < 0 ? r : tally_zone(&m->tally, f);
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

static int file_map(struct chunks *k, struct maker *m)
{
	void *map;

	k->size = m->offset;
	if (fflush(m->file))
		return TACHO_EWRITE;
	if (!k->size)
		return 0;
	map = mmap(NULL, k->size, PROT_READ, MAP_SHARED, fileno(m->file), 0);
	if (map == MAP_FAILED)
		return TACHO_ENOMEM;
	k->map = map;
	return 0;
}

static int make_all(struct chunks *k, struct trace *trace)
{
	struct zones_choice choice = ZONES_ALL;
	struct web_call call = {
		.web = NULL, .on = k->on, .trace = trace, .gone = must_stop, .context = k};
	struct maker m = {.k = k, .file = tmpfile()};
	struct zone_found found;
	struct zones zones;
	int r = m.file ? tally_open(&m.tally, trace->srcloc_count, false) : TACHO_EWRITE;

	k->lane_count = trace->lane_count;
	k->lanes = calloc(trace->lane_count + 1, sizeof(*k->lanes));
	if (!k->lanes)
		r = TACHO_ENOMEM;
	choice.self = choice.unfinished = true;
	web_zones_open(&zones, &call, &choice);
	while (r >= 0 && (r = web_zones_next(&zones, &found)) > 0)
		r = zone_take(&m, &zones, &found);
	web_zones_close(&zones);
	if (r == 0)
		r = must_stop(k) ? TACHO_ENO : chunk_close(&m);
	if (r == 0)
		r = file_map(k, &m);
	tally_free(&m.tally);
	if (m.file)
		fclose(m.file);
	return r;
}

static void *make(void *context)
{
	struct chunks *k = context;
	struct web_handle *h = handle_take(k->on, SCAN);
	int r = h ? make_all(k, h->trace) : TACHO_ENOMEM;

	if (h)
		handle_put(k->on, h);
	pthread_mutex_lock(&k->lock);
	k->state = r == 0 ? READY : FAILED;
	pthread_cond_broadcast(&k->changed);
	pthread_mutex_unlock(&k->lock);
	return NULL;
}

struct chunks *chunks_start(struct web_trace *t)
{
	struct chunks *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->on = t;
	pthread_mutex_init(&k->lock, NULL);
	pthread_cond_init(&k->changed, NULL);
	if (pthread_create(&k->thread, NULL, make, k)) {
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
	pthread_join(k->thread, NULL);
	for (uint32_t i = 0; k->lanes && i < k->lane_count; i++)
		vec_free(&k->lanes[i]);
	free(k->lanes);
	if (k->map)
		munmap((void *)(uintptr_t)k->map, k->size);
	pthread_mutex_destroy(&k->lock);
	pthread_cond_destroy(&k->changed);
	free(k);
}

bool chunks_ready(struct chunks *k, struct web_call *c)
{
	bool ready;

	if (!k)
		return false;
	pthread_mutex_lock(&k->lock);
	while (k->state == MAKING && !call_gone(c)) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec++;
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
	s->squares += e->squares;
	s->min = e->count && e->min < s->min ? e->min : s->min;
	s->max = e->count && e->max > s->max ? e->max : s->max;
	for (uint32_t i = 0; s->buckets && i < e->buckets; i++)
		s->buckets[buckets[i].number] += buckets[i].count;
	return 0;
}

static int chunk_add(struct chunks *k, const struct chunk *c, const struct zones_choice *choice,
		     struct tally *t)
{
	const uint8_t *at = k->map + c->offset;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < c->entries; i++) {
		const struct bucket *buckets;
		const struct entry *e = entry_next(&at, &buckets);

		if (choice->srcloc == TRACE_NONE || choice->srcloc == e->srcloc)
			r = entry_add(t, e, buckets);
	}
	return r;
}

static bool chunk_has(struct chunks *k, const struct chunk *c, uint32_t srcloc)
{
	const uint8_t *at = k->map + c->offset;
	const struct bucket *ignored;

	if (srcloc == TRACE_NONE)
		return true;
	for (uint32_t i = 0; i < c->entries; i++)
		if (entry_next(&at, &ignored)->srcloc == srcloc)
			return true;
	return false;
}

/* Zones of a chunk on the edge of the range, one by one. */
static int edge_add(struct web_call *c, uint32_t lane, const struct chunk *chunk,
		    const struct zones_choice *choice, struct tally *t)
{
	struct zones_choice part = *choice;
	struct zone_found found;
	struct zones zones;
	int r = 0;

	/* By numbers: zones of no length may stand at one time on both sides of a border. */
	part.t0 = chunk->first > choice->t0 ? chunk->first : choice->t0;
	part.numbered = chunk->zones;
	part.number = chunk->number;
	web_zones_open(&zones, c, &part);
	zones.lane = lane;
	while (r >= 0 && (r = web_zones_next(&zones, &found)) > 0)
		r = tally_zone(t, &found);
	web_zones_close(&zones);
	return r;
}

/* Chunks are in order of time. */
static int lane_tally(struct chunks *k, struct web_call *c, uint32_t lane,
		      const struct zones_choice *choice, struct tally *t)
{
	const struct lane_chunks *l = &k->lanes[lane];
	size_t low = 0, high = l->n;
	int r = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->v[middle].last < choice->t0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; r == 0 && low < l->n && l->v[low].first < choice->t1; low++) {
		const struct chunk *chunk = &l->v[low];

		if (chunk->first >= choice->t0 && chunk->last < choice->t1)
			r = chunk_add(k, chunk, choice, t);
		else if (chunk_has(k, chunk, choice->srcloc))
			r = edge_add(c, lane, chunk, choice, t);
	}
	return r;
}

static int lanes_tally(struct chunks *k, struct web_call *c, const struct zones_choice *choice,
		       struct tally *t)
{
	const struct trace *trace = c->trace;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < k->lane_count && i < trace->lane_count; i++) {
		if (choice->tracks && !choice->tracks[trace->lanes[i].track])
			continue;
		r = lane_tally(k, c, i, choice, t);
		if (i % 64 == 0 && call_gone(c))
			break;
	}
	return r;
}

static int by_total(const void *a, const void *b)
{
	const struct trace_stat *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return (x->srcloc > y->srcloc) - (x->srcloc < y->srcloc);
}

int chunks_stats(struct chunks *k, struct web_call *c, const struct trace_filter *filter,
		 struct trace_stat **stats, size_t *count)
{
	struct zones_choice choice = ZONES_ALL;
	struct tally t;
	int r = tally_open(&t, c->trace->srcloc_count, filter->no_percentiles);

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
		qsort(*stats, t.met.n, sizeof(**stats), by_total);
		*count = t.met.n;
	}
	tally_free(&t);
	return r;
}

int chunks_hist(struct chunks *k, struct web_call *c, const struct zones_choice *choice,
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
