/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The viewer's locks against a replay of random traffic, tick by tick: many threads, exclusive and
 * shared holds, threads that take the lock again, releases that are recorded late, waits that were
 * given up. The threads are in zones meanwhile, so that each wait is a part of somebody's self
 * time.
 */
#include "base/jread.h"
#include "trace_tools.h"
#include "view_ask.h"

#define THREADS 7u
#define END     3000u
#define START   1000u /* the tick at which the trace begins */
#define NAMES   4u
#define DEPTHS  3u

enum state { IDLE, WAITS_ALONE, WAITS_SHARED, HOLDS_ALONE, HOLDS_SHARED };

struct traffic {
	struct trace_writer *w;
	uint64_t seed, now;
	bool timeouts;  /* waits are given up */
	unsigned spans; /* looked at */
	enum state state[THREADS];
	unsigned depth[THREADS];
	unsigned late[THREADS]; /* releases that are recorded at the thread's next turn */
	bool late_shared[THREADS];
	uint64_t since[THREADS];
	bool waited[THREADS][END]; /* of waits that have ended */
	struct {
		uint32_t name, depth;
		uint64_t start;
	} inside[THREADS][END]; /* the innermost zone */
	bool waits[THREADS][END], holds[THREADS][END], shared[THREADS][END]; /* the truth */
};

static void event_write(struct traffic *t, unsigned thread, enum trace_lock_op op)
{
	struct trace_row row = {.kind = TRACE_ROW_LOCK,
				.time = START + t->now,
				.thread = thread,
				.a = op,
				.b = TRACE_NONE,
				.text = ""};

	assert_int_equal(trace_add_row(t->w, THREADS, &row), 0);
}

static bool lock_is_free(const struct traffic *t, bool shared)
{
	for (unsigned i = 0; i < THREADS; i++)
		if (t->state[i] == HOLDS_ALONE || (!shared && t->state[i] == HOLDS_SHARED))
			return false;
	return true;
}

static void wait_mark(struct traffic *t, unsigned i)
{
	for (uint64_t k = t->since[i]; k < t->now; k++)
		t->waits[i][k] = t->waited[i][k] = true;
}

static void thread_obtain(struct traffic *t, unsigned i, bool shared)
{
	if (t->state[i] == WAITS_ALONE || t->state[i] == WAITS_SHARED)
		wait_mark(t, i);
	event_write(t, i, shared ? TRACE_LOCK_OBTAIN_SHARED : TRACE_LOCK_OBTAIN);
	t->state[i] = shared ? HOLDS_SHARED : HOLDS_ALONE;
	t->depth[i] = 1;
	t->since[i] = t->now;
}

/* Its record may come later, when others hold the lock. */
static void thread_release(struct traffic *t, unsigned i)
{
	bool shared = t->state[i] == HOLDS_SHARED, late = test_random(&t->seed) % 3 == 0;
	bool wanted = false;

	for (unsigned k = 0; k < THREADS; k++)
		wanted |= t->state[k] == WAITS_ALONE;
	for (uint64_t k = t->since[i]; k < t->now; k++) {
		t->holds[i][k] = true;
		t->shared[i][k] = shared;
	}
	t->state[i] = IDLE;
	if (late && wanted && lock_is_free(t, false)) {
		/* One that waits has it at this very tick. */
		for (unsigned k = 0; k < THREADS; k++)
			if (t->state[k] == WAITS_ALONE) {
				thread_obtain(t, k, false);
				break;
			}
		t->late[i] = t->depth[i];
		t->late_shared[i] = shared;
		return;
	}
	for (; t->depth[i]; t->depth[i]--)
		event_write(t, i, shared ? TRACE_LOCK_RELEASE_SHARED : TRACE_LOCK_RELEASE);
}

static void thread_ask(struct traffic *t, unsigned i)
{
	bool shared = test_random(&t->seed) % 2;

	event_write(t, i, shared ? TRACE_LOCK_WAIT_SHARED : TRACE_LOCK_WAIT);
	t->state[i] = shared ? WAITS_SHARED : WAITS_ALONE;
	t->since[i] = t->now;
}

