/* SPDX-License-Identifier: Apache-2.0 */
/* .tracy files: what is written is read back, whatever the trace; damaged files give what they can.
 */
#include "trace_tools.h"
#include "tracy/container.h"
#include "tracy/tracy.h"

#include <fcntl.h>
#include <sys/stat.h>

/* Every body in every container that it is written in. */
static const struct tracy_write_options kinds[] = {
	{0},
	{.version = TRACY_FILE_0_14, .level = 9},
	{.version = TRACY_FILE_0_14, .level = TRACY_LEVEL_LZ4},
	{.version = TRACY_FILE_0_10},
	{.version = TRACY_FILE_0_10, .level = TRACY_LEVEL_LZ4},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void file_convert(const char *from, const char *to, size_t kind, struct tracy_notes *notes)
{
	struct trace *t = test_open(from);
	struct tacho_error err = {0};
	int fd = open(to, O_RDWR | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	if (tracy_write(t, fd, to, &kinds[kind % KINDS], notes, &err) < 0)
		fail_msg("%s", err.text);
	close(fd);
	trace_close(t);
}

static struct trace *file_back(const char *path)
{
	struct tacho_error err = {0};
	struct trace *t;

	if (tracy_open_any(&t, path, NULL, &err) < 0)
		fail_msg("%s", err.text);
	return t;
}

/* Rows of one time come in the order of their tracks, which need not be the same. */
static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_lines(char *text)
{
	size_t n = 0, at = 0, len = strlen(text);
	char **lines, *copy = strdup(text);

	for (size_t i = 0; i < len; i++)
		n += copy[i] == '\n';
	lines = calloc(n + 1, sizeof(*lines));
	n = 0;
	for (char *line = strtok(copy, "\n"); line; line = strtok(NULL, "\n"))
		lines[n++] = line;
	qsort(lines, n, sizeof(*lines), by_text);
	for (size_t i = 0; i < n; i++)
		at += (size_t)sprintf(text + at, "%s\n", lines[i]);
	free(lines);
	free(copy);
}

/* A line per thing that both sides hold, in a fixed order: equal traces give equal texts. */
static char *trace_picture(struct trace *t, size_t *len)
{
	struct trace_walk *walk;
	struct trace_rows *rows;
	struct trace_zone z;
	struct trace_row row;
	uint32_t at;
	char *text;
	FILE *f = open_memstream(&text, len);

	for (uint32_t track = 0; track < t->track_count; track++) {
		const struct trace_track *k = &t->tracks[track];

		if (k->kind > TRACE_CORE)
			continue;
		fprintf(f, "track %u %s %llx\n", k->kind, k->name, (unsigned long long)k->id);
		assert_int_equal(trace_walk_open(&walk, t, track, 0, UINT64_MAX), 0);
		while (trace_walk_next(walk, &z, &at) > 0) {
			const struct trace_srcloc *s = &t->srclocs[z.srcloc];
			struct trace_extra e;

			fprintf(f, "%u %lld %lld %u %s|%s|%s:%u #%06x", t->lanes[at].depth,
				(long long)trace_ns(t, z.start),
				z.flags & 1 ? -1 : (long long)trace_ns(t, z.end), z.flags & 1,
				s->name, s->function, s->file, s->line, s->color);
			for (uint32_t i = 0; i < z.extras; i++) {
				assert_int_equal(trace_cursor_extra(trace_walk_cursor(walk), i, &e),
						 0);
				fprintf(f, " %u:%.*s:%llx", e.kind, (int)e.len,
					e.kind <= TRACE_EXTRA_TEXT ? e.text : "",
					(unsigned long long)e.value);
			}
			fputc('\n', f);
		}
		trace_walk_close(walk);
	}
	assert_int_equal(trace_rows_open(&rows, t, TRACE_NONE, 0, UINT64_MAX), 0);
	while (trace_rows_next(rows, &row, &at) > 0) {
		const struct trace_track *k = &t->tracks[at];
		uint64_t a = row.a;

		if (row.kind == TRACE_ROW_FRAME && a)
			a = (uint64_t)trace_ns(t, a);
		fprintf(f, "row %lld %u %s/%u/%u/%u %s %llx %llx %.*s\n",
			(long long)trace_ns(t, row.time), row.kind, k->name, k->format, k->flags,
			k->color, row.thread == TRACE_NONE ? "-" : t->tracks[row.thread].name,
			(unsigned long long)a,
			row.kind == TRACE_ROW_LOCK ? 0ull : (unsigned long long)row.b,
			(int)row.text_len, row.text);
	}
	trace_rows_close(rows);
	fclose(f);
	sort_lines(strstr(text, "row ") ? strstr(text, "row ") : text);
	return text;
}

static void add_row(struct trace_writer *w, uint32_t track, uint32_t thread, uint32_t kind,
		    uint64_t time, uint64_t a, uint64_t b, const char *text)
{
	struct trace_row row = {.time = time,
				.kind = kind,
				.thread = thread,
				.a = a,
				.b = b,
				.text = text,
				.text_len = (uint32_t)strlen(text)};

	assert_int_equal(trace_add_row(w, track, &row), 0);
}

static uint32_t add_track(struct trace_writer *w, uint32_t kind, uint64_t id, const char *name,
			  uint32_t format)
{
	struct trace_track t = {
		.kind = kind, .id = id, .srcloc = TRACE_NONE, .format = format, .name = name};
	int64_t track;

	if (kind == TRACE_PLOT) {
		t.flags = TRACE_PLOT_FILL;
		t.color = 0xff8000;
	}
	if (kind == TRACE_LOCK)
		t.srcloc = 0;
	track = trace_add_track(w, &t);
	assert_true(track >= 0);
	return (uint32_t)track;
}

/* Rows of every kind; times are even so that all of them differ from those of zones. */
static void add_rows(struct trace_writer *w, uint64_t t0)
{
	uint32_t messages = add_track(w, TRACE_MESSAGES, 0, "", 0);
	uint32_t frames = add_track(w, TRACE_FRAMES, 0, "", 0);
	uint32_t pairs = add_track(w, TRACE_FRAMES, 1, "load", 1);
	uint32_t plot = add_track(w, TRACE_PLOT, 0, "loss", TRACE_PLOT_PERCENT);
	uint32_t heap = add_track(w, TRACE_MEMORY, 0, "", 0);
	uint32_t pool = add_track(w, TRACE_MEMORY, 1, "L1", 0);
	uint32_t lock = add_track(w, TRACE_LOCK, 0, "the lock", 1);
	double values[3] = {1.5, -2.25, 1e300};
	uint64_t bits;

	add_row(w, messages, TRACE_NONE, TRACE_ROW_APP_INFO, t0, 0, 0, "version 3");
	for (uint32_t i = 0; i < 40; i++) {
		char text[32];

		snprintf(text, sizeof(text), "message %u, line", i % 7);
		add_row(w, messages, i % 2, TRACE_ROW_MESSAGE, t0 + 10 * i, TRACE_SEVERITY_INFO,
			i % 3 ? 0x123456 : 0, text);
		add_row(w, frames, TRACE_NONE, TRACE_ROW_FRAME, t0 + 100 * i, 0, 0, "");
		add_row(w, pairs, TRACE_NONE, TRACE_ROW_FRAME, t0 + 50 * i + 1, t0 + 50 * i + 20, 0,
			"");
		memcpy(&bits, &values[i % 3], 8);
		add_row(w, plot, TRACE_NONE, TRACE_ROW_PLOT_REAL, t0 + 7 * i, bits, 0, "");
		add_row(w, heap, 0, TRACE_ROW_ALLOC, t0 + 20 * i, 0x1000 + 64 * i, 64, "");
		if (i % 4)
			add_row(w, heap, 1, TRACE_ROW_FREE, t0 + 20 * i + 3, 0x1000 + 64 * i, 0,
				"");
	}
	add_row(w, pool, 1, TRACE_ROW_ALLOC, t0 + 500, 1ull << 40, 1ull << 33, "");
	add_row(w, lock, 0, TRACE_ROW_LOCK, t0 + 5, TRACE_LOCK_WAIT, TRACE_NONE, "");
	add_row(w, lock, 0, TRACE_ROW_LOCK, t0 + 6, TRACE_LOCK_OBTAIN, 1, "");
	add_row(w, lock, 1, TRACE_ROW_LOCK, t0 + 7, TRACE_LOCK_WAIT_SHARED, TRACE_NONE, "");
	add_row(w, lock, 0, TRACE_ROW_LOCK, t0 + 8, TRACE_LOCK_RELEASE, TRACE_NONE, "");
	add_row(w, lock, 1, TRACE_ROW_LOCK, t0 + 9, TRACE_LOCK_OBTAIN_SHARED, TRACE_NONE, "");
	add_row(w, lock, TRACE_NONE, TRACE_ROW_LOCK, t0 + 900, TRACE_LOCK_END, TRACE_NONE, "");
	add_row(w, messages, 1, TRACE_ROW_CRASH, t0 + 5000, 0, 0, "Segmentation fault");
}

/* Zones of a thread are unfinished only where they are the last of their lane. */
static void make_trace(const char *path, uint64_t seed, bool rows)
{
	struct trace_writer *w = test_writer(path);
	struct test_shape shape = {.names = 40,
				   .depth = 1 + seed % 9,
				   .gap = 50,
				   .length = 100,
				   .fanout = 1 + seed % 5};
	struct test_zones zones = {0};
	struct trace_extra extras[3] = {{.kind = TRACE_EXTRA_NAME, .text = "named", .len = 5},
					{.kind = TRACE_EXTRA_TEXT, .text = "a\nb,\"c\"", .len = 7},
					{.kind = TRACE_EXTRA_COLOR, .value = 0xabcdef}};
	uint64_t t0 = 1000000, state = seed * 77 + 1, now[3] = {t0, t0 + 3, t0};
	uint32_t core;

	test_model(w, 2, 40);
	core = add_track(w, TRACE_CORE, TRACE_CORE_ID(1, 2, 3, 4), "Device: 1, Core (2,3)/TRISC_2",
			 0);
	for (int i = 0; i < 200; i++) {
		test_tree(&zones, &state, &shape, (uint32_t)i % 3, 0, &now[i % 3]);
		now[i % 3] += test_random(&state) % 30;
	}
	for (size_t i = 0; i < zones.n; i++) {
		const struct test_zone *z = &zones.v[i];
		uint32_t track = z->track == 2 ? core : z->track;
		size_t n = track == core ? 0 : test_random(&state) % 4;

		if (test_random(&state) % 8)
			n = 0;
		assert_int_equal(trace_lane_add_full(w, trace_lane(w, track, z->depth), z->start,
						     z->end, z->srcloc, z->children, 0, extras, n),
				 0);
	}
	assert_int_equal(trace_lane_add_full(w, trace_lane(w, 1, 0), now[1] + 5, now[1] + 900, 3, 0,
					     TRACE_ZONE_UNFINISHED, NULL, 0),
			 0);
	if (rows)
		add_rows(w, t0);
	test_close(w);
	free(zones.v);
}

static void round_trip(uint64_t seed, size_t kind, bool rows)
{
	const char *path = test_path("a.tacho"), *file = test_path("a.tracy");
	struct tracy_notes notes = {{0}};
	struct trace *a, *b;
	char *before, *after;
	size_t n, m;

	make_trace(path, seed, rows);
	file_convert(path, file, kind, &notes);
	for (int i = 0; i < TRACY_NOTE_COUNT; i++)
		if (notes.n[i])
			fail_msg("%llu %s", (unsigned long long)notes.n[i],
				 tracy_note_text((enum tracy_note)i, 2));
	a = test_open(path);
	b = file_back(file);
	before = trace_picture(a, &n);
	after = trace_picture(b, &m);
	if (n != m || memcmp(before, after, n)) {
		size_t i = 0;

		while (i < n && i < m && before[i] == after[i])
			i++;
		i = i > 300 ? i - 300 : 0;
		fail_msg("seed %llu:\n%.600s\n--- is now ---\n%.600s", (unsigned long long)seed,
			 before + i, after + i);
	}
	assert_string_equal(b->path, file);
	free(before);
	free(after);
	trace_close(a);
	trace_close(b);
}

static void test_round_trip(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 24; seed++)
		round_trip(seed, seed % KINDS, seed % 2);
}

/* For each process: a thread with a name and one without, a lock, a plot, frames. */
static void add_tracks(struct trace_writer *w, uint32_t process, uint32_t srcloc)
{
	static const struct {
		enum trace_track_kind kind;
		const char *name;
	} made[] = {{TRACE_THREAD, "main"}, {TRACE_THREAD, ""}, {TRACE_LOCK, ""},
		    {TRACE_LOCK, "door"},   {TRACE_PLOT, "p"},  {TRACE_MEMORY, ""},
		    {TRACE_FRAMES, ""}};

	for (uint32_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
		struct trace_track k = {.process = process,
					.kind = made[i].kind,
					.id = 10 * process + i,
					.srcloc = made[i].kind == TRACE_LOCK ? srcloc : TRACE_NONE,
					.name = made[i].name};
		uint32_t track = (uint32_t)trace_add_track(w, &k);
		struct trace_row row = {.time = 150, .thread = TRACE_NONE, .text = ""};

		row.kind = k.kind == TRACE_PLOT     ? TRACE_ROW_PLOT_REAL
			   : k.kind == TRACE_FRAMES ? TRACE_ROW_FRAME
						    : TRACE_ROW_ALLOC;
		if (k.kind == TRACE_THREAD)
			trace_lane_add(w, trace_lane(w, track, 0), 100 + i, 200 + i, srcloc, 0);
		else if (k.kind != TRACE_LOCK)
			trace_add_row(w, track, &row);
	}
}

static uint32_t count_tracks(const struct trace *t, uint32_t process, enum trace_track_kind kind,
			     const char *name)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->track_count; i++)
		n += t->tracks[i].process == process && t->tracks[i].kind == kind &&
		     !strcmp(t->tracks[i].name, name);
	return n;
}

