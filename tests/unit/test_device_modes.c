/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel profiler's modes: macros in C and C++, hashed names, full buffers, sums, traces. */
#include "device/launch.h"
#include "device/prof.h"
#include "device/program.h"
#include "device_tools.h"

/* Opens a device while variables ("NAME=VALUE", NULL at the end) are set. */
static struct tacho_device *open_with(const char *const *variables)
{
	struct tacho_device *d;

	for (size_t i = 0; variables[i]; i++) {
		char *text = strdup(variables[i]), *value = strchr(text, '=');

		*value = 0;
		setenv(text, value + 1, 1);
		free(text);
	}
	d = open_device(0);
	for (size_t i = 0; variables[i]; i++) {
		char *text = strdup(variables[i]);

		*strchr(text, '=') = 0;
		unsetenv(text);
		free(text);
	}
	return d;
}
#define OPEN_WITH(...) open_with((const char *const[]){__VA_ARGS__, NULL})

struct events {
	VEC(struct tacho_device_event);
};

static void keep_event(void *context, const struct tacho_device_event *e)
{
	struct events *all = context;

	assert_int_equal(vec_push(all, *e), 0);
}

static struct events read_all(struct tacho_device *d)
{
	struct events all = {0};

	assert_int_equal(tacho_profiler_read(d, keep_event, &all), 0);
	return all;
}

static unsigned event_count(const struct events *all, const char *name)
{
	unsigned n = 0;

	for (size_t i = 0; i < all->n; i++)
		n += !strcmp(all->v[i].name, name);
	return n;
}

static const struct tacho_device_event *event_find(const struct events *all, const char *name,
						   const char *risc)
{
	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->v[i].name, name) && !strcmp(all->v[i].risc, risc))
			return &all->v[i];
	return NULL;
}

static void check_whole(const struct events *all)
{
	for (size_t i = 0; i < all->n; i++)
		assert_false(all->v[i].damaged);
}

/* The words of C and of C++ are the same, marker by marker. */
static void test_languages(void **state)
{
	static const char *const sources[] = {"all_macros.c", "all_macros.cpp"};
	struct events all[2];
	struct tacho_device *d[2];

	(void)state;
	if (!have_compiler())
		return;
	for (int i = 0; i < 2; i++) {
		struct tacho_program *p;

		d[i] = OPEN_WITH("TT_METAL_PROFILER_SUM=1");
		p = all_riscs(d[i], sources[i]);
		program_run(d[i], p, 2);
		all[i] = read_all(d[i]);
		check_whole(&all[i]);
		tacho_program_free(p);
	}
	/* per RISC: firmware 2, main, child, 3 zones, 3 values, 3 events, 2 sums */
	assert_int_equal(all[0].n, 2 * 5 * 15);
	assert_int_equal(all[1].n, all[0].n);
	for (size_t i = 0; i < all[0].n; i++) {
		const struct tacho_device_event *a = &all[0].v[i], *b = &all[1].v[i];

		assert_int_equal(a->kind, b->kind);
		assert_string_equal(a->name, b->name);
		assert_int_equal(a->line, b->line);
		assert_int_equal(a->id, b->id);
		assert_int_equal(a->op, 77);
		if (a->kind == TACHO_DEVICE_DATA)
			assert_int_equal(a->data[0], b->data[0]);
		if (a->kind == TACHO_DEVICE_TOTAL)
			assert_true(a->data[0] > 0 && b->data[0] > 0);
	}
	for (int i = 0; i < 2; i++) {
		vec_free(&all[i]);
		tacho_device_close(d[i]);
	}
}

static void test_main_zones(void **state)
{
	struct events all;
	struct tacho_device *d;
	struct tacho_program *p;

	(void)state;
	if (!have_compiler())
		return;
	d = open_device(1000);
	p = first_riscs(d, "main_zones.c", 2);
	program_run(d, p, 1);
	all = read_all(d);
	check_whole(&all);
	assert_int_equal(event_count(&all, "MAIN"), 2);
	assert_int_equal(event_count(&all, "CHILD"), 2);
	assert_int_equal(event_count(&all, "MANY"), 2 * 123);
	assert_int_equal(event_count(&all, "BRISC-KERNEL"), 1);
	vec_free(&all);
	tacho_program_free(p);
	tacho_device_close(d);
}

