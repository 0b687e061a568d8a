/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The critical path of a range of time: what had to happen, one after the other, for its end to
 * come when it came. It is walked backwards from the end of a thread:
 *
 * - While a thread runs, its time is on the path; so is time off its CPU, under what it waited for.
 * - While it waits for a lock, the path is what the thread that held the lock did meanwhile. What
 *   that thread did before the wait is not on the path: a lock fixes no order.
 * - While it is in a zone that waits for a device, the path goes to the op that ended last; while
 * it dispatches, to an op that was dispatched and has ended meanwhile. From there on the device's
 *   queue does fix the order: the path is the op, the ops before it as long as each had been
 *   dispatched when the one before it ended, and then the thread that dispatched.
 * - While it waits for a child process, the path is that process. Where a thread begins, the path
 *   continues on the main thread of its process, or of the parent process.
 *
 * The parts cover the range without gap or overlap, so their times add up to it.
 */
#include "base/order.h"
#include "trace/names.h"
#include "view/lock_timeline.h"
#include "view/path_facts.h"

#include <string.h>

#define SEGMENTS      1000000u /* of a path; the rest is not followed */
#define SEGMENTS_SENT 20000u
#define NESTED        32u      /* waits of the holder of a lock for another lock, and so on */
#define ZONES_SPLIT   5000000u /* zones of a thread that time is divided among */

/* Totals of segments with a common key. */
struct path_class {
	uint32_t kind;
	uint32_t track; /* of the thread, or the number of the device */
	uint32_t lock;  /* that another thread waits for, or TRACE_NONE */
};

struct path_segment {
	uint64_t start, end;
	uint32_t class;
	uint32_t op; /* index in facts.ops, of PATH_OP */
};

/* A thread that is followed down to FLOOR, because others wait for LOCK. */
struct path_frame {
	uint32_t track, lock;
	uint64_t floor;
};

struct path_part {
	uint32_t class, name; /* source location or kind of op; TRACE_NONE: no zone */
	int64_t ticks;
	uint64_t count;
	uint64_t start, end; /* of the longest piece */
};

struct path_walk {
	struct view_call *c;
	struct path_facts facts;
	uint64_t t;   /* the part after it is done */
	uint64_t end; /* of the path */
	struct path_frame frames[NESTED];
	unsigned depth;
	struct {
		VEC(struct path_class);
	} classes;
	struct map class_of;
	struct {
		VEC(struct path_segment);
	} segments; /* backwards */
	struct {
		VEC(struct path_part);
	} parts;
	struct map part_of; /* by class and name */
	bool cut;           /* deep zones were not distinguished */
};

/* -------------------------------------------------------------------- walk */

static int path_class_of(struct path_walk *w, struct path_class class, uint32_t *number)
{
	uint64_t key = (uint64_t) class.kind << 58 ^ (uint64_t) class.track << 29 ^ class.lock;
	const uint32_t *known = map_get(&w->class_of, key);

	if (known) {
		*number = *known;
		return 0;
	}
	*number = (uint32_t)w->classes.n;
	if (vec_push(&w->classes, class) < 0 || map_set(&w->class_of, key, *number) < 0)
		return TACHO_ENOMEM;
	return 0;
}

/* The path from FROM to where it is now. */
static int path_segment_add(struct path_walk *w, enum path_kind kind, uint32_t track, uint32_t lock,
			    uint64_t from, uint32_t op)
{
	struct path_segment *last = w->segments.n ? &w->segments.v[w->segments.n - 1] : NULL;
	struct path_segment s = {.start = from, .end = w->t, .op = op};
	int r;

	if (from >= w->t)
		return 0;
	r = path_class_of(w, (struct path_class){kind, track, lock}, &s.class);
	w->t = from;
	if (last && last->class == s.class && last->op == op && last->start == s.end) {
		last->start = from;
		return r;
	}
	return r < 0 ? r : vec_push(&w->segments, s);
}

