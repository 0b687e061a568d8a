/* SPDX-License-Identifier: Apache-2.0 */
/* A trace that is followed while it grows, against the same file opened afresh after each step. */
#include "trace_tools.h"

#include <fcntl.h>

static void same_text(const char *a, const char *b)
{
	assert_string_equal(a, b);
}

static void same_model(const struct trace *a, const struct trace *b)
{
	assert_int_equal(a->process_count, b->process_count);
	assert_int_equal(a->track_count, b->track_count);
	assert_int_equal(a->srcloc_count, b->srcloc_count);
	assert_int_equal(a->property_count, b->property_count);
	assert_int_equal(a->clock_point_count, b->clock_point_count);
	for (uint32_t i = 0; i < a->process_count; i++) {
		const struct trace_process *x = &a->processes[i], *y = &b->processes[i];

		assert_true(x->pid == y->pid && x->end == y->end);
		assert_int_equal(x->exit_status, y->exit_status);
		same_text(x->name, y->name);
	}
	for (uint32_t i = 0; i < a->track_count; i++) {
		assert_int_equal(a->tracks[i].id, b->tracks[i].id);
		same_text(a->tracks[i].name, b->tracks[i].name);
		assert_memory_equal(&a->ledgers[i], &b->ledgers[i], sizeof(a->ledgers[i]));
	}
	for (uint32_t i = 0; i < a->srcloc_count; i++)
		same_text(a->srclocs[i].name, b->srclocs[i].name);
	for (uint32_t i = 0; i < a->property_count; i++)
		same_text(a->properties[i].value, b->properties[i].value);
	for (uint32_t i = 0; i < a->clock_point_count; i++)
		assert_int_equal(a->clock_points[i].ticks, b->clock_points[i].ticks);
}

static void same_counts(const struct trace *a, const struct trace *b)
{
	assert_int_equal(a->file_size, b->file_size);
	assert_int_equal(a->zones, b->zones);
	assert_int_equal(a->rows, b->rows);
	assert_int_equal(a->start, b->start);
	assert_int_equal(a->end, b->end);
	assert_int_equal(a->lane_count, b->lane_count);
	for (uint32_t i = 0; i < a->lane_count; i++) {
		const struct trace_lane_info *x = &a->lanes[i], *y = &b->lanes[i];

		assert_true(x->track == y->track && x->depth == y->depth);
		assert_true(x->zones == y->zones && x->start == y->start && x->end == y->end);
	}
	assert_int_equal(a->open_count, b->open_count);
	for (uint32_t i = 0; i < a->open_count; i++)
		assert_true(a->open_zones[i].start == b->open_zones[i].start &&
			    a->open_zones[i].depth == b->open_zones[i].depth);
	assert_int_equal(a->damage.unfinished, b->damage.unfinished);
	assert_int_equal(a->damage.missing_bytes, b->damage.missing_bytes);
	assert_int_equal(a->damage.bad_blocks, b->damage.bad_blocks);
	same_text(a->damage.text, b->damage.text);
	/* Durations do not depend on where times are counted from. */
	assert_true(trace_ns(a, a->end) - trace_ns(a, a->start) == trace_ns(b, b->end));
}

static void same_zones(struct trace *a, struct trace *b)
{
	struct trace_walk *x, *y;
	struct trace_zone p, q;
	uint32_t lane[2];
	int r;

	assert_int_equal(trace_walk_open(&x, a, TRACE_NONE, 0, UINT64_MAX), 0);
	assert_int_equal(trace_walk_open(&y, b, TRACE_NONE, 0, UINT64_MAX), 0);
	do {
		r = trace_walk_next(x, &p, &lane[0]);
		assert_int_equal(r, trace_walk_next(y, &q, &lane[1]));
		if (r > 0)
			assert_true(p.start == q.start && p.end == q.end && p.srcloc == q.srcloc &&
				    p.flags == q.flags && lane[0] == lane[1]);
	} while (r > 0);
	assert_int_equal(r, 0);
	trace_walk_close(x);
	trace_walk_close(y);
}

