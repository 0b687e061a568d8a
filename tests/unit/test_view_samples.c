/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples and thread states against a replay, tick by tick: random states, zones, samples and lock
 * waits of several threads, and random questions about them.
 */
#include "base/jread.h"
#include "sample/profile.h"
#include "trace_tools.h"
#include "view_ask.h"

#define THREADS 3u
#define LOCKS   2u
#define END     3000u
#define START   1000u /* the tick at which the trace begins */
#define NAMES   4u
#define DEPTHS  3u
#define STACKS  5u
#define PERIOD  7u /* ns of a sample */
#define FUTEX   203u
#define SLEEP   231u
#define NOTHING 0xffu

/* The state of a thread in each tick. */
struct thread_truth {
	uint8_t state[END]; /* enum profile_state, without [kernel] */
	uint8_t cpu[END];
	uint8_t lock[END]; /* that it waits for, or NOTHING */
	uint8_t names[DEPTHS][END];
	uint32_t zone[DEPTHS][END]; /* number in its lane */
	uint8_t depth[END];         /* of the innermost zone + 1 */
	uint8_t stack[END];         /* of a sample, 0: none */
	uint8_t waits_at[END];      /* stack of the wait */
};

struct replay {
	struct trace_writer *w;
	uint64_t seed;
	struct thread_truth t[THREADS];
};

static uint64_t random_roll(struct replay *r, uint64_t most)
{
	return test_random(&r->seed) % most;
}

static void row_write(struct replay *r, uint32_t track, struct trace_row row)
{
	row.time += START;
	row.thread = row.kind == TRACE_ROW_LOCK ? row.thread : TRACE_NONE;
	row.text = row.text ? row.text : "";
	assert_int_equal(trace_add_row(r->w, track, &row), 0);
}

static void state_write(struct replay *r, unsigned i, uint64_t from, uint64_t to)
{
	static const uint8_t shown[] = {PROFILE_RUNNING, PROFILE_RUNNABLE,   PROFILE_LOCK,
					PROFILE_SLEEP,   PROFILE_OTHER_WAIT, PROFILE_UNKNOWN};
	struct thread_truth *t = &r->t[i];
	uint8_t state = shown[random_roll(r, sizeof(shown))],
		cpu = (uint8_t)(random_roll(r, 2) * THREADS + i);
	uint32_t call = state == PROFILE_LOCK ? FUTEX : state == PROFILE_SLEEP ? SLEEP : 0;
	uint8_t stack = (uint8_t)(state > PROFILE_RUNNABLE ? random_roll(r, STACKS) + 1 : 0);
	uint32_t kind = state == PROFILE_RUNNING    ? TRACE_STATE_RUNNING
			: state == PROFILE_RUNNABLE ? TRACE_STATE_RUNNABLE
						    : TRACE_STATE_BLOCKED;

	for (uint64_t k = from; k < to; k++) {
		t->state[k] = state;
		t->cpu[k] = cpu;
		t->waits_at[k] = stack;
	}
	if (state == PROFILE_UNKNOWN)
		return;
	row_write(r, i,
		  (struct trace_row){.kind = TRACE_ROW_STATE,
				     .time = from,
				     .a = to - from,
				     .b = TRACE_STATE(kind, cpu, call),
				     .c = stack});
	for (uint64_t k = from; k < to && state == PROFILE_RUNNING; k += 1 + random_roll(r, 12)) {
		t->stack[k] = (uint8_t)(1 + random_roll(r, STACKS));
		row_write(r, i,
			  (struct trace_row){.kind = TRACE_ROW_SAMPLE,
					     .time = k,
					     .a = t->stack[k],
					     .c = PERIOD});
	}
}

/* Lock events, whatever the thread does meanwhile. */
static void waits_write(struct replay *r, unsigned i)
{
	for (uint64_t from = random_roll(r, 50), to; from < END; from = to + random_roll(r, 90)) {
		uint8_t lock = (uint8_t)random_roll(r, LOCKS);
		struct trace_row row = {.kind = TRACE_ROW_LOCK,
					.time = from,
					.thread = i,
					.a = TRACE_LOCK_WAIT,
					.b = TRACE_NONE};

		to = from + 1 + random_roll(r, 60);
		if (to > END)
			break;
		memset(r->t[i].lock + from, lock, to - from);
		row_write(r, THREADS + lock, row);
		row.time = to;
		row.a = TRACE_LOCK_OBTAIN;
		row_write(r, THREADS + lock, row);
	}
}

