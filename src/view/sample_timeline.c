/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples and states of threads for the timeline. Both are cached by thread; states with running
 * sums, so a tile costs a few searches per pixel however many there are.
 */
#include "base/limits.h"
#include "base/search.h"
#include "view/lock_timeline.h"
#include "view/sample_query.h"
#include "view/tiles.h"

#include <string.h>

#define MAGIC     0x31535354u /* "TSS1" */
#define EMPTY     UINT32_MAX
#define TRACKS    512u /* of one call */
#define LOOKED_AT 32u  /* samples of a pixel that decide which function it shows */
/* States in a tile: unknown time is what is missing to a whole. */
#define TILE_STATES PROFILE_UNKNOWN

struct sample_point {
	uint64_t time;
	uint32_t node;
};

struct sample_row {
	struct row_cache cache;
	struct spans states[TILE_STATES]; /* "thread" is the stack, "mark" SPAN_MARK() */
	SPILL(struct sample_point);       /* by time */
};

#define SPAN_MARK(cpu, call) ((((call)&0x3ffu) << 20 | ((cpu)&0xfffffu)) & 0x3fffffffu)
#define SPAN_CPU(mark)       ((mark)&0xfffffu)
#define SPAN_CALL(mark)      ((mark) >> 20)

static int sample_row_take(struct row_cache *k, const struct trace_row *row)
{
	struct sample_row *s = (struct sample_row *)k;
	struct sample_point point = {row->time, row->a < LIMIT_STACK_NODES ? (uint32_t)row->a : 0};
	uint32_t state = TRACE_STATE_OF(row->b);
	struct spans *spans = NULL;

	if (row->kind == TRACE_ROW_SAMPLE)
		return spill_push(s, point);
	if (row->kind != TRACE_ROW_STATE || row->a > INT64_MAX)
		return 0;
	if (state == TRACE_STATE_RUNNING)
		spans = &s->states[PROFILE_RUNNING];
	else if (state == TRACE_STATE_RUNNABLE)
		spans = &s->states[PROFILE_RUNNABLE];
	else if (state == TRACE_STATE_BLOCKED)
		spans = &s->states[profile_wait_state(TRACE_STATE_CALL(row->b))];
	if (!spans)
		return 0;
	spans_begin(spans, row->time, row->c < LIMIT_STACK_NODES ? (uint32_t)row->c : 0, false);
	spans->open.mark = SPAN_MARK(TRACE_STATE_CPU(row->b), TRACE_STATE_CALL(row->b));
	return spans_end(spans, row->time + row->a);
}

static size_t sample_row_memory(const struct row_cache *k)
{
	const struct sample_row *s = (const struct sample_row *)k;
	size_t bytes = sizeof(*s) + spill_memory(&s->store);

	for (int i = 0; i < TILE_STATES; i++)
		bytes += spans_memory(&s->states[i]);
	return bytes;
}

static void sample_row_rest(struct row_cache *k, bool last)
{
	const struct sample_row *s = (const struct sample_row *)k;

	(void)last;
	spill_rest(&s->store);
	for (int i = 0; i < TILE_STATES; i++)
		spill_rest(&s->states[i].store);
}

static void sample_row_free(struct row_cache *k)
{
	struct sample_row *s = (struct sample_row *)k;

	for (int i = 0; i < TILE_STATES; i++)
		spans_free(&s->states[i]);
	spill_free(s);
	free(s);
}

static const struct row_cache_kind sample_rows = {sizeof(struct sample_row), sample_row_take,
						  sample_row_memory, sample_row_rest,
						  sample_row_free};

static int sample_row_get(struct view_call *c, uint32_t track, struct sample_row **row)
{
	struct row_cache *cache;
	int r = row_cache_get(c, track, &sample_rows, &cache);

	*row = (struct sample_row *)cache;
	return r;
}

/* The first sample at or after T, from LOW on. */
static size_t sample_first(const struct sample_row *s, size_t low, uint64_t t)
{
	size_t high = s->n;

	SEARCH_FIRST(low, high, middle, s->v[middle].time < t);
	return low;
}

/* ------------------------------------------------------------------ tiles */

