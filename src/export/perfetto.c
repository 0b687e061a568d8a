/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Perfetto's protocol buffers (.pftrace). Zones are slices, messages and losses instants, plots and
 * memory counters, frames and locks slices on tracks of their own, ops slices on tracks of their
 * device; flows connect zones, and those of the host with the ops that they called. Readers sort
 * packets by time and keep the order of the file at equal times: so a slice's end is written before
 * the next one's beginning.
 */
#include "export/perfetto.h"
#include "base/fmt.h"
#include "base/order.h"
#include "export/row_events.h"
#include "op/messages.h"
#include "trace/names.h"
#include "view/flow_list.h"

#include <math.h>
#include <stdlib.h>

#define FLUSH_BYTES (64u << 10)

/* Clocks and flags as the format numbers them. */
enum { CLOCK_ID_REALTIME = 1, CLOCK_ID_MONOTONIC_RAW = 5 };
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };

uint64_t perfetto_ns(const struct perfetto *p, uint64_t ticks)
{
	int64_t ns = trace_ns(p->trace, ticks) + p->offset;

	return ns > 0 ? (uint64_t)ns : 0;
}

/* ----------------------------------------------------------------- packets */

static int perfetto_flush(struct perfetto *p, size_t above)
{
	if (p->text.failed)
		return TACHO_ENOMEM;
	if (p->text.len < above)
		return 0;
	if (fwrite(p->text.data, 1, p->text.len, p->out) != p->text.len)
		return TACHO_EWRITE;
	buf_reset(&p->text);
	return 0;
}

/* Writes the packet in .inner. */
static int packet_end(struct perfetto *p)
{
	pb_value(&p->inner, PACKET_SEQUENCE, 1);
	pb_message(&p->text, 1, &p->inner);
	return perfetto_flush(p, FLUSH_BYTES);
}

int perfetto_packet(struct perfetto *p, uint64_t ns, unsigned field)
{
	pb_value(&p->inner, PACKET_TIMESTAMP, ns);
	pb_value(&p->inner, PACKET_FLAGS, FLAG_NEEDS_STATE);
	if (p->interned.len)
		pb_message(&p->inner, PACKET_INTERNED, &p->interned);
	pb_message(&p->inner, field, &p->event);
	return packet_end(p);
}

void perfetto_event(struct perfetto *p, int type, uint64_t track)
{
	buf_reset(&p->event);
	pb_value(&p->event, EVENT_TYPE, (uint64_t)type);
	pb_value(&p->event, EVENT_TRACK, track);
}

int perfetto_track(struct perfetto *p, uint64_t uuid, uint64_t parent, const char *name)
{
	pb_value(&p->event, TRACK_UUID, uuid);
	pb_number(&p->event, TRACK_PARENT, parent);
	if (name)
		pb_text(&p->event, TRACK_NAME, name);
	pb_value(&p->event, TRACK_MERGE, 2);
	pb_message(&p->inner, PACKET_TRACK, &p->event);
	return packet_end(p);
}

/* A named value of an event. NUMBER: field of its type; TEXT if that is 0. */
static void annotation_add(struct perfetto *p, const char *name, const char *text, size_t len)
{
	pb_text(&p->part, 10, name);
	pb_string(&p->part, 6, text, len);
	pb_message(&p->event, EVENT_ANNOTATION, &p->part);
}

static void annotation_number_add(struct perfetto *p, const char *name, uint64_t n)
{
	pb_text(&p->part, 10, name);
	pb_value(&p->part, 3, n);
	pb_message(&p->event, EVENT_ANNOTATION, &p->part);
}

/* ------------------------------------------------------------------ tracks */

static void clock_add(struct perfetto *p, uint64_t id, uint64_t ns)
{
	pb_value(&p->part, 1, id);
	pb_value(&p->part, 2, ns);
	pb_message(&p->event, 1, &p->part);
}

