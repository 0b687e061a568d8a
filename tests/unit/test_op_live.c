/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Markers as rows. The ops of a recording that grows are the same at every step as when all is read
 * again, and each row is read once, wherever a checkpoint cuts the markers of a run. Lost markers.
 */
#include "op/csv.h"
#include "op/live.h"
#include "op/load.h"
#include "trace_tools.h"

#include <math.h>

enum { CORES = 3, RISCS = 2, TRACKS = CORES * RISCS, OPS = 60, STEPS = 40 };
enum { FW, KERNEL, OTHER, ZONES };

/* Each op has four markers on each RISC: firmware and kernel, start and end. */
struct risc {
	uint32_t track, op, next;
	uint64_t cycle, starts[ZONES];
};

struct recording {
	struct trace_writer *w;
	uint64_t seed;
	uint32_t thread, messages, srclocs[ZONES], call, compile;
	struct risc riscs[TRACKS];
	unsigned ops;        /* that the host has called */
	uint64_t rows;       /* of cores */
	uint64_t host_zones; /* of the thread */
};

static void core_add(struct recording *r, unsigned i)
{
	static const char *const names[RISCS] = {"BRISC", "TRISC1"};
	char name[64];
	struct trace_track track = {.kind = TRACE_CORE,
				    .id = TRACE_CORE_ID(0, 1 + i / RISCS, 1, i % RISCS),
				    .srcloc = TRACE_NONE,
				    .format = 1 << TRACE_MARK_START | 1 << TRACE_MARK_END,
				    .name = name};

	snprintf(name, sizeof(name), "Device 0, core %u,1/%s", 1 + i / RISCS, names[i % RISCS]);
	r->riscs[i].track = (uint32_t)trace_add_track(r->w, &track);
	/* Reports take only cores with zones. */
	trace_lane_add(r->w, trace_lane(r->w, r->riscs[i].track, 0), 2000, 2001, r->srclocs[OTHER],
		       0);
}

static void recording_start(struct recording *r, const char *path)
{
	static const char *const names[ZONES] = {"BRISC-FW", "BRISC-KERNEL", "other"};
	struct trace_clock_point point = {.ticks = 1000, .monotonic_ns = 5000};
	struct trace_track messages = {.kind = TRACE_MESSAGES, .srcloc = TRACE_NONE, .name = ""};

	*r = (struct recording){.w = test_writer(path), .seed = 88172645463325252u};
	test_model(r->w, 1, 1);
	r->messages = (uint32_t)trace_add_track(r->w, &messages);
	trace_add_clock_point(r->w, &point);
	trace_set_property(r->w, "device 0 of 1",
			   "{\"arch\": \"wormhole_b0\", \"mhz\": 1000, \"max_compute_cores\": 64}");
	for (int i = 0; i < ZONES; i++)
		r->srclocs[i] = (uint32_t)trace_add_srcloc(
			r->w,
			&(struct trace_srcloc){.name = names[i], .function = "", .file = "fw.c"});
	r->call = (uint32_t)trace_add_srcloc(
		r->w, &(struct trace_srcloc){
			      .name = "TT_DNN_DEVICE_OP", .function = "", .file = "host.c"});
	r->compile = (uint32_t)trace_add_srcloc(
		r->w,
		&(struct trace_srcloc){.name = "CompileProgram", .function = "", .file = "host.c"});
}

static void host_zone(struct recording *r, uint32_t depth, uint64_t start, uint64_t length,
		      uint32_t srcloc, const struct trace_extra *text)
{
	assert_int_equal(trace_lane_add_full(r->w, trace_lane(r->w, r->thread, depth), start,
					     start + length, srcloc, 0, 0, text, text != NULL),
			 0);
	r->host_zones++;
}

/* The zone of the last call ends. Another zone follows at once, with a child that is not an op's.
 */