static void thread_turn(struct traffic *t, unsigned i)
{
	bool shared = t->state[i] == WAITS_SHARED || t->state[i] == HOLDS_SHARED;

	if (t->late[i]) {
		for (; t->late[i]; t->late[i]--)
			event_write(t, i,
				    t->late_shared[i] ? TRACE_LOCK_RELEASE_SHARED
						      : TRACE_LOCK_RELEASE);
		return;
	}
	switch (t->state[i]) {
	case IDLE:
		if (test_random(&t->seed) % 4)
			break;
		if (test_random(&t->seed) % 5 == 0 && lock_is_free(t, false))
			thread_obtain(t, i, false); /* a try that worked, without a wait */
		else
			thread_ask(t, i);
		break;
	case WAITS_ALONE:
	case WAITS_SHARED:
		if (lock_is_free(t, shared))
			thread_obtain(t, i, shared);
		else if (t->timeouts && test_random(&t->seed) % 20 == 0)
			thread_ask(t, i); /* the wait timed out; a new one */
		break;
	default:
		if (test_random(&t->seed) % 4 == 0 && t->depth[i] < 3) {
			event_write(t, i, shared ? TRACE_LOCK_OBTAIN_SHARED : TRACE_LOCK_OBTAIN);
			t->depth[i]++;
		} else if (test_random(&t->seed) % 2) {
			thread_release(t, i);
		}
	}
}

/* A zone of a thread in [FROM, TO), with others inside. */
static void zone_write(struct traffic *t, unsigned thread, uint32_t depth, uint64_t from,
		       uint64_t to)
{
	uint32_t name = (uint32_t)(test_random(&t->seed) % NAMES);
	uint64_t at = from, inside = 0;

	for (uint64_t k = from; k < to; k++) {
		t->inside[thread][k].name = name;
		t->inside[thread][k].depth = depth;
		t->inside[thread][k].start = from;
	}
	while (depth + 1 < DEPTHS) {
		uint64_t a = at + test_random(&t->seed) % 30,
			 b = a + 1 + test_random(&t->seed) % 80;

		if (b > to)
			break;
		zone_write(t, thread, depth + 1, a, b);
		inside += b - a;
		at = b;
	}
	trace_lane_add(t->w, trace_lane(t->w, thread, depth), START + from, START + to, name,
		       inside);
}

static void zones_write(struct traffic *t)
{
	char name[16];
	struct trace_srcloc loc = {.name = name, .function = "", .file = ""};

	for (uint32_t i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "%u", i);
		assert_int_equal(trace_add_srcloc(t->w, &loc), i);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		uint64_t from = 0, to;

		for (uint64_t k = 0; k < END; k++)
			t->inside[i][k].name = NAMES;
		for (; from < END; from = to + test_random(&t->seed) % 40) {
			to = from + 1 + test_random(&t->seed) % 400;
			if (to > END)
				break;
			zone_write(t, i, 0, from, to);
		}
	}
}

static void traffic_write(struct traffic *t, const char *path)
{
	struct trace_process p = {.pid = 1, .start = START, .name = "p", .command = "p"};

	t->w = test_writer(path);
	trace_set_property(t->w, "ticks per second", "1000000000");
	trace_add_process(t->w, &p);
	for (unsigned i = 0; i <= THREADS; i++) {
		struct trace_track track = {.kind = i < THREADS ? TRACE_THREAD : TRACE_LOCK,
					    .srcloc = TRACE_NONE,
					    .id = i,
					    .name = i < THREADS ? "thread" : "lock",
					    .format = 1};

		assert_int_equal(trace_add_track(t->w, &track), i);
	}
	zones_write(t);
	thread_ask(t, 0); /* the trace begins with it */
	for (t->now = 1; t->now < END; t->now += 1 + test_random(&t->seed) % 7)
		thread_turn(t, test_random(&t->seed) % THREADS);
	t->now = END;
	for (unsigned i = 0; i < THREADS; i++) { /* all of them end */
		if (t->state[i] == HOLDS_ALONE || t->state[i] == HOLDS_SHARED) {
			for (uint64_t k = t->since[i]; k < END; k++) {
				t->holds[i][k] = true;
				t->shared[i][k] = t->state[i] == HOLDS_SHARED;
			}
			while (t->depth[i]--)
				event_write(t, i, TRACE_LOCK_RELEASE);
		}
		if (t->state[i] == WAITS_ALONE || t->state[i] == WAITS_SHARED)
			for (uint64_t k = t->since[i]; k < END; k++)
				t->waits[i][k] = true;
	}
	event_write(t, 0, TRACE_LOCK_END); /* the trace ends with it */
	assert_int_equal(trace_writer_close(t->w, NULL), 0);
}

/* --------------------------------------------------------------- questions */

