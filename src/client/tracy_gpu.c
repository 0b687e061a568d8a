/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracy's functions for devices that a program reads itself. Begins and ends come first, the times
 * of their queries later: so the events of a context wait in order until the first of them has its
 * time, and then become zones of a track.
 *
 * A context's state is in memory that the kernel wipes on fork: a child has no contexts.
 */
#define TRACY_ENABLE
#include "client/client.h"

#include <string.h>
#include <sys/mman.h>
#include <tacho/cores.h>
#include <time.h>
#include <tracy/TracyC.h>

#define CONTEXTS  256u
#define QUERIES   65536u
#define DEPTH     256u
#define NAME      120u
#define READINGS  5
#define RATE_NS   10000000 /* minimum time for measuring the tick clock */
#define CLOCK_MAX 9e15     /* ticks from an anchor: anything further away is not a time */

enum event_state { WAITING, TIMED, LOST };

struct event {
	uint64_t tick;
	uint32_t srcloc; /* 0: it begins outside of a recording */
	uint16_t query;
	uint8_t end, state;
};

struct gpu {
	_Atomic uint32_t lock;
	bool known;
	uint32_t reported; /* the recording that has the name */
	char name[NAME];
	/* At tick CPU the device showed TIME; SCALE nanoseconds for each of its ticks. */
	uint64_t cpu;
	int64_t time;
	double scale;
	/* Start of the measurement of the tick clock. */
	uint64_t start_ticks, rate_ticks; /* rate_ticks: how long, when it was done last */
	int64_t start_ns;
	double rate;
	uint64_t last; /* tick of the track */
	uint32_t depth, open[DEPTH];
	uint64_t head, tail; /* of events; there are never more than queries */
	struct event events[QUERIES];
	uint32_t waits[QUERIES]; /* by query: the event, counted from 1 */
};

static struct gpu *contexts[CONTEXTS];

static struct gpu *tracy_gpu_make(uint8_t number)
{
	struct gpu *g = __atomic_load_n(&contexts[number], __ATOMIC_ACQUIRE), *none = NULL;

