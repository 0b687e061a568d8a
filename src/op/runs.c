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

static void runs_core_end(struct op_timing *r)
{
	uint64_t cycles;

	if (!r->core)
		return;
	cycles = r->core_end - r->core_start;
	if (!r->core_count || cycles > r->core_max) {
		r->core_max = cycles;
		r->slow_risc = r->long_risc;
	}
	r->core_sum += cycles;
	r->core_count++;
	r->core = 0;
}

static void core_take(struct op_timing *r, const struct op_marker *m)
{
	uint64_t time = m->cycle;

	if (r->core != m->core + 1) {
		runs_core_end(r);
		r->core = m->core + 1;
		r->core_start = r->core_end = time;
		r->long_risc = m->risc;
		r->risc_most = 0;
	}
	if (m->kind == TRACE_MARK_START) {
		r->risc = m->risc;
		r->risc_start = time;
	} else if (m->risc == r->risc && time - r->risc_start > r->risc_most) {
		r->long_risc = m->risc;
		r->risc_most = time - r->risc_start;
	}
	r->core_start = time < r->core_start ? time : r->core_start;
	r->core_end = time > r->core_end ? time : r->core_end;
}

int op_runs_add(struct op_runs *runs, const struct op_marker *m)
{
	const struct op_runs_match *match;
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
	if (m->zones & ARCH_ZONE_ANY_FW && r->last_fw_core != m->core + 1) {
		r->last_fw_core = m->core + 1;
		r->cores++;
	}
	if (m->zones & ARCH_ZONE_KERNEL)
		core_take(r, m);
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
	runs->order = calloc(runs->n + 1, sizeof(*runs->order));
	if (!runs->order)
		return TACHO_ENOMEM;
	for (uint32_t i = 0; i < runs->n; i++) {
		runs_core_end(&runs->v[i]);
		runs->order[i] = i;
	}
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
	free(runs->order);
	*runs = (struct op_runs){0};
}
