/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of src/trace share: invented traces, and answers found by brute force. */
#ifndef TRACE_TOOLS_H
#define TRACE_TOOLS_H

#include "trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A folder of its own for each program, removed at its end. */
static char test_folder[64];

static inline const char *test_path(const char *name)
{
	static char paths[8][128];
	static int next;
	char *path = paths[next++ % 8];

	if (!test_folder[0]) {
		strcpy(test_folder, "/tmp/tacho-trace-XXXXXX");
		assert_non_null(mkdtemp(test_folder));
	}
	snprintf(path, sizeof(paths[0]), "%s/%s", test_folder, name);
	return path;
}

static inline void test_cleanup(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", test_folder);
	if (test_folder[0] && system(command))
		perror(command);
}

static inline uint64_t test_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static inline struct trace_writer *test_writer(const char *path)
{
	struct trace_writer_options options = {.force = true};
	struct trace_writer *w;
	struct tacho_error err;

	if (trace_writer_open(&w, path, &options, &err) < 0)
		fail_msg("%s", err.text);
	return w;
}

static inline struct trace *test_open(const char *path)
{
	struct tacho_error err;
	struct trace *t;

	if (trace_open(&t, path, &err) < 0)
		fail_msg("%s", err.text);
	return t;
}

static inline void test_close(struct trace_writer *w)
{
	struct tacho_error err;

	if (trace_writer_close(w, &err) < 0)
		fail_msg("%s", err.text);
}

/* A process, THREADS tracks and NAMES source locations, numbered from 0. */
static inline void test_model(struct trace_writer *w, uint32_t threads, uint32_t names)
{
	struct trace_process process = {.pid = 1,
					.name = "test",
					.command = "test --all",
					.exit_status = TRACE_EXIT_UNKNOWN};
	char text[32];

	assert_int_equal(trace_add_process(w, &process), 0);
	for (uint32_t i = 0; i < threads; i++) {
		struct trace_track track = {
			.kind = TRACE_THREAD, .id = 100 + i, .srcloc = TRACE_NONE, .name = text};

		snprintf(text, sizeof(text), "thread %u", i);
		assert_int_equal(trace_add_track(w, &track), i);
	}
	for (uint32_t i = 0; i < names; i++) {
		struct trace_srcloc srcloc = {
			.name = text, .function = "f", .file = "test.c", .line = i};

		snprintf(text, sizeof(text), "name %u", i);
		assert_int_equal(trace_add_srcloc(w, &srcloc), i);
	}
}

/*
 * Random nested zones: whole trees, added as a recorder does (children end before their parents).
 * Every zone that was added is kept in ZONES in that order.
 */
struct test_zone {
	uint32_t track, depth, srcloc, flags;
	uint64_t start, end, children;
};

struct test_zones {
	struct test_zone *v;
	size_t n, cap;
};

static inline void test_zone_add(struct test_zones *z, struct test_zone zone)
{
	if (z->n == z->cap) {
		z->cap = z->cap ? 2 * z->cap : 1024;
		z->v = realloc(z->v, z->cap * sizeof(*z->v));
		assert_non_null(z->v);
	}
	z->v[z->n++] = zone;
}

struct test_shape {
	uint32_t names, depth;
	uint64_t gap, length; /* largest gap and largest own time of a zone */
	unsigned fanout;      /* largest number of children */
	bool flags;           /* some zones are unfinished or lost their end */
};

static inline uint64_t test_tree(struct test_zones *z, uint64_t *seed, const struct test_shape *s,
				 uint32_t track, uint32_t depth, uint64_t *now)
{
	static uint32_t path[64]; /* source locations of the zones around */
	struct test_zone zone = {.track = track, .depth = depth, .start = *now};
	unsigned children = depth + 1 < s->depth ? test_random(seed) % (s->fanout + 1) : 0;

	zone.srcloc = path[depth] = (uint32_t)(test_random(seed) % s->names);
	for (unsigned i = 0; i < children; i++) {
		*now += test_random(seed) % (s->gap + 1);
		zone.children += test_tree(z, seed, s, track, depth + 1, now);
	}
	*now += test_random(seed) % (s->length + 1);
	zone.end = *now;
	if (s->flags && test_random(seed) % 64 == 0)
		zone.flags = 1 + test_random(seed) % 3;
	for (uint32_t i = 0; i < depth; i++)
		if (path[i] == zone.srcloc)
			zone.flags |= TRACE_ZONE_RECURSIVE;
	test_zone_add(z, zone);
	return zone.end - zone.start;
}

static inline void test_write_zones(struct trace_writer *w, const struct test_zones *z)
{
	for (size_t i = 0; i < z->n; i++) {
		const struct test_zone *t = &z->v[i];
		struct trace_lane *lane = trace_lane(w, t->track, t->depth);

		assert_non_null(lane);
		if (t->flags)
			assert_int_equal(trace_lane_add_full(w, lane, t->start, t->end, t->srcloc,
							     t->children, t->flags, NULL, 0),
					 0);
		else
			assert_int_equal(
				trace_lane_add(w, lane, t->start, t->end, t->srcloc, t->children),
				0);
	}
}

static int test_by_lane(const void *a, const void *b)
{
	const struct test_zone *x = a, *y = b;

	if (x->track != y->track)
		return x->track < y->track ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

/* Sorts the zones as the lanes hold them. Zones of no length at one time keep their order. */
static inline void test_sort(struct test_zones *z)
{
	qsort(z->v, z->n, sizeof(*z->v), test_by_lane);
}

#endif
