/* SPDX-License-Identifier: Apache-2.0 */
/* One op: all columns of its row, its cores and their RISCs, its zones. */
#include "base/map.h"
#include "view/core_spread.h"
#include "view/device_clock.h"
#include "view/lane_numbers.h"
#include "view/op_table.h"
#include "view/zone_walk.h"

#include <string.h>

#define OP_ZONES 5000u

/* --------------------------------------------------------------------- row */

/* "DEVICE BRISC KERNEL DURATION [ns]": the part between, or text NULL. */
static struct op_text risc_of(const struct buf *column)
{
	static const char before[] = "DEVICE ", after[] = " KERNEL DURATION [ns]";
	size_t a = strlen(before), b = strlen(after);

	if (column->len <= a + b || memcmp(column->data, before, a) ||
	    memcmp(column->data + column->len - b, after, b))
		return (struct op_text){0};
	return (struct op_text){column->data + a, column->len - a - b};
}

static void cells_put(struct json *j, const struct op_table *t, const struct op *op,
		      const struct op_fields *fields)
{
	struct buf name = BUF_INIT, cell = BUF_INIT;

	json_object(j, "row");
	for (size_t i = 0; i < fields->n; i++) {
		buf_reset(&name);
		buf_reset(&cell);
		op_field_text(t, op, fields->v[i], &cell);
		if (!cell.len)
			continue;
		op_field_name(t, fields->v[i], &name);
		json_string(j, name.data, cell.data, cell.len);
	}
	json_end(j);
	json_object(j, "riscs");
	for (size_t i = 0; i < fields->n; i++) {
		struct op_value value = op_value(t, op, fields->v[i]);
		struct op_text risc;

		buf_reset(&name);
		op_field_name(t, fields->v[i], &name);
		risc = risc_of(&name);
		if (!risc.text || (value.type != OP_REAL && value.type != OP_INT))
			continue;
		name.data[risc.text - name.data + (ptrdiff_t)risc.len] = 0;
		json_double(j, risc.text, value.real / 1000);
	}
	json_end(j);
	buf_free(&name);
	buf_free(&cell);
}

/* ------------------------------------------------------------------- cores */

struct core {
	struct core_place place;
	uint64_t id;
	double kernel, fw;
	struct {
		VEC(uint32_t);
	} tracks; /* of its RISCs, with their times */
	double riscs[64];
};

struct cores {
	struct view_call *c;
	VEC(struct core);
	struct {
		VEC(uint64_t);
	} zones; /* lane, number, lane, number ... */
	double calls;
	uint64_t t0, t1;
};

/* True for the run of the op. Its number is the first value attached to the outermost zone.
 */
static bool zone_is_of(const struct cores *k, const struct zones *z, const struct trace_zone *zone)
{
	struct trace_extra e;

	for (uint32_t i = 0; i < zone->extras; i++)
		if (trace_cursor_extra(z->cursor, i, &e) == 0 && e.kind == TRACE_EXTRA_VALUE)
			return isnan(k->calls) || (double)e.value == k->calls ||
			       (double)(e.value >> 10 << 10) == k->calls ||
			       (double)(e.value >> 10) == k->calls;
	return true;
}

static struct core *op_detail_core_of(struct cores *k, const struct trace_track *track)
{
	struct core *fresh;

	for (size_t i = k->n; i-- > 0;)
		if (k->v[i].id == track->id >> 8)
			return &k->v[i];
	if (vec_reserve(k, k->n + 1) < 0)
		return NULL;
	fresh = &k->v[k->n++];
	memset(fresh, 0, sizeof(*fresh));
	fresh->id = track->id >> 8;
	track_place(track, &fresh->place);
	return fresh;
}

static void kernel_note(struct cores *k, struct core *core, uint32_t track, double ns)
{
	size_t i = 0;

	while (i < core->tracks.n && core->tracks.v[i] != track)
		i++;
	if (i >= sizeof(core->riscs) / sizeof(*core->riscs) ||
	    (i == core->tracks.n && vec_push(&core->tracks, track) < 0))
		return;
	core->riscs[i] += ns;
	core->kernel = fmax(core->kernel, core->riscs[i]);
	(void)k;
}

