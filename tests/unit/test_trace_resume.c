/* SPDX-License-Identifier: Apache-2.0 */
/* A recorder that is killed at any moment and resumed: nothing twice, nothing missing. */
#include "trace_tools.h"

#include <fcntl.h>
#include <sys/stat.h>

enum { EVENTS = 30000, TRACKS = 40 };

/* What the recorder remembers in its checkpoints: the number of the next event. */
struct progress {
	uint64_t next;
	char padding[100];
};

static uint32_t track_of(uint64_t i)
{
	return (uint32_t)(i * 7 % TRACKS);
}

/* Event I is always the same: a zone, at times with an attachment, at times a row or a new name. */
static void add_event(struct trace_writer *w, uint64_t i)
{
	uint32_t track = track_of(i), depth = (uint32_t)(i / 100 % 3);
	struct trace_extra extra = {.kind = TRACE_EXTRA_VALUE, .value = i};
	struct trace_row row = {
		.time = i, .kind = TRACE_ROW_PLOT_INT, .thread = track, .a = i, .text = ""};
	struct trace_ledger ledger = {.zones_emitted = 1, .rows_emitted = i % 3 == 0};
	char name[32];
	int64_t srcloc;

	snprintf(name, sizeof(name), "name %u", (unsigned)(i / 500));
	srcloc = trace_add_srcloc(w, &(struct trace_srcloc){name, "f", "f.c", 1, 0});
	assert_int_equal(srcloc, i / 500);
	assert_int_equal(trace_lane_add_full(w, trace_lane(w, track, depth), 10 * i, 10 * i + 9,
					     (uint32_t)srcloc, 0, 0, &extra, i % 50 == 0),
			 0);
	if (i % 3 == 0)
		assert_int_equal(trace_add_row(w, track, &row), 0);
	assert_int_equal(trace_add_ledger(w, track, &ledger), 0);
}

static void trace_record(struct trace_writer *w, uint64_t from, uint64_t to, uint64_t every)
{
	struct progress p = {0};

	for (uint64_t i = from; i < to; i++) {
		add_event(w, i);
		if (i % every == every - 1) {
			p.next = i + 1;
			assert_int_equal(trace_checkpoint(w, &p, sizeof(p)), 0);
		}
	}
}

static void check_all(const char *path)
{
	struct trace *t = test_open(path);
	uint8_t *seen = calloc(EVENTS, 1);
	struct trace_check check;
	struct trace_zone z;
	struct trace_extra x;
	struct trace_walk *w;
	struct trace_rows *r;
	struct trace_row row;
	struct trace_stat *stats;
	uint32_t lane, track;
	uint64_t rows = 0;
	size_t count;

	assert_string_equal(t->damage.text, "");
	assert_int_equal(t->zones, EVENTS);
	assert_int_equal(trace_check(t, &check, NULL), 0);
	assert_string_equal(check.first_error, "");
	assert_int_equal(check.emitted, check.stored);
	assert_int_equal(trace_walk_open(&w, t, TRACE_NONE, 0, UINT64_MAX), 0);
	while (trace_walk_next(w, &z, &lane) > 0) {
		uint64_t i = z.start / 10;

		assert_true(i < EVENTS && !seen[i]++);
		assert_int_equal(t->lanes[lane].track, track_of(i));
		assert_int_equal(z.srcloc, i / 500);
		assert_int_equal(z.extras, i % 50 == 0);
		if (z.extras) {
			assert_int_equal(trace_cursor_extra(trace_walk_cursor(w), 0, &x), 0);
			assert_int_equal(x.value, i);
		}
	}
	trace_walk_close(w);
	assert_int_equal(trace_rows_open(&r, t, TRACE_NONE, 0, UINT64_MAX), 0);
	for (; trace_rows_next(r, &row, &track) > 0; rows++)
		assert_true(row.a == 3 * rows && row.thread == track_of(row.a));
	trace_rows_close(r);
	assert_int_equal(rows, EVENTS / 3);
	assert_int_equal(trace_stats(t, NULL, &stats, &count, NULL), 0);
	assert_int_equal(count, EVENTS / 500);
	for (size_t i = 0; i < count; i++)
		assert_true(stats[i].count == 500 && stats[i].total == 4500);
	free(stats);
	free(seen);
	trace_close(t);
}

