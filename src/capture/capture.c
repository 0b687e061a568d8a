/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder: drains every ring of a session into a trace, with checkpoints. */
#include "base/environ.h"
#include "base/now.h"
#include "capture/private.h"
#include "clock/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define CHECKPOINT_BYTES (8u << 20)
#define CHECKPOINT_NS    1000000000ull
#define FOLLOWED_NS      (RING_FOLLOW_MS * 1000000ull)
#define CLOCK_NS         1000000000ull
#define CLOCK_FIRST_NS   5000000ull /* to the second clock point: one alone gives no rate */
#define LONGEST_WAIT_MS  50
#define FOLLOWED_WAIT_MS 20
#define TRIM_NS          1000000000ull
#define SEAL_NS          20000000ull /* between two checks for seccomp filters, ... */
#define SEAL_PROCESSES   16          /* ... and as much for each further so many processes */
#define TRIM_NEAR_NS     20000000ull
#define FINISHED_MAX     64 /* ended processes whose rings are still open */

void capture_error(struct capture *c, int64_t code)
{
	if (!c->error)
		c->error = (int)code;
}

/* ----------------------------------------------------------- properties */

/*
 * Launchers number the processes of a job; the first that is set counts. Recordings with one boot
 * id have one tick clock.
 */
static void add_rank(struct trace_writer *w)
{
	static const char *const variables[][2] = {
		{"TACHO_RANK", "TACHO_WORLD_SIZE"},
		{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
		{"PMI_RANK", "PMI_SIZE"},
		{"SLURM_PROCID", "SLURM_NTASKS"},
		{"RANK", "WORLD_SIZE"},
	};
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	char boot[64] = "";

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *rank = environ_get(variables[i][0]);
		const char *world = environ_get(variables[i][1]);

		if (!rank || !*rank || rank[strspn(rank, "0123456789")] || strlen(rank) > 9)
			continue;
		trace_set_property(w, "rank", rank);
		if (world && *world)
			trace_set_property(w, "world size", world);
		break;
	}
	if (environ_get("TT_MESH_ID"))
		trace_set_property(w, "mesh id", environ_get("TT_MESH_ID"));
	if (f && fgets(boot, sizeof(boot), f)) {
		boot[strcspn(boot, "\n")] = 0;
		trace_set_property(w, "boot id", boot);
	}
	if (f)
		fclose(f);
}

static void add_properties(struct trace_writer *w)
{
	struct utsname u;
	char text[512], line[512], *value;
	FILE *f;

	if (uname(&u) == 0) {
		trace_set_property(w, "host", u.nodename);
		snprintf(text, sizeof(text), "%s %s %s", u.sysname, u.release, u.machine);
		trace_set_property(w, "system", text);
	}
	f = fopen("/proc/cpuinfo", "re");
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
	add_rank(w);
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
	c->clock_points++;
}

/* --------------------------------------------------------- checkpoints */

/* Skips unchanged tracks: of 100,000 fibers only a few may run. */
static void save_ledger(struct capture *c, struct stack *s)
{
	static const struct trace_ledger zero;

	if (!s->ledger.zones_emitted && !s->ledger.zones_lost)
		return;
	trace_add_ledger(c->writer, s->track, &s->ledger);
	s->ledger = zero;
}

static void save_ledgers(struct capture *c, struct process *p)
{
	struct ring_stream **streams;
	size_t count = 0;

	ring_streams(p->ring, &streams, &count);
	for (size_t i = 1; i < count; i++) {
		struct thread *t = ring_stream_user(streams[i]);

		if (t) {
			thread_report_late(c, t);
			save_ledger(c, &t->stack);
		}
	}
	for (size_t i = 0; i < p->fibers.n; i++) {
		struct stack *s = &p->fibers.v[i]->stack;

		save_ledger(c, s);
		if (!s->zones.n)
			vec_free(&s->zones); /* most of many fibers do not run again */
	}
}

/* Releases the memory of ended threads, and the whole ring of an ended process. */
static void release_process(struct capture *c, struct process *p)
{
	struct ring_stream **streams;
	size_t count;

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
		if (!c->keep)
			ring_release(p->ring);
		return;
	}
	bound_remove_ring(c, p->ring);
	p->ring = NULL;
	process_clear(p);
}

