/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mktrace [-u] [-c] [-n ZONES] [-j] [-s SEED] FILE writes an invented trace that has every feature
 * once: two processes, five threads, a fiber, nested and unfinished zones with all that can be
 * attached to them, messages of each severity, plots of each kind, frames, memory, locks, losses,
 * and names that want to break whatever prints them. Its clock runs at 1 GHz and every time is
 * fixed, so tests know the answers.
 *
 * -u leaves the .part file of a recorder that was killed after a checkpoint; -c writes without
 * losses, so that nothing is missing; -n adds ZONES regular zones on a thread "bulk", ten to a
 * group: one outer, nine inner; with -j their lengths are random; -s adds zones with random names
 * on a thread "random" and prints the names in hexadecimal digits, a line each.
 */
#include "../random.h"
#include "trace/trace.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define T0      UINT64_C(1000000000000) /* the tick at which the trace begins */
#define US(n)   ((uint64_t)((n)*1000))
#define TRACKS  32
#define DEPTH   8
#define RAINBOW 0x336699

struct open_zone {
	uint64_t start, children;
	uint32_t srcloc;
	struct trace_extra extras[8];
	size_t extra_count;
};

struct track {
	struct open_zone stack[DEPTH];
	uint32_t depth;
	struct trace_ledger ledger;
};

static struct trace_writer *w;
static bool jitter; /* -j */
static struct track tracks[TRACKS];

static int64_t result_check(int64_t r, const char *what)
{
	if (r < 0) {
		fprintf(stderr, "mktrace: %s: %s\n", what, err_text((int)r));
		exit(1);
	}
	return r;
}

static uint32_t process_add(uint32_t pid, uint32_t parent, uint64_t start, uint64_t end, int status,
			    const char *name, const char *command)
{
	struct trace_process p = {.pid = pid,
				  .parent_pid = parent,
				  .start = T0 + start,
				  .end = end ? T0 + end : 0,
				  .exit_status = status,
				  .name = name,
				  .command = command};

	return (uint32_t)result_check(trace_add_process(w, &p), "process");
}

static uint32_t track_add(uint32_t owner, uint32_t kind, uint64_t id, const char *name,
			  uint32_t format)
{
	struct trace_track t = {.process = owner,
				.kind = kind,
				.id = id,
				.srcloc = TRACE_NONE,
				.format = format,
				.name = name};

	return (uint32_t)result_check(trace_add_track(w, &t), "track");
}

static uint32_t srcloc_add(const char *name, const char *function, uint32_t line, uint32_t color)
{
	struct trace_srcloc s = {.name = name,
				 .function = function,
				 .file = "src/app.c",
				 .line = line,
				 .color = color};

	return (uint32_t)result_check(trace_add_srcloc(w, &s), "source location");
}

/* ------------------------------------------------------------------- zones */

static void zone_begin(uint32_t t, uint64_t time, uint32_t where)
{
	struct track *k = &tracks[t];

	k->stack[k->depth++] = (struct open_zone){.start = T0 + time, .srcloc = where};
}

static void zone_attach(uint32_t t, uint32_t kind, const char *text, uint64_t value)
{
	struct open_zone *z = &tracks[t].stack[tracks[t].depth - 1];

	z->extras[z->extra_count++] = (struct trace_extra){
		.kind = kind, .text = text, .len = (uint32_t)strlen(text), .value = value};
}

static void end_with(uint32_t t, uint64_t time, uint32_t flags)
{
	struct track *k = &tracks[t];
	struct open_zone *z = &k->stack[--k->depth];
	struct trace_lane *lane = trace_lane(w, t, k->depth);

	result_check(trace_lane_add_full(w, lane, z->start, T0 + time, z->srcloc, z->children,
					 flags, z->extras, z->extra_count),
		     "zone");
	k->ledger.zones_emitted++;
	if (k->depth)
		k->stack[k->depth - 1].children += T0 + time - z->start;
}