static void same_rows(struct trace *a, struct trace *b)
{
	struct trace_rows *x, *y;
	struct trace_row p, q;
	uint32_t track[2];
	int r;

	assert_int_equal(trace_rows_open(&x, a, TRACE_NONE, 0, UINT64_MAX), 0);
	assert_int_equal(trace_rows_open(&y, b, TRACE_NONE, 0, UINT64_MAX), 0);
	do {
		r = trace_rows_next(x, &p, &track[0]);
		assert_int_equal(r, trace_rows_next(y, &q, &track[1]));
		if (r > 0) {
			assert_true(p.time == q.time && p.a == q.a && track[0] == track[1]);
			assert_int_equal(p.text_len, q.text_len);
			assert_memory_equal(p.text, q.text, p.text_len);
		}
	} while (r > 0);
	assert_int_equal(r, 0);
	trace_rows_close(x);
	trace_rows_close(y);
}

/* The index that grew gives what one that was made at once gives, to the last item. */
static void same_lod(struct trace_lod *a, struct trace *t, struct trace *fresh, uint64_t *seed)
{
	struct trace_lod *b;
	uint64_t span = t->end - t->start + 1;

	assert_int_equal(trace_lod_open(&b, fresh, "/proc/nowhere", NULL), 0);
	for (uint32_t lane = 0; lane < t->lane_count; lane++) {
		for (int i = 0; i < 4; i++) {
			struct trace_lod_item *x = NULL, *y = NULL;
			size_t n[2] = {0}, cap[2] = {0};
			uint64_t t0 = i ? t->start + test_random(seed) % span : t->start;
			uint64_t t1 = i ? t0 + (span >> test_random(seed) % 20) + 1 : t->end + 1;
			uint32_t width = 1 + (uint32_t)(test_random(seed) % 500);

			assert_int_equal(
				trace_lod_query(a, lane, t0, t1, width, &x, &n[0], &cap[0]), 0);
			assert_int_equal(
				trace_lod_query(b, lane, t0, t1, width, &y, &n[1], &cap[1]), 0);
			assert_int_equal(n[0], n[1]);
			for (size_t k = 0; k < n[0]; k++)
				assert_true(x[k].start == y[k].start && x[k].end == y[k].end &&
					    x[k].count == y[k].count && x[k].busy == y[k].busy &&
					    x[k].index == y[k].index && x[k].srcloc == y[k].srcloc);
			free(x);
			free(y);
		}
	}
	trace_lod_close(b);
}

static void traces_same(struct trace *t, struct trace_lod *lod, const char *path, uint64_t *seed)
{
	struct trace *fresh = test_open(path);

	same_model(t, fresh);
	same_counts(t, fresh);
	same_zones(t, fresh);
	same_rows(t, fresh);
	same_lod(lod, t, fresh, seed);
	trace_close(fresh);
}

/* ------------------------------------------------------------ a recording */

struct recording {
	struct trace_writer *w;
	uint64_t seed, now;
	uint32_t threads, names, messages;
	unsigned step;
};

static void record_start(struct recording *r, const char *path)
{
	struct trace_clock_point point = {.ticks = 1000, .monotonic_ns = 5000};
	struct trace_track track = {.kind = TRACE_MESSAGES, .srcloc = TRACE_NONE, .name = "text"};

	r->w = test_writer(path);
	r->now = 1000;
	test_model(r->w, 2, 3);
	r->threads = 2;
	r->names = 3;
	r->messages = (uint32_t)trace_add_track(r->w, &track);
	trace_add_clock_point(r->w, &point);
	trace_checkpoint(r->w, "s", 1);
}

static uint32_t record_thread(struct recording *r)
{
	struct trace_track track = {.kind = TRACE_THREAD, .srcloc = TRACE_NONE, .name = "later"};

	/* Numbered after the messages: lanes of new tracks do not come only at the end. */
	if (r->step % 5 == 4)
		r->threads = (uint32_t)trace_add_track(r->w, &track) + 1;
	return r->threads;
}