static uint64_t path_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* From the end of an op back to the thread that dispatched the first op of the queue. */
static int path_device_walk(struct path_walk *w, struct path_frame *f, const struct path_op *op)
{
	uint32_t device = (uint32_t)op->device;
	int r = 0;

	while (r == 0 && w->t > f->floor && w->segments.n < SEGMENTS) {
		const struct path_op *previous = path_op_previous(&w->facts, op);
		bool hosted = op->host_start != INT64_MIN;
		uint64_t sent = op->host_end < op->start ? op->host_end : op->start;

		r = path_segment_add(w, PATH_OP, device, f->lock, path_max(op->start, f->floor),
				     (uint32_t)(op - w->facts.ops.v));
		if (r < 0 || w->t <= f->floor)
			return r;
		if (previous && (!hosted || previous->end >= sent)) {
			r = path_segment_add(w, PATH_GAP, device, f->lock,
					     path_max(previous->end, f->floor), 0);
			op = previous;
			continue;
		}
		if (!hosted)
			return r;
		r = path_segment_add(w, PATH_LAUNCH, device, f->lock, path_max(sent, f->floor), 0);
		return r < 0 ? r : path_op_thread(&w->facts, op, &f->track);
	}
	return r;
}

/* While F->track waited for a lock: the thread that held it. */
static int path_lock_walk(struct path_walk *w, struct path_frame *f, const struct path_span *wait)
{
	uint64_t from = path_max(wait->start, f->floor), begins;
	const struct path_span *hold = path_holder(&w->facts, wait->lock, f->track, from, w->t);
	bool known = hold != NULL && w->depth < NESTED;
	int r = 0;

	for (unsigned i = 0; known && i < w->depth; i++)
		known = w->frames[i].track != hold->thread; /* it waits itself */
	if (!known)
		return path_segment_add(w, PATH_LOCK, f->track, wait->lock, from, 0);
	if (hold->end < w->t)
		r = path_segment_add(w, PATH_LOCK, f->track, wait->lock, hold->end, 0);
	begins = path_max(hold->start, from);
	if (r == 0 && begins < w->t)
		w->frames[w->depth++] = (struct path_frame){hold->thread, wait->lock, begins};
	return r;
}

/* While F->track waits for a child process, from FROM on: that process. */
static int path_child_walk(struct path_walk *w, struct path_frame *f, uint64_t from)
{
	const struct path_thread *thread = NULL;
	uint32_t child;
	int r = path_child_ended(&w->facts, f->track, from, w->t, &child);

	if (r == 0 && child != TRACE_NONE)
		r = path_thread_of(&w->facts, child, &thread);
	if (r < 0 || !thread || w->depth == NESTED)
		return r < 0 ? r : path_segment_add(w, PATH_CHILD, f->track, f->lock, from, 0);
	if (thread->ends < w->t)
		r = path_segment_add(w, PATH_CHILD, f->track, f->lock, thread->ends, 0);
	from = path_max(from, thread->begins);
	if (r == 0)
		w->frames[w->depth++] = (struct path_frame){child, f->lock, from};
	return r;
}

/*
 * The op that just ended, if the thread is in one of the spans, and OWN: if that span has
 * dispatched it, so that it waits there. Otherwise *FLOOR is where to look again.
 */
static const struct path_op *path_op_awaited(const struct path_walk *w,
					     const struct path_spans *spans, bool own,
					     uint64_t *floor)
{
	const struct path_span *s = path_span_before(spans, w->t);
	const struct path_op *op = NULL;

	if (s && s->end >= w->t)
		op = path_op_ended(&w->facts, own ? s->start : 0, path_max(s->start, *floor), w->t);
	if (op && op->end == w->t)
		return op;
	if (s)
		*floor = path_max(*floor, op ? op->end : s->end < w->t ? s->end : s->start);
	return NULL;
}

