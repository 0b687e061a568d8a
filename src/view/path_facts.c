/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the facts from which a critical path is computed; see path_facts.h. */
#include "view/path_facts.h"
#include "base/order.h"
#include "base/search.h"
#include "perf/gaps.h"
#include "sample/profile.h"
#include "view/lock_spans.h"

#include <math.h>
#include <string.h>

#define ROWS_WHOLE 4000000u  /* with more rows than this only those of the range are read */
#define ROWS_MOST  20000000u /* of the range */
#define ZONES_MOST 5000000u  /* zones of a thread that are searched for waits for a device */
#define EXIT_NS    50000000  /* between a parent's wake-up and the end of its child */
#define HOLDS_BACK 64u       /* simultaneous holds of several threads that are examined */

const char *const path_kind_names[PATH_KINDS] = {
	"runs",  "waits for a CPU", "waits for a lock",        "sleeps",
	"polls", "reads or writes", "waits for a child",       "waits for something else",
	"op",    "between two ops", "dispatched, not started", "unknown",
};

static int path_spans_compare(const struct path_span *x, const struct path_span *y, uint32_t a,
			      uint32_t b)
{
	if (a != b)
		return a < b ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

static int path_spans_by_thread(const void *a, const void *b)
{
	const struct path_span *x = a, *y = b;

	return path_spans_compare(x, y, x->thread, y->thread);
}

static int path_spans_by_lock(const void *a, const void *b)
{
	const struct path_span *x = a, *y = b;

	return path_spans_compare(x, y, x->lock, y->lock);
}

static void path_spans_sort(struct path_spans *s, int (*order)(const void *, const void *))
{
	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), order);
}

const struct path_span *path_span_before(const struct path_spans *s, uint64_t t)
{
	size_t low = 0, high = s->n;

	SEARCH_FIRST(low, high, at, s->v[at].start < t);
	return low ? &s->v[low - 1] : NULL;
}

/* ------------------------------------------------------------------- locks */

struct path_lock_reader {
	struct path_facts *f;
	uint32_t lock;
};

static int path_lock_take(void *context, const struct view_lock_span *s)
{
	struct path_lock_reader *reader = context;
	struct path_spans *list = s->held ? &reader->f->holds : &reader->f->waits;

	if (!s->ended || s->end <= reader->f->t0 || s->start >= reader->f->t1)
		return 0;
	return vec_push(list, ((struct path_span){.start = s->start,
						  .end = s->end,
						  .thread = s->thread,
						  .lock = reader->lock}));
}

/* Spans that were open at the end of the trace. */
static int path_lock_rest(struct path_facts *f, uint32_t lock, const struct view_lock *l)
{
	struct path_lock_reader reader = {f, lock};
	int r = 0;

	for (size_t i = 0; r == 0 && i < l->uses.n; i++) {
		const struct view_lock_use *u = &l->uses.v[i];
		struct view_lock_span span = {.ended = true, .thread = u->thread};

		span.end = f->c->trace->end;
		span.held = u->depth > 0;
		span.start = span.held ? u->holds_since : u->waits_since;
		if ((span.held || u->waiting) && span.end > span.start)
			r = path_lock_take(&reader, &span);
	}
	return r;
}

/* Rows of RANGE ticks before T0 are read if there are not too many of them. */
static uint64_t path_rows_from(const struct path_facts *f, const uint64_t *counts, uint32_t kind,
			       uint32_t track)
{
	const struct trace *t = f->c->trace;
	uint64_t all = 0;

	for (uint32_t i = 0; i < t->track_count; i++)
		if (track == TRACE_NONE ? t->tracks[i].kind == kind : i == track)
			all += counts[i];
	return all > ROWS_WHOLE ? f->t0 : 0;
}

static int path_locks_take(struct path_facts *f, struct view_lock *locks, struct trace_rows *rows)
{
	struct path_lock_reader reader = {.f = f};
	struct trace_row row;
	uint64_t n = 0;
	int r;

	while ((r = trace_rows_next(rows, &row, &reader.lock)) > 0) {
		if (row.kind == TRACE_ROW_LOCK)
			r = view_lock_row(&locks[reader.lock], &row, path_lock_take, &reader);
		if (r < 0)
			break;
		if (++n > ROWS_MOST)
			return call_fail(f->c, VIEW_BAD,
					 "more than %u events of locks: choose a shorter range",
					 ROWS_MOST);
		if (n % (1u << 18) == 0 && call_gone(f->c))
			break;
	}
	return r < 0 ? r : 0;
}