static void zone_end(uint32_t t, uint64_t time)
{
	end_with(t, time, 0);
}

/* -------------------------------------------------------------------- rows */

static void row_add(uint32_t t, uint32_t thread, uint64_t time, uint32_t kind, uint64_t a,
		    uint64_t b, const char *text, size_t len)
{
	struct trace_row r = {.time = T0 + time,
			      .kind = kind,
			      .thread = thread,
			      .a = a,
			      .b = b,
			      .text = text,
			      .text_len = (uint32_t)len};

	result_check(trace_add_row(w, t, &r), "row");
	tracks[t].ledger.rows_emitted++;
}

static void message_add(uint32_t t, uint32_t thread, uint64_t time, uint32_t severity,
			const char *text)
{
	row_add(t, thread, time, TRACE_ROW_MESSAGE, severity,
		severity == TRACE_SEVERITY_INFO ? RAINBOW : 0, text, strlen(text));
}

static void point_add(uint32_t t, uint32_t thread, uint64_t time, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	row_add(t, thread, time, TRACE_ROW_PLOT_REAL, bits, 0, "", 0);
}

static void loss_add(uint32_t t, uint64_t time, uint64_t zones, uint64_t others)
{
	struct trace_row r = {.time = T0 + time,
			      .kind = TRACE_ROW_LOSS,
			      .thread = t,
			      .a = TRACE_LOSS_LIMIT,
			      .b = zones,
			      .c = others,
			      .text = ""};

	result_check(trace_add_row(w, t, &r), "loss");
	tracks[t].ledger.zones_emitted += zones;
	tracks[t].ledger.zones_lost += zones;
	tracks[t].ledger.rows_emitted += others;
	tracks[t].ledger.rows_lost += others;
}

/* ------------------------------------------------------------------- parts */

/* "main" holds three "step"s, each with a "load" and a "compute"; 10 ms in all. */
static void main_thread(uint32_t t)
{
	uint32_t all = srcloc_add("main", "main", 10, 0);
	uint32_t step = srcloc_add("step", "run_step", 20, 0xff8000);
	uint32_t load = srcloc_add("", "load_input", 30, 0);
	uint32_t compute = srcloc_add("compute", "compute", 40, 0x00ff00);

	zone_begin(t, 0, all);
	for (uint32_t i = 0; i < 3; i++) {
		uint64_t at = US(1000) + i * US(3000);

		zone_begin(t, at, step);
		zone_attach(t, TRACE_EXTRA_VALUE, "", i);
		zone_begin(t, at + US(100), load);
		zone_end(t, at + US(600) + i * US(100));
		zone_begin(t, at + US(1000), compute);
		zone_attach(t, TRACE_EXTRA_TEXT, "first line", 0);
		zone_attach(t, TRACE_EXTRA_TEXT, "second, \"quoted\"", 0);
		zone_attach(t, TRACE_EXTRA_VALUE, "", 42);
		zone_attach(t, TRACE_EXTRA_VALUE, "", UINT64_MAX);
		if (i == 1) {
			zone_attach(t, TRACE_EXTRA_NAME, "compute the second", 0);
			zone_attach(t, TRACE_EXTRA_COLOR, "", RAINBOW);
		}
		zone_end(t, at + US(2000));
		zone_end(t, at + US(2500));
	}
	zone_end(t, US(10000));
}

/* A zone for each name that is hard to print, 10 us each. */
static void hostile_thread(uint32_t t)
{
	static char longest[10 * 1024 + 1];
	const char *names[] = {
		"comma, semicolon; tab\tend",
		"\"double\" and 'single' quotes",
		"two\nlines",
		"carriage\r\nreturn",
		"<script>alert(1)</script> &amp;",
		"=1+2 formula",
		"back\\slash",
		"invalid \xff\xfe utf-8 \xc3",
		"overlong \xc0\xaf and surrogate \xed\xa0\x80",
		"control \x01\x1b[31mred\x7f",
		"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e \xf0\x9f\x9a\x80",
		"%s%n{}$(x)`x`",
		" leading and trailing ",
		longest,
	};

	memset(longest, 'x', sizeof(longest) - 1);
	for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		zone_begin(t, US(100) + i * US(20), srcloc_add(names[i], "hostile", 100 + i, 0));
		zone_end(t, US(110) + i * US(20));
	}
}