/* A trace of several processes comes back as several, whatever they are called. */
static void test_processes(void **state)
{
	static const struct trace_process p[3] = {{.pid = 10, .name = "one", .command = "one"},
						  {.pid = 20, .name = "two", .command = "two"},
						  {.pid = 30, .name = "two", .command = "two"}};
	struct trace_writer *w = test_writer(test_path("p.tacho"));
	struct tracy_notes notes = {{0}};
	struct trace *t;
	uint32_t srcloc;

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(trace_add_process(w, &p[i]), i);
	srcloc = (uint32_t)trace_add_srcloc(w, &(struct trace_srcloc){"z", "f", "f.c", 1, 0});
	for (uint32_t i = 0; i < 3; i++)
		add_tracks(w, i, srcloc);
	test_close(w);
	file_convert(test_path("p.tacho"), test_path("p.tracy"), 0, &notes);
	t = file_back(test_path("p.tracy"));
	assert_int_equal(t->process_count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_string_equal(t->processes[i].name, p[i].name);
		assert_int_equal(t->processes[i].pid, p[i].pid);
		assert_int_equal(count_tracks(t, i, TRACE_THREAD, "main"), 1);
		assert_int_equal(count_tracks(t, i, TRACE_THREAD, ""), 1);
		assert_int_equal(count_tracks(t, i, TRACE_LOCK, "z"), 1);
		assert_int_equal(count_tracks(t, i, TRACE_LOCK, "door"), 1);
		assert_int_equal(count_tracks(t, i, TRACE_PLOT, "p"), 1);
		assert_int_equal(count_tracks(t, i, TRACE_FRAMES, ""), 1);
		assert_int_equal(count_tracks(t, i, TRACE_MEMORY, ""), 1);
	}
	trace_close(t);
}

