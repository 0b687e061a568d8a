/* SPDX-License-Identifier: Apache-2.0 */
/* Finds, describes and forgets the ring files of a session's processes. */
#include "capture/private.h"
#include "clock/clock.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

static char *join_words(const char *words, size_t len)
{
	char *text = malloc(len + 1);

	if (!text)
		return NULL;
	while (len && !words[len - 1])
		len--;
	for (size_t i = 0; i < len; i++)
		text[i] = words[i] ? words[i] : ' ';
	text[len] = 0;
	return text;
}

static int processes_describe(struct process *p)
{
	const struct ring_header *h = ring_header(p->ring);
	size_t first = strnlen(h->command, h->command_len);
	const char *slash = memrchr(h->command, '/', first);
	const char *base = slash ? slash + 1 : h->command;

	p->name = strndup(base, first - (size_t)(base - h->command));
	p->command = join_words(h->command, h->command_len);
	if (!p->name || !p->command)
		return TACHO_ENOMEM;
	p->info = (struct trace_process){.pid = h->pid,
					 .parent_pid = h->parent_pid,
					 .start = h->ticks,
					 .exit_status = TRACE_EXIT_UNKNOWN,
					 .name = p->name,
					 .command = p->command};
	return 0;
}

/* Frees data that is needed only while the process is being read. */
void process_clear(struct process *p)
{
	for (size_t i = 0; i < p->names.n; i++)
		free(p->names.v[i]);
	for (size_t i = 0; i < p->made.n; i++)
		free((char *)p->made.v[i].info.name);
	for (size_t i = 0; i < p->fibers.n; i++) {
		zones_stack_free(&p->fibers.v[i]->stack);
		free(p->fibers.v[i]);
	}
	for (size_t i = 0; i < p->owned.n; i++)
		owned_free(&p->owned.v[i]);
	vec_free(&p->owned);
	map_free(&p->pools);
	vec_free(&p->names);
	vec_free(&p->made);
	vec_free(&p->fibers);
	vec_free(&p->srclocs);
	vec_free(&p->frames);
	vec_free(&p->retired);
	map_free(&p->tracks);
	map_free(&p->frame_sets);
	map_free(&p->fiber_tracks);
	map_free(&p->stack_modules);
	map_free(&p->stack_numbers);
}

void process_free(struct process *p)
{
	struct ring_stream **streams;
	size_t count = 0;

	if (p->ring) {
		ring_streams(p->ring, &streams, &count);
		for (size_t i = 0; i < count; i++)
			thread_free(ring_stream_user(streams[i]));
	}
	ring_close(p->ring);
	process_clear(p);
	free(p->name);
	free(p->command);
	free(p);
}

int capture_add_process(struct capture *c, const char *name, uint32_t known_id,
			struct process **result)
{
	struct process *p = calloc(1, sizeof(*p));
	struct tacho_error err;
	int64_t id = known_id;
	int r = TACHO_ENOMEM;
	const struct ring_header *h;

	if (p && ring_is_area_name(name))
		r = ring_open_area(&p->ring, &c->session, name, &err);
	else if (p)
		r = ring_open(&p->ring, c->session.folder.fd, name, c->session.key, &err);
	if (r < 0) {
		free(p);
		return r;
	}
	p->messages = TRACE_NONE;
	r = processes_describe(p);
	if (r == 0 && known_id == TRACE_NONE) {
		id = sampling_join_process(c, p->info.pid);
		if (id == TRACE_NONE)
			id = trace_add_process(c->writer, &p->info);
		else
			r = trace_update_process(c->writer, (uint32_t)id, &p->info);
		r = id < 0 ? (int)id : r;
	}
	p->id = (uint32_t)id;
	if (r == 0)
		sampling_note_process(c, p->info.pid, p->id);
	if (r == 0 && (vec_reserve(&c->processes, c->processes.n + 1) < 0 ||
		       vec_reserve(&c->live, c->live.n + 1) < 0))
		r = TACHO_ENOMEM;
	if (r < 0) {
		process_free(p);
		return r;
	}
	p->index = (uint32_t)c->processes.n;
	c->processes.v[c->processes.n++] = p;
	c->live.v[c->live.n++] = p;
	/* A process that joins again has executed another program: the earlier one no longer
	 * writes. */
	h = ring_header(p->ring);
	for (size_t i = 0; i < c->live.n; i++) {
		struct ring_reader *other = c->live.v[i]->ring;
		const struct ring_header *o = ring_header(other);

		if (o != h && o->pid == h->pid && o->start_time == h->start_time &&
		    o->pid_namespace == h->pid_namespace && o->ticks < h->ticks)
			ring_set_replaced(other);
	}
	c->sum.processes++;
	if (result)
		*result = p;
	return 0;
}