/* All times are of CLOCK_MONOTONIC_RAW; the clock points say which real time that was. */
static int clocks_write(struct perfetto *p)
{
	const struct trace *t = p->trace;
	int r = 0;

	pb_value(&p->part, 58, CLOCK_ID_MONOTONIC_RAW); /* timestamp_clock_id */
	pb_message(&p->inner, PACKET_DEFAULTS, &p->part);
	pb_value(&p->inner, PACKET_FLAGS, FLAG_CLEARED);
	r = packet_end(p);
	for (uint32_t i = 0; i < t->clock_point_count && r == 0; i++) {
		const struct trace_clock_point *point = &t->clock_points[i];

		buf_reset(&p->event);
		clock_add(p, CLOCK_ID_MONOTONIC_RAW, perfetto_ns(p, point->ticks));
		if (point->realtime_ns > 0)
			clock_add(p, CLOCK_ID_REALTIME, (uint64_t)point->realtime_ns);
		pb_value(&p->event, 2, CLOCK_ID_MONOTONIC_RAW); /* primary_trace_clock */
		pb_message(&p->inner, PACKET_CLOCK_SNAPSHOT, &p->event);
		r = packet_end(p);
	}
	return r;
}

static int process_write(struct perfetto *p, uint32_t i)
{
	const struct trace_process *process = &p->trace->processes[i];
	static const char *const labels[] = {"rank", "host"};

	buf_reset(&p->event);
	pb_value(&p->part, 1, p->pids[i]);
	if (process->command[0])
		pb_text(&p->part, 2, process->command);
	pb_text(&p->part, 6, process->name);
	pb_value(&p->part, 7, perfetto_ns(p, process->start));
	for (size_t k = 0; k < sizeof(labels) / sizeof(*labels); k++) {
		const char *value = trace_property(p->trace, labels[k]);
		char text[200];

		if (!value)
			continue;
		snprintf(text, sizeof(text), "%s %.150s", labels[k], value);
		pb_text(&p->part, 8, text);
	}
	pb_message(&p->event, TRACK_PROCESS, &p->part);
	return perfetto_track(p, PERFETTO_PROCESS(i), 0, NULL);
}

static uint64_t process_uuid(const struct perfetto *p, uint32_t track)
{
	uint32_t process = p->trace->tracks[track].process;

	return process < p->trace->process_count ? PERFETTO_PROCESS(process) : 0;
}

uint64_t perfetto_device(const struct trace_track *track)
{
	return PERFETTO_DEVICE(track->process, TRACE_CORE_DEVICE(track->id));
}

/* Tracks with slices or counters; messages of no thread are on that of their process. */
static int track_write(struct perfetto *p, uint32_t i)
{
	const struct trace_track *track = &p->trace->tracks[i];
	uint64_t parent = process_uuid(p, i);
	char text[64], device[32];
	const char *name = trace_track_name(p->trace, i, text, sizeof(text));
	int r = 0;

	buf_reset(&p->event);
	if (track->kind == TRACE_THREAD && parent) {
		pb_value(&p->part, 1, p->pids[track->process]);
		pb_value(&p->part, 2, p->tids[i]);
		pb_text(&p->part, 5, name);
		pb_message(&p->event, TRACK_THREAD, &p->part);
	} else if (track->kind == TRACE_CORE && !TRACE_CORE_IS_OTHER(track->id)) {
		uint64_t key = perfetto_device(track);

		if (!map_get(&p->spans, key)) {
			snprintf(device, sizeof(device), "Device %u", TRACE_CORE_DEVICE(track->id));
			r = map_set(&p->spans, key, 0);
			if (r == 0)
				r = perfetto_track(p, key, parent, device);
		}
		parent = key;
	} else if (track->kind == TRACE_PLOT || track->kind == TRACE_MEMORY) {
		pb_value(&p->part, 3,
			 track->kind == TRACE_MEMORY || track->format == TRACE_PLOT_MEMORY
				 ? 3   /* bytes */
				 : 2); /* a number */
		pb_message(&p->event, TRACK_COUNTER, &p->part);
	} else if (track->kind != TRACE_FIBER && track->kind != TRACE_CORE &&
		   track->kind != TRACE_MESSAGES) {
		return 0; /* spans have tracks of their own */
	}
	return r < 0 ? r : perfetto_track(p, PERFETTO_TRACK(i), parent, name);
}

