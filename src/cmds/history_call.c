/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs over commits, for the page: the histories of a database, and the series of one with their
 * steps, as "tacho db regress" finds them. What was read is cached for some seconds, since a page
 * that shows a history asks for one series after the other.
 */
#include "cmds/history_call.h"
#include "base/json.h"
#include "base/now.h"
#include "db/regress.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define HISTORY_FRESH_NS (INT64_C(10) * 1000000000)
#define HISTORY_SERIES   5000u  /* of an answer */
#define HISTORY_WINDOW   60u    /* runs, unless the query says how many */
#define HISTORY_LONGEST  10000u /* runs */

/* All runs, and what was read of one group of them. */
struct history {
	const char *url;
	pthread_mutex_t lock;
	struct db_runs all;
	int64_t all_read; /* when; 0: not yet */
	/* The last runs of one group */
	uint32_t group, window;
	struct db_runs runs;
	struct db_series_list list;
	struct regress steps;
	uint64_t state; /* hash of the runs: indexes of an answer are valid with it only */
	bool group_read;
};

static void history_forget(struct history *h)
{
	regress_free(&h->steps);
	db_series_free(&h->list);
	db_runs_free(&h->runs);
	h->steps = (struct regress){0};
	h->list = (struct db_series_list){0};
	h->runs = (struct db_runs){0};
	h->group_read = false;
}

/* The newest run of GROUP, which has its names. */
static const struct db_run *history_group(const struct history *h, uint32_t group)
{
	for (size_t i = h->all.n; i-- > 0;)
		if (h->all.v[i].group == group)
			return &h->all.v[i];
	return NULL;
}

static int history_runs_read(struct history *h, struct db *db, struct tacho_error *err)
{
	int r;

	history_forget(h);
	db_runs_free(&h->all);
	h->all_read = 0;
	r = db_runs_read(db, &(struct db_filter){0}, &h->all, err);
	if (r == 0)
		h->all_read = now_ns();
	return r;
}

static int history_group_read(struct history *h, struct db *db, uint32_t group, uint32_t window,
			      struct tacho_error *err)
{
	const struct db_run *newest = history_group(h, group);
	const struct regress_options options = {.all = true};
	const struct db_filter filter = {.project = newest->project,
					 .suite = newest->suite,
					 .config = newest->config,
					 .branch = newest->branch,
					 .window = window};
	struct db_accepted_list accepted = {0};
	int r;

	history_forget(h);
	r = db_runs_read(db, &filter, &h->runs, err);
	if (r == 0)
		r = db_series_read(db, &h->runs, &filter, &h->list, err);
	if (r == 0)
		r = db_accepted_read(db, &accepted, err);
	if (r == 0)
		r = regress_history(&h->steps, &h->runs, &h->list, &accepted, &options, err);
	db_accepted_free(&accepted);
	if (r < 0) {
		history_forget(h);
		return r;
	}
	h->state = group;
	for (size_t i = 0; i < h->runs.n; i++)
		h->state = XXH3_64bits_withSeed(h->runs.v[i].id, strlen(h->runs.v[i].id), h->state);
	h->group = group;
	h->window = window;
	h->group_read = true;
	return 0;
}

/* ------------------------------------------------------------------ query */

/* A whole number of at most MOST; WITHOUT if it is absent. */
static int history_number(const struct view_query *query, const char *key, uint32_t without,
			  uint32_t most, uint32_t *number, struct tacho_error *err)
{
	const char *text = query_get(query, key);
	unsigned long long n;
	char *end;

	*number = without;
	if (!text)
		return 0;
	n = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || n > most)
		return err_set(err, TACHO_EUSAGE, "%s is not a whole number up to %u", key, most);
	*number = (uint32_t)n;
	return 0;
}