static void record_rows(struct recording *r)
{
	for (uint64_t n = test_random(&r->seed) % 30; n; n--) {
		struct trace_row row = {.time = r->now + test_random(&r->seed) % 300,
					.kind = TRACE_ROW_MESSAGE,
					.thread = TRACE_NONE,
					.a = n,
					.text = "hello there",
					.text_len = 5 + n % 6};

		assert_int_equal(trace_add_row(r->w, r->messages, &row), 0);
	}
}

/* Zones, rows, names, a change of what is known, then a checkpoint. */
static void record_step(struct recording *r)
{
	struct test_shape shape = {r->names, 3, 40, 60, 4, false};
	struct trace_process process = {.pid = 1, .name = "test", .command = "c", .end = r->step};
	struct trace_clock_point point = {.ticks = r->now, .monotonic_ns = (int64_t)r->now * 4 + 1};
	struct trace_ledger more = {.zones_emitted = 7};
	struct trace_open_zone open = {.track = 0, .depth = 9, .srcloc = 1, .start = r->now};
	struct trace_srcloc srcloc = {.name = "step", .function = "f", .file = "x.c"};
	struct test_zones z = {0};
	uint64_t count = test_random(&r->seed) % 3000;
	uint32_t threads = record_thread(r);

	srcloc.line = r->step;
	trace_add_srcloc(r->w, &srcloc);
	while (z.n < count) {
		uint32_t track = (uint32_t)(test_random(&r->seed) % threads);

		test_tree(&z, &r->seed, &shape, track == r->messages ? 0 : track, 0, &r->now);
	}
	test_write_zones(r->w, &z);
	record_rows(r);
	trace_update_process(r->w, 0, &process);
	trace_add_ledger(r->w, 1, &more);
	trace_add_clock_point(r->w, &point);
	trace_set_open_zones(r->w, &open, r->step % 3 > 0);
	if (r->step++ % 4)
		assert_int_equal(trace_checkpoint(r->w, "state", 5), 0);
	free(z.v);
}

/* ------------------------------------------------------------------ tests */

