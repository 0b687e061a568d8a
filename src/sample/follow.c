/* SPDX-License-Identifier: Apache-2.0 */
/* Follows processes, threads, mappings and thread states by the kernel's records. */
#include "sample/private.h"

#include "base/limits.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

uint64_t sampler_ticks(const struct sampler *s, uint64_t ns)
{
	double after = (double)((int64_t)ns - s->last.monotonic_ns) * s->ticks_per_ns;

	return s->last.ticks + (uint64_t)(int64_t)after;
}

/* ----------------------------------------------- processes and threads */

struct sampled_process *sampler_process(struct sampler *s, uint32_t pid)
{
	uint32_t *at = map_get(&s->process_of, pid);
	struct sampled_process *p;

	if (at)
		return s->processes.v[*at];
	if (s->processes.n >= LIMIT_SAMPLED)
		return NULL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->space.pid = (pid_t)pid;
	if (map_set(&s->process_of, pid, (uint32_t)s->processes.n) < 0 ||
	    vec_push(&s->processes, p) < 0) {
		free(p);
		return NULL;
	}
	return p;
}

struct sampled_thread *sampler_thread(struct sampler *s, uint32_t pid, uint32_t tid)
{
	uint32_t *at = map_get(&s->thread_of, tid);
	struct sampled_thread new = {.pid = pid, .tid = tid, .schedstat = -1};

	if (at) {
		struct sampled_thread *t = &s->threads.v[*at];

		if (t->pid != pid) { /* the number was reused */
			states_forget(t);
			*t = new;
		}
		return t;
	}
	if (map_set(&s->thread_of, tid, (uint32_t)s->threads.n) < 0 ||
	    vec_push(&s->threads, new) < 0)
		return NULL;
	return &s->threads.v[s->threads.n - 1];
}

static void name_put(struct sampler *s, enum sampler_kind kind, uint32_t pid, uint32_t tid,
		     uint32_t parent, uint64_t ns, const char *name)
{
	struct sampler_event e = {.kind = kind, .pid = pid, .tid = tid, .parent = parent};

	e.time = sampler_ticks(s, ns);
	queue_put(s, &e, name, strlen(name));
}

void follow_process_name(struct sampler *s, uint32_t pid, uint64_t ns, const char *name)
{
	struct sampled_process *p = sampler_process(s, pid);

	if (!p)
		return;
	p->announced = true;
	p->ended = false;
	name_put(s, SAMPLER_PROCESS, pid, pid, p->parent, ns, name);
}

void follow_thread_name(struct sampler *s, uint32_t pid, uint32_t tid, uint64_t ns,
			const char *name)
{
	struct sampled_thread *t = sampler_thread(s, pid, tid);

	if (!t)
		return;
	t->named = true;
	name_put(s, SAMPLER_THREAD, pid, tid, 0, ns, name);
}

static void fork_follow(struct sampler *s, const struct record *r)
{
	struct sampled_process *parent, *child;

	states_begin(s, r->pid, r->tid, r->time);
	if (r->pid == r->parent_pid) /* a thread */
		return;
	parent = sampler_process(s, r->parent_pid);
	child = sampler_process(s, r->pid);
	if (!parent || !child)
		return;
	child->parent = r->parent_pid;
	child->ended = false;
	child->announced = false;
	space_copy(&child->space, &parent->space);
}

static void mmap_follow(struct sampler *s, const struct record *r)
{
	struct sampled_process *p = sampler_process(s, r->pid);
	struct mapping m = {r->start, r->start + r->length, r->page_offset, NULL};
	enum module_kind kind = MODULE_FILE;
	char memory[64];
	const char *path = r->name;

	if (!p || !r->executable)
		return;
	if (!strcmp(path, "[vdso]")) {
		kind = MODULE_VDSO;
	} else if (path[0] != '/' || !strncmp(path, "//anon", 6)) {
		snprintf(memory, sizeof(memory), "[memory of %u]", r->pid);
		path = memory;
		kind = MODULE_MEMORY;
	}
	m.module = stack_module(s, kind, path, makedev(r->major, r->minor), r->inode);
	if (m.module)
		space_map(&p->space, &m);
}

/* --------------------------------------------------------------- records */

static void exit_follow(struct sampler *s, const struct record *r)
{
	struct sampled_thread *t = sampler_thread(s, r->pid, r->tid);

	if (t) {
		states_end(s, t, r->time);
	}
	if (r->pid == r->tid) {
		struct sampled_process *p = sampler_process(s, r->pid);

		if (p) {
			p->ended = true;
			space_clear(&p->space);
		}
	}
	name_put(s, SAMPLER_ENDED, r->pid, r->tid, 0, r->time, "");
}

void follow_record(struct sampler *s, const struct record *r)
{
	struct sampler_event e = {.kind = SAMPLER_LOST};
	struct sampled_process *p;

	switch (r->kind) {
	case RECORD_MMAP:
		mmap_follow(s, r);
		break;
	case RECORD_COMM:
		p = sampler_process(s, r->pid);
		if (p && (r->exec || !p->announced)) {
			if (r->exec)
				space_clear(&p->space);
			follow_process_name(s, r->pid, r->time, r->name);
		}
		follow_thread_name(s, r->pid, r->tid, r->time, r->name);
		break;
	case RECORD_FORK:
		fork_follow(s, r);
		break;
	case RECORD_EXIT:
		exit_follow(s, r);
		break;
	case RECORD_SWITCH:
		states_switch(s, r);
		break;
	case RECORD_LOST:
		e.time = sampler_ticks(s, r->time);
		e.a = r->lost;
		queue_put(s, &e, NULL, 0);
		s->totals.lost += r->lost;
		break;
	case RECORD_THROTTLE:
		s->totals.throttled++;
		break;
	default:
		break;
	}
}

/* ------------------------------------------------------ running already */

void follow_maps(struct sampler *s, pid_t pid)
{
	char path[64], line[4400], name[4200], prot[8];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		unsigned long long start, end, offset, inode;
		struct record r = {.kind = RECORD_MMAP, .pid = (uint32_t)pid};

		name[0] = 0;
		if (sscanf(line, "%llx-%llx %7s %llx %x:%x %llu %4199[^\n]", &start, &end, prot,
			   &offset, &r.major, &r.minor, &inode, name) < 7)
			continue;
		r.start = start;
		r.length = end - start;
		r.page_offset = offset;
		r.inode = inode;
		r.executable = prot[2] == 'x';
		r.name = name;
		mmap_follow(s, &r);
	}
	if (f)
		fclose(f);
}

static void comm_read(char *name, size_t size, pid_t pid, uint32_t tid)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%u/comm", (int)pid, tid);
	f = fopen(path, "re");
	if (!f || !fgets(name, (int)size, f))
		name[0] = 0;
	name[strcspn(name, "\n")] = 0;
	if (f)
		fclose(f);
}

int follow_running(struct sampler *s, pid_t pid)
{
	uint64_t now = (uint64_t)s->first.monotonic_ns;
	char path[64], name[64];
	struct dirent *entry;
	DIR *d;

	comm_read(name, sizeof(name), pid, (uint32_t)pid);
	follow_process_name(s, (uint32_t)pid, now, name);
	follow_maps(s, pid);
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	d = opendir(path);
	while (d && (entry = readdir(d)) != NULL) {
		uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (!tid)
			continue;
		comm_read(name, sizeof(name), pid, tid);
		follow_thread_name(s, (uint32_t)pid, tid, now, name);
		states_attach(s, (uint32_t)pid, tid);
	}
	if (d)
		closedir(d);
	return 0;
}
