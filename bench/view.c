/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The viewer's server without its sockets: cost of a view of 64 lanes and 2000 pixels, first tiles
 * after opening, statistics of ranges, tiles of a plot, messages with some words, memory.
 *
 *	bench_view [ZONES [FILE]]      ZONES in millions, default 10; with FILE only writes the
 *	                               trace there
 *
 * Views are random in position and zoom, so that cached data of one helps the next only by chance;
 * those of a walk move as people do.
 */
#include "view/lane_numbers.h"
#include "view_ask.h"

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRACKS    16u
#define DEPTHS    8u
#define NAMES     60u
#define LANES     64u
#define VIEWS     300u
#define RANGES    100u
#define LIVE_STEP 500000u /* zones */

static char temporary[] = "/tmp/bench_view.XXXXXX";
static const char *path = temporary;
static bool talks = true; /* the trace has messages */

static double seconds_now(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static uint64_t random_next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static double random_share(uint64_t *s)
{
	return (double)(random_next(s) >> 11) / 9007199254740992.0;
}

/* One zone and its contents: two children at each depth, random lengths. */
static uint64_t tree_measure(struct trace_writer *w, uint32_t track, uint32_t depth, uint64_t at,
			     uint64_t *seed, uint64_t *zones)
{
	uint64_t start = at, inside = 0;

	at += 5 + random_next(seed) % 40;
	for (unsigned i = 0; i < 2 && depth + 1 < DEPTHS; i++) {
		uint64_t end = tree_measure(w, track, depth + 1, at, seed, zones);

		inside += end - at;
		at = end + random_next(seed) % 20;
	}
	at += 5 + random_next(seed) % 60;
	trace_lane_add(w, trace_lane(w, track, depth), start, at,
		       (uint32_t)(random_next(seed) % 7 + depth * 7) % NAMES, inside);
	++*zones;
	return at;
}

/* Values of a plot up to number END. */
static void values_measure(struct trace_writer *w, uint64_t time, uint64_t end, uint64_t *rows,
			   uint64_t *seed)
{
	for (; *rows < end; ++*rows) {
		struct trace_row row = {.time = time,
					.kind = TRACE_ROW_PLOT_INT,
					.thread = TRACE_NONE,
					.a = random_next(seed) % 1000,
					.text = ""};

		trace_add_row(w, TRACKS, &row);
	}
}

/* Messages up to number END. */
static void messages_measure(struct trace_writer *w, uint64_t time, uint64_t end, uint64_t *rows)
{
	for (; *rows < end; ++*rows) {
		char text[80];
		struct trace_row row = {.time = time,
					.kind = TRACE_ROW_MESSAGE,
					.thread = 0,
					.a = *rows % 4,
					.text = text};

		row.text_len = (uint32_t)snprintf(
			text, sizeof(text), "request %llu took %llu us on core %llu,%llu",
			(unsigned long long)*rows, (unsigned long long)*rows * 7 % 1000,
			(unsigned long long)*rows % 8, (unsigned long long)*rows % 9);
		trace_add_row(w, TRACKS + 1, &row);
	}
}

static void live_look(struct trace_writer *w);

/* WATCHED: the viewer follows. */
static uint64_t view_make(uint64_t wanted, bool watched)
{
	struct trace_writer_options options = {.force = true};
	struct trace_process p = {.pid = 1, .start = 1000, .name = "bench", .command = "bench"};
	struct trace_track plot = {.kind = TRACE_PLOT, .srcloc = TRACE_NONE, .name = "p"};
	struct trace_track texts = {.kind = TRACE_MESSAGES, .srcloc = TRACE_NONE, .name = "m"};
	uint64_t seed = 88172645463325252ull, zones = 0, rows = 0, said = 0, at[TRACKS], seen = 0;
	struct trace_writer *w;

	if (trace_writer_open(&w, path, &options, NULL) < 0)
		exit(1);
	trace_set_property(w, "ticks per second", "1000000000");
	trace_add_process(w, &p);
	for (uint32_t i = 0; i < NAMES; i++) {
		char name[16];
		struct trace_srcloc s = {name, name, "bench.c", i, 0};

		snprintf(name, sizeof(name), "zone %u", i);
		trace_add_srcloc(w, &s);
	}
	for (uint32_t i = 0; i < TRACKS; i++) {
		struct trace_track t = {
			.kind = TRACE_THREAD, .id = i, .srcloc = TRACE_NONE, .name = "t"};

		trace_add_track(w, &t);
		at[i] = 1000;
	}
	trace_add_track(w, &plot);
	if (talks)
		trace_add_track(w, &texts);
	while (zones < wanted) {
		for (uint32_t i = 0; i < TRACKS; i++)
			at[i] = tree_measure(w, i, 0, at[i], &seed, &zones) +
				random_next(&seed) % 100;
		values_measure(w, at[0], zones / 10, &rows, &seed);
		messages_measure(w, at[0], talks ? zones / 20 : 0, &said);
		if (watched && zones >= seen + LIVE_STEP) {
			live_look(w);
			seen = zones;
		}
	}
	if (trace_writer_close(w, NULL) < 0)
		exit(1);
	return zones;
}

static struct view *traces;

/* CPU seconds of one request. */
static double view_query(const char *text, size_t *bytes)
{
	struct view_answer answer;
	double begin = seconds_now(CLOCK_THREAD_CPUTIME_ID);
	enum view_status status = view_ask_text(traces, text, &answer);

	begin = seconds_now(CLOCK_THREAD_CPUTIME_ID) - begin;
	if (status != VIEW_OK) {
		fprintf(stderr, "bench_view: %s: %s\n", text, answer.body.data);
		exit(1);
	}
	if (bytes)
		*bytes += answer.body.len;
	buf_free(&answer.body);
	return begin;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void result_print(const char *what, double *v, unsigned n, double goal50, double goal99)
{
	qsort(v, n, sizeof(*v), by_value);
	printf("%-44s p50 %8.3f  p90 %8.3f  p99 %8.3f ms", what, v[n / 2] * 1e3,
	       v[n * 9 / 10] * 1e3, v[n * 99 / 100] * 1e3);
	if (goal50 > 0)
		printf("   (goal p50 %.0f, p99 %.0f)", goal50, goal99);
	putchar('\n');
}

/* Four tiles of 512 pixels side by side: a view of 2048. */
static double view_measure(unsigned res, uint64_t i, size_t *bytes)
{
	char target[200];
	double cpu = 0;

	for (unsigned k = 0; k < 4; k++) {
		snprintf(target, sizeof(target), "tiles?lanes=0-%u&res=%u&i=%llu", LANES - 1, res,
			 (unsigned long long)(i + k));
		cpu += view_query(target, bytes);
	}
	return cpu;
}

/* Drops all cached zones. */
static void cache_forget(void)
{
	struct trace *t = traces->traces.v[0]->quick.trace;

	trace_set_cache(t, 0);
	trace_set_cache(t, (size_t)32 << 20);
}

/* A random view. */
static double view_random(unsigned res, double span_ns, uint64_t *seed, size_t *bytes)
{
	double room = span_ns / (512.0 * (double)(1ull << res)) - 4;

	return view_measure(res, room > 0 ? (uint64_t)(random_share(seed) * room) : 0, bytes);
}

/* Moves as people do: mostly to the side, sometimes zooming, now and then to another place. */
static void walk_measure(double span_ns, unsigned most)
{
	double v[VIEWS], at = span_ns / 2;
	uint64_t seed = 7;
	unsigned res = most / 2;

	for (unsigned i = 0; i < VIEWS; i++) {
		unsigned step = (unsigned)(random_next(&seed) % 10);
		double tile, first;

		if (step == 0)
			at = random_share(&seed) * span_ns;
		else if (step < 3 && res < most)
			res++;
		else if (step < 5 && res > 0)
			res--;
		tile = 512.0 * (double)(1ull << res);
		if (step >= 5)
			at += (random_next(&seed) % 2 ? 1 : -1) * tile;
		at = at < 0 ? 0 : at > span_ns ? span_ns : at;
		first = at / tile - 2;
		v[i] = view_measure(res, first > 0 ? (uint64_t)first : 0, NULL);
	}
	result_print("views as one pans and zooms", v, VIEWS, 0, 0);
}

static void views_measure(double span_ns)
{
	double v[VIEWS];
	uint64_t seed = 3;
	unsigned most = 0;
	size_t bytes = 0;

	while (512.0 * 4 * (double)(1ull << most) < span_ns)
		most++;
	for (unsigned i = 0; i < VIEWS; i++)
		v[i] = view_random((unsigned)(random_next(&seed) % (most + 1)), span_ns, &seed,
				   &bytes);
	result_print("view, any zoom: 64 lanes x 2048 pixels, CPU", v, VIEWS, 2, 10);
	printf("%-44s %8.0f KiB\n", "  bytes of a view", (double)bytes / VIEWS / 1024);
	for (unsigned i = 0; i < VIEWS; i++) {
		cache_forget();
		v[i] = view_random((unsigned)(random_next(&seed) % (most + 1)), span_ns, &seed,
				   NULL);
	}
	result_print("  the same, nothing in memory but the index", v, VIEWS, 0, 0);
	for (unsigned res = 0; res <= most; res++) {
		char what[64];

		for (unsigned i = 0; i < 40; i++)
			v[i] = view_random(res, span_ns, &seed, NULL);
		snprintf(what, sizeof(what), "  at 2^%u ns per pixel", res);
		result_print(what, v, 40, 0, 0);
	}
	walk_measure(span_ns, most);
	for (unsigned i = 0; i < 30; i++)
		v[i] = view_measure(most, 0, NULL);
	result_print("view, all of the trace", v, 30, 0, 0);
}

/* Tiles of a plot that has a tenth as many values as there are zones. */
static void plots_measure(double span_ns)
{
	double v[VIEWS], begin;
	uint64_t seed = 13;
	char target[200];

	begin = seconds_now(CLOCK_MONOTONIC);
	view_query("plots", NULL);
	printf("%-44s %8.3f s\n", "plot, first look", seconds_now(CLOCK_MONOTONIC) - begin);
	for (unsigned i = 0; i < VIEWS; i++) {
		unsigned res = (unsigned)(random_next(&seed) % 21);
		double tile = 512.0 * (double)(1ull << res);

		snprintf(target, sizeof(target), "plot?track=%u&res=%u&i=%.0f", TRACKS, res,
			 random_share(&seed) * (span_ns / tile));
		v[i] = view_query(target, NULL);
	}
	result_print("tile of a plot", v, VIEWS, 0, 0);
}

/*
 * A list of messages, a twentieth as many as there are zones: those with a word against all of
 * them, and a page in the middle against the first, for which they are counted.
 */
static void lists_measure(void)
{
	static const char *const queries[] = {"", "&q=nothing", "&q=took&severity=3",
					      "&q=nothing,nowhere,-never"};
	double all = 0, first, page;

	for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++) {
		char target[200], what[64];

		snprintf(target, sizeof(target), "messages?limit=200%s", queries[i]);
		first = view_query(target, NULL);
		if (!i)
			all = first;
		snprintf(target, sizeof(target), "messages?limit=200&offset=100000%s", queries[i]);
		page = view_query(target, NULL);
		snprintf(what, sizeof(what), "messages %s", i ? queries[i] : "");
		printf("%-44s %8.3f s, %.1f x all of them; a page behind %.3f ms, %.4f x\n", what,
		       first, first / all, page * 1e3, page / first);
	}
}

static void statistics_measure(double span_ns)
{
	double v[RANGES];
	uint64_t seed = 5;
	char target[200];
	double begin = seconds_now(CLOCK_MONOTONIC);

	view_query("stats", NULL);
	printf("%-44s %8.3f s\n", "first statistics, sums being made",
	       seconds_now(CLOCK_MONOTONIC) - begin);
	for (unsigned i = 0; i < RANGES; i++) {
		double a = random_share(&seed), b = random_share(&seed);

		snprintf(target, sizeof(target), "stats?t0=%.0f&t1=%.0f", (a < b ? a : b) * span_ns,
			 (a < b ? b : a) * span_ns);
		v[i] = view_query(target, NULL);
	}
	result_print("statistics of any range, CPU", v, RANGES, 200, 200);
	for (unsigned i = 0; i < 20; i++) {
		snprintf(target, sizeof(target), "hist?name=%u", i);
		v[i] = view_query(target, NULL);
	}
	result_print("histogram of a name", v, 20, 0, 0);
}

/* The first page and the flame graph, computed and from the cache. */
static void firsts_measure(const char *when)
{
	char what[64];

	snprintf(what, sizeof(what), "overview, %s, CPU", when);
	printf("%-44s %8.3f s   (goal 0.3)\n", what, view_query("overview", NULL));
	snprintf(what, sizeof(what), "flame graph, %s, CPU", when);
	printf("%-44s %8.3f s   (goal 0.5)\n", what, view_query("flame?limit=2000", NULL));
}

/* MiB of the server's private memory; the kernel can reclaim mapped files. */
static double memory_measure(const char *when)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[200];
	long anonymous = 0;

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "RssAnon: %ld", &anonymous);
	if (f)
		fclose(f);
	if (when)
		printf("%-44s %8.1f MiB\n", when, (double)anonymous / 1024);
	return (double)anonymous / 1024;
}

