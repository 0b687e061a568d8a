/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks the markers of a trace's cores. They are rows; traces of earlier versions and of Tracy have
 * only zones, whose starts and ends are the markers.
 */
#include "op/trace_cores.h"

#include "base/buf.h"
#include "base/map.h"
#include "op/live.h"

#include <stdlib.h>
#include <string.h>

#define MARKER_DEPTH 1024 /* open zones of a RISC: more are of a damaged file */

/* The ids of one execution of a program. */
struct run {
	uint64_t id;
	int64_t trace, session;
};

static const struct run no_run = {0, OP_NONE, OP_NONE};

struct open_zone {
	uint64_t end;
	uint32_t srcloc, depth;
	struct run run;
	bool ends;
	size_t meta, meta_len; /* in walk.metas */
};

/* The time in which the firmware of a core from Tracy worked on an op. */
struct shift {
	uint64_t start, end;
	struct run run;
};

struct walk {
	struct op_cores *c;
	op_marker_fn fn;
	void *context;
	uint32_t risc;
	struct {
		VEC(struct open_zone);
	} stack;
	struct {
		VEC(struct shift);
	} shifts;         /* of the core */
	size_t shift;     /* where the last search ended */
	struct run run;   /* of the zone at depth 0 */
	struct buf meta;  /* of the current zone */
	struct buf metas; /* of the open zones, concatenated */
	uint64_t values[4];
	uint32_t value_count;
};

/* --- attachments --- */

static void trace_markers_extras_read(struct walk *w, struct trace_cursor *cursor, uint32_t count)
{
	struct trace_extra e;

	buf_reset(&w->meta);
	w->value_count = 0;
	for (uint32_t i = 0; i < count && trace_cursor_extra(cursor, i, &e) == 0; i++) {
		if (e.kind == TRACE_EXTRA_VALUE && w->value_count < 4)
			w->values[w->value_count++] = e.value;
		else if (e.kind == TRACE_EXTRA_TEXT)
			buf_add(&w->meta, e.text, e.len);
	}
}

/* "OP ID:1024" */
static bool reported_id(const struct trace_srcloc *s, uint64_t *id)
{
	char *end;

	if (strncmp(s->function, OP_ID_FUNCTION, strlen(OP_ID_FUNCTION)))
		return false;
	*id = strtoull(s->function + strlen(OP_ID_FUNCTION), &end, 10);
	return end > s->function + strlen(OP_ID_FUNCTION);
}

/*
 * Shifts are in order, and so are the queries of one track. The middle of a zone decides, because
 * the RISCs of a core do not begin at the same time.
 */
static struct run shift_run(struct walk *w, uint64_t time)
{
	while (w->shift < w->shifts.n && w->shifts.v[w->shift].end < time)
		w->shift++;
	if (w->shift == w->shifts.n || w->shifts.v[w->shift].start > time)
		return no_run;
	return w->shifts.v[w->shift].run;
}

/* --- markers out of zones --- */

static int trace_markers_emit(struct walk *w, enum trace_marker_kind kind, uint32_t srcloc,
			      uint64_t ticks, const struct run *run, const char *meta,
			      size_t meta_len)
{
	const struct op_risc *risc = &w->c->riscs.v[w->risc];
	struct op_marker m = {
		.device = risc->device,
		.core = risc->core,
		.risc = w->risc,
		.kind = (uint8_t)kind,
		.which = risc->which,
		.zone = srcloc,
		.zones = w->c->zones[srcloc],
		.cycle = device_clock_cycles(&w->c->devices.v[risc->device].clock, ticks),
		.id = run->id,
		.trace = run->trace,
		.session = run->session,
		.meta = {meta, meta_len}};
	const char *name = w->c->trace->srclocs[srcloc].name;

	w->c->has_meta |= m.meta.len > 0;
	m.values = kind > TRACE_MARK_END ? (uint8_t)w->value_count : 0;
	if (kind > TRACE_MARK_END && w->value_count)
		m.value = w->values[0];
	else if (kind == TRACE_MARK_EVENT)
		m.value = strtoull(name + strcspn(name, "0123456789"), NULL, 10);
	if ((kind == TRACE_MARK_COUNTER || kind == TRACE_MARK_NOC) && w->value_count > 1)
		m.value2 = w->values[1];
	return w->fn(w->context, &m);
}

