/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chrome's trace event format, as Perfetto reads it. Times are microseconds with three decimals; a
 * start and an end are rounded down to nanoseconds alike, so nesting survives. Zones are complete
 * events (X), messages and losses instants (i), plots and memory counters (C), frames and locks
 * asynchronous spans (b, e). Order in the file does not matter to readers: zones come first.
 */
#include "base/fmt.h"
#include "export/files.h"
#include "op/message_text.h"
#include "trace/names.h"
#include "view/frame_spans.h"
#include "view/lock_spans.h"
#include "view/memory_pool.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Above what Linux gives to processes and threads: ids of those that have none, or not their own.
 */
#define MADE_UP_ID 10000000u
#define FLUSH_SIZE (64u << 10)

struct chrome {
	FILE *out;
	struct trace *trace;
	const struct view_filter *filter;
	struct progress *progress;
	struct buf text;
	struct json json;
	uint32_t *pids, *tids; /* by process, by track */
	union fold *folds;     /* by track */
};

union fold {
	struct view_frames frames;
	struct view_lock lock;
	struct view_pool pool;
};

/* --------------------------------------------------------------------- ids */

struct id {
	uint32_t group, index;
	uint64_t wanted;
};

static int chrome_ids_compare(const void *a, const void *b)
{
	const struct id *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->wanted != y->wanted)
		return x->wanted < y->wanted ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* The first that wants an id gets it; who comes later (a reused pid or tid) gets a made-up one. */
static uint32_t *chrome_assign(struct id *ids, uint32_t n)
{
	uint32_t *given = calloc(n + 1, sizeof(*given));

	if (!given)
		return NULL;
	qsort(ids, n, sizeof(*ids), chrome_ids_compare);
	for (uint32_t i = 0; i < n; i++) {
		bool taken =
			i && ids[i - 1].group == ids[i].group && ids[i - 1].wanted == ids[i].wanted;
		bool fits = ids[i].wanted > 0 && ids[i].wanted < MADE_UP_ID;

		given[ids[i].index] =
			fits && !taken ? (uint32_t)ids[i].wanted : MADE_UP_ID + ids[i].index;
	}
	return given;
}

static int assign_ids(struct chrome *c)
{
	const struct trace *t = c->trace;
	uint32_t most = t->process_count > t->track_count ? t->process_count : t->track_count;
	struct id *ids = calloc(most + 1, sizeof(*ids));

	if (!ids)
		return TACHO_ENOMEM;
	for (uint32_t i = 0; i < t->process_count; i++)
		ids[i] = (struct id){.index = i, .wanted = t->processes[i].pid};
	c->pids = chrome_assign(ids, t->process_count);
	for (uint32_t i = 0; i < t->track_count; i++)
		ids[i] = (struct id){
			.group = t->tracks[i].process,
			.index = i,
			.wanted = t->tracks[i].kind == TRACE_THREAD ? t->tracks[i].id : 0,
		};
	c->tids = chrome_assign(ids, t->track_count);
	free(ids);
	return c->pids && c->tids ? 0 : TACHO_ENOMEM;
}

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

static uint32_t row_owner(const struct chrome *c, const struct trace_row *row, uint32_t track)
{
	return row->thread < c->trace->track_count ? row->thread : track;
}

static int write_message(struct chrome *c, const struct trace_row *row, uint32_t track)
{
	event_at(c, "i", row_owner(c, row, track), row->text, row->text_len, row->time);
	json_text(&c->json, "s", row->thread < c->trace->track_count ? "t" : "p");
	json_text(&c->json, "cat", trace_row_kind_name(row->kind));
	if (row->kind == TRACE_ROW_MESSAGE) {
		json_object(&c->json, "args");
		json_text(&c->json, "severity", trace_severity_name(row->a));
		json_end(&c->json);
	}
	return chrome_event_end(c);
}

static int write_op_record(struct chrome *c, const struct trace_row *row, uint32_t track)
{
	struct trace_row message = *row;
	struct buf text = BUF_INIT;
	int r = op_row_message(&message, &text);

	if (r == 0)
		r = write_message(c, &message, track);
	buf_free(&text);
	return r;
}

static int write_loss(struct chrome *c, const struct trace_row *row, uint32_t track)
{
	event_at(c, "i", row_owner(c, row, track), "lost", 4, row->time);
	json_text(&c->json, "s", "t");
	json_text(&c->json, "cat", "loss");
	json_object(&c->json, "args");
	json_text(&c->json, "reason", trace_loss_name(row->a));
	json_int(&c->json, "zones", (int64_t)row->b);
	json_int(&c->json, "others", (int64_t)row->c);
	json_end(&c->json);
	return chrome_event_end(c);
}