/* Reads what is missing or old. Without "group": that of the newest run. */
static int history_read(struct history *h, const struct view_query *query, struct tacho_error *err)
{
	const struct db_options options = {.url = h->url};
	const struct db_run *newest = NULL;
	uint32_t group, window;
	struct db *db = NULL;
	int r = 0;

	if (!h->all_read || now_ns() - h->all_read > HISTORY_FRESH_NS) {
		r = db_open(&db, &options, err);
		if (r == 0)
			r = history_runs_read(h, db, err);
	}
	for (size_t i = 0; r == 0 && i < h->all.n; i++)
		if (!newest || h->all.v[i].started_at > newest->started_at)
			newest = &h->all.v[i];
	if (r == 0)
		r = history_number(query, "group", newest ? newest->group : 0, UINT32_MAX, &group,
				   err);
	if (r == 0)
		r = history_number(query, "window", HISTORY_WINDOW, HISTORY_LONGEST, &window, err);
	if (r == 0 && group >= h->all.groups && group)
		r = err_set(err, TACHO_ENO, "there is no such group of runs");
	if (r == 0 && newest && (!h->group_read || h->group != group || h->window != window)) {
		r = db ? 0 : db_open(&db, &options, err);
		if (r == 0)
			r = history_group_read(h, db, group, window, err);
	}
	db_close(db);
	return r;
}

/* ----------------------------------------------------------------- answers */

static void groups_put(struct json *j, const struct history *h)
{
	json_array(j, "groups");
	for (uint32_t g = 0; g < h->all.groups; g++) {
		const struct db_run *run = history_group(h, g);
		uint64_t runs = 0;

		for (size_t i = 0; i < h->all.n; i++)
			runs += h->all.v[i].group == g;
		json_object(j, NULL);
		json_text(j, "project", run->project);
		json_text(j, "suite", run->suite);
		json_text(j, "config", run->config);
		json_text(j, "branch", run->branch);
		json_uint(j, "runs", runs);
		json_end(j);
	}
	json_end(j);
}

static void runs_put(struct json *j, const struct db_runs *runs)
{
	json_array(j, "runs");
	for (size_t i = 0; i < runs->n; i++) {
		const struct db_run *run = &runs->v[i];

		json_object(j, NULL);
		json_text(j, "run", run->id);
		json_text(j, "sha", run->sha);
		json_int(j, "seq", run->commit_seq);
		json_double(j, "committed_ms", (double)run->commit_time / 1e6);
		json_double(j, "started_ms", (double)run->started_at / 1e6);
		json_text(j, "host", run->host);
		json_uint(j, "ranks", run->ranks);
		json_end(j);
	}
	json_end(j);
}

static void id_put(struct json *j, const char *key, uint64_t id)
{
	char text[20];

	snprintf(text, sizeof(text), "%016llx", (unsigned long long)id);
	json_text(j, key, text);
}

static void series_put(struct json *j, const struct db_series *s)
{
	static const char *const kinds[] = {
		[DB_OP] = "op", [DB_ZONE] = "zone", [DB_METRIC] = "metric"};

	json_object(j, NULL);
	id_put(j, "id", s->id);
	json_text(j, "kind", kinds[s->kind]);
	json_text(j, "name", s->name);
	json_text(j, "detail", s->detail);
	json_uint(j, "points", s->n);
	json_double(j, "value", s->v[s->n - 1].value);
	json_uint(j, "count", s->v[s->n - 1].count);
	json_end(j);
}

#define HISTORY_ABSENT UINT32_MAX

/*
 * Chooses the series of an answer, those with steps first. INDEX has their places in it, or
 * HISTORY_ABSENT, by their places in the list.
 */
static size_t series_choose(const struct history *h, uint32_t *index, uint32_t *chosen)
{
	size_t n = 0;

	memset(index, 0xff, h->list.n * sizeof(*index));
	for (size_t i = 0; i < h->steps.n + h->list.n && n < HISTORY_SERIES; i++) {
		size_t k = i < h->steps.n ? (size_t)(h->steps.v[i].series - h->list.v)
					  : i - h->steps.n;

		if (index[k] != HISTORY_ABSENT)
			continue;
		index[k] = (uint32_t)n;
		chosen[n++] = (uint32_t)k;
	}
	return n;
}

