/* SPDX-License-Identifier: Apache-2.0 */
/* The sampler's thread, and its interface for the recorder; see sampler.h. */
#include "sample/private.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROUND_MS   5
#define POLL_MS    10          /* without events */
#define SOON_MS    1           /* while the stack of a waiting thread is due to be read */
#define SETTLE_NS  1000000u    /* records of another CPU may reach their ring this much later */
#define CLOCK_NS   1000000000u /* between two clock points, once the rate is known */
#define RELEASE_AT 16          /* records after which the kernel gets its memory back */

static uint64_t sampler_raw_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void clock_follow(struct sampler *s)
{
	struct clock_point now;

	if (s->last.monotonic_ns - s->first.monotonic_ns > CLOCK_NS &&
	    (int64_t)sampler_raw_ns() - s->last.monotonic_ns < CLOCK_NS)
		return;
	clock_point_take(&now);
	s->last = now;
	if (now.monotonic_ns > s->first.monotonic_ns)
		s->ticks_per_ns = (double)(now.ticks - s->first.ticks) /
				  (double)(now.monotonic_ns - s->first.monotonic_ns);
}

static void sample_see(void *context, const struct record *r)
{
	pystacks_see(context, r);
}

static void records_drain(struct sampler *s, uint64_t horizon)
{
	const struct record *r;
	unsigned n = 0;

	events_refresh(&s->events);
	events_peek(&s->events, sample_see, s);
	while ((r = events_next(&s->events, horizon)) != NULL) {
		if (r->kind == RECORD_SAMPLE)
			stack_sample(s, r);
		else
			follow_record(s, r);
		if (++n % RELEASE_AT == 0)
			events_release(&s->events);
	}
	events_release(&s->events);
}

static bool is_stopped(struct sampler *s)
{
	bool stop;

	pthread_mutex_lock(&s->lock);
	stop = s->stop;
	pthread_mutex_unlock(&s->lock);
	return stop;
}

static void *sampler_loop(void *argument)
{
	struct sampler *s = argument;
	bool soon;
	struct timespec used;

	while (s->polls && !is_stopped(s)) {
		clock_follow(s);
		poll_round(s, sampler_raw_ns());
		states_round(s);
		poll(NULL, 0, POLL_MS);
	}
	while (!is_stopped(s)) {
		clock_follow(s);
		records_drain(s, sampler_raw_ns() - SETTLE_NS);
		states_round(s);
		stack_round(s);
		soon = waiting_round(s, sampler_raw_ns()) || s->sees_python;
		events_wait(&s->events, soon ? SOON_MS : ROUND_MS);
	}
	events_stop(&s->events);
	clock_follow(s);
	records_drain(s, UINT64_MAX);
	states_finish(s, sampler_raw_ns());
	states_round(s);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	pthread_mutex_lock(&s->lock);
	s->totals.cpu_ns = (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
	s->totals.bad = s->events.bad_records;
	s->totals.stack_bytes = s->events.stack_bytes;
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

int sampler_open(struct sampler **result, const struct sampler_options *options,
		 struct tacho_error *err)
{
	struct sampler *s = calloc(1, sizeof(*s));

	if (!s)
		return err_set(err, TACHO_ENOMEM, "out of memory");
	s->options = *options;
	pthread_mutex_init(&s->lock, NULL);
	s->cache = unwind_cache_new();
	s->python = pystacks_new();
	if (modules_init(&s->modules) < 0 || !s->cache || !s->python) {
		sampler_close(s);
		return err_set(err, TACHO_ENOMEM, "out of memory");
	}
	events_init(&s->events, options->hz, options->stack_bytes);
	clock_point_take(&s->first);
	s->last = s->first;
	*result = s;
	return 0;
}

int sampler_add(struct sampler *s, pid_t pid, bool on_exec, struct tacho_error *err)
{
	int r = 0;

	if (on_exec) {
		states_attach(s, (uint32_t)pid, (uint32_t)pid);
		return events_add(&s->events, pid, true, err);
	}
	r = events_add_process(&s->events, pid, err);
	return r < 0 ? r : follow_running(s, pid);
}

int sampler_poll(struct sampler *s, pid_t pid)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return TACHO_ENO;
	close(fd);
	s->polls = true;
	return sampler_process(s, (uint32_t)pid) ? 0 : TACHO_ENOMEM;
}

int sampler_start(struct sampler *s, struct tacho_error *err)
{
	if (pthread_create(&s->thread, NULL, sampler_loop, s) != 0)
		return err_set(err, TACHO_ENOMEM, "cannot start the sampler's thread");
	s->running = true;
	return 0;
}

void sampler_stop(struct sampler *s)
{
	if (!s->running)
		return;
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	s->running = false;
}

void sampler_take(struct sampler *s, struct sampler_batch *batch)
{
	pthread_mutex_lock(&s->lock);
	*batch = s->queue;
	memset(&s->queue, 0, sizeof(s->queue));
	pthread_mutex_unlock(&s->lock);
}

void sampler_batch_free(struct sampler_batch *batch)
{
	for (size_t i = 0; i < batch->n; i++)
		free(batch->v[i].text);
	vec_free(batch);
}

void sampler_totals(struct sampler *s, struct sampler_totals *totals)
{
	pthread_mutex_lock(&s->lock);
	*totals = s->totals;
	pthread_mutex_unlock(&s->lock);
}

void sampler_close(struct sampler *s)
{
	if (!s)
		return;
	sampler_stop(s);
	events_free(&s->events);
	sampler_batch_free(&s->queue);
	for (size_t i = 0; i < s->processes.n; i++) {
		space_clear(&s->processes.v[i]->space);
		free(s->processes.v[i]);
	}
	vec_free(&s->processes);
	for (size_t i = 0; i < s->threads.n; i++)
		states_forget(&s->threads.v[i]);
	vec_free(&s->threads);
	vec_free(&s->intervals);
	free(s->stack);
	map_free(&s->process_of);
	map_free(&s->thread_of);
	modules_free(&s->modules);
	unwind_cache_free(s->cache);
	pystacks_free(s->python);
	tree_free(&s->tree);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