int capture_checkpoint(struct capture *c)
{
	struct buf state = BUF_INIT;
	int r;

	if (c->clock_points < 2 && now_ns() - c->last_clock >= CLOCK_FIRST_NS)
		take_clock(c);
	follow_report_open(c); /* even without followers: a new one begins with this checkpoint */
	for (size_t i = 0; i < c->live.n; i++)
		save_ledgers(c, c->live.v[i]);
	for (uint32_t i = 0; i < c->ledgers.n; i++) {
		if (c->ledgers.v[i].rows_emitted)
			trace_add_ledger(c->writer, i, &c->ledgers.v[i]);
		c->ledgers.v[i] = (struct trace_ledger){0};
	}
	tracy_checkpoint(c);
	absent_collect(c);
	r = state_save(c, &state);
	if (r == 0)
		r = trace_checkpoint(c->writer, state.data, state.len);
	buf_free(&state);
	if (r < 0) {
		capture_error(c, r);
		return r;
	}
	c->saved = trace_writer_zones(c->writer);
	if (c->followed)
		ring_session_written(&c->session);
	if (!c->keep)
		absent_release(c);
	size_t kept = 0;

	for (size_t i = 0; i < c->live.n; i++) {
		release_process(c, c->live.v[i]);
		if (c->live.v[i]->ring)
			c->live.v[kept++] = c->live.v[i];
	}
	c->live.n = kept;
	c->finished = 0;
	c->unreleased = 0;
	c->last_checkpoint = now_ns();
	c->since_checkpoint = 0;
	return 0;
}

/*
 * A checkpoint's state includes all held rows, and the trace stores them again when they are
 * released. So a checkpoint waits while much is held and the programs have ring memory left: the
 * next rounds read the events that the held rows wait for.
 */
static bool checkpoint_is_due(const struct capture *c)
{
	if (!c->since_checkpoint || (!hold_is_small(c) && c->unreleased < 2 * c->checkpoint_bytes))
		return false;
	if (c->keep) /* no ring memory depends on it */
		return trace_writer_buffered(c->writer) >= 2 * CHECKPOINT_BYTES;
	if (absent_is_many(c))
		return true;
	/* Each holds descriptors that others may be waiting for. */
	if (c->finished >= FINISHED_MAX || (c->finished && c->not_ready.n))
		return true;
	return c->unreleased >= c->checkpoint_bytes ||
	       trace_writer_buffered(c->writer) >= 2 * CHECKPOINT_BYTES ||
	       now_ns() - c->last_checkpoint >= (c->followed ? FOLLOWED_NS : CHECKPOINT_NS);
}

static int capture_fail(struct capture *c, struct tacho_error *err)
{
	const char *text = trace_writer_error(c->writer);

	if (*text)
		return err_set(err, c->error, "%s", text);
	return err_set(err, c->error, "%s.part: %s", c->output, err_text(c->error));
}

/*
 * Trims a process to its idle allowance after a burst. When the session's memory runs short, other
 * processes wait for the free memory of this one.
 */
static void capture_trim(struct capture *c)
{
	bool near = bound_is_near(c);
	uint64_t keep = bound_keep(c);

	if (c->keep || now_ns() - c->last_trim < (near ? TRIM_NEAR_NS : TRIM_NS))
		return;
	c->last_trim = now_ns();
	for (size_t i = 0; i < c->live.n; i++) {
		struct process *p = c->live.v[i];

		if (near || !p->read)
			ring_pool_give(&c->session, ring_trim(p->ring, keep));
		p->read = 0;
	}
}

/* Programs that have begun to filter their system calls: see src/client/seal.c. */
static void seal_filtered(struct capture *c)
{
	uint64_t now = now_ns();

	if (c->keep || now - c->last_seal < SEAL_NS * (1 + c->live.n / SEAL_PROCESSES))
		return;
	c->last_seal = now;
	for (size_t i = 0; i < c->live.n; i++)
		if (!c->live.v[i]->ended)
			ring_seal(c->live.v[i]->ring);
}

static size_t round_read(struct capture *c, struct process *p)
{
	uint64_t before = ring_unreleased(p->ring);
	size_t n = process_read(c, p);

	c->since_checkpoint += n;
	c->unreleased += ring_unreleased(p->ring) - before;
	return n;
}