static int path_locks_read(struct path_facts *f, const uint64_t *counts)
{
	struct trace *t = f->c->trace;
	struct view_lock *locks = calloc((size_t)t->track_count + 1, sizeof(*locks));
	struct trace_rows *rows = NULL;
	int r = locks ? trace_rows_open_kind(&rows, t, TRACE_LOCK,
					     path_rows_from(f, counts, TRACE_LOCK, TRACE_NONE),
					     f->t1)
		      : TACHO_ENOMEM;

	if (r == 0)
		r = path_locks_take(f, locks, rows);
	trace_rows_close(rows);
	for (uint32_t i = 0; locks && i < t->track_count; i++) {
		if (r == 0)
			r = path_lock_rest(f, i, &locks[i]);
		view_lock_free(&locks[i]);
	}
	free(locks);
	path_spans_sort(&f->waits, path_spans_by_thread);
	path_spans_sort(&f->holds, path_spans_by_lock);
	return r;
}

const struct path_span *path_holder(const struct path_facts *f, uint32_t lock, uint32_t thread,
				    uint64_t floor, uint64_t t)
{
	const struct path_span *best = NULL;
	size_t low = 0, high = f->holds.n;

	SEARCH_FIRST(low, high, at,
		     f->holds.v[at].lock < lock ||
			     (f->holds.v[at].lock == lock && f->holds.v[at].start < t));
	for (size_t i = low; i-- > 0 && low - i <= HOLDS_BACK && f->holds.v[i].lock == lock;) {
		const struct path_span *s = &f->holds.v[i];

		if (s->thread != thread && s->end > floor && (!best || s->end > best->end))
			best = s;
	}
	return best;
}

/* --------------------------------------------------------------------- ops */

ORDER_BY(path_ops_by_start, struct path_op, ORDER_UP(device) ?: ORDER_UP(start) ?: ORDER_UP(op));

static int path_ops_by_end(const void *a, const void *b, void *context)
{
	const struct path_op *ops = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (ops[x].end != ops[y].end)
		return ops[x].end < ops[y].end ? -1 : 1;
	return (x > y) - (x < y);
}

/* When the host replayed captured ops, in order. */
static int path_replays_read(struct path_facts *f)
{
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t track;
	uint64_t n = 0;
	int r = trace_rows_open_kind(&rows, f->c->trace, TRACE_MESSAGES, 0, f->t1);

	if (r < 0)
		return r;
	while (n++ < ROWS_MOST && (r = trace_rows_next(rows, &row, &track)) > 0)
		if (row.kind == TRACE_ROW_OP_TRACE &&
		    TRACE_OP_WHAT(row.b) == TRACE_OP_TRACE_REPLAY &&
		    (r = vec_push(&f->replays,
				  ((struct path_replay){.time = row.time,
							.trace = row.a,
							.device = TRACE_OP_DEVICE(row.b),
							.thread = row.thread}))) < 0)
			break;
	trace_rows_close(rows);
	return r < 0 ? r : 0;
}

/* The dispatch of an op that was replayed: the last replay of its trace before it. */
static void path_replay_find(const struct path_facts *f, const struct perf_row *row,
			     struct path_op *op)
{
	size_t low = 0, high = f->replays.n;

	SEARCH_FIRST(low, high, at, f->replays.v[at].time <= op->start);
	while (low-- > 0) {
		const struct path_replay *replay = &f->replays.v[low];

		if ((int64_t)replay->device != row->device || (int64_t)replay->trace != row->trace)
			continue;
		op->host_start = trace_ns(f->c->trace, replay->time);
		op->host_end = replay->time;
		op->thread = replay->thread;
		return;
	}
}

static int path_ops_fill(struct path_facts *f)
{
	const struct perf_report *report = &f->o->report;
	const struct trace *t = f->c->trace;
	const char *text = trace_property(t, TRACE_ORIGIN);
	int64_t origin = text ? trace_ns(t, strtoull(text, NULL, 10)) : 0;

	for (size_t i = 0; i < report->ops.n; i++) {
		const struct perf_op *op = &report->ops.v[i];
		const struct perf_row *row = &f->o->in.rows.v[op->row];
		struct path_op found = {.op = (uint32_t)i,
					.thread = TRACE_NONE,
					.host_start = INT64_MIN,
					.device = row->device};

		if (op->type == TYPE_SIGNPOST ||
		    !ops_time(f->c, f->o, op, &found.start, &found.end) || found.end <= found.start)
			continue;
		if (row->replay)
			path_replay_find(f, row, &found);
		else if (row->start != PERF_NO_START) {
			double ns = isnan(row->host_duration) ? 0 : row->host_duration;

			found.host_start = row->start + origin;
			found.host_end = trace_ticks(t, found.host_start + (int64_t)ns);
		}
		if (vec_push(&f->ops, found) < 0)
			return TACHO_ENOMEM;
	}
	f->by_end = malloc((f->ops.n + 1) * sizeof(*f->by_end));
	if (!f->by_end)
		return TACHO_ENOMEM;
	if (f->ops.n)
		qsort(f->ops.v, f->ops.n, sizeof(*f->ops.v), path_ops_by_start);
	for (uint32_t i = 0; i < f->ops.n; i++)
		f->by_end[i] = i;
	qsort_r(f->by_end, f->ops.n, sizeof(*f->by_end), path_ops_by_end, f->ops.v);
	return 0;
}