static bool clock_start(void)
{
	struct view_options options = {0};
	struct tacho_error err = {0};

	if (view_open(&traces, &options, &err) == 0 && view_add(traces, path, &err) == 0)
		return true;
	fprintf(stderr, "bench_view: %s\n", err.text);
	return false;
}

/* The follower thread's work after a checkpoint, then some views of the result. */
static void live_look(struct trace_writer *w)
{
	static uint64_t seed = 3;
	struct view_trace *t;
	struct view_handle *h;

	if (trace_checkpoint(w, "", 0) < 0)
		exit(1);
	if (!traces && (view_open(&traces, &(struct view_options){0}, NULL) < 0 ||
			trace_add(traces, path, "/proc/nowhere", NULL) < 0))
		exit(1);
	t = traces->traces.v[0];
	if (handle_take(t, QUICK, &h) < 0 || trace_refresh(h->trace, NULL) < 0 ||
	    trace_lod_refresh(h->lod, NULL) < 0)
		exit(1);
	pthread_mutex_lock(&t->lock);
	t->now.gen++;
	lanes_learn(t, h->trace);
	now_set(t, h->trace);
	h->gen = t->now.gen;
	pthread_mutex_unlock(&t->lock);
	handle_put(t, h);
	view_query("meta", NULL);
	view_query("stats", NULL);
	for (unsigned i = 0; i < 10; i++)
		view_random(2 * i, (double)t->now.duration, &seed, NULL);
}