struct asked {
	struct view *view;
	struct view_answer reply;
	struct jread reader;
	const struct jread_value *answer;
};

static int target_ask(struct asked *a, const char *target)
{
	buf_free(&a->reply.body);
	view_ask_text(a->view, target, &a->reply);
	a->answer = jread_parse(&a->reader, a->reply.body.data, a->reply.body.len, NULL);
	return a->reply.status;
}

static int lock_ask(struct asked *a, const char *what)
{
	char target[200];

	snprintf(target, sizeof(target), "lock?track=%u%s", THREADS, what);
	return target_ask(a, target);
}

static uint64_t json_number(const struct jread_value *v, const char *key)
{
	double d = jread_double(jread_get(v, key));

	return d >= 0 ? (uint64_t)(d + 0.5) : UINT64_MAX;
}

/* The longest run of truth at T in the rows of threads: its thread, start and length. */
static uint64_t longest_at(bool truth[THREADS][END], uint64_t t)
{
	uint64_t longest = 0;

	for (unsigned i = 0; i < THREADS; i++) {
		uint64_t from = t, to = t;

		while (truth[i][t] && from && truth[i][from - 1])
			from--;
		while (to < END && truth[i][to])
			to++;
		if (truth[i][t] && to - from > longest)
			longest = to - from;
	}
	return longest;
}

/* What the server says of a wait: whose it is, and who held the lock for how much of it. */
static void wait_is_right(const struct traffic *t, const struct jread_value *wait)
{
	uint64_t from = json_number(wait, "start"), to = from + json_number(wait, "duration");
	unsigned thread = (unsigned)json_number(wait, "thread");
	uint64_t held[THREADS] = {0}, last = UINT64_MAX;

	for (uint64_t k = from; k < to; k++) {
		assert_true(t->waits[thread][k]);
		for (unsigned i = 0; i < THREADS; i++)
			held[i] += t->holds[i][k];
	}
	assert_int_equal(held[thread], 0);
	for (const struct jread_value *h = jread_get(wait, "holders")->first; h; h = h->next) {
		unsigned by = (unsigned)json_number(h, "thread");

		if (last == UINT64_MAX)
			assert_int_equal(by, json_number(wait, "holder"));
		assert_true(json_number(h, "held") <= last);
		assert_int_equal(json_number(h, "held"), held[by]);
		last = json_number(h, "held");
		held[by] = 0;
	}
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(held[i], 0);
}

/* All spans of a lane are what the truth says, and nothing is missing. */
static void lane_is_right(struct traffic *t, struct asked *a, unsigned row, unsigned thread,
			  bool waits)
{
	static bool seen[END];
	unsigned spans = 0;
	char what[100];

	memset(seen, 0, sizeof(seen));
	for (unsigned i = 0;; i++) {
		snprintf(what, sizeof(what), "&lane=%u&idx=%u", 2 * row + waits, i);
		if (lock_ask(a, what) != VIEW_OK) {
			if (i >= UINT32_MAX - 1)
				break;
			i = UINT32_MAX - 1; /* the open one */
			continue;
		}
		spans++;
		for (uint64_t k = json_number(a->answer, "start");
		     k < json_number(a->answer, "end"); k++)
			seen[k] = true;
		if (row == 0)
			assert_int_equal(jread_get(a->answer, "thread")->type, JREAD_NULL);
		else if (waits)
			wait_is_right(t, a->answer);
		if (i == UINT32_MAX)
			break;
	}
	assert_true(spans > 0);
	t->spans += spans;
	for (uint64_t k = 0; k < END; k++) {
		bool any = false;

		for (unsigned i = 0; i < THREADS; i++)
			if (row == 0 || i == thread)
				any |= waits ? t->waits[i][k] : t->holds[i][k];
		assert_true(seen[k] == any || (row == 0 && waits && t->timeouts && seen[k]));
	}
}

/* A point on the row of all threads gives the longest span of a thread there. */
static void points_are_right(struct traffic *t, struct asked *a, bool waits)
{
	char what[100];

	for (uint64_t at = 0; at < END; at += 3) {
		uint64_t longest = longest_at(waits ? t->waits : t->holds, at);

		snprintf(what, sizeof(what), "&lane=%u&t=%u", waits, (unsigned)at);
		assert_int_equal(lock_ask(a, what), VIEW_OK);
		if (!longest) {
			assert_int_equal(jread_get(a->answer, "idx")->type, JREAD_NULL);
			continue;
		}
		assert_true(json_number(a->answer, "lane") >= 2);
		assert_true(json_number(a->answer, "start") <= at &&
			    json_number(a->answer, "end") > at);
		/* Holds of one thread that touch are one run of the truth. */
		assert_true(json_number(a->answer, "duration") <= longest);
		if (waits)
			wait_is_right(t, a->answer);
	}
}