static void host_return(struct recording *r)
{
	uint64_t id = (uint64_t)r->ops << 10, time = 3000 + r->ops * 1000u;
	char text[32];
	struct trace_extra extra = {.kind = TRACE_EXTRA_TEXT, .text = text};

	if (!r->ops)
		return;
	extra.len = (uint32_t)snprintf(text, sizeof(text), "id:%llu", (unsigned long long)id);
	host_zone(r, 0, time, 500, r->call, &extra);
	host_zone(r, 1, time + 510, 20, r->compile, NULL);
	host_zone(r, 0, time + 500, 100, r->srclocs[OTHER], NULL);
}

/*
 * Every third op is the first one once more. Every second of those comes as a message, as programs
 * send them that use Tracy's interface, and refers to the description of the record.
 */
static void host_call(struct recording *r)
{
	static const char whole[] = "add\0{\"op_code\": \"add\", \"op_type\": \"tt_dnn_device\"}";
	uint64_t id = (uint64_t)(++r->ops) << 10, time = 3000 + r->ops * 1000u;
	bool known = r->ops > 1 && r->ops % 3 == 0;
	struct trace_row row = {.time = time + 10,
				.kind = TRACE_ROW_OP,
				.thread = r->thread,
				.a = id,
				.b = TRACE_OP(0, known ? 2 : 1),
				.c = known ? 1 : r->ops,
				.text = whole,
				.text_len = known ? 3 : sizeof(whole) - 1};
	char message[80];

	if (known && r->ops % 2)
		row = (struct trace_row){.time = row.time,
					 .kind = TRACE_ROW_MESSAGE,
					 .thread = r->thread,
					 .a = TRACE_SEVERITY_INFO,
					 .text = message,
					 .text_len = (uint32_t)snprintf(
						 message, sizeof(message),
						 "`TT_DNN_DEVICE_OP: \"add\", 1, 0, true, %llu`",
						 (unsigned long long)id)};

	assert_int_equal(trace_add_row(r->w, r->messages, &row), 0);
	host_zone(r, 1, time + 20, 10 * (1 + r->ops % 7), r->compile, NULL);
}

/* The next marker of a RISC, if the host has called its op. */
static void marker_add(struct recording *r, struct risc *risc)
{
	static const uint8_t zones[4] = {FW, KERNEL, KERNEL, FW};
	unsigned zone = zones[risc->next % 4];
	bool start = risc->next % 4 < 2;
	struct trace_row row = {
		.kind = TRACE_ROW_MARKER,
		.thread = TRACE_NONE,
		.b = TRACE_MARKER(start ? TRACE_MARK_START : TRACE_MARK_END, risc->next % 4 ? 0 : 1,
				  r->srclocs[zone]),
		.c = risc->next % 4 ? 0 : (uint64_t)(risc->op + 1) << 10,
	};

	if (risc->op >= r->ops)
		return;
	if (!(risc->next % 4))
		risc->cycle = (risc->op + 1) * 1000u + test_random(&r->seed) % 4;
	/* Few lengths, so that cores are equally slow at times. */
	risc->cycle += 1 + test_random(&r->seed) % 3;
	row.a = risc->cycle;
	if (zone == FW && start)
		risc->starts[FW] = 3000 + risc->cycle;
	row.time = risc->starts[FW];
	assert_int_equal(trace_add_row(r->w, risc->track, &row), 0);
	r->rows++;
	risc->op += ++risc->next % 4 == 0;
}

static char *table_of(struct trace *t, struct op_live *live)
{
	const struct op_load_options options = {.live = live};
	struct op_loaded loaded = {0};
	struct tacho_error err = {0};
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int r = op_load_trace(&loaded, t, NULL, NULL, &options, &err);

	assert_true(r == 0 || r == TACHO_ENO);
	if (r == 0)
		assert_int_equal(op_table_write_csv(&loaded.host.table, out, NULL), 0);
	for (size_t i = 0; r == 0 && i < loaded.host.table.ops.n; i++) {
		const struct op_slowest *s = &loaded.host.table.ops.v[i].slowest;

		fprintf(out, "%d %d %d %.3f %.3f\n", s->x, s->y, s->risc, s->ns, s->mean);
	}
	fclose(out);
	op_loaded_free(&loaded);
	return text;
}

