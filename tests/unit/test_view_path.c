/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Critical paths against a replay of random traffic, tick by tick: threads that hold two locks and
 * wait for them, in zones and states. And a path from host to device and back that is known.
 */
#include "base/jread.h"
#include "trace_tools.h"
#include "view/path_facts.h"
#include "view_ask.h"

#define THREADS 4u
#define LOCKS   2u
#define END     3000u
#define START   1000u /* the tick at which the trace begins */
#define NAMES   4u
#define DEPTHS  3u
#define NONE    UINT32_MAX

/* The path in one tick. */
struct tick_truth {
	uint32_t kind, track, lock, name;
};

struct path_traffic {
	struct trace_writer *w;
	uint64_t seed;
	uint32_t waits[THREADS][END]; /* a lock */
	uint32_t holder[LOCKS][END];  /* a thread */
	uint8_t states[THREADS][END]; /* enum path_kind */
	uint32_t names[THREADS][END]; /* of the innermost zone */
	uint32_t wants[THREADS];      /* a lock that it waits for */
	bool holds[THREADS][LOCKS];
};

static void lock_event(struct path_traffic *t, uint32_t thread, uint32_t lock,
		       enum trace_lock_op what, uint64_t now)
{
	struct trace_row row = {.kind = TRACE_ROW_LOCK,
				.time = START + now,
				.thread = thread,
				.a = what,
				.b = TRACE_NONE,
				.text = ""};

	assert_int_equal(trace_add_row(t->w, THREADS + lock, &row), 0);
}

static uint32_t holder_of(const struct path_traffic *t, uint32_t lock)
{
	for (uint32_t i = 0; i < THREADS; i++)
		if (t->holds[i][lock])
			return i;
	return NONE;
}

/* Whoever holds lock 1 never asks for lock 0: there is no deadlock. */
static void thread_act(struct path_traffic *t, uint32_t i, uint64_t now)
{
	uint32_t lock = t->wants[i];

	if (lock != NONE) {
		if (holder_of(t, lock) != NONE)
			return;
		lock_event(t, i, lock, TRACE_LOCK_OBTAIN, now);
		t->holds[i][lock] = true;
		t->wants[i] = NONE;
	} else if (test_random(&t->seed) % 3 == 0) {
		lock = test_random(&t->seed) % LOCKS;
		if (t->holds[i][lock]) {
			lock_event(t, i, lock, TRACE_LOCK_RELEASE, now);
			t->holds[i][lock] = false;
		} else if (lock > 0 || !t->holds[i][1]) {
			lock_event(t, i, lock, TRACE_LOCK_WAIT, now);
			t->wants[i] = lock;
		}
	}
}

static void locks_write(struct path_traffic *t)
{
	for (uint32_t i = 0; i < THREADS; i++)
		t->wants[i] = NONE;
	for (uint64_t now = 0; now < END; now++) {
		if (now % 5 == 0)
			thread_act(t, test_random(&t->seed) % THREADS, now);
		for (uint32_t i = 0; i < THREADS; i++)
			t->waits[i][now] = t->wants[i];
		for (uint32_t i = 0; i < LOCKS; i++)
			t->holder[i][now] = holder_of(t, i);
	}
}

static void states_write(struct path_traffic *t, uint32_t thread)
{
	static const struct {
		uint8_t state, call, kind;
	} kinds[] = {{TRACE_STATE_RUNNING, 0, PATH_RUN},
		     {TRACE_STATE_RUNNABLE, 0, PATH_CPU},
		     {TRACE_STATE_BLOCKED, 231, PATH_SLEEP},
		     {TRACE_STATE_BLOCKED, 203, PATH_WAIT},
		     {TRACE_STATE_UNKNOWN, 0, PATH_RUN}};

	for (uint64_t from = 0, to; from < END; from = to) {
		unsigned k = from ? test_random(&t->seed) % 5 : 0; /* it is there at once */
		struct trace_row row = {.kind = TRACE_ROW_STATE,
					.time = START + from,
					.thread = TRACE_NONE,
					.b = TRACE_STATE(kinds[k].state, 0, kinds[k].call),
					.text = ""};

		to = from + 1 + test_random(&t->seed) % 60;
		to = to < END ? to : END;
		row.a = to - from;
		memset(t->states[thread] + from, kinds[k].kind, to - from);
		if (kinds[k].state != TRACE_STATE_UNKNOWN)
			assert_int_equal(trace_add_row(t->w, thread, &row), 0);
	}
	trace_add_row(t->w, thread,
		      &(struct trace_row){.kind = TRACE_ROW_STATE,
					  .time = START + END,
					  .thread = TRACE_NONE,
					  .b = TRACE_STATE(TRACE_STATE_RUNNING, 0, 0),
					  .text = ""});
}