int64_t capture_round(struct capture *c, struct tacho_error *err)
{
	int64_t total = 0;
	unsigned longest;
	size_t n;

	c->followed = ring_session_followed(&c->session);
	longest = c->followed ? FOLLOWED_WAIT_MS : LONGEST_WAIT_MS;
	bound_find_rings(c);
	seal_filtered(c);
	c->since_checkpoint += absent_is_new(c);
	c->horizon = c->now = clock_ticks();
	/*
	 * Rows from after the start of the round would have to be held: leave them to the next
	 * round.
	 */
	c->until = c->now;
	c->sliced = c->slice && c->flushed + c->slice < c->now;
	if (c->sliced)
		c->until = c->flushed + c->slice;
	for (size_t i = 0; i < c->live.n && !c->error; i++) {
		struct process *p = c->live.v[i];

		if (p->ended)
			continue;
		n = round_read(c, p);
		total += (int64_t)n;
		if (n && hold_is_small(c) && checkpoint_is_due(c)) {
			capture_checkpoint(c);
			while (i >= c->live.n || c->live.v[i] != p)
				i--; /* it removes only processes before P */
		}
	}
	hold_flush(c, c->horizon);
	n = tracy_round(c);
	total += (int64_t)n;
	c->since_checkpoint += n;
	n = sampling_round(c);
	total += (int64_t)n;
	c->since_checkpoint += n;
	for (size_t i = 0; i < c->live.n; i++) {
		struct process *p = c->live.v[i];

		/* In the round after its death, all its held rows are in the trace. */
		if (p->ended && !p->finished && p->info.end + AHEAD_TICKS < c->horizon)
			process_end(c, p);
	}
	if (now_ns() - c->last_clock >= CLOCK_NS)
		take_clock(c);
	capture_trim(c);
	if (checkpoint_is_due(c))
		capture_checkpoint(c);
	c->wait_ms = total > 4096 || c->sliced ? 0 : total ? 1 : c->wait_ms ? c->wait_ms * 2 : 1;
	if (c->wait_ms > longest)
		c->wait_ms = longest;
	return c->error ? capture_fail(c, err) : total;
}

void capture_wait(struct capture *c)
{
	if (c->wait_ms)
		ring_session_wait(&c->session, c->wait_ms);
}

/* ------------------------------------------------------ open and finish */

struct capture *capture_new(void)
{
	struct capture *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	ring_session_init(&c->session);
	c->texts = (struct buf)BUF_INIT;
	c->watch = -1;
	c->scan = true;
	c->absent.others = TRACE_NONE;
	c->last_checkpoint = now_ns();
	return c;
}

void capture_free(struct capture *c)
{
	sampling_free(c);
	stacks_close(c);
	for (size_t i = 0; i < c->processes.n; i++)
		process_free(c->processes.v[i]);
	for (size_t i = 0; i < c->not_ready.n; i++)
		free(c->not_ready.v[i]);
	absent_free(c);
	vec_free(&c->processes);
	vec_free(&c->live);
	vec_free(&c->not_ready);
	vec_free(&c->held);
	vec_free(&c->ledgers);
	vec_free(&c->open_zones);
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
	char folder[40];

	c->watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	/* Through the open folder: its path may lead to another one by now. */
	snprintf(folder, sizeof(folder), "/proc/self/fd/%d", c->session.folder.fd);
	if (c->watch >= 0 && inotify_add_watch(c->watch, folder, IN_CREATE) < 0) {
		close(c->watch);
		c->watch = -1;
	}
	c->checkpoint_bytes = (uint64_t)limit << 18; /* a quarter of a process's limit */
	if (c->checkpoint_bytes > c->session.pool.limit / 4)
		c->checkpoint_bytes = c->session.pool.limit / 4;
	if (c->checkpoint_bytes > CHECKPOINT_BYTES)
		c->checkpoint_bytes = CHECKPOINT_BYTES;
}

static struct trace_writer_options writer_options(const struct capture_options *o)
{
	return (struct trace_writer_options){.force = o->force, .durable = o->durable};
}

static void remove_unfinished(const struct capture *c)
{
	char *part;

	if (asprintf(&part, "%s%s", c->output, c->keep ? KEEP_SUFFIX : ".part") < 0)
		return;
	unlink(part);
	free(part);
}

static void capture_part_remove(struct capture *c)
{
	trace_writer_abandon(c->writer);
	remove_unfinished(c);
}

/* Opens the requested session, or a new one in the user's place. */
static int make_session(struct capture *c, const struct capture_options *options,
			struct tacho_error *err)
{
	int r = ring_session_create(&c->session, options->session, &options->ring, err);
	struct tacho_error why;

