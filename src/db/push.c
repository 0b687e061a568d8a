/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A push reads all inputs, writes the rows under a new number, counts the rows that arrived, and
 * only then adds the manifest row that makes them visible.
 */
#include "db/private.h"

#include "base/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <xxhash.h>

#define ATTEMPTS 5

struct pusher {
	struct db *db;
	const struct db_push *push;
	struct db_content content;
	struct db_manifest row;
	uint64_t sent[DB_TABLES];
	uint64_t kinds;
	uint32_t month;
	char run[65], hash[33];
};

/* ---------------------------------------------------------------- content */

static int content_add_file(XXH3_state_t *state, const char *path, struct tacho_error *err)
{
	FILE *f = fopen(path, "re");
	char *chunk = malloc(1 << 20);
	size_t n;
	int r = 0;

	if (f && chunk)
		while ((n = fread(chunk, 1, 1 << 20, f)) > 0)
			XXH3_128bits_update(state, chunk, n);
	if (!f || !chunk || ferror(f))
		r = err_errno(err, TACHO_EREAD, "cannot read %s", path);
	if (f)
		fclose(f);
	free(chunk);
	return r;
}

static void content_add_text(XXH3_state_t *state, const char *text)
{
	XXH3_128bits_update(state, text ? text : "", (text ? strlen(text) : 0) + 1);
}

/*
 * Two pushes are the same if the bytes of their inputs and their metadata are: a program without
 * noise may give equal reports for two commits.
 */
static int content_hash(struct pusher *p, struct tacho_error *err)
{
	const struct db_push *push = p->push;
	XXH3_state_t *state = XXH3_createState();
	XXH128_hash_t hash;
	int r = state ? 0 : err_set(err, TACHO_ENOMEM, "no memory to push");

	if (state)
		XXH3_128bits_reset(state);
	for (size_t i = 0; i < push->path_count && r == 0; i++)
		r = content_add_file(state, push->paths[i], err);
	for (size_t i = 0; i < push->metric_count && r == 0; i++) {
		content_add_text(state, push->metrics[i].name);
		XXH3_128bits_update(state, &push->metrics[i].value, sizeof(double));
	}
	if (r == 0) {
		content_add_text(state, push->run);
		content_add_text(state, push->project);
		content_add_text(state, push->suite);
		content_add_text(state, push->config);
		content_add_text(state, push->sha);
		XXH3_128bits_update(state, &push->part, sizeof(push->part));
		hash = XXH3_128bits_digest(state);
		snprintf(p->hash, sizeof(p->hash), "%016llx%016llx",
			 (unsigned long long)hash.high64, (unsigned long long)hash.low64);
	}
	XXH3_freeState(state);
	return r;
}

/* -------------------------------------------------------------- statistics */

/* The ops of one name and signature on one device. */
struct op_group {
	const struct db_op_row *first;
	uint32_t n, at; /* at: in the sorted durations */
	int64_t gaps;
};

struct op_groups {
	VEC(struct op_group);
	struct map ids;
};

static int groups_make(const struct db_content *c, struct op_groups *groups, uint32_t *of)
{
	for (size_t i = 0; i < c->ops.n; i++) {
		const struct db_op_row *op = &c->ops.v[i];
		const uint64_t parts[] = {op->name, op->sig, (uint64_t)op->rank << 16 | op->device};
		uint64_t key = XXH3_64bits(parts, sizeof(parts));
		const uint32_t *known = map_get(&groups->ids, key);
		struct op_group new = {.first = op};

		of[i] = known ? *known : (uint32_t)groups->n;
		if (!known && (map_set(&groups->ids, key, of[i]) < 0 || vec_push(groups, new) < 0))
			return TACHO_ENOMEM;
		groups->v[of[i]].n++;
		groups->v[of[i]].gaps += op->gap;
	}
	return 0;
}

static uint64_t median_u64(const uint64_t *sorted, size_t n)
{
	return sorted[(n - 1) / 2] + (sorted[n / 2] - sorted[(n - 1) / 2]) / 2;
}

