/* SPDX-License-Identifier: Apache-2.0 */
/* Matches the ops of two sides and compares their times: see diff.h. */
#include "perf/diff.h"

#include <math.h>
#include <string.h>

const char *perf_metric_name(enum perf_metric metric)
{
	static const char *const names[METRICS] = {"device-time", "total", "gap"};

	return names[metric];
}

/* An op of one run. The ops of all runs with the same key and slot are one op. */
struct entry {
	uint32_t key, slot, op;
};

/* One run: its entries by key and slot, and how many have been matched. */
struct side_run {
	const struct perf_report *r;
	struct entry *entries;
	char **keys;       /* by kind of its input */
	uint32_t *numbers; /* of the keys */
	size_t n, at;
};

/* "Matmul 32 x 32 x 32|1,1,32,32,BFLOAT16|..." */
static char *kind_key(const struct perf_kind *k)
{
	struct buf key = BUF_INIT;

	buf_adds(&key, k->label);
	for (int t = 0; t < TENSORS; t++) {
		buf_addc(&key, '|');
		for (int i = 0; i < DIMS; i++)
			buf_addf(&key, "%lld,", (long long)k->dim[t][i]);
		buf_adds(&key, k->datatype[t] ? k->datatype[t] : "");
	}
	return buf_detach(&key);
}

static int entry_compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static int diff_run_open(struct side_run *run, const struct perf_report *r)
{
	run->r = r;
	run->entries = malloc((r->ops.n + 1) * sizeof(*run->entries));
	run->keys = calloc(r->in->kinds.n + 1, sizeof(*run->keys));
	run->numbers = calloc(r->in->kinds.n + 1, sizeof(*run->numbers));
	if (!run->entries || !run->keys || !run->numbers)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < r->ops.n; i++) {
		uint32_t kind = r->ops.v[i].kind;

		if (!perf_op_counts(&r->ops.v[i]))
			continue;
		if (!run->keys[kind])
			run->keys[kind] = kind_key(&r->in->kinds.v[kind]);
		if (!run->keys[kind])
			return TACHO_ENOMEM;
		run->entries[run->n++] = (struct entry){.op = (uint32_t)i};
	}
	return 0;
}

static double op_time(const struct perf_op *op)
{
	return op->has & HAS_TIME ? op->time : 0;
}

static double op_gap(const struct perf_op *op)
{
	return op->has & HAS_GAP ? op->gap : 0;
}

/* The runs during matching. SUMS: of one group, by run. */
struct matcher {
	struct perf_diff *d;
	struct side_run *runs;
	size_t n;
	double *sums[METRICS];
	uint64_t *counts;
};

static size_t side_first(const struct matcher *m, int side)
{
	return side == BEFORE ? 0 : m->d->n[BEFORE];
}

static struct perf_runs runs_of(const double *values, const uint64_t *counts, size_t n)
{
	struct perf_runs r = {.least = INFINITY, .most = -INFINITY};
	double squares = 0, sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (!counts[i])
			continue;
		r.n++;
		sum += values[i];
		r.least = fmin(r.least, values[i]);
		r.most = fmax(r.most, values[i]);
	}
	if (!r.n)
		return (struct perf_runs){0};
	r.mean = r.n == 1 ? r.least : sum / r.n;
	for (size_t i = 0; i < n; i++)
		squares += counts[i] ? (values[i] - r.mean) * (values[i] - r.mean) : 0;
	r.deviation = r.n > 1 ? sqrt(squares / (r.n - 1)) : 0;
	return r;
}

static void change_fill(const struct matcher *m, struct perf_change *c)
{
	for (int s = 0; s < SIDES; s++) {
		size_t first = side_first(m, s);

		for (int k = 0; k < METRICS; k++)
			c->runs[k][s] = runs_of(m->sums[k] + first, m->counts + first, m->d->n[s]);
		c->ops[s] = m->counts[first];
	}
}

/* Takes the op of run I with KEY and SLOT; NULL: it has none. */
static const struct perf_op *run_take(struct matcher *m, size_t i, uint32_t key, uint32_t slot,
				      uint32_t *op)
{
	struct side_run *run = &m->runs[i];
	const struct perf_op *taken;

	if (run->at == run->n || run->entries[run->at].key != key ||
	    run->entries[run->at].slot != slot)
		return NULL;
	*op = run->entries[run->at++].op;
	taken = &run->r->ops.v[*op];
	m->sums[METRIC_TIME][i] += op_time(taken);
	m->sums[METRIC_GAP][i] += op_gap(taken);
	m->sums[METRIC_TOTAL][i] += op_time(taken) + op_gap(taken);
	m->counts[i]++;
	return taken;
}