	if (r == 0 || !options->session || !options->fall_back)
		return r;
	why = *err;
	r = ring_session_create(&c->session, NULL, &options->ring, err);
	if (r == 0)
		snprintf(c->session.note, sizeof(c->session.note), "%s; the session is in %s",
			 why.text, c->session.dir);
	return r;
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
	r = make_session(c, options, err) < 0 ? TACHO_ENO : 0;
	if (r == 0) {
		r = ring_session_set_output(&c->session, c->output, err);
		if (r < 0)
			ring_session_remove(&c->session);
	}
	if (r < 0) {
		capture_part_remove(c);
		goto fail;
	}
	watch_session(c);
	add_properties(c->writer);
	part_set_session(c);
	take_clock(c);
	/* From here on another recorder can take over if this one is killed. */
	capture_checkpoint(c);
	*result = c;
	return 0;
fail:
	capture_free(c);
	return r;
}

/* True if PATH is a file but not a trace, so no session is meant. */
static bool is_other_file(const char *path)
{
	struct trace *t;
	int r = trace_open(&t, path, NULL);

	if (r == 0)
		trace_close(t);
	return r < 0 && r != TACHO_EDAMAGED && access(path, F_OK) == 0;
}

/*
 * The path for the trace of an adopted session: see struct capture_options. OLD: the session's own.
 */
static int choose_output(struct capture *c, const struct capture_options *options, const char *old,
			 struct tacho_error *err)
{
	if (options->output)
		c->output = strdup(options->output);
	else if (old[0] != '/')
		return err_set(err, TACHO_EUSAGE, "%s: -o FILE must say where the trace goes",
			       c->session.dir);
	else if (!options->force)
		return err_set(err, TACHO_EUSAGE,
			       "the session was writing %s: -f writes there, -o FILE elsewhere",
			       old);
	else if (is_other_file(old))
		return err_set(
			err, TACHO_EEXISTS,
			"the session was writing %s, which is not a trace: -o FILE elsewhere", old);
	else
		c->output = strdup(old);
	return c->output ? 0 : err_set(err, TACHO_ENOMEM, "out of memory");
}

/* Opens the trace to continue, or creates one if the session has no file yet. */
static int resume_writer(struct capture *c, const char *old,
			 const struct trace_writer_options *options, const void **state,
			 size_t *len, struct tacho_error *err)
{
	bool saved = false;
	int r = part_take_over(c, old, options->force, &saved, err);

	if (r == 0 && saved) {
		if (!c->keep)
			ring_session_remove(&c->session);
		return err_set(err, TACHO_ENO, "%s is complete", old);
	}
	if (r == 0)
		r = trace_writer_resume(&c->writer, c->output, options, state, len, err);
	if (r != TACHO_ENO)
		return r;
	r = trace_writer_open(&c->writer, c->output, options, err);
	if (r == 0) {
		add_properties(c->writer);
		part_set_session(c);
	}
	return r;
}