static uint64_t zones_write(struct path_traffic *t, uint32_t thread, uint32_t depth, uint64_t from,
			    uint64_t to)
{
	uint64_t at = from, inside = 0;

	while (depth < DEPTHS) {
		uint64_t a = at + test_random(&t->seed) % 40,
			 b = a + 1 + test_random(&t->seed) % (depth ? 60 : 300);
		uint32_t name = test_random(&t->seed) % NAMES;
		uint64_t within;

		if (b > to)
			break;
		for (uint64_t k = a; k < b; k++)
			t->names[thread][k] = name;
		within = zones_write(t, thread, depth + 1, a, b);
		assert_int_equal(trace_lane_add_full(t->w, trace_lane(t->w, thread, depth),
						     START + a, START + b, name, within, 0, NULL,
						     0),
				 0);
		inside += b - a;
		at = b;
	}
	return inside;
}

static void traffic_write(struct path_traffic *t, const char *path)
{
	struct trace_track lock = {.kind = TRACE_LOCK, .srcloc = TRACE_NONE, .name = "lock"};

	t->w = test_writer(path);
	trace_set_property(t->w, "ticks per second", "1000000000");
	test_model(t->w, THREADS, NAMES);
	for (uint32_t i = 0; i < LOCKS; i++) {
		lock.id = i;
		assert_int_equal(trace_add_track(t->w, &lock), THREADS + i);
	}
	memset(t->names, 0xff, sizeof(t->names));
	for (uint32_t i = 0; i < THREADS; i++) {
		states_write(t, i);
		zones_write(t, i, 0, 0, END);
	}
	locks_write(t);
	test_close(t->w);
}

/* The path of a thread in one tick: the threads that hold the locks it waits for. */
static struct tick_truth truth_at(const struct path_traffic *t, uint32_t thread, uint64_t k)
{
	struct tick_truth truth = {.track = thread, .lock = NONE};
	bool asked[THREADS] = {0};

	for (;;) {
		uint32_t lock = t->waits[truth.track][k], by = NONE;

		truth.name = t->names[truth.track][k];
		truth.kind = t->states[truth.track][k];
		if (lock == NONE)
			return truth;
		by = t->holder[lock][k];
		asked[truth.track] = true;
		if (by == NONE || asked[by]) {
			truth.kind = PATH_LOCK;
			truth.lock = THREADS + lock;
			return truth;
		}
		truth.track = by;
		truth.lock = THREADS + lock;
	}
}

/* --------------------------------------------------------------- questions */

struct path_asked {
	struct view *view;
	struct view_answer reply;
	struct jread reader;
	const struct jread_value *answer;
};

static void path_ask(struct path_asked *a, const char *question)
{
	buf_free(&a->reply.body);
	if (view_ask_text(a->view, question, &a->reply) != VIEW_OK)
		fail_msg("%s: %s", question, a->reply.body.data);
	a->answer = jread_parse(&a->reader, a->reply.body.data, a->reply.body.len, NULL);
}

static uint32_t number_of(const struct jread_value *v)
{
	double d = jread_double(v);

	return d >= 0 ? (uint32_t)(d + 0.5) : NONE;
}

static uint32_t member_of(const struct jread_value *v, const char *key)
{
	return number_of(jread_get(v, key));
}

static struct tick_truth segment_of(const struct jread_value *s, uint32_t *start, uint32_t *end)
{
	const struct jread_value *v = s->first;
	struct tick_truth found = {0};

	*start = number_of(v);
	*end = number_of(v = v->next);
	found.kind = number_of(v = v->next);
	found.track = number_of(v = v->next);
	found.lock = number_of(v->next);
	return found;
}

