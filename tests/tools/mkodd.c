/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mkodd WHAT FILE writes an invented trace that has next to nothing of most things, or far too many
 * of one: "empty" nothing at all, "moment" one zone of no length, "nanosecond" one of 1 ns, "days"
 * zones of days, "messages", "plots" and "device" nothing else, "locks" and "pools" 2,000 of them,
 * "talk" 30,000 messages of two tracks, seven at a time, "posts" 12,000 long signposts of two
 * tracks, "queues" zones of a thread and of two queues of a GPU, "waits" threads that wait for one
 * lock in turn, and a function that calls itself; "before" and "after" zones of which some take
 * longer, some are more, and some have an outlier. Its clock runs at 1 GHz.
 */
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANY 2000u
#define DAY  (UINT64_C(86400) * 1000000000)

static struct trace_writer *w;
static uint32_t process;

static int64_t result_check(int64_t r)
{
	if (r < 0) {
		fprintf(stderr, "mkodd: %s\n", err_text((int)r));
		exit(1);
	}
	return r;
}

static uint32_t track_add(uint32_t kind, uint64_t id, const char *name)
{
	struct trace_track t = {
		.process = process, .kind = kind, .id = id, .srcloc = TRACE_NONE, .name = name};

	return (uint32_t)result_check(trace_add_track(w, &t));
}

static void zone_add(uint32_t on, uint64_t start, uint64_t end)
{
	struct trace_srcloc s = {"work", "work", "work.c", 1, 0};

	result_check(trace_lane_add(w, trace_lane(w, on, 0), start, end,
				    (uint32_t)result_check(trace_add_srcloc(w, &s)), 0));
}

static void row_add(uint32_t on, uint32_t kind, uint64_t time, uint64_t a, uint64_t b,
		    const char *text)
{
	struct trace_row r = {.time = time,
			      .kind = kind,
			      .thread = TRACE_NONE,
			      .a = a,
			      .b = b,
			      .text = text,
			      .text_len = (uint32_t)strlen(text)};

	result_check(trace_add_row(w, on, &r));
}

static void trace_empty(void)
{
}

static void trace_moment(void)
{
	zone_add(track_add(TRACE_THREAD, 1, "main"), 1000, 1000);
}

static void trace_nanosecond(void)
{
	zone_add(track_add(TRACE_THREAD, 1, "main"), 1000, 1001);
}

static void trace_days(void)
{
	uint32_t on = track_add(TRACE_THREAD, 1, "main");

	for (uint64_t i = 0; i < 30; i++)
		zone_add(on, 1000 + i * 3 * DAY, 1000 + (i * 3 + 2) * DAY);
}

static void messages_add(void)
{
	uint32_t on = track_add(TRACE_MESSAGES, 0, "messages");

	for (uint64_t i = 0; i < 1000; i++)
		row_add(on, TRACE_ROW_MESSAGE, 1000 + i * 1000, 2, 0, "only words");
}

static void trace_talk(void)
{
	uint32_t on[2] = {track_add(TRACE_MESSAGES, 0, "first"),
			  track_add(TRACE_MESSAGES, 1, "second")};

	for (uint64_t i = 0; i < 30000; i++) {
		char text[64];

		snprintf(text, sizeof(text),
			 i % 10 == 9 ? "`TT_DNN_DEVICE_OP: \"Op\", %u`" : "Request %u",
			 (unsigned)i);
		row_add(on[i % 2], TRACE_ROW_MESSAGE, 1000 + i / 7 * 1000, i % 5, 0, text);
	}
}

/* Texts that are cut in the middle of a character, were they cut by bytes. */
static void trace_posts(void)
{
	uint32_t on[2] = {track_add(TRACE_MESSAGES, 0, "first"),
			  track_add(TRACE_MESSAGES, 1, "second")};
	char many[1201] = "";

	for (size_t i = 0; i < sizeof(many) - 1; i++)
		many[i] = i % 2 ? '\xa9' : '\xc3';
	for (uint64_t i = 0; i < 12000; i++) {
		char text[3000];

		snprintf(text, sizeof(text), "TT_SIGNPOST: %05u%s\n%s", (unsigned)i, many, many);
		row_add(on[i % 2], TRACE_ROW_MESSAGE, 1000 + i * 1000, 0, 0, text);
	}
}

