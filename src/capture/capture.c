#include "capture/private.h"
#include "clock/clock.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define EVENTS           512   /* read from a ring at once */
#define ZONES            2048  /* looked at, then read */
#define STREAM_EVENTS    65536 /* from one ring per round: the others wait no longer than this */
#define CHECKPOINT_BYTES (8u << 20)
#define CHECKPOINT_NS    1000000000ull
#define CLOCK_NS         1000000000ull
#define LONGEST_WAIT_MS  50
#define TRIM_NS          1000000000ull
#define FINISHED_MAX     64 /* processes that have ended and whose rings are still open */
/* Cores read the clock a little apart: only what is further ahead than this is wrong. */
#define AHEAD_TICKS 10000000u

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void capture_error(struct capture *c, int64_t code)
{
	if (!c->error)
		c->error = (int)code;
}

/* ----------------------------------------------------------- properties */

static void add_cpu(struct trace_writer *w)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[512], *value;

	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, "model name", 10))
			continue;
		value = strchr(line, ':');
		line[strcspn(line, "\n")] = 0;
		if (value)
			trace_set_property(w, "cpu", value + 2);
		break;
	}
	if (f)
		fclose(f);
}

static void add_properties(struct trace_writer *w)
{
	struct utsname u;
	char text[512];

	if (uname(&u) == 0) {
		trace_set_property(w, "host", u.nodename);
		snprintf(text, sizeof(text), "%s %s %s", u.sysname, u.release, u.machine);
		trace_set_property(w, "system", text);
	}
	add_cpu(w);
	snprintf(text, sizeof(text), "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	trace_set_property(w, "cpus", text);
	trace_set_property(w, "clock", clock_is_invariant() ? "invariant" : "not invariant");
	trace_set_property(w, "recorder", "tacho " TACHO_VERSION);
	if (getcwd(text, sizeof(text)))
		trace_set_property(w, "directory", text);
}

static void take_clock(struct capture *c)
{
	struct clock_point p;
	struct trace_clock_point t;

	clock_point_take(&p);
	t = (struct trace_clock_point){p.ticks, p.monotonic_ns, p.realtime_ns, p.bound_ns};
	trace_add_clock_point(c->writer, &t);
	c->last_clock = now_ns();
}

/* ------------------------------------------------------------ processes */

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

static int describe(struct process *p)
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

/* Frees what is only needed while the process is being read. */
static void process_clear(struct process *p)
{
	for (size_t i = 0; i < p->names.n; i++)
		free(p->names.v[i]);
	for (size_t i = 0; i < p->made.n; i++)
		free((char *)p->made.v[i].info.name);
	for (size_t i = 0; i < p->fibers.n; i++) {
		stack_free(&p->fibers.v[i]->stack);
		free(p->fibers.v[i]);
	}
	vec_free(&p->names);
	vec_free(&p->made);
	vec_free(&p->fibers);
	vec_free(&p->srclocs);
	vec_free(&p->frames);
	vec_free(&p->retired);
	map_free(&p->tracks);
	map_free(&p->frame_sets);
}

static void process_free(struct process *p)
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

/* A process that joins again has executed another program: the earlier one writes no more. */
static void replace_older(struct capture *c, const struct process *p)
{
	const struct ring_header *h = ring_header(p->ring);

	for (size_t i = 0; i < c->processes.n; i++) {
		struct ring_reader *other = c->processes.v[i]->ring;
		const struct ring_header *o = other ? ring_header(other) : h;

		if (o != h && o->pid == h->pid && o->start_time == h->start_time &&
		    o->pid_namespace == h->pid_namespace && o->ticks < h->ticks)
			ring_set_replaced(other);
	}
}

int capture_add_process(struct capture *c, const char *name, uint32_t known_id,
			struct process **result)
{
	struct process *p = calloc(1, sizeof(*p));
	struct tacho_error err;
	int64_t id = known_id;
	int r = p ? ring_open(&p->ring, c->session.dir, name, &err) : TACHO_ENOMEM;

	if (r < 0) {
		free(p);
		return r;
	}
	p->messages = TRACE_NONE;
	r = describe(p);
	if (r == 0 && known_id == TRACE_NONE) {
		id = trace_add_process(c->writer, &p->info);
		r = id < 0 ? (int)id : 0;
	}
	p->id = (uint32_t)id;
	if (r == 0)
		r = vec_push(&c->processes, p);
	if (r < 0) {
		process_free(p);
		return r;
	}
	replace_older(c, p);
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
	p->id = id;
	p->messages = TRACE_NONE;
	p->info.exit_status = TRACE_EXIT_UNKNOWN;
	p->info.name = p->info.command = "";
	return p;
}

static bool is_known(const struct capture *c, const char *name)
{
	for (size_t i = 0; i < c->processes.n; i++)
		if (c->processes.v[i]->ring && !strcmp(ring_name(c->processes.v[i]->ring), name))
			return true;
	return false;
}

/* A ring file that has appeared. One whose header is not complete yet is tried again. */
static void try_ring(struct capture *c, const char *name)
{
	char *copy;
	int r;

	if (strncmp(name, "p.", 2) || is_known(c, name))
		return;
	r = capture_add_process(c, name, TRACE_NONE, NULL);
	if (r == TACHO_EFORMAT || r == TACHO_ENOMEM) {
		copy = strdup(name);
		if (!copy || vec_push(&c->not_ready, copy) < 0)
			free(copy);
	} else if (r < 0 && r != TACHO_EREAD && r != TACHO_EVERSION) {
		capture_error(c, r);
	} else if (r < 0) {
		c->sum.failed++;
	}
}

static void scan_directory(struct capture *c)
{
	DIR *d = opendir(c->session.dir);
	struct dirent *e;

	while (d && (e = readdir(d)))
		try_ring(c, e->d_name);
	if (d)
		closedir(d);
	c->scan = false;
}

static void find_rings(struct capture *c)
{
	char events[8192] __attribute__((aligned(8)));
	size_t waiting = c->not_ready.n;
	ssize_t n;

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
	if (c->scan || c->watch < 0)
		scan_directory(c);
}

/* -------------------------------------------------------------- threads */

struct thread *capture_thread(struct capture *c, struct process *p, struct ring_stream *s)
{
	struct thread *t = ring_stream_user(s);
	struct ring_stream_info info;
	struct trace_track track;
	int64_t id;

	if (t)
		return t;
	ring_stream_info(s, &info);
	t = calloc(1, sizeof(*t));
	track = (struct trace_track){.process = p->id,
				     .kind = TRACE_THREAD,
				     .id = info.tid,
				     .srcloc = TRACE_NONE,
				     .name = info.name};
	id = t ? trace_add_track(c->writer, &track) : TACHO_ENOMEM;
	if (id < 0) {
		capture_error(c, id);
		free(t);
		return NULL;
	}
	t->stack.track = (uint32_t)id;
	t->stack.last = info.ticks < c->now ? info.ticks : c->now;
	t->number = info.number;
	t->tid = info.tid;
	for (uint32_t i = 0; i < c->processes.n; i++)
		if (c->processes.v[i] == p)
			t->process = i;
	ring_stream_set_user(s, t);
	c->sum.threads++;
	return t;
}

/* The process's own stream: what its numbers mean. */
static void read_names(struct capture *c, struct process *p, struct ring_stream *s)
{
	struct ring_event events[64];
	size_t n;
	int r;

	while ((n = ring_read(s, events, 64)) > 0) {
		for (size_t i = 0; i < n; i++) {
			r = 0;
			if (events[i].type == RING_SRCLOC)
				r = process_add_srcloc(c, p, &events[i]);
			else if (events[i].type == RING_NAME)
				r = process_add_name(p, &events[i]);
			if (r < 0)
				capture_error(c, r);
		}
	}
}

/* Zones that stand together, which is nearly all there is. */
static size_t read_zones(struct capture *c, struct process *p, struct thread *t,
			 struct ring_stream *names, struct ring_stream *s)
{
	size_t total = 0, count, taken;

	while (!t->fiber && total < STREAM_EVENTS) {
		uint64_t time;
		const uint64_t *words = ring_zones(s, ZONES, &count, &time);

		if (!count)
			break;
		c->now = clock_ticks() + AHEAD_TICKS;
		read_names(c, p, names);
		taken = thread_zones(c, t, words, count, &time);
		ring_zones_taken(s, taken, time);
		total += taken;
	}
	return total;
}

static size_t read_thread(struct capture *c, struct process *p, struct ring_stream *names,
			  struct ring_stream *s)
{
	struct thread *t = capture_thread(c, p, s);
	struct ring_event events[EVENTS];
	size_t n = 1, total = 0;

	if (!t || t->finished)
		return 0;
	while (!c->error && total < STREAM_EVENTS &&
	       (!hold_is_full(c) || t->stack.last <= c->flushed)) {
		total += read_zones(c, p, t, names, s);
		n = ring_read(s, events, EVENTS);
		if (!n)
			break;
		c->now = clock_ticks() + AHEAD_TICKS;
		/* Whatever these events refer to was announced before them. */
		read_names(c, p, names);
		for (size_t i = 0; i < n; i++)
			thread_event(c, t, &events[i]);
		total += n;
	}
	if (n && t->stack.last < c->horizon)
		c->horizon = t->stack.last; /* there is more */
	if (ring_stream_finished(s)) {
		thread_finish(c, t, s);
		t->finished = true;
	}
	return total ? total : n;
}

static size_t read_threads(struct capture *c, struct process *p)
{
	struct ring_stream **streams;
	size_t count, total = 0;
	int r = ring_streams(p->ring, &streams, &count);

	if (r < 0)
		capture_error(c, r);
	for (size_t i = 1; i < count && !c->error; i++)
		total += read_thread(c, p, streams[0], streams[i]);
	return total;
}

/* Nothing more is read of it: what is open is unfinished. */
static void finish_threads(struct capture *c, struct process *p)
{
	struct ring_stream **streams;
	size_t count;

	ring_streams(p->ring, &streams, &count);
	for (size_t i = 1; i < count; i++) {
		struct thread *t = ring_stream_user(streams[i]);

		if (t && !t->finished) {
			thread_finish(c, t, streams[i]);
			t->finished = true;
		}
	}
}

/* What threads lost that got no memory for a stream: they have no track to tell it on. */
static void add_lost_threads(struct capture *c, struct process *p)
{
	struct ring_losses lost;
	struct trace_ledger ledger = {0};
	struct trace_row row = {.time = p->info.end ? p->info.end : clock_ticks(),
				.kind = TRACE_ROW_LOSS,
				.thread = TRACE_NONE,
				.a = TRACE_LOSS_NO_MEMORY};
	uint32_t track;

	ring_losses(p->ring, &lost);
	if ((!lost.zones && !lost.others) || lost.zones > LOSS_MAX || lost.others > LOSS_MAX)
		return;
	track = process_messages(c, p);
	ledger.zones_emitted = ledger.zones_lost = row.b = lost.zones;
	ledger.rows_emitted = ledger.rows_lost = row.c = lost.others;
	c->sum.lost += lost.zones + lost.others;
	if (track == TRACE_NONE || trace_add_row(c->writer, track, &row) < 0 ||
	    trace_add_ledger(c->writer, track, &ledger) < 0)
		capture_error(c, TACHO_EWRITE);
}

/* The process has ended and all its events are read. */
static void process_end(struct capture *c, struct process *p)
{
	for (size_t i = 0; i < p->fibers.n; i++)
		stack_finish(c, &p->fibers.v[i]->stack);
	if (trace_update_process(c->writer, p->id, &p->info) < 0)
		capture_error(c, TACHO_EWRITE);
	c->sum.failed += ring_threads_lost(p->ring);
	add_lost_threads(c, p);
	p->finished = true;
}

/*
 * From here on the process writes nothing more. Should it do so all the same, or somebody else to its
 * ring, then reading it ends when its memory has been read once.
 */
static void set_last(struct process *p)
{
	if (!p->last)
		p->last_left = ring_bytes(p->ring) / sizeof(uint64_t) + STREAM_EVENTS;
	p->last = true;
}

static size_t read_last(struct capture *c, struct process *p)
{
	size_t total = p->last_left ? read_threads(c, p) : 0;

	p->last_left -= total < p->last_left ? total : p->last_left;
	return total;
}

static size_t read_process(struct capture *c, struct process *p)
{
	/* Asked before reading: what a process wrote before its death is then all there. */
	bool alive = ring_is_alive(p->ring);
	size_t total = p->last ? read_last(c, p) : read_threads(c, p);

	p->read += total;
	if (alive || total || c->error)
		return total;
	if (!p->dead) {
		/* Once more: what was claimed and not written stays so. */
		set_last(p);
		ring_set_dead(p->ring);
		p->dead = true;
		return 1;
	}
	finish_threads(c, p);
	p->ended = true;
	p->info.end = clock_ticks();
	return 1;
}

/* --------------------------------------------------------- checkpoints */

static void save_ledgers(struct capture *c, struct process *p)
{
	static const struct trace_ledger zero;
	struct ring_stream **streams;
	size_t count = 0;

	if (p->ring)
		ring_streams(p->ring, &streams, &count);
	for (size_t i = 1; i < count; i++) {
		struct thread *t = ring_stream_user(streams[i]);

		if (t) {
			thread_tell_late(c, t);
			trace_add_ledger(c->writer, t->stack.track, &t->stack.ledger);
			t->stack.ledger = zero;
		}
	}
	for (size_t i = 0; i < p->fibers.n; i++) {
		struct stack *s = &p->fibers.v[i]->stack;

		trace_add_ledger(c->writer, s->track, &s->ledger);
		s->ledger = zero;
	}
}

/* Threads that are done give their memory back; a process that is done its whole ring. */
static void release_process(struct capture *c, struct process *p)
{
	struct ring_stream **streams;
	char path[RING_PATH + 256];
	size_t count;

	if (!p->ring)
		return;
	ring_streams(p->ring, &streams, &count);
	for (size_t i = 1; i < count; i++) {
		struct thread *t = ring_stream_user(streams[i]);

		if (t && (t->finished || p->finished)) {
			if (ring_stream_retired(streams[i]))
				vec_push(&p->retired, t->number);
			ring_stream_set_user(streams[i], NULL);
			thread_free(t);
		}
	}
	if (!p->finished) {
		ring_release(p->ring);
		return;
	}
	snprintf(path, sizeof(path), "%s/%s", c->session.dir, ring_name(p->ring));
	ring_close(p->ring);
	p->ring = NULL;
	unlink(path);
	process_clear(p);
}

static int checkpoint(struct capture *c)
{
	struct buf state = BUF_INIT;
	int r;

	for (size_t i = 0; i < c->processes.n; i++)
		save_ledgers(c, c->processes.v[i]);
	for (uint32_t i = 0; i < c->ledgers.n; i++) {
		if (c->ledgers.v[i].rows_emitted)
			trace_add_ledger(c->writer, i, &c->ledgers.v[i]);
		c->ledgers.v[i] = (struct trace_ledger){0};
	}
	tracy_checkpoint(c);
	r = state_save(c, &state);
	if (r == 0)
		r = trace_checkpoint(c->writer, state.data, state.len);
	buf_free(&state);
	if (r < 0) {
		capture_error(c, r);
		return r;
	}
	for (size_t i = 0; i < c->processes.n; i++)
		release_process(c, c->processes.v[i]);
	c->last_checkpoint = now_ns();
	c->since_checkpoint = 0;
	return 0;
}

static bool checkpoint_is_due(const struct capture *c)
{
	uint64_t unreleased = 0;
	size_t finished = 0;

	if (!c->since_checkpoint)
		return false;
	for (size_t i = 0; i < c->processes.n; i++) {
		if (!c->processes.v[i]->ring)
			continue;
		unreleased += ring_unreleased(c->processes.v[i]->ring);
		finished += c->processes.v[i]->finished;
	}
	/* Each holds descriptors, and others may be waiting for them. */
	if (finished >= FINISHED_MAX || (finished && c->not_ready.n))
		return true;
	return unreleased >= c->checkpoint_bytes ||
	       trace_writer_buffered(c->writer) >= 2 * CHECKPOINT_BYTES ||
	       now_ns() - c->last_checkpoint >= CHECKPOINT_NS;
}

static int failed(struct capture *c, struct tacho_error *err)
{
	return err_set(err, c->error, "%s.part: %s", c->output, err_text(c->error));
}

/* After a burst a process keeps no more memory than it may have when idle. */
static void trim(struct capture *c)
{
	uint64_t keep = (uint64_t)c->session.control->ring_kb << 10;

	if (now_ns() - c->last_trim < TRIM_NS)
		return;
	c->last_trim = now_ns();
	for (size_t i = 0; i < c->processes.n; i++) {
		struct process *p = c->processes.v[i];

		if (p->ring && !p->read)
			ring_trim(p->ring, keep);
		p->read = 0;
	}
}

int64_t capture_round(struct capture *c, struct tacho_error *err)
{
	int64_t total = 0;
	size_t n;

	find_rings(c);
	c->horizon = c->now = clock_ticks();
	for (size_t i = 0; i < c->processes.n && !c->error; i++) {
		struct process *p = c->processes.v[i];

		if (!p->ring || p->ended)
			continue;
		n = read_process(c, p);
		total += (int64_t)n;
		c->since_checkpoint += n;
		/*
		 * Asking looks at every process: only after one that had something. What is held
		 * would go into the checkpoint's state: then it waits for the end of the round.
		 */
		if (n && c->held.n < EVENTS && checkpoint_is_due(c))
			checkpoint(c);
	}
	hold_flush(c, c->horizon);
	n = tracy_round(c);
	total += (int64_t)n;
	c->since_checkpoint += n;
	for (size_t i = 0; i < c->processes.n; i++) {
		struct process *p = c->processes.v[i];

		/* In the round after its death all that is held of it has gone to the trace. */
		if (p->ended && !p->finished && p->info.end + AHEAD_TICKS < c->horizon)
			process_end(c, p);
	}
	if (now_ns() - c->last_clock >= CLOCK_NS)
		take_clock(c);
	trim(c);
	if (checkpoint_is_due(c))
		checkpoint(c);
	c->wait_ms = total > 4096 ? 0 : total ? 1 : c->wait_ms ? c->wait_ms * 2 : 1;
	if (c->wait_ms > LONGEST_WAIT_MS)
		c->wait_ms = LONGEST_WAIT_MS;
	return c->error ? failed(c, err) : total;
}

void capture_wait(struct capture *c)
{
	if (c->wait_ms)
		ring_session_wait(&c->session, c->wait_ms);
}

/* ------------------------------------------------------ open and finish */

static struct capture *capture_new(void)
{
	struct capture *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->texts = (struct buf)BUF_INIT;
	c->watch = -1;
	c->scan = true;
	c->last_checkpoint = now_ns();
	return c;
}

static void capture_free(struct capture *c)
{
	for (size_t i = 0; i < c->processes.n; i++)
		process_free(c->processes.v[i]);
	for (size_t i = 0; i < c->not_ready.n; i++)
		free(c->not_ready.v[i]);
	vec_free(&c->processes);
	vec_free(&c->not_ready);
	vec_free(&c->held);
	vec_free(&c->ledgers);
	buf_free(&c->texts);
	if (c->watch >= 0)
		close(c->watch);
	ring_session_close(&c->session);
	free(c->output);
	free(c);
}

static void watch_session(struct capture *c)
{
	uint32_t limit = c->session.control->limit_mb;

	c->watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (c->watch >= 0 && inotify_add_watch(c->watch, c->session.dir, IN_CREATE) < 0) {
		close(c->watch);
		c->watch = -1;
	}
	c->checkpoint_bytes = (uint64_t)limit << 18; /* a quarter of what a process may have */
	if (c->checkpoint_bytes > CHECKPOINT_BYTES)
		c->checkpoint_bytes = CHECKPOINT_BYTES;
}

static struct trace_writer_options writer_options(const struct capture_options *o)
{
	return (struct trace_writer_options){.force = o->force, .durable = o->durable};
}

static void remove_part(struct capture *c)
{
	char *part;

	trace_writer_abandon(c->writer);
	if (asprintf(&part, "%s.part", c->output) < 0)
		return;
	unlink(part);
	free(part);
}

int capture_open(struct capture **result, const struct capture_options *options,
		 struct tacho_error *err)
{
	struct trace_writer_options wo = writer_options(options);
	struct capture *c = capture_new();
	int r;

	if (!c)
		return TACHO_ENOMEM;
	c->output = strdup(options->output);
	r = c->output ? trace_writer_open(&c->writer, c->output, &wo, err) : TACHO_ENOMEM;
	if (r < 0)
		goto fail;
	r = ring_session_create(&c->session, options->session, &options->ring, err);
	if (r == 0) {
		r = ring_session_set_output(&c->session, c->output, options->force, err);
		if (r < 0)
			ring_session_remove(&c->session);
	}
	if (r < 0) {
		remove_part(c);
		goto fail;
	}
	watch_session(c);
	add_properties(c->writer);
	part_set_session(c);
	take_clock(c);
	/* From here on a killed recorder can be taken over. */
	checkpoint(c);
	*result = c;
	return 0;
fail:
	capture_free(c);
	return r;
}

int capture_resume(struct capture **result, const char *session,
		   const struct capture_options *options, struct tacho_error *err)
{
	struct trace_writer_options wo = writer_options(options);
	struct capture *c = capture_new();
	const void *state = NULL;
	size_t len = 0;
	int r;

	if (!c)
		return TACHO_ENOMEM;
	r = ring_session_adopt(&c->session, session, err);
	if (r < 0)
		goto fail;
	c->output = strndup(options->output ? options->output : c->session.control->output,
			    sizeof(c->session.control->output) - 1);
	r = c->output ? part_take_over(c, &wo.force, err) : TACHO_ENOMEM;
	if (r == 0)
		r = trace_writer_resume(&c->writer, c->output, &wo, &state, &len, err);
	if (r == TACHO_ENO) {
		/* Nothing of it is in a file: all is in the rings. */
		r = trace_writer_open(&c->writer, c->output, &wo, err);
		if (r == 0) {
			add_properties(c->writer);
			part_set_session(c);
		}
	}
	if (r < 0)
		goto fail;
	r = ring_session_set_output(&c->session, c->output, wo.force, err);
	if (r < 0) {
		trace_writer_abandon(c->writer);
		goto fail;
	}
	watch_session(c);
	take_clock(c);
	r = len ? state_load(c, state, len, err) : 0;
	if (r < 0) {
		trace_writer_abandon(c->writer);
		goto fail;
	}
	*result = c;
	return 0;
fail:
	capture_free(c);
	return r;
}

const char *capture_output(const struct capture *c)
{
	return c->output;
}

const char *capture_session(const struct capture *c)
{
	return c->session.dir;
}

void capture_start(struct capture *c)
{
	ring_session_start(&c->session);
}

void capture_stop(struct capture *c)
{
	ring_session_stop(&c->session);
}

int capture_attach(struct capture *c, uint32_t pid, struct tacho_error *err)
{
	return ring_session_attach(&c->session, pid, err);
}

int capture_property(struct capture *c, const char *key, const char *value)
{
	return trace_set_property(c->writer, key, value);
}

size_t capture_alive(struct capture *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->processes.n; i++)
		n += c->processes.v[i]->ring && !c->processes.v[i]->ended &&
		     ring_is_alive(c->processes.v[i]->ring);
	return n;
}

