/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts the sampler's events to rows of the trace, beside the events that programs record
 * themselves. A process that is sampled and has a ring too is one process of the trace, and so are
 * its threads, whichever of the two is seen first.
 */
#include "capture/private.h"
#include "clock/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A process that the sampler has reported. */
struct sampled {
	uint32_t id; /* in the trace */
	struct trace_process info;
	char *name, *command;
	bool joined; /* it has a ring, which takes precedence */
};

struct sampling {
	struct sampler *sampler;
	struct {
		VEC(struct sampled);
	} list;
	struct map by_pid;   /* pid to its current process of the trace */
	struct map by_id;    /* process of the trace to index in list */
	struct map tracks;   /* process of the trace << 32 | tid to track */
	struct map joined;   /* processes of the trace that have a ring: 1 */
	uint64_t queue_lost; /* records that the sampler lost, already counted */
};

int capture_sample(struct capture *c, const struct sampler_options *options,
		   struct tacho_error *err)
{
	char text[32];
	int r;

	c->sampling = calloc(1, sizeof(*c->sampling));
	if (!c->sampling)
		return err_set(err, TACHO_ENOMEM, "out of memory");
	r = sampler_open(&c->sampling->sampler, options, err);
	if (r < 0) {
		sampling_free(c);
		return r;
	}
	snprintf(text, sizeof(text), "%u", options->hz);
	trace_set_property(c->writer, "sampling hz", text);
	trace_set_property(c->writer, "sampling event", "cpu-clock, user");
	return 0;
}

int capture_sample_add(struct capture *c, pid_t pid, bool on_exec, struct tacho_error *err)
{
	return sampler_add(c->sampling->sampler, pid, on_exec, err);
}

int capture_sample_poll(struct capture *c, pid_t pid)
{
	trace_set_property(c->writer, "sampling event", TRACE_NO_EVENT);
	return sampler_poll(c->sampling->sampler, pid);
}

int capture_sample_start(struct capture *c, struct tacho_error *err)
{
	return sampler_start(c->sampling->sampler, err);
}

void capture_sample_cancel(struct capture *c)
{
	sampling_free(c);
}

/* ------------------------------------------------ processes and threads */

static struct sampled *sampled_of(const struct sampling *s, uint32_t id)
{
	uint32_t *at = map_get(&s->by_id, id);

	return at ? &s->list.v[*at] : NULL;
}

