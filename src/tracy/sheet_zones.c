/* SPDX-License-Identifier: Apache-2.0 */
/* csvexport: a row per zone, of threads or of devices. */
#include "tracy/self.h"
#include "tracy/sheet.h"

#include <stdlib.h>
#include <string.h>

/* The last zone of a lane: the parent of the zones below. */
struct lane_state {
	struct self_lane self;
	uint32_t srcloc;
	struct buf text; /* if it may be needed */
};

struct zones {
	struct sheet *c;
	struct lane_state *lanes;
	uint8_t *special, *parent; /* by source location */
	uint32_t *thread;          /* number by track */
	struct buf name, text;     /* of the current zone */
	struct buf heads;          /* "name,file,line," of the selected source locations */
	size_t *head; /* by source location: offset of its prefix; it ends where the next begins */
	size_t separator; /* its length */
};

static bool sheet_zones_is_listed(const char *list, const char *name)
{
	size_t len = strlen(name);

	while (list && *list) {
		size_t n = strcspn(list, ",");

		if (n == len && !memcmp(list, name, n))
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

/* The common prefix of all rows of a source location. */
static int make_heads(struct zones *z)
{
	uint32_t n = z->c->trace->srcloc_count;
	struct buf out = z->c->out;
	int r;

	z->separator = strlen(z->c->separator);
	z->c->out = (struct buf)BUF_INIT;
	for (uint32_t i = 0; i < n; i++) {
		z->head[i] = z->c->out.len;
		if (z->c->taken[i])
			sheet_srcloc(z->c, i, true);
	}
	z->head[n] = z->c->out.len;
	z->heads = z->c->out;
	r = z->heads.failed ? TACHO_ENOMEM : 0;
	z->c->out = out;
	return r;
}

static int zones_open(struct zones *z)
{
	const struct trace *t = z->c->trace;
	const struct tracy_csv_options *o;
	uint32_t next;

	z->name = z->text = z->heads = (struct buf)BUF_INIT;
	z->head = calloc(t->srcloc_count + 1, sizeof(*z->head));
	z->lanes = calloc(t->lane_count + 1, sizeof(*z->lanes));
	z->special = calloc(t->srcloc_count + 1, 1);
	z->parent = calloc(t->srcloc_count + 1, 1);
	z->thread = calloc(t->track_count + 1, sizeof(*z->thread));
	if (!z->lanes || !z->special || !z->parent || !z->thread || !z->head)
		return TACHO_ENOMEM;
	for (uint32_t i = 0; i < t->lane_count; i++)
		z->lanes[i].text = (struct buf)BUF_INIT;
	o = z->c->o;
	for (uint32_t i = 0; i < z->c->trace->srcloc_count; i++) {
		const char *name = trace_srcloc_name(z->c->trace, i);

		z->special[i] = sheet_zones_is_listed(o->special, name);
		z->parent[i] = o->special && o->parent && strstr(name, o->parent);
		/* In the newer tool a zone that is such a parent names itself. */
		if (o->layout == TRACY_CSV_TT)
			z->special[i] |= z->parent[i];
	}
	/* Threads are numbered as in Tracy's tools, or in order if the trace is not from Tracy. */
	next = 1;
	for (uint32_t i = 0; i < z->c->trace->track_count; i++) {
		if (!sheet_is_thread(z->c, i))
			continue;
		z->thread[i] = z->c->trace->tracks[i].flags;
		if (!z->thread[i])
			z->thread[i] = next;
		next++;
	}
	return make_heads(z);
}

static void read_attached(struct zones *z, struct trace_cursor *cursor, uint32_t extras)
{
	struct trace_extra e;

	for (uint32_t i = 0; i < extras && trace_cursor_extra(cursor, i, &e) == 0; i++) {
		if (e.kind == TRACE_EXTRA_NAME) {
			buf_reset(&z->name);
			buf_add(&z->name, e.text, e.len);
			continue;
		}
		if (e.kind == TRACE_EXTRA_COLOR)
			continue;
		if (z->text.len)
			buf_addc(&z->text, '\n');
		if (e.kind == TRACE_EXTRA_TEXT)
			buf_add(&z->text, e.text, e.len);
		else
			buf_addf(&z->text, "%llu", (unsigned long long)e.value);
	}
}

/* The text of the nearest parent around this zone, or of the zone itself. */
static const struct buf *special_text(const struct zones *z, uint32_t lane, uint32_t srcloc)
{
	uint32_t depth = z->c->trace->lanes[lane].depth;

	if (!z->special[srcloc])
		return NULL;
	if (z->c->o->layout == TRACY_CSV_TT && z->parent[srcloc])
		return &z->text;
	for (uint32_t i = 1; i <= depth; i++)
		if (z->parent[z->lanes[lane - i].srcloc])
			return &z->lanes[lane - i].text;
	return NULL;
}

static int64_t sheet_zones_thread_number(const struct zones *z, uint32_t lane)
{
	uint32_t track = z->c->trace->lanes[lane].track;

	return z->c->o->tid ? (int64_t)z->c->trace->tracks[track].id : z->thread[track];
}

static char *put_separators(const struct zones *z, char *at, int n)
{
	for (; n; n--, at += z->separator)
		memcpy(at, z->c->separator, z->separator);
	return at;
}

/* Fast path: a row without texts, written at once. */
static void put_plain(struct zones *z, uint32_t srcloc, uint32_t lane, int64_t start,
		      int64_t length)
{
	const size_t from = z->head[srcloc], len = z->head[srcloc + 1] - from;
	const int layout = z->c->o->layout;
	struct buf *out = &z->c->out;
	char *at;

	if (buf_reserve(out, len + 3 * SHEET_DIGITS + 6 * z->separator) < 0)
		return;
	at = out->data + out->len;
	memcpy(at, z->heads.data + from, len);
	at = put_separators(z, at + len, layout == TRACY_CSV_UPSTREAM ? 0 : 2);
	at = put_separators(z, sheet_digits(at, start), 1);
	at = put_separators(z, sheet_digits(at, length), 1);
	at = sheet_digits(at, sheet_zones_thread_number(z, lane));
	at = put_separators(z, at, layout == TRACY_CSV_TT ? 2 : 1);
	out->len = (size_t)(at - out->data);
	sheet_end(z->c);
}

static void put_zone(struct zones *z, uint32_t srcloc, uint32_t lane, int64_t start, int64_t length)
{
	const struct tracy_csv_options *o = z->c->o;
	const struct buf *special = o->special ? special_text(z, lane, srcloc) : NULL;
	struct sheet *c = z->c;
	bool tt = o->layout != TRACY_CSV_UPSTREAM;

	if (!z->name.len && !z->text.len && !special) {
		put_plain(z, srcloc, lane, start, length);
		return;
	}
	buf_add(&c->out, z->heads.data + z->head[srcloc], z->head[srcloc + 1] - z->head[srcloc]);
	if (tt) {
		sheet_text(c, z->name.data, z->name.len);
		sheet_next(c);
		if (z->text.len)
			sheet_quoted(c, z->text.data, z->text.len);
		sheet_next(c);
	}
	sheet_number(c, start);
	sheet_next(c);
	sheet_number(c, length);
	sheet_next(c);
	sheet_number(c, sheet_zones_thread_number(z, lane));
	sheet_next(c);
	if (o->layout != TRACY_CSV_TT10)
		sheet_text(c, z->text.data, z->text.len);
	if (o->layout == TRACY_CSV_TT)
		sheet_next(c);
	if (tt && special)
		sheet_text(c, special->data, special->len);
	sheet_end(c);
}

static int sheet_zones_zone_add(struct zones *z, struct trace_walk *walk,
				const struct trace_zone *zone, uint32_t lane)
{
	uint64_t end = zone->end;
	uint64_t self;
	int r;

	buf_reset(&z->name);
	buf_reset(&z->text);
	if (zone->extras)
		read_attached(z, trace_walk_cursor(walk), zone->extras);
	if (z->c->o->special) {
		struct lane_state *l = &z->lanes[lane];

		/* Stores what zones below may need. */
		l->srcloc = zone->srcloc;
		buf_reset(&l->text);
		if (z->parent[zone->srcloc])
			buf_add(&l->text, z->text.data, z->text.len);
	}
	if (z->c->o->self) {
		r = self_of(&z->lanes[lane].self, z->c->trace, lane, zone, &self);
		if (r < 0)
			return r;
		end = zone->start + self;
	}
	if (!(zone->flags & TRACE_ZONE_UNFINISHED) && z->c->taken[zone->srcloc]) {
		int64_t start = sheet_ns(z->c, zone->start);

		put_zone(z, zone->srcloc, lane, start, sheet_ns(z->c, end) - start);
	}
	return 0;
}

static int sheet_zones_zones_put(struct sheet *c)
{
	struct zones z = {.c = c};
	struct trace_walk *walk = NULL;
	struct trace_zone zone;
	uint32_t lane;
	int r = zones_open(&z);

	if (r == 0)
		r = trace_walk_open(&walk, c->trace, TRACE_NONE, 0, UINT64_MAX);
	while (r >= 0 && (r = trace_walk_next(walk, &zone, &lane)) > 0)
		if (sheet_is_thread(c, c->trace->lanes[lane].track) &&
		    sheet_takes(c, c->trace->lanes[lane].track) &&
		    zone.srcloc < c->trace->srcloc_count)
			r = sheet_zones_zone_add(&z, walk, &zone, lane);
	trace_walk_close(walk);
	for (uint32_t i = 0; z.lanes && i < z.c->trace->lane_count; i++) {
		self_close(&z.lanes[i].self);
		buf_free(&z.lanes[i].text);
	}
	buf_free(&z.name);
	buf_free(&z.text);
	buf_free(&z.heads);
	free(z.head);
	free(z.lanes);
	free(z.special);
	free(z.parent);
	free(z.thread);
	return r;
}

int sheet_zones(struct sheet *c)
{
	static const char *const tt[] = {"name",
					 "src_file",
					 "src_line",
					 "zone_name",
					 "zone_text",
					 "ns_since_start",
					 "exec_time_ns",
					 "thread",
					 "value",
					 "special_parent_text",
					 NULL};
	static const char *const tt10[] = {
		"name",           "src_file",     "src_line", "zone_name",           "zone_text",
		"ns_since_start", "exec_time_ns", "thread",   "special_parent_text", NULL};
	static const char *const upstream[] = {
		"name",         "src_file", "src_line", "ns_since_start",
		"exec_time_ns", "thread",   "value",    NULL};
	static const char *const *const headers[] = {
		[TRACY_CSV_TT] = tt, [TRACY_CSV_TT10] = tt10, [TRACY_CSV_UPSTREAM] = upstream};
	int r;

	sheet_header(c, headers[c->o->layout]);
	r = sheet_zones_zones_put(c);
	return r == 0 && c->o->plots ? sheet_plots(c) : r;
}

int sheet_devices(struct sheet *c)
{
	static const char *const names[] = {"name", "src_file", "Time from start of program",
					    "GPU execution time", NULL};
	struct trace_walk *walk;
	struct trace_zone zone;
	uint32_t lane;
	int r = trace_walk_open(&walk, c->trace, TRACE_NONE, 0, UINT64_MAX);

	sheet_header(c, names);
	while (r >= 0 && (r = trace_walk_next(walk, &zone, &lane)) > 0) {
		if (c->trace->tracks[c->trace->lanes[lane].track].kind != TRACE_CORE ||
		    zone.flags & TRACE_ZONE_UNFINISHED || zone.srcloc >= c->trace->srcloc_count ||
		    !c->taken[zone.srcloc])
			continue;
		sheet_srcloc(c, zone.srcloc, false);
		sheet_number(c, sheet_ns(c, zone.start));
		sheet_next(c);
		sheet_number(c, sheet_ns(c, zone.end) - sheet_ns(c, zone.start));
		sheet_end(c);
	}
	trace_walk_close(walk);
	return r;
}