static uint64_t zones_write(struct replay *r, unsigned i, uint32_t depth, uint64_t from,
			    uint64_t to, uint32_t *numbers)
{
	struct thread_truth *t = &r->t[i];
	uint64_t at = from, inside = 0;

	while (depth < DEPTHS) {
		uint64_t a = at + random_roll(r, 40), b = a + 1 + random_roll(r, depth ? 60 : 300);
		uint8_t name = (uint8_t)random_roll(r, NAMES);
		uint64_t within;

		if (b > to)
			break;
		for (uint64_t k = a; k < b; k++) {
			t->names[depth][k] = name;
			t->zone[depth][k] = numbers[depth];
			t->depth[k] = (uint8_t)(depth + 1);
		}
		numbers[depth]++;
		within = zones_write(r, i, depth + 1, a, b, numbers);
		assert_int_equal(trace_lane_add_full(r->w, trace_lane(r->w, i, depth), START + a,
						     START + b, name, within, 0, NULL, 0),
				 0);
		inside += b - a;
		at = b;
	}
	return inside;
}

/* Stack 1 is main, the others are f1 to f4 in main. */
static void stacks_write(struct replay *r, uint32_t track)
{
	static const char symbols[][24] = {"main\0m.c", "f1\0a.c", "f2\0a.c", "f3\0b.c", "f4\0b.c"};

	row_write(r, track,
		  (struct trace_row){.kind = TRACE_ROW_MODULE,
				     .a = 1,
				     .b = 1,
				     .text = "/bin/program",
				     .text_len = 12});
	for (uint32_t i = 0; i < STACKS; i++)
		row_write(r, track,
			  (struct trace_row){.kind = TRACE_ROW_STACK,
					     .a = i + 1,
					     .b = i ? 1 : 0,
					     .c = 1ull << 48 | (100 + i)});
	for (uint32_t i = 0; i < STACKS; i++)
		row_write(r, track,
			  (struct trace_row){.kind = TRACE_ROW_SYMBOL,
					     .a = 1ull << 48 | (100 + i),
					     .b = 10 + i,
					     .text = symbols[i],
					     .text_len = (uint32_t)(strlen(symbols[i]) + 4)});
}

static void replay_write(struct replay *r, const char *path)
{
	struct trace_track track = {.kind = TRACE_LOCK, .srcloc = TRACE_NONE, .name = "lock"};

	memset(r->t, NOTHING, sizeof(r->t));
	r->w = test_writer(path);
	trace_set_property(r->w, "ticks per second", "1000000000");
	test_model(r->w, THREADS, NAMES);
	for (uint32_t i = 0; i < LOCKS; i++) {
		track.id = i;
		assert_int_equal(trace_add_track(r->w, &track), THREADS + i);
	}
	track.kind = TRACE_OTHER;
	track.name = TRACE_STACKS;
	assert_int_equal(trace_add_track(r->w, &track), THREADS + LOCKS);
	stacks_write(r, THREADS + LOCKS);
	for (unsigned i = 0; i < THREADS; i++) {
		uint32_t numbers[DEPTHS] = {0};

		memset(r->t[i].stack, 0, sizeof(r->t[i].stack));
		memset(r->t[i].depth, 0, sizeof(r->t[i].depth));
		for (uint64_t from = 0, to; from < END; from = to) {
			to = from + 1 + random_roll(r, 40);
			to = to < END ? to : END;
			state_write(r, i, from, to);
		}
		waits_write(r, i);
		zones_write(r, i, 0, 0, END, numbers);
	}
	/* The trace has this length whatever was drawn. */
	for (unsigned k = 0; k < 2; k++)
		row_write(r, THREADS + LOCKS,
			  (struct trace_row){.kind = TRACE_ROW_NOTE, .time = k * END});
	test_close(r->w);
}

