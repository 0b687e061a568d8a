#include "ops/runtime.h"

#include "base/devperf.h"
#include "base/map.h"
#include "ops/analyses.h"
#include "ops/devlog_row.h"
#include "ops/figures.h"

#include <stdlib.h>
#include <string.h>

/* What each column measures. */
static const enum ops_analysis analyses[DEVPERF_COLUMNS] = {
	[DEVPERF_TRACE_FW] = OPS_AN_TRACE_FW,
	[DEVPERF_TRACE_KERNEL] = OPS_AN_TRACE_KERNEL,
	[DEVPERF_FIRST_TO_LAST] = OPS_AN_FIRST_TO_LAST,
	[DEVPERF_FW] = OPS_AN_FW,
	[DEVPERF_KERNEL] = OPS_AN_KERNEL,
	[DEVPERF_KERNEL_DM] = OPS_AN_KERNEL_DM,
	[DEVPERF_BRISC] = OPS_AN_BRISC,
	[DEVPERF_NCRISC] = OPS_AN_NCRISC,
	[DEVPERF_TRISC0] = OPS_AN_TRISC0,
	[DEVPERF_TRISC1] = OPS_AN_TRISC1,
	[DEVPERF_TRISC2] = OPS_AN_TRISC2,
	[DEVPERF_ERISC] = OPS_AN_ERISC,
	[DEVPERF_QUASAR_DM] = OPS_AN_QUASAR_DM,
	[DEVPERF_QUASAR_TRISC] = OPS_AN_QUASAR_TRISC,
	[DEVPERF_QUASAR_DM_FW] = OPS_AN_QUASAR_DM_FW,
	[DEVPERF_QUASAR_TRISC_FW] = OPS_AN_QUASAR_TRISC_FW,
};

struct run {
	uint32_t device;
	uint64_t id;
	int64_t trace, session;
	uint32_t cores;        /* that ran firmware */
	uint32_t last_fw_core; /* + 1 */
	struct devperf_span spans[DEVPERF_COLUMNS];
	/* Of the core whose markers come now, and of those before it. */
	uint32_t core; /* + 1 */
	uint64_t core_start, core_end;
	uint64_t core_max, core_sum;
	uint32_t core_count;
	int64_t gap, gap_dm; /* ns; OPS_NONE: empty */
};

struct ops_runtime {
	struct ops_cores *cores;
	struct {
		VEC(struct run);
	} runs;
	struct map by_key;
	uint32_t *flags; /* by source location; 0: not looked at */
	uint8_t *riscs;  /* enum devlog_risc of cores->riscs */
	uint32_t *order; /* of the lines */
	uint32_t last;   /* the run of the marker before */
	bool quasar;
};

#define LOOKED (1u << 31)

int ops_runtime_open(struct ops_runtime **out, struct ops_cores *cores)
{
	struct ops_runtime *rt = calloc(1, sizeof(*rt));

	if (!rt)
		return TACHO_ENOMEM;
	rt->cores = cores;
	rt->flags = calloc(cores->trace->srcloc_count + 1, sizeof(*rt->flags));
	rt->riscs = calloc(cores->riscs.n + 1, 1);
	if (!rt->flags || !rt->riscs) {
		ops_runtime_close(rt);
		return TACHO_ENOMEM;
	}
	for (size_t i = 0; i < cores->riscs.n; i++)
		rt->riscs[i] = (uint8_t)devlog_risc_named(cores->riscs.v[i].name);
	for (size_t i = 0; i < cores->devices.n; i++)
		rt->quasar |= strcasestr(cores->devices.v[i].arch, "quasar") != NULL;
	*out = rt;
	return 0;
}

void ops_runtime_close(struct ops_runtime *rt)
{
	if (!rt)
		return;
	vec_free(&rt->runs);
	map_free(&rt->by_key);
	free(rt->flags);
	free(rt->riscs);
	free(rt->order);
	free(rt);
}

