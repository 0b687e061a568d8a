#include "ops/runtime.h"

#include "base/map.h"
#include "ops/analyses.h"
#include "ops/devlog_row.h"
#include "ops/figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The runtime's own list: what, under which name, and whether its cycles are shown. */
static const struct {
	enum ops_analysis analysis;
	const char *name, *cycles; /* cycles: NULL, or the part of "DEVICE ... START CYCLE" */
	bool quasar;
} columns[] = {
	{OPS_AN_TRACE_FW, "DEVICE TRACE FIRMWARE DURATION [ns]", NULL, false},
	{OPS_AN_TRACE_KERNEL, "DEVICE TRACE KERNEL DURATION [ns]", NULL, false},
	{OPS_AN_FIRST_TO_LAST, "DEVICE KERNEL FIRST TO LAST START [ns]", NULL, false},
	{OPS_AN_FW, "DEVICE FW DURATION [ns]", "FW", false},
	{OPS_AN_KERNEL, "DEVICE KERNEL DURATION [ns]", "KERNEL", false},
	{OPS_AN_KERNEL_DM, "DEVICE KERNEL DURATION DM START [ns]", "KERNEL DM", false},
	{OPS_AN_BRISC, "DEVICE BRISC KERNEL DURATION [ns]", NULL, false},
	{OPS_AN_NCRISC, "DEVICE NCRISC KERNEL DURATION [ns]", NULL, false},
	{OPS_AN_TRISC0, "DEVICE TRISC0 KERNEL DURATION [ns]", NULL, false},
	{OPS_AN_TRISC1, "DEVICE TRISC1 KERNEL DURATION [ns]", NULL, false},
	{OPS_AN_TRISC2, "DEVICE TRISC2 KERNEL DURATION [ns]", NULL, false},
	{OPS_AN_ERISC, "DEVICE ERISC KERNEL DURATION [ns]", NULL, false},
	{OPS_AN_QUASAR_DM, "DEVICE QUASAR_DM KERNEL DURATION [ns]", "QUASAR_DM KERNEL", true},
	{OPS_AN_QUASAR_TRISC, "DEVICE QUASAR_NEO_TRISC KERNEL DURATION [ns]",
	 "QUASAR_NEO_TRISC KERNEL", true},
	{OPS_AN_QUASAR_DM_FW, "DEVICE DM FW DURATION [ns]", NULL, true},
	{OPS_AN_QUASAR_TRISC_FW, "DEVICE TRISC FW DURATION [ns]", NULL, true},
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

#define NO_TIME UINT64_MAX

struct span {
	uint64_t start, end; /* NO_TIME: none yet */
	uint64_t ends;       /* markers that could be its end; the first may be its start */
};

struct run {
	uint32_t device;
	uint64_t id;
	int64_t trace, session;
	uint32_t cores;             /* that ran firmware */
	uint32_t last_fw_core;      /* + 1 */
	struct span spans[COLUMNS]; /* first start, last end */
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
	for (int i = 0; i < COLUMNS; i++)
		run.spans[i] = (struct span){NO_TIME, NO_TIME, 0};
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

static void take_span(struct span *s, bool starts, bool ends, uint64_t time)
{
	if (starts && time < s->start)
		s->start = time;
	if (!ends)
		return;
	if (s->end == NO_TIME || time > s->end)
		s->end = time;
	s->ends++;
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
	for (int i = 0; i < COLUMNS; i++) {
		const struct ops_analysis_def *a = &ops_analyses[columns[i].analysis];

		if (a->start.zones & flags || a->end.zones & flags)
			take_span(&run->spans[i], ops_matches(&a->start, flags, risc, type),
				  ops_matches(&a->end, flags, risc, type), m->cycles);
	}
	return 0;
}

/* --- the table --- */

static bool found(const struct span *s)
{
	return s->start != NO_TIME && s->end != NO_TIME && s->end >= s->start && s->ends > 1;
}

static const struct span *span_of(const struct run *r, enum ops_analysis analysis)
{
	for (int i = 0; i < COLUMNS; i++)
		if (columns[i].analysis == analysis)
			return &r->spans[i];
	return NULL;
}

/* Half away from zero, unlike the report's own figures. */
static int64_t round_ns(double ns)
{
	return (int64_t)round(ns);
}

static int64_t span_ns(const struct ops_runtime *rt, const struct run *r, const struct span *s)
{
	return round_ns((double)(s->end - s->start) * 1000.0 / rt->cores->devices.v[r->device].mhz);
}

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
	uint64_t sx = span_of(x, OPS_AN_KERNEL)->start, sy = span_of(y, OPS_AN_KERNEL)->start;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return sx != sy ? sx < sy ? -1 : 1 : by_id(a, b, arg);
}

/* From the end of the one before to the start; of nothing sensible when they overlap. */
static int64_t gap(const struct ops_runtime *rt, const struct run *r, const struct run *before,
		   enum ops_analysis analysis)
{
	const struct span *s = span_of(r, analysis), *p = before ? span_of(before, analysis) : NULL;

	if (!found(s))
		return OPS_NONE;
	if (!p || !found(p))
		return 0;
	if (s->start < p->end || s->start == s->end)
		return OPS_NONE;
	return round_ns((double)(s->start - p->end) *
			((double)span_ns(rt, r, s) / (double)(s->end - s->start)));
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
		r->gap = gap(rt, r, before, OPS_AN_KERNEL);
		r->gap_dm = gap(rt, r, before, OPS_AN_KERNEL_DM);
		if (found(span_of(r, OPS_AN_KERNEL)))
			before = r;
	}
	qsort_r(rt->order, rt->runs.n, sizeof(*rt->order), by_id, rt);
	return 0;
}

