/* SPDX-License-Identifier: Apache-2.0 */
/* Runs: the manifest, which of its rows count, and the history of a project. */
#include "db/private.h"

#include "base/order.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- manifest */

static const char manifest_columns[] =
	"run, part, push, content, pushed_at, started_at, state, row_count, ranks, device_ns, "
	"project, suite, config, branch, sha, host, arch, commit_time, commit_seq, dirty";

static const char *manifest_text(struct db_manifests *m, const struct db_value *v)
{
	return arena_add(&m->arena, v->text ? v->text : "", v->text ? v->len : 0);
}

static int manifest_row(void *context, const struct db_value *v, size_t n)
{
	struct db_manifests *m = context;
	struct db_manifest row = {
		.run = manifest_text(m, &v[0]),
		.part = (uint32_t)v[1].bits,
		.push = v[2].bits,
		.content = manifest_text(m, &v[3]),
		.pushed_at = (int64_t)v[4].bits,
		.started_at = (int64_t)v[5].bits,
		.removed = v[6].bits != 1,
		.rows = v[7].bits,
		.ranks = v[8].bits,
		.device_ns = v[9].bits,
		.project = manifest_text(m, &v[10]),
		.suite = manifest_text(m, &v[11]),
		.config = manifest_text(m, &v[12]),
		.branch = manifest_text(m, &v[13]),
		.sha = manifest_text(m, &v[14]),
		.host = manifest_text(m, &v[15]),
		.arch = manifest_text(m, &v[16]),
		.commit_time = (int64_t)v[17].bits,
		.commit_seq = (int64_t)v[18].bits,
		.dirty = v[19].bits != 0,
	};

	(void)n;
	if (!row.run || !row.content || !row.project || !row.suite || !row.config || !row.branch ||
	    !row.sha || !row.host || !row.arch)
		return TACHO_ENOMEM;
	return vec_push(m, row);
}

int db_manifests_read(struct db *db, const char *run, struct db_manifests *m,
		      struct tacho_error *err)
{
	const struct db_argument args[] = {{.text = run ? run : ""}};
	const struct db_sink sink = {m, NULL, manifest_row};
	struct buf sql = BUF_INIT;
	int r;

	buf_addf(&sql, "SELECT %s FROM part%s", manifest_columns, run ? " WHERE run = ?" : "");
	r = sql.failed ? TACHO_ENOMEM : db_query_own(db, sql.data, args, &sink, err);
	buf_free(&sql);
	return r;
}

void db_manifests_free(struct db_manifests *m)
{
	vec_free(m);
	arena_free(&m->arena);
}

/* By run, part and push; of a push, its removal first. */
ORDER_BY(manifest_compare, struct db_manifest,
	 strcmp(x->run, y->run) ?: ORDER_UP(part) ?: ORDER_DOWN(push) ?: ORDER_DOWN(removed));

void db_manifests_settle(struct db_manifests *m)
{
	size_t n = 0;

	if (m->n)
		qsort(m->v, m->n, sizeof(*m->v), manifest_compare);
	for (size_t i = 0, next; i < m->n; i = next) {
		bool removed = false;
		struct db_manifest *last = n ? &m->v[n - 1] : NULL;

		for (next = i;
		     next < m->n && m->v[next].push == m->v[i].push &&
		     m->v[next].part == m->v[i].part && !strcmp(m->v[next].run, m->v[i].run);
		     next++)
			removed |= m->v[next].removed;
		if (removed)
			continue;
		if (!last || last->part != m->v[i].part || strcmp(last->run, m->v[i].run))
			m->v[n++] = m->v[i];
		else if (m->v[i].pushed_at > last->pushed_at ||
			 (m->v[i].pushed_at == last->pushed_at && m->v[i].push > last->push))
			*last = m->v[i];
	}
	m->n = n;
}