/* Self time and lock waits of zones that start in [T0, T1), by name. */
static void stats_are_right(const struct traffic *t, struct asked *a, uint64_t t0, uint64_t t1)
{
	uint64_t self[NAMES] = {0}, wait[NAMES] = {0};
	char target[100];

	for (unsigned i = 0; i < THREADS; i++)
		for (uint64_t k = 0; k < END; k++) {
			uint32_t name = t->inside[i][k].name;

			if (name == NAMES || t->inside[i][k].start < t0 ||
			    t->inside[i][k].start >= t1)
				continue;
			*(t->waited[i][k] ? &wait[name] : &self[name]) += 1;
		}
	snprintf(target, sizeof(target), "stats?t0=%u&t1=%u", (unsigned)t0, (unsigned)t1);
	assert_int_equal(target_ask(a, target), VIEW_OK);
	for (const struct jread_value *r = jread_get(a->answer, "rows")->first; r; r = r->next) {
		uint64_t name = json_number(r, "name");

		assert_int_equal(json_number(r, "self"), self[name]);
		assert_int_equal(json_number(r, "wait"), wait[name]);
		self[name] = wait[name] = 0;
	}
	for (unsigned i = 0; i < NAMES; i++)
		assert_int_equal(self[i] + wait[i], 0);
}

/* The same of single zones. */
static void zones_are_right(const struct traffic *t, struct asked *a)
{
	char target[100];

	for (unsigned lane = 0; lane < THREADS * DEPTHS; lane++)
		for (unsigned idx = 0; idx < 5; idx++) {
			uint64_t wait = 0, start, thread, depth;

			snprintf(target, sizeof(target), "zone?lane=%u&idx=%u", lane, idx);
			if (target_ask(a, target) != VIEW_OK)
				continue;
			start = json_number(a->answer, "start");
			thread = json_number(a->answer, "track");
			depth = json_number(a->answer, "depth");
			for (uint64_t k = start; k < json_number(a->answer, "end"); k++)
				wait += t->inside[thread][k].depth == depth && t->waited[thread][k];
			assert_int_equal(json_number(a->answer, "wait"), wait);
		}
}

static void traffic_try(uint64_t seed, bool timeouts)
{
	static struct traffic t;
	const char *path = test_path("locks.tacho");
	struct view_options options = {0};
	struct asked a = {0};
	unsigned row = 1;

	t = (struct traffic){.seed = seed, .timeouts = timeouts};
	traffic_write(&t, path);
	assert_int_equal(view_open(&a.view, &options, NULL), 0);
	assert_int_equal(view_add(a.view, path, NULL), 0);
	points_are_right(&t, &a, true);
	points_are_right(&t, &a, false);
	stats_are_right(&t, &a, 0, END + 1);
	for (uint64_t at = 0; at < END; at += 500)
		stats_are_right(&t, &a, at, at + 700);
	zones_are_right(&t, &a);
	for (unsigned thread[THREADS + 1], n = 0; n <= THREADS; n++) {
		if (n == 0) {
			assert_int_equal(lock_ask(&a, ""), VIEW_OK);
			assert_int_equal(json_number(a.answer, "threads"), THREADS);
			for (const struct jread_value *r = jread_get(a.answer, "rows")->first; r;
			     r = r->next)
				thread[row++ - 1] = jread_get(r, "thread")->type == JREAD_NULL
							    ? 0
							    : (unsigned)json_number(r, "thread");
		}
		lane_is_right(&t, &a, n, thread[n], true);
		lane_is_right(&t, &a, n, thread[n], false);
	}
	assert_true(t.spans > 100);
	jread_free(&a.reader);
	buf_free(&a.reply.body);
	view_close(a.view);
	unlink(path);
}

static void test_locks(void **state)
{
	(void)state;
	setenv("XDG_CACHE_HOME", test_path("cache"), 1);
	for (uint64_t seed = 1; seed <= 8; seed++)
		traffic_try(seed * 7919, seed % 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_locks)};
	int r = cmocka_run_group_tests(tests, NULL, NULL);

	test_cleanup();
	return r;
}
