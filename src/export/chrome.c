/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chrome's trace event format, as Perfetto reads it. Times are microseconds with three decimals; a
 * start and an end are rounded down to nanoseconds alike, so nesting survives. Zones are complete
 * events (X), messages and losses instants (i), plots and memory counters (C), frames and locks
 * asynchronous spans (b, e), flows arrows (s, t, f). Order in the file does not matter to readers:
 * zones come first.
 */
#include "base/fmt.h"
#include "export/files.h"
#include "export/row_events.h"
#include "trace/names.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FLUSH_SIZE (64u << 10)

struct chrome {
	FILE *out;
	struct trace *trace;
	const struct view_filter *filter;
	struct progress *progress;
	struct buf text;
	struct json json;
	uint32_t *pids, *tids; /* by process, by track */
};

/* ------------------------------------------------------------------ events */

static int chrome_flush(struct chrome *c, size_t above)
{
	if (c->text.failed)
		return TACHO_ENOMEM;
	if (c->text.len < above)
		return 0;
	if (fwrite(c->text.data, 1, c->text.len, c->out) != c->text.len)
		return TACHO_EWRITE;
	buf_reset(&c->text);
	return 0;
}

static void add_us(struct chrome *c, const char *key, int64_t ns)
{
	uint64_t n = ns > 0 ? (uint64_t)ns : 0;
	char digits[FMT_SIZE];
	size_t len = strlen(fmt_uint(digits, n / 1000));

	digits[len] = '.';
	fmt_uint(digits + len + 1, 1000 + n % 1000);
	memmove(digits + len + 1, digits + len + 2, 4);
	json_number(&c->json, key, digits);
}

static int chrome_event_end(struct chrome *c)
{
	json_end(&c->json);
	return chrome_flush(c, FLUSH_SIZE);
}

static void event_at(struct chrome *c, const char *phase, uint32_t track, const char *name,
		     size_t len, uint64_t ticks)
{
	uint32_t process = c->trace->tracks[track].process;

	json_object(&c->json, NULL);
	json_text(&c->json, "ph", phase);
	json_int(&c->json, "pid", process < c->trace->process_count ? c->pids[process] : 0);
	json_int(&c->json, "tid", c->tids[track]);
	json_string(&c->json, "name", name, len);
	add_us(c, "ts", trace_ns(c->trace, ticks));
}

/* ---------------------------------------------------------------- metadata */

static void add_metadata(struct chrome *c, const char *what, uint32_t pid, uint32_t tid,
			 const char *key, const char *value)
{
	json_object(&c->json, NULL);
	json_text(&c->json, "ph", "M");
	json_text(&c->json, "name", what);
	json_int(&c->json, "pid", pid);
	json_int(&c->json, "tid", tid);
	json_object(&c->json, "args");
	json_text(&c->json, key, value);
	json_end(&c->json);
	json_end(&c->json);
}

static int write_metadata(struct chrome *c)
{
	const struct trace *t = c->trace;
	char text[64];
	int r = 0;

	for (uint32_t i = 0; i < t->process_count && r == 0; i++) {
		const struct trace_process *p = &t->processes[i];

		add_metadata(c, "process_name", c->pids[i], c->pids[i], "name", p->name);
		if (p->command[0])
			add_metadata(c, "process_labels", c->pids[i], c->pids[i], "labels",
				     p->command);
		r = chrome_flush(c, FLUSH_SIZE);
	}
	for (uint32_t i = 0; i < t->track_count && r == 0; i++) {
		uint32_t process = t->tracks[i].process;

		if (t->tracks[i].kind > TRACE_CORE || !view_takes(c->filter, i, TRACE_NONE))
			continue;
		add_metadata(c, "thread_name", process < t->process_count ? c->pids[process] : 0,
			     c->tids[i], "name", trace_track_name(t, i, text, sizeof(text)));
		r = chrome_flush(c, FLUSH_SIZE);
	}
	return r;
}

/* ------------------------------------------------------------------- zones */

static void add_zone_args(struct chrome *c, const struct view_zone *z)
{
	const struct trace_srcloc *s = trace_srcloc_of(c->trace, z->zone.srcloc);
	char text[FMT_SIZE];

	json_object(&c->json, "args");
	if (s->file[0]) {
		json_text(&c->json, "file", s->file);
		json_int(&c->json, "line", s->line);
	}
	if (s->function[0])
		json_text(&c->json, "function", s->function);
	if (z->text.len)
		json_string(&c->json, "text", z->text.data, z->text.len);
	if (z->values.len)
		json_string(&c->json, "values", z->values.data, z->values.len);
	if (z->color)
		json_text(&c->json, "color", trace_color_text(z->color, text));
	if (z->zone.flags & TRACE_ZONE_UNFINISHED)
		json_bool(&c->json, "unfinished", true);
	if (z->zone.flags & TRACE_ZONE_END_LOST)
		json_bool(&c->json, "end_lost", true);
	json_end(&c->json);
}