static void timeline_put32(struct buf *out, uint64_t value)
{
	uint8_t bytes[4];

	for (int i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	buf_add(out, bytes, 4);
}

/* Of samples [FIRST, END): a stack of the most frequent innermost function. */
static uint32_t leading_stack(const struct profile *p, const struct sample_row *s, size_t first,
			      size_t end)
{
	size_t n = end - first < LOOKED_AT ? end - first : LOOKED_AT;
	uint32_t stacks[LOOKED_AT], best = 0;
	unsigned counts[LOOKED_AT], different = 0, most = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t stack = profile_leaf_stack(p, s->v[first + i * (end - first) / n].node);
		unsigned k = 0;

		while (k < different && stacks[k] != stack)
			k++;
		if (k == different) {
			stacks[different] = stack;
			counts[different++] = 0;
		}
		if (++counts[k] > most) {
			most = counts[k];
			best = stack;
		}
	}
	return best;
}

static void counts_put(struct buf *out, const struct profile *p, const struct sample_row *s,
		       const uint64_t *edges)
{
	uint32_t leading[VIEW_TILE];
	size_t first = sample_first(s, 0, edges[0]);

	for (unsigned x = 0; x < VIEW_TILE; x++) {
		size_t end = sample_first(s, first, edges[x + 1]);
		size_t count = end - first < 0xffff ? end - first : 0xffff;

		buf_addc(out, (char)(uint8_t)count);
		buf_addc(out, (char)(uint8_t)(count >> 8));
		leading[x] = count ? leading_stack(p, s, first, end) : 0;
		first = end;
	}
	for (unsigned x = 0; x < VIEW_TILE; x++)
		timeline_put32(out, leading[x]);
}

/* True if any sample or state is in [t0, t1). */
static bool sample_row_has(const struct sample_row *s, uint64_t t0, uint64_t t1)
{
	size_t i = sample_first(s, 0, t0);
	bool any = i < s->n && s->v[i].time < t1;

	for (int k = 0; !any && k < TILE_STATES; k++)
		any = spans_covered(&s->states[k], t0, t1) > 0;
	return any;
}

static int sample_tile_put(struct view_call *c, const struct profile *p, const uint32_t *tracks,
			   size_t count, uint64_t res, uint64_t i, uint64_t *end)
{
	struct buf *out = &c->answer->body;
	uint64_t edges[VIEW_TILE + 1];
	int r = 0;

	for (unsigned x = 0; x <= VIEW_TILE; x++) {
		edges[x] = trace_ticks(c->trace, (int64_t)((i * VIEW_TILE + x) << res));
		if (x && edges[x] <= edges[x - 1])
			edges[x] = edges[x - 1] + 1;
	}
	*end = edges[VIEW_TILE];
	timeline_put32(out, MAGIC);
	timeline_put32(out, c->gen);
	timeline_put32(out, count);
	for (size_t k = 0; r == 0 && k < count; k++) {
		struct sample_row *s = NULL;

		if (c->trace->tracks[tracks[k]].kind == TRACE_THREAD)
			r = sample_row_get(c, tracks[k], &s);
		timeline_put32(out, tracks[k]);
		if (r < 0 || !s || !sample_row_has(s, edges[0], *end)) {
			timeline_put32(out, EMPTY);
			continue;
		}
		timeline_put32(out, TILE_STATES);
		for (int state = 0; state < TILE_STATES; state++) {
			for (unsigned x = 0; x < VIEW_TILE; x++) {
				uint64_t covered = s->states[state].n
							   ? spans_covered(&s->states[state],
									   edges[x], edges[x + 1])
							   : 0;
				double share =
					(double)covered / (double)(edges[x + 1] - edges[x]) * 255;

				buf_addc(out,
					 (char)(uint8_t)(share > 0 && share < 1 ? 1 : share + 0.5));
			}
		}
		counts_put(out, p, s, edges);
	}
	return r;
}

int call_sample_tiles(struct view_call *c)
{
	uint64_t res, first, last, end = 0;
	uint32_t tracks[TRACKS];
	struct profile *p;
	size_t count;
	int r = arg_need(c, "res", VIEW_RES_MAX, &res);

	if (r == 0)
		r = arg_span(c, "i", &first, &last);
	if (r == 0 && last >= (1ull << 62) / ((uint64_t)VIEW_TILE << res))
		r = call_fail(c, VIEW_BAD, "i is beyond the end of time");
	if (r == 0)
		r = arg_numbers(c, "track", c->trace->track_count, tracks, TRACKS, &count);
	if (r == 0 || (r > 0 && !count))
		return call_fail(c, VIEW_BAD, "track is missing");
	if (r > 0 && last - first >= VIEW_LANE_TILES / count)
		return call_fail(c, VIEW_BAD, "more than %u tiles of tracks", VIEW_LANE_TILES);
	if (r > 0)
		r = profile_cached(c, &p);
	for (uint64_t i = first; r == 0 && i <= last; i++)
		r = sample_tile_put(c, p, tracks, count, res, i, &end);
	if (r < 0)
		return r;
	c->answer->type = VIEW_BINARY;
	answer_cache(c, end);
	return answer_deflate(c);
}