int db_manifest_write(struct db *db, const struct db_manifest *m, struct tacho_error *err)
{
	struct db_block b;
	int r = db_block_open(&b, DB_TABLE_PART);

	if (r < 0)
		return err_set(err, r, "no memory to push");
	db_block_string(&b, m->run);
	db_block_number(&b, m->part);
	db_block_number(&b, m->push);
	db_block_string(&b, m->content);
	db_block_number(&b, (uint64_t)m->pushed_at);
	db_block_number(&b, (uint64_t)m->started_at);
	db_block_number(&b, m->removed ? 2 : 1);
	db_block_number(&b, m->rows);
	db_block_number(&b, m->ranks);
	db_block_number(&b, m->device_ns);
	db_block_string(&b, m->project);
	db_block_string(&b, m->suite);
	db_block_string(&b, m->config);
	db_block_string(&b, m->branch);
	db_block_string(&b, m->sha);
	db_block_string(&b, m->host);
	db_block_string(&b, m->arch);
	db_block_number(&b, (uint64_t)m->commit_time);
	db_block_number(&b, (uint64_t)m->commit_seq);
	db_block_number(&b, m->dirty);
	r = b.text.failed ? err_set(err, TACHO_ENOMEM, "no memory to push")
			  : db->engine->insert(db, &b, err);
	db_block_close(&b);
	return r;
}

/* All pushes of the run, including replaced ones, so that none reappears. */
int db_remove(struct db *db, const char *run, struct tacho_error *err)
{
	struct db_manifests m = {0};
	size_t n = 0;
	int r = db->engine->begin(db, err);

	if (r == 0)
		r = db_manifests_read(db, run, &m, err);
	if (m.n)
		qsort(m.v, m.n, sizeof(*m.v), manifest_compare);
	for (size_t i = 0; i < m.n && r == 0; i++) {
		if (m.v[i].removed || (i && m.v[i - 1].push == m.v[i].push))
			continue;
		m.v[i].removed = true;
		m.v[i].pushed_at = db_now();
		r = db_manifest_write(db, &m.v[i], err);
		n++;
	}
	if (r == 0 && !n)
		r = err_set(err, TACHO_ENO, "there is no run %s", run);
	if (r == 0)
		r = db->engine->commit(db, err);
	if (r < 0)
		db->engine->rollback(db);
	db_manifests_free(&m);
	return r;
}

/* ----------------------------------------------------------------- history */

static bool text_is(const char *text, const char *wanted)
{
	return !wanted || !strcmp(text, wanted);
}

ORDER_BY(run_compare, struct db_run,
	 ORDER_UP(commit_seq) ?: ORDER_UP(commit_time) ?: ORDER_UP(started_at) ?:
	 strcmp(x->id, y->id));

/* Joins the parts of each run; until the runs are sorted, .parts are in their order. */
static int runs_join(const struct db_manifests *m, const struct db_filter *f, struct db_runs *runs)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct db_manifest *row = &m->v[i];
		struct db_run *last = runs->n ? &runs->v[runs->n - 1] : NULL;
		struct db_run new = {.id = row->run,
				     .project = row->project,
				     .suite = row->suite,
				     .config = row->config,
				     .branch = row->branch,
				     .sha = row->sha,
				     .host = row->host,
				     .arch = row->arch,
				     .started_at = row->started_at,
				     .commit_time = row->commit_time,
				     .commit_seq = row->commit_seq};

		if (!text_is(row->project, f->project) || !text_is(row->suite, f->suite) ||
		    !text_is(row->config, f->config) || !text_is(row->branch, f->branch) ||
		    (row->dirty && !f->dirty))
			continue;
		if (!last || strcmp(last->id, row->run)) {
			new.dirty = row->dirty;
			if (vec_push(runs, new) < 0)
				return TACHO_ENOMEM;
			last = &runs->v[runs->n - 1];
		}
		last->parts++;
		last->rows += row->rows;
		last->ranks += row->ranks;
		last->device_ns += row->device_ns;
		if (row->started_at < last->started_at)
			last->started_at = row->started_at;
		if (vec_push(&runs->parts, ((struct db_part){row->push, 0})) < 0)
			return TACHO_ENOMEM;
	}
	return 0;
}

