/* SPDX-License-Identifier: Apache-2.0 */
/* Measures executions of programs in a stream of markers. */
#include "op/runs.h"

#include "op/figures.h"
#include "op/measure.h"

#include <math.h>
#include <string.h>

/*
 * The ranges that a marker of a given zone kind, RISC and side starts and ends. All markers are of
 * a few kinds, so each kind is looked up once.
 */
struct op_runs_match {
	uint32_t zones;
	uint8_t risc, type;
	bool used;
	uint32_t starts, ends; /* bits of enum op_measure */
};

enum { MATCHES = 64 }; /* a power of two */

static const struct op_runs_match *match_find(struct op_runs *runs, const struct op_marker *m)
{
	uint8_t type = m->kind == TRACE_MARK_START ? DEVLOG_START : DEVLOG_END;
	uint32_t at = (uint32_t)(op_mix(m->zones, m->which * 2u + type) % MATCHES);
	struct op_runs_match *match = &runs->matches[at];

	/* On a collision the new one replaces the old: slower, but still correct. */
	if (!match->used || match->zones != m->zones || match->risc != m->which ||
	    match->type != type) {
		*match = (struct op_runs_match){
			.zones = m->zones, .risc = m->which, .type = type, .used = true};
		for (int i = 0; i < OP_RUN_RANGES; i++) {
			const struct op_measure_def *d = &op_measures[i];

			if (i == OP_M_PER_CORE)
				continue;
			if (op_matches(&d->start, m->zones, (enum arch_risc)m->which, type))
				match->starts |= 1u << i;
			if (op_matches(&d->end, m->zones, (enum arch_risc)m->which, type))
				match->ends |= 1u << i;
		}
	}
	return match;
}

static bool run_is(const struct op_timing *r, const struct op_marker *m)
{
	return r->id == m->id && r->device == m->device && r->trace == m->trace &&
	       r->session == m->session;
}

/* Each RISC has the runs in the same order: it is the last one or the next one. */
static int64_t run_find(struct op_runs *runs, const struct op_marker *m)
{
	uint64_t key;
	uint32_t *at;
	struct op_timing run;

	if (runs->last < runs->n && run_is(&runs->v[runs->last], m))
		return runs->last;
	if (runs->last + 1 < runs->n && run_is(&runs->v[runs->last + 1], m))
		return ++runs->last;
	key = op_mix(op_mix(op_mix(m->device, m->id), (uint64_t)m->trace), (uint64_t)m->session);
	for (; (at = map_get(&runs->by_key, key)); key++)
		if (run_is(&runs->v[*at], m))
			return runs->last = *at;
	run = (struct op_timing){
		.device = m->device, .id = m->id, .trace = m->trace, .session = m->session};
	for (int i = 0; i < OP_RUN_RANGES; i++)
		run.ranges[i] = (struct op_range){UINT64_MAX, UINT64_MAX, 0};
	if (map_set(&runs->by_key, key, (uint32_t)runs->n) < 0 || vec_push(runs, run) < 0)
		return TACHO_ENOMEM;
	return runs->last = (uint32_t)runs->n - 1;
}

/* The core of a marker in its run. NULL: no memory. */
static inline struct op_run_core *run_core(struct op_runs *runs, struct op_timing *r, uint32_t core)
{
	uint32_t run = (uint32_t)(r - runs->v), *at;
	struct op_run_core fresh = {.run = run, .core = core};

	if (r->at && runs->cores.v[r->at - 1].core == core)
		return &runs->cores.v[r->at - 1];
	if (runs->any_order) {
		at = map_get(&runs->by_core, (uint64_t)run << 32 | core);
		runs->stale |= r->closed;
		if (!at && map_set(&runs->by_core, (uint64_t)run << 32 | core,
				   (uint32_t)runs->cores.n) < 0)
			return NULL;
		r->at = at ? *at + 1 : 0;
	} else if (r->at) {
		runs->cores.v[r->at - 1] = fresh;
	}
	if (!r->at && vec_push(&runs->cores, fresh) < 0)
		return NULL;
	if (!r->at)
		r->at = (uint32_t)runs->cores.n;
	return &runs->cores.v[r->at - 1];
}

/* A kernel's start or end. One whose end was lost does not count. */
static int core_take(struct op_runs *runs, struct op_timing *r, struct op_run_core *c,
		     const struct op_marker *m)
{
	uint64_t time = m->cycle, length;
	struct op_run_kernel *k;

	while (__builtin_expect(runs->kernels.n <= m->risc, 0))
		if (vec_push(&runs->kernels, ((struct op_run_kernel){0})) < 0)
			return TACHO_ENOMEM;
	k = &runs->kernels.v[m->risc];
	if (m->kind == TRACE_MARK_START) {
		*k = (struct op_run_kernel){c->run + 1, time};
		return 0;
	}
	if (k->run != c->run + 1)
		return 0;
	length = time - k->start;
	if (!c->kernel || length > c->long_cycles ||
	    (length == c->long_cycles && m->risc < c->long_risc)) {
		c->long_risc = m->risc;
		c->long_cycles = length;
	}
	if (!c->kernel || k->start < c->start)
		c->start = k->start;
	if (!c->kernel || time > c->end)
		c->end = time;
	r->core_count += !c->kernel;
	c->kernel = true;
	/* A core's cycles only grow, so the slowest so far is known at any time. */
	r->core_sum += c->end - c->start - c->cycles;
	c->cycles = c->end - c->start;
	if (c->cycles > r->core_max || r->core_count == 1 ||
	    (c->cycles == r->core_max && m->core <= r->slow_core)) {
		r->core_max = c->cycles;
		r->slow_core = m->core;
		r->slow_risc = c->long_risc;
	}
	return 0;
}