static uint32_t zone_flags(struct ops_runtime *rt, uint32_t srcloc)
{
	const char *name;

	if (!rt->flags[srcloc]) {
		name = trace_srcloc_name(rt->cores->trace, srcloc);
		rt->flags[srcloc] = LOOKED | devlog_zone_flags(name, strlen(name));
	}
	return rt->flags[srcloc];
}

static uint64_t run_key(uint32_t device, uint64_t id, int64_t trace, int64_t session)
{
	return ops_mix(ops_mix(ops_mix(device, id), (uint64_t)trace), (uint64_t)session);
}

static bool is_run(const struct run *r, uint32_t device, uint64_t id, int64_t trace,
		   int64_t session)
{
	return r->device == device && r->id == id && r->trace == trace && r->session == session;
}

static int64_t find_run(struct ops_runtime *rt, const struct ops_marker *m)
{
	uint32_t device = rt->cores->riscs.v[m->risc].device, *at;
	struct run run = {.device = device, .id = m->id, .trace = m->trace, .session = m->session};
	uint64_t key = run_key(device, m->id, m->trace, m->session);

	if (rt->last < rt->runs.n &&
	    is_run(&rt->runs.v[rt->last], device, m->id, m->trace, m->session))
		return rt->last;
	for (; (at = map_get(&rt->by_key, key)); key++)
		if (is_run(&rt->runs.v[*at], device, m->id, m->trace, m->session))
			return rt->last = *at;
	for (int i = 0; i < DEVPERF_COLUMNS; i++)
		run.spans[i] = DEVPERF_SPAN_INIT;
	if (map_set(&rt->by_key, key, (uint32_t)rt->runs.n) < 0 || vec_push(&rt->runs, run) < 0)
		return TACHO_ENOMEM;
	return rt->last = (uint32_t)rt->runs.n - 1;
}

static void end_core(struct run *r)
{
	uint64_t cycles = r->core_end - r->core_start;

	if (!r->core)
		return;
	r->core_max = cycles > r->core_max ? cycles : r->core_max;
	r->core_sum += cycles;
	r->core_count++;
	r->core = 0;
}

static void take_core(struct run *r, uint32_t core, uint64_t time)
{
	if (r->core != core + 1) {
		end_core(r);
		r->core = core + 1;
		r->core_start = r->core_end = time;
	}
	r->core_start = time < r->core_start ? time : r->core_start;
	r->core_end = time > r->core_end ? time : r->core_end;
}

int ops_runtime_marker(struct ops_runtime *rt, const struct ops_marker *m)
{
	uint32_t flags = zone_flags(rt, m->srcloc);
	uint32_t core = rt->cores->riscs.v[m->risc].core;
	enum devlog_risc risc = (enum devlog_risc)rt->riscs[m->risc];
	int type = m->kind == OPS_MARK_START ? DEVLOG_START : DEVLOG_END;
	struct run *run;
	int64_t at;

	if (!m->id || m->kind > OPS_MARK_END)
		return 0;
	at = find_run(rt, m);
	if (at < 0)
		return (int)at;
	run = &rt->runs.v[at];
	if (flags & DEVLOG_Z_ANY_FW && run->last_fw_core != core + 1) {
		run->last_fw_core = core + 1;
		run->cores++;
	}
	if (flags & DEVLOG_Z_KERNEL)
		take_core(run, core, m->cycles);
	for (int i = 0; i < DEVPERF_COLUMNS; i++) {
		const struct ops_analysis_def *a = &ops_analyses[analyses[i]];

		if (a->start.zones & flags || a->end.zones & flags)
			devperf_take(&run->spans[i], ops_matches(&a->start, flags, risc, type),
				     ops_matches(&a->end, flags, risc, type), m->cycles);
	}
	return 0;
}

/* --- the table --- */

static int compare_signed(int64_t a, int64_t b)
{
	/* None is the largest there is. */
	return (uint64_t)a < (uint64_t)b ? -1 : (uint64_t)a > (uint64_t)b;
}