/* A process that has nothing to show changes no names, and the file is not called after it. */
static void test_silent_process(void **state)
{
	static const struct trace_process p[2] = {{.pid = 10, .name = "shell", .command = ""},
						  {.pid = 20, .name = "app", .command = ""}};
	struct trace_writer *w = test_writer(test_path("s.tacho"));
	struct tracy_notes notes = {{0}};
	struct trace *t;

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(trace_add_process(w, &p[i]), i);
	add_tracks(w, 1,
		   (uint32_t)trace_add_srcloc(w, &(struct trace_srcloc){"z", "f", "f.c", 1, 0}));
	test_close(w);
	file_convert(test_path("s.tacho"), test_path("s.tracy"), 0, &notes);
	t = file_back(test_path("s.tracy"));
	assert_int_equal(t->process_count, 1);
	assert_string_equal(t->processes[0].name, "app");
	assert_int_equal(t->processes[0].pid, 20);
	assert_int_equal(count_tracks(t, 0, TRACE_THREAD, "main"), 1);
	assert_int_equal(count_tracks(t, 0, TRACE_LOCK, ""), 1);
	assert_int_equal(count_tracks(t, 0, TRACE_PLOT, "p"), 1);
	trace_close(t);
}

/* More source locations than there is room for: names stay, the rarest lose their line. */
static void test_folding(void **state)
{
	const uint32_t names = 70000;
	struct trace_writer *w = test_writer(test_path("f.tacho"));
	struct trace_process p = {.pid = 1, .name = "many", .command = ""};
	struct trace_track k = {.kind = TRACE_THREAD, .id = 1, .srcloc = TRACE_NONE, .name = "t"};
	struct tracy_notes notes = {{0}};
	struct trace_walk *walk;
	struct trace_zone z;
	struct trace *t;
	uint32_t lane, n = 0, renamed = 0;

	(void)state;
	trace_add_process(w, &p);
	trace_add_track(w, &k);
	for (uint32_t i = 0; i < names; i++) {
		char name[16], function[16];
		struct trace_srcloc s = {name, function, "f.c", i, 0};
		uint64_t at = 1000 + 100 * (uint64_t)i;

		snprintf(name, sizeof(name), "z%u", i);
		snprintf(function, sizeof(function), "f%u", i % 10);
		trace_lane_add(w, trace_lane(w, 0, 0), at, at + 5,
			       (uint32_t)trace_add_srcloc(w, &s), 0);
		if (i == names - 1)
			trace_lane_add(w, trace_lane(w, 0, 0), at + 50, at + 55, i, 0);
	}
	test_close(w);
	file_convert(test_path("f.tacho"), test_path("f.tracy"), 0, &notes);
	assert_int_equal(notes.n[TRACY_NOTE_FOLDED], names - (2 * 32767 - 10));
	t = file_back(test_path("f.tracy"));
	assert_true(t->srcloc_count <= 2 * 32767);
	assert_int_equal(trace_walk_open(&walk, t, 0, 0, UINT64_MAX), 0);
	for (; trace_walk_next(walk, &z, &lane) > 0; n++) {
		struct trace_extra e;
		char want[16];
		const char *shown = trace_srcloc_name(t, z.srcloc);

		snprintf(want, sizeof(want), "z%u", n < names ? n : names - 1);
		if (z.extras) {
			assert_int_equal(trace_cursor_extra(trace_walk_cursor(walk), 0, &e), 0);
			assert_int_equal(e.kind, TRACE_EXTRA_NAME);
			assert_memory_equal(e.text, want, e.len);
			assert_int_equal(t->srclocs[z.srcloc].line, 0);
			renamed++;
		} else {
			assert_string_equal(shown, want);
		}
	}
	trace_walk_close(walk);
	assert_int_equal(n, names + 1);
	assert_int_equal(renamed, notes.n[TRACY_NOTE_FOLDED]);
	trace_close(t);
}

