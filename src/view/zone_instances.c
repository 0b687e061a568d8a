/* SPDX-License-Identifier: Apache-2.0 */
/* All zones of a name: a list, or groups of them. */
#include "base/map.h"
#include "base/order.h"
#include "base/text.h"
#include "view/call_args.h"
#include "view/lane_numbers.h"
#include "view/zone_walk.h"

#include <string.h>

#define REACH  100000u /* no page begins after this many rows */
#define GROUPS 10000u

struct instance {
	uint64_t start, duration, self, number;
	uint32_t lane;
};

/* The first N of all, by a heap whose top is the last of them. */
struct best {
	struct instance *v;
	size_t n, room;
	bool by_duration, down;
};

static bool zone_instances_is_sooner(const struct best *b, const struct instance *x,
				     const struct instance *y)
{
	uint64_t p = b->by_duration ? x->duration : x->start;
	uint64_t q = b->by_duration ? y->duration : y->start;

	if (p != q)
		return b->down ? p > q : p < q;
	return x->start != y->start ? x->start < y->start : x->lane < y->lane;
}

static void best_sink(struct best *b, size_t i)
{
	for (;;) {
		size_t last = i;
		struct instance other;

		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < b->n; k++)
			if (zone_instances_is_sooner(b, &b->v[last], &b->v[k]))
				last = k;
		if (last == i)
			return;
		other = b->v[i];
		b->v[i] = b->v[last];
		b->v[last] = other;
		i = last;
	}
}

static void best_add(struct best *b, const struct instance *x)
{
	if (b->n == b->room) {
		if (b->n && zone_instances_is_sooner(b, x, &b->v[0])) {
			b->v[0] = *x;
			best_sink(b, 0);
		}
		return;
	}
	b->v[b->n++] = *x;
	for (size_t i = b->n - 1; i > 0;) {
		size_t up = (i - 1) / 2;
		struct instance other = b->v[i];

		if (!zone_instances_is_sooner(b, &b->v[up], &other))
			break;
		b->v[i] = b->v[up];
		b->v[up] = other;
		i = up;
	}
}

static int zone_instances_by_order(const void *x, const void *y, void *context)
{
	return zone_instances_is_sooner(context, x, y) ? -1 : 1;
}

/* ---------------------------------------------------------------- durations */

/* Those that take from LEAST to MOST nanoseconds; of self time when SELF. */
struct lengths {
	uint64_t least, most;
	bool self;
};

static int zones_next_of(struct zones *z, const struct lengths *l, struct zone_found *found)
{
	int r;

	while ((r = zone_walk_next(z, found)) > 0) {
		uint64_t ticks = l->self ? found->self : found->zone.end - found->zone.start;
		double ns = (double)ticks * call_tick(z->c);

		if (ns >= (double)l->least && ns <= (double)l->most)
			break;
	}
	return r;
}

/* ------------------------------------------------------------------- texts */

/* The first text that was attached to a zone, or none. */
static int text_read(struct view_call *c, uint32_t lane, uint64_t number, struct buf *text)
{
	struct trace_cursor *cursor;
	struct trace_zone zone;
	struct trace_extra e;
	int r = trace_cursor_open_at(&cursor, c->trace, lane, number);

	buf_reset(text);
	if (r < 0)
		return r;
	r = trace_cursor_next(cursor, &zone);
	for (uint32_t i = 0; r > 0 && i < zone.extras; i++)
		if (trace_cursor_extra(cursor, i, &e) == 0 &&
		    (e.kind == TRACE_EXTRA_TEXT || e.kind == TRACE_EXTRA_NAME)) {
			buf_add(text, e.text, e.len < 300 ? e.len : 300);
			break;
		}
	trace_cursor_close(cursor);
	return r < 0 ? r : 0;
}

