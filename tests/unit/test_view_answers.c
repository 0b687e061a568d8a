/* SPDX-License-Identifier: Apache-2.0 */
/* Slow answers are cached, and reused only for the same query and if undamaged. */
#include "trace_tools.h"
#include "view/answer_cache.h"

#include <dirent.h>

static void trace_write(const char *path)
{
	struct trace_process p = {.pid = 1, .start = 1000, .name = "p", .command = "p"};
	struct trace_track track = {.kind = TRACE_THREAD, .srcloc = TRACE_NONE, .name = "t"};
	struct trace_srcloc loc = {.name = "z", .function = "", .file = ""};
	struct trace_writer *w = test_writer(path);

	trace_add_process(w, &p);
	trace_add_track(w, &track);
	trace_add_srcloc(w, &loc);
	trace_lane_add(w, trace_lane(w, 0, 0), 1000, 2000, 0, 0);
	assert_int_equal(trace_writer_close(w, NULL), 0);
}

struct asked {
	struct view_trace on;
	struct view_query query;
	struct view_answer answer;
	struct view_call c;
};

static void asked_prepare(struct asked *a, struct trace *trace, const char *query)
{
	memset(a, 0, sizeof(*a));
	a->on.keeps = true;
	a->on.name = "a.tacho";
	a->answer.body = (struct buf)BUF_INIT;
	assert_true(query_parse(&a->query, query));
	a->c = (struct view_call){
		.on = &a->on, .query = &a->query, .answer = &a->answer, .trace = trace};
}

/* True if the answer to QUERY is cached, with the contents TEXT. */
static bool answer_is_kept(struct trace *trace, const char *query, const char *text)
{
	struct asked a;
	bool found;

	asked_prepare(&a, trace, query);
	found = answer_cache_find(&a.c, "flame");
	if (found)
		assert_string_equal(a.answer.body.data, text);
	else
		assert_int_equal(a.answer.body.len, 0);
	buf_free(&a.answer.body);
	return found;
}

static void answer_keep(struct trace *trace, const char *query, const char *text, double began)
{
	struct asked a;

	asked_prepare(&a, trace, query);
	buf_adds(&a.answer.body, text);
	answer_cache_keep(&a.c, "flame", began);
	buf_free(&a.answer.body);
}

/* Changes the last byte of the only answer in the cache. */
static void answer_damage(const char *folder)
{
	DIR *d = opendir(folder);
	struct dirent *e;
	unsigned found = 0;

	assert_non_null(d);
	while ((e = readdir(d))) {
		char path[600];
		FILE *f;

		if (!strstr(e->d_name, ".answer"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		f = fopen(path, "r+");
		assert_non_null(f);
		assert_int_equal(fseek(f, -1, SEEK_END), 0);
		fputc('!', f);
		fclose(f);
		found++;
	}
	closedir(d);
	assert_int_equal(found, 1);
}

static void test_kept(void **state)
{
	char cache[200], folder[220];
	struct trace *trace;

	(void)state;
	snprintf(cache, sizeof(cache), "%s", test_path("cache"));
	snprintf(folder, sizeof(folder), "%s/tacho", cache);
	setenv("XDG_CACHE_HOME", cache, 1);
	trace_write(test_path("a.tacho"));
	assert_int_equal(trace_open(&trace, test_path("a.tacho"), NULL), 0);
	answer_keep(trace, "limit=5", "small", 0);
	assert_false(answer_is_kept(trace, "limit=5", ""));

	trace->zones = ANSWERS_FROM;
	assert_false(answer_is_kept(trace, "limit=5", ""));
	answer_keep(trace, "limit=5", "quick", 1e18);
	assert_false(answer_is_kept(trace, "limit=5", ""));
	answer_keep(trace, "limit=5", "slow", 0);
	assert_true(answer_is_kept(trace, "limit=5", "slow"));
	assert_true(answer_is_kept(trace, "limit=5&v=tag", "slow"));
	assert_false(answer_is_kept(trace, "limit=6", ""));
	assert_false(answer_is_kept(trace, "", ""));
	answer_damage(folder);
	assert_false(answer_is_kept(trace, "limit=5", ""));
	answer_keep(trace, "limit=5", "again", 0);
	assert_true(answer_is_kept(trace, "limit=5", "again"));
	trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_kept)};
	int r = cmocka_run_group_tests(tests, NULL, NULL);

	test_cleanup();
	return r;
}