static int write_zones(struct chrome *c)
{
	struct view_zones *stream;
	struct view_zone *z;
	uint64_t n = 0;
	int r = view_zones_open(&stream, c->trace, c->filter, false);

	if (r < 0)
		return r;
	while ((r = view_zones_next(stream, &z)) > 0) {
		event_at(c, "X", z->track, z->name.data, z->name.len, z->zone.start);
		add_us(c, "dur",
		       trace_ns(c->trace, z->zone.end) - trace_ns(c->trace, z->zone.start));
		json_text(&c->json, "cat", "zone");
		add_zone_args(c, z);
		r = chrome_event_end(c);
		if (r < 0)
			break;
		files_progress(c->progress, ++n, c->trace->zones);
	}
	view_zones_close(stream);
	return r;
}

/* -------------------------------------------------------------------- rows */

static int write_message(void *context, const struct trace_row *row, uint32_t track)
{
	struct chrome *c = context;

	event_at(c, "i", row_owner(c->trace, row, track), row->text, row->text_len, row->time);
	json_text(&c->json, "s", row->thread < c->trace->track_count ? "t" : "p");
	json_text(&c->json, "cat", trace_row_kind_name(row->kind));
	if (row->kind == TRACE_ROW_MESSAGE) {
		json_object(&c->json, "args");
		json_text(&c->json, "severity", trace_severity_name(row->a));
		json_end(&c->json);
	}
	return chrome_event_end(c);
}

static int write_loss(void *context, const struct trace_row *row, uint32_t track)
{
	struct chrome *c = context;

	event_at(c, "i", row_owner(c->trace, row, track), "lost", 4, row->time);
	json_text(&c->json, "s", "t");
	json_text(&c->json, "cat", "loss");
	json_object(&c->json, "args");
	json_text(&c->json, "reason", trace_loss_name(row->a));
	json_int(&c->json, "zones", (int64_t)row->b);
	json_int(&c->json, "others", (int64_t)row->c);
	json_end(&c->json);
	return chrome_event_end(c);
}

static int write_counter(void *context, const struct trace_row *row, uint32_t track, double value)
{
	struct chrome *c = context;
	char text[64];
	const char *name = trace_track_name(c->trace, track, text, sizeof(text));

	if (!isfinite(value))
		return 0;
	event_at(c, "C", track, name, strlen(name), row->time);
	json_object(&c->json, "args");
	json_double(&c->json, "value", value);
	json_end(&c->json);
	return chrome_event_end(c);
}

static int write_span(void *context, const struct row_span *span)
{
	struct chrome *c = context;
	char text[32];
	int r = 0;

	snprintf(text, sizeof(text), "0x%" PRIx64, span->id);
	for (int i = 0; i < 2 && r == 0; i++) {
		event_at(c, i ? "e" : "b", span->track, span->name, strlen(span->name),
			 i ? span->end : span->start);
		json_text(&c->json, "cat", span->category);
		json_text(&c->json, "id", text);
		r = chrome_event_end(c);
	}
	return r;
}

/* One end of an arrow: in the zone around it, of an END without "bp" in the next one. */
static int write_flow(void *context, const struct trace_row *row, uint32_t track)
{
	static const char *const phases[TRACE_FLOW_STEPS] = {"s", "t", "f"};
	struct chrome *c = context;
	const char *zero = row->text_len ? memchr(row->text, 0, row->text_len) : NULL;
	size_t len = zero ? (size_t)(zero - row->text) : row->text_len;

	if (row->b >= TRACE_FLOW_STEPS)
		return 0;
	event_at(c, phases[row->b], track, row->text, len, row->time);
	json_string(&c->json, "cat", zero ? zero + 1 : "", zero ? row->text_len - len - 1 : 0);
	json_int(&c->json, "id", (int64_t)row->a);
	if (row->b == TRACE_FLOW_END && !row->c)
		json_text(&c->json, "bp", "e");
	return chrome_event_end(c);
}

/* -------------------------------------------------------------------- file */

int files_chrome(FILE *out, struct trace *trace, const struct view_filter *filter,
		 struct progress *progress)
{
	struct chrome c = {
		.out = out,
		.trace = trace,
		.filter = filter,
		.progress = progress,
		.text = BUF_INIT,
	};
	const struct row_events events = {.context = &c,
					  .message = write_message,
					  .loss = write_loss,
					  .counter = write_counter,
					  .span = write_span,
					  .flow = write_flow};
	int r = export_ids(trace, &c.pids, &c.tids);

	json_init(&c.json, &c.text);
	c.json.flat = 2;
	if (r == 0) {
		json_object(&c.json, NULL);
		json_text(&c.json, "displayTimeUnit", "ns");
		json_object(&c.json, "otherData");
		for (uint32_t i = 0; i < c.trace->property_count; i++)
			json_text(&c.json, c.trace->properties[i].key,
				  c.trace->properties[i].value);
		json_end(&c.json);
		json_array(&c.json, "traceEvents");
		r = write_metadata(&c);
	}
	if (r == 0)
		r = write_zones(&c);
	if (r == 0)
		r = row_events_walk(trace, filter, &events);
	if (r == 0) {
		json_end(&c.json);
		json_end(&c.json);
		r = chrome_flush(&c, 0);
	}
	free(c.pids);
	free(c.tids);
	buf_free(&c.text);
	return r;
}