	if (g || client_is_sealed())
		return g;
	g = mmap(NULL, sizeof(*g), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (g == MAP_FAILED)
		return NULL;
	madvise(g, sizeof(*g), MADV_WIPEONFORK);
	if (__atomic_compare_exchange_n(&contexts[number], &none, g, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return g;
	munmap(g, sizeof(*g));
	return none;
}

/* Returns the context locked, or NULL if it was never announced. */
static struct gpu *tracy_gpu_enter(uint8_t number, struct guard *guard)
{
	struct gpu *g = __atomic_load_n(&contexts[number], __ATOMIC_ACQUIRE);

	if (!g || !sys_lock(&g->lock, guard))
		return NULL;
	if (g->known)
		return g;
	sys_unlock(&g->lock, guard);
	return NULL;
}

static void tracy_gpu_leave(struct gpu *g, struct guard *guard)
{
	sys_unlock(&g->lock, guard);
}

/* ------------------------------------------------------------------ clocks */

/* Reads both clocks as simultaneously as possible: of several readings the shortest. */
static void tracy_gpu_clocks_read(uint64_t *ticks, int64_t *ns)
{
	uint64_t shortest = UINT64_MAX;

	for (int i = 0; i < READINGS; i++) {
		uint64_t before = tacho_ticks(), length;
		struct timespec t;

		clock_gettime(CLOCK_MONOTONIC_RAW, &t);
		length = tacho_ticks() - before;
		if (length >= shortest)
			continue;
		shortest = length;
		*ticks = before + length / 2;
		*ns = t.tv_sec * 1000000000ll + t.tv_nsec;
	}
}

/*
 * The rate improves with time. It changes rarely, so both ends of a zone usually use the same one.
 */
static double ticks_per_ns(struct gpu *g)
{
	uint64_t ticks;
	int64_t ns;

	if (g->rate > 0 && tacho_ticks() - g->start_ticks < 2 * g->rate_ticks)
		return g->rate;
	tracy_gpu_clocks_read(&ticks, &ns);
	/* The first measurement blocks. */
	if (ns - g->start_ns < RATE_NS) {
		sys_sleep_us((unsigned)((RATE_NS - (ns - g->start_ns)) / 1000) + 1);
		tracy_gpu_clocks_read(&ticks, &ns);
	}
	g->rate_ticks = ticks - g->start_ticks;
	g->rate = ns > g->start_ns ? (double)g->rate_ticks / (double)(ns - g->start_ns) : 1;
	return g->rate;
}

static uint64_t tick_of(struct gpu *g, int64_t time)
{
	double since = (double)(int64_t)((uint64_t)time - (uint64_t)g->time);
	double ticks = since * g->scale * ticks_per_ns(g);

	if (!(ticks > -CLOCK_MAX && ticks < CLOCK_MAX))
		return g->cpu;
	return g->cpu + (uint64_t)(int64_t)(ticks + (ticks < 0 ? -0.5 : 0.5));
}

/* ------------------------------------------------------------------- zones */

/* Contexts have ids above those of cores: src/trace knows them as others. */
static uint64_t tracy_gpu_track_of(uint8_t number)
{
	return (uint64_t)(number + 1) << 48;
}

static void tracy_gpu_track_name(struct gpu *g, uint8_t number)
{
	uint32_t recording = (uint32_t)(tacho_key() >> 32);
	char name[NAME + 8] = "";

	if (g->reported == recording)
		return;
	g->reported = recording;
	text_add(name, sizeof(name), g->name[0] ? g->name : "Device");
	text_add(name, sizeof(name), "/0");
	tacho_core_name(tracy_gpu_track_of(number), name, 0);
}

static uint64_t in_order(struct gpu *g, const struct event *e)
{
	if (e->state == TIMED && e->tick > g->last)
		g->last = e->tick;
	return g->last;
}

static void put_begin(struct gpu *g, uint8_t number, const struct event *e)
{
	uint32_t srcloc = e->state == TIMED && g->depth < DEPTH ? e->srcloc : 0;

	if (srcloc) {
		tracy_gpu_track_name(g, number);
		tacho_core_begin(tracy_gpu_track_of(number), srcloc, in_order(g, e), 0);
	}
	if (g->depth < DEPTH)
		g->open[g->depth] = srcloc;
	g->depth++;
}

static void put_end(struct gpu *g, uint8_t number, const struct event *e)
{
	if (!g->depth)
		return;
	g->depth--;
	if (g->depth < DEPTH && g->open[g->depth])
		tacho_core_end(tracy_gpu_track_of(number), g->open[g->depth], in_order(g, e));
}

static void tracy_gpu_drain(struct gpu *g, uint8_t number)
{
	for (; g->head != g->tail; g->head++) {
		const struct event *e = &g->events[g->head % QUERIES];

		if (e->state == WAITING)
			break;
		if (e->end)
			put_end(g, number, e);
		else
			put_begin(g, number, e);
	}
}

/* Drops an event whose time will not arrive. */
static void tracy_gpu_lose(struct gpu *g, uint64_t position)
{
	struct event *e = &g->events[position % QUERIES];

	e->state = LOST;
	if (g->waits[e->query] == position % QUERIES + 1)
		g->waits[e->query] = 0;
}

static void tracy_gpu_add(uint8_t number, uint16_t query, uint32_t srcloc, bool end)
{
	struct guard guard;
	struct gpu *g = tracy_gpu_enter(number, &guard);

	if (!g)
		return;
	/* A reused query was never answered; nor is the first one if all are pending. */
	if (g->waits[query])
		tracy_gpu_lose(g, g->waits[query] - 1);
	if (g->tail - g->head == QUERIES)
		tracy_gpu_lose(g, g->head);
	tracy_gpu_drain(g, number);
	g->waits[query] = (uint32_t)(g->tail % QUERIES) + 1;
	g->events[g->tail++ % QUERIES] =
		(struct event){.srcloc = srcloc, .query = query, .end = end};
	tracy_gpu_leave(g, &guard);
}

static void begin_static(uint8_t number, uint16_t query, uint64_t address)
{
	const struct ___tracy_source_location_data *s = (const void *)(uintptr_t)address;

	tracy_gpu_add(number, query,
		      s && tacho_is_recording()
			      ? tacho_srcloc_make(s->name, s->function, s->file, s->line, s->color)
			      : 0,
		      false);
}

/* Numbers are 32 bits; above them are those whose name found no room. */
static void begin_alloc(uint8_t number, uint16_t query, uint64_t srcloc)
{
	uint32_t id = srcloc >> 32 ? 0 : (uint32_t)srcloc;

	if (!id && tacho_is_recording())
		id = tacho_srcloc_make("(unknown)", NULL, NULL, 0, 0);
	tracy_gpu_add(number, query, id, false);
}

static void time_came(uint8_t number, uint16_t query, int64_t time)
{
	struct guard guard;
	struct gpu *g = tracy_gpu_enter(number, &guard);

	if (!g)
		return;
	if (g->waits[query] && time == INT64_MIN) { /* TracyOpenCL.hpp: the command has none */
		tracy_gpu_lose(g, g->waits[query] - 1);
		tracy_gpu_drain(g, number);
	} else if (g->waits[query]) {
		struct event *e = &g->events[g->waits[query] - 1];

		g->waits[query] = 0;
		e->tick = tick_of(g, time);
		e->state = TIMED;
		tracy_gpu_drain(g, number);
	}
	tracy_gpu_leave(g, &guard);
}

/* ---------------------------------------------------------------- contexts */

static void new_context(const struct ___tracy_gpu_new_context_data *d)
{
	struct gpu *g = tracy_gpu_make(d->context);
	struct guard guard;

	if (!g || !sys_lock(&g->lock, &guard))
		return;
	if (!g->known)
		tracy_gpu_clocks_read(&g->start_ticks, &g->start_ns);
	g->known = true;
	g->cpu = tacho_ticks();
	g->time = d->gpuTime;
	g->scale = d->period > 0 && d->period < 1e9f ? (double)d->period : 1;
	tracy_gpu_leave(g, &guard);
}

static void tracy_gpu_context_name(const struct ___tracy_gpu_context_name_data *d)
{
	struct guard guard;
	struct gpu *g = tracy_gpu_enter(d->context, &guard);
	size_t len = d->len < NAME ? d->len : NAME - 1;

	if (!g)
		return;
	if (d->name)
		memcpy(g->name, d->name, len);
	g->name[d->name ? len : 0] = 0;
	g->reported = 0;
	tracy_gpu_leave(g, &guard);
}

/* NS: since the last anchor, as measured by the program; 0: not measured. */
static void tracy_gpu_anchor(uint8_t number, int64_t time, int64_t ns)
{
	struct guard guard;
	struct gpu *g = tracy_gpu_enter(number, &guard);
	double step;

	if (!g)
		return;
	step = (double)(int64_t)((uint64_t)time - (uint64_t)g->time);
	if (ns > 0 && step > 0)
		g->scale = (double)ns / step;
	g->cpu = tacho_ticks();
	g->time = time;
	tracy_gpu_leave(g, &guard);
}

/* -------------------------------------------------------------- their names */

#define BOTH(name)                                                                                 \
	TACHO_API void ___tracy_emit_gpu_zone_begin##name(                                         \
		const struct ___tracy_gpu_zone_begin_data d)                                       \
	{                                                                                          \
		begin_static(d.context, d.queryId, d.srcloc);                                      \
	}                                                                                          \
	TACHO_API void ___tracy_emit_gpu_zone_begin_callstack##name(                               \
		const struct ___tracy_gpu_zone_begin_callstack_data d)                             \
	{                                                                                          \
		begin_static(d.context, d.queryId, d.srcloc);                                      \
	}                                                                                          \
	TACHO_API void ___tracy_emit_gpu_zone_begin_alloc##name(                                   \
		const struct ___tracy_gpu_zone_begin_data d)                                       \
	{                                                                                          \
		begin_alloc(d.context, d.queryId, d.srcloc);                                       \
	}                                                                                          \
	TACHO_API void ___tracy_emit_gpu_zone_begin_alloc_callstack##name(                         \
		const struct ___tracy_gpu_zone_begin_callstack_data d)                             \
	{                                                                                          \
		begin_alloc(d.context, d.queryId, d.srcloc);                                       \
	}                                                                                          \
	TACHO_API void ___tracy_emit_gpu_zone_end##name(const struct ___tracy_gpu_zone_end_data d) \
	{                                                                                          \
		tracy_gpu_add(d.context, d.queryId, 0, true);                                      \
	}                                                                                          \
	TACHO_API void ___tracy_emit_gpu_time##name(const struct ___tracy_gpu_time_data d)         \
	{                                                                                          \
		time_came(d.context, d.queryId, d.gpuTime);                                        \
	}                                                                                          \
	TACHO_API void ___tracy_emit_gpu_new_context##name(                                        \
		const struct ___tracy_gpu_new_context_data d)                                      \
	{                                                                                          \
		new_context(&d);                                                                   \
	}                                                                                          \
	TACHO_API void ___tracy_emit_gpu_context_name##name(                                       \
		const struct ___tracy_gpu_context_name_data d)                                     \
	{                                                                                          \
		tracy_gpu_context_name(&d);                                                        \
	}                                                                                          \
	TACHO_API void ___tracy_emit_gpu_calibration##name(                                        \
		const struct ___tracy_gpu_calibration_data d)                                      \
	{                                                                                          \
		tracy_gpu_anchor(d.context, d.gpuTime, d.cpuDelta);                                \
	}                                                                                          \
	TACHO_API void ___tracy_emit_gpu_time_sync##name(                                          \
		const struct ___tracy_gpu_time_sync_data d)                                        \
	{                                                                                          \
		tracy_gpu_anchor(d.context, d.gpuTime, 0);                                         \
	}

BOTH()
BOTH(_serial)