/* Numbers are hashes of what the compiler prints; C and C++ agree with the host's. */
static void test_hashes(void **state)
{
	static const char *const sources[] = {"all_macros.c", "all_macros.cpp"};

	(void)state;
	if (!have_compiler())
		return;
	for (int i = 0; i < 2; i++) {
		struct tacho_device *d = OPEN_WITH("TACHO_ZONE_HASH=1");
		struct tacho_program *p = first_riscs(d, sources[i], 2);
		const struct tacho_device_event *e;
		struct events all;
		char text[1000];

		program_run(d, p, 1);
		all = read_all(d);
		check_whole(&all);
		assert_int_equal(event_count(&all, "ITERATION"), 6);
		assert_int_equal(event_count(&all, "NCRISC-FW"), 1);
		e = event_find(&all, "VALUE", "NCRISC");
		assert_non_null(e);
		snprintf(text, sizeof(text), "VALUE,%s,%u,KERNEL_PROFILER", e->file, e->line);
		assert_int_equal(e->id, names_hash(text, strlen(text)));
		assert_non_null(strstr(e->file, "all_macros.c"));
		vec_free(&all);
		tacho_program_free(p);
		tacho_device_close(d);
	}
}

static void test_logs(void **state)
{
	static const char log[] =
		"x.o.log:a.c:3:2: note: '#pragma message: LOAD,/k/a.c,3,KERNEL_PROFILER'\n"
		"a.c:4:1: note: '#pragma message: WITH, COMMA,/k/a.c,4,KERNEL_PROFILER'\n"
		"a.c:4:1: warning: something else\n"
		"note: '#pragma message: NO-LINE,/k/a.c,x,KERNEL_PROFILER'\n"
		"note: '#pragma message: NOTHING,KERNEL_PROFILER'\n"
		"note: '#pragma message: LOAD,/k/a.c,3,KERNEL_PROFILER'\n"
		"note: '#pragma message: cut off";
	struct zone_names names = {0};
	const struct zone_name *z;
	char first[64] = "", text[128];
	uint16_t want;

	(void)state;
	assert_int_equal(names_take(&names, log, sizeof(log) - 1), 0);
	assert_int_equal(names.n, 2);
	assert_int_equal(names.malformed, 2);
	z = names_find(&names, names_hash("LOAD,/k/a.c,3,KERNEL_PROFILER", 29));
	assert_non_null(z);
	assert_string_equal(z->name, "LOAD");
	assert_int_equal(z->line, 3);
	assert_false(z->collision);
	z = names_find(&names, names_hash("WITH, COMMA,/k/a.c,4,KERNEL_PROFILER", 36));
	assert_string_equal(z->name, "WITH, COMMA");
	assert_string_equal(z->file, "/k/a.c");
	/* a collision keeps both names */
	want = names_hash("LOAD,/k/a.c,3,KERNEL_PROFILER", 29);
	for (unsigned i = 0; !first[0]; i++) {
		int n = snprintf(text, sizeof(text), "Z%u,/k/b.c,%u,KERNEL_PROFILER", i, i % 100);

		if (names_hash(text, (size_t)n) == want)
			memcpy(first, text, sizeof(first));
	}
	snprintf(text, sizeof(text), "'#pragma message: %s'", first);
	assert_int_equal(names_take(&names, text, strlen(text)), 0);
	z = names_find(&names, want);
	assert_true(z->collision);
	assert_int_equal(strncmp(z->name, "LOAD or Z", 9), 0);
	names_free(&names);
	assert_true(names_read(&names, "/nowhere/x.log") < 0);
	/* the real tool's numbers */
	assert_int_equal(names_hash("", 0), (2166136261u ^ 2166136261u >> 16) & 0xffff);
}

