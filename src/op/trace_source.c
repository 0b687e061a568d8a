/* SPDX-License-Identifier: Apache-2.0 */
/* A trace as a source of ops: its messages, host zones, and the markers of its cores. */
#include "op/trace_source.h"

#include "op/trace_host.h"

#include <string.h>

struct trace_source {
	struct op_cores cores;
	struct trace *trace;
	const uint8_t *tracks;
	const char *children;
	struct op_live *live; /* or NULL */
};

static int trace_failed(struct op_cores *c, int r, struct tacho_error *err)
{
	return r < 0 ? err_set(err, r, "%s: %s", c->trace->path, err_text(r)) : 0;
}

/* ---- runs ---- */

static int run_marker(void *context, const struct op_marker *m)
{
	return op_runs_add(context, m);
}

int op_trace_runs_finish(struct op_cores *cores, struct op_runs *runs)
{
	struct op_run_device *devices = calloc(cores->devices.n + 1, sizeof(*devices));
	int r = devices ? 0 : TACHO_ENOMEM;

	for (size_t i = 0; r == 0 && i < cores->devices.n; i++)
		devices[i].mhz = cores->devices.v[i].mhz;
	if (r == 0)
		r = op_runs_finish(runs, devices);
	free(devices);
	return r;
}

struct op_run_place op_trace_place(const struct op_cores *cores, uint32_t device)
{
	const struct op_trace_device *d = &cores->devices.v[device];

	return (struct op_run_place){.device = d->number,
				     .arch = {d->arch, strlen(d->arch)},
				     .mhz = d->mhz,
				     .max_cores = d->max_cores};
}

/* ---- single markers ---- */

struct filling {
	struct op_cores *cores;
	struct devlog *dev;
	enum devlog_want want;
	struct op_issues *issues;
	uint64_t line; /* its line, if this were a log */
	/* By the numbers of the trace, + 1: */
	uint32_t *cores_known, *lanes, *zones;
	uint8_t *no_timers;    /* by source location: 0 unknown, 1 yes, 2 no */
	struct op_marker last; /* the marker that run belongs to */
	int64_t run;
};

static int row_bad(struct filling *f, const char *why)
{
	op_issue_add(f->issues, OP_ISSUE_BAD_ROW, TTLOG_DEVICE_FILE, f->line, OP_NOWHERE, "%s",
		     why);
	return 0;
}

/* 1; 0: it cannot be stored, which was reported; or an error. */
static int place_find(struct filling *f, const struct op_marker *m, struct devlog_marker *out)
{
	const struct op_risc *risc = &f->cores->riscs.v[m->risc];
	int64_t device = f->cores->devices.v[risc->device].number, at;

	if (!f->cores_known[m->core]) {
		at = devlog_core_add(f->dev, device, risc->x, risc->y);
		if (at == TACHO_ELIMIT)
			return row_bad(f, "too many cores");
		if (at < 0)
			return (int)at;
		f->cores_known[m->core] = (uint32_t)at + 1;
	}
	out->core = (uint16_t)(f->cores_known[m->core] - 1);
	if (!f->lanes[m->risc]) {
		at = devlog_lane_add(f->dev, &f->dev->cores.v[out->core], risc->name,
				     strlen(risc->name));
		if (at == TACHO_ELIMIT)
			return row_bad(f, "too many RISCs on a core");
		if (at < 0)
			return (int)at;
		f->lanes[m->risc] = (uint32_t)at + 1;
	}
	out->lane = (uint8_t)(f->lanes[m->risc] - 1);
	return 1;
}

static int trace_source_run_find(struct filling *f, const struct op_marker *m,
				 struct devlog_marker *out)
{
	bool replay = m->session > 0;

	if (f->run < 0 || f->last.id != m->id || f->last.device != m->device ||
	    f->last.trace != m->trace || f->last.session != m->session) {
		f->run = devlog_run_add(f->dev, f->cores->devices.v[m->device].number, m->id,
					replay ? m->trace : OP_NONE, replay ? m->session : OP_NONE,
					f->line);
		f->last = *m;
	}
	if (f->run == TACHO_ELIMIT)
		return row_bad(f, "too many programs");
	out->run = (uint32_t)f->run;
	return f->run < 0 ? (int)f->run : 1;
}

/* Markers of these kinds have no name of their own in the log. */
static bool is_nameless(const struct op_marker *m)
{
	return m->kind == TRACE_MARK_EVENT || m->kind == TRACE_MARK_NOC ||
	       m->kind == TRACE_MARK_COUNTER;
}