/* Names end with -FW for the whole run of a RISC, with -KERNEL for the kernel within. */
static void zone_note(struct cores *k, const struct zones *z, const struct zone_found *f)
{
	const struct trace *t = k->c->trace;
	uint32_t track = t->lanes[f->lane].track;
	const char *name = trace_srcloc_name(t, f->zone.srcloc), *dash = strrchr(name, '-');
	struct core *core = op_detail_core_of(k, &t->tracks[track]);
	double ns = trace_duration_ns(t, f->zone.start, f->zone.end);

	if (!core)
		return;
	if (dash && !strcmp(dash, "-FW"))
		core->fw = fmax(core->fw, ns);
	if (dash && !strcmp(dash, "-KERNEL"))
		kernel_note(k, core, track, ns);
	if (k->zones.n < 2 * OP_ZONES && vec_reserve(&k->zones, k->zones.n + 2) == 0) {
		k->zones.v[k->zones.n++] = f->lane;
		k->zones.v[k->zones.n++] = zone_walk_number(z);
	}
}

/*
 * Zones of the op on one track: those inside an outermost zone of its run. Zones of a lane are in
 * order, so the times of the runs are collected from the first lane and the deeper ones are read
 * afterwards.
 */
static int track_cores(struct cores *k, struct zones_choice *choice)
{
	struct {
		VEC(uint64_t);
	} runs = {0}; /* start, end */
	struct zone_found f;
	struct zones zones;
	size_t i = 0;
	uint32_t lane = TRACE_NONE;
	int r;

	zone_walk_open(&zones, k->c, choice);
	while ((r = zone_walk_next(&zones, &f)) > 0) {
		bool outer = k->c->trace->lanes[f.lane].depth == 0;

		if (f.lane != lane)
			i = 0;
		lane = f.lane;
		if (outer) {
			if (!zone_is_of(k, &zones, &f.zone))
				continue;
			if (vec_reserve(&runs, runs.n + 2) < 0)
				break;
			runs.v[runs.n++] = f.zone.start;
			runs.v[runs.n++] = f.zone.end;
		} else {
			while (i < runs.n && runs.v[i + 1] < f.zone.end)
				i += 2;
			if (i >= runs.n || f.zone.start < runs.v[i])
				continue;
		}
		zone_note(k, &zones, &f);
	}
	zone_walk_close(&zones);
	vec_free(&runs);
	return r;
}

static int cores_find(struct cores *k, int32_t device)
{
	const struct trace *t = k->c->trace;
	struct zones_choice choice = ZONES_ALL;
	uint8_t *tracks = calloc(t->track_count + 1, 1);
	int r = tracks ? 0 : TACHO_ENOMEM;

	choice.tracks = tracks;
	choice.t0 = k->t0;
	choice.t1 = k->t1 + 1;
	for (uint32_t i = 0; r == 0 && i < t->track_count; i++) {
		struct core_place place;

		if (!track_place(&t->tracks[i], &place) || (int64_t)place.device != device)
			continue;
		tracks[i] = 1;
		r = track_cores(k, &choice);
		tracks[i] = 0;
	}
	free(tracks);
	return r;
}

/* How evenly the cores share the op: a frequent reason for slow ops. */
static void spread_put(const struct cores *k)
{
	struct json *j = &k->c->json;
	struct core_spread spread = {0};
	uint64_t idle = 0;

	for (size_t i = 0; i < k->n; i++)
		core_spread_add(&spread, k->v[i].kernel);
	for (size_t i = 0; i < k->n; i++)
		idle += k->v[i].kernel < spread.max / 4;
	json_object(j, "spread");
	json_double(j, "max_ns", spread.max);
	json_double(j, "mean_ns", core_spread_mean(&spread));
	json_double(j, "imbalance", core_spread_imbalance(&spread));
	json_uint(j, "idle", idle);
	json_end(j);
}

static void op_detail_cores_put(struct cores *k)
{
	const struct trace *t = k->c->trace;
	struct json *j = &k->c->json;

	json_array(j, "cores");
	for (size_t i = 0; i < k->n; i++) {
		const struct core *core = &k->v[i];

		json_object(j, NULL);
		json_uint(j, "device", core->place.device);
		json_uint(j, "x", core->place.x);
		json_uint(j, "y", core->place.y);
		json_double(j, "kernel_ns", core->kernel);
		json_double(j, "fw_ns", core->fw);
		json_object(j, "riscs");
		for (size_t n = 0; n < core->tracks.n; n++) {
			const char *name = strrchr(t->tracks[core->tracks.v[n]].name, '/');

			json_double(j, name ? name + 1 : "?", core->riscs[n]);
		}
		json_end(j);
		json_end(j);
	}
	json_end(j);
	spread_put(k);
	json_array(j, "zones");
	for (size_t i = 0; i + 1 < k->zones.n; i += 2) {
		json_object(j, NULL);
		json_uint(j, "lane", lane_number(k->c, (uint32_t)k->zones.v[i]));
		json_uint(j, "idx", k->zones.v[i + 1]);
		json_end(j);
	}
	json_end(j);
}