size_t ops_runtime_count(const struct ops_runtime *rt)
{
	return rt->runs.n;
}

static void header(const struct ops_runtime *rt, struct buf *text)
{
	buf_adds(text, "GLOBAL CALL COUNT,METAL TRACE ID,METAL TRACE REPLAY SESSION ID,DEVICE ID,"
		       "DEVICE ARCH,OP NAME,CORE COUNT,AVAILABLE WORKER CORE COUNT");
	for (int i = 0; i < COLUMNS; i++) {
		if (columns[i].quasar && !rt->quasar)
			continue;
		buf_addf(text, ",%s", columns[i].name);
		if (columns[i].cycles)
			buf_addf(text, ",DEVICE %s START CYCLE,DEVICE %s END CYCLE",
				 columns[i].cycles, columns[i].cycles);
	}
	buf_adds(text, ",OP TO OP LATENCY [ns],OP TO OP LATENCY BR/NRISC START [ns]");
}

static void add_number(struct buf *text, int64_t value)
{
	buf_addc(text, ',');
	if (value != OPS_NONE)
		buf_addf(text, "%" PRId64, value);
}

bool ops_runtime_line(struct ops_runtime *rt, size_t line, struct buf *text)
{
	const struct ops_trace_device *d;
	const struct run *r;

	buf_reset(text);
	if (line == 0) {
		header(rt, text);
		return true;
	}
	if (line > rt->runs.n)
		return false;
	r = &rt->runs.v[rt->order[line - 1]];
	d = &rt->cores->devices.v[r->device];
	buf_addf(text, "%" PRIu64, r->id);
	add_number(text, r->trace);
	add_number(text, r->session);
	buf_addf(text, ",%u,%s,,%u", d->number, d->arch, r->cores);
	add_number(text, d->max_cores);
	for (int i = 0; i < COLUMNS; i++) {
		const struct span *s = &r->spans[i];

		if (columns[i].quasar && !rt->quasar)
			continue;
		add_number(text, found(s) ? span_ns(rt, r, s) : OPS_NONE);
		if (!columns[i].cycles)
			continue;
		add_number(text, found(s) ? (int64_t)s->start : OPS_NONE);
		add_number(text, found(s) ? (int64_t)s->end : OPS_NONE);
	}
	add_number(text, r->gap);
	add_number(text, r->gap_dm);
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