/* The first slot of KEY that is left. */
static uint32_t slot_next(const struct matcher *m, uint32_t key)
{
	uint32_t slot = UINT32_MAX;

	for (size_t i = 0; i < m->n; i++) {
		const struct side_run *run = &m->runs[i];

		if (run->at < run->n && run->entries[run->at].key == key &&
		    run->entries[run->at].slot < slot)
			slot = run->entries[run->at].slot;
	}
	return slot;
}

/* The next op of KEY of each run; false: none has one. */
static bool pair_take(struct matcher *m, uint32_t key, struct perf_pair *pair)
{
	uint32_t slot = slot_next(m, key);
	bool any = false;

	*pair = (struct perf_pair){.op = {UINT32_MAX, UINT32_MAX}};
	for (int s = 0; s < SIDES; s++) {
		size_t first = side_first(m, s), n = 0;
		double time = 0, gap = 0;

		for (size_t i = first; i < first + m->d->n[s]; i++) {
			uint32_t index;
			const struct perf_op *op = run_take(m, i, key, slot, &index);

			if (!op)
				continue;
			n++;
			time += op_time(op);
			gap += op_gap(op);
			if (i == first)
				pair->op[s] = index;
			pair->label = perf_op_kind(m->runs[i].r, op)->label;
		}
		pair->time[s] = n ? time / (double)n : 0;
		pair->gap[s] = n ? gap / (double)n : 0;
		any |= n > 0;
	}
	return any;
}

/* The first key that is left, in order; UINT32_MAX: all runs are at their ends. */
static uint32_t key_next(const struct matcher *m)
{
	uint32_t key = UINT32_MAX;

	for (size_t i = 0; i < m->n; i++) {
		const struct side_run *run = &m->runs[i];

		if (run->at < run->n && run->entries[run->at].key < key)
			key = run->entries[run->at].key;
	}
	return key;
}

static int groups_match(struct matcher *m)
{
	uint32_t key;

	while ((key = key_next(m)) != UINT32_MAX) {
		struct perf_change c = {.op = {UINT32_MAX, UINT32_MAX}};
		struct perf_pair pair;

		for (int k = 0; k < METRICS; k++)
			memset(m->sums[k], 0, m->n * sizeof(*m->sums[k]));
		memset(m->counts, 0, m->n * sizeof(*m->counts));
		while (pair_take(m, key, &pair)) {
			c.label = pair.label;
			for (int s = 0; s < SIDES; s++)
				if (c.op[s] == UINT32_MAX)
					c.op[s] = pair.op[s];
			if (vec_push(&m->d->pairs, pair) < 0)
				return TACHO_ENOMEM;
		}
		change_fill(m, &c);
		if (vec_push(&m->d->groups, c) < 0)
			return TACHO_ENOMEM;
	}
	return 0;
}

static void whole_fill(struct matcher *m)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct perf_report *r = m->runs[i].r;

		m->sums[METRIC_TIME][i] = r->time_sum;
		m->sums[METRIC_GAP][i] = r->gap_sum;
		m->sums[METRIC_TOTAL][i] = r->time_sum + r->gap_sum;
		m->counts[i] = 1;
	}
	change_fill(m, &m->d->whole);
	m->d->whole.op[BEFORE] = m->d->whole.op[AFTER] = UINT32_MAX;
	for (int s = 0; s < SIDES; s++) {
		const struct perf_report *r = m->runs[side_first(m, s)].r;

		m->d->whole.ops[s] = r->device_ops + r->host_ops;
	}
}

double perf_change_of(const struct perf_change *c, enum perf_metric metric)
{
	return c->runs[metric][AFTER].mean - c->runs[metric][BEFORE].mean;
}

double perf_change_percent(const struct perf_change *c, enum perf_metric metric)
{
	double before = c->runs[metric][BEFORE].mean;

	return before > 0 && c->runs[metric][AFTER].n ? perf_change_of(c, metric) / before * 100
						      : NAN;
}

/*
 * The runs of the two sides do not overlap, and their means are further apart than twice the
 * standard error of the difference.
 */
