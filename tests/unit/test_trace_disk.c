/* Writes that fail: the file stays valid to its last whole block, and the error names it. */
#include "trace_tools.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void limit_size(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static uint64_t count_zones(const char *path)
{
	struct trace *t = test_open(path);
	struct trace_walk *w;
	struct trace_zone z;
	uint32_t lane;
	uint64_t n = 0;

	assert_true(t->damage.unfinished);
	assert_int_equal(trace_walk_open(&w, t, TRACE_NONE, 0, UINT64_MAX), 0);
	while (trace_walk_next(w, &z, &lane) > 0)
		assert_true(z.start == 10 * n++);
	trace_walk_close(w);
	assert_int_equal(n, t->zones);
	assert_int_equal(t->damage.bad_blocks, 0);
	trace_close(t);
	return n;
}

/* The file may grow to BYTES only. Errors stick, nothing else breaks. */
static void fill(rlim_t bytes)
{
	char path[128], part[160];
	struct tacho_error err;
	struct trace_writer *w;
	struct trace_lane *lane;
	uint64_t seed = 9, n = 0;
	int r = 0;

	strcpy(path, test_path("full.tacho"));
	snprintf(part, sizeof(part), "%s.part", path);
	w = test_writer(path);
	test_model(w, 1, 1);
	lane = trace_lane(w, 0, 0);
	limit_size(bytes);
	for (; r == 0 && n < 1000000; n++) {
		r = trace_lane_add(w, lane, 10 * n, 10 * n + test_random(&seed) % 9, 0, 0);
		if (r == 0 && n % 20000 == 0)
			r = trace_checkpoint(w, NULL, 0);
	}
	assert_int_equal(r, TACHO_EWRITE);
	assert_int_equal(trace_lane_add(w, lane, 10 * n, 10 * n, 0, 0), TACHO_EWRITE);
	assert_int_equal(trace_checkpoint(w, NULL, 0), TACHO_EWRITE);
	assert_int_equal(trace_writer_close(w, &err), TACHO_EWRITE);
	limit_size(RLIM_INFINITY);
	assert_non_null(strstr(err.text, part));
	assert_int_equal(access(path, F_OK), -1);
	count_zones(part);
}

static void test_full(void **state)
{
	(void)state;
	for (rlim_t bytes = 1000; bytes < 400000; bytes = bytes * 5 / 4 + 7)
		fill(bytes);
}

/* A full disk when the file is made leaves no file behind. */
static void test_full_at_once(void **state)
{
	struct trace_writer_options options = {.force = true};
	struct tacho_error err;
	struct trace_writer *w;

	(void)state;
	limit_size(10);
	assert_int_equal(trace_writer_open(&w, test_path("none.tacho"), &options, &err),
			 TACHO_EWRITE);
	limit_size(RLIM_INFINITY);
	assert_int_equal(access(test_path("none.tacho.part"), F_OK), -1);
}

/* The recorder's memory stays bounded however many lanes there are. */
static void test_bounded(void **state)
{
	struct trace_writer_options options = {.force = true, .memory = 4 << 20};
	struct trace_writer *w;
	size_t most = 0;

	(void)state;
	assert_int_equal(trace_writer_open(&w, test_path("lanes.tacho"), &options, NULL), 0);
	test_model(w, 5000, 1);
	for (uint64_t i = 0; i < 2000000; i++) {
		size_t buffered;

		trace_lane_add(w, trace_lane(w, (uint32_t)(i * i % 5000), 0), 10 * i, 10 * i + 3, 0,
			       0);
		buffered = trace_writer_buffered(w);
		most = buffered > most ? buffered : most;
	}
	assert_true(most < (6 << 20));
	test_close(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_full_at_once),
		cmocka_unit_test(test_bounded),
	};
	int r;

	signal(SIGXFSZ, SIG_IGN);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	test_cleanup();
	return r;
}