int capture_resume(struct capture **result, const char *session,
		   const struct capture_options *options, struct tacho_error *err)
{
	struct trace_writer_options wo = writer_options(options);
	struct capture *c = capture_new();
	const void *state = NULL;
	char old[RING_PATH], part[RING_PATH + 32];
	size_t len = 0;
	int r;

	if (!c)
		return TACHO_ENOMEM;
	c->keep = options->keep;
	if (c->keep)
		wo.suffix = KEEP_SUFFIX;
	r = ring_session_adopt(&c->session, session, c->keep, err);
	if (r < 0)
		goto fail;
	snprintf(old, sizeof(old), "%.*s", (int)sizeof(old) - 1, c->session.control->output);
	r = choose_output(c, options, old, err);
	if (r == 0)
		r = resume_writer(c, old, &wo, &state, &len, err);
	if (r < 0)
		goto fail;
	if (!c->keep)
		r = ring_session_set_output(&c->session, c->output, err);
	if (r == 0) {
		watch_session(c);
		take_clock(c);
		r = len ? state_load(c, state, len, err) : 0;
	}
	if (r == 0) {
		snprintf(part, sizeof(part), "%s%s", c->output, wo.suffix ? wo.suffix : ".part");
		r = stacks_read_again(c, part);
		if (r < 0)
			err_set(err, r, "%s: its call stacks cannot be read", part);
	}
	if (r < 0) {
		trace_writer_abandon(c->writer);
		goto fail;
	}
	c->saved = trace_writer_zones(c->writer);
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

const char *capture_note(const struct capture *c)
{
	return c->session.note;
}

void capture_give_up(struct capture *c)
{
	if (c->keep)
		return;
	ring_session_stop(&c->session);
	ring_session_unlock(&c->session);
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

	for (size_t i = 0; i < c->live.n; i++)
		n += !c->live.v[i]->ended && ring_is_alive(c->live.v[i]->ring);
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
	sampling_exit_status(c, pid, status);
}

void capture_summary(const struct capture *c, struct capture_summary *summary)
{
	*summary = c->sum;
	summary->zones = trace_writer_zones(c->writer);
	summary->bytes = trace_writer_written(c->writer);
	summary->saved = c->saved;
	summary->rings = 0;
	for (size_t i = 0; i < c->processes.n; i++)
		if (c->processes.v[i]->ring)
			summary->rings += ring_bytes(c->processes.v[i]->ring);
	absent_summary(c, summary);
}

/* Drain all open rings into the trace; processes still running are cut off here. */
static void drain_open(struct capture *c)
{
	struct tacho_error err;
	struct timespec pause = {0, 2000000};
	bool alive = false;

	for (size_t i = 0; i < c->live.n; i++) {
		process_set_last(c->live.v[i]);
		alive |= ring_is_alive(c->live.v[i]->ring);
	}
	/* A thread that was in the middle of an event when recording stopped can commit it now. */
	if (alive)
		nanosleep(&pause, NULL);
	c->scan = true;
	while (capture_round(c, &err) > 0)
		;
	for (size_t i = 0; i < c->live.n && !c->error; i++) {
		struct process *p = c->live.v[i];

		if (p->finished)
			continue;
		process_set_last(p);
		ring_set_dead(p->ring);
		c->until = UINT64_MAX;
		while (c->horizon = clock_ticks(), process_read_last(c, p))
			hold_flush(c, c->horizon);
		process_finish_threads(c, p);
		hold_flush(c, UINT64_MAX);
		process_end(c, p);
	}
	hold_flush(c, UINT64_MAX);
}

/* Processes that found no descriptor get one when others have been read and closed. */
void capture_drain(struct capture *c)
{
	uint64_t before;

	do {
		before = c->sum.processes;
		drain_open(c);
		if (c->no_room && !c->error) {
			capture_checkpoint(c);
			capture_find_rings(c);
		}
	} while (c->sum.processes > before && !c->error);
	for (size_t i = 0; i < c->not_ready.n && i < c->no_room; i++)
		absent_add(c, process_pid_named(c->not_ready.v[i]), TRACE_ABSENT_RECORDER, EMFILE,
			   "");
	take_clock(c);
}

/* True if the trace is unfinished and still has its temporary name. */
static bool is_unfinished(const struct capture *c)
{
	bool found;
	char *part;

	if (asprintf(&part, "%s.part", c->output) < 0)
		return true;
	found = access(part, F_OK) == 0;
	free(part);
	return found;
}

int capture_finish(struct capture *c, struct capture_summary *summary, struct tacho_error *err)
{
	bool gave_up = c->error; /* another recorder may have the session now */
	int r;

	if (!gave_up && !c->keep)
		ring_session_stop(&c->session);
	if (!gave_up)
		capture_drain(c);
	tracy_finish(c);
	if (!gave_up)
		sampling_finish(c);
	if (!gave_up)
		stacks_finish(c);
	if (!c->error)
		capture_checkpoint(c);
	capture_summary(c, summary);
	if (c->error) {
		r = capture_fail(c, err);
		trace_writer_abandon(c->writer);
	} else {
		r = trace_writer_close(c->writer, err);
	}
	if (c->keep && r < 0)
		remove_unfinished(c); /* it has no data of its own */
	/* Remove the rings only after the trace is complete on disk. */
	if (!c->keep && (r == 0 || (!c->error && !is_unfinished(c))))
		ring_session_remove(&c->session);
	capture_free(c);
	return r;
}

void capture_abandon(struct capture *c)
{
	tracy_hub_close(c->hub);
	ring_session_stop(&c->session);
	capture_part_remove(c);
	ring_session_remove(&c->session);
	capture_free(c);
}