/* Zones of a core's first RISC have their op as function, as long as there is room for it. */
static void test_op_ids(void **state)
{
	const uint32_t ops = 70000, room = 2 * 32767 - 1;
	struct trace_writer *w = test_writer(test_path("o.tacho"));
	struct trace_process p = {.pid = 1, .name = "ops", .command = ""};
	struct trace_track k = {.kind = TRACE_CORE, .srcloc = TRACE_NONE};
	struct trace_srcloc s = {"FW", "", "fw.c", 7, 0};
	struct tracy_notes notes = {{0}};
	struct trace_walk *walk;
	struct trace_zone z;
	struct trace *t;
	uint32_t lane;

	(void)state;
	trace_add_process(w, &p);
	trace_add_srcloc(w, &s);
	for (uint32_t risc = 0; risc < 2; risc++) {
		k.id = TRACE_CORE_ID(0, 1, 2, risc);
		k.name = risc ? "Device 0, core 1,2/NCRISC" : "Device 0, core 1,2/BRISC";
		trace_add_track(w, &k);
		for (uint32_t i = 0; i < ops; i++) {
			struct trace_extra id = {.kind = TRACE_EXTRA_VALUE, .value = 1 + i};
			uint64_t at = 1000 + 100 * (uint64_t)i;

			trace_lane_add_full(w, trace_lane(w, risc, 0), at, at + 50, 0, 0, 0, &id,
					    1);
			/* Inside, a value is not an op. */
			trace_lane_add_full(w, trace_lane(w, risc, 1), at, at + 5, 0, 0, 0, &id, 1);
		}
	}
	test_close(w);
	file_convert(test_path("o.tacho"), test_path("o.tracy"), 0, &notes);
	assert_int_equal(notes.n[TRACY_NOTE_OP_IDS], ops - room);
	assert_int_equal(notes.n[TRACY_NOTE_DEVICE_EXTRAS], 2 * ops);
	t = file_back(test_path("o.tracy"));
	assert_int_equal(t->srcloc_count, room + 1);
	for (uint32_t risc = 0; risc < 2; risc++) {
		assert_int_equal(trace_walk_open(&walk, t, risc, 0, UINT64_MAX), 0);
		for (uint32_t n = 0; trace_walk_next(walk, &z, &lane) > 0; n++) {
			const struct trace_srcloc *got = &t->srclocs[z.srcloc];
			char want[24] = "";

			if (risc == 0 && t->lanes[lane].depth == 0 && n / 2 < room)
				snprintf(want, sizeof(want), "OP ID:%u", 1 + n / 2);
			assert_string_equal(got->function, want);
			assert_string_equal(got->name, "FW");
			assert_int_equal(got->line, 7);
		}
		trace_walk_close(walk);
	}
	trace_close(t);
}