/* D are the durations of a group; they are sorted, and then replaced. */
static void group_row(struct db_block *b, const struct pusher *p, const struct op_group *g,
		      uint64_t *d)
{
	uint64_t sum = 0, median, most, least;
	size_t n = g->n;

	qsort(d, n, sizeof(*d), order_u64);
	for (size_t i = 0; i < n; i++)
		sum += d[i];
	median = median_u64(d, n);
	least = d[0];
	most = d[n - 1];
	db_block_number(b, p->row.push);
	db_block_number(b, p->month);
	db_block_number(b, g->first->rank);
	db_block_number(b, g->first->device);
	db_block_number(b, g->first->name);
	db_block_number(b, g->first->sig);
	db_block_number(b, n);
	db_block_number(b, sum);
	db_block_number(b, least);
	db_block_number(b, median);
	db_block_number(b, d[(n * 9 + 9) / 10 - 1]);
	db_block_number(b, most);
	for (size_t i = 0; i < n; i++)
		d[i] = d[i] > median ? d[i] - median : median - d[i];
	qsort(d, n, sizeof(*d), order_u64);
	db_block_number(b, median_u64(d, n));
	db_block_number(b, (uint64_t)g->gaps);
}

/* ------------------------------------------------------------------ blocks */

static int block_send(struct pusher *p, struct db_block *b, size_t least, struct tacho_error *err)
{
	int r = 0;

	if (b->n < least || !b->n)
		return 0;
	if (b->text.failed)
		return err_set(err, TACHO_ENOMEM, "no memory to push");
	if (db_stopped(p->db))
		return err_set(err, TACHO_ENO, "interrupted; nothing was stored");
	r = p->db->engine->insert(p->db, b, err);
	p->sent[b->table - db_tables] += b->n;
	b->n = 0;
	buf_reset(&b->text);
	return r;
}

/* Sends what is left. */
static int block_end(struct pusher *p, struct db_block *b, int r, struct tacho_error *err)
{
	if (r == 0)
		r = block_send(p, b, 1, err);
	db_block_close(b);
	return r;
}

static int ops_send(struct pusher *p, struct tacho_error *err)
{
	struct db_block b;
	int r = db_block_open(&b, DB_TABLE_OP);

	for (size_t i = 0; i < p->content.ops.n && r == 0; i++) {
		const struct db_op_row *op = &p->content.ops.v[i];

		db_block_number(&b, p->row.push);
		db_block_number(&b, p->month);
		db_block_number(&b, op->rank);
		db_block_number(&b, op->device);
		db_block_number(&b, op->seq);
		db_block_number(&b, op->name);
		db_block_number(&b, op->sig);
		db_block_number(&b, (uint64_t)op->start);
		db_block_number(&b, op->device_ns);
		db_block_number(&b, (uint64_t)op->gap);
		db_block_number(&b, op->host_ns);
		db_block_number(&b, op->cores);
		db_block_number(&b, op->trace);
		db_block_number(&b, op->replay);
		db_block_number(&b, op->sub_device);
		r = block_send(p, &b, DB_BLOCK_ROWS, err);
	}
	return block_end(p, &b, r, err);
}

static int op_stats_send(struct pusher *p, struct tacho_error *err)
{
	const struct db_content *c = &p->content;
	struct op_groups groups = {0};
	uint32_t *of = malloc((c->ops.n + 1) * sizeof(*of)), at = 0;
	uint64_t *durations = malloc((c->ops.n + 1) * sizeof(*durations));
	struct db_block b;
	int r = db_block_open(&b, DB_TABLE_OP_STAT);

	if (r == 0)
		r = of && durations ? groups_make(c, &groups, of) : TACHO_ENOMEM;
	for (size_t i = 0; i < groups.n; i++) {
		groups.v[i].at = at;
		at += groups.v[i].n;
	}
	for (size_t i = 0; i < c->ops.n && r == 0; i++)
		durations[groups.v[of[i]].at++] = c->ops.v[i].device_ns;
	for (size_t i = 0; i < groups.n && r == 0; i++) {
		struct op_group *g = &groups.v[i];

		group_row(&b, p, g, &durations[g->at - g->n]);
		r = block_send(p, &b, DB_BLOCK_ROWS, err);
	}
	p->kinds = groups.n;
	map_free(&groups.ids);
	vec_free(&groups);
	free(of);
	free(durations);
	return block_end(p, &b, r, err);
}