static void unfinished_thread(uint32_t t)
{
	zone_begin(t, US(500), srcloc_add("waits for ever", "wait", 200, 0));
	zone_begin(t, US(600), srcloc_add("lost its end", "lose", 210, 0));
	end_with(t, US(700), TRACE_ZONE_END_LOST);
	end_with(t, US(10000), TRACE_ZONE_UNFINISHED);
}

static void plots_add(uint32_t owner, uint32_t thread)
{
	static const struct {
		const char *name;
		uint32_t format;
	} kinds[] = {{"queue depth", TRACE_PLOT_NUMBER},
		     {"heap", TRACE_PLOT_MEMORY},
		     {"load, \"cpu\"", TRACE_PLOT_PERCENT},
		     {"power", TRACE_PLOT_WATT}};

	for (uint32_t k = 0; k < 4; k++) {
		uint32_t t = track_add(owner, TRACE_PLOT, k, kinds[k].name, kinds[k].format);

		for (uint32_t i = 0; i < 5; i++) {
			if (k == 0)
				row_add(t, thread, US(1000) * i, TRACE_ROW_PLOT_INT,
					(uint64_t)(-2 + (int)i), 0, "", 0);
			else
				point_add(t, thread, US(1000) * i, 0.5 * i * k);
		}
		if (k == 2) {
			point_add(t, thread, US(6000), NAN);
			point_add(t, thread, US(7000), INFINITY);
		}
	}
}

static void frames_add(uint32_t owner, uint32_t thread)
{
	uint32_t marks = track_add(owner, TRACE_FRAMES, 0, "", 0);
	uint32_t pairs = track_add(owner, TRACE_FRAMES, 1, "render", 1);

	for (uint32_t i = 0; i < 6; i++)
		row_add(marks, thread, US(1600) * i, TRACE_ROW_FRAME, 0, 0, "", 0);
	for (uint32_t i = 0; i < 4; i++)
		row_add(pairs, thread, US(2000) * i, TRACE_ROW_FRAME,
			T0 + US(2000) * i + US(500) + US(100) * i, 0, "", 0);
}

static void memory_add(uint32_t owner, uint32_t thread)
{
	uint32_t heap = track_add(owner, TRACE_MEMORY, 0, "", 0);
	uint32_t pool = track_add(owner, TRACE_MEMORY, 1, "textures", 0);

	for (uint32_t i = 0; i < 8; i++)
		row_add(heap, thread, US(100) * (i + 1), TRACE_ROW_ALLOC, 0x1000 + 64 * i, 64, "",
			0);
	for (uint32_t i = 0; i < 6; i++)
		row_add(heap, thread, US(100) * (i + 20), TRACE_ROW_FREE, 0x1000 + 64 * i, 0, "",
			0);
	row_add(heap, thread, US(5000), TRACE_ROW_FREE, 0xdead0, 0, "", 0);
	row_add(pool, thread, US(5000), TRACE_ROW_ALLOC, 0x7f0000000000, 3 << 20, "", 0);
}