static int path_ops_read(struct path_facts *f)
{
	int r = ops_likely(f->c->trace) ? ops_take(f->c, false, &f->o) : TACHO_ENO;

	if (r == TACHO_ENO) {
		call_reset(f->c); /* a path without ops */
		return 0;
	}
	for (size_t i = 0; r == 0 && i < f->o->in.rows.n; i++)
		if (f->o->in.rows.v[i].replay) {
			r = path_replays_read(f);
			break;
		}
	return r < 0 ? r : path_ops_fill(f);
}

const struct path_op *path_op_ended(const struct path_facts *f, uint64_t since, uint64_t floor,
				    uint64_t t)
{
	int64_t first = since ? trace_ns(f->c->trace, since) - 1 : INT64_MIN;
	int64_t now = trace_ns(f->c->trace, t);
	size_t low = 0, high = f->ops.n;

	SEARCH_FIRST(low, high, at, f->ops.v[f->by_end[at]].end <= t);
	while (low-- > 0) {
		const struct path_op *op = &f->ops.v[f->by_end[low]];

		if (op->end <= floor)
			break;
		if (op->host_start <= now && op->host_start >= first)
			return op;
	}
	return NULL;
}

const struct path_op *path_op_previous(const struct path_facts *f, const struct path_op *op)
{
	const struct path_op *best = NULL;
	size_t i = (size_t)(op - f->ops.v);

	/* In order of start: of ops that overlap, the last to end. */
	for (unsigned n = 0; i-- > 0 && n < HOLDS_BACK && f->ops.v[i].device == op->device; n++)
		if (f->ops.v[i].end <= op->start && (!best || f->ops.v[i].end > best->end))
			best = &f->ops.v[i];
	return best;
}

/* 1 if the host side of an op is a zone of the track. */
static int path_track_dispatches(const struct path_facts *f, uint32_t track, int64_t ns)
{
	struct trace *t = f->c->trace;
	uint64_t tick = trace_ticks(t, ns);
	uint32_t first, count;
	int r = 0;

	trace_track_lanes(t, track, &first, &count);
	for (uint32_t i = first; r == 0 && i < first + count; i++) {
		struct trace_cursor *cursor;
		struct trace_zone zone;

		r = trace_cursor_open(&cursor, t, i, tick ? tick - 1 : 0, tick + 2);
		if (r < 0)
			return r;
		while ((r = trace_cursor_next(cursor, &zone)) > 0) {
			int64_t start = trace_ns(t, zone.start);

			if (start >= ns - 1 && start <= ns + 1 &&
			    (strstr(trace_srcloc_name(t, zone.srcloc), "TT_DNN") ||
			     strstr(trace_srcloc_name(t, zone.srcloc), "TT_METAL")))
				break;
		}
		trace_cursor_close(cursor);
	}
	return r;
}

int path_op_thread(const struct path_facts *f, const struct path_op *op, uint32_t *thread)
{
	const struct trace *t = f->c->trace;
	uint32_t first = *thread;
	int r;

	if (op->thread != TRACE_NONE) {
		*thread = op->thread;
		return 0;
	}
	r = first == TRACE_NONE ? 0 : path_track_dispatches(f, first, op->host_start);

	for (uint32_t i = 0; r == 0 && i < t->track_count; i++)
		if (t->tracks[i].kind <= TRACE_FIBER && i != first) {
			r = path_track_dispatches(f, i, op->host_start);
			if (r > 0)
				*thread = i;
		}
	return r < 0 ? r : 0;
}

/* ----------------------------------------------------------------- threads */

