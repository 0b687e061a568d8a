/* SPDX-License-Identifier: Apache-2.0 */
/* Read zones with their names, texts, values and self times. */
#include "view/zone_stream.h"
#include "base/fmt.h"
#include "trace/names.h"

#include <stdlib.h>
#include <string.h>

/* The lane below a lane, read beside it to find the time of the zones directly inside. */
struct below {
	struct trace_cursor *cursor;
	struct trace_zone next;
	bool opened;
};

struct view_zones {
	struct trace *trace;
	const struct view_filter *filter;
	struct trace_walk *walk;
	struct below *below; /* one per lane; NULL when self is not asked for */
	struct view_zone zone;
};

bool view_takes(const struct view_filter *f, uint32_t track, uint32_t thread)
{
	if (!f->in.tracks)
		return true;
	return f->in.tracks[track] && (thread == TRACE_NONE || f->in.tracks[thread]);
}

/* The only track with zones that the filter takes, or TRACE_NONE if there are several. */
static uint32_t single_track(const struct trace *trace, const struct view_filter *f)
{
	uint32_t found = TRACE_NONE;

	for (uint32_t i = 0; f->in.tracks && i < trace->lane_count; i++) {
		uint32_t track = trace->lanes[i].track;

		if (!f->in.tracks[track] || track == found)
			continue;
		if (found != TRACE_NONE)
			return TRACE_NONE;
		found = track;
	}
	return found;
}

int view_zones_open(struct view_zones **stream, struct trace *trace,
		    const struct view_filter *filter, bool self)
{
	struct view_zones *s = calloc(1, sizeof(*s));
	int r = TACHO_ENOMEM;

	if (!s)
		return r;
	s->trace = trace;
	s->filter = filter;
	s->zone.name = s->zone.text = s->zone.values = (struct buf)BUF_INIT;
	if (self) {
		s->below = calloc(trace->lane_count + 1, sizeof(*s->below));
		if (!s->below)
			goto out;
	}
	r = trace_walk_open(&s->walk, trace, single_track(trace, filter), filter->in.t0,
			    filter->in.t1);
out:
	if (r < 0)
		view_zones_close(s);
	else
		*stream = s;
	return r;
}

void view_zones_close(struct view_zones *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; s->below && i < s->trace->lane_count; i++)
		if (s->below[i].cursor)
			trace_cursor_close(s->below[i].cursor);
	free(s->below);
	if (s->walk)
		trace_walk_close(s->walk);
	buf_free(&s->zone.name);
	buf_free(&s->zone.text);
	buf_free(&s->zone.values);
	free(s);
}

static int below_advance(struct below *b)
{
	int r = trace_cursor_next(b->cursor, &b->next);

	if (r <= 0) {
		trace_cursor_close(b->cursor);
		b->cursor = NULL;
	}
	return r;
}

/* Zones of a lane come in order, and so do those below: each is read once. */
static int zone_stream_self_add(struct view_zones *s, struct view_zone *z)
{
	const struct trace_lane_info *lanes = s->trace->lanes;
	uint32_t child = z->lane + 1;
	uint64_t inside = 0, length = z->zone.end - z->zone.start;
	struct below *b = &s->below[child];
	int r = 0;

	z->self = length;
	if (child >= s->trace->lane_count || lanes[child].track != z->track ||
	    lanes[child].depth != lanes[z->lane].depth + 1)
		return 0;
	if (!b->opened) {
		b->opened = true;
		r = trace_cursor_open(&b->cursor, s->trace, child, z->zone.start, UINT64_MAX);
		if (r == 0)
			r = below_advance(b);
	}
	while (r >= 0 && b->cursor && b->next.end <= z->zone.end) {
		if (b->next.start >= z->zone.start)
			inside += b->next.end - b->next.start;
		r = below_advance(b);
	}
	z->self = inside < length ? length - inside : 0;
	return r < 0 ? r : 0;
}

static void add_joined(struct buf *b, char separator, const char *text, size_t len)
{
	if (b->len)
		buf_addc(b, separator);
	buf_add(b, text, len);
}

static int add_extras(struct view_zones *s, struct view_zone *z)
{
	struct trace_cursor *cursor = trace_walk_cursor(s->walk);
	struct trace_extra extra;
	char digits[FMT_SIZE];
	int r;

	for (uint32_t i = 0; i < z->zone.extras; i++) {
		r = trace_cursor_extra(cursor, i, &extra);
		if (r < 0)
			return r;
		switch (extra.kind) {
		case TRACE_EXTRA_NAME:
			buf_reset(&z->name);
			buf_add(&z->name, extra.text, extra.len);
			break;
		case TRACE_EXTRA_TEXT:
			add_joined(&z->text, '\n', extra.text, extra.len);
			break;
		case TRACE_EXTRA_COLOR:
			z->color = (uint32_t)extra.value;
			break;
		case TRACE_EXTRA_VALUE:
			fmt_uint(digits, extra.value);
			add_joined(&z->values, ' ', digits, strlen(digits));
			break;
		}
	}
	return z->name.failed || z->text.failed || z->values.failed ? TACHO_ENOMEM : 0;
}