unsigned capture_attached_alive(const struct capture *c)
{
	return ring_session_attached_alive(&c->session);
}

void capture_exit_status(struct capture *c, uint32_t pid, int status)
{
	for (size_t i = c->processes.n; i-- > 0;) {
		struct process *p = c->processes.v[i];

		if (p->info.pid != pid)
			continue;
		p->info.exit_status = status;
		trace_update_process(c->writer, p->id, &p->info);
		return;
	}
}

void capture_summary(const struct capture *c, struct capture_summary *summary)
{
	*summary = c->sum;
	summary->zones = trace_writer_zones(c->writer);
	summary->bytes = trace_writer_written(c->writer);
	summary->failed += atomic_load(&c->session.control->joins_failed);
}

/* All that the rings hold goes to the trace; processes that live on are cut off here. */
static void drain(struct capture *c)
{
	struct tacho_error err;
	struct timespec pause = {0, 2000000};
	bool alive = false;

	for (size_t i = 0; i < c->processes.n; i++) {
		struct process *p = c->processes.v[i];

		if (!p->ring)
			continue;
		set_last(p);
		alive |= ring_is_alive(p->ring);
	}
	/* A thread that was in the middle of an event when recording stopped commits it now. */
	if (alive)
		nanosleep(&pause, NULL);
	c->scan = true;
	while (capture_round(c, &err) > 0)
		;
	for (size_t i = 0; i < c->processes.n && !c->error; i++) {
		struct process *p = c->processes.v[i];

		if (!p->ring || p->finished)
			continue;
		set_last(p);
		ring_set_dead(p->ring);
		while (c->horizon = clock_ticks(), read_last(c, p))
			hold_flush(c, c->horizon);
		finish_threads(c, p);
		hold_flush(c, UINT64_MAX);
		process_end(c, p);
	}
	hold_flush(c, UINT64_MAX);
	take_clock(c);
}

int capture_finish(struct capture *c, bool keep_session, struct capture_summary *summary,
		   struct tacho_error *err)
{
	int r;

	ring_session_stop(&c->session);
	if (!c->error)
		drain(c);
	tracy_finish(c);
	if (!c->error)
		checkpoint(c);
	capture_summary(c, summary);
	if (c->error) {
		r = failed(c, err);
		trace_writer_abandon(c->writer);
	} else {
		r = trace_writer_close(c->writer, err);
	}
	if (!keep_session)
		ring_session_remove(&c->session);
	capture_free(c);
	return r;
}

void capture_abandon(struct capture *c)
{
	tracy_hub_close(c->hub);
	ring_session_stop(&c->session);
	remove_part(c);
	ring_session_remove(&c->session);
	capture_free(c);
}