static int instance_put(struct view_call *c, const struct instance *x, struct buf *text)
{
	struct json *j = &c->json;
	int r = text_read(c, x->lane, x->number, text);

	json_object(j, NULL);
	json_uint(j, "lane", lane_number(c, x->lane));
	json_uint(j, "idx", x->number);
	json_uint(j, "track", c->trace->lanes[x->lane].track);
	json_ns(c, "start", x->start);
	json_duration(c, "duration", x->start, x->start + x->duration);
	json_double(j, "self", (double)x->self * call_tick(c));
	if (text->len)
		json_string(j, "text", text->data, text->len);
	json_end(j);
	return r;
}

static int zone_instances_put(struct view_call *c, const struct zones_choice *choice,
			      const struct lengths *lengths, struct best *b,
			      const struct page *page)
{
	struct buf text = BUF_INIT;
	struct zone_found found;
	struct zones zones;
	uint64_t total = 0;
	int r;

	zone_walk_open(&zones, c, choice);
	while ((r = zones_next_of(&zones, lengths, &found)) > 0) {
		struct instance x = {.start = found.zone.start,
				     .duration = found.zone.end - found.zone.start,
				     .self = found.self,
				     .lane = found.lane};

		/* Computes figures only for rows that may be shown. */
		if (b->n < b->room || (b->n && zone_instances_is_sooner(b, &x, &b->v[0]))) {
			x.number = zone_walk_number(&zones);
			best_add(b, &x);
		}
		total++;
	}
	zone_walk_close(&zones);
	if (r < 0)
		return r;
	qsort_r(b->v, b->n, sizeof(*b->v), zone_instances_by_order, b);
	call_begin(c);
	json_uint(&c->json, "total", total);
	json_array(&c->json, "rows");
	for (uint64_t i = page->offset; r == 0 && i < b->n && i - page->offset < page->limit; i++)
		r = instance_put(c, &b->v[i], &text);
	json_end(&c->json);
	json_end(&c->json);
	buf_free(&text);
	return r;
}

/* ------------------------------------------------------------------ groups */

enum group { NONE, TRACK, PARENT, TEXT };
static const char *const groups[] = {"none", "track", "parent", "text", NULL};

struct bundle {
	char *key;
	uint32_t id; /* track or name; TRACE_NONE: none */
	uint64_t count, total;
};

struct bundles {
	VEC(struct bundle);
	struct map places;
	uint64_t others; /* zones beyond GROUPS */
};

/* The zone's own text: the cursor is after it. */
static void own_text(const struct zones *z, const struct trace_zone *zone, struct buf *text)
{
	struct trace_extra e;

	buf_reset(text);
	for (uint32_t i = 0; i < zone->extras; i++)
		if (trace_cursor_extra(z->cursor, i, &e) == 0 &&
		    (e.kind == TRACE_EXTRA_TEXT || e.kind == TRACE_EXTRA_NAME)) {
			buf_add(text, e.text, e.len < 300 ? e.len : 300);
			return;
		}
}

static struct bundle *bundle_find(struct bundles *b, uint32_t id, const char *text)
{
	uint64_t hash = hash_text(HASH_START ^ id, text);
	struct bundle fresh = {.id = id};
	const uint32_t *at;

	/* Of two keys with the same hash, the later one takes the next free slot. */
	for (; (at = map_get(&b->places, hash)); hash++)
		if (b->v[*at].id == id && !strcmp(b->v[*at].key, text))
			return &b->v[*at];
	if (b->n == GROUPS)
		return NULL;
	fresh.key = strdup(text);
	if (!fresh.key || vec_reserve(b, b->n + 1) < 0 ||
	    map_set(&b->places, hash, (uint32_t)b->n) < 0) {
		free(fresh.key);
		return NULL;
	}
	b->v[b->n++] = fresh;
	return &b->v[b->n - 1];
}

ORDER_BY(zone_instances_by_total, struct bundle, ORDER_DOWN(total));