/* One step back on the thread of the innermost frame. */
static int path_step(struct path_walk *w)
{
	struct path_frame *f = &w->frames[w->depth - 1];
	const struct path_thread *thread;
	const struct path_span *wait, *state;
	const struct path_op *op;
	uint64_t floor = f->floor;
	int r;

	if (f->track == TRACE_NONE)
		return path_segment_add(w, PATH_REST, TRACE_NONE, f->lock, floor, 0);
	r = path_thread_of(&w->facts, f->track, &thread);
	if (r < 0)
		return r;
	if (w->t <= thread->begins) {
		f->track = path_starter(&w->facts, f->track);
		return 0;
	}
	floor = path_max(floor, thread->begins);
	wait = path_span_before(&thread->waits, w->t);
	if (wait && wait->end >= w->t)
		return path_lock_walk(w, f, wait);
	floor = wait ? path_max(floor, wait->end) : floor;
	op = path_op_awaited(w, &thread->devices, false, &floor);
	if (!op)
		op = path_op_awaited(w, &thread->launches, true, &floor);
	if (op)
		return path_device_walk(w, f, op);
	state = path_span_before(&thread->states, w->t);
	if (state && state->end >= w->t && state->kind == PATH_CHILD)
		return path_child_walk(w, f, path_max(state->start, floor));
	if (state && state->end >= w->t)
		return path_segment_add(w, (enum path_kind)state->kind, f->track, f->lock,
					path_max(state->start, floor), 0);
	return path_segment_add(w, PATH_RUN, f->track, f->lock,
				state ? path_max(state->end, floor) : floor, 0);
}

static int path_follow(struct path_walk *w, uint64_t t0)
{
	uint32_t steps = 0;
	int r = 0;

	while (r == 0 && w->t > t0) {
		if (w->t <= w->frames[w->depth - 1].floor)
			w->depth--;
		else if (w->segments.n >= SEGMENTS)
			return path_segment_add(w, PATH_REST, TRACE_NONE, TRACE_NONE, t0, 0);
		else
			r = path_step(w);
		if (++steps % (1u << 12) == 0 && call_gone(w->c))
			return 0;
	}
	return r;
}

/* --------------------------------------------------------------------- end */

/* When the last zone of a thread in [T0, T1) ends; 0: there is none. */
static int path_end_find(struct view_call *c, uint32_t lane, uint64_t t0, uint64_t t1,
			 uint64_t *end)
{
	int r = 0;

	*end = 0;
	for (unsigned shift = 10; r == 0 && *end == 0; shift -= 2) {
		struct trace_cursor *cursor;
		struct trace_zone zone;

		r = trace_cursor_open(&cursor, c->trace, lane, t1 - ((t1 - t0) >> shift), t1);
		while (r == 0 && trace_cursor_next(cursor, &zone) > 0)
			*end = zone.end < t1 ? zone.end : t1;
		if (r == 0)
			trace_cursor_close(cursor);
		if (!shift)
			break;
	}
	return r;
}

/* The thread whose zones end last; of several the main thread of a process. */
static int path_thread_choose(struct view_call *c, uint64_t t0, uint64_t t1, uint32_t *track,
			      uint64_t *end)
{
	const struct trace *t = c->trace;
	bool main = false;
	int r = 0;

	*track = TRACE_NONE;
	*end = 0;
	for (uint32_t i = 0; r == 0 && i < t->lane_count; i++) {
		uint32_t on = t->lanes[i].track;
		const struct trace_track *k = &t->tracks[on];
		bool is_main = k->kind == TRACE_THREAD && k->process < t->process_count &&
			       k->id == t->processes[k->process].pid;
		uint64_t ends;

		if (k->kind > TRACE_FIBER || t->lanes[i].depth || t->lanes[i].start >= t1 ||
		    t->lanes[i].end <= t0)
			continue;
		r = path_end_find(c, i, t0, t1, &ends);
		if (ends < *end || (ends == *end && (main || !is_main)))
			continue;
		*end = ends;
		*track = on;
		main = is_main;
	}
	return r;
}