static void trace_plots(void)
{
	uint32_t on = track_add(TRACE_PLOT, 0, "curve");

	for (uint64_t i = 0; i < 1000; i++)
		row_add(on, TRACE_ROW_PLOT_INT, 1000 + i * 1000, i * i % 97, 0, "");
}

static void trace_device(void)
{
	static const char *const riscs[] = {"BRISC", "NCRISC", "TRISC0", "TRISC1", "TRISC2"};

	for (uint32_t i = 0; i < 4 * 5; i++) {
		char name[64];
		uint32_t on;

		snprintf(name, sizeof(name), "Device 0, core %u,%u (NoC %u,%u)/%s", i / 5 % 2,
			 i / 10, i / 5 % 2 + 1, i / 10 + 1, riscs[i % 5]);
		on = track_add(TRACE_CORE, TRACE_CORE_ID(0, i / 5 % 2 + 1, i / 10 + 1, i % 5),
			       name);
		for (uint64_t k = 0; k < 50; k++)
			zone_add(on, 1000 + k * 1000, 1000 + k * 1000 + 100 + i * 40);
	}
}

static void trace_queues(void)
{
	uint32_t on[3] = {track_add(TRACE_THREAD, 1, "main"),
			  track_add(TRACE_CORE, TRACE_CORE_OTHER(0, 0), "Graphics/0"),
			  track_add(TRACE_CORE, TRACE_CORE_OTHER(1, 0), "Compute/0")};

	for (uint64_t i = 0; i < 60; i++)
		zone_add(on[i % 3], 1000 + i * 1000, 1900 + i * 1000);
}

static void trace_locks(void)
{
	uint32_t thread = track_add(TRACE_THREAD, 1, "main");

	for (uint32_t i = 0; i < MANY; i++) {
		char name[32];
		uint32_t on;

		snprintf(name, sizeof(name), "lock %u", i);
		on = track_add(TRACE_LOCK, i, name);
		for (uint64_t op = TRACE_LOCK_WAIT; op <= TRACE_LOCK_RELEASE; op++) {
			struct trace_row r = {.time = 1000 + i * 10 + op * (1 + i % 3),
					      .kind = TRACE_ROW_LOCK,
					      .thread = thread,
					      .a = op,
					      .b = TRACE_NONE,
					      .text = ""};

			result_check(trace_add_row(w, on, &r));
		}
	}
}

/* Times in ms from the start. */
static void span_add(uint32_t on, uint32_t depth, const char *name, uint64_t from, uint64_t to,
		     uint64_t inside, uint32_t flags)
{
	struct trace_srcloc s = {name, name, "waits.c", 1, 0};

	result_check(trace_lane_add_full(
		w, trace_lane(w, on, depth), 1000 + from * 1000000, 1000 + to * 1000000,
		(uint32_t)result_check(trace_add_srcloc(w, &s)), inside * 1000000, flags, NULL, 0));
}