static int zone_find(struct filling *f, const struct op_marker *m, struct devlog_marker *out)
{
	const char *name = is_nameless(m) ? "" : f->cores->trace->srclocs[m->zone].name;
	uint32_t *known = &f->zones[is_nameless(m) ? f->cores->trace->srcloc_count : m->zone];
	int64_t at;

	if (!*known) {
		at = devlog_zone_add(f->dev, name, strlen(name));
		if (at == TACHO_ELIMIT)
			return row_bad(f, "too many zone names");
		if (at < 0)
			return (int)at;
		*known = (uint32_t)at + 1;
	}
	out->zone = *known - 1;
	return 1;
}

/* Timer id 0 means that a marker is not part of an op. */
static bool has_no_timer(struct filling *f, const struct op_marker *m)
{
	const struct trace_srcloc *s = &f->cores->trace->srclocs[m->zone];
	uint8_t *known = &f->no_timers[m->zone];

	if (m->kind == TRACE_MARK_EVENT)
		return (m->value & 0xffff) == 0;
	if (is_nameless(m))
		return false;
	if (!*known)
		*known = op_zone_timer(s->name, s->file, s->line) ? 2 : 1;
	return *known == 1;
}

static int marker_fill(void *context, const struct op_marker *m)
{
	static const enum devlog_type types[] = {
		[TRACE_MARK_START] = DEVLOG_START,  [TRACE_MARK_END] = DEVLOG_END,
		[TRACE_MARK_TOTAL] = DEVLOG_TOTAL,  [TRACE_MARK_DATA] = DEVLOG_DATA,
		[TRACE_MARK_EVENT] = DEVLOG_EVENT,  [TRACE_MARK_NOC] = DEVLOG_DATA,
		[TRACE_MARK_COUNTER] = DEVLOG_DATA,
	};
	struct filling *f = context;
	struct devlog_marker out = {.time = m->cycle, .type = (uint8_t)types[m->kind]};
	struct devlog_extra extra = {.meta = m->meta, .has_data = true, .data = m->value};
	int r;

	f->line++;
	if (f->want == DEVLOG_SUB_DEVICES && !m->meta.len)
		return 0;
	if ((r = place_find(f, m, &out)) <= 0 || (r = trace_source_run_find(f, m, &out)) <= 0 ||
	    (r = zone_find(f, m, &out)) <= 0)
		return r;
	f->dev->rows++;
	extra.no_timer = has_no_timer(f, m);
	extra.ethernet = strstr(f->cores->riscs.v[m->risc].name, "ERISC");
	if (m->kind == TRACE_MARK_COUNTER) {
		const char *name = f->cores->trace->srclocs[m->zone].name;

		extra.is_counter = true;
		extra.counter = (struct op_text){name, strlen(name)};
		extra.ref = m->value2;
	}
	return devlog_put(f->dev, &out, &extra, f->want);
}

/* The head of a log describes the first device. Others may differ. */
static int head_fill(const struct op_cores *c, struct devlog *dev)
{
	const struct op_trace_device *first = &c->devices.v[c->riscs.v[0].device];

	snprintf(dev->arch, sizeof(dev->arch), "%s", first->arch);
	dev->mhz = first->mhz;
	dev->max_cores = first->max_cores;
	dev->quasar = strcasestr(first->arch, "quasar") != NULL;
	for (size_t i = 0; i < c->devices.n; i++) {
		const struct op_trace_device *d = &c->devices.v[i];
		struct devlog_other other = {d->number, d->mhz, d->max_cores};

		if ((d->mhz != first->mhz || d->max_cores != first->max_cores) &&
		    vec_push(&dev->others, other) < 0)
			return TACHO_ENOMEM;
	}
	return 0;
}

int op_trace_devlog(struct op_cores *cores, struct devlog *dev, enum devlog_want want,
		    struct op_issues *issues, struct tacho_error *err)
{
	struct filling f = {
		.cores = cores, .dev = dev, .want = want, .issues = issues, .line = 2, .run = -1};
	int r = head_fill(cores, dev);