static enum path_kind path_state_kind(const struct trace_row *row)
{
	static const uint8_t kinds[PROFILE_STATES] = {
		[PROFILE_RUNNABLE] = PATH_CPU,   [PROFILE_LOCK] = PATH_WAIT,
		[PROFILE_SLEEP] = PATH_SLEEP,    [PROFILE_POLL] = PATH_POLL,
		[PROFILE_IO] = PATH_IO,          [PROFILE_CHILD] = PATH_CHILD,
		[PROFILE_OTHER_WAIT] = PATH_WAIT};

	switch (TRACE_STATE_OF(row->b)) {
	case TRACE_STATE_RUNNABLE:
		return PATH_CPU;
	case TRACE_STATE_BLOCKED:
		return (enum path_kind)kinds[profile_wait_state(TRACE_STATE_CALL(row->b))];
	default:
		return PATH_RUN;
	}
}

static int path_states_read(struct path_facts *f, struct path_thread *thread)
{
	struct trace *t = f->c->trace;
	uint64_t *counts = malloc(((size_t)t->track_count + 1) * sizeof(*counts)), from;
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t track;
	int r;

	if (!counts)
		return TACHO_ENOMEM;
	trace_count_rows(t, counts);
	from = path_rows_from(f, counts, 0, thread->track);
	free(counts);
	r = trace_rows_open(&rows, t, thread->track, from, f->t1);
	if (r < 0)
		return r;
	while ((r = trace_rows_next(rows, &row, &track)) > 0) {
		enum path_kind kind = path_state_kind(&row);

		if (row.kind == TRACE_ROW_STATE && row.time < thread->begins)
			thread->begins = row.time;
		if (row.kind == TRACE_ROW_STATE && row.a < INT64_MAX &&
		    row.time + row.a > thread->ends)
			thread->ends = row.time + row.a;
		if (row.kind != TRACE_ROW_STATE || kind == PATH_RUN || row.a > INT64_MAX ||
		    row.time + row.a <= f->t0)
			continue;
		r = vec_push(&thread->states, ((struct path_span){.start = row.time,
								  .end = row.time + row.a,
								  .thread = track,
								  .kind = kind}));
		if (r < 0)
			break;
	}
	trace_rows_close(rows);
	return r < 0 ? r : 0;
}

/* Zones of a lane that wait for a device, and those that dispatch. */
static int path_lane_waits(struct path_facts *f, uint32_t lane, struct path_thread *thread,
			   uint64_t *left)
{
	struct trace_cursor *cursor;
	struct trace_zone zone;
	int r = trace_cursor_open(&cursor, f->c->trace, lane, f->t0, f->t1);

	if (r < 0)
		return r;
	while (*left && (r = trace_cursor_next(cursor, &zone)) > 0) {
		uint8_t what = f->waiting[zone.srcloc];

		--*left;
		if (what &&
		    (r = vec_push(what == 1 ? &thread->devices : &thread->launches,
				  ((struct path_span){.start = zone.start, .end = zone.end}))) < 0)
			break;
	}
	trace_cursor_close(cursor);
	return r < 0 ? r : 0;
}

/* The outermost of them. */
static void path_spans_flatten(struct path_spans *s)
{
	size_t n = 0;

	path_spans_sort(s, path_spans_by_thread);
	for (size_t i = 0; i < s->n; i++)
		if (!n || s->v[i].start >= s->v[n - 1].end)
			s->v[n++] = s->v[i];
	s->n = n;
}

int path_thread_of(struct path_facts *f, uint32_t track, const struct path_thread **thread)
{
	const uint32_t *known = map_get(&f->thread_of, track);
	struct path_thread *fresh;
	size_t low, high;
	uint64_t left;
	uint32_t first, count;
	int r;

	if (known) {
		*thread = f->threads.v[*known];
		return 0;
	}
	fresh = calloc(1, sizeof(*fresh));
	if (!fresh || vec_push(&f->threads, fresh) < 0) {
		free(fresh);
		return TACHO_ENOMEM;
	}
	fresh->track = track;
	*thread = fresh;
	if (map_set(&f->thread_of, track, (uint32_t)f->threads.n - 1) < 0)
		return TACHO_ENOMEM;
	low = 0;
	high = f->waits.n;
	left = ZONES_MOST;
	fresh->begins = UINT64_MAX;
	trace_track_lanes(f->c->trace, fresh->track, &first, &count);
	for (uint32_t i = first; i < first + count; i++) {
		const struct trace_lane_info *lane = &f->c->trace->lanes[i];

		fresh->begins = lane->start < fresh->begins ? lane->start : fresh->begins;
		fresh->ends = lane->end > fresh->ends ? lane->end : fresh->ends;
	}
	r = path_states_read(f, fresh);
	SEARCH_FIRST(low, high, at, f->waits.v[at].thread < fresh->track);
	for (; r == 0 && low < f->waits.n && f->waits.v[low].thread == fresh->track; low++)
		r = vec_push(&fresh->waits, f->waits.v[low]);
	for (uint32_t i = first; r == 0 && f->ops.n && i < first + count; i++)
		r = path_lane_waits(f, i, fresh, &left);
	path_spans_flatten(&fresh->devices);
	path_spans_flatten(&fresh->launches);
	return r;
}