bool perf_change_clear(const struct perf_change *c, enum perf_metric metric)
{
	const struct perf_runs *a = &c->runs[metric][BEFORE], *b = &c->runs[metric][AFTER];
	double error;

	if (a->n + b->n < 3 || !a->n || !b->n)
		return true;
	error = sqrt(a->deviation * a->deviation / a->n + b->deviation * b->deviation / b->n);
	return (b->least > a->most || b->most < a->least) && fabs(b->mean - a->mean) > 2 * error;
}

double perf_pair_change(const struct perf_pair *p, enum perf_metric metric)
{
	double time = p->time[AFTER] - p->time[BEFORE], gap = p->gap[AFTER] - p->gap[BEFORE];

	return metric == METRIC_TIME ? time : metric == METRIC_GAP ? gap : time + gap;
}

/* A group with a share below MIN percent on both sides is too small to fail. */
static bool change_failed(const struct perf_diff *d, const struct perf_change *c, double min)
{
	double percent = perf_change_percent(c, d->metric);

	if (d->limit < 0 || !(percent > d->limit) || !perf_change_clear(c, d->metric))
		return false;
	for (int s = 0; s < SIDES && c->label; s++) {
		double whole = d->whole.runs[d->metric][s].mean;

		if (whole > 0 && c->runs[d->metric][s].mean / whole * 100 >= min)
			return true;
	}
	return !c->label;
}

static int change_compare(const void *a, const void *b, void *arg)
{
	const struct perf_diff *d = arg;
	const struct perf_change *x = a, *y = b;
	double lost = perf_change_of(x, d->metric), other = perf_change_of(y, d->metric);
	int order = strcmp(x->label, y->label);

	if (lost != other)
		return lost > other ? -1 : 1;
	return order ? order : x->op[0] < y->op[0] ? -1 : x->op[0] > y->op[0];
}

static int pair_compare(const void *a, const void *b, void *arg)
{
	const struct perf_diff *d = arg;
	const struct perf_pair *x = a, *y = b;
	double lost = perf_pair_change(x, d->metric), other = perf_pair_change(y, d->metric);
	int order = strcmp(x->label, y->label);

	if (lost != other)
		return lost > other ? -1 : 1;
	return order ? order : x->op[0] < y->op[0] ? -1 : x->op[0] > y->op[0];
}

/* A key of a run, and where to store its number. */
struct numbered {
	const char *key;
	uint32_t *number;
};

static int numbered_compare(const void *a, const void *b)
{
	return strcmp(((const struct numbered *)a)->key, ((const struct numbered *)b)->key);
}

/* Numbers the keys of all runs in their order, from 0; *COUNT: how many there are. */
static int keys_number(struct matcher *m, size_t *count)
{
	struct numbered *all;
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		n += m->runs[i].r->in->kinds.n;
	all = malloc((n + 1) * sizeof(*all));
	if (!all)
		return TACHO_ENOMEM;
	n = 0;
	for (size_t i = 0; i < m->n; i++)
		for (size_t k = 0; k < m->runs[i].r->in->kinds.n; k++)
			if (m->runs[i].keys[k])
				all[n++] = (struct numbered){m->runs[i].keys[k],
							     &m->runs[i].numbers[k]};
	qsort(all, n, sizeof(*all), numbered_compare);
	*count = 0;
	for (size_t i = 0; i < n; i++) {
		*count += i == 0 || strcmp(all[i - 1].key, all[i].key);
		*all[i].number = (uint32_t)*count - 1;
	}
	free(all);
	for (size_t i = 0; i < m->n; i++)
		for (size_t k = 0; k < m->runs[i].n; k++) {
			struct entry *e = &m->runs[i].entries[k];

			e->key = m->runs[i].numbers[m->runs[i].r->ops.v[e->op].kind];
		}
	return 0;
}

/* What slots_set() needs: keys of both runs in order, and lists of ops of the first by key. */
struct slots {
	uint32_t *first, *other, *partner, *next, *head, *extra;
};

/*
 * The slots of a run: those of the ops of the first run that they are aligned with. Ops that moved
 * get the slots of their key that are left, in order; further ones new slots.
 */
