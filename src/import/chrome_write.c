/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Write collected Chrome events to a trace: the zones of each thread are sorted and nested; a zone
 * that outlasts its parent is cut at the parent's end.
 */
#include "base/fmt.h"
#include "base/limits.h"
#include "base/order.h"
#include "import/chrome_read.h"
#include "trace/nesting.h"

#include <string.h>

/* The tick of a time: the first event is a second after tick 0. */
static uint64_t chrome_write_tick(const struct chrome_reader *r, int64_t ns)
{
	return (uint64_t)ns - (uint64_t)r->first + 1000000000u;
}

ORDER_BY(by_track_start, struct chrome_zone,
	 ORDER_UP(track) ?: ORDER_UP(start) ?: ORDER_DOWN(end) ?: ORDER_UP(order));

ORDER_BY(chrome_write_by_time, struct chrome_row, ORDER_UP(time) ?: ORDER_UP(step));

/* Zones that contain the next one, with the time of their direct children. */
struct nest {
	VEC(struct nest_zone {
		struct chrome_zone *zone;
		uint64_t inside;
		uint32_t srcloc;
	});
	struct trace_nesting open; /* all are of one track */
};

static int nest_pop(struct chrome_reader *r, struct nest *n)
{
	struct chrome_zone *z = n->v[--n->n].zone;
	struct trace_extra text = {.kind = TRACE_EXTRA_TEXT};
	struct trace_lane *lane = trace_lane(r->w, z->track, (uint32_t)n->n);
	uint32_t flags = z->unfinished ? TRACE_ZONE_UNFINISHED : 0;

	trace_nesting_end(&n->open, z->srcloc);
	if (trace_nesting_has(&n->open, z->srcloc, &n->v->srcloc, n->n, sizeof(*n->v)))
		flags |= TRACE_ZONE_RECURSIVE;
	if (z->text) {
		text.text = r->texts.data + z->text;
		text.len = (uint32_t)strlen(text.text);
	}
	if (n->n)
		n->v[n->n - 1].inside += (uint64_t)(z->end - z->start);
	if (!lane)
		return TACHO_ENOMEM;
	r->threads.v[z->track].ledger.zones_emitted++;
	return trace_lane_add_full(r->w, lane, chrome_write_tick(r, z->start),
				   chrome_write_tick(r, z->end), z->srcloc, n->v[n->n].inside,
				   flags, &text, z->text != 0);
}

static int nest_push(struct chrome_reader *r, struct nest *n, struct chrome_zone *z)
{
	int e = 0;

	while (e == 0 && n->n &&
	       (n->v[n->n - 1].zone->track != z->track || n->v[n->n - 1].zone->end <= z->start))
		e = nest_pop(r, n);
	if (e < 0)
		return e;
	if (n->n && z->end > n->v[n->n - 1].zone->end) {
		z->end = n->v[n->n - 1].zone->end;
		r->notes->cut++;
	}
	if (n->n >= LIMIT_ZONE_DEPTH)
		return TACHO_ELIMIT;
	e = vec_reserve(n, n->n + 1);
	if (e == 0) {
		n->v[n->n++] = (struct nest_zone){z, 0, z->srcloc};
		trace_nesting_begin(&n->open, z->srcloc);
	}
	return e;
}

static int rows_write(struct chrome_reader *r)
{
	int e = 0;

	if (r->rows.n)
		qsort(r->rows.v, r->rows.n, sizeof(*r->rows.v), chrome_write_by_time);
	e = chrome_flows_number(r);
	for (size_t i = 0; e == 0 && i < r->rows.n; i++) {
		const struct chrome_row *x = &r->rows.v[i];
		struct trace_row row = {.time = chrome_write_tick(r, x->time),
					.kind = x->kind,
					.thread = x->thread};

		if (x->kind == TRACE_ROW_MESSAGE) {
			row.a = TRACE_SEVERITY_INFO;
			row.text = r->texts.data + x->text;
			row.text_len = x->len;
		} else if (x->kind == TRACE_ROW_FLOW) {
			row.a = x->flow;
			row.b = x->step;
			row.c = x->next;
			row.text = r->texts.data + x->text;
			row.text_len = x->len;
		} else {
			memcpy(&row.a, &x->value, sizeof(row.a));
		}
		e = trace_add_row(r->w, x->track, &row);
		r->threads.v[x->track].ledger.rows_emitted++;
	}
	return e;
}

static void number_property_set(struct trace_writer *w, const char *key, int64_t n)
{
	char text[FMT_SIZE];

	if (n >= 0)
		trace_set_property(w, key, fmt_uint(text, (uint64_t)n));
}

static int model_write(struct chrome_reader *r, const struct chrome_head *head, const char *path)
{
	struct trace_clock_point point = {.ticks = 1000000000u};
	int64_t e;

	if (head->base_ns && r->first < INT64_MAX - head->base_ns)
		point.realtime_ns = head->base_ns + r->first;
	trace_set_property(r->w, "source", path);
	trace_set_property(r->w, "ticks per second", "1000000000");
	number_property_set(r->w, "rank", head->rank);
	number_property_set(r->w, "world size", head->world);
	e = trace_add_clock_point(r->w, &point);
	for (size_t i = 0; e >= 0 && i < r->processes.n; i++) {
		const struct chrome_process *x = &r->processes.v[i];
		struct trace_process p = {.pid = (uint32_t)x->pid,
					  .start = 1000000000u,
					  .exit_status = TRACE_EXIT_UNKNOWN,
					  .name = x->name ? x->name : "",
					  .command = x->name ? x->name : ""};

		e = trace_add_process(r->w, &p);
	}
	for (size_t i = 0; e >= 0 && i < r->threads.n; i++) {
		const struct chrome_track *x = &r->threads.v[i];
		struct trace_track t = {.process = x->process,
					.kind = x->kind,
					.id = (uint64_t)x->tid,
					.srcloc = TRACE_NONE,
					.name = x->name ? x->name : ""};

		e = trace_add_track(r->w, &t);
	}
	return e < 0 ? (int)e : 0;
}

int chrome_write(struct chrome_reader *r, const struct chrome_head *head, const char *path)
{
	int e;

	for (size_t i = 0; i < r->zones.n; i++)
		if (r->zones.v[i].unfinished)
			r->zones.v[i].end = r->last;
	e = chrome_chains_place(r);
	if (e == 0)
		e = model_write(r, head, path);
	if (e == 0) {
		struct nest nest = {0};

		if (r->zones.n)
			qsort(r->zones.v, r->zones.n, sizeof(*r->zones.v), by_track_start);
		for (size_t i = 0; e == 0 && i < r->zones.n; i++)
			e = nest_push(r, &nest, &r->zones.v[i]);
		while (e == 0 && nest.n)
			e = nest_pop(r, &nest);
		vec_free(&nest);
	}
	if (e == 0)
		e = rows_write(r);
	for (uint32_t i = 0; e == 0 && i < r->threads.n; i++)
		e = trace_add_ledger(r->w, i, &r->threads.v[i].ledger);
	return e;
}