/* The main thread of process I, or TRACE_NONE. */
static uint32_t path_main_of(const struct trace *t, uint32_t process)
{
	for (uint32_t i = 0; i < t->track_count; i++)
		if (t->tracks[i].kind == TRACE_THREAD && t->tracks[i].process == process &&
		    t->tracks[i].id == t->processes[process].pid)
			return i;
	return TRACE_NONE;
}

uint32_t path_starter(const struct path_facts *f, uint32_t track)
{
	const struct trace *t = f->c->trace;
	uint32_t process = t->tracks[track].process, main, parent = TRACE_NONE;

	if (process >= t->process_count)
		return TRACE_NONE;
	main = path_main_of(t, process);
	if (main != track)
		return main;
	for (uint32_t i = 0; i < t->process_count; i++)
		if (i != process && t->processes[i].pid == t->processes[process].parent_pid &&
		    t->processes[i].start <= t->processes[process].start)
			parent = i;
	return parent == TRACE_NONE ? TRACE_NONE : path_main_of(t, parent);
}

int path_child_ended(struct path_facts *f, uint32_t track, uint64_t floor, uint64_t t,
		     uint32_t *child)
{
	const struct trace *trace = f->c->trace;
	uint32_t process = trace->tracks[track].process;
	uint64_t exit = trace_ticks(trace, EXIT_NS) - trace_ticks(trace, 0);
	uint64_t nearest = UINT64_MAX;

	*child = TRACE_NONE;
	if (process >= trace->process_count)
		return 0;
	for (uint32_t i = 0; i < trace->process_count; i++) {
		const struct trace_process *p = &trace->processes[i];
		const struct path_thread *thread;
		uint64_t away;
		uint32_t main;
		int r;

		if (p->parent_pid != trace->processes[process].pid || p->start >= t ||
		    (p->end && p->end <= floor))
			continue;
		main = path_main_of(trace, i);
		if (main == TRACE_NONE)
			continue;
		r = path_thread_of(f, main, &thread);
		if (r < 0)
			return r;
		away = thread->ends > t ? thread->ends - t : t - thread->ends;
		if (p->end && thread->begins < t && thread->ends > floor && away < nearest &&
		    thread->ends < t + exit) {
			nearest = away;
			*child = main;
		}
	}
	return 0;
}

/* --------------------------------------------------------------------- all */

int path_facts_open(struct path_facts *f, struct view_call *c, uint64_t t0, uint64_t t1)
{
	const struct trace *t = c->trace;
	uint64_t *counts = malloc(((size_t)t->track_count + 1) * sizeof(*counts));
	int r = counts ? 0 : TACHO_ENOMEM;

	*f = (struct path_facts){.c = c, .t0 = t0, .t1 = t1};
	f->waiting = calloc((size_t)t->srcloc_count + 1, 1);
	if (!f->waiting)
		r = TACHO_ENOMEM;
	for (uint32_t i = 0; r == 0 && i < t->srcloc_count; i++) {
		enum perf_cause cause = perf_cause_of(trace_srcloc_name(t, i), t->srclocs[i].file);

		f->waiting[i] = cause == CAUSE_READ || cause == CAUSE_WAIT ? 1
				: cause == CAUSE_DISPATCH                  ? 2
									   : 0;
	}
	if (r == 0) {
		trace_count_rows(t, counts);
		r = path_locks_read(f, counts);
	}
	free(counts);
	return r < 0 ? r : path_ops_read(f);
}

void path_facts_close(struct path_facts *f)
{
	for (size_t i = 0; i < f->threads.n; i++) {
		vec_free(&f->threads.v[i]->waits);
		vec_free(&f->threads.v[i]->states);
		vec_free(&f->threads.v[i]->devices);
		vec_free(&f->threads.v[i]->launches);
		free(f->threads.v[i]);
	}
	vec_free(&f->threads);
	map_free(&f->thread_of);
	vec_free(&f->waits);
	vec_free(&f->holds);
	vec_free(&f->ops);
	vec_free(&f->replays);
	free(f->by_end);
	free(f->waiting);
	if (f->o)
		ops_put(f->c, f->o);
}