/* Events of transfers outnumber a buffer: it goes to DRAM in the middle of the run. */
static void test_quick_push(void **state)
{
	const struct tacho_device_event *reads;
	struct tacho_device *d;
	struct tacho_program *p;
	struct events all;
	uint64_t first = UINT64_MAX;

	(void)state;
	if (!have_compiler())
		return;
	d = OPEN_WITH("TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1",
		      "TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT=1000");
	assert_int_equal(tacho_program_new(&p, d), 0);
	for (unsigned i = 0; i < 2; i++)
		assert_true(tacho_program_kernel(
				    p, &(struct tacho_kernel){
					       .source = DEVICE_KERNELS "/many_reads.c",
					       .risc = i ? TACHO_NCRISC : TACHO_BRISC}) >= 0);
	program_run(d, p, 2);
	all = read_all(d);
	check_whole(&all);
	assert_int_equal(event_count(&all, "READ"), 4 * 1000);
	assert_int_equal(event_count(&all, "READS"), 4);
	assert_int_equal(event_count(&all, "BRISC-FW"), 2);
	assert_int_equal(event_count(&all, "NCRISC-KERNEL"), 2);
	assert_in_range(event_count(&all, "PROFILER-NOC-QUICK-PUSH"), 4 * 8, 4 * 9);
	assert_int_equal(tacho_profiler_lost_all(d), 0);
	reads = event_find(&all, "READS", "NCRISC");
	for (size_t i = 0; i < all.n; i++)
		if (!strcmp(all.v[i].name, "READ") && !strcmp(all.v[i].risc, "NCRISC") &&
		    all.v[i].start < first)
			first = all.v[i].start;
	assert_true(first > reads->start && first < reads->end);
	vec_free(&all);
	tacho_program_free(p);
	tacho_device_close(d);
}

/* When DRAM is full too, markers are lost, which is reported; the firmware's zones are whole. */
static void test_quick_push_full(void **state)
{
	struct tacho_device *d;
	struct tacho_program *p;
	struct events all;
	uint64_t cut;

	(void)state;
	if (!have_compiler())
		return;
	setenv("TT_METAL_DEVICE_PROFILER_NOC_EVENTS", "1", 1);
	d = open_device(100);
	unsetenv("TT_METAL_DEVICE_PROFILER_NOC_EVENTS");
	assert_int_equal(tacho_program_new(&p, d), 0);
	assert_true(tacho_program_kernel(p, &(struct tacho_kernel){.source = DEVICE_KERNELS
								   "/many_reads.c"}) >= 0);
	program_run(d, p, 1);
	all = read_all(d);
	for (size_t i = 0; i < all.n; i++)
		assert_int_equal(all.v[i].damaged, !strcmp(all.v[i].name, "READS"));
	assert_int_equal(event_count(&all, "BRISC-FW"), 1);
	assert_int_equal(event_count(&all, "READS"), 1);
	assert_in_range(event_count(&all, "READ"), 200, 400);
	/* the contents of L1 at the end are not counted, but the cut is reported */
	assert_in_range(event_count(&all, "READ") +
				tacho_profiler_lost(d, (struct tacho_core){0, 0}, 0, &cut),
			1000 - 125, 1000);
	assert_int_equal(cut, 1);
	vec_free(&all);
	tacho_program_free(p);
	tacho_device_close(d);
}

static void test_accumulate(void **state)
{
	struct tacho_device *d;
	struct tacho_program *p;
	struct events all;

	(void)state;
	if (!have_compiler())
		return;
	d = OPEN_WITH("TT_METAL_PROFILER_ACCUMULATE=1");
	p = first_riscs(d, "plain.c", 2);
	program_run(d, p, 10);
	/* nothing has left L1 yet, and all is read */
	assert_int_equal(control_word(d, PROF_HOST_END), 0);
	assert_int_equal(control_word(d, PROF_DEVICE_END), 12 + 10 * 8);
	all = read_all(d);
	check_whole(&all);
	assert_int_equal(all.n, 10 * 2 * 2);
	vec_free(&all);
	program_run(d, p, 200);
	all = read_all(d);
	check_whole(&all);
	assert_int_equal(event_count(&all, "BRISC-FW"), 200);
	assert_int_equal(event_count(&all, "NCRISC-KERNEL"), 200);
	assert_in_range(event_count(&all, "PROFILER-DRAM-PUSH"), 2, 4);
	assert_int_equal(event_count(&all, "PROFILER-NOC-FLUSH"),
			 event_count(&all, "PROFILER-DRAM-PUSH"));
	assert_int_equal(all.v[all.n - 1].op, 0);
	vec_free(&all);
	all = read_all(d);
	assert_int_equal(all.n, 0);
	tacho_program_free(p);
	tacho_device_close(d);
}

