/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Without perf events: polls /proc for what threads do. The kernel's counts of time run and waited
 * give sums of states, exact over any number of polls; within one poll their order is unknown. A
 * thread that has not run between two polls waits, and its stack can be read. There are no samples
 * of running code.
 */
#include "sample/private.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAPS_NS 1000000000u /* mappings are read again after this time */

static bool poll_read(char *text, size_t size, uint32_t pid, uint32_t tid, const char *what)
{
	ssize_t n;
	int fd;

	snprintf(text, size, "/proc/%u/task/%u/%s", pid, tid, what);
	fd = open(text, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, text, size - 1) : -1;
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

static bool schedule_read(const struct sampled_thread *t, struct schedule *to)
{
	unsigned long long run, wait, slices;
	char text[96];

	if (!poll_read(text, sizeof(text), t->pid, t->tid, "schedstat") ||
	    sscanf(text, "%llu %llu %llu", &run, &wait, &slices) != 3)
		return false;
	*to = (struct schedule){run, wait, slices};
	return true;
}

static bool has_run(const struct schedule *a, const struct schedule *b)
{
	return a->run != b->run || a->slices != b->slices;
}

/* Ends the wait of T at NS, and begins the next state. */
static void poll_switch(struct sampler *s, struct sampled_thread *t, uint64_t ns, bool out)
{
	struct record r = {.pid = t->pid, .tid = t->tid, .time = ns, .out = out};

	states_switch(s, &r);
}

/* It has not run since the last poll: reads its stack, which is valid if it still has not. */
static void wait_note(struct sampler *s, struct sampled_thread *t, uint64_t now)
{
	struct sampled_process *p = sampler_process(s, t->pid);
	struct schedule after;

	if (!p || t->state != TRACE_STATE_BLOCKED || !t->since || t->read_at)
		return;
	if (now - p->maps_at > MAPS_NS) {
		space_clear(&p->space);
		follow_maps(s, (pid_t)t->pid);
		p->maps_at = now;
	}
	waiting_read(s, t);
	if (!schedule_read(t, &after) || has_run(&t->schedule, &after))
		t->read_at = 0;
}

static void thread_poll(struct sampler *s, uint32_t pid, uint32_t tid, uint64_t now)
{
	struct sampled_thread *t = sampler_thread(s, pid, tid);
	struct schedule new;
	char name[64];

	if (!t || !schedule_read(t, &new))
		return;
	if (!t->polled) {
		t->schedule = new;
		t->delay = new.wait;
		poll_switch(s, t, now, true);
	} else if (has_run(&t->schedule, &new)) {
		uint64_t ran = new.run - t->schedule.run;
		uint64_t at = t->polled;

		/* The thread has run since the last poll at t->polled: some of the time since, then
		 * it waited for a CPU, then it waits again. */
		if (new.run < t->schedule.run || ran > now - at)
			ran = now - at;
		poll_switch(s, t, at, false);
		poll_switch(s, t, at + ran, true);
		t->schedule = new;
	} else {
		wait_note(s, t, now);
	}
	t->polled = now;
	if (t->named || !poll_read(name, sizeof(name), pid, tid, "comm"))
		return;
	name[strcspn(name, "\n")] = 0;
	follow_thread_name(s, pid, tid, now, name);
}

/* The program's name changes by exec; then its mappings are new, too. */
static void name_poll(struct sampler *s, struct sampled_process *p, uint64_t now)
{
	uint32_t pid = (uint32_t)p->space.pid;
	char name[sizeof(p->comm)];

	if (!poll_read(name, sizeof(name), pid, pid, "comm"))
		return;
	name[strcspn(name, "\n")] = 0;
	if (!strcmp(name, p->comm))
		return;
	memcpy(p->comm, name, sizeof(name));
	p->maps_at = 0;
	follow_process_name(s, pid, now, name);
	follow_thread_name(s, pid, pid, now, name);
}

static void children_poll(struct sampler *s, uint32_t pid, uint32_t tid)
{
	char text[4096], *at = text, *end;
	struct sampled_process *child;

	if (!poll_read(text, sizeof(text), pid, tid, "children"))
		return;
	for (;; at = end) {
		unsigned long number = strtoul(at, &end, 10);

		if (end == at)
			return;
		child = sampler_process(s, (uint32_t)number);
		if (child && !child->comm[0])
			child->parent = pid;
	}
}

static void process_poll(struct sampler *s, struct sampled_process *p, uint64_t now)
{
	uint32_t pid = (uint32_t)p->space.pid;
	struct dirent *entry;
	char path[64];
	DIR *d;

	name_poll(s, p, now);
	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	d = opendir(path);
	if (!d)
		p->ended = true;
	while (d && (entry = readdir(d)) != NULL) {
		uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (!tid)
			continue;
		thread_poll(s, pid, tid, now);
		children_poll(s, pid, tid);
	}
	if (d)
		closedir(d);
}

void poll_round(struct sampler *s, uint64_t now)
{
	for (size_t i = 0; i < s->processes.n; i++)
		if (!s->processes.v[i]->ended)
			process_poll(s, s->processes.v[i], now);
	for (size_t i = 0; i < s->threads.n; i++) {
		struct sampled_thread *t = &s->threads.v[i];

		if (t->since && t->polled && t->polled < now) /* it has ended since */
			states_end(s, t, t->polled);
	}
}