static int tracks_write(struct perfetto *p)
{
	int r = clocks_write(p);

	for (uint32_t i = 0; i < p->trace->process_count && r == 0; i++)
		r = process_write(p, i);
	for (uint32_t i = 0; i < p->trace->track_count && r == 0; i++)
		if (view_takes(p->filter, i, TRACE_NONE))
			r = track_write(p, i);
	return r;
}

/* ------------------------------------------------------------------- zones */

/* Names and places of source locations are written once. */
static void perfetto_srcloc_intern(struct perfetto *p, uint32_t srcloc)
{
	const struct trace_srcloc *s = trace_srcloc_of(p->trace, srcloc);

	if (p->srclocs[srcloc])
		return;
	p->srclocs[srcloc] = 1;
	pb_value(&p->part, 1, (uint64_t)srcloc + 1);
	pb_text(&p->part, 2, trace_srcloc_name(p->trace, srcloc));
	pb_message(&p->interned, INTERNED_EVENT_NAME, &p->part);
	if (!s->file[0])
		return;
	pb_value(&p->part, 1, (uint64_t)srcloc + 1);
	pb_text(&p->part, 2, s->file);
	pb_text(&p->part, 3, s->function);
	pb_number(&p->part, 4, s->line);
	pb_message(&p->interned, INTERNED_SOURCE, &p->part);
}

ORDER_BY(ends_compare, struct perfetto_end, ORDER_UP(lane) ?: ORDER_UP(start) ?: ORDER_UP(flow));

/* Adds the flows of a zone to its event; each once, as zones may begin at once. */
static void flows_add(struct perfetto *p, const struct view_zone *z)
{
	size_t low = 0, high = p->ends.n;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct perfetto_end *e = &p->ends.v[middle];

		if (e->lane < z->lane || (e->lane == z->lane && e->start < z->zone.start))
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < p->ends.n && p->ends.v[low].lane == z->lane &&
	       p->ends.v[low].start == z->zone.start;
	     low++) {
		struct perfetto_end *e = &p->ends.v[low];

		if (e->flow)
			pb_fixed64(&p->event, e->last ? EVENT_LAST_FLOW : EVENT_FLOW, e->flow);
		e->flow = 0;
	}
}

static int slice_end(struct perfetto *p, uint32_t track)
{
	struct perfetto_open *open = &p->open[track];

	perfetto_event(p, EVENT_END, PERFETTO_TRACK(track));
	return perfetto_packet(p, perfetto_ns(p, open->v[--open->n]), PACKET_TRACK_EVENT);
}

static int slice_begin(struct perfetto *p, const struct view_zone *z)
{
	const uint32_t srcloc = z->zone.srcloc;
	const char *name = trace_srcloc_name(p->trace, srcloc);
	char text[FMT_SIZE];

	perfetto_event(p, EVENT_BEGIN, PERFETTO_TRACK(z->track));
	perfetto_srcloc_intern(p, srcloc);
	if (z->name.len == strlen(name) && !memcmp(z->name.data, name, z->name.len))
		pb_value(&p->event, EVENT_NAME_IID, (uint64_t)srcloc + 1);
	else
		pb_string(&p->event, EVENT_NAME, z->name.data, z->name.len);
	if (trace_srcloc_of(p->trace, srcloc)->file[0])
		pb_value(&p->event, EVENT_SOURCE_IID, (uint64_t)srcloc + 1);
	pb_text(&p->event, EVENT_CATEGORY, "zone");
	if (z->text.len)
		annotation_add(p, "text", z->text.data, z->text.len);
	if (z->values.len)
		annotation_add(p, "values", z->values.data, z->values.len);
	if (z->color) {
		trace_color_text(z->color, text);
		annotation_add(p, "color", text, strlen(text));
	}
	if (z->zone.flags & TRACE_ZONE_UNFINISHED)
		annotation_number_add(p, "unfinished", 1);
	if (z->zone.flags & TRACE_ZONE_END_LOST)
		annotation_number_add(p, "end_lost", 1);
	if (p->ends.n)
		flows_add(p, z);
	if (p->calls.n && op_zone_is_op(z->name.data, z->name.len))
		perfetto_calls_add(p, p->trace->tracks[z->track].process,
				   trace_ns(p->trace, z->zone.start) - p->origin);
	return perfetto_packet(p, perfetto_ns(p, z->zone.start), PACKET_TRACK_EVENT);
}