static int write_counter(struct chrome *c, const struct trace_row *row, uint32_t track,
			 double value)
{
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

static int write_memory(struct chrome *c, const struct trace_row *row, uint32_t track)
{
	int r = view_pool_row(&c->folds[track].pool, row);

	return r < 0 ? r : write_counter(c, row, track, (double)c->folds[track].pool.bytes);
}

/* A span beside the threads. Spans with one ID must not overlap. */
static int write_span(struct chrome *c, uint32_t track, const char *category, uint64_t id,
		      const char *name, uint64_t start, uint64_t end)
{
	char text[32];
	int r = 0;

	snprintf(text, sizeof(text), "0x%" PRIx64, id);
	for (int i = 0; i < 2 && r == 0; i++) {
		event_at(c, i ? "e" : "b", track, name, strlen(name), i ? end : start);
		json_text(&c->json, "cat", category);
		json_text(&c->json, "id", text);
		r = chrome_event_end(c);
	}
	return r;
}

static int write_frame(struct chrome *c, const struct trace_row *row, uint32_t track)
{
	struct view_frames *f = &c->folds[track].frames;
	struct view_frame frame;
	char text[64];

	f->pairs = c->trace->tracks[track].format == 1;
	if (!view_frames_row(f, row, &frame))
		return 0;
	/* Pairs may overlap, marks cannot. */
	return write_span(
		c, track, "frame", f->pairs ? (uint64_t)track << 32 | (frame.number + 1) : track,
		trace_track_name(c->trace, track, text, sizeof(text)), frame.start, frame.end);
}

struct lock_spans {
	struct chrome *chrome;
	uint32_t track; /* of the lock */
};

static int write_lock_span(void *context, const struct view_lock_span *span)
{
	const struct lock_spans *l = context;
	struct chrome *c = l->chrome;
	uint32_t owner = span->thread < c->trace->track_count ? span->thread : l->track;
	char text[64], name[200];

	if (!span->ended)
		return 0;
	snprintf(name, sizeof(name), "%s: %s",
		 trace_track_name(c->trace, l->track, text, sizeof(text)),
		 span->held ? "held" : "wait");
	return write_span(c, owner, "lock", ((uint64_t)l->track << 32 | owner) << 1 | span->held,
			  name, span->start, span->end);
}

static int write_lock(struct chrome *c, const struct trace_row *row, uint32_t track)
{
	return view_lock_row(&c->folds[track].lock, row, write_lock_span,
			     &(struct lock_spans){c, track});
}

static int write_plot(struct chrome *c, const struct trace_row *row, uint32_t track)
{
	return write_counter(c, row, track, trace_plot_value(row));
}

/* Folds belong to one kind of track: a row on any other is a file's mistake and passed over. */
static int chrome_row_write(struct chrome *c, const struct trace_row *row, uint32_t track)
{
	static const struct {
		int (*write)(struct chrome *, const struct trace_row *, uint32_t);
		uint32_t kind; /* of the track; TRACE_TRACK_KINDS = any */
	} writers[TRACE_ROW_KINDS] = {
		[TRACE_ROW_MESSAGE] = {write_message, TRACE_TRACK_KINDS},
		[TRACE_ROW_APP_INFO] = {write_message, TRACE_TRACK_KINDS},
		[TRACE_ROW_NOTE] = {write_message, TRACE_TRACK_KINDS},
		[TRACE_ROW_OP] = {write_op_record, TRACE_MESSAGES},
		[TRACE_ROW_OP_TRACE] = {write_op_record, TRACE_MESSAGES},
		[TRACE_ROW_LOSS] = {write_loss, TRACE_TRACK_KINDS},
		[TRACE_ROW_PLOT_INT] = {write_plot, TRACE_PLOT},
		[TRACE_ROW_PLOT_REAL] = {write_plot, TRACE_PLOT},
		[TRACE_ROW_FRAME] = {write_frame, TRACE_FRAMES},
		[TRACE_ROW_ALLOC] = {write_memory, TRACE_MEMORY},
		[TRACE_ROW_FREE] = {write_memory, TRACE_MEMORY},
		[TRACE_ROW_LOCK] = {write_lock, TRACE_LOCK},
	};

	if (row->kind >= TRACE_ROW_KINDS || !writers[row->kind].write)
		return 0;
	if (writers[row->kind].kind != TRACE_TRACK_KINDS &&
	    writers[row->kind].kind != c->trace->tracks[track].kind)
		return 0;
	return writers[row->kind].write(c, row, track);
}

static int chrome_rows_write(struct chrome *c)
{
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t track;
	int r = trace_rows_open(&rows, c->trace, TRACE_NONE, c->filter->in.t0, c->filter->in.t1);

	if (r < 0)
		return r;
	while ((r = trace_rows_next(rows, &row, &track)) > 0) {
		if (!view_takes(c->filter, track, row.thread))
			continue;
		r = chrome_row_write(c, &row, track);
		if (r < 0)
			break;
	}
	trace_rows_close(rows);
	return r;
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
	int r = assign_ids(&c);

	c.folds = calloc(trace->track_count + 1, sizeof(*c.folds));
	if (r == 0 && !c.folds)
		r = TACHO_ENOMEM;
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
		r = chrome_rows_write(&c);
	if (r == 0) {
		json_end(&c.json);
		json_end(&c.json);
		r = chrome_flush(&c, 0);
	}
	for (uint32_t i = 0; c.folds && i < c.trace->track_count; i++) {
		if (c.trace->tracks[i].kind == TRACE_LOCK)
			view_lock_free(&c.folds[i].lock);
		else if (c.trace->tracks[i].kind == TRACE_MEMORY)
			view_pool_free(&c.folds[i].pool);
	}
	free(c.folds);
	free(c.pids);
	free(c.tids);
	buf_free(&c.text);
	return r;
}