struct process *capture_add_gone(struct capture *c, uint32_t id)
{
	struct process *p = calloc(1, sizeof(*p));

	if (!p || vec_push(&c->processes, p) < 0) {
		free(p);
		return NULL;
	}
	p->index = (uint32_t)c->processes.n - 1;
	p->id = id;
	p->messages = TRACE_NONE;
	p->info.exit_status = TRACE_EXIT_UNKNOWN;
	p->info.name = p->info.command = "";
	return p;
}

bool process_is_ring_name(const char *name)
{
	return ring_is_name(name) || (ring_is_area_name(name) && !strchr(name, '/'));
}

uint32_t process_pid_named(const char *name)
{
	return strncmp(name, "p.", 2) ? 0 : (uint32_t)strtoul(name + 2, NULL, 10);
}

static bool is_known(const struct capture *c, const char *name)
{
	for (size_t i = 0; i < c->live.n; i++)
		if (!strcmp(ring_name(c->live.v[i]->ring), name))
			return true;
	return false;
}

static bool is_waiting(const struct capture *c, const char *name)
{
	for (size_t i = 0; i < c->not_ready.n; i++)
		if (!strcmp(c->not_ready.v[i], name))
			return true;
	return false;
}

/*
 * Opens a new ring file. If its header is incomplete, or descriptors or memory are short, it is
 * tried again later.
 */
static void try_ring(struct capture *c, const char *name)
{
	char *copy;
	int r;

	if (!process_is_ring_name(name) || is_known(c, name))
		return;
	errno = 0;
	r = capture_add_process(c, name, TRACE_NONE, NULL);
	if (r == TACHO_ENO)
		return; /* not of a process of this session */
	c->no_room += r == TACHO_ENOMEM;
	if (r == TACHO_EFORMAT || r == TACHO_ENOMEM) {
		copy = strdup(name);
		if (!copy || vec_push(&c->not_ready, copy) < 0)
			free(copy);
	} else if (r == TACHO_EVERSION) {
		absent_add(c, process_pid_named(name), TRACE_ABSENT_VERSION, 0, "");
	} else if (r == TACHO_EREAD && errno != ENOENT) { /* else it gave up and reports it */
		absent_add(c, process_pid_named(name), TRACE_ABSENT_RECORDER, errno, "");
	} else if (r < 0 && r != TACHO_EREAD && r != TACHO_ENO) {
		capture_error(c, r);
	}
}

static void processes_scan_directory(struct capture *c)
{
	DIR *d = own_folder_read(c->session.folder.fd);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (!is_waiting(c, e->d_name))
			try_ring(c, e->d_name);
	if (d)
		closedir(d);
	c->scan = false;
}

void capture_find_rings(struct capture *c)
{
	char events[8192] __attribute__((aligned(8))), area_name[64];
	size_t waiting = c->not_ready.n;
	ssize_t n;

	c->no_room = 0;
	for (size_t i = 0; i < waiting; i++) {
		char *name = c->not_ready.v[i];

		try_ring(c, name);
		free(name);
	}
	if (waiting)
		memmove(c->not_ready.v, c->not_ready.v + waiting,
			(c->not_ready.n - waiting) * sizeof(*c->not_ready.v));
	c->not_ready.n -= waiting;
	while (c->watch >= 0 && (n = read(c->watch, events, sizeof(events))) > 0) {
		for (char *at = events; at < events + n;) {
			struct inotify_event *e = (struct inotify_event *)at;

			if (e->mask & IN_Q_OVERFLOW)
				c->scan = true;
			else if (e->len)
				try_ring(c, e->name);
			at += sizeof(*e) + e->len;
		}
	}
	if (ring_pool_changed(&c->session))
		for (uint32_t area = 0;
		     ring_pool_next(&c->session, &area, area_name, sizeof(area_name));)
			if (!is_waiting(c, area_name))
				try_ring(c, area_name);
	if (c->scan || c->watch < 0)
		processes_scan_directory(c);
}