	f.cores_known = calloc(cores->core_count + 1, sizeof(*f.cores_known));
	f.lanes = calloc(cores->riscs.n + 1, sizeof(*f.lanes));
	f.zones = calloc(cores->trace->srcloc_count + 1, sizeof(*f.zones));
	f.no_timers = calloc(cores->trace->srcloc_count + 1, sizeof(*f.no_timers));
	if (!f.cores_known || !f.lanes || !f.zones || !f.no_timers)
		r = TACHO_ENOMEM;
	/* Sub-devices are in the meta data. */
	if (r == 0 && (want == DEVLOG_ALL || !cores->walked || cores->has_meta))
		r = op_cores_walk(cores, marker_fill, &f);
	free(f.cores_known);
	free(f.lanes);
	free(f.zones);
	free(f.no_timers);
	return trace_failed(cores, r, err);
}

/* ---- transfers ---- */

struct noc_walk {
	struct op_cores *cores;
	struct op_noc_runs runs;
};

static int noc_marker(void *context, const struct op_marker *m)
{
	struct noc_walk *w = context;

	return op_noc_runs_add(&w->runs, m, w->cores->devices.v[m->device].number,
			       w->cores->trace->srclocs[m->zone].name);
}

/* ---- the source ---- */

static int trace_source_host(void *context, struct op_host *host, struct op_issues *issues,
			     struct tacho_error *err)
{
	struct trace_source *s = context;

	return op_trace_host(host, s->trace, s->tracks,
			     s->children ? s->children : OP_ZONE_CHILDREN,
			     s->live ? &s->live->host : NULL, issues, err);
}

static void source_losses(void *context, struct op_issues *issues)
{
	struct trace_source *s = context;

	op_cores_losses(&s->cores, issues);
}

/* Measurements of all executions. */
static int trace_source_runs(void *context, struct op_measurements *list, struct op_table *t,
			     struct op_issues *issues, struct tacho_error *err)
{
	struct trace_source *s = context;
	struct op_cores *cores = &s->cores;
	struct op_live *live = s->live;
	bool follow = live && op_live_possible(cores);
	struct op_runs own = {0}, *runs = follow ? &live->runs : &own;
	int r = follow ? op_live_walk(live, cores) : op_cores_walk(cores, run_marker, runs);

	if (r == 0)
		r = op_trace_runs_finish(cores, runs);
	for (size_t i = 0; i < runs->n && r == 0; i++) {
		const struct op_timing *run = op_runs_at(runs, i);
		struct op_run_place place = op_trace_place(cores, run->device);

		if (run->slow_risc < cores->riscs.n) {
			place.x = (int32_t)cores->riscs.v[run->slow_risc].x;
			place.y = (int32_t)cores->riscs.v[run->slow_risc].y;
			place.risc = cores->riscs.v[run->slow_risc].which;
		}
		place.arch = op_table_text(t, place.arch.text, place.arch.len);
		r = place.arch.text ? op_measurements_add_run(list, run, &place) : TACHO_ENOMEM;
	}
	(void)issues;
	op_runs_free(&own);
	return trace_failed(cores, r, err);
}

static int trace_source_markers(void *context, struct devlog *dev, enum devlog_want want,
				struct op_issues *issues, struct tacho_error *err)
{
	struct trace_source *s = context;

	return op_trace_devlog(&s->cores, dev, want, issues, err);
}

static int trace_source_noc(void *context, struct op_noc *noc, struct op_issues *issues,
			    struct tacho_error *err)
{
	struct trace_source *s = context;
	struct noc_walk w = {.cores = &s->cores};
	int r = s->cores.has_noc ? op_cores_walk(&s->cores, noc_marker, &w) : 0;

	(void)issues;
	if (r == 0)
		r = op_noc_runs_sum(&w.runs, noc);
	op_noc_runs_free(&w.runs);
	return trace_failed(&s->cores, r, err);
}

int op_load_trace(struct op_loaded *out, struct trace *trace, const uint8_t *tracks,
		  const char *children, const struct op_load_options *options,
		  struct tacho_error *err)
{
	struct trace_source s = {
		.trace = trace, .tracks = tracks, .children = children, .live = options->live};
	struct op_source source = {.context = &s,
				   .is_trace = true,
				   .host = trace_source_host,
				   .losses = source_losses,
				   .runs = trace_source_runs,
				   .markers = trace_source_markers,
				   .noc = trace_source_noc};
	int r = op_cores_open(&s.cores, trace, tracks, err), host;

	if (r == 0) {
		host = op_trace_has_messages(trace, tracks);
		r = trace_failed(&s.cores, host < 0 ? host : 0, err);
		source.data = source.times = host > 0;
		source.device = s.cores.riscs.n > 0;
		source.measured = source.device && !s.cores.raw_only;
	}
	if (r == 0)
		r = op_load(out, &source, options, err);
	op_cores_close(&s.cores);
	return r;
}