/* How many ticks of it are due to locks. */
static unsigned path_is_right(const struct path_traffic *t, struct path_asked *a, uint32_t thread,
			      uint32_t from, uint32_t to)
{
	static double sums[PATH_KINDS][THREADS][LOCKS + 1][NAMES + 1];
	uint32_t at = from;
	unsigned locked = 0;
	char question[100];

	snprintf(question, sizeof(question), "path?track=%u&t0=%u&t1=%u", thread, from, to);
	path_ask(a, question);
	memset(sums, 0, sizeof(sums));
	for (const struct jread_value *s = jread_get(a->answer, "segments")->first; s;
	     s = s->next) {
		uint32_t start, end;
		struct tick_truth found = segment_of(s, &start, &end);

		assert_int_equal(start, at);
		assert_true(end > start);
		for (; at < end; at++) {
			struct tick_truth truth = truth_at(t, thread, at);

			assert_int_equal(found.kind, truth.kind);
			assert_int_equal(found.track, truth.track);
			assert_int_equal(found.lock, truth.lock);
			locked += truth.lock != NONE;
			sums[truth.kind][truth.track]
			    [truth.lock == NONE ? LOCKS : truth.lock - THREADS]
			    [truth.name == NONE ? NAMES : truth.name]++;
		}
	}
	assert_int_equal(at, to);
	for (const struct jread_value *p = jread_get(a->answer, "parts")->first; p; p = p->next) {
		uint32_t lock = member_of(p, "lock"), name = member_of(p, "name");
		double *sum =
			&sums[member_of(p, "kind")][member_of(p, "track")]
			     [lock == NONE ? LOCKS : lock - THREADS][name == NONE ? NAMES : name];

		assert_int_equal(*sum, member_of(p, "ns"));
		*sum = 0;
	}
	for (size_t i = 0; i < sizeof(sums) / sizeof(double); i++)
		assert_true(((double *)sums)[i] == 0);
	return locked;
}

static void random_paths(void **state)
{
	static struct path_traffic t;
	const char *path = test_path("path.tacho");
	unsigned locked = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct path_asked a = {0};

		memset(&t, 0, sizeof(t));
		t.seed = seed * 88172645463325252u;
		traffic_write(&t, path);
		assert_int_equal(view_open(&a.view, &(struct view_options){0}, NULL), 0);
		assert_int_equal(view_add(a.view, path, NULL), 0);
		for (unsigned i = 0; i < 25; i++) {
			uint32_t from = i ? test_random(&t.seed) % (END - 1) : 0;
			uint32_t to = i ? from + 1 + test_random(&t.seed) % (END - from - 1) : END;

			locked += path_is_right(&t, &a, test_random(&t.seed) % THREADS, from, to);
		}
		buf_free(&a.reply.body);
		jread_free(&a.reader);
		view_close(a.view);
	}
	assert_true(locked > 10000);
}

/* ------------------------------------------------------------------ device */

enum { STEP, LAUNCH, WAIT, AFTER, FIRMWARE, HOST_NAMES };

struct device_writer {
	struct trace_writer *w;
	uint32_t messages, core, clock;
	uint32_t ops;
};

static void host_zone(struct device_writer *d, uint32_t depth, uint64_t start, uint64_t end,
		      uint32_t name, const char *text)
{
	struct trace_extra extra = {.kind = TRACE_EXTRA_TEXT, .text = text};

	extra.len = text ? (uint32_t)strlen(text) : 0;
	assert_int_equal(trace_lane_add_full(d->w, trace_lane(d->w, 0, depth), start, end, name, 0,
					     0, &extra, text != NULL),
			 0);
}

static void marker_write(struct device_writer *d, uint64_t cycle, uint64_t time,
			 enum trace_marker_kind kind, uint32_t values)
{
	assert_int_equal(
		trace_add_row(d->w, d->core,
			      &(struct trace_row){.kind = TRACE_ROW_MARKER,
						  .time = time,
						  .thread = TRACE_NONE,
						  .a = cycle,
						  .b = TRACE_MARKER(kind, values, FIRMWARE),
						  .c = values ? (uint64_t)d->ops << 10 : 0,
						  .text = ""}),
		0);
}

/* An op that is dispatched in [FROM, TO), and runs in [START, END). */
static void op_write(struct device_writer *d, uint64_t from, uint64_t to, uint64_t start,
		     uint64_t end)
{
	static const char whole[] = "add\0{\"op_code\": \"add\", \"op_type\": \"tt_dnn_device\"}";
	uint64_t id = (uint64_t)(++d->ops) << 10;
	char text[32];

	snprintf(text, sizeof(text), "id:%llu", (unsigned long long)id);
	host_zone(d, 1, from, to, LAUNCH, text);
	assert_int_equal(trace_add_row(d->w, d->messages,
				       &(struct trace_row){.kind = TRACE_ROW_OP,
							   .time = from + 1,
							   .thread = 0,
							   .a = id,
							   .b = TRACE_OP(0, 1),
							   .c = d->ops,
							   .text = whole,
							   .text_len = sizeof(whole) - 1}),
			 0);
	marker_write(d, start, start, TRACE_MARK_START, 1);
	marker_write(d, end, start, TRACE_MARK_END, 0);
	assert_int_equal(trace_lane_add_full(d->w, trace_lane(d->w, d->core, 0), start, end,
					     FIRMWARE, 0, 0, NULL, 0),
			 0);
}