/* Readers recurse: what is deeper than they can go is left out, and counted. */
static void test_depth(void **state)
{
	const uint32_t depth = 20000, room = 16384;
	struct trace_writer *w = test_writer(test_path("d.tacho"));
	struct trace_process p = {.pid = 1, .name = "deep", .command = ""};
	struct trace_track k = {.kind = TRACE_THREAD, .id = 1, .srcloc = TRACE_NONE, .name = "t"};
	struct trace_srcloc s = {"z", "f", "f.c", 1, 0};
	struct tracy_notes notes = {{0}};
	struct trace_walk *walk;
	struct trace_zone z;
	struct trace *t;
	uint32_t lane, n = 0;

	(void)state;
	trace_add_process(w, &p);
	trace_add_track(w, &k);
	trace_add_srcloc(w, &s);
	for (uint32_t i = 0; i < depth; i++)
		trace_lane_add(w, trace_lane(w, 0, i), 1000 + i, 1000000 - i, 0, 0);
	test_close(w);
	file_convert(test_path("d.tacho"), test_path("d.tracy"), 0, &notes);
	assert_int_equal(notes.n[TRACY_NOTE_DEPTH], depth - room);
	t = file_back(test_path("d.tracy"));
	assert_int_equal(trace_walk_open(&walk, t, 0, 0, UINT64_MAX), 0);
	for (; trace_walk_next(walk, &z, &lane) > 0; n++)
		assert_int_equal(t->lanes[lane].depth, n);
	trace_walk_close(walk);
	assert_int_equal(n, room);
	trace_close(t);
}

