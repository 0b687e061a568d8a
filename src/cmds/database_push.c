/* SPDX-License-Identifier: Apache-2.0 */
/* "tacho db push": what is pushed, and for which commit. */
#include "base/fmt.h"
#include "base/now.h"
#include "cmds/cmds.h"
#include "cmds/database.h"
#include "cmds/git.h"
#include "cmds/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

struct pairs {
	VEC(struct db_pair);
	size_t dropped;
	struct arena arena;
};

static int labels_read(struct pairs *pairs, const struct opt_list *list, struct tacho_error *err)
{
	static const char *const words[] = {"key", "token", "secret", "password"};

	for (size_t i = 0; i < list->n; i++) {
		const char *equals = strchr(list->v[i], '=');
		const char *scheme;
		struct db_pair pair;
		bool secret;

		if (!equals || equals == list->v[i])
			return err_set(err, TACHO_EUSAGE, "--label: '%.100s' is not KEY=VALUE",
				       list->v[i]);
		pair.key = arena_add(&pairs->arena, list->v[i], (size_t)(equals - list->v[i]));
		pair.value = equals + 1;
		if (!pair.key)
			return err_set(err, TACHO_ENOMEM, "no memory for labels");
		if (!strcmp(pair.key, "pushed at"))
			return err_set(err, TACHO_EUSAGE, "--label: 'pushed at' is taken");
		/* Possible secrets are not stored. */
		scheme = strstr(pair.value, "://");
		secret = scheme && strchr(scheme, '@');
		for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
			secret |= strcasestr(pair.key, words[k]) != NULL;
		if (secret)
			pairs->dropped++;
		else if (vec_push(pairs, pair) < 0)
			return err_set(err, TACHO_ENOMEM, "no memory for labels");
		for (size_t k = 0; k + 1 < pairs->n; k++)
			if (!strcmp(pairs->v[k].key, pairs->v[pairs->n - 1].key))
				return err_set(err, TACHO_EUSAGE, "--label: %s is given twice",
					       pair.key);
	}
	return 0;
}

/* The commit: as given, or of a working tree. */
static int commit_read(struct db_push *push, struct git_commit *git, struct database_call *c,
		       struct tacho_error *err)
{
	const struct database_conf *conf = c->conf;
	int r = conf->git ? git_commit_read(git, conf->git, err) : 0;

	push->sha = conf->commit ? conf->commit : git->sha;
	push->branch = conf->branch ? conf->branch : git->branch;
	push->commit_seq = conf->commit_seq ? conf->commit_seq : git->count;
	push->commit_time = conf->commit_time ? conf->commit_time * INT64_C(1000000000) : git->time;
	push->dirty = conf->dirty || git->dirty;
	return r;
}

static void push_report(const struct db_pushed *p, const struct database_call *c, double seconds)
{
	char ops[FMT_SIZE], kinds[FMT_SIZE];

	if (p->existed) {
		err_note("run %s is already stored (%s)", p->run, db_name(c->db));
		return;
	}
	err_note(
		"pushed run %s: %llu rank%s, %s ops of %s kinds, %llu zones, %llu metrics, %.1f s%s "
		"(%s)",
		p->run, (unsigned long long)p->ranks, p->ranks == 1 ? "" : "s",
		fmt_count(ops, p->ops), fmt_count(kinds, p->kinds), (unsigned long long)p->zones,
		(unsigned long long)p->metrics, seconds,
		p->attempts > 1 ? ", not at the first attempt" : "", db_name(c->db));
}

int database_push(struct database_call *c, struct tacho_error *err)
{
	const struct database_conf *conf = c->conf;
	double start = now_seconds();
	struct rank_paths paths = {0};
	struct db_metrics metrics = {0};
	struct pairs labels = {0};
	struct git_commit git = {0};
	struct db_pushed pushed = {0};
	struct db_push push = {.run = conf->run,
			       .part = conf->part < 0 ? DB_ALL_PARTS : (uint32_t)conf->part,
			       .project = conf->project,
			       .suite = conf->suite,
			       .config = c->config,
			       .host = conf->anonymous ? "" : conf->host,
			       .no_ops = !conf->ops,
			       .zones = conf->zones,
			       .again = conf->again};
	int r = commit_read(&push, &git, c, err);

	for (int i = 0; i < c->argc && r == 0; i++)
		r = access(c->argv[i], F_OK) < 0
			    ? err_errno(err, TACHO_EREAD, "cannot read %s", c->argv[i])
			    : ranks_reports(c->argv[i], &paths);
	for (size_t i = 0; i < conf->metrics.n && r == 0; i++)
		r = db_metric_parse(&metrics, conf->metrics.v[i], err);
	for (size_t i = 0; i < conf->metric_files.n && r == 0; i++)
		r = db_metrics_read(&metrics, conf->metric_files.v[i], err);
	if (r == 0)
		r = labels_read(&labels, &conf->labels, err);
	push.paths = (const char *const *)paths.v;
	push.path_count = paths.n;
	push.labels = labels.v;
	push.label_count = labels.n;
	push.metrics = metrics.v;
	push.metric_count = metrics.n;
	if (r == 0 && !paths.n && !metrics.n)
		r = err_set(err, TACHO_EUSAGE,
			    "push takes traces, reports or --metric NAME=NUMBER");
	if (r == 0)
		r = db_push(c->db, &push, &pushed, err);
	if (r == 0 && !c->common->quiet)
		push_report(&pushed, c, now_seconds() - start);
	if (r == 0 && labels.dropped && !c->common->quiet)
		err_warn("%zu labels look like secrets and were not stored", labels.dropped);
	if (r == 0 && pushed.damage[0])
		r = err_set(err, TACHO_EDAMAGED, "%s", pushed.damage);
	vec_free(&labels);
	arena_free(&labels.arena);
	db_metrics_free(&metrics);
	ranks_free(&paths);
	return r;
}
