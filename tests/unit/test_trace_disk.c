/* SPDX-License-Identifier: Apache-2.0 */
/* Writes that fail: the file stays valid to its last whole block, and the error names it. */
#include "trace_tools.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* The Nth call of a kind from now on fails with ERROR, or takes a byte only when ERROR is 0. */
enum call { CALL_WRITE, CALL_SYNC, CALL_RENAME, CALL_CLOSE, CALLS };

static struct {
	long countdown; /* < 0: none fails */
	int error;
} faults[CALLS] = {{-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}};

static bool write_fails(enum call call)
{
	return faults[call].countdown >= 0 && faults[call].countdown-- == 0;
}

ssize_t __real_write(int fd, const void *bytes, size_t len);
ssize_t __wrap_write(int fd, const void *bytes, size_t len);
int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);
int __real_close(int fd);
int __wrap_close(int fd);
int __real_renameat2(int from, const char *old, int to, const char *new, unsigned flags);
int __wrap_renameat2(int from, const char *old, int to, const char *new, unsigned flags);

ssize_t __wrap_write(int fd, const void *bytes, size_t len)
{
	if (!write_fails(CALL_WRITE))
		return __real_write(fd, bytes, len);
	if (!faults[CALL_WRITE].error)
		return __real_write(fd, bytes, len > 1);
	errno = faults[CALL_WRITE].error;
	return -1;
}

static int write_outcome(enum call call, int r)
{
	if (!write_fails(call))
		return r;
	errno = faults[call].error;
	return -1;
}

int __wrap_fsync(int fd)
{
	return write_outcome(CALL_SYNC, __real_fsync(fd));
}

int __wrap_fdatasync(int fd)
{
	return write_outcome(CALL_SYNC, __real_fdatasync(fd));
}

int __wrap_close(int fd)
{
	return write_outcome(CALL_CLOSE, __real_close(fd));
}

int __wrap_renameat2(int from, const char *old, int to, const char *new, unsigned flags)
{
	if (write_fails(CALL_RENAME)) {
		errno = faults[CALL_RENAME].error;
		return -1;
	}
	return __real_renameat2(from, old, to, new, flags);
}

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
static void trace_fill(rlim_t bytes)
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
		trace_fill(bytes);
}

/* A full disk when the file is created leaves no file. */
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

/* Writes a trace of some blocks with call number N of a kind failing. */
static int write_with_fault(enum call call, long n, int error, struct tacho_error *err)
{
	struct trace_writer_options options = {.force = true, .durable = true};
	struct trace_writer *w;
	uint64_t seed = 3;
	int r = 0;

	faults[call].countdown = n;
	faults[call].error = error;
	r = trace_writer_open(&w, test_path("fault.tacho"), &options, err);
	if (r < 0)
		return r;
	test_model(w, 1, 1);
	for (uint64_t i = 0; i < 40000; i++) {
		trace_lane_add(w, trace_lane(w, 0, 0), 10 * i, 10 * i + test_random(&seed) % 9, 0,
			       0);
		if (i % 10000 == 9999)
			trace_checkpoint(w, "s", 1);
	}
	return trace_writer_close(w, err);
}

/* An error that counts: reported, and what was written before it is there. */
static void fail_each(enum call call, int error)
{
	char part[160];
	struct tacho_error err;
	long n = 0;
	int r;

	strcpy(part, test_path("fault.tacho.part"));
	for (;; n++) {
		unlink(test_path("fault.tacho"));
		unlink(part);
		r = write_with_fault(call, n, error, &err);
		if (faults[call].countdown >= 0)
			break;
		assert_int_equal(r, TACHO_EWRITE);
		assert_non_null(strstr(err.text, test_path("fault.tacho")));
		if (access(part, F_OK) == 0) {
			struct trace *t = test_open(part);

			assert_int_equal(t->damage.bad_blocks, 0);
			trace_close(t);
		}
	}
	faults[call].countdown = -1;
	assert_int_equal(r, 0);
	assert_true(n > 0);
}

static void test_errors(void **state)
{
	(void)state;
	fail_each(CALL_WRITE, EIO);
	fail_each(CALL_WRITE, ENOSPC);
	fail_each(CALL_SYNC, EIO);
	fail_each(CALL_RENAME, EACCES);
}

/* close() may report a write that failed late. */
static void test_close_error(void **state)
{
	struct trace_writer_options options = {.force = true};
	struct tacho_error err;
	struct trace_writer *w;

	(void)state;
	assert_int_equal(trace_writer_open(&w, test_path("late.tacho"), &options, &err), 0);
	faults[CALL_CLOSE].countdown = 0;
	faults[CALL_CLOSE].error = EIO;
	assert_int_equal(trace_writer_close(w, &err), TACHO_EWRITE);
	assert_non_null(strstr(err.text, "late.tacho.part"));
	assert_int_equal(access(test_path("late.tacho.part"), F_OK), 0);
	assert_int_equal(access(test_path("late.tacho"), F_OK), -1);
}

/* Interrupted and short writes do not matter. */
static void test_retried(void **state)
{
	struct tacho_error err;
	struct trace_check check;
	struct trace *t;

	(void)state;
	for (int error = 0; error <= EINTR; error += EINTR) {
		for (long n = 0; n < 8; n++) {
			assert_int_equal(write_with_fault(CALL_WRITE, n, error, &err), 0);
			faults[CALL_WRITE].countdown = -1;
			t = test_open(test_path("fault.tacho"));
			assert_int_equal(trace_check(t, &check, NULL), 0);
			assert_int_equal(check.errors, 0);
			assert_int_equal(check.zones, 40000);
			trace_close(t);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full),    cmocka_unit_test(test_full_at_once),
		cmocka_unit_test(test_errors),  cmocka_unit_test(test_close_error),
		cmocka_unit_test(test_retried), cmocka_unit_test(test_bounded),
	};
	int r;

	signal(SIGXFSZ, SIG_IGN);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	test_cleanup();
	return r;
}