static int slices_write(struct perfetto *p)
{
	struct view_zones *stream;
	struct view_zone *z;
	uint64_t n = 0;
	int r = view_zones_open(&stream, p->trace, p->filter, false);

	if (r < 0)
		return r;
	while ((r = view_zones_next(stream, &z)) > 0) {
		struct perfetto_open *open = &p->open[z->track];

		r = vec_reserve(open, open->n + 1);
		while (r == 0 && open->n && open->v[open->n - 1] <= z->zone.start)
			r = slice_end(p, z->track);
		if (r == 0)
			r = slice_begin(p, z);
		if (r < 0)
			break;
		/* A zone ends in its parent, also where a part of a damaged file is missing. */
		open->v[open->n] = open->n && open->v[open->n - 1] < z->zone.end
					   ? open->v[open->n - 1]
					   : z->zone.end;
		open->n++;
		files_progress(p->progress, ++n, p->trace->zones);
	}
	view_zones_close(stream);
	for (uint32_t i = 0; i < p->trace->track_count && r == 0; i++)
		while (r == 0 && p->open[i].n)
			r = slice_end(p, i);
	return r;
}

/* Finds the zones of all ends of flows. */
static int flow_ends_find(struct perfetto *p)
{
	struct view_flows flows = {0};
	int r = view_flows_read(&flows, p->trace);

	for (size_t i = 0; i < flows.n && r >= 0; i++) {
		struct view_flow_place place;

		r = view_flow_zone(p->trace, &flows.v[i], &place);
		if (r > 0)
			r = vec_push(&p->ends, ((struct perfetto_end){
						       .lane = place.lane,
						       .start = place.zone.start,
						       .flow = PERFETTO_FLOW(flows.v[i].flow),
						       .last = flows.v[i].step == TRACE_FLOW_END}));
	}
	view_flows_free(&flows);
	return r < 0 ? r : 0;
}

/* -------------------------------------------------------------------- rows */

static int instant_write(struct perfetto *p, const struct trace_row *row, const char *name,
			 size_t len)
{
	pb_string(&p->event, EVENT_NAME, name, len);
	pb_text(&p->event, EVENT_CATEGORY, trace_row_kind_name(row->kind));
	return perfetto_packet(p, perfetto_ns(p, row->time), PACKET_TRACK_EVENT);
}

/* On the thread's track, or that of messages; else on that of the process. */
static uint64_t instant_track(const struct perfetto *p, const struct trace_row *row, uint32_t track)
{
	const uint32_t owner = row_owner(p->trace, row, track);
	const uint32_t kind = p->trace->tracks[owner].kind;

	return kind <= TRACE_CORE || kind == TRACE_MESSAGES ? PERFETTO_TRACK(owner)
							    : process_uuid(p, owner);
}

static int message_write(void *context, const struct trace_row *row, uint32_t track)
{
	struct perfetto *p = context;
	const char *severity = trace_severity_name(row->a);

	perfetto_event(p, EVENT_INSTANT, instant_track(p, row, track));
	if (row->kind == TRACE_ROW_MESSAGE)
		annotation_add(p, "severity", severity, strlen(severity));
	return instant_write(p, row, row->text, row->text_len);
}

static int loss_write(void *context, const struct trace_row *row, uint32_t track)
{
	struct perfetto *p = context;
	const char *reason = trace_loss_name(row->a);

	perfetto_event(p, EVENT_INSTANT, instant_track(p, row, track));
	annotation_add(p, "reason", reason, strlen(reason));
	annotation_number_add(p, "zones", row->b);
	annotation_number_add(p, "others", row->c);
	return instant_write(p, row, "lost", 4);
}

static int counter_write(void *context, const struct trace_row *row, uint32_t track, double value)
{
	struct perfetto *p = context;

	if (!isfinite(value))
		return 0;
	perfetto_event(p, EVENT_VALUE, PERFETTO_TRACK(track));
	if (row->kind == TRACE_ROW_PLOT_INT)
		pb_value(&p->event, EVENT_COUNTER, row->a);
	else
		pb_double(&p->event, EVENT_DOUBLE_COUNTER, value);
	return perfetto_packet(p, perfetto_ns(p, row->time), PACKET_TRACK_EVENT);
}