static int by_id(const void *a, const void *b, void *arg)
{
	const struct ops_runtime *rt = arg;
	const struct run *x = &rt->runs.v[*(const uint32_t *)a];
	const struct run *y = &rt->runs.v[*(const uint32_t *)b];

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->trace != y->trace)
		return compare_signed(x->trace, y->trace);
	return compare_signed(x->session, y->session);
}

static int by_kernel(const void *a, const void *b, void *arg)
{
	const struct ops_runtime *rt = arg;
	const struct run *x = &rt->runs.v[*(const uint32_t *)a];
	const struct run *y = &rt->runs.v[*(const uint32_t *)b];
	uint64_t sx = x->spans[DEVPERF_KERNEL].start, sy = y->spans[DEVPERF_KERNEL].start;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return sx != sy ? sx < sy ? -1 : 1 : by_id(a, b, arg);
}

static int64_t gap(const struct ops_runtime *rt, const struct run *r, const struct run *before,
		   enum devperf_column column)
{
	return devperf_gap(rt->cores->devices.v[r->device].mhz, &r->spans[column],
			   before ? &before->spans[column] : NULL);
}

int ops_runtime_finish(struct ops_runtime *rt)
{
	const struct run *before = NULL;

	rt->order = calloc(rt->runs.n + 1, sizeof(*rt->order));
	if (!rt->order)
		return TACHO_ENOMEM;
	for (uint32_t i = 0; i < rt->runs.n; i++) {
		end_core(&rt->runs.v[i]);
		rt->order[i] = i;
	}
	qsort_r(rt->order, rt->runs.n, sizeof(*rt->order), by_kernel, rt);
	for (size_t i = 0; i < rt->runs.n; i++) {
		struct run *r = &rt->runs.v[rt->order[i]];

		if (before && before->device != r->device)
			before = NULL;
		r->gap = gap(rt, r, before, DEVPERF_KERNEL);
		r->gap_dm = gap(rt, r, before, DEVPERF_KERNEL_DM);
		if (devperf_found(&r->spans[DEVPERF_KERNEL]))
			before = r;
	}
	qsort_r(rt->order, rt->runs.n, sizeof(*rt->order), by_id, rt);
	return 0;
}

size_t ops_runtime_count(const struct ops_runtime *rt)
{
	return rt->runs.n;
}

bool ops_runtime_line(struct ops_runtime *rt, size_t line, struct buf *text)
{
	const struct ops_trace_device *d;
	struct devperf_row row;
	const struct run *r;

	buf_reset(text);
	if (line == 0) {
		devperf_header(text, rt->quasar);
		return true;
	}
	if (line > rt->runs.n)
		return false;
	r = &rt->runs.v[rt->order[line - 1]];
	d = &rt->cores->devices.v[r->device];
	row = (struct devperf_row){.id = r->id,
				   .trace = r->trace,
				   .session = r->session,
				   .device = d->number,
				   .arch = d->arch,
				   .mhz = d->mhz,
				   .cores = r->cores,
				   .max_cores = d->max_cores,
				   .spans = r->spans,
				   .gap = r->gap,
				   .gap_dm = r->gap_dm};
	devperf_line(text, &row, rt->quasar);
	return true;
}

bool ops_runtime_cores(const struct ops_runtime *rt, int64_t device, uint64_t id, int64_t trace,
		       int64_t session, double *max_ns, double *avg_ns)
{
	for (uint32_t d = 0; d < rt->cores->devices.n; d++) {
		uint32_t mhz = rt->cores->devices.v[d].mhz, *at;

		if (rt->cores->devices.v[d].number != device)
			continue;
		for (uint64_t key = run_key(d, id, trace, session);
		     (at = map_get(&rt->by_key, key)); key++) {
			const struct run *r = &rt->runs.v[*at];

			if (!is_run(r, d, id, trace, session) || !r->core_count)
				continue;
			*max_ns = (double)r->core_max * 1000 / mhz;
			*avg_ns = (double)r->core_sum / r->core_count * 1000 / mhz;
			return true;
		}
	}
	return false;
}