static void device_start(struct device_writer *d, const char *path)
{
	static const char *const names[HOST_NAMES] = {"step", "TT_DNN_DEVICE_OP", "synchronize",
						      "after", "BRISC-FW"};
	struct trace_process process = {.pid = 100, .name = "p", .command = "p"};
	struct trace_track tracks[] = {
		{.kind = TRACE_THREAD, .id = 100, .srcloc = TRACE_NONE, .name = "main"},
		{.kind = TRACE_MESSAGES, .srcloc = TRACE_NONE, .name = ""},
		{.kind = TRACE_CORE,
		 .id = TRACE_CORE_ID(0, 1, 1, 0),
		 .srcloc = TRACE_NONE,
		 .format = 1 << TRACE_MARK_START | 1 << TRACE_MARK_END,
		 .name = "Device 0, core 1,1/BRISC"},
		{.kind = TRACE_OTHER, .srcloc = TRACE_NONE, .name = "Device 0 clock"},
	};

	d->w = test_writer(path);
	trace_set_property(d->w, "ticks per second", "1000000000");
	trace_set_property(d->w, "device 0 of 100",
			   "{\"arch\": \"wormhole_b0\", \"mhz\": 1000, \"max_compute_cores\": 64}");
	trace_add_process(d->w, &process);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(trace_add_track(d->w, &tracks[i]), i);
	d->messages = 1;
	d->core = 2;
	for (uint32_t i = 0; i < HOST_NAMES; i++)
		trace_add_srcloc(d->w, &(struct trace_srcloc){
					       .name = names[i], .function = "", .file = "a.c"});
	for (uint64_t i = 0; i < 2; i++)
		trace_add_row(d->w, 3,
			      &(struct trace_row){.kind = TRACE_ROW_DEVICE_CLOCK,
						  .time = i * 100000,
						  .thread = TRACE_NONE,
						  .a = i * 100000,
						  .b = 5,
						  .c = 1000,
						  .text = ""});
}

static void host_and_device(void **state)
{
	/* Backwards: the host after it waited, the ops of the queue, the dispatch of the first. */
	static const uint32_t right[][4] = {
		{10000, 11500, PATH_RUN, 0},    {11500, 12000, PATH_LAUNCH, 0},
		{12000, 14000, PATH_OP, 0},     {14000, 14200, PATH_GAP, 0},
		{14200, 17500, PATH_OP, 0},     {17500, 21500, PATH_RUN, 0},
		{21500, 22000, PATH_LAUNCH, 0}, {22000, 23000, PATH_OP, 0},
		{23000, 24000, PATH_RUN, 0},
	};
	const char *path = test_path("device.tacho");
	struct device_writer d = {0};
	struct path_asked a = {0};
	const struct jread_value *s;
	size_t n = 0;

	(void)state;
	device_start(&d, path);
	op_write(&d, 11000, 11500, 12000, 14000);
	op_write(&d, 11600, 12100, 14200, 17500); /* is in the queue when the first ends */
	host_zone(&d, 1, 12200, 18000, WAIT, NULL);
	host_zone(&d, 1, 18000, 19000, AFTER, NULL);
	op_write(&d, 21000, 21500, 22000, 23000); /* the device has waited for it */
	host_zone(&d, 1, 21600, 23500, WAIT, NULL);
	host_zone(&d, 0, 10000, 24000, STEP, NULL);
	test_close(d.w);
	assert_int_equal(view_open(&a.view, &(struct view_options){0}, NULL), 0);
	assert_int_equal(view_add(a.view, path, NULL), 0);
	path_ask(&a, "path?t0=10000&t1=24000");
	for (s = jread_get(a.answer, "segments")->first; s; s = s->next, n++) {
		uint32_t start, end;
		struct tick_truth found = segment_of(s, &start, &end);

		assert_true(n < sizeof(right) / sizeof(*right));
		assert_int_equal(start, right[n][0]);
		assert_int_equal(end, right[n][1]);
		assert_int_equal(found.kind, right[n][2]);
		assert_int_equal(found.track, right[n][3]);
	}
	assert_int_equal(n, sizeof(right) / sizeof(*right));
	buf_free(&a.reply.body);
	jread_free(&a.reader);
	view_close(a.view);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_paths),
		cmocka_unit_test(host_and_device),
	};
	int r = cmocka_run_group_tests(tests, NULL, NULL);

	test_cleanup();
	return r;
}