/* --------------------------------------------------------------- questions */

struct asked {
	struct view *view;
	struct view_answer reply;
	struct jread reader;
	const struct jread_value *answer;
};

static int view_query(struct asked *a, const char *target)
{
	buf_free(&a->reply.body);
	view_ask_text(a->view, target, &a->reply);
	a->answer = a->reply.type == VIEW_JSON
			    ? jread_parse(&a->reader, a->reply.body.data, a->reply.body.len, NULL)
			    : NULL;
	return a->reply.status;
}

static const struct jread_value *json_element(const struct jread_value *list, unsigned i)
{
	const struct jread_value *v = list->first;

	while (i--)
		v = v->next;
	return v;
}

static void is_near(double a, double b)
{
	if (a < b - 0.01 || a > b + 0.01)
		fail_msg("%f is not %f", a, b);
}

/* The times that a question selects. */
struct selection {
	uint64_t t0, t1;
	unsigned thread; /* THREADS: all */
	unsigned name;   /* NAMES: any time */
	bool self;
	unsigned depth; /* DEPTHS: any; else one zone */
	uint32_t zone;
};

static bool filter_selects(const struct selection *s, const struct replay *r, unsigned i,
			   uint64_t k)
{
	const struct thread_truth *t = &r->t[i];
	bool inside = false;

	if (k < s->t0 || k >= s->t1 || (s->thread < THREADS && s->thread != i))
		return false;
	if (s->name == NAMES && s->depth == DEPTHS)
		return true;
	for (unsigned d = 0; d < t->depth[k]; d++) {
		bool wanted = s->depth < DEPTHS ? d == s->depth && t->zone[d][k] == s->zone
						: t->names[d][k] == s->name;

		inside |= wanted && (!s->self || d + 1u == t->depth[k]);
	}
	return inside;
}

struct sums {
	double ns[PROFILE_STATES], lock_ns[LOCKS];
	uint64_t samples, by_stack[STACKS + 1];
	double off_ns[STACKS + 1], off_all;
};

static struct sums sums_of(const struct replay *r, const struct selection *s)
{
	struct sums x = {0};

	for (unsigned i = 0; i < THREADS; i++) {
		double running = 0, sampled = 0;

		for (uint64_t k = 0; k < END; k++) {
			const struct thread_truth *t = &r->t[i];
			uint8_t state = t->state[k];

			if (!filter_selects(s, r, i, k))
				continue;
			if (state == PROFILE_RUNNING) {
				running++;
				sampled += t->stack[k] ? PERIOD : 0;
				x.samples += t->stack[k] != 0;
				x.by_stack[t->stack[k]] += t->stack[k] != 0;
				continue;
			}
			if (state != PROFILE_RUNNABLE && state != PROFILE_UNKNOWN) {
				x.off_ns[t->waits_at[k]]++;
				x.off_all++;
				if (t->lock[k] != NOTHING) {
					x.lock_ns[t->lock[k]]++;
					state = PROFILE_LOCK;
				}
			}
			x.ns[state]++;
		}
		x.ns[PROFILE_RUNNING] += sampled < running ? sampled : running;
		x.ns[PROFILE_KERNEL] += sampled < running ? running - sampled : 0;
	}
	return x;
}

static void query_write(const struct selection *s, const char *call, char *text, size_t size)
{
	int n = snprintf(text, size, "%s&t0=%u&t1=%u", call, (unsigned)s->t0, (unsigned)s->t1);

	if (s->depth < DEPTHS)
		snprintf(text + n, size - (size_t)n, "&lane=%u&idx=%u&self=%d",
			 s->thread * DEPTHS + s->depth, s->zone, s->self);
	else if (s->thread < THREADS && s->name < NAMES)
		snprintf(text + n, size - (size_t)n, "&track=%u&name=%u&self=%d", s->thread,
			 s->name, s->self);
	else if (s->thread < THREADS)
		snprintf(text + n, size - (size_t)n, "&track=%u", s->thread);
	else if (s->name < NAMES)
		snprintf(text + n, size - (size_t)n, "&name=%u&self=%d", s->name, s->self);
}