static void steps_put(struct json *j, const struct history *h, const uint32_t *index)
{
	json_array(j, "steps");
	for (size_t i = 0; i < h->steps.n; i++) {
		const struct regress_finding *f = &h->steps.v[i];

		if (index[f->series - h->list.v] == HISTORY_ABSENT)
			continue;
		json_object(j, NULL);
		json_uint(j, "series", index[f->series - h->list.v]);
		json_text(j, "state", regress_states[f->state]);
		json_uint(j, "run_before", f->before);
		json_uint(j, "run", f->after);
		json_uint(j, "run_first", f->series->v[f->step.from].run);
		json_uint(j, "run_last", f->series->v[f->step.to - 1].run);
		json_int(j, "commits", f->commits);
		json_double(j, "before", f->step.before);
		json_double(j, "after", f->step.after);
		json_double(j, "change", f->step.change);
		json_double(j, "low", f->step.low);
		json_double(j, "high", f->step.high);
		json_double(j, "z", f->step.z);
		json_bool(j, "fast", f->step.fast);
		json_end(j);
	}
	json_end(j);
}

/* The worst step first; a step names its series and runs by their index here. */
static int history_put(struct json *j, const struct history *h, const struct view_query *query,
		       struct tacho_error *err)
{
	uint32_t *index = malloc((h->list.n + 1 + HISTORY_SERIES) * sizeof(*index));
	uint32_t *chosen;
	size_t n;

	(void)query;
	if (!index)
		return err_set(err, TACHO_ENOMEM, "no memory for the history");
	chosen = index + h->list.n + 1;
	n = series_choose(h, index, chosen);
	groups_put(j, h);
	json_uint(j, "group", h->group);
	id_put(j, "state", h->state);
	runs_put(j, &h->runs);
	json_uint(j, "total", h->list.n);
	json_uint(j, "undecided", h->steps.undecided);
	json_array(j, "series");
	for (size_t i = 0; i < n; i++)
		series_put(j, &h->list.v[chosen[i]]);
	json_end(j);
	steps_put(j, h, index);
	free(index);
	return 0;
}

static int points_put(struct json *j, const struct history *h, const struct view_query *query,
		      struct tacho_error *err)
{
	const char *text = query_get(query, "id");
	const char *state = query_get(query, "state");
	uint64_t id = text ? strtoull(text, NULL, 16) : 0;
	size_t i = 0;

	if (state && strtoull(state, NULL, 16) != h->state)
		return err_set(err, TACHO_ENO, "the runs have changed: reload the page");

	while (i < h->list.n && h->list.v[i].id != id)
		i++;
	if (i == h->list.n)
		return err_set(err, TACHO_ENO, "there is no such series");
	json_array(j, "points");
	for (const struct db_point *p = h->list.v[i].v, *end = p + h->list.v[i].n; p < end; p++) {
		json_array(j, NULL);
		json_uint(j, NULL, p->run);
		json_double(j, NULL, p->value);
		json_uint(j, NULL, p->count);
		json_end(j);
	}
	json_end(j);
	return 0;
}

static int history_answer(struct history *h, const struct view_query *query, struct buf *body,
			  int (*put)(struct json *j, const struct history *h,
				     const struct view_query *query, struct tacho_error *err),
			  struct tacho_error *err)
{
	struct json json;
	int r;

	json_init(&json, body);
	json.flat = 1;
	json_object(&json, NULL);
	pthread_mutex_lock(&h->lock);
	r = history_read(h, query, err);
	if (r == 0)
		r = put(&json, h, query, err);
	pthread_mutex_unlock(&h->lock);
	json_end(&json);
	return r;
}

static int history_call(void *context, const char *path, const struct view_query *query,
			struct buf *body, struct tacho_error *err)
{
	(void)path;
	return history_answer(context, query, body, history_put, err);
}

static int history_series_call(void *context, const char *path, const struct view_query *query,
			       struct buf *body, struct tacho_error *err)
{
	(void)path;
	return history_answer(context, query, body, points_put, err);
}

void history_call_add(struct view *view, const char *url)
{
	static struct history history = {.lock = PTHREAD_MUTEX_INITIALIZER};

	history.url = url;
	view_extend(view, &(struct view_extension){"history", true, history_call, &history});
	view_extend(view, &(struct view_extension){"history/series", true, history_series_call,
						   &history});
}