static void table_check(struct trace *t, struct op_live *live, bool executions)
{
	char *all = table_of(t, NULL), *followed = table_of(t, live);

	assert_string_equal(followed, all);
	assert_true(!executions || strstr(all, "wormhole_b0"));
	/* All ops have their names, whatever the host said of them. */
	assert_null(strstr(all, "\n,"));
	free(all);
	free(followed);
}

/* CORES_FIRST: how many cores there are from the start. The others appear later. */
static void follow_all(unsigned cores_first, uint64_t restarts)
{
	const char *path = test_path("live.tacho");
	struct op_live live = {0};
	struct recording r;
	struct tacho_error err;
	struct trace *t;
	uint64_t repeated = 0;

	recording_start(&r, path);
	for (unsigned i = 0; i < cores_first * RISCS; i++)
		core_add(&r, i);
	assert_int_equal(trace_checkpoint(r.w, "s", 1), 0);
	assert_int_equal(trace_follow(&t, path, &err), 0);
	for (unsigned step = 0; step < STEPS; step++) {
		unsigned cores = step < STEPS / 2 ? cores_first : CORES;

		if (step == STEPS / 2) {
			repeated = live.rows;
			for (unsigned i = cores_first * RISCS; i < TRACKS; i++)
				core_add(&r, i);
		}
		for (unsigned n = 0; n < 3 && r.ops < OPS; n++) {
			host_return(&r);
			host_call(&r);
		}
		for (unsigned i = 0; i < cores * RISCS; i++)
			for (uint64_t n = test_random(&r.seed) % 12; n; n--)
				marker_add(&r, &r.riscs[i]);
		assert_int_equal(trace_checkpoint(r.w, "s", 1), 0);
		assert_true(trace_refresh(t, &err) >= 0);
		table_check(t, &live, r.rows > 100);
		assert_int_equal(live.rows, r.rows + (restarts > 1 ? repeated : 0));
		assert_int_equal(live.host.zones_read, r.host_zones);
		/* Nothing new: nothing is read. */
		table_check(t, &live, r.rows > 100);
		assert_int_equal(live.rows, r.rows + (restarts > 1 ? repeated : 0));
		assert_int_equal(live.host.zones_read, r.host_zones);
	}
	assert_int_equal(live.restarts, restarts);
	assert_true(r.rows > 500);
	trace_close(t);
	op_live_free(&live);
	trace_writer_abandon(r.w);
}

static void test_steps(void **state)
{
	(void)state;
	follow_all(CORES, 1);
}

static void test_new_core(void **state)
{
	(void)state;
	follow_all(CORES - 1, 2);
}

/* Ends, or starts, of markers may be lost: nothing is guessed for them, and other ops keep theirs.
 */
