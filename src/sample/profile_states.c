/* SPDX-License-Identifier: Apache-2.0 */
/* Sums up thread states, of whole threads or inside zones; see profile.h. */
#include "sample/profile.h"

#include "sample/profile_waits.h"

#include <string.h>

const char *const profile_state_names[PROFILE_STATES] = {
	"running",
	"[kernel]",
	"waiting for a CPU",
	"waiting for a lock",
	"sleeping",
	"polling",
	"reading or writing",
	"waiting for a child",
	"waiting for something else",
	"unknown",
};

/* Numbers of x86-64. */
enum profile_state profile_wait_state(uint32_t call)
{
	switch (call - 1) {
	case 202: /* futex */
		return PROFILE_LOCK;
	case 35:  /* nanosleep */
	case 230: /* clock_nanosleep */
	case 34:  /* pause */
		return PROFILE_SLEEP;
	case 7:   /* poll */
	case 23:  /* select */
	case 232: /* epoll_wait */
	case 270: /* pselect6 */
	case 271: /* ppoll */
	case 281: /* epoll_pwait */
	case 441: /* epoll_pwait2 */
		return PROFILE_POLL;
	case 61:  /* wait4 */
	case 247: /* waitid */
		return PROFILE_CHILD;
	case 0:  /* read */
	case 1:  /* write */
	case 17: /* pread64 */
	case 18: /* pwrite64 */
	case 19: /* readv */
	case 20: /* writev */
	case 43: /* accept */
	case 44: /* sendto */
	case 45: /* recvfrom */
	case 46: /* sendmsg */
	case 47: /* recvmsg */
	case 74: /* fsync */
	case 75: /* fdatasync */
		return PROFILE_IO;
	default:
		return PROFILE_OTHER_WAIT;
	}
}

struct thread_adder {
	struct profile *p;
	struct window window;
	struct wait_cursor waits;
	struct profile_thread *t;
	double *lock_ns;
};

static void profile_states_row_add(struct thread_adder *a, const struct trace_row *row)
{
	struct profile_thread *t = a->t;
	double ns;

	if (row->kind == TRACE_ROW_SAMPLE && window_has(&a->window, row->time)) {
		t->samples++;
		t->sampled_ns += (double)row->c;
	}
	if (row->kind != TRACE_ROW_STATE)
		return;
	ns = trace_duration_ns(a->p->trace, row->time,
			       row->time +
				       window_overlap(&a->window, row->time, row->time + row->a));
	switch (TRACE_STATE_OF(row->b)) {
	case TRACE_STATE_RUNNING:
		t->ns[PROFILE_RUNNING] += ns;
		t->runs += ns > 0;
		t->migrations += t->last_cpu && t->last_cpu != TRACE_STATE_CPU(row->b) + 1;
		t->last_cpu = TRACE_STATE_CPU(row->b) + 1;
		break;
	case TRACE_STATE_RUNNABLE:
		t->ns[PROFILE_RUNNABLE] += ns;
		break;
	case TRACE_STATE_BLOCKED:
		profile_blocked_add(a->p, &a->waits, &a->window, row, row->time, row->time + row->a,
				    t->ns, a->lock_ns);
		break;
	default:
		break;
	}
}

/*
 * Samples of the program's own code measure the part of the CPU time outside the kernel. They are
 * statistical: if they exceed the CPU time, all of it was outside the kernel.
 */
static void kernel_split(const struct profile *p, double *ns, double sampled_ns, double all_ns)
{
	const char *event = trace_property(p->trace, "sampling event");
	bool sampled = !event || strcmp(event, TRACE_NO_EVENT) != 0;
	double running = ns[PROFILE_RUNNING], known = 0;
	double user = sampled && sampled_ns < running ? sampled_ns : running;

	ns[PROFILE_RUNNING] = user;
	ns[PROFILE_KERNEL] = running - user;
	for (int i = 0; i < PROFILE_UNKNOWN; i++)
		known += ns[i];
	ns[PROFILE_UNKNOWN] = all_ns > known ? all_ns - known : 0;
}