/* Spans with one id have a track of their own. */
static int span_write(void *context, const struct row_span *span)
{
	struct perfetto *p = context;
	const uint64_t key = span->id << 1 | (span->category[0] == 'f');
	const uint32_t *known = map_get(&p->spans, key);
	uint32_t number = known ? *known : ++p->span_count;
	int r = 0;

	if (!known) {
		char text[64], name[300];

		r = map_set(&p->spans, key, number);
		snprintf(name, sizeof(name), "%s %s", span->name,
			 span->category[0] == 'f'
				 ? ""
				 : trace_track_name(p->trace, span->track, text, sizeof(text)));
		buf_reset(&p->event);
		if (r == 0)
			r = perfetto_track(p, PERFETTO_SPAN(number), process_uuid(p, span->track),
					   name);
	}
	if (r < 0)
		return r;
	perfetto_event(p, EVENT_BEGIN, PERFETTO_SPAN(number));
	pb_text(&p->event, EVENT_NAME, span->name);
	pb_text(&p->event, EVENT_CATEGORY, span->category);
	r = perfetto_packet(p, perfetto_ns(p, span->start), PACKET_TRACK_EVENT);
	perfetto_event(p, EVENT_END, PERFETTO_SPAN(number));
	return r < 0 ? r : perfetto_packet(p, perfetto_ns(p, span->end), PACKET_TRACK_EVENT);
}

/* -------------------------------------------------------------------- file */

static int perfetto_write(struct perfetto *p)
{
	const struct row_events events = {.context = p,
					  .message = message_write,
					  .loss = loss_write,
					  .counter = counter_write,
					  .span = span_write,
					  .sample = perfetto_sample};
	int r = tracks_write(p);

	if (r == 0)
		r = perfetto_ops(p);
	if (r == 0)
		r = flow_ends_find(p);
	if (p->ends.n)
		qsort(p->ends.v, p->ends.n, sizeof(*p->ends.v), ends_compare);
	if (r == 0)
		r = slices_write(p);
	if (r == 0)
		r = perfetto_samples_open(p);
	if (r == 0)
		r = row_events_walk(p->trace, p->filter, &events);
	return r < 0 ? r : perfetto_flush(p, 0);
}

int files_perfetto(FILE *out, struct trace *trace, const struct view_filter *filter,
		   struct progress *progress)
{
	struct perfetto p = {.out = out,
			     .trace = trace,
			     .filter = filter,
			     .progress = progress,
			     .text = BUF_INIT,
			     .event = BUF_INIT,
			     .interned = BUF_INIT,
			     .inner = BUF_INIT,
			     .part = BUF_INIT};
	int r = export_ids(trace, &p.pids, &p.tids);

	if (trace->clock_point_count)
		p.offset = trace->clock_points[0].monotonic_ns -
			   trace_ns(trace, trace->clock_points[0].ticks);
	if (trace_ns(trace, trace->start) + p.offset < 0)
		p.offset = -trace_ns(trace, trace->start);
	if (trace_property(trace, TRACE_ORIGIN))
		p.origin = trace_ns(trace, strtoull(trace_property(trace, TRACE_ORIGIN), NULL, 10));
	p.srclocs = calloc(trace->srcloc_count + 1, 1);
	p.open = calloc(trace->track_count + 1, sizeof(*p.open));
	if (r == 0)
		r = p.srclocs && p.open ? perfetto_write(&p) : TACHO_ENOMEM;
	for (uint32_t i = 0; p.open && i < trace->track_count; i++)
		vec_free(&p.open[i]);
	perfetto_samples_close(&p);
	vec_free(&p.ends);
	vec_free(&p.calls);
	map_free(&p.spans);
	free(p.open);
	free(p.srclocs);
	free(p.pids);
	free(p.tids);
	buf_free(&p.text);
	buf_free(&p.event);
	buf_free(&p.interned);
	buf_free(&p.inner);
	buf_free(&p.part);
	return r;
}