/* Ends the zones at DEPTH and deeper. */
static int end_zones(struct walk *w, uint32_t depth)
{
	int r = 0;

	while (r == 0 && w->stack.n && w->stack.v[w->stack.n - 1].depth >= depth) {
		const struct open_zone *z = &w->stack.v[--w->stack.n];

		if (z->ends)
			r = trace_markers_emit(w, TRACE_MARK_END, z->srcloc, z->end, &z->run,
					       z->meta_len ? w->metas.data + z->meta : "",
					       z->meta_len);
		w->metas.len = z->meta;
	}
	return r;
}

/* Meta data of a dispatch core's value. */
static void make_meta(struct walk *w, enum trace_marker_kind kind, const char *name)
{
	const char *zone =
		w->stack.n ? w->c->trace->srclocs[w->stack.v[w->stack.n - 1].srcloc].name : "";

	if (kind == TRACE_MARK_DATA && w->value_count)
		op_dispatch_meta(&w->meta, name, zone, w->values[0]);
}

static int trace_markers_zone_take(struct walk *w, const struct trace_zone *zone, uint32_t depth)
{
	enum trace_marker_kind kind = w->c->kinds[zone->srcloc];
	int r = end_zones(w, depth);

	if (r < 0)
		return r;
	if (!w->meta.len)
		make_meta(w, kind, w->c->trace->srclocs[zone->srcloc].name);
	if (kind != TRACE_MARK_START)
		return trace_markers_emit(w, kind, zone->srcloc, zone->start, &w->run, w->meta.data,
					  w->meta.len);
	if (!w->stack.n) {
		struct run run = no_run, reported = no_run;

		if (w->value_count)
			run.id = w->values[0];
		else
			run = shift_run(w, zone->start + (zone->end - zone->start) / 2);
		/* Older clients give the id of every zone. */
		if (reported_id(&w->c->trace->srclocs[zone->srcloc], &reported.id) &&
		    reported.id != run.id)
			run = reported;
		if (w->value_count > 1) {
			run.trace = (int64_t)(w->values[1] >> 32);
			run.session = (int64_t)(w->values[1] & UINT32_MAX);
		}
		w->run = run;
	}
	r = trace_markers_emit(w, kind, zone->srcloc, zone->start, &w->run, w->meta.data,
			       w->meta.len);
	if (r < 0)
		return r;
	/* With its terminator: the next zone's text follows. */
	if (w->meta.len && buf_add(&w->metas, w->meta.data, w->meta.len + 1) < 0)
		return TACHO_ENOMEM;
	return vec_push(
		&w->stack,
		((struct open_zone){.end = zone->end,
				    .srcloc = zone->srcloc,
				    .depth = depth,
				    .run = w->run,
				    .meta = w->metas.len - (w->meta.len ? w->meta.len + 1 : 0),
				    .meta_len = w->meta.len,
				    .ends = !(zone->flags & TRACE_ZONE_UNFINISHED)}));
}

typedef int (*zone_fn)(struct walk *w, const struct trace_zone *zone, uint32_t depth);

static int trace_markers_walk_track(struct walk *w, uint32_t track, zone_fn fn)
{
	struct trace *trace = w->c->trace;
	struct trace_walk *zones;
	struct trace_zone zone;
	uint32_t lane;
	int r = trace_walk_open(&zones, trace, track, 0, UINT64_MAX);

	if (r < 0)
		return r;
	while (r >= 0 && (r = trace_walk_next(zones, &zone, &lane)) > 0) {
		if (zone.srcloc >= trace->srcloc_count)
			continue;
		trace_markers_extras_read(w, trace_walk_cursor(zones), zone.extras);
		r = fn(w, &zone, trace->lanes[lane].depth);
	}
	trace_walk_close(zones);
	return r;
}

static int take_shift(struct walk *w, const struct trace_zone *zone, uint32_t depth)
{
	struct shift s = {zone->start, zone->end, no_run};

	if (depth || !reported_id(&w->c->trace->srclocs[zone->srcloc], &s.run.id))
		return 0;
	return vec_push(&w->shifts, s);
}