static size_t file_slurp(const char *path, uint8_t **bytes)
{
	struct stat st;
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	*bytes = malloc((size_t)st.st_size);
	assert_int_equal(read(fd, *bytes, (size_t)st.st_size), st.st_size);
	close(fd);
	return (size_t)st.st_size;
}

static void file_spill(const char *path, const uint8_t *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
}

/* A body that is wrapped again: as writers do, but with any content. */
static void body_wrap(const char *path, const void *body, size_t n)
{
	struct tacho_error err = {0};
	struct out out;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(out_open(&out, fd, path, CONTAINER_LZ4, 0, &err), 0);
	out_copy(&out, body, n);
	assert_int_equal(out_close(&out, &err), 0);
	close(fd);
}

static size_t body_unwrap(const char *path, uint8_t **body)
{
	struct tacho_error err = {0};
	size_t n = 0, cap = 1 << 22;
	struct in in;
	int fd = open(path, O_RDONLY);

	*body = malloc(cap);
	assert_int_equal(in_open(&in, fd, path, &err), 0);
	while (in_at_end(&in) == 0) {
		assert_true(n < cap);
		(*body)[n++] = in_u8(&in);
	}
	in_close(&in);
	close(fd);
	return n;
}

static int try_open(const char *path)
{
	struct tacho_error err = {0};
	struct trace *t = NULL;
	int r = tracy_open_any(&t, path, NULL, &err);

	if (r == 0) {
		r = t->damage.missing_bytes ? TACHO_EDAMAGED : 0;
		trace_close(t);
	} else {
		assert_true(err.text[0]);
	}
	return r;
}