static void locks_add(uint32_t owner, uint32_t a, uint32_t b)
{
	uint32_t mutex = track_add(owner, TRACE_LOCK, 1, "mutex", 0);
	uint32_t shared = track_add(owner, TRACE_LOCK, 2, "table", 1);
	static const struct {
		uint64_t us;
		int thread, op;
	} exclusive[] =
		{
			{100, 0, TRACE_LOCK_WAIT},    {110, 0, TRACE_LOCK_OBTAIN},
			{120, 1, TRACE_LOCK_WAIT},    {300, 0, TRACE_LOCK_RELEASE},
			{301, 1, TRACE_LOCK_OBTAIN},  {350, 1, TRACE_LOCK_MARK},
			{400, 1, TRACE_LOCK_RELEASE},
		},
	  reading[] = {
		  {500, 0, TRACE_LOCK_WAIT_SHARED},    {501, 0, TRACE_LOCK_OBTAIN_SHARED},
		  {502, 1, TRACE_LOCK_WAIT_SHARED},    {503, 1, TRACE_LOCK_OBTAIN_SHARED},
		  {600, 0, TRACE_LOCK_RELEASE_SHARED}, {700, 1, TRACE_LOCK_RELEASE_SHARED},
	  };

	for (size_t i = 0; i < sizeof(exclusive) / sizeof(exclusive[0]); i++)
		row_add(mutex, exclusive[i].thread ? b : a, US(exclusive[i].us), TRACE_ROW_LOCK,
			(uint64_t)exclusive[i].op, TRACE_NONE, "", 0);
	for (size_t i = 0; i < sizeof(reading) / sizeof(reading[0]); i++)
		row_add(shared, reading[i].thread ? b : a, US(reading[i].us), TRACE_ROW_LOCK,
			(uint64_t)reading[i].op, TRACE_NONE, "", 0);
}

static void messages_add(uint32_t t, uint32_t thread)
{
	static const char *const texts[] = {
		"entering", "value is 3", "ready", "slow: 12 ms", "failed, \"retry\"\nsecond line",
		"giving up"};

	row_add(t, TRACE_NONE, 0, TRACE_ROW_APP_INFO, 0, 0, "version 1.2", 11);
	for (uint32_t i = 0; i < 6; i++)
		message_add(t, thread, US(1000) * (i + 1), i, texts[i]);
	row_add(t, thread, US(7000), TRACE_ROW_MESSAGE, TRACE_SEVERITY_INFO, 0, "nul\0inside \xff",
		12);
}

/* With JITTER, lengths and distances are random, and compress as badly as measured ones. */
static void zones_add(uint32_t owner, uint64_t zones)
{
	uint64_t seed = 1;
	uint32_t t =
		track_add(owner, TRACE_THREAD, 1000, "bulk", 0); /* a tid that was used before */
	uint32_t outer = srcloc_add("outer", "bulk", 300, 0),
		 inner = srcloc_add("inner", "bulk", 310, 0);

	for (uint64_t i = 0; i < zones; i += 10) {
		uint64_t at = i * 100;

		zone_begin(t, at, outer);
		for (uint64_t k = 0; k < 9 && i + k + 1 < zones; k++) {
			uint64_t less = jitter ? (uint64_t)(random_uniform(&seed) * 49) : 0;

			zone_begin(t, at + 50 + 100 * k + less, inner);
			zone_end(t, at + 100 + 100 * k - less / 3);
		}
		zone_end(t, at + 990);
	}
}

/* Bytes that formats stumble over, and any others but NUL. */
static void random_names(uint32_t owner, unsigned seed)
{
	static const char nasty[] = "\",'\r\n\t =+-@;\\\xc3\xa4\xff";
	uint32_t t = track_add(owner, TRACE_THREAD, 1010, "random", 0);
	char name[40];

	srand(seed);
	for (uint32_t i = 0; i < 200; i++) {
		size_t len = 1 + (size_t)rand() % (sizeof(name) - 1);

		for (size_t k = 0; k < len; k++)
			name[k] = rand() % 2 ? nasty[(size_t)rand() % (sizeof(nasty) - 1)]
					     : (char)(1 + rand() % 255);
		name[len] = 0;
		zone_begin(t, US(10) * i, srcloc_add(name, "random", 600 + i, 0));
		zone_end(t, US(10) * i + US(5));
		for (size_t k = 0; k < len; k++)
			printf("%02x", (unsigned char)name[k]);
		putchar('\n');
	}
}