/* A repeated id means that the op is replayed; the host reports of which trace. */
static int number_shifts(struct walk *w)
{
	struct map times = {0}, seen = {0};
	int r = 0;

	for (size_t i = 0; i < w->shifts.n && r == 0; i++) {
		uint32_t *n = map_get(&times, w->shifts.v[i].run.id);

		r = map_set(&times, w->shifts.v[i].run.id, n ? *n + 1 : 1);
	}
	for (size_t i = 0; i < w->shifts.n && r == 0; i++) {
		struct run *run = &w->shifts.v[i].run;
		uint32_t *n = map_get(&seen, run->id);

		if (*map_get(&times, run->id) == 1)
			continue;
		run->trace = 0;
		run->session = n ? *n + 1 : 1;
		r = map_set(&seen, run->id, (uint32_t)run->session);
	}
	map_free(&times);
	map_free(&seen);
	return r;
}

/* The ids of one RISC apply to all RISCs of its core. */
static int read_shifts(struct walk *w)
{
	const struct op_risc *first = &w->c->riscs.v[w->risc];
	int r = 0;

	w->shifts.n = 0;
	if (!w->c->has_ids)
		return 0;
	for (uint32_t i = w->risc; i < w->c->riscs.n && w->c->riscs.v[i].core == first->core; i++) {
		r = trace_markers_walk_track(w, w->c->riscs.v[i].track, take_shift);
		if (r < 0 || w->shifts.n)
			break;
	}
	return r < 0 ? r : number_shifts(w);
}

/* --- markers that are rows --- */

/* The zone that an end belongs to; zones inside it whose ends were lost are dropped with it. */
static bool zone_leave(struct walk *w, uint32_t srcloc, struct run *run)
{
	size_t i = w->stack.n;

	while (i && w->stack.v[i - 1].srcloc != srcloc)
		i--;
	if (!i)
		return false; /* its start was lost */
	*run = w->stack.v[i - 1].run;
	w->stack.n = i - 1;
	return true;
}

static int zone_enter(struct walk *w, const struct op_marker *m)
{
	if (m->values) { /* without a parent: the ends of zones that are open were lost */
		w->run = (struct run){m->value, OP_NONE, OP_NONE};
		w->stack.n = 0;
	}
	if (m->values > 1) {
		w->run.trace = (int64_t)(m->value2 >> 32);
		w->run.session = (int64_t)(m->value2 & UINT32_MAX);
	}
	if (w->stack.n >= MARKER_DEPTH)
		return 0;
	return vec_push(&w->stack, ((struct open_zone){.srcloc = m->zone, .run = w->run}));
}

static int row_emit(struct walk *w, struct op_marker *m)
{
	struct run run = w->run;
	int r = 0;

	if (m->kind == TRACE_MARK_START) {
		r = zone_enter(w, m);
		run = w->run;
	} else if (m->kind == TRACE_MARK_END) {
		if (!zone_leave(w, m->zone, &run))
			return 0;
	} else if (m->kind == TRACE_MARK_DATA && !w->meta.len) {
		w->value_count = m->values;
		w->values[0] = m->value;
		make_meta(w, TRACE_MARK_DATA, w->c->trace->srclocs[m->zone].name);
	}
	if (m->kind <= TRACE_MARK_END) { /* the values are the run's */
		m->values = 0;
		m->value = m->value2 = 0;
	}
	m->id = run.id;
	m->trace = run.trace;
	m->session = run.session;
	m->meta = (struct op_text){w->meta.data, w->meta.len};
	w->c->has_meta |= w->meta.len > 0;
	return r < 0 ? r : w->fn(w->context, m);
}

static bool marker_row_read(struct walk *w, const struct trace_row *row, struct op_marker *m)
{
	uint32_t srcloc = TRACE_MARKER_SRCLOC(row->b), kind = TRACE_MARKER_KIND(row->b);

	if (kind >= TRACE_MARKS || srcloc >= w->c->trace->srcloc_count)
		return false;
	m->kind = (uint8_t)kind;
	m->values = (uint8_t)TRACE_MARKER_VALUES(row->b);
	m->zone = srcloc;
	m->zones = w->c->zones[srcloc];
	m->cycle = row->a;
	m->value = row->c;
	m->value2 = 0;
	if (w->meta.len)
		buf_reset(&w->meta);
	if (row->text_len)
		buf_add(&w->meta, row->text, row->text_len);
	return true;
}