static void states_are_right(struct asked *a, const struct replay *r, const struct selection *s)
{
	struct sums truth = sums_of(r, s);
	double lock_ns[LOCKS] = {0};
	char text[200];

	query_write(s, "states?", text, sizeof(text));
	assert_int_equal(view_query(a, text), VIEW_OK);
	for (int i = 0; i < PROFILE_UNKNOWN; i++)
		is_near(jread_double(json_element(jread_get(a->answer, "total"), (unsigned)i)),
			truth.ns[i]);
	if (s->name < NAMES || s->depth < DEPTHS)
		is_near(jread_double(json_element(jread_get(a->answer, "total"), PROFILE_UNKNOWN)),
			truth.ns[PROFILE_UNKNOWN]);
	is_near(jread_double(jread_get(a->answer, "samples")), (double)truth.samples);
	for (const struct jread_value *l = jread_get(a->answer, "locks")->first; l; l = l->next)
		lock_ns[(unsigned)jread_double(jread_get(l, "track")) - THREADS] =
			jread_double(jread_get(l, "ns"));
	for (unsigned i = 0; i < LOCKS; i++)
		is_near(lock_ns[i], truth.lock_ns[i]);
}

static void stacks_are_right(struct asked *a, const struct replay *r, const struct selection *s)
{
	static const char *const names[] = {"main", "f1", "f2", "f3", "f4"};
	struct sums truth = sums_of(r, s);
	char text[200];

	for (int off = 0; off < 2; off++) {
		double self_sum = 0;

		query_write(s, off ? "stacks?off=1&list=1" : "stacks?list=1", text, sizeof(text));
		assert_int_equal(view_query(a, text), VIEW_OK);
		is_near(jread_double(jread_get(a->answer, "total")),
			off ? truth.off_all : (double)truth.samples * PERIOD);
		for (const struct jread_value *i = jread_get(a->answer, "items")->first; i;
		     i = i->next) {
			unsigned label = (unsigned)jread_double(json_element(i, 1));
			const struct jread_value *name = jread_get(
				json_element(jread_get(a->answer, "names"), label), "name");
			double self = jread_double(json_element(i, 3));

			for (unsigned k = 0; k < STACKS; k++)
				if (name->len == strlen(names[k]) &&
				    !memcmp(name->text, names[k], name->len))
					is_near(self, off ? truth.off_ns[k + 1]
							  : (double)truth.by_stack[k + 1] * PERIOD);
			self_sum += self;
		}
		is_near(self_sum, jread_double(jread_get(a->answer, "total")));
	}
}

static void trace_setup(struct asked *a, struct replay *r, uint64_t seed)
{
	static int number;
	char name[32];
	const char *path;

	memset(a, 0, sizeof(*a));
	snprintf(name, sizeof(name), "samples-%d.tacho", number++);
	path = test_path(name);
	r->seed = seed;
	replay_write(r, path);
	assert_int_equal(view_open(&a->view, &(struct view_options){0}, NULL), 0);
	assert_int_equal(view_add(a->view, path, NULL), 0);
}

static void asked_end(struct asked *a)
{
	buf_free(&a->reply.body);
	jread_free(&a->reader);
	view_close(a->view);
}

static void questions_are_answered(void **state)
{
	struct replay *r = calloc(1, sizeof(*r));
	struct asked a;

	(void)state;
	assert_non_null(r);
	for (uint64_t seed = 1; seed <= 3; seed++) {
		trace_setup(&a, r, seed);
		for (unsigned i = 0; i < 60; i++) {
			struct selection s = {.t0 = random_roll(r, END),
					      .thread = (unsigned)random_roll(r, THREADS + 1),
					      .name = (unsigned)random_roll(r, NAMES + 1),
					      .self = random_roll(r, 2),
					      .depth = DEPTHS};

			s.t1 = s.t0 + random_roll(r, END + 1 - s.t0);
			if (i < 4) {
				s.t0 = 0;
				s.t1 = END;
			}
			if (i % 4 == 3) {
				/* The zone of a thread that is open at some tick. */
				uint64_t k = random_roll(r, END);

				s.thread = (unsigned)random_roll(r, THREADS);
				if (!r->t[s.thread].depth[k])
					continue;
				s.name = NAMES;
				s.depth = (unsigned)random_roll(r, r->t[s.thread].depth[k]);
				s.zone = r->t[s.thread].zone[s.depth][k];
			}
			states_are_right(&a, r, &s);
			stacks_are_right(&a, r, &s);
		}
		asked_end(&a);
	}
	free(r);
}