static void bundle_put(struct view_call *c, const struct bundle *b, int group)
{
	struct json *j = &c->json;
	const char *key = b->key;

	json_object(j, NULL);
	if (group == TRACK)
		key = c->trace->tracks[b->id].name;
	if (group == PARENT)
		key = b->id == TRACE_NONE ? "" : trace_srcloc_name(c->trace, b->id);
	json_text(j, "key", key);
	if (group == TRACK)
		json_uint(j, "track", b->id);
	if (group == PARENT && b->id != TRACE_NONE)
		json_uint(j, "name", b->id);
	json_uint(j, "count", b->count);
	json_double(j, "sum", (double)b->total * call_tick(c));
	json_end(j);
}

static int zone_instances_groups_put(struct view_call *c, const struct zones_choice *choice,
				     const struct lengths *lengths, int group,
				     const struct page *page)
{
	struct bundles bundles = {0};
	struct buf text = BUF_INIT;
	struct zone_found found;
	struct zones zones;
	int r;

	zone_walk_open(&zones, c, choice);
	while ((r = zones_next_of(&zones, lengths, &found)) > 0) {
		uint32_t id = group == TRACK    ? c->trace->lanes[found.lane].track
			      : group == PARENT ? found.parent
						: 0;
		struct bundle *b;

		if (group == TEXT)
			own_text(&zones, &found.zone, &text);
		b = bundle_find(&bundles, id, group == TEXT ? text.data : "");
		if (b) {
			b->count++;
			b->total += found.zone.end - found.zone.start;
		} else {
			bundles.others++;
		}
	}
	zone_walk_close(&zones);
	if (r == 0 && bundles.n)
		qsort(bundles.v, bundles.n, sizeof(*bundles.v), zone_instances_by_total);
	call_begin(c);
	json_uint(&c->json, "total", bundles.n);
	json_uint(&c->json, "others", bundles.others);
	json_array(&c->json, "groups");
	for (uint64_t i = page->offset; i < bundles.n && i - page->offset < page->limit; i++)
		bundle_put(c, &bundles.v[i], group);
	json_end(&c->json);
	json_end(&c->json);
	for (size_t i = 0; i < bundles.n; i++)
		free(bundles.v[i].key);
	vec_free(&bundles);
	map_free(&bundles.places);
	buf_free(&text);
	return r;
}

int call_instances(struct view_call *c)
{
	static const char *const sorts[] = {"start", "duration", NULL};
	struct zones_choice choice = ZONES_ALL;
	struct lengths lengths = {.most = UINT64_MAX};
	struct best best = {0};
	struct page page;
	int sort = 0, group = NONE, r = arg_zones(c, true, &choice);

	if (r == 0)
		r = arg_page(c, &page);
	if (r >= 0)
		r = arg_choice(c, "sort", sorts, &sort);
	if (r >= 0)
		r = arg_bool(c, "desc", &best.down);
	if (r >= 0)
		r = arg_choice(c, "group", groups, &group);
	if (r >= 0) {
		r = arg_uint(c, "d0", UINT64_MAX, &lengths.least);
		if (r >= 0)
			r = arg_uint(c, "d1", UINT64_MAX, &lengths.most);
		r = r < 0 ? r : arg_bool(c, "self", &lengths.self);
	}
	if (r >= 0 && page.offset > REACH)
		r = call_fail(c, VIEW_BAD, "offset is above %u: narrow the range", REACH);
	choice.unfinished = true;
	if (r >= 0 && group) {
		choice.parents = group == PARENT;
		choice.self = lengths.self;
		r = zone_instances_groups_put(c, &choice, &lengths, group, &page);
	} else if (r >= 0) {
		choice.self = true;
		best.by_duration = sort == 1;
		best.room = (size_t)(page.offset + page.limit);
		best.v = malloc((best.room + 1) * sizeof(*best.v));
		r = best.v ? zone_instances_put(c, &choice, &lengths, &best, &page) : TACHO_ENOMEM;
		free(best.v);
	}
	free((void *)(uintptr_t)choice.tracks);
	return r;
}