/* The rows of a thread; *FIRST and *LAST are the ends of its states. */
static int thread_rows_add(struct thread_adder *a, uint32_t track, uint64_t t1, uint64_t *first,
			   uint64_t *last)
{
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t at;
	int r = trace_rows_open(&rows, a->p->trace, track, 0, t1);

	if (r < 0)
		return r;
	while ((r = trace_rows_next(rows, &row, &at)) > 0) {
		profile_states_row_add(a, &row);
		if (row.kind == TRACE_ROW_STATE) {
			*first = row.time < *first ? row.time : *first;
			*last = row.time + row.a > *last ? row.time + row.a : *last;
		}
	}
	trace_rows_close(rows);
	return r;
}

int profile_thread_states(struct profile *p, const struct profile_filter *filter, uint32_t track,
			  struct profile_thread *t, double *lock_ns)
{
	struct thread_adder a = {.p = p, .t = t, .lock_ns = lock_ns};
	uint64_t first = UINT64_MAX, last = 0;
	int r = window_make(&a.window, p->trace, track, filter);

	memset(t, 0, sizeof(*t));
	t->track = track;
	if (r == 0)
		r = profile_waits(p, track, 0, &a.waits.v, &a.waits.n);
	if (r == 0)
		r = thread_rows_add(&a, track, filter->t1, &first, &last);
	/* Zones have their own lengths; without zones it is the life of the thread. */
	if (filter->zones) {
		first = a.window.n ? a.window.v[0].start : 0;
		last = a.window.n ? a.window.v[a.window.n - 1].end : 0;
	}
	if (r >= 0 && last > first)
		kernel_split(p, t->ns, t->sampled_ns,
			     trace_duration_ns(p->trace, first,
					       first + window_overlap(&a.window, first, last)));
	window_free(&a.window);
	return r < 0 ? r : 0;
}

/* A thread runs on few CPUs, and most often again on the one that is first. */
static int cpu_time_add(struct profile_cpus *cpus, size_t first, const struct profile_cpu *run)
{
	for (size_t i = first; i < cpus->n; i++)
		if (cpus->v[i].cpu == run->cpu) {
			cpus->v[i].runs++;
			cpus->v[i].ns += run->ns;
			return 0;
		}
	return vec_push(cpus, *run);
}

int profile_thread_cpus(struct profile *p, const struct profile_filter *filter, uint32_t track,
			struct profile_cpus *cpus)
{
	struct profile_cpu run = {.track = track, .runs = 1};
	struct trace_rows *rows = NULL;
	struct trace_row row;
	struct window w;
	size_t first = cpus->n;
	uint32_t at;
	int r = window_make(&w, p->trace, track, filter), added = 0;

	if (r == 0)
		r = trace_rows_open(&rows, p->trace, track, 0, filter->t1);
	while (r >= 0 && added == 0 && (r = trace_rows_next(rows, &row, &at)) > 0) {
		uint64_t ticks =
			row.kind == TRACE_ROW_STATE && TRACE_STATE_OF(row.b) == TRACE_STATE_RUNNING
				? window_overlap(&w, row.time, row.time + row.a)
				: 0;

		run.cpu = TRACE_STATE_CPU(row.b);
		run.ns = trace_duration_ns(p->trace, row.time, row.time + ticks);
		added = ticks ? cpu_time_add(cpus, first, &run) : 0;
	}
	trace_rows_close(rows);
	window_free(&w);
	return added < 0 ? added : r < 0 ? r : 0;
}

/* --------------------------------------------------------------- zones */

/* Rows of one kind, one ahead. */
struct row_reader {
	struct trace_rows *rows;
	uint32_t kind;
	bool any;
	struct trace_row row;
};

static int row_reader_next(struct row_reader *x)
{
	uint32_t at;
	int r;

	while ((r = trace_rows_next(x->rows, &x->row, &at)) > 0 && x->row.kind != x->kind)
		;
	x->any = r > 0;
	return r < 0 ? r : 0;
}

struct zones_adder {
	struct profile *p;
	struct profile_zone *zones;
	double *all_ns; /* by source location: self time */
	struct row_reader states, samples;
	struct wait_cursor waits;
	struct map by_function; /* source location << 32 | function to samples */
};