/* Where the rows of a RISC were left. */
struct op_risc_reader {
	struct {
		VEC(struct open_zone);
	} stack;
	struct run run;
	struct op_marker m;
	bool waits; /* a marker of two values: for the row with the second */
};

static struct op_risc_reader risc_reader_new(const struct op_cores *c, uint32_t risc)
{
	const struct op_risc *r = &c->riscs.v[risc];

	return (struct op_risc_reader){
		.run = no_run,
		.m = {.device = r->device, .core = r->core, .risc = risc, .which = r->which}};
}

static int marker_row_take(struct walk *w, struct op_risc_reader *reader,
			   const struct trace_row *row)
{
	int r = 0;

	if (row->kind == TRACE_ROW_MARKER_WORD && reader->waits) {
		reader->m.value2 = row->a;
	} else if (row->kind != TRACE_ROW_MARKER) {
		struct op_losses *lost = &w->c->riscs.v[w->risc].lost;

		if (row->kind == TRACE_ROW_LOSS && row->a == TRACE_LOSS_DEVICE) {
			lost->full++;
			lost->markers += row->c;
		} else if (row->kind == TRACE_ROW_LOSS && row->a == TRACE_LOSS_DEVICE_DAMAGE) {
			lost->overwritten += row->c;
		}
		return 0;
	}
	if (reader->waits)
		r = row_emit(w, &reader->m);
	reader->waits = false;
	if (r == 0 && row->kind == TRACE_ROW_MARKER && marker_row_read(w, row, &reader->m)) {
		reader->waits = reader->m.values > 1;
		r = reader->waits ? 0 : row_emit(w, &reader->m);
	}
	return r;
}

static int walk_rows(struct walk *w, uint32_t track)
{
	struct op_risc_reader reader = risc_reader_new(w->c, w->risc);
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t of;
	int r = trace_rows_open(&rows, w->c->trace, track, 0, UINT64_MAX);

	if (r < 0)
		return r;
	w->c->riscs.v[w->risc].lost = (struct op_losses){0};
	while (r >= 0 && (r = trace_rows_next(rows, &row, &of)) > 0)
		r = marker_row_take(w, &reader, &row);
	if (r == 0 && reader.waits)
		r = row_emit(w, &reader.m);
	trace_rows_close(rows);
	w->stack.n = 0;
	return r;
}

/* ---- a trace that grows ---- */

static void live_cores_free(struct op_live *live)
{
	for (size_t i = 0; i < live->riscs.n; i++)
		vec_free(&live->readers[i].stack);
	vec_free(&live->riscs);
	free(live->readers);
	op_runs_free(&live->runs);
	live->readers = NULL;
	live->known = 0;
}

void op_live_free(struct op_live *live)
{
	live_cores_free(live);
	op_live_host_free(&live->host);
}

bool op_live_possible(const struct op_cores *c)
{
	for (size_t i = 0; i < c->riscs.n; i++) {
		uint32_t track = c->riscs.v[i].track, first, lanes;

		/* Without a lane there are only losses. */
		trace_track_lanes(c->trace, track, &first, &lanes);
		if (lanes && !c->trace->tracks[track].format)
			return false;
	}
	return !c->raw_only;
}

/* True if the cores have the same tracks as when they were last read. */
static bool live_continues(const struct op_live *live, const struct op_cores *c)
{
	if (!live->readers || live->runs.stale || live->riscs.n != c->riscs.n ||
	    memcmp(live->uuid, c->trace->uuid, sizeof(live->uuid)) != 0 ||
	    trace_known(c->trace) < live->known)
		return false;
	for (size_t i = 0; i < c->riscs.n; i++)
		if (c->riscs.v[i].track != live->riscs.v[i].track)
			return false;
	return true;
}