/* "gap": what the host did before it. */
static void gap_put(struct view_call *c, struct ops *o, const struct perf_op *op)
{
	const struct perf_gap *gap = ops_gap(c, o, op);

	if (!gap) {
		json_null(&c->json, "gap");
		return;
	}
	json_object(&c->json, "gap");
	json_double(&c->json, "us", gap->all);
	ops_causes_put(&c->json, gap);
	json_end(&c->json);
}

static int op_answer(struct view_call *c, struct ops *o, const struct perf_op *op)
{
	const struct perf_row *row = &o->in.rows.v[op->row];
	struct cores cores = {.c = c, .calls = row->calls};
	struct op_fields fields = {0};
	int r;

	call_begin(c);
	op_put(c, "op", o, op);
	gap_put(c, o, op);
	r = op_table_fields(o->table, &fields);
	if (r == 0 && op->row < o->table->ops.n)
		cells_put(&c->json, o->table, &o->table->ops.v[op->row], &fields);
	vec_free(&fields);
	if (r == 0 && ops_time(c, o, op, &cores.t0, &cores.t1))
		r = cores_find(&cores, row->device);
	if (r == 0)
		op_detail_cores_put(&cores);
	json_end(&c->json);
	for (size_t i = 0; i < cores.n; i++)
		vec_free(&cores.v[i].tracks);
	vec_free(&cores);
	vec_free(&cores.zones);
	return r;
}

/* How well an op fits the id that a zone has: a call count and a time. 0: not at all. */
static int op_fits(struct view_call *c, const struct ops *o, const struct perf_op *op,
		   uint64_t call, uint64_t time)
{
	const struct perf_row *row = &o->in.rows.v[op->row];
	uint64_t t0, t1;

	if (!(row->calls >= 0) || row->calls > 9e15 || (uint64_t)row->calls >> 10 != call >> 10)
		return 0;
	/* The op of another device, which a merged table combines with this one. */
	if ((uint64_t)row->calls != call)
		return 1;
	return ops_time(c, o, op, &t0, &t1) && time >= t0 && time <= t1 ? 3 : 2;
}

/* By the number of its row, or as a zone says: "c1024@5000". */
static int op_find(struct view_call *c, const struct ops *o, const struct perf_op **op)
{
	const char *text = query_get(c->query, "id");
	unsigned long long call;
	long long ns = 0;
	uint64_t id;
	int end = 0, r;
	uint64_t time;
	const struct perf_op *best;
	int most;

	*op = NULL;
	if (text && *text == 'c') {
		if (strlen(text) > 40 || sscanf(text, "c%20llu@%20lld%n", &call, &ns, &end) != 2 ||
		    text[end])
			return call_fail(c, VIEW_BAD, "id is not that of an op");
		time = c->trace ? trace_ticks(c->trace, ns) : 0;
		best = NULL;
		most = 0;
		for (size_t i = 0; i < o->report.ops.n && most < 3; i++) {
			int fits = op_fits(c, o, &o->report.ops.v[i], call, time);

			if (fits > most) {
				most = fits;
				best = &o->report.ops.v[i];
			}
		}
		*op = best;
	} else {
		r = arg_need(c, "id", UINT32_MAX, &id);
		if (r < 0)
			return r;
		for (size_t i = 0; i < o->report.ops.n && !*op; i++)
			if (perf_row_line(o->report.ops.v[i].row) == id)
				*op = &o->report.ops.v[i];
	}
	return *op ? 0 : call_fail(c, VIEW_MISSING, "there is no such op");
}

int call_op(struct view_call *c)
{
	const struct perf_op *op;
	bool merged = true;
	struct ops *o;
	int given = arg_bool(c, "merge", &merged), r = given;

	if (r >= 0)
		r = ops_take(c, merged, &o);
	if (r < 0)
		return r;
	r = op_find(c, o, &op);
	if (r < 0 && !given && c->answer->status == VIEW_MISSING) {
		/* Merged ops: the timeline shows them all the same. */
		ops_put(c, o);
		call_reset(c);
		r = ops_take(c, false, &o);
		if (r < 0)
			return r;
		r = op_find(c, o, &op);
	}
	if (r == 0)
		r = op_answer(c, o, op);
	ops_put(c, o);
	return r;
}