/* Kills: the file as it was when it had SIZE bytes is what the next recorder finds. */
static void test_kills(void **state)
{
	char path[128], part[160];
	uint64_t seed = 11;
	int resumed = 0;

	(void)state;
	strcpy(path, test_path("kill.tacho"));
	snprintf(part, sizeof(part), "%s.part", path);
	for (int round = 0; round < 12; round++) {
		struct trace_writer_options options = {.force = true, .memory = 1 << 18};
		struct trace_writer *w;
		struct tacho_error err;
		uint64_t next = 0;

		assert_int_equal(trace_writer_open(&w, path, &options, &err), 0);
		test_model(w, TRACKS, 0);
		for (;;) {
			uint64_t to = next + test_random(&seed) % EVENTS;
			const struct progress *p;
			struct stat st;
			size_t len;
			int r;

			trace_record(w, next, to < EVENTS ? to : EVENTS,
				     100 + test_random(&seed) % 3000);
			if (to >= EVENTS)
				break;
			trace_writer_abandon(w);
			assert_int_equal(stat(part, &st), 0);
			assert_int_equal(
				truncate(part, st.st_size - (off_t)(test_random(&seed) % 200)), 0);
			r = trace_writer_resume(&w, path, &options, (const void **)&p, &len, &err);
			if (r == TACHO_ENO) { /* killed before the first checkpoint */
				next = 0;
				assert_int_equal(trace_writer_open(&w, path, &options, &err), 0);
				test_model(w, TRACKS, 0);
				continue;
			}
			assert_int_equal(r, 0);
			assert_int_equal(len, sizeof(*p));
			next = p->next;
			resumed++;
		}
		test_close(w);
		check_all(path);
	}
	assert_true(resumed > 5);
}

/* A state of several blocks comes back whole; a torn one does not count. */
static void test_large_state(void **state)
{
	enum { LEN = 20 << 20 };
	char path[128], part[160];
	char *big = malloc(LEN);
	struct trace_writer_options options = {.force = true};
	struct trace_writer *w;
	struct stat st;
	const void *back;
	uint64_t seed = 5;
	size_t len;

	(void)state;
	for (size_t i = 0; i < LEN; i += 8)
		*(uint64_t *)(big + i) = test_random(&seed);
	strcpy(path, test_path("state.tacho"));
	snprintf(part, sizeof(part), "%s.part", path);
	w = test_writer(path);
	assert_int_equal(trace_checkpoint(w, "small", 5), 0);
	assert_int_equal(trace_checkpoint(w, big, LEN), 0);
	trace_writer_abandon(w);
	assert_int_equal(trace_writer_resume(&w, path, &options, &back, &len, NULL), 0);
	assert_int_equal(len, LEN);
	assert_memory_equal(back, big, LEN);
	trace_writer_abandon(w);
	assert_int_equal(stat(part, &st), 0);
	assert_int_equal(truncate(part, st.st_size - 1), 0);
	assert_int_equal(trace_writer_resume(&w, path, &options, &back, &len, NULL), 0);
	assert_int_equal(len, 5);
	assert_memory_equal(back, "small", 5);
	test_close(w);
	free(big);
}

/* Names of outputs: what exists is kept without force, links are not followed. */
static void test_names(void **state)
{
	struct trace_writer_options options = {0};
	struct trace_writer *w;
	char path[128], part[160];
	struct tacho_error err;

	(void)state;
	strcpy(path, test_path("names.tacho"));
	snprintf(part, sizeof(part), "%s.part", path);
	assert_int_equal(trace_writer_open(&w, path, &options, &err), 0);
	assert_int_equal(access(part, F_OK), 0);
	test_close(w);
	assert_int_equal(access(part, F_OK), -1);
	assert_int_equal(trace_writer_open(&w, path, &options, &err), TACHO_EEXISTS);
	unlink(path);
	assert_int_equal(symlink("/dev/null", part), 0);
	assert_int_equal(trace_writer_open(&w, path, &options, &err), TACHO_EEXISTS);
	options.force = true;
	assert_int_equal(trace_writer_open(&w, path, &options, &err), 0);
	test_close(w);
	assert_int_equal(trace_writer_open(&w, test_path("no/such/folder"), &options, &err),
			 TACHO_EWRITE);
	assert_int_equal(trace_writer_open(&w, test_folder, &options, &err), TACHO_EWRITE);
	options.force = false;
	unlink(path);
	assert_int_equal(trace_writer_open(&w, path, &options, &err), 0);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(trace_writer_close(w, &err), TACHO_EEXISTS);
	assert_non_null(strstr(err.text, part));
	assert_int_equal(access(part, F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kills),
		cmocka_unit_test(test_large_state),
		cmocka_unit_test(test_names),
	};
	int r = cmocka_run_group_tests(tests, NULL, NULL);

	test_cleanup();
	return r;
}