static void test_lost(void **state)
{
	/* Which of each op's markers are lost: none, the kernel's end, the firmware's, the kernel's
	 * start, none. */
	static const unsigned lost[] = {0, 1 << 2, 1 << 3, 1 << 1, 0};
	static const uint64_t cycles[4] = {0, 10, 30, 50};
	enum { LOST = sizeof(lost) / sizeof(lost[0]) };
	const char *path = test_path("lost.tacho");
	struct op_loaded loaded = {0};
	struct op_live live = {0};
	struct tacho_error err = {0};
	struct trace_track track = {
		.kind = TRACE_CORE, .srcloc = TRACE_NONE, .name = "Device 0, core 2,1/BRISC"};
	struct recording r;
	struct trace *t;
	uint32_t lost_core;

	(void)state;
	recording_start(&r, path);
	core_add(&r, 0);
	for (unsigned op = 0; op < LOST; op++) {
		host_call(&r);
		for (unsigned k = 0; k < 4; k++) {
			struct trace_row row = {
				.time = 3000 + 1000 * op,
				.kind = TRACE_ROW_MARKER,
				.thread = TRACE_NONE,
				.a = 1000 * op + cycles[k],
				.b = TRACE_MARKER(k < 2 ? TRACE_MARK_START : TRACE_MARK_END, !k,
						  r.srclocs[k % 3 ? KERNEL : FW]),
				.c = k ? 0 : (uint64_t)(op + 1) << 10};

			if (!(lost[op] >> k & 1))
				assert_int_equal(trace_add_row(r.w, r.riscs[0].track, &row), 0);
		}
	}
	/* Of another core nothing but the loss is left. */
	track.id = TRACE_CORE_ID(0, 2, 1, 0);
	lost_core = (uint32_t)trace_add_track(r.w, &track);
	assert_int_equal(trace_add_row(r.w, lost_core,
				       &(struct trace_row){.kind = TRACE_ROW_LOSS,
							   .time = 4000,
							   .thread = TRACE_NONE,
							   .a = TRACE_LOSS_DEVICE,
							   .c = 12,
							   .text = ""}),
			 0);
	test_close(r.w);
	t = test_open(path);
	table_check(t, &live, true);
	assert_int_equal(op_load_trace(&loaded, t, NULL, NULL, &(struct op_load_options){0}, &err),
			 0);
	assert_int_equal(loaded.host.table.ops.n, LOST);
	assert_int_equal(loaded.issues.counts[OP_ISSUE_DROPPED], 1);
	assert_int_equal(live.restarts, 1);
	for (unsigned i = 0; i < LOST; i++) {
		const struct op *op = &loaded.host.table.ops.v[i];

		if (lost[i] & 1 << 3)
			assert_true(isnan(op->fw));
		else
			assert_true(op->fw == 50);
		if (lost[i] & (1 << 1 | 1 << 2))
			assert_true(isnan(op->brisc));
		else
			assert_true(op->kernel == 20 && op->brisc == 20);
	}
	op_loaded_free(&loaded);
	op_live_free(&live);
	trace_close(t);
}

/* Cores of old runs are put away; a marker that comes for one of them is noticed. */
static void test_trim(void **state)
{
	struct op_runs runs = {.any_order = true}, all = {.any_order = true};
	struct op_run_device device[2] = {{.mhz = 1000}, {.mhz = 1000}};
	struct op_marker m = {.zones = ARCH_ZONE_KERNEL, .trace = OP_NONE, .session = OP_NONE};

	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		for (uint32_t k = 0; k < 4; k++) {
			m.id = 1 + i;
			m.core = m.risc = k / 2;
			m.kind = k % 2 ? TRACE_MARK_END : TRACE_MARK_START;
			m.cycle = 100 * i + k * 7;
			assert_int_equal(op_runs_add(&runs, &m), 0);
			assert_int_equal(op_runs_add(&all, &m), 0);
			if (k == 0 && i % 10 == 9)
				assert_int_equal(op_runs_trim(&runs, 2), 0);
		}
	assert_true(runs.cores.n < 30 && all.cores.n == 200);
	assert_false(runs.stale);
	assert_int_equal(op_runs_finish(&runs, &device[0]), 0);
	assert_int_equal(op_runs_finish(&all, &device[1]), 0);
	for (size_t i = 0; i < 100; i++) {
		const struct op_timing *x = op_runs_at(&runs, i), *y = op_runs_at(&all, i);

		assert_true(x->id == y->id && x->core_max == y->core_max &&
			    x->core_sum == y->core_sum && x->core_count == y->core_count &&
			    x->slow_risc == y->slow_risc && x->gap == y->gap);
	}
	m.id = 3;
	assert_int_equal(op_runs_add(&runs, &m), 0);
	assert_true(runs.stale);
	op_runs_free(&runs);
	op_runs_free(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_new_core),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_trim),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	test_cleanup();
	return failed;
}