/* A run and where its pushes are. */
struct run_place {
	struct db_run run;
	size_t first;
};

static int place_compare(const void *a, const void *b)
{
	return run_compare(&((const struct run_place *)a)->run,
			   &((const struct run_place *)b)->run);
}

static bool runs_alike(const struct db_run *a, const struct db_run *b, bool branches)
{
	return !strcmp(a->project, b->project) && !strcmp(a->suite, b->suite) &&
	       !strcmp(a->config, b->config) && (branches || !strcmp(a->branch, b->branch));
}

/* Numbers the groups of ORDER; SIZES has room for a group per run. */
static uint32_t groups_number(struct run_place *order, size_t n, bool branches, size_t *sizes,
			      size_t *firsts)
{
	uint32_t groups = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t g = i ? order[i - 1].run.group : 0; /* mostly that of the previous run */

		if (g >= groups || !runs_alike(&order[firsts[g]].run, &order[i].run, branches))
			for (g = 0; g < groups; g++)
				if (runs_alike(&order[firsts[g]].run, &order[i].run, branches))
					break;
		if (g == groups)
			firsts[groups++] = i;
		order[i].run.group = g;
		sizes[g]++;
	}
	return groups;
}

/* Sorts, numbers the groups, cuts to the last runs, and numbers the parts. */
static int runs_order(struct db_runs *runs, const struct db_filter *f)
{
	struct run_place *order = calloc(runs->n + 1, sizeof(*order));
	struct db_part *parts = calloc(runs->parts.n + 1, sizeof(*parts));
	size_t *sizes = calloc(runs->n + 1, sizeof(*sizes));
	size_t *firsts = calloc(runs->n + 1, sizeof(*firsts));
	size_t at = 0, n = 0, parts_n = 0;
	bool ok = order && parts && sizes && firsts;

	for (size_t i = 0; i < runs->n && ok; i++) {
		order[i] = (struct run_place){runs->v[i], at};
		at += runs->v[i].parts;
	}
	if (ok) {
		qsort(order, runs->n, sizeof(*order), place_compare);
		at = f->last && runs->n > f->last ? runs->n - f->last : 0;
		runs->groups = groups_number(order + at, runs->n - at, f->branches, sizes, firsts);
		for (size_t i = at; i < runs->n; i++) {
			if (f->window && sizes[order[i].run.group]-- > f->window)
				continue;
			for (size_t k = 0; k < order[i].run.parts; k++)
				parts[parts_n++] = (struct db_part){
					runs->parts.v[order[i].first + k].push, (uint32_t)n};
			runs->v[n++] = order[i].run;
		}
		memcpy(runs->parts.v, parts, parts_n * sizeof(*parts));
		runs->n = n;
		runs->parts.n = parts_n;
	}
	free(order);
	free(parts);
	free(sizes);
	free(firsts);
	return ok ? 0 : TACHO_ENOMEM;
}

int db_runs_read(struct db *db, const struct db_filter *filter, struct db_runs *runs,
		 struct tacho_error *err)
{
	struct db_manifests m = {0};
	int r = db_manifests_read(db, NULL, &m, err);

	*runs = (struct db_runs){0};
	db_manifests_settle(&m);
	if (r == 0)
		r = runs_join(&m, filter, runs);
	if (r == 0 && runs->n)
		r = runs_order(runs, filter);
	runs->arena = m.arena;
	m.arena = (struct arena){0};
	db_manifests_free(&m);
	if (r < 0)
		db_runs_free(runs);
	return r == TACHO_ENOMEM ? err_set(err, r, "no memory for the runs") : r;
}

void db_runs_free(struct db_runs *runs)
{
	vec_free(runs);
	vec_free(&runs->parts);
	arena_free(&runs->arena);
}