static int zones_send(struct pusher *p, struct tacho_error *err)
{
	struct db_block b;
	int r = db_block_open(&b, DB_TABLE_ZONE_STAT);

	for (size_t i = 0; i < p->content.zones.n && r == 0; i++) {
		const struct db_zone_row *z = &p->content.zones.v[i];
		const uint64_t cells[] = {p->row.push, p->month,  z->rank, z->process, z->name,
					  z->file,     z->line,   z->n,    z->total,   z->self,
					  z->min,      z->median, z->p99,  z->max};

		for (size_t k = 0; k < sizeof(cells) / sizeof(*cells); k++)
			db_block_number(&b, cells[k]);
		r = block_send(p, &b, DB_BLOCK_ROWS, err);
	}
	return block_end(p, &b, r, err);
}

static int metrics_send(struct pusher *p, struct tacho_error *err)
{
	struct db_block b;
	int r = db_block_open(&b, DB_TABLE_METRIC);

	for (size_t i = 0; i < p->push->metric_count && r == 0; i++) {
		const struct db_metric *m = &p->push->metrics[i];

		db_block_number(&b, p->row.push);
		db_block_number(&b, p->month);
		db_block_number(&b, db_text_id(m->name, strlen(m->name)));
		db_block_string(&b, m->unit);
		db_block_real(&b, m->value);
		db_block_number(&b, (uint64_t)(int64_t)m->better);
		r = block_send(p, &b, DB_BLOCK_ROWS, err);
	}
	return block_end(p, &b, r, err);
}

/* The first rows of a push: db_gc() finds it by them if no others follow. */
static int labels_send(struct pusher *p, struct tacho_error *err)
{
	struct db_block b;
	char now[32];
	int r = db_block_open(&b, DB_TABLE_LABEL);

	snprintf(now, sizeof(now), "%lld", (long long)db_now());
	for (size_t i = 0; i <= p->push->label_count && r == 0; i++) {
		bool own = i == p->push->label_count;

		db_block_number(&b, p->row.push);
		db_block_string(&b, own ? "pushed at" : p->push->labels[i].key);
		db_block_string(&b, own ? now : p->push->labels[i].value);
		r = block_send(p, &b, DB_BLOCK_ROWS, err);
	}
	return block_end(p, &b, r, err);
}

/* ------------------------------------------------------------------- texts */

#define TEXTS_AT_ONCE 500

struct text_check {
	const struct db_content *content;
	uint8_t *known; /* by text */
	const char *other;
};

static int known_row(void *context, const struct db_value *values, size_t n)
{
	struct text_check *check = context;
	const uint32_t *i = n == 2 ? map_get(&check->content->ids, values[0].bits) : NULL;
	const struct db_text_entry *entry = i ? &check->content->texts.v[*i] : NULL;

	if (!entry || !values[1].text)
		return 0;
	if (values[1].len != entry->len || memcmp(values[1].text, entry->text, entry->len))
		check->other = entry->text;
	check->known[*i] = 1;
	return 0;
}

/* Finds the texts that the database already has. Two texts with one hash are an error.
 */
static int texts_check(struct pusher *p, struct text_check *check, struct tacho_error *err)
{
	const struct db_content *c = &p->content;
	const struct db_sink sink = {check, NULL, known_row};
	struct buf sql = BUF_INIT;
	int r = 0;

	for (size_t i = 0; i < c->texts.n && r == 0; i += TEXTS_AT_ONCE) {
		buf_reset(&sql);
		buf_adds(&sql, "SELECT id, min(s) FROM text WHERE id IN (");
		for (size_t k = i; k < c->texts.n && k < i + TEXTS_AT_ONCE; k++)
			db_add_id(&sql, p->db, k > i, c->texts.v[k].id);
		buf_adds(&sql, ") GROUP BY id");
		r = sql.failed ? TACHO_ENOMEM : db_query_own(p->db, sql.data, NULL, &sink, err);
	}
	buf_free(&sql);
	if (r == 0 && check->other)
		r = err_set(err, TACHO_EFORMAT,
			    "the database has another text with the hash of '%.100s'",
			    check->other);
	return r;
}