/* -------------------------------------------------------------- one moment */

/* The lock that THREAD waited for at the start of a span, by the program's lock events. */
static int lock_of_span_put(struct view_call *c, struct profile *p, uint32_t thread,
			    const struct span *span)
{
	const struct profile_wait *w;
	size_t n;
	int r = profile_waits(p, thread, span->start, &w, &n);

	if (r == 0 && n && w->start < span->end) {
		const char *name = lock_name(c->trace, w->lock);

		json_uint(&c->json, "lock", w->lock);
		json_cut(&c->json, "lock_name", name, strlen(name), VIEW_TEXT);
	}
	return r;
}

static int state_at_put(struct view_call *c, struct profile *p, const struct sample_row *s,
			uint64_t t)
{
	struct json *j = &c->json;
	int r = 0;

	for (int i = 0; i < TILE_STATES; i++) {
		size_t at = spans_find(&s->states[i], t);
		const struct span *span = &s->states[i].v[at];

		if (at >= s->states[i].n || span->start > t)
			continue;
		json_object(j, "state");
		json_uint(j, "state", (unsigned)i);
		json_text(j, "name", profile_state_names[i]);
		json_ns(c, "start", span->start);
		json_ns(c, "end", span->end);
		json_duration(c, "duration", span->start, span->end);
		json_uint(j, "cpu", SPAN_CPU(span->mark));
		if (SPAN_CALL(span->mark))
			json_uint(j, "call", SPAN_CALL(span->mark) - 1);
		if (i > PROFILE_RUNNABLE)
			r = lock_of_span_put(c, p, s->cache.track, span);
		sample_stack_put(j, "stack", p, span->thread);
		json_end(j);
		return r;
	}
	json_null(j, "state");
	return 0;
}

static void sample_at_put(struct view_call *c, const struct profile *p, const struct sample_row *s,
			  uint64_t t, uint64_t reach)
{
	size_t i = sample_first(s, 0, t);
	struct json *j = &c->json;

	/* The nearer one of its neighbours. */
	if (i && (i == s->n || t - s->v[i - 1].time < s->v[i].time - t))
		i--;
	if (i == s->n || (s->v[i].time > t ? s->v[i].time - t : t - s->v[i].time) > reach) {
		json_null(j, "sample");
		return;
	}
	json_object(j, "sample");
	json_ns(c, "t", s->v[i].time);
	json_uint(j, "id", s->v[i].node);
	sample_stack_put(j, "stack", p, s->v[i].node);
	json_end(j);
	if (i)
		json_ns(c, "prev", s->v[i - 1].time);
	if (i + 1 < s->n)
		json_ns(c, "next", s->v[i + 1].time);
}

int call_sample(struct view_call *c)
{
	uint64_t t, reach;
	struct sample_row *s = NULL;
	struct profile *p;
	uint32_t track;
	int r = arg_track_of(c, TRACE_THREAD, &track);

	if (r == 0)
		r = arg_moment(c, &t, &reach);
	if (r == 0)
		r = profile_cached(c, &p);
	if (r == 0)
		r = sample_row_get(c, track, &s);
	if (r < 0)
		return r;
	call_begin(c);
	json_uint(&c->json, "track", track);
	r = state_at_put(c, p, s, t);
	sample_at_put(c, p, s, t, reach);
	json_end(&c->json);
	return r;
}

/* The stacks of "ids", for the functions of tiles. */
int call_stack(struct view_call *c)
{
	uint32_t ids[VIEW_ROWS];
	struct json *j = &c->json;
	struct profile *p;
	size_t count;
	int r = arg_numbers(c, "ids", LIMIT_STACK_NODES, ids, VIEW_ROWS, &count);

	if (r == 0)
		return call_fail(c, VIEW_BAD, "ids is missing");
	if (r > 0)
		r = profile_cached(c, &p);
	if (r < 0)
		return r;
	call_begin(c);
	json_array(j, "stacks");
	for (size_t i = 0; i < count; i++) {
		json_object(j, NULL);
		json_uint(j, "id", ids[i]);
		sample_stack_put(j, "stack", p, ids[i]);
		json_end(j);
	}
	json_end(j);
	json_end(j);
	return 0;
}