/* Where the path ends: at T1 on "track", else where a thread or a device works last. */
static int path_begin(struct path_walk *w, uint64_t t0, uint64_t t1)
{
	const struct path_op *op = path_op_ended(&w->facts, 0, t0, t1);
	struct path_frame *f = &w->frames[0];
	uint64_t end = t1;
	int r = arg_track(w->c, &f->track);

	w->t = t1;
	w->depth = 1;
	f->lock = TRACE_NONE;
	f->floor = t0;
	if (r < 0)
		return r;
	if (f->track != TRACE_NONE)
		return w->c->trace->tracks[f->track].kind <= TRACE_FIBER
			       ? 0
			       : call_fail(w->c, VIEW_BAD, "track is no thread");
	r = path_thread_choose(w->c, t0, t1, &f->track, &end);
	/* An op that is still running at the end is on the path until there. */
	for (size_t i = 0; i < w->facts.ops.n; i++) {
		const struct path_op *o = &w->facts.ops.v[i];

		if (o->start < t1 && o->end > t1 && (!op || op->end <= t1 || o->end < op->end))
			op = o;
	}
	w->t = end ? end : t1;
	if (r < 0 || !op || (op->end < t1 ? op->end : t1) <= end)
		return r;
	w->t = op->end < t1 ? op->end : t1;
	w->end = w->t;
	return path_device_walk(w, f, op);
}

/* ------------------------------------------------------------------- parts */

static int path_part_add(struct path_walk *w, uint32_t class, uint32_t name, int64_t ticks,
			 const struct path_segment *piece)
{
	uint64_t key = (uint64_t) class << 32 | name;
	const uint32_t *known = map_get(&w->part_of, key);
	struct path_part *p;

	if (!known) {
		struct path_part fresh = {.class = class, .name = name};

		if (vec_push(&w->parts, fresh) < 0 ||
		    map_set(&w->part_of, key, (uint32_t)w->parts.n - 1) < 0)
			return TACHO_ENOMEM;
	}
	p = &w->parts.v[known ? *known : w->parts.n - 1];
	p->ticks += ticks;
	if (!piece)
		return 0;
	p->count++;
	if (piece->end - piece->start > p->end - p->start) {
		p->start = piece->start;
		p->end = piece->end;
	}
	return 0;
}

/* Moves what a zone has of the segments from the zone around it. LIST is in order of time. */
static int path_zone_take(struct path_walk *w, const struct path_segment *const *list, size_t n,
			  size_t *at, const struct trace_zone *zone, uint32_t around)
{
	int r = 0;

	while (*at < n && list[*at]->end <= zone->start)
		++*at;
	for (size_t i = *at; r == 0 && i < n && list[i]->start < zone->end; i++) {
		struct path_segment piece = *list[i];

		piece.start = path_max(piece.start, zone->start);
		piece.end = piece.end < zone->end ? piece.end : zone->end;
		if (piece.end <= piece.start)
			continue;
		r = path_part_add(w, piece.class, zone->srcloc, (int64_t)(piece.end - piece.start),
				  &piece);
		if (r == 0)
			r = path_part_add(w, piece.class, around,
					  -(int64_t)(piece.end - piece.start), NULL);
	}
	return r;
}

static int path_lane_split(struct path_walk *w, uint32_t lane,
			   const struct path_segment *const *list, size_t n)
{
	uint64_t t0 = list[0]->start, t1 = list[n - 1]->end;
	struct trace_cursor *cursor = NULL, *outer = NULL;
	struct trace_zone zone, around = {0};
	bool more = w->c->trace->lanes[lane].depth > 0;
	size_t at = 0;
	int r = trace_cursor_open(&cursor, w->c->trace, lane, t0, t1);

	if (r == 0 && more)
		r = trace_cursor_open(&outer, w->c->trace, lane - 1, t0, t1);
	while (r == 0 && trace_cursor_next(cursor, &zone) > 0) {
		while (more && around.end < zone.end)
			more = trace_cursor_next(outer, &around) > 0;
		r = path_zone_take(w, list, n, &at, &zone,
				   more && around.start <= zone.start ? around.srcloc : TRACE_NONE);
	}
	trace_cursor_close(cursor);
	trace_cursor_close(outer);
	return r;
}