/* Appends bytes [from, to) of one file to another. */
static void file_append(const char *from_path, const char *to_path, size_t from, size_t to)
{
	int in = open(from_path, O_RDONLY),
	    out = open(to_path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	char *bytes = malloc(to - from + 1);

	assert_true(in >= 0 && out >= 0 && bytes);
	assert_int_equal(pread(in, bytes, to - from, (off_t)from), to - from);
	assert_int_equal(write(out, bytes, to - from), to - from);
	free(bytes);
	close(in);
	close(out);
}

static size_t file_size(const char *path)
{
	int fd = open(path, O_RDONLY);
	off_t size = lseek(fd, 0, SEEK_END);

	close(fd);
	return (size_t)size;
}

/* The file grows by pieces that end anywhere, in the middle of a header as well. */
static void grow_by_pieces(uint64_t seed, size_t piece)
{
	struct recording r = {.seed = seed};
	const char *whole = test_path("whole.tacho"), *name = test_path("cut.tacho");
	const char *part = test_path("cut.tacho.part");
	struct trace_lod *lod = NULL;
	struct trace *t = NULL;
	size_t size, at = 64;

	unlink(part);
	unlink(name);
	record_start(&r, whole);
	for (int i = 0; i < 25; i++)
		record_step(&r);
	test_close(r.w);
	size = file_size(whole);
	file_append(whole, part, 0, at);
	assert_int_equal(trace_follow(&t, name, NULL), 0);
	assert_int_equal(trace_lod_open(&lod, t, NULL, NULL), 0);
	while (at < size) {
		size_t to = at + test_random(&seed) % piece + 1;
		uint64_t generation = t->generation;
		int change;

		to = to < size ? to : size;
		file_append(whole, part, at, to);
		at = to;
		change = trace_refresh(t, NULL);
		assert_true(change == TRACE_SAME || change == TRACE_GREW);
		assert_int_equal(t->generation, generation + (change == TRACE_GREW));
		assert_int_equal(trace_lod_refresh(lod, NULL), 0);
		traces_same(t, lod, part, &seed);
	}
	assert_false(t->damage.unfinished);
	assert_int_equal(rename(part, name), 0);
	assert_int_equal(trace_refresh(t, NULL), TRACE_SAME);
	assert_string_equal(t->path, name);
	traces_same(t, lod, name, &seed);
	trace_lod_close(lod);
	trace_close(t);
}

/* Follows a recording on two threads until it has ZONES; bytes of its index in memory then. */
static uint64_t follow_long(uint64_t zones, uint64_t *index)
{
	struct recording r = {.seed = 11};
	struct test_shape shape = {3, 2, 40, 60, 1, false};
	const char *part = test_path("long.tacho.part");
	struct test_zones z = {0};
	struct trace_lod *lod;
	struct trace *t, *fresh;
	uint64_t memory, seed = 3;

	unlink(part);
	record_start(&r, test_path("long.tacho"));
	assert_int_equal(trace_follow(&t, part, NULL), 0);
	assert_int_equal(trace_lod_open(&lod, t, test_path("long"), NULL), 0);
	trace_lod_set_cache(lod, 100000);
	for (uint64_t n = 0; n < zones; n += z.n) {
		z.n = 0;
		while (z.n < 100000)
			test_tree(&z, &r.seed, &shape, z.n % 2, 0, &r.now);
		test_write_zones(r.w, &z);
		assert_int_equal(trace_checkpoint(r.w, "state", 5), 0);
		assert_int_equal(trace_refresh(t, NULL), TRACE_GREW);
		assert_int_equal(trace_lod_refresh(lod, NULL), 0);
	}
	/* Blocks that were dropped are read again. */
	fresh = test_open(part);
	for (int i = 0; i < 20; i++)
		same_lod(lod, t, fresh, &seed);
	trace_close(fresh);
	*index = trace_lod_size(lod);
	memory = trace_lod_memory(lod);
	trace_lod_close(lod);
	trace_close(t);
	trace_writer_abandon(r.w);
	free(z.v);
	return memory;
}

/* The memory of the index does not grow with the recording. */
static void test_long(void **state)
{
	uint64_t index[2], memory[2];

	(void)state;
	memory[0] = follow_long(500000, &index[0]);
	memory[1] = follow_long(1000000, &index[1]);
	assert_true(index[1] > index[0] + 1000000);
	assert_true(memory[1] < memory[0] + 100000);
}

static void test_pieces(void **state)
{
	(void)state;
	grow_by_pieces(11, 9000);
	grow_by_pieces(12, 90000);
	grow_by_pieces(13, 700);
}

/* A recorder is killed, another takes over: the data after its checkpoint changes. */
static void test_resumed(void **state)
{
	struct recording r = {.seed = 5};
	const char *path = test_path("resumed.tacho"), *part = test_path("resumed.tacho.part");
	struct tacho_error err;
	struct trace_lod *lod;
	struct trace *t;
	uint64_t seed = 3, origin;
	const void *bytes;
	size_t len;

	(void)state;
	record_start(&r, path);
	record_step(&r);
	assert_int_equal(trace_follow(&t, part, NULL), 0);
	assert_int_equal(trace_lod_open(&lod, t, NULL, NULL), 0);
	origin = t->origin;
	for (int round = 0; round < 6; round++) {
		struct test_zones z = {0};

		for (int i = 0; i < 3; i++)
			record_step(&r);
		assert_int_equal(trace_checkpoint(r.w, "end", 3), 0);
		/* After the checkpoint: one whole block, or half of one. */
		for (uint32_t i = 0; i < 8192 * 9; i++)
			test_zone_add(&z,
				      (struct test_zone){.start = r.now + 5000000ull * i,
							 .end = r.now + 5000000ull * i +
								test_random(&r.seed) % 5000000});
		test_write_zones(r.w, &z);
		free(z.v);
		trace_writer_abandon(r.w);
		if (round % 2)
			assert_int_equal(truncate(part, (off_t)file_size(part) - 100), 0);
		assert_true(trace_refresh(t, &err) >= 0);
		assert_int_equal(trace_lod_refresh(lod, NULL), 0);
		traces_same(t, lod, part, &seed);
		assert_int_equal(trace_writer_resume(&r.w, path, NULL, &bytes, &len, &err), 0);
		if (round > 2) {
			/* Seen while it is short, or only when it has grown again. */
			assert_int_equal(trace_refresh(t, &err), TRACE_RELOADED);
			assert_int_equal(trace_lod_refresh(lod, NULL), 0);
			traces_same(t, lod, part, &seed);
		}
		for (int i = 0; i < 12; i++)
			record_step(&r);
		assert_int_equal(trace_refresh(t, &err), round > 2 ? TRACE_GREW : TRACE_RELOADED);
		assert_int_equal(trace_lod_refresh(lod, NULL), 0);
		traces_same(t, lod, part, &seed);
	}
	test_close(r.w);
	assert_int_equal(trace_refresh(t, &err), TRACE_GREW);
	assert_int_equal(trace_lod_refresh(lod, NULL), 0);
	assert_string_equal(t->path, path);
	assert_int_equal(t->origin, origin);
	traces_same(t, lod, path, &seed);
	trace_lod_close(lod);
	trace_close(t);
}

/* The next recording at the same path takes the place of the one before. */
static void test_replaced(void **state)
{
	struct recording r = {.seed = 8}, next = {.seed = 9};
	const char *path = test_path("again.tacho"), *part = test_path("again.tacho.part");
	struct trace_lod *lod;
	struct trace *t;
	uint64_t seed = 4;
	uint8_t uuid[16];
	int fd;

	(void)state;
	record_start(&r, path);
	record_step(&r);
	test_close(r.w);
	assert_int_equal(trace_follow(&t, path, NULL), 0);
	assert_int_equal(trace_lod_open(&lod, t, "/proc/nowhere", NULL), 0);
	memcpy(uuid, t->uuid, sizeof(uuid));
	assert_int_equal(trace_refresh(t, NULL), TRACE_SAME);
	/* A file that has no header yet changes nothing. */
	fd = open(part, O_WRONLY | O_CREAT, 0600);
	assert_int_equal(write(fd, "\x89TAC", 4), 4);
	close(fd);
	assert_int_equal(trace_refresh(t, NULL), TRACE_SAME);
	traces_same(t, lod, path, &seed);
	unlink(part);
	record_start(&next, path);
	record_step(&next);
	record_step(&next);
	assert_int_equal(trace_refresh(t, NULL), TRACE_RELOADED);
	assert_int_equal(trace_lod_refresh(lod, NULL), 0);
	assert_memory_not_equal(uuid, t->uuid, sizeof(uuid));
	traces_same(t, lod, part, &seed);
	test_close(next.w);
	assert_int_equal(trace_refresh(t, NULL), TRACE_GREW);
	assert_int_equal(trace_lod_refresh(lod, NULL), 0);
	traces_same(t, lod, path, &seed);
	unlink(path);
	assert_int_equal(trace_refresh(t, NULL), TRACE_SAME);
	trace_lod_close(lod);
	trace_close(t);
}

/*
 * Followed as far as checkpoints: what it shows is what the file was when the checkpoint had just
 * been written, and a recorder that takes over changes nothing of it.
 */
static void test_settled(void **state)
{
	struct recording r = {.seed = 21};
	const char *path = test_path("settled.tacho"), *part = test_path("settled.tacho.part");
	const char *copy = test_path("copy.tacho");
	struct trace_lod *lod;
	struct tacho_error err;
	struct trace *t;
	uint64_t seed = 3;
	const void *bytes;
	size_t len;

	(void)state;
	record_start(&r, path);
	assert_int_equal(trace_follow_settled(&t, path, NULL), 0);
	assert_int_equal(trace_lod_open(&lod, t, NULL, NULL), 0);
	for (int round = 0; round < 5; round++) {
		struct test_zones z = {0};

		record_step(&r);
		record_step(&r);
		assert_int_equal(trace_checkpoint(r.w, "end", 3), 0);
		unlink(copy);
		file_append(part, copy, 0, file_size(part));
		for (uint32_t i = 0; i < 8192 * 9; i++)
			test_zone_add(&z,
				      (struct test_zone){.start = r.now + 5000000ull * i,
							 .end = r.now + 5000000ull * i +
								test_random(&r.seed) % 5000000});
		test_write_zones(r.w, &z);
		free(z.v);
		assert_true(file_size(part) > file_size(copy));
		assert_int_equal(trace_refresh(t, &err), TRACE_GREW);
		assert_int_equal(trace_lod_refresh(lod, NULL), 0);
		traces_same(t, lod, copy, &seed);
		trace_writer_abandon(r.w);
		assert_int_equal(trace_refresh(t, &err), TRACE_SAME);
		assert_int_equal(trace_writer_resume(&r.w, path, NULL, &bytes, &len, &err), 0);
		assert_int_equal(trace_refresh(t, &err), TRACE_SAME);
	}
	test_close(r.w);
	assert_int_equal(trace_refresh(t, &err), TRACE_GREW);
	assert_int_equal(trace_lod_refresh(lod, NULL), 0);
	traces_same(t, lod, path, &seed);
	trace_lod_close(lod);
	trace_close(t);
}

/* Times count from where they counted at first, whatever ends later. */
static void test_origin(void **state)
{
	const char *path = test_path("origin.tacho");
	struct trace_process process = {.pid = 1, .start = 900, .name = "", .command = ""};
	struct trace_writer *w = test_writer(path);
	struct trace_track track = {.srcloc = TRACE_NONE, .name = ""};
	struct trace_srcloc srcloc = {.name = "z", .function = "", .file = ""};
	struct trace_open_zone open = {.start = 1000};
	struct trace *t;

	(void)state;
	trace_add_process(w, &process);
	trace_add_track(w, &track);
	trace_add_srcloc(w, &srcloc);
	trace_checkpoint(w, "", 0);
	assert_int_equal(trace_follow(&t, path, NULL), 0);
	assert_int_equal(t->zones, 0);
	trace_lane_add(w, trace_lane(w, 0, 1), 2000, 3000, 0, 0);
	trace_set_open_zones(w, &open, 1);
	trace_checkpoint(w, "", 0);
	assert_int_equal(trace_refresh(t, NULL), TRACE_GREW);
	assert_int_equal(t->start, 2000);
	assert_int_equal(t->origin, 900);
	assert_int_equal(t->open_count, 1);
	assert_int_equal(t->open_zones[0].start, 1000);
	trace_lane_add(w, trace_lane(w, 0, 0), 1000, 4000, 0, 1000);
	trace_checkpoint(w, "", 0);
	assert_int_equal(trace_refresh(t, NULL), TRACE_GREW);
	assert_int_equal(t->start, 1000);
	assert_int_equal(t->origin, 900);
	assert_int_equal(trace_ns(t, 1000), 100);
	/* It has ended: it is in its lane, and no longer open. */
	assert_int_equal(t->open_count, 0);
	assert_int_equal(t->lane_count, 2);
	assert_int_equal(t->lanes[0].depth, 0);
	test_close(w);
	trace_close(t);
}

static void test_none(void **state)
{
	struct tacho_error err = {0};
	struct trace *t;

	(void)state;
	assert_int_equal(trace_follow(&t, test_path("nowhere.tacho"), &err), TACHO_EREAD);
	assert_non_null(strstr(err.text, "nowhere.tacho"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces),  cmocka_unit_test(test_long),
		cmocka_unit_test(test_resumed), cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_settled), cmocka_unit_test(test_origin),
		cmocka_unit_test(test_none),
	};
	int r = cmocka_run_group_tests(tests, NULL, NULL);

	test_cleanup();
	return r;
}