static void ledgers_add(void)
{
	for (uint32_t i = 0; i < TRACKS; i++)
		if (tracks[i].ledger.zones_emitted || tracks[i].ledger.rows_emitted)
			result_check(trace_add_ledger(w, i, &tracks[i].ledger), "ledger");
}

static void trace_fill(bool losses, uint64_t zones, unsigned seed)
{
	uint32_t app, worker, main_track, other, unnamed, fiber, child, texts;

	for (uint64_t i = 0; i < 2; i++) {
		struct trace_clock_point p = {
			.ticks = T0 + i * US(10000),
			.monotonic_ns = (int64_t)(5000000000 + i * US(10000)),
			.realtime_ns = (int64_t)(1767323045000000000 + i * US(10000)),
			.bound_ns = 25};
		result_check(trace_add_clock_point(w, &p), "clock point");
	}
	trace_set_property(w, "host", "invented");
	trace_set_property(w, "recorder", "mktrace");
	trace_set_property(w, "command", "./app --flag 'a b'");
	app = process_add(1000, 1, 0, US(10000), 0, "app", "./app --flag 'a b'");
	worker = process_add(1001, 1000, US(1000), US(9000), 9, "worker, \"x\"", "worker --of app");
	main_track = track_add(app, TRACE_THREAD, 1000, "main", 0);
	other = track_add(app, TRACE_THREAD, 1002, "hostile names", 0);
	unnamed = track_add(app, TRACE_THREAD, 1003, "", 0);
	fiber = track_add(app, TRACE_FIBER, 7, "fiber one", 0);
	child = track_add(worker, TRACE_THREAD, 1001, "main", 0);
	texts = track_add(app, TRACE_MESSAGES, 0, "", 0);
	main_thread(main_track);
	hostile_thread(other);
	unfinished_thread(unnamed);
	zone_begin(fiber, US(2000), srcloc_add("on a fiber", "fiber", 400, 0));
	zone_end(fiber, US(2500));
	zone_begin(child, US(2000), srcloc_add("in the child", "child_main", 500, 0));
	zone_end(child, US(8000));
	messages_add(texts, main_track);
	message_add(track_add(worker, TRACE_MESSAGES, 0, "", 0), child, US(3000),
		    TRACE_SEVERITY_INFO, "hello from the child");
	plots_add(app, main_track);
	frames_add(app, main_track);
	memory_add(app, main_track);
	locks_add(app, main_track, other);
	if (losses)
		loss_add(other, US(900), 5, 2);
	if (zones)
		zones_add(app, zones);
	if (seed)
		random_names(app, seed);
	ledgers_add();
}

int main(int argc, char **argv)
{
	struct trace_writer_options options = {.force = true};
	struct tacho_error err = {0};
	bool killed = false, losses = true;
	uint64_t zones = 0;
	unsigned seed = 0;
	int c;

	while ((c = getopt(argc, argv, "ucjn:s:")) != -1) {
		if (c == 'u')
			killed = true;
		else if (c == 'c')
			losses = false;
		else if (c == 'n')
			zones = strtoull(optarg, NULL, 10);
		else if (c == 'j')
			jitter = true;
		else if (c == 's')
			seed = (unsigned)strtoul(optarg, NULL, 10);
		else
			return 2;
	}
	if (optind + 1 != argc)
		return 2;
	if (trace_writer_open(&w, argv[optind], &options, &err) < 0)
		return err_report(&err, err.code);
	trace_fill(losses, zones, seed);
	if (killed) {
		result_check(trace_checkpoint(w, "state", 5), "checkpoint");
		trace_writer_abandon(w);
		return 0;
	}
	if (trace_writer_close(w, &err) < 0)
		return err_report(&err, err.code);
	return 0;
}