/* Fields that need no attachments. */
static bool may_take(const struct view_zones *s, const struct view_zone *z)
{
	const struct view_filter *f = s->filter;

	if (f->in.tracks && !f->in.tracks[z->track])
		return false;
	if (!f->overlap && z->zone.start < f->in.t0)
		return false;
	if (z->zone.end - z->zone.start < f->min_duration)
		return false;
	return !f->in.srclocs || f->in.srclocs[z->zone.srcloc] || (f->name && z->zone.extras);
}

static int zone_stream_fill(struct view_zones *s, struct view_zone *z)
{
	uint32_t srcloc = z->zone.srcloc;
	bool by_name;
	int r;

	z->self = 0;
	z->color = trace_srcloc_of(s->trace, srcloc)->color;
	buf_reset(&z->name);
	buf_reset(&z->text);
	buf_reset(&z->values);
	r = add_extras(s, z);
	if (r < 0)
		return r;
	by_name = z->name.len > 0;
	if (!by_name && buf_adds(&z->name, trace_srcloc_name(s->trace, srcloc)) < 0)
		return TACHO_ENOMEM;
	if (s->filter->in.srclocs && !s->filter->in.srclocs[srcloc] &&
	    !(by_name && pattern_match(s->filter->name, z->name.data)))
		return 0;
	r = s->below ? zone_stream_self_add(s, z) : 0;
	return r < 0 ? r : 1;
}

int view_zones_next(struct view_zones *s, struct view_zone **zone)
{
	struct view_zone *z = &s->zone;
	int r;

	while ((r = trace_walk_next(s->walk, &z->zone, &z->lane)) > 0) {
		z->track = s->trace->lanes[z->lane].track;
		if (!may_take(s, z))
			continue;
		r = zone_stream_fill(s, z);
		if (r == 0)
			continue;
		*zone = z;
		return r;
	}
	return r;
}

/* ------------------------------------------------------------------- table */

void view_zone_table(struct table *t, FILE *out, const struct table_style *style)
{
	static const struct table_column columns[] = {
		{"start_ns", "start", TABLE_NS},      {"duration_ns", "duration", TABLE_NS},
		{"self_ns", "self", TABLE_NS},        {"pid", NULL, TABLE_ID},
		{"process", "process", TABLE_STRING}, {"tid", NULL, TABLE_ID},
		{"thread", "thread", TABLE_STRING},   {"depth", NULL, TABLE_ID},
		{"name", "name", TABLE_STRING},       {"function", NULL, TABLE_STRING},
		{"file", NULL, TABLE_STRING},         {"line", NULL, TABLE_ID},
		{"color", NULL, TABLE_STRING},        {"state", NULL, TABLE_STRING},
		{"values", NULL, TABLE_STRING},       {"text", NULL, TABLE_STRING},
		{NULL, "details", TABLE_STRING},
	};

	table_open(t, out, style, TABLE_COLUMNS(columns));
}

int view_zone_row(struct table *t, const struct trace *trace, const struct view_zone *z)
{
	const struct trace_track *track = &trace->tracks[z->track];
	const struct trace_process *process = trace_process_of(trace, z->track);
	const struct trace_srcloc *srcloc = trace_srcloc_of(trace, z->zone.srcloc);
	char text[64];
	const char *state = trace_zone_state(z->zone.flags);
	struct buf details = BUF_INIT;

	table_real(t, (double)trace_ns(trace, z->zone.start));
	table_real(t, trace_duration_ns(trace, z->zone.start, z->zone.end));
	table_real(t, trace_duration_ns(trace, z->zone.start, z->zone.start + z->self));
	table_uint(t, process->pid);
	table_text(t, process->name);
	table_uint(t, track->id);
	table_text(t, trace_track_name(trace, z->track, text, sizeof(text)));
	table_uint(t, trace->lanes[z->lane].depth);
	table_string(t, z->name.data, z->name.len);
	table_text(t, srcloc->function);
	table_text(t, srcloc->file);
	table_uint(t, srcloc->line);
	table_text(t, trace_color_text(z->color, text));
	table_text(t, state);
	table_string(t, z->values.data, z->values.len);
	table_string(t, z->text.data, z->text.len);
	/* In text: what few zones have shares a column. */
	if (state[0])
		buf_addf(&details, "(%s)", state);
	if (z->values.len)
		add_joined(&details, ' ', z->values.data, z->values.len);
	if (z->text.len)
		add_joined(&details, ' ', z->text.data, z->text.len);
	table_string(t, details.data, details.len);
	buf_free(&details);
	return table_row(t);
}
