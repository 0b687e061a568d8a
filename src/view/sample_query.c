/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of calls about samples; the profile of a trace, which each handle reads once. */
#include "view/sample_query.h"

#include "base/now.h"

#include <math.h>
#include <string.h>

#define REST 9.0  /* a profile of a recording is reused for this many times the time it took */
#define OLD  30.0 /* seconds at most */

void profile_forget(struct view_handle *h)
{
	profile_close(h->profile);
	h->profile = NULL;
}

int profile_cached(struct view_call *c, struct profile **p)
{
	struct view_handle *h = c->handle;
	uint64_t known = trace_known(c->trace);
	double begin = now_seconds();

	if (h->profile && h->profile_known != known && begin >= h->profile_good)
		profile_forget(h);
	if (!h->profile) {
		int r = profile_open(&h->profile, c->trace, NULL);
		double end = now_seconds();

		if (r < 0)
			return r;
		h->profile_known = known;
		h->profile_good = end + fmin(REST * (end - begin), OLD);
	}
	*p = h->profile;
	return 0;
}

/* "lane" and "idx": only the time inside of this zone. */
static int arg_zone(struct view_call *c, struct sample_query *q, uint32_t *srcloc)
{
	struct trace_cursor *cursor;
	struct trace_zone zone;
	uint32_t lane, track;
	uint64_t index;
	int r = arg_lane(c, &lane);

	if (r == 0)
		r = arg_need(c, "idx", INT64_MAX, &index);
	if (r == 0)
		r = trace_cursor_open_at(&cursor, c->trace, lane, index);
	if (r < 0)
		return r;
	r = trace_cursor_next(cursor, &zone);
	trace_cursor_close(cursor);
	if (r <= 0)
		return r < 0 ? r : call_fail(c, VIEW_MISSING, "there is no such zone");
	track = c->trace->lanes[lane].track;
	q->tracks = calloc(c->trace->track_count + 1, 1);
	if (!q->tracks)
		return TACHO_ENOMEM;
	q->tracks[track] = 1;
	q->filter.t0 = zone.start > q->filter.t0 ? zone.start : q->filter.t0;
	q->filter.t1 = zone.end < q->filter.t1 ? zone.end : q->filter.t1;
	q->filter.level = c->trace->lanes[lane].depth + 1;
	*srcloc = zone.srcloc;
	return 0;
}

static int arg_inside(struct view_call *c, struct sample_query *q)
{
	bool one = query_get(c->query, "lane") != NULL;
	uint64_t name = 0;
	uint32_t srcloc;
	int named = one ? 0 : arg_uint(c, "name", UINT32_MAX, &name), r = named;

	srcloc = (uint32_t)name;
	if (one)
		r = arg_zone(c, q, &srcloc);
	else if (r >= 0)
		r = arg_tracks(c, &q->tracks);
	if (r < 0 || (!one && !named))
		return r;
	if (srcloc >= c->trace->srcloc_count)
		return call_fail(c, VIEW_MISSING, "there is no such name");
	q->zones = calloc(c->trace->srcloc_count + 1, 1);
	if (!q->zones)
		return TACHO_ENOMEM;
	q->zones[srcloc] = 1;
	return 0;
}

int sample_query_open(struct view_call *c, const char *const keys[2], struct sample_query *q)
{
	bool off = false;
	int r;

	*q = (struct sample_query){.filter = {.t1 = UINT64_MAX}};
	r = arg_range_of(c, keys, &q->filter.t0, &q->filter.t1);
	if (r == 0)
		r = arg_bool(c, "off", &off);
	if (r >= 0)
		r = arg_bool(c, "self", &q->filter.self);
	if (r >= 0)
		r = arg_inside(c, q);
	if (r == 0)
		r = profile_cached(c, &q->p);
	q->filter.what = off ? PROFILE_OFF_CPU : PROFILE_CPU;
	q->filter.tracks = q->tracks;
	q->filter.zones = q->zones;
	return r;
}

void sample_query_close(struct sample_query *q)
{
	free(q->tracks);
	free(q->zones);
}

void sample_frame_put(struct json *j, const struct profile *p, const struct profile_frame *f)
{
	const struct profile_function *fn = &p->functions.v[f->function];

	json_cut(j, "name", fn->name, strlen(fn->name), VIEW_TEXT);
	json_text(j, "library", fn->special ? "" : p->modules.v[fn->module].name);
	json_cut(j, "file", f->file, strlen(f->file), VIEW_TEXT);
	json_uint(j, "line", f->line);
}

void sample_stack_put(struct json *j, const char *key, const struct profile *p, uint32_t node)
{
	if (!node || node >= p->nodes.n) {
		json_null(j, key);
		return;
	}
	json_array(j, key);
	for (; node; node = p->nodes.v[node].parent) {
		uint32_t first, count;

		profile_frames(p, node, &first, &count);
		for (uint32_t i = 0; i < count; i++) {
			json_object(j, NULL);
			sample_frame_put(j, p, &p->frames.v[first + i]);
			json_bool(j, "inlined", i + 1 < count);
			json_end(j);
		}
	}
	json_end(j);
}