static int texts_send(struct pusher *p, struct tacho_error *err)
{
	const struct db_content *c = &p->content;
	struct text_check check = {.content = c, .known = calloc(1, c->texts.n + 1)};
	struct db_block b = {0};
	int r = check.known ? texts_check(p, &check, err) : TACHO_ENOMEM;

	if (r == 0)
		r = db_block_open(&b, DB_TABLE_TEXT);
	for (size_t i = 0; i < c->texts.n && r == 0; i++) {
		if (check.known[i])
			continue;
		db_block_number(&b, c->texts.v[i].id);
		db_block_text(&b, c->texts.v[i].text, c->texts.v[i].len);
		r = block_send(p, &b, b.text.len > 8u << 20 ? 1 : DB_BLOCK_ROWS, err);
	}
	free(check.known);
	return block_end(p, &b, r, err);
}

/* -------------------------------------------------------------------- push */

/* Checks that every row has arrived exactly once. Tables on other servers may need a moment. */
static int push_count(struct pusher *p, struct tacho_error *err)
{
	const struct db_argument args[] = {{.id = p->row.push}};
	const struct timespec pause = {0, 200000000};
	uint64_t n = 0;
	char sql[100];
	int r = 0;

	for (size_t t = 0; t < DB_TABLE_PART && r == 0; t++) {
		if (!db_tables[t].pushed || !p->sent[t])
			continue;
		snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s WHERE push = ?",
			 db_tables[t].name);
		for (int i = 0; i < 150 && r == 0; i++) {
			r = db_query_number(p->db, sql, args, &n, err);
			if (n == p->sent[t] || p->db->engine->transactions || db_stopped(p->db))
				break;
			nanosleep(&pause, NULL);
		}
		if (r == 0 && n != p->sent[t])
			r = err_set(err, TACHO_ECONNECT, "%s: %llu of %llu rows of %s arrived",
				    p->db->name, (unsigned long long)n,
				    (unsigned long long)p->sent[t], db_tables[t].name);
		p->row.rows += p->sent[t];
	}
	return r;
}

/* Checks whether the content is stored. A push is dated after the one it replaces, whatever the
 * clock says.
 */
static int manifest_prepare(struct pusher *p, bool *existed, struct tacho_error *err)
{
	struct db_manifests m = {0};
	int r = db_manifests_read(p->db, p->row.run, &m, err);

	p->row.pushed_at = db_now();
	for (size_t i = 0; i < m.n && r == 0; i++)
		if (m.v[i].part == p->row.part && m.v[i].pushed_at >= p->row.pushed_at)
			p->row.pushed_at = m.v[i].pushed_at + 1;
	db_manifests_settle(&m);
	for (size_t i = 0; i < m.n && r == 0; i++)
		*existed |= m.v[i].part == p->row.part && !strcmp(m.v[i].content, p->hash);
	db_manifests_free(&m);
	return r;
}

static int push_try(struct pusher *p, bool *existed, struct tacho_error *err)
{
	struct db *db = p->db;
	int r;

	memset(p->sent, 0, sizeof(p->sent));
	p->row.rows = 0;
	if (getrandom(&p->row.push, sizeof(p->row.push), 0) != sizeof(p->row.push))
		return err_errno(err, TACHO_EINTERNAL, "no random numbers");
	r = db->engine->begin(db, err);
	if (r == 0)
		r = manifest_prepare(p, existed, err);
	if (r < 0 || (*existed && !p->push->again)) {
		db->engine->rollback(db);
		return r;
	}
	*existed = false;
	r = labels_send(p, err);
	if (r == 0)
		r = texts_send(p, err);
	if (r == 0)
		r = ops_send(p, err);
	if (r == 0)
		r = op_stats_send(p, err);
	if (r == 0)
		r = zones_send(p, err);
	if (r == 0)
		r = metrics_send(p, err);
	if (r == 0)
		r = push_count(p, err);
	if (r == 0)
		r = db_manifest_write(db, &p->row, err);
	if (r == 0)
		r = db->engine->commit(db, err);
	if (r < 0)
		db->engine->rollback(db);
	return r;
}