static void memory_saved(uint64_t wanted)
{
	uint64_t seed = 3;
	double span;

	view_make(wanted, false);
	if (!clock_start())
		_exit(1);
	span = (double)traces->traces.v[0]->now.duration;
	view_query("stats", NULL);
	view_query("plots", NULL);
	for (unsigned i = 0; i < 100; i++)
		view_random(i % 10, span, &seed, NULL);
}

/*
 * The memory of a server that has shown, or followed, a trace of so many zones. The latter
 * includes the recorder's own buffers.
 */
static double memory_for(uint64_t wanted, bool followed)
{
	double result = 0;
	int ends[2];
	pid_t child = pipe(ends) < 0 ? -1 : fork();

	if (child == 0) {
		if (followed)
			view_make(wanted, true);
		else
			memory_saved(wanted);
		result = memory_measure(NULL);
		_exit(write(ends[1], &result, sizeof(result)) != sizeof(result));
	}
	if (child > 0) {
		if (read(ends[0], &result, sizeof(result)) != sizeof(result))
			result = NAN;
		waitpid(child, NULL, 0);
		close(ends[0]);
		close(ends[1]);
	}
	return result;
}

static int tree_remove(const char *name, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(name);
}

static void call_measure(void)
{
	double begin, span, meta = 0;

	for (int again = 0; again < 2; again++) {
		begin = seconds_now(CLOCK_MONOTONIC);
		if (!clock_start())
			exit(1);
		meta = view_query("meta", NULL);
		view_measure(20, 0, NULL);
		printf("%-44s %8.3f s%s\n",
		       again ? "open and first tiles, indexed"
			     : "open, make the index, first tiles",
		       seconds_now(CLOCK_MONOTONIC) - begin, again ? "   (goal 1)" : "");
		firsts_measure(again ? "opened again" : "first time");
		if (!again)
			view_close(traces);
	}
	printf("%-44s %8.4f x the first time\n", "meta, as a page that follows asks again",
	       view_query("meta", NULL) / meta);
	span = (double)traces->traces.v[0]->now.duration;
	memory_measure("memory, index open");
	/*
	 * First, since the sums are computed while it waits: then views have the machine to
	 * themselves.
	 */
	statistics_measure(span);
	memory_measure("memory after statistics");
	views_measure(span);
	plots_measure(span);
	lists_measure();
	memory_measure("memory after views");
	view_close(traces);
}