/* Cut anywhere, with any byte wrong: an answer, never a crash; a cut is always noticed. */
static void test_damage(void **state)
{
	const char *path = test_path("d.tacho"), *file = test_path("d.tracy");
	struct tracy_notes notes = {{0}};
	uint8_t *bytes, *body;
	uint64_t seed = 99;
	size_t n;

	(void)state;
	make_trace(path, 4, true);
	file_convert(path, file, 0, &notes);
	n = file_slurp(file, &bytes);
	for (size_t cut = 0; cut < n; cut += 1 + n / 150) {
		file_spill(file, bytes, cut);
		assert_true(try_open(file) < 0);
	}
	file_spill(file, bytes, n);
	free(bytes);
	n = body_unwrap(file, &body);
	for (int i = 0; i < 400; i++) {
		size_t at = test_random(&seed) % n;
		uint8_t old[8];
		size_t len = n - at < 8 ? n - at : 8;

		memcpy(old, body + at, len);
		memset(body + at, i % 2 ? 0xff : (int)test_random(&seed), i % 3 ? 1 : len);
		body_wrap(file, body, n);
		try_open(file);
		memcpy(body + at, old, len);
	}
	free(body);
}

/* Numbers that promise more than the file holds. */
static void test_hostile(void **state)
{
	static const uint8_t old[] = {'t', 'r', 'a', 'c', 'y', 0, 8, 0};
	static const uint8_t new[] = {'t', 'r', 'a', 'c', 'y', 0, 15, 0};
	static const uint8_t huge[] = {'t', 'l', 'Z', 4, 0xff, 0xff, 0xff, 0xff, 1, 2, 3};
	static const uint8_t none[] = {'t', 'r', 0xfd, 'P', 1, 0};
	const char *file = test_path("h.tracy");

	(void)state;
	body_wrap(file, old, sizeof(old));
	assert_int_equal(try_open(file), TACHO_EVERSION);
	body_wrap(file, new, sizeof(new));
	assert_int_equal(try_open(file), TACHO_EVERSION);
	file_spill(file, huge, sizeof(huge));
	assert_int_equal(try_open(file), TACHO_EDAMAGED);
	file_spill(file, none, sizeof(none));
	assert_int_equal(try_open(file), TACHO_EFORMAT);
}

/* A small file that unpacks to endless texts: reported, not stored. */
static void test_bomb(void **state)
{
	const size_t len = 48u << 20;
	const char *file = test_path("b.tracy");
	uint8_t *body = calloc(1, len);
	uint64_t huge = 1ull << 62;
	/* magic, numbers, processor, three names, times, topology, crash, frame sets */
	size_t strings = 8 + 8 * 7 + 1 + 4 + 12 + 1 + 8 + 8 + 8 + 8 + 8 + 8 + 28 + 8;

	(void)state;
	assert_non_null(body);
	memcpy(body, "tracy\0\n", 7);
	memcpy(body + strings, &huge, 8);
	body_wrap(file, body, len);
	assert_int_equal(try_open(file), TACHO_ELIMIT);
	free(body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),     cmocka_unit_test(test_processes),
		cmocka_unit_test(test_silent_process), cmocka_unit_test(test_depth),
		cmocka_unit_test(test_op_ids),         cmocka_unit_test(test_folding),
		cmocka_unit_test(test_damage),         cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_bomb),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	test_cleanup();
	return failed;
}