static int live_restart(struct op_live *live, const struct op_cores *c)
{
	live_cores_free(live);
	live->restarts++;
	live->runs.any_order = true;
	memcpy(live->uuid, c->trace->uuid, sizeof(live->uuid));
	live->readers = calloc(c->riscs.n + 1, sizeof(*live->readers));
	if (!live->readers)
		return TACHO_ENOMEM;
	for (uint32_t i = 0; i < c->riscs.n; i++) {
		live->readers[i] = risc_reader_new(c, i);
		if (vec_push(&live->riscs, c->riscs.v[i]) < 0)
			return TACHO_ENOMEM;
	}
	return 0;
}

/* The walk has one stack: that of the current row's RISC. */
static int live_row(struct walk *w, struct op_risc_reader *reader, const struct trace_row *row)
{
	int r;

	w->stack.v = reader->stack.v;
	w->stack.n = reader->stack.n;
	w->stack.cap = reader->stack.cap;
	w->run = reader->run;
	r = marker_row_take(w, reader, row);
	reader->stack.v = w->stack.v;
	reader->stack.n = w->stack.n;
	reader->stack.cap = w->stack.cap;
	reader->run = w->run;
	return r;
}

static int live_marker(void *context, const struct op_marker *m)
{
	return op_runs_add(context, m);
}

int op_live_walk(struct op_live *live, struct op_cores *cores)
{
	struct walk w = {.c = cores,
			 .fn = live_marker,
			 .context = &live->runs,
			 .meta = BUF_INIT,
			 .metas = BUF_INIT};
	uint64_t known = trace_known(cores->trace);
	struct trace_rows *rows = NULL;
	uint32_t *riscs = calloc(cores->trace->track_count + 1, sizeof(*riscs)); /* by track, + 1 */
	uint32_t track;
	struct trace_row row;
	int r = riscs ? 0 : TACHO_ENOMEM;

	if (r == 0 && !live_continues(live, cores))
		r = live_restart(live, cores);
	for (uint32_t i = 0; r == 0 && i < cores->riscs.n; i++) {
		cores->riscs.v[i].lost = live->riscs.v[i].lost;
		riscs[cores->riscs.v[i].track] = i + 1;
	}
	if (r == 0)
		r = trace_rows_open_from(&rows, cores->trace, TRACE_NONE, live->known);
	while (r >= 0 && (r = trace_rows_next(rows, &row, &track)) > 0) {
		if (!riscs[track])
			continue;
		live->rows++;
		w.risc = riscs[track] - 1;
		r = live_row(&w, &live->readers[w.risc], &row);
	}
	trace_rows_close(rows);
	for (uint32_t i = 0; r == 0 && i < cores->riscs.n; i++)
		live->riscs.v[i].lost = cores->riscs.v[i].lost;
	if (r == 0 && live->runs.cores.n > OP_LIVE_CORES)
		r = op_runs_trim(&live->runs, OP_LIVE_RUNS);
	if (r == 0 && live->runs.stale) {
		free(riscs);
		buf_free(&w.meta);
		return op_live_walk(live, cores); /* starts again, once */
	}
	live->known = known;
	cores->walked |= r == 0;
	free(riscs);
	buf_free(&w.meta);
	if (r < 0)
		live_cores_free(live); /* a part of the new markers is stored */
	return r;
}

/* ---- all at once ---- */

int op_cores_walk(struct op_cores *cores, op_marker_fn fn, void *context)
{
	struct walk w = {
		.c = cores, .fn = fn, .context = context, .meta = BUF_INIT, .metas = BUF_INIT};
	int r = 0;

	for (w.risc = 0; w.risc < cores->riscs.n && r == 0; w.risc++) {
		const struct op_risc *risc = &cores->riscs.v[w.risc];

		w.run = no_run;
		w.shift = 0;
		r = walk_rows(&w, risc->track);
		if (r < 0 || cores->trace->tracks[risc->track].format)
			continue;
		if (w.risc == 0 || risc->core != risc[-1].core)
			r = read_shifts(&w);
		if (r == 0)
			r = trace_markers_walk_track(&w, risc->track, trace_markers_zone_take);
		if (r == 0)
			r = end_zones(&w, 0);
	}
	if (r == 0 && (w.meta.failed || w.metas.failed))
		r = TACHO_ENOMEM;
	cores->walked |= r == 0;
	vec_free(&w.stack);
	vec_free(&w.shifts);
	buf_free(&w.meta);
	buf_free(&w.metas);
	return r;
}