/* The self times of zones by what their thread did add up, name by name. */
static void zones_are_split(void **state)
{
	struct replay *r = calloc(1, sizeof(*r));
	struct profile_filter all = {.t1 = UINT64_MAX};
	struct profile_zone zones[NAMES];
	struct profile *p;
	struct trace *t;

	(void)state;
	assert_non_null(r);
	r->seed = 77;
	replay_write(r, test_path("zones.tacho"));
	t = test_open(test_path("zones.tacho"));
	assert_int_equal(profile_open(&p, t, NULL), 0);
	assert_int_equal(profile_zones(p, &all, zones), 0);
	for (unsigned name = 0; name < NAMES; name++) {
		struct selection s = {
			.t1 = END, .thread = THREADS, .name = name, .self = true, .depth = DEPTHS};
		struct sums truth = sums_of(r, &s);
		double sampled = (double)truth.samples * PERIOD;
		double running = truth.ns[PROFILE_RUNNING] + truth.ns[PROFILE_KERNEL];

		/* All threads together have one [kernel] time per name. */
		truth.ns[PROFILE_RUNNING] = sampled < running ? sampled : running;
		truth.ns[PROFILE_KERNEL] = running - truth.ns[PROFILE_RUNNING];
		assert_int_equal(zones[name].samples, truth.samples);
		for (int i = 0; i < PROFILE_STATES; i++)
			is_near(zones[name].ns[i], truth.ns[i]);
	}
	profile_close(p);
	trace_close(t);
	free(r);
}

static uint32_t text_word(const struct view_answer *a, size_t at, unsigned bytes)
{
	uint32_t value = 0;

	assert_true(at + bytes <= a->body.len);
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint32_t)(uint8_t)a->body.data[at + i] << 8 * i;
	return value;
}

/* Tiles of a tick per pixel, and what is said of each tick. */
static void timeline_is_right(void **state)
{
	struct replay *r = calloc(1, sizeof(*r));
	struct asked a;
	char text[100];

	(void)state;
	assert_non_null(r);
	trace_setup(&a, r, 5);
	for (unsigned i = 0; i < THREADS; i++) {
		const struct thread_truth *t = &r->t[i];
		size_t at = 20;

		snprintf(text, sizeof(text), "sample_tiles?track=%u&res=0&i=2", i);
		assert_int_equal(view_query(&a, text), VIEW_OK);
		assert_int_equal(text_word(&a.reply, 16, 4), PROFILE_UNKNOWN);
		for (int s = 0; s < PROFILE_UNKNOWN; s++)
			for (uint64_t k = 1024; k < 1536; k++)
				assert_int_equal(text_word(&a.reply, at++, 1),
						 t->state[k] == s ? 255 : 0);
		for (uint64_t k = 1024; k < 1536; k++) {
			assert_int_equal(text_word(&a.reply, at + 2 * (k - 1024), 2),
					 t->stack[k] != 0);
			assert_int_equal(text_word(&a.reply, at + 1024 + 4 * (k - 1024), 4),
					 t->stack[k]);
		}
		assert_int_equal(at + 3 * 1024, a.reply.body.len);
		for (uint64_t k = 0; k < END; k += 1 + random_roll(r, 30)) {
			const struct jread_value *said;

			snprintf(text, sizeof(text), "sample?track=%u&t=%u", i, (unsigned)k);
			assert_int_equal(view_query(&a, text), VIEW_OK);
			said = jread_get(a.answer, "state");
			if (t->state[k] == PROFILE_UNKNOWN) {
				assert_int_equal(said->type, JREAD_NULL);
			} else {
				is_near(jread_double(jread_get(said, "state")), t->state[k]);
				is_near(jread_double(jread_get(said, "cpu")), t->cpu[k]);
			}
			assert_true((jread_get(a.answer, "sample")->type == JREAD_OBJECT) ==
				    (t->stack[k] != 0));
		}
	}
	assert_int_equal(view_query(&a, "stack?ids=1,3"), VIEW_OK);
	assert_int_equal(jread_get(a.answer, "stacks")->last->type, JREAD_OBJECT);
	asked_end(&a);
	free(r);
}