/* A sample in the self time of a zone. */
static int zone_sample_add(struct zones_adder *a, uint32_t srcloc)
{
	const struct trace_row *row = &a->samples.row;
	struct profile_zone *z = &a->zones[srcloc];
	uint32_t leaf = profile_leaf(a->p, row->a < a->p->nodes.n ? (uint32_t)row->a : 0);
	uint64_t key = (uint64_t)srcloc << 32 | leaf;
	uint32_t *known = map_get(&a->by_function, key), count = known ? *known + 1 : 1;

	z->samples++;
	z->sampled_ns += (double)row->c;
	if (leaf == UINT32_MAX)
		return 0;
	if (count > z->top_samples) {
		z->top_samples = count;
		z->top_function = leaf;
	}
	return map_set(&a->by_function, key, count);
}

static void zone_state_add(struct zones_adder *a, struct profile_zone *z, uint64_t start,
			   uint64_t end)
{
	const struct trace_row *row = &a->states.row;
	double ns = trace_duration_ns(a->p->trace, start, end);

	if (TRACE_STATE_OF(row->b) == TRACE_STATE_RUNNING)
		z->ns[PROFILE_RUNNING] += ns;
	else if (TRACE_STATE_OF(row->b) == TRACE_STATE_RUNNABLE)
		z->ns[PROFILE_RUNNABLE] += ns;
	else if (TRACE_STATE_OF(row->b) == TRACE_STATE_BLOCKED)
		profile_blocked_add(a->p, &a->waits, NULL, row, start, end, z->ns, NULL);
}

static int zone_segment_add(void *context, const struct window_segment *s)
{
	struct zones_adder *a = context;
	struct row_reader *state = &a->states, *sample = &a->samples;
	struct profile_zone *z;
	int r = 0;

	if (s->srcloc >= a->p->trace->srcloc_count)
		return 0;
	z = &a->zones[s->srcloc];
	a->all_ns[s->srcloc] += trace_duration_ns(a->p->trace, s->start, s->end);
	while (r == 0 && state->any && state->row.time < s->end) {
		uint64_t end = state->row.time + state->row.a;
		uint64_t from = state->row.time > s->start ? state->row.time : s->start;

		if (end > from)
			zone_state_add(a, z, from, end < s->end ? end : s->end);
		if (end > s->end)
			break;
		r = row_reader_next(state);
	}
	while (r == 0 && sample->any && sample->row.time < s->end) {
		if (sample->row.time >= s->start)
			r = zone_sample_add(a, s->srcloc);
		if (r == 0)
			r = row_reader_next(sample);
	}
	return r;
}

static int zones_thread_add(struct zones_adder *a, const struct profile_filter *f, uint32_t track)
{
	int r = profile_waits(a->p, track, f->t0, &a->waits.v, &a->waits.n);

	a->states = (struct row_reader){.kind = TRACE_ROW_STATE};
	a->samples = (struct row_reader){.kind = TRACE_ROW_SAMPLE};
	/* A state that began before the range extends into it. */
	if (r == 0)
		r = trace_rows_open(&a->states.rows, a->p->trace, track, 0, f->t1);
	if (r == 0)
		r = trace_rows_open(&a->samples.rows, a->p->trace, track, f->t0, f->t1);
	if (r == 0)
		r = row_reader_next(&a->states);
	if (r == 0)
		r = row_reader_next(&a->samples);
	/* A thread without states was not sampled: its zones are left out, not counted as unknown.
	 */
	if (r == 0 && (a->states.any || a->samples.any))
		r = window_segments(a->p->trace, track, f->t0, f->t1, zone_segment_add, a);
	trace_rows_close(a->states.rows);
	trace_rows_close(a->samples.rows);
	return r;
}

int profile_zones(struct profile *p, const struct profile_filter *filter,
		  struct profile_zone *zones)
{
	uint32_t n = p->trace->srcloc_count;
	struct zones_adder a = {.p = p, .zones = zones, .all_ns = calloc(n + 1, sizeof(*a.all_ns))};
	int r = a.all_ns ? 0 : TACHO_ENOMEM;

	memset(zones, 0, n * sizeof(*zones));
	for (uint32_t i = 0; r == 0 && i < p->trace->track_count; i++)
		if (p->trace->tracks[i].kind == TRACE_THREAD &&
		    (!filter->tracks || filter->tracks[i]))
			r = zones_thread_add(&a, filter, i);
	for (uint32_t i = 0; r == 0 && i < n; i++)
		kernel_split(p, zones[i].ns, zones[i].sampled_ns, a.all_ns[i]);
	free(a.all_ns);
	map_free(&a.by_function);
	return r;
}