/* Worker 1 waits 80 ms for worker 0, worker 2 then 10 ms for 0 and 80 ms for 1. */
static void trace_waits(void)
{
	static const struct {
		uint64_t at, op;
		uint32_t worker;
	} events[] = {
		{0, TRACE_LOCK_OBTAIN, 0},    {10, TRACE_LOCK_WAIT, 1},
		{80, TRACE_LOCK_WAIT, 2},     {90, TRACE_LOCK_OBTAIN, 1},
		{90, TRACE_LOCK_RELEASE, 0},  {170, TRACE_LOCK_OBTAIN, 2},
		{170, TRACE_LOCK_RELEASE, 1}, {180, TRACE_LOCK_RELEASE, 2},
	};
	uint32_t workers[3], caller, lock;

	for (uint32_t i = 0; i < 3; i++) {
		char name[32];

		snprintf(name, sizeof(name), "worker %u", i);
		workers[i] = track_add(TRACE_THREAD, 10 + i, name);
		if (i == 0)
			span_add(workers[i], 1, "compute", 0, 90, 0, 0);
		span_add(workers[i], 0, "job", 0, 200, i ? 0 : 90, 0);
	}
	caller = track_add(TRACE_THREAD, 20, "caller");
	span_add(caller, 2, "fib", 20, 60, 0, TRACE_ZONE_RECURSIVE);
	span_add(caller, 1, "fib", 10, 110, 40, TRACE_ZONE_RECURSIVE);
	span_add(caller, 0, "fib", 0, 200, 100, 0);
	lock = track_add(TRACE_LOCK, 1, "queue");
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		struct trace_row r = {.time = 1000 + events[i].at * 1000000,
				      .kind = TRACE_ROW_LOCK,
				      .thread = workers[events[i].worker],
				      .a = events[i].op,
				      .b = TRACE_NONE,
				      .text = ""};

		result_check(trace_add_row(w, lock, &r));
	}
}

static void pair_make(uint64_t calls, uint64_t slower, uint64_t outlier)
{
	uint32_t on = track_add(TRACE_THREAD, 10, "main");
	uint64_t at = 0;

	for (uint64_t i = 0; i < 20; i++) {
		if (i < calls) {
			span_add(on, 0, "often", at, at + 10, 0, 0);
			at += 10;
		}
		span_add(on, 0, "slower", at, at + slower, 0, 0);
		at += slower;
		span_add(on, 0, "outlier", at, at + (i == 10 ? outlier : 10), 0, 0);
		at += i == 10 ? outlier : 10;
		span_add(on, 0, "same", at, at + 10, 0, 0);
		at += 10;
	}
}

static void pair_before(void)
{
	pair_make(14, 10, 10);
}

static void pair_after(void)
{
	pair_make(20, 14, 94);
}

static void trace_pools(void)
{
	for (uint32_t i = 0; i < MANY; i++) {
		char name[32];
		uint32_t on;

		snprintf(name, sizeof(name), "pool %u", i);
		on = track_add(TRACE_MEMORY, i, name);
		row_add(on, TRACE_ROW_ALLOC, 1000 + i, 16, 100 + i, "");
		row_add(on, TRACE_ROW_ALLOC, 2000 + i, 32, 50, "");
		row_add(on, TRACE_ROW_FREE, 10000 + i, 32, 0, "");
	}
}

static const struct {
	const char *name;
	void (*make)(void);
} kinds[] = {{"empty", trace_empty},   {"moment", trace_moment},   {"nanosecond", trace_nanosecond},
	     {"days", trace_days},     {"messages", messages_add}, {"plots", trace_plots},
	     {"device", trace_device}, {"locks", trace_locks},     {"pools", trace_pools},
	     {"talk", trace_talk},     {"posts", trace_posts},     {"queues", trace_queues},
	     {"waits", trace_waits},   {"before", pair_before},    {"after", pair_after}};

int main(int argc, char **argv)
{
	struct trace_writer_options options = {.force = true};
	struct trace_process p = {.pid = 1, .start = 1000, .name = "odd", .command = "mkodd"};
	struct tacho_error err = {0};

	if (argc != 3)
		return 2;
	if (trace_writer_open(&w, argv[2], &options, &err) < 0) {
		fprintf(stderr, "mkodd: %s\n", err.text);
		return 1;
	}
	result_check(trace_set_property(w, "ticks per second", "1000000000"));
	process = (uint32_t)result_check(trace_add_process(w, &p));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, argv[1]))
			kinds[i].make();
	return result_check(trace_writer_close(w, &err)) < 0;
}