static int pusher_prepare(struct pusher *p, struct tacho_error *err)
{
	const struct db_push *push = p->push;
	struct db_content *c = &p->content;
	uint64_t id, total = 0;
	time_t seconds;
	struct tm tm;
	int r = content_hash(p, err);

	if (r == 0)
		r = db_content_read(c, push, err);
	for (size_t i = 0; i < push->metric_count && r == 0; i++)
		r = db_content_text(c, push->metrics[i].name, strlen(push->metrics[i].name), &id);
	for (size_t i = 0; i < c->ops.n; i++)
		total += c->ops.v[i].device_ns;
	snprintf(p->run, sizeof(p->run), "%s", push->run ? push->run : p->hash);
	p->row = (struct db_manifest){
		.run = p->run,
		.content = p->hash,
		.part = push->part,
		.ranks = c->ranks,
		.device_ns = total,
		.started_at = push->started_at ? push->started_at
			      : c->started_at  ? c->started_at
					       : db_now(),
		.commit_time = push->commit_time,
		.commit_seq = push->commit_seq,
		.project = push->project,
		.suite = push->suite,
		.config = push->config,
		.branch = push->branch,
		.sha = push->sha,
		.host = push->host ? push->host : c->host,
		.arch = c->arch,
		.dirty = push->dirty,
	};
	p->month = 197001;
	seconds = (time_t)(p->row.started_at / 1000000000);
	if (gmtime_r(&seconds, &tm) && tm.tm_year >= 70 && tm.tm_year < 1000)
		p->month = (uint32_t)((tm.tm_year + 1900) * 100 + tm.tm_mon + 1);
	if (r == 0 && !c->ops.n && !c->zones.n && !push->metric_count)
		r = err_set(err, TACHO_EFORMAT, "nothing to push: no ops%s and no metrics",
			    push->zones ? ", no zones" : " (--zones pushes statistics of zones)");
	return r;
}

/* After a failure the stored rows are unknown: the next attempt has a new number. */
static int push_attempts(struct pusher *p, struct db_pushed *pushed, struct tacho_error *err)
{
	struct timespec pause = {0, 250000000};
	int r = TACHO_ECONNECT;

	while (r == TACHO_ECONNECT && pushed->attempts < ATTEMPTS && !db_stopped(p->db) &&
	       !p->db->hopeless) {
		if (pushed->attempts++) {
			nanosleep(&pause, NULL);
			pause = (struct timespec){1 << (pushed->attempts - 2), 0};
		}
		r = push_try(p, &pushed->existed, err);
	}
	if (r < 0 && db_stopped(p->db))
		r = err_set(err, TACHO_ENO, "interrupted; nothing was stored");
	return r;
}

int db_push(struct db *db, const struct db_push *push, struct db_pushed *pushed,
	    struct tacho_error *err)
{
	struct pusher p = {.db = db, .push = push};
	int r = pusher_prepare(&p, err);

	*pushed = (struct db_pushed){0};
	if (r == 0)
		r = push_attempts(&p, pushed, err);
	snprintf(pushed->run, sizeof(pushed->run), "%s", p.run);
	snprintf(pushed->damage, sizeof(pushed->damage), "%s", p.content.damage);
	pushed->ops = p.content.ops.n;
	pushed->kinds = p.kinds;
	pushed->zones = p.content.zones.n;
	pushed->metrics = push->metric_count;
	pushed->ranks = p.content.ranks;
	db_content_free(&p.content);
	return r == TACHO_ENOMEM && !err->text[0] ? err_set(err, r, "no memory to push") : r;
}