int op_runs_trim(struct op_runs *runs, size_t keep)
{
	size_t n = 0;

	map_free(&runs->by_core);
	for (size_t i = 0; i < runs->n; i++) {
		runs->v[i].at = 0;
		runs->v[i].closed |= i + keep < runs->n;
	}
	for (size_t i = 0; i < runs->cores.n; i++) {
		struct op_run_core c = runs->cores.v[i];

		if (runs->v[c.run].closed)
			continue;
		if (map_set(&runs->by_core, (uint64_t)c.run << 32 | c.core, (uint32_t)n) < 0)
			return TACHO_ENOMEM;
		runs->cores.v[n++] = c;
	}
	runs->cores.n = n;
	return 0;
}

int op_runs_add(struct op_runs *runs, const struct op_marker *m)
{
	const struct op_runs_match *match;
	struct op_run_core *core;
	struct op_timing *r;
	int64_t at;

	if (!m->id || m->kind > TRACE_MARK_END)
		return 0;
	if (!runs->matches && !(runs->matches = calloc(MATCHES, sizeof(*runs->matches))))
		return TACHO_ENOMEM;
	at = run_find(runs, m);
	if (at < 0)
		return (int)at;
	r = &runs->v[at];
	if (m->zones & (ARCH_ZONE_ANY_FW | ARCH_ZONE_KERNEL)) {
		core = run_core(runs, r, m->core);
		if (!core)
			return TACHO_ENOMEM;
		if (!core->firmware && m->zones & ARCH_ZONE_ANY_FW) {
			core->firmware = true;
			r->cores++;
		}
		if (m->zones & ARCH_ZONE_KERNEL && core_take(runs, r, core, m) < 0)
			return TACHO_ENOMEM;
	}
	match = match_find(runs, m);
	for (uint32_t bits = match->starts; bits; bits &= bits - 1) {
		struct op_range *range = &r->ranges[__builtin_ctz(bits)];

		range->start = m->cycle < range->start ? m->cycle : range->start;
	}
	for (uint32_t bits = match->ends; bits; bits &= bits - 1) {
		struct op_range *range = &r->ranges[__builtin_ctz(bits)];

		if (range->end == UINT64_MAX || m->cycle > range->end)
			range->end = m->cycle;
		range->ends++;
	}
	return 0;
}

/* ---- order and gaps ---- */

static int runs_by_number(int64_t a, int64_t b)
{
	/* OP_NONE is the largest value. */
	return (uint64_t)a < (uint64_t)b ? -1 : (uint64_t)a > (uint64_t)b;
}

static int by_id(const void *a, const void *b, void *arg)
{
	const struct op_runs *runs = arg;
	const struct op_timing *x = &runs->v[*(const uint32_t *)a];
	const struct op_timing *y = &runs->v[*(const uint32_t *)b];

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->trace != y->trace)
		return runs_by_number(x->trace, y->trace);
	return runs_by_number(x->session, y->session);
}

static int runs_by_kernel(const void *a, const void *b, void *arg)
{
	const struct op_runs *runs = arg;
	const struct op_timing *x = &runs->v[*(const uint32_t *)a];
	const struct op_timing *y = &runs->v[*(const uint32_t *)b];
	uint64_t sx = x->ranges[OP_M_KERNEL].start, sy = y->ranges[OP_M_KERNEL].start;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return sx != sy ? sx < sy ? -1 : 1 : by_id(a, b, arg);
}

static int64_t ns_round(double ns)
{
	return (int64_t)round(ns);
}

int64_t op_range_ns(const struct op_range *r, uint32_t mhz)
{
	return ns_round((double)(r->end - r->start) * 1000.0 / mhz);
}

/* From the end of the previous run to the start of this one. */
static int64_t range_gap(const struct op_range *r, const struct op_range *before, bool ran,
			 uint32_t mhz)
{
	if (!op_range_found(r))
		return OP_NONE;
	if (!ran || !op_range_found(before))
		return 0;
	if (r->start < before->end || r->start == r->end)
		return OP_NONE;
	return ns_round((double)(r->start - before->end) *
			((double)op_range_ns(r, mhz) / (double)(r->end - r->start)));
}

int op_runs_finish(struct op_runs *runs, struct op_run_device *devices)
{
	free(runs->order);
	runs->order = calloc(runs->n + 1, sizeof(*runs->order));
	if (!runs->order)
		return TACHO_ENOMEM;
	for (uint32_t i = 0; i < runs->n; i++)
		runs->order[i] = i;
	qsort_r(runs->order, runs->n, sizeof(*runs->order), runs_by_kernel, runs);
	for (size_t i = 0; i < runs->n; i++) {
		struct op_timing *r = &runs->v[runs->order[i]];
		struct op_run_device *d = &devices[r->device];
		const struct op_range *kernel = &r->ranges[OP_M_KERNEL];
		const struct op_range *dm = &r->ranges[OP_M_KERNEL_DM];

		r->gap = range_gap(kernel, &d->kernel, d->ran, d->mhz);
		r->gap_dm = range_gap(dm, &d->dm, d->ran, d->mhz);
		if (!op_range_found(kernel))
			continue;
		d->ran = true;
		d->kernel = *kernel;
		d->dm = *dm;
	}
	qsort_r(runs->order, runs->n, sizeof(*runs->order), by_id, runs);
	return 0;
}

void op_runs_free(struct op_runs *runs)
{
	vec_free(runs);
	map_free(&runs->by_key);
	free(runs->matches);
	map_free(&runs->by_core);
	vec_free(&runs->cores);
	vec_free(&runs->kernels);
	free(runs->order);
	*runs = (struct op_runs){0};
}