static void cpus_are_right(void **state)
{
	struct replay *r = calloc(1, sizeof(*r));
	struct asked a;

	(void)state;
	assert_non_null(r);
	trace_setup(&a, r, 6);
	assert_int_equal(view_query(&a, "cpus"), VIEW_OK);
	for (const struct jread_value *c = jread_get(a.answer, "cpus")->first; c; c = c->next) {
		unsigned cpu = (unsigned)jread_double(jread_get(c, "cpu"));
		double busy = 0;

		for (unsigned i = 0; i < THREADS; i++)
			for (uint64_t k = 0; k < END; k++)
				busy += r->t[i].state[k] == PROFILE_RUNNING &&
					r->t[i].cpu[k] == cpu;
		is_near(jread_double(jread_get(c, "busy")), busy);
	}
	for (unsigned cpu = 0; cpu < 2 * THREADS; cpu++) {
		unsigned thread = cpu % THREADS;
		char text[100];

		snprintf(text, sizeof(text), "cpu_tiles?lanes=%u&res=0&i=0", cpu);
		assert_int_equal(view_query(&a, text), VIEW_OK);
		for (uint64_t k = 0; k < 512; k++) {
			bool runs = r->t[thread].state[k] == PROFILE_RUNNING &&
				    r->t[thread].cpu[k] == cpu;

			assert_int_equal(text_word(&a.reply, 20 + k, 1), runs ? 255 : 0);
			if (runs)
				assert_int_equal(text_word(&a.reply, 20 + 512 + 2 * k, 2), thread);
		}
	}
	assert_int_equal(view_query(&a, "cpus?cpu=77&t=5"), VIEW_MISSING);
	asked_end(&a);
	free(r);
}

static void wrong_questions(void **state)
{
	static const struct {
		const char *target;
		enum view_status status;
	} wrong[] = {{"stacks?by=colour", VIEW_BAD},
		     {"stacks?t0=9&t1=3", VIEW_BAD},
		     {"stacks?name=99", VIEW_MISSING},
		     {"stacks?lane=0", VIEW_BAD},
		     {"stacks?lane=0&idx=99999", VIEW_MISSING},
		     {"states?track=88", VIEW_MISSING},
		     {"sample_tiles?res=0&i=0", VIEW_BAD},
		     {"sample_tiles?track=0&res=50&i=99999999999", VIEW_BAD},
		     {"sample?track=0", VIEW_BAD},
		     {"sample?track=3&t=0", VIEW_MISSING},
		     {"stack", VIEW_BAD},
		     {"source_cost", VIEW_BAD},
		     {"source_cost?file=none.c", VIEW_MISSING}};
	struct replay *r = calloc(1, sizeof(*r));
	struct asked a;

	(void)state;
	assert_non_null(r);
	trace_setup(&a, r, 9);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(view_query(&a, wrong[i].target), wrong[i].status);
		assert_non_null(jread_get(a.answer, "error"));
	}
	/* The lines of one file, with what is inside of them. */
	assert_int_equal(view_query(&a, "source_cost?file=a.c"), VIEW_OK);
	is_near(jread_double(json_element(jread_get(a.answer, "lines")->first, 0)), 11);
	is_near(jread_double(json_element(jread_get(a.answer, "lines")->last, 0)), 12);
	assert_int_equal(jread_get(a.answer, "text")->type, JREAD_NULL);
	asked_end(&a);
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(questions_are_answered), cmocka_unit_test(zones_are_split),
		cmocka_unit_test(timeline_is_right),      cmocka_unit_test(cpus_are_right),
		cmocka_unit_test(wrong_questions),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	test_cleanup();
	return failed;
}