static int run_slots_set(const struct side_run *first, struct side_run *run, struct slots *s,
			 size_t keys)
{
	int code;

	for (size_t i = 0; i < run->n; i++)
		s->other[i] = run->entries[i].key;
	code = perf_align(s->first, first->n, s->other, run->n, s->partner);
	if (code < 0)
		return code;
	memset(s->head, 0xff, keys * sizeof(*s->head));
	memset(s->extra, 0, keys * sizeof(*s->extra));
	memset(s->next, 0, first->n * sizeof(*s->next));
	for (size_t i = 0; i < run->n; i++)
		if (s->partner[i] != UINT32_MAX)
			s->next[s->partner[i]] = UINT32_MAX; /* taken */
	for (size_t i = first->n; i-- > 0;) {
		if (s->next[i] == UINT32_MAX)
			continue;
		s->next[i] = s->head[s->first[i]];
		s->head[s->first[i]] = (uint32_t)i;
	}
	for (size_t i = 0; i < run->n; i++) {
		uint32_t key = s->other[i], slot = s->partner[i];

		if (slot == UINT32_MAX && (slot = s->head[key]) != UINT32_MAX)
			s->head[key] = s->next[slot];
		else if (slot == UINT32_MAX)
			slot = (uint32_t)first->n + s->extra[key]++;
		run->entries[i].slot = slot;
	}
	return 0;
}

static int slots_set(struct matcher *m, size_t keys)
{
	struct side_run *first = &m->runs[0];
	struct slots s = {0};
	uint32_t *room;
	size_t most = 0;
	int code = 0;

	for (size_t i = 0; i < m->n; i++)
		most = m->runs[i].n > most ? m->runs[i].n : most;
	room = malloc((2 * first->n + 2 * most + 2 * keys + 1) * sizeof(*room));
	if (!room)
		return TACHO_ENOMEM;
	s.first = room;
	s.next = s.first + first->n;
	s.other = s.next + first->n;
	s.partner = s.other + most;
	s.head = s.partner + most;
	s.extra = s.head + keys;
	for (size_t i = 0; i < first->n; i++) {
		s.first[i] = first->entries[i].key;
		first->entries[i].slot = (uint32_t)i;
	}
	for (size_t i = 1; i < m->n && code == 0; i++)
		code = run_slots_set(first, &m->runs[i], &s, keys);
	for (size_t i = 0; i < m->n; i++)
		qsort(m->runs[i].entries, m->runs[i].n, sizeof(struct entry), entry_compare);
	free(room);
	return code;
}

static int matcher_open(struct matcher *m)
{
	size_t keys;

	m->n = m->d->n[BEFORE] + m->d->n[AFTER];
	m->runs = calloc(m->n, sizeof(*m->runs));
	m->counts = calloc(m->n, sizeof(*m->counts));
	if (!m->runs || !m->counts)
		return TACHO_ENOMEM;
	for (int k = 0; k < METRICS; k++)
		if (!(m->sums[k] = calloc(m->n, sizeof(*m->sums[k]))))
			return TACHO_ENOMEM;
	for (size_t i = 0; i < m->n; i++)
		if (diff_run_open(&m->runs[i], m->d->reports[i]) < 0)
			return TACHO_ENOMEM;
	return keys_number(m, &keys) < 0 ? TACHO_ENOMEM : slots_set(m, keys);
}

int perf_diff_make(struct perf_diff *d, double min)
{
	struct matcher m = {.d = d};
	int code = matcher_open(&m);

	if (code == 0)
		code = groups_match(&m);
	if (code == 0) {
		whole_fill(&m);
		d->whole.failed = change_failed(d, &d->whole, min);
		d->failed = d->whole.failed;
		for (size_t i = 0; i < d->groups.n; i++) {
			d->groups.v[i].failed = change_failed(d, &d->groups.v[i], min);
			d->failed += d->groups.v[i].failed;
		}
		if (d->groups.n)
			qsort_r(d->groups.v, d->groups.n, sizeof(*d->groups.v), change_compare, d);
		if (d->pairs.n)
			qsort_r(d->pairs.v, d->pairs.n, sizeof(*d->pairs.v), pair_compare, d);
	}
	for (size_t i = 0; m.runs && i < m.n; i++) {
		for (size_t k = 0; m.runs[i].keys && k < m.runs[i].r->in->kinds.n; k++)
			free(m.runs[i].keys[k]);
		free(m.runs[i].keys);
		free(m.runs[i].numbers);
		free(m.runs[i].entries);
	}
	for (int k = 0; k < METRICS; k++)
		free(m.sums[k]);
	free(m.counts);
	free(m.runs);
	return code;
}

void perf_diff_free(struct perf_diff *d)
{
	vec_free(&d->groups);
	vec_free(&d->pairs);
}