/* How many zones of a lane overlap [T0, T1), or an error. */
static int64_t path_lane_count(struct view_call *c, uint32_t lane, uint64_t t0, uint64_t t1)
{
	const uint64_t ends[2] = {t0, t1};
	uint64_t numbers[2];

	for (int i = 0; i < 2; i++) {
		struct trace_cursor *cursor;
		struct trace_zone zone;
		int r = trace_cursor_open(&cursor, c->trace, lane, ends[i], UINT64_MAX);

		if (r < 0)
			return r;
		r = trace_cursor_next(cursor, &zone);
		numbers[i] = r > 0 ? trace_cursor_number(cursor) : c->trace->lanes[lane].zones;
		trace_cursor_close(cursor);
		if (r < 0)
			return r;
	}
	return (int64_t)(numbers[1] - numbers[0]);
}

/* Divides the time of a thread's segments among its zones. */
static int path_track_split(struct path_walk *w, uint32_t track,
			    const struct path_segment *const *list, size_t n)
{
	int64_t left = ZONES_SPLIT, zones = 0;
	uint32_t first, count;
	int r = 0;

	trace_track_lanes(w->c->trace, track, &first, &count);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = path_part_add(w, list[i]->class, TRACE_NONE,
				  (int64_t)(list[i]->end - list[i]->start), list[i]);
	for (uint32_t i = first; r == 0 && i < first + count; i++) {
		zones = path_lane_count(w->c, i, list[0]->start, list[n - 1]->end);
		if (zones < 0)
			return (int)zones;
		left -= zones;
		if (left < 0 || call_gone(w->c)) {
			w->cut = true;
			return 0;
		}
		r = path_lane_split(w, i, list, n);
	}
	return r;
}

static bool path_is_device(uint32_t kind)
{
	return kind == PATH_OP || kind == PATH_GAP || kind == PATH_LAUNCH;
}

/* The thread of a segment, or TRACE_NONE. */
static uint32_t path_track_of(const struct path_walk *w, const struct path_segment *s)
{
	const struct path_class *class = &w->classes.v[s->class];

	return path_is_device(class->kind) ? TRACE_NONE : class->track;
}