int main(int argc, char **argv)
{
	uint64_t wanted = (argc > 1 ? strtoull(argv[1], NULL, 10) : 10) * 1000000, zones;
	char cache[] = "/tmp/bench_view_cache.XXXXXX";
	double begin, few, many, live_few, live_many;
	int fd;

	if (argc > 2) {
		path = argv[2];
		talks = false; /* marks on the timeline, which the page requests at each step */
		return view_make(wanted, false) < wanted;
	}
	fd = mkstemp(temporary);
	if (fd < 0 || !mkdtemp(cache))
		return 1;
	close(fd);
	setenv("XDG_CACHE_HOME", cache, 1);
	few = memory_for(wanted / 10, false);
	many = memory_for(wanted, false);
	live_few = memory_for(wanted / 10, true);
	live_many = memory_for(wanted, true);
	begin = seconds_now(CLOCK_MONOTONIC);
	zones = view_make(wanted, false);
	printf("%llu zones on %u lanes, made in %.1f s\n", (unsigned long long)zones,
	       TRACKS * DEPTHS, seconds_now(CLOCK_MONOTONIC) - begin);
	call_measure();
	printf("%-44s %8.1f and %.1f MiB, ratio %.2f\n", "memory for a tenth of the zones and all",
	       few, many, many / few);
	printf("%-44s %8.1f and %.1f MiB, ratio %.2f\n", "  the same while they are recorded",
	       live_few, live_many, live_many / live_few);
	unlink(path);
	nftw(cache, tree_remove, 8, FTW_DEPTH | FTW_PHYS);
	return 0;
}