static char *command_of(uint32_t pid, const char *otherwise)
{
	char path[48], text[4096];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/cmdline", pid);
	f = fopen(path, "re");
	if (f) {
		n = fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
	}
	while (n && !text[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		if (!text[i])
			text[i] = ' ';
	text[n] = 0;
	return strdup(n ? text : otherwise);
}

static void sampled_add(struct capture *c, const struct sampler_event *e, const char *name)
{
	struct sampling *s = c->sampling;
	struct sampled new = {.info = {.pid = e->pid,
				       .parent_pid = e->parent,
				       .start = e->time,
				       .exit_status = TRACE_EXIT_UNKNOWN}};
	int64_t id;

	new.name = strdup(name);
	new.command = command_of(e->pid, name);
	if (!new.name || !new.command) {
		capture_error(c, TACHO_ENOMEM);
		free(new.name);
		free(new.command);
		return;
	}
	new.info.name = new.name;
	new.info.command = new.command;
	id = trace_add_process(c->writer, &new.info);
	new.id = (uint32_t)id;
	if (id < 0 || map_set(&s->by_id, new.id, (uint32_t)s->list.n) < 0 ||
	    vec_push(&s->list, new) < 0 || map_set(&s->by_pid, e->pid, new.id) < 0) {
		capture_error(c, id < 0 ? id : TACHO_ENOMEM);
		return;
	}
	c->sum.processes++;
}

/* It started, or executed another program. */
static void process_event(struct capture *c, const struct sampler_event *e)
{
	struct sampling *s = c->sampling;
	uint32_t *id = map_get(&s->by_pid, e->pid);
	struct sampled *p = id ? sampled_of(s, *id) : NULL;

	if (id && map_get(&s->joined, *id)) {
		/*
		 * It joined after its start: the ring was only found before the record of the
		 * start.
		 */
		for (size_t i = 0; i < c->live.n; i++)
			if (c->live.v[i]->id == *id && c->live.v[i]->info.start >= e->time)
				return;
	} else if (p) {
		free(p->name);
		free(p->command);
		p->name = strdup(e->text ? e->text : "");
		p->command = command_of(e->pid, e->text ? e->text : "");
		p->info.name = p->name ? p->name : "";
		p->info.command = p->command ? p->command : "";
		trace_update_process(c->writer, p->id, &p->info);
		return;
	}
	sampled_add(c, e, e->text ? e->text : "");
}

uint32_t sampling_join_process(struct capture *c, uint32_t pid)
{
	uint32_t *id;
	struct sampled *p;

	if (!c->sampling)
		return TRACE_NONE;
	id = map_get(&c->sampling->by_pid, pid);
	p = id ? sampled_of(c->sampling, *id) : NULL;
	if (!p || p->joined || p->info.end)
		return TRACE_NONE;
	p->joined = true;
	c->sum.processes--; /* the ring's process is counted */
	return p->id;
}

void sampling_note_process(struct capture *c, uint32_t pid, uint32_t id)
{
	if (c->sampling && (map_set(&c->sampling->by_pid, pid, id) < 0 ||
			    map_set(&c->sampling->joined, id, 1) < 0))
		capture_error(c, TACHO_ENOMEM);
}

static uint64_t sampling_track_key(uint32_t process, uint32_t tid)
{
	return (uint64_t)process << 32 | tid;
}

uint32_t sampling_join_track(struct capture *c, uint32_t process, uint32_t tid)
{
	uint32_t *track = c->sampling
				  ? map_get(&c->sampling->tracks, sampling_track_key(process, tid))
				  : NULL;

	if (track)
		c->sum.threads--;
	return track ? *track : TRACE_NONE;
}

void sampling_note_track(struct capture *c, uint32_t process, uint32_t tid, uint32_t track)
{
	if (c->sampling &&
	    map_set(&c->sampling->tracks, sampling_track_key(process, tid), track) < 0)
		capture_error(c, TACHO_ENOMEM);
}

/* The track of a thread; created with NAME if new. TRACE_NONE: error. */
static uint32_t sampling_thread_track(struct capture *c, const struct sampler_event *e,
				      const char *name)
{
	struct sampling *s = c->sampling;
	uint32_t *process = map_get(&s->by_pid, e->pid), *track;
	struct trace_track t = {.kind = TRACE_THREAD, .id = e->tid, .srcloc = TRACE_NONE};
	int64_t id;

	if (!process) {
		sampled_add(c, e, name);
		process = map_get(&s->by_pid, e->pid);
		if (!process)
			return TRACE_NONE;
	}
	track = map_get(&s->tracks, sampling_track_key(*process, e->tid));
	if (track)
		return *track;
	t.process = *process;
	t.name = name;
	id = trace_add_track(c->writer, &t);
	if (id < 0) {
		capture_error(c, id);
		return TRACE_NONE;
	}
	sampling_note_track(c, t.process, e->tid, (uint32_t)id);
	c->sum.threads++;
	return (uint32_t)id;
}

/* A name from the program's ring takes precedence over the kernel's. */
static void thread_event_name(struct capture *c, const struct sampler_event *e)
{
	const char *name = e->text ? e->text : "";
	uint32_t *process = map_get(&c->sampling->by_pid, e->pid);
	uint32_t track = sampling_thread_track(c, e, name);
	struct trace_track t = {.kind = TRACE_THREAD, .id = e->tid, .srcloc = TRACE_NONE};

	if (track == TRACE_NONE || (process && map_get(&c->sampling->joined, *process)))
		return;
	process = map_get(&c->sampling->by_pid, e->pid);
	t.process = *process;
	t.name = name;
	trace_update_track(c->writer, track, &t);
}

static void ended_event(struct capture *c, const struct sampler_event *e)
{
	uint32_t *id = map_get(&c->sampling->by_pid, e->pid);
	struct sampled *p = id ? sampled_of(c->sampling, *id) : NULL;

	if (e->pid != e->tid || !p || p->joined)
		return;
	p->info.end = e->time;
	trace_update_process(c->writer, p->id, &p->info);
}

bool sampling_exit_status(struct capture *c, uint32_t pid, int status)
{
	uint32_t *id = c->sampling ? map_get(&c->sampling->by_pid, pid) : NULL;
	struct sampled *p = id ? sampled_of(c->sampling, *id) : NULL;

	if (!p)
		return false;
	p->info.exit_status = status;
	trace_update_process(c->writer, p->id, &p->info);
	return true;
}

/* ---------------------------------------------------------------- rows */

/* Each track of a trace needs a process: for that of stacks, use the first. */
static uint32_t sampling_first_process(struct capture *c)
{
	struct sampler_event us = {.time = clock_ticks()};
	struct sampling *s = c->sampling;

	if (!s->list.n && !c->processes.n)
		sampled_add(c, &us, "");
	return s->list.n ? s->list.v[0].id : c->processes.n ? c->processes.v[0]->id : 0;
}

static void sampling_row_add(struct capture *c, uint32_t track, const struct trace_row *row)
{
	int r = track == TRACE_NONE ? TACHO_ENOMEM : trace_add_row(c->writer, track, row);

	if (r < 0) {
		capture_error(c, r);
		return;
	}
	held_row_count(c, track, 1, 0);
	c->sum.rows++;
}

static void row_event(struct capture *c, const struct sampler_event *e)
{
	struct trace_row row = {.time = e->time,
				.kind = e->row,
				.thread = TRACE_NONE,
				.a = e->a,
				.b = e->b,
				.c = e->c,
				.text = e->text,
				.text_len = (uint32_t)e->len};

	if (stacks_sampler_row(c, sampling_first_process(c), &row))
		return;
	sampling_row_add(c, sampling_thread_track(c, e, ""), &row);
}

static void lost_add(struct capture *c, uint64_t time, uint64_t lost)
{
	struct trace_row row = {.time = time,
				.kind = TRACE_ROW_LOSS,
				.thread = TRACE_NONE,
				.a = TRACE_LOSS_SAMPLER,
				.c = lost};
	uint32_t track = lost ? stacks_track(c, sampling_first_process(c)) : TRACE_NONE;

	if (track == TRACE_NONE)
		return;
	trace_add_row(c->writer, track, &row);
	held_row_count(c, track, lost, lost);
}

size_t sampling_round(struct capture *c)
{
	struct sampling *s = c->sampling;
	struct sampler_batch batch;
	struct sampler_totals totals;
	size_t n;

	if (!s)
		return 0;
	sampler_take(s->sampler, &batch);
	for (size_t i = 0; i < batch.n && !c->error; i++) {
		const struct sampler_event *e = &batch.v[i];

		switch (e->kind) {
		case SAMPLER_ROW:
			row_event(c, e);
			break;
		case SAMPLER_PROCESS:
			process_event(c, e);
			break;
		case SAMPLER_THREAD:
			thread_event_name(c, e);
			break;
		case SAMPLER_ENDED:
			ended_event(c, e);
			break;
		case SAMPLER_LOST:
			lost_add(c, e->time, e->a);
			break;
		}
	}
	n = batch.n;
	sampler_batch_free(&batch);
	sampler_totals(s->sampler, &totals);
	lost_add(c, clock_ticks(), totals.queue_full - s->queue_lost);
	s->queue_lost = totals.queue_full;
	return n;
}

/* ----------------------------------------------------------------- end */

void sampling_finish(struct capture *c)
{
	struct sampler_totals t;
	char text[64];

	if (!c->sampling)
		return;
	sampler_stop(c->sampling->sampler);
	sampling_round(c);
	sampler_totals(c->sampling->sampler, &t);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)t.samples);
	trace_set_property(c->writer, "samples", text);
	snprintf(text, sizeof(text), "%.6f", (double)t.cpu_ns / 1e9);
	trace_set_property(c->writer, "sampler cpu seconds", text);
	snprintf(text, sizeof(text), "%u", t.stack_bytes);
	trace_set_property(c->writer, "sampling stack bytes", text);
	if (t.python) {
		snprintf(text, sizeof(text), "%.2f %%",
			 100 * (double)t.python_merged / (double)t.python);
		trace_set_property(c->writer, "samples with python frames", text);
	}
	if (t.throttled) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)t.throttled);
		trace_set_property(c->writer, "sampling throttled", text);
	}
}

void sampling_free(struct capture *c)
{
	struct sampling *s = c->sampling;

	if (!s)
		return;
	sampler_close(s->sampler);
	for (size_t i = 0; i < s->list.n; i++) {
		free(s->list.v[i].name);
		free(s->list.v[i].command);
	}
	vec_free(&s->list);
	map_free(&s->by_pid);
	map_free(&s->by_id);
	map_free(&s->tracks);
	map_free(&s->joined);
	free(s);
	c->sampling = NULL;
}