/* Of a trace one pair of zones per core: from the first program to the last. */
static void test_trace_only(void **state)
{
	struct tacho_device *d;
	struct tacho_program *p, *q;
	struct tacho_trace *trace;
	struct events all;
	unsigned seen = 0;

	(void)state;
	if (!have_compiler())
		return;
	d = OPEN_WITH("TT_METAL_TRACE_PROFILER=1");
	p = first_riscs(d, "full.c", 2);
	q = first_riscs(d, "plain.c", 2);
	program_run(d, q, 1);
	assert_int_equal(tacho_trace_begin(d), 0);
	assert_int_equal(tacho_enqueue(d, q), 0);
	assert_int_equal(tacho_enqueue(d, p), 0);
	assert_int_equal(tacho_enqueue(d, q), 0);
	assert_int_equal(tacho_trace_end(d, &trace), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(tacho_trace_replay(trace), 0);
	program_run(d, p, 1);
	all = read_all(d);
	check_whole(&all);
	assert_int_equal(all.n, 6);
	assert_int_equal(event_count(&all, "TRACE-FW"), 3);
	assert_int_equal(event_count(&all, "TRACE-KERNEL"), 3);
	for (size_t i = 0; i < all.n; i++) {
		assert_string_equal(all.v[i].risc, "TENSIX_RISC_AGG");
		assert_int_equal(all.v[i].trace, 1);
		assert_true(all.v[i].end > all.v[i].start);
		seen |= 1u << all.v[i].replay;
	}
	assert_int_equal(seen, 2 | 4 | 8);
	vec_free(&all);
	tacho_trace_free(trace);
	tacho_program_free(p);
	tacho_program_free(q);
	tacho_device_close(d);
}

static uint64_t counter_value(const struct events *all, const char *name)
{
	const struct tacho_device_event *e = event_find(all, name, "BRISC");

	if (!e)
		fail_msg("no counter %s", name);
	assert_int_equal(e->kind, TACHO_DEVICE_DATA16);
	assert_true(e->data[0] >> 32 > 100);
	return (uint32_t)e->data[0];
}

/* Every group: one product of two tiles that BRISC brings and takes away. */
static void test_counters(void **state)
{
	struct tacho_device *d;
	struct tacho_program *p;
	struct events all;
	uint64_t waits;

	(void)state;
	if (!have_compiler())
		return;
	d = OPEN_WITH("TT_METAL_PROFILE_PERF_COUNTERS=all,l1_1");
	assert_int_equal(tacho_program_new(&p, d), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(tacho_program_cb(p, &(struct tacho_cb){.index = i == 2 ? 16 : i,
									.pages = 2,
									.page_size = 2048,
									.format = TACHO_BFLOAT16}),
				 (int)i);
	for (unsigned i = 0; i < 2; i++)
		assert_true(tacho_program_kernel(
				    p, &(struct tacho_kernel){.source = DEVICE_KERNELS "/matmul.c",
							      .risc = i ? TACHO_COMPUTE
									: TACHO_BRISC}) >= 0);
	program_run(d, p, 1);
	all = read_all(d);
	check_whole(&all);
	assert_int_equal(counter_value(&all, "FPU_COUNTER"), 64);
	assert_int_equal(counter_value(&all, "SFPU_COUNTER"), 0);
	assert_int_equal(counter_value(&all, "MATH_COUNTER"), 64);
	assert_int_equal(counter_value(&all, "MATH_INSTRN_STARTED"), 1);
	assert_int_equal(counter_value(&all, "UNPACK0_BUSY_THREAD0"), 32);
	assert_int_equal(counter_value(&all, "UNPACK1_BUSY_THREAD0"), 32);
	assert_int_equal(counter_value(&all, "PACKER_BUSY"), 32);
	/* BRISC uses NoC 0; what came before TRISC1 began is not counted */
	assert_true(counter_value(&all, "L1_0_NOC_RING0_INCOMING_0") <= 128);
	assert_int_equal(counter_value(&all, "L1_1_NOC_RING1_INCOMING_0"), 0);
	assert_int_equal(counter_value(&all, "L1_0_UNPACKER_0"), 32);
	/* math waits for its tiles, the packer for math */
	waits = counter_value(&all, "WAITING_FOR_SRCA_VALID") +
		counter_value(&all, "WAITING_FOR_SRCB_VALID");
	assert_true(counter_value(&all, "THREAD_STALLS_1") >= waits);
	assert_true(counter_value(&all, "WAITING_FOR_NONZERO_SEM_2") > 0);
	assert_int_equal(counter_value(&all, "WAITING_FOR_NONFULL_SEM_1"), 0);
	assert_true(counter_value(&all, "FPU_INSTRN_AVAILABLE_1") >
		    counter_value(&all, "FPU_INSTRN_AVAILABLE_0"));
	assert_int_equal(counter_value(&all, "UNPACK_INSTRN_AVAILABLE_2"), 0);
	assert_int_equal(counter_value(&all, "THREAD_INSTRUCTIONS_1"), 5);
	vec_free(&all);
	tacho_program_free(p);
	tacho_device_close(d);
}

/* A core of its own starts the programs, and its zones are of no op. */
static void test_dispatch(void **state)
{
	const struct tacho_device_event *go;
	struct tacho_device_info info;
	struct tacho_device *d;
	struct tacho_program *p;
	struct events all;

	(void)state;
	if (!have_compiler())
		return;
	d = OPEN_WITH("TT_METAL_DEVICE_PROFILER_DISPATCH=1");
	tacho_device_info(d, &info);
	assert_int_equal(info.cores, 2);
	assert_int_equal(info.rows, 1);
	p = first_riscs(d, "plain.c", 2);
	assert_true(tacho_program_kernel(p, &(struct tacho_kernel){.source = "x.c",
								   .cores = {{0, 1}, {0, 1}}}) < 0);
	program_run(d, p, 3);
	all = read_all(d);
	check_whole(&all);
	assert_int_equal(event_count(&all, "BRISC-FW"), 3);
	assert_int_equal(event_count(&all, "CQ-DISPATCH:CQ_DISPATCH_CMD_WRITE_PACKED"), 3);
	assert_int_equal(
		event_count(&all, "CQ-DISPATCH-SUBORDINATE:CQ_DISPATCH_CMD_SEND_GO_SIGNAL"), 3);
	assert_int_equal(event_count(&all, "process_cmd_d_dispatch"), 3 * 5);
	go = event_find(&all, "CQ-DISPATCH-SUBORDINATE:CQ_DISPATCH_CMD_SEND_GO_SIGNAL", "NCRISC");
	assert_int_equal(go->op, 0);
	assert_int_equal(go->core.y, 1);
	/* no worker starts before it gets the command, and BRISC waits for the last one */
	assert_true(event_find(&all, "BRISC-FW", "BRISC")->start > go->start);
	assert_true(event_find(&all, "BRISC-FW", "BRISC")->end <
		    event_find(&all, "CQ-DISPATCH:CQ_DISPATCH_CMD_WAIT", "BRISC")->end);
	assert_int_equal(event_find(&all, "runtime_host_id_dispatch", "BRISC")->data[0],
			 op_id(d, event_find(&all, "BRISC-FW", "BRISC")->op));
	vec_free(&all);
	tacho_program_free(p);
	tacho_device_close(d);
}

static void test_switches(void **state)
{
	struct tacho_device *d;
	unsigned groups;

	(void)state;
	assert_int_equal(prof_counter_groups("fpu,l1,instrn", &groups), 0);
	assert_int_equal(groups, 1 | 8 | 32);
	assert_int_equal(prof_counter_groups("all", &groups), 0);
	assert_int_equal(groups, 47);
	assert_int_equal(prof_counter_groups("0x21", &groups), 0);
	assert_int_equal(groups, 33);
	assert_true(prof_counter_groups("fpu,gpu", &groups) < 0);
	assert_true(prof_counter_groups("4096", &groups) < 0);
	setenv("TT_METAL_PROFILE_PERF_COUNTERS", "bogus", 1);
	assert_true(tacho_device_open(
			    &d, &(struct tacho_device_options){.arch = "tiny", .profile = 1}) < 0);
	assert_non_null(strstr(tacho_device_error(), "not 'bogus'"));
	unsetenv("TT_METAL_PROFILE_PERF_COUNTERS");
	setenv("TT_METAL_TRACE_PROFILER", "1", 1);
	setenv("TT_METAL_PROFILER_ACCUMULATE", "1", 1);
	assert_true(tacho_device_open(
			    &d, &(struct tacho_device_options){.arch = "tiny", .profile = 1}) < 0);
	assert_non_null(strstr(tacho_device_error(), "exclude"));
	unsetenv("TT_METAL_TRACE_PROFILER");
	unsetenv("TT_METAL_PROFILER_ACCUMULATE");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_languages),  cmocka_unit_test(test_main_zones),
		cmocka_unit_test(test_hashes),     cmocka_unit_test(test_logs),
		cmocka_unit_test(test_quick_push), cmocka_unit_test(test_quick_push_full),
		cmocka_unit_test(test_accumulate), cmocka_unit_test(test_trace_only),
		cmocka_unit_test(test_dispatch),   cmocka_unit_test(test_counters),
		cmocka_unit_test(test_switches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