static int path_segments_order(const void *a, const void *b, void *context)
{
	const struct path_segment *x = *(const struct path_segment *const *)a,
				  *y = *(const struct path_segment *const *)b;
	uint32_t on = path_track_of(context, x), other = path_track_of(context, y);

	if (on != other)
		return on < other ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

static int path_others_add(struct path_walk *w, const struct path_segment *s)
{
	const struct ops *o = w->facts.o;
	uint32_t name = TRACE_NONE;

	if (w->classes.v[s->class].kind == PATH_OP)
		name = o->in.rows.v[o->report.ops.v[w->facts.ops.v[s->op].op].row].kind;
	return path_part_add(w, s->class, name, (int64_t)(s->end - s->start), s);
}

ORDER_BY(path_parts_order, struct path_part,
	 ORDER_DOWN(ticks) ?: ORDER_UP(class) ?: ORDER_UP(name));

static int path_parts_make(struct path_walk *w)
{
	const struct path_segment **list = malloc((w->segments.n + 1) * sizeof(*list));
	size_t n = w->segments.n;
	int r = list ? 0 : TACHO_ENOMEM;

	for (size_t i = 0; list && i < n; i++)
		list[i] = &w->segments.v[i];
	if (n && list)
		qsort_r(list, n, sizeof(*list), path_segments_order, w);
	for (size_t i = 0, end; r == 0 && i < n; i = end) {
		uint32_t track = path_track_of(w, list[i]);

		for (end = i; end < n && path_track_of(w, list[end]) == track; end++)
			if (track == TRACE_NONE && r == 0)
				r = path_others_add(w, list[end]);
		if (track != TRACE_NONE)
			r = path_track_split(w, track, list + i, end - i);
	}
	free(list);
	if (w->parts.n)
		qsort(w->parts.v, w->parts.n, sizeof(*w->parts.v), path_parts_order);
	return r;
}

/* ------------------------------------------------------------------ answer */

static void path_part_put(struct path_walk *w, const struct path_part *p)
{
	const struct path_class *class = &w->classes.v[p->class];
	struct json *j = &w->c->json;
	const char *lock = class->lock == TRACE_NONE ? "" : lock_name(w->c->trace, class->lock);
	bool device = path_is_device(class->kind);

	json_object(j, NULL);
	json_uint(j, "kind", class->kind);
	json_thread(j, "track", device ? TRACE_NONE : class->track);
	json_thread(j, "device", device ? class->track : TRACE_NONE);
	json_thread(j, "lock", class->lock);
	if (class->lock != TRACE_NONE)
		json_cut(j, "lock_name", lock, strlen(lock), VIEW_TEXT);
	if (class->kind == PATH_OP)
		json_text(j, "op", w->facts.o->report.in->kinds.v[p->name].label);
	else
		json_thread(j, "name", p->name);
	json_double(j, "ns", (double)p->ticks * call_tick(w->c));
	json_uint(j, "count", p->count);
	json_ns(w->c, "start", p->start);
	json_ns(w->c, "end", p->end);
	json_end(j);
}

static void path_segments_put(struct path_walk *w)
{
	struct json *j = &w->c->json;
	size_t n = w->segments.n, first = n > SEGMENTS_SENT ? n - SEGMENTS_SENT : 0;

	json_uint(j, "segments_total", n);
	json_array(j, "segments");
	for (size_t i = n; i-- > first;) {
		const struct path_segment *s = &w->segments.v[i];
		const struct path_class *class = &w->classes.v[s->class];

		json_array(j, NULL);
		json_ns(w->c, NULL, s->start);
		json_ns(w->c, NULL, s->end);
		json_uint(j, NULL, class->kind);
		json_thread(j, NULL, class->track);
		json_thread(j, NULL, class->lock);
		if (class->kind == PATH_OP)
			json_uint(j, NULL,
				  perf_row_line(
					  w->facts.o->report.ops.v[w->facts.ops.v[s->op].op].row));
		json_end(j);
	}
	json_end(j);
}

static void path_put(struct path_walk *w, uint64_t t0, uint32_t track)
{
	struct json *j = &w->c->json;
	uint64_t sums[PATH_KINDS] = {0}, total = 0;

	call_begin(w->c);
	json_ns(w->c, "t0", t0);
	json_ns(w->c, "t1", w->end);
	json_thread(j, "track", track);
	for (size_t i = 0; i < w->segments.n; i++) {
		const struct path_segment *s = &w->segments.v[i];

		sums[w->classes.v[s->class].kind] += s->end - s->start;
	}
	json_array(j, "kinds");
	for (int i = 0; i < PATH_KINDS; i++) {
		json_array(j, NULL);
		json_text(j, NULL, path_kind_names[i]);
		json_double(j, NULL, (double)sums[i] * call_tick(w->c));
		json_end(j);
	}
	json_end(j);
	json_bool(j, "cut", w->cut);
	path_segments_put(w);
	json_array(j, "parts");
	for (size_t i = 0; i < w->parts.n; i++)
		if (w->parts.v[i].ticks > 0 && total++ < VIEW_ROWS)
			path_part_put(w, &w->parts.v[i]);
	json_end(j);
	json_uint(j, "parts_total", total);
	json_end(j);
}

int call_path(struct view_call *c)
{
	struct path_walk w = {.c = c};
	const struct trace *t = c->trace;
	uint64_t t0, t1;
	uint32_t track = TRACE_NONE;
	int r = arg_range(c, &t0, &t1);

	if (r < 0)
		return r;
	t0 = path_max(t0, t->start);
	t1 = t1 < t->end ? t1 : t->end;
	if (t1 <= t0)
		return call_fail(c, VIEW_BAD, "the range is empty");
	r = path_facts_open(&w.facts, c, t0, t1);
	if (r == 0)
		r = path_begin(&w, t0, t1);
	track = w.frames[0].track;
	if (!w.end)
		w.end = w.t;
	if (r == 0)
		r = path_follow(&w, t0);
	if (r == 0)
		r = path_parts_make(&w);
	if (r == 0)
		path_put(&w, t0, track);
	path_facts_close(&w.facts);
	vec_free(&w.classes);
	map_free(&w.class_of);
	vec_free(&w.segments);
	vec_free(&w.parts);
	map_free(&w.part_of);
	return r;
}
