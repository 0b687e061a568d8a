/* SPDX-License-Identifier: Apache-2.0 */
/* The reader: definition records into the arrays of struct trace. */
#include "base/limits.h"
#include "base/order.h"
#include "trace/reader.h"

#define PROPERTIES_MAX 4096u

static const char *model_text_read(struct trace_private *p, struct in *in, int *r)
{
	size_t len = in_limited(in, LIMIT_NAME);
	const uint8_t *bytes = format_in_bytes(in, len);
	const char *s = bytes ? arena_add(&p->arena, bytes, len) : "";

	if (!s)
		*r = TACHO_ENOMEM;
	return s;
}

/*
 * Makes room for id in an array: ids come in order, but in a damaged file some may be missing.
 * Those are filled with EMPTY. LIMIT_HOLES keeps a hostile id from filling the memory.
 */
#define array_reach(p, array, id, empty)                                                \
	({                                                                              \
		int reach_ = 0;                                                         \
		if ((id) >= (array)->n && (id) - (array)->n > LIMIT_HOLES - (p)->holes) \
			reach_ = TACHO_EDAMAGED;                                        \
		else if ((id) > (array)->n)                                             \
			(p)->holes += (id) - (array)->n;                                \
		while (reach_ == 0 && (array)->n <= (id))                               \
			reach_ = vec_push((array), (empty));                            \
		reach_;                                                                 \
	})

static const struct trace_process no_process = {
	.exit_status = TRACE_EXIT_UNKNOWN, .name = "", .command = ""};
static const struct trace_absent no_absent = {.name = ""};
static const struct trace_track no_track = {.kind = TRACE_OTHER, .srcloc = TRACE_NONE, .name = ""};
static const struct trace_srcloc no_srcloc = {.name = "", .function = "", .file = ""};

static int read_property(struct trace_private *p, struct in *in)
{
	struct trace_property new;
	int r = 0;

	new.key = model_text_read(p, in, &r);
	new.value = model_text_read(p, in, &r);
	if (r < 0 || in->bad)
		return r;
	for (size_t i = 0; i < p->properties.n; i++) {
		if (!strcmp(p->properties.v[i].key, new.key)) {
			p->properties.v[i] = new;
			return 0;
		}
	}
	return p->properties.n < PROPERTIES_MAX ? vec_push(&p->properties, new) : 0;
}

static int read_clock_point(struct trace_private *p, struct in *in)
{
	const int64_t far = INT64_MAX / 4; /* differences must not overflow */
	struct trace_clock_point point;

	point.ticks = in_varint(in);
	point.monotonic_ns = zigzag_decode(in_varint(in));
	point.realtime_ns = zigzag_decode(in_varint(in));
	point.bound_ns = (uint32_t)in_varint(in);
	if (point.monotonic_ns > far || point.monotonic_ns < -far || point.realtime_ns > far ||
	    point.realtime_ns < -far)
		in->bad = true;
	return in->bad ? 0 : vec_push(&p->clock_points, point);
}

static int read_process(struct trace_private *p, struct in *in)
{
	uint64_t id = in_limited(in, LIMIT_TRACKS);
	struct trace_process new;
	int r = 0;

	new.pid = (uint32_t)in_varint(in);
	new.parent_pid = (uint32_t)in_varint(in);
	new.start = in_varint(in);
	new.end = in_varint(in);
	new.exit_status = (int32_t)zigzag_decode(in_varint(in));
	new.name = model_text_read(p, in, &r);
	new.command = model_text_read(p, in, &r);
	if (r < 0 || in->bad)
		return r;
	r = array_reach(p, &p->processes, id, no_process);
	if (r == 0)
		p->processes.v[id] = new;
	return r;
}

static int read_absent(struct trace_private *p, struct in *in)
{
	uint64_t id = in_limited(in, LIMIT_ABSENT - 1);
	struct trace_absent new;
	int r = 0;

	new.count = in_limited(in, UINT32_MAX); /* so that sums do not overflow */
	new.pid = (uint32_t)in_varint(in);
	new.reason = (uint32_t)in_varint(in);
	new.error = (uint32_t)in_varint(in);
	new.name = model_text_read(p, in, &r);
	if (r < 0 || in->bad)
		return r;
	r = array_reach(p, &p->absent, id, no_absent);
	if (r == 0)
		p->absent.v[id] = new;
	return r;
}

static int read_track(struct trace_private *p, struct in *in)
{
	uint64_t id = in_limited(in, LIMIT_TRACKS - 1);
	struct trace_track new;
	int r = 0;

	new.process = (uint32_t)in_varint(in);
	new.kind = (uint32_t)in_varint(in);
	new.id = in_varint(in);
	new.srcloc = (uint32_t)in_varint(in) - 1;
	new.color = (uint32_t)in_varint(in);
	new.format = (uint32_t)in_varint(in);
	new.flags = (uint32_t)in_varint(in);
	new.name = model_text_read(p, in, &r);
	if (new.kind >= TRACE_TRACK_KINDS)
		new.kind = TRACE_OTHER;
	if (r < 0 || in->bad)
		return r;
	r = array_reach(p, &p->tracks, id, no_track);
	if (r == 0)
		p->tracks.v[id] = new;
	return r;
}

static int model_srcloc_read(struct trace_private *p, struct in *in)
{
	uint64_t id = in_limited(in, LIMIT_SRCLOCS - 1);
	struct trace_srcloc new;
	int r = 0;

	new.line = (uint32_t)in_varint(in);
	new.color = (uint32_t)in_varint(in);
	new.name = model_text_read(p, in, &r);
	new.function = model_text_read(p, in, &r);
	new.file = model_text_read(p, in, &r);
	if (r < 0 || in->bad)
		return r;
	r = array_reach(p, &p->srclocs, id, no_srcloc);
	if (r == 0)
		p->srclocs.v[id] = new;
	return r;
}

static int read_ledger(struct trace_private *p, struct in *in)
{
	uint64_t id = in_limited(in, LIMIT_TRACKS - 1);
	struct trace_ledger new;
	int r;

	new.zones_emitted = in_varint(in);
	new.zones_lost = in_varint(in);
	new.rows_emitted = in_varint(in);
	new.rows_lost = in_varint(in);
	if (in->bad)
		return 0;
	/* A ledger follows its track, so an unknown id belongs to a damaged block. */
	if (id >= p->tracks.n)
		return TACHO_EDAMAGED;
	while (p->ledgers.n <= id) {
		r = vec_push(&p->ledgers, (struct trace_ledger){0});
		if (r < 0)
			return r;
	}
	p->ledgers.v[id] = new;
	return 0;
}

static int read_open_zones(struct trace_private *p, struct in *in)
{
	uint64_t count = in_varint(in), start = 0;
	int r = 0;

	p->open.n = 0;
	for (; count && r == 0; count--) {
		struct trace_open_zone z;

		z.track = (uint32_t)in_limited(in, LIMIT_TRACKS - 1);
		z.depth = (uint32_t)in_limited(in, LIMIT_ZONE_DEPTH);
		z.srcloc = (uint32_t)in_limited(in, LIMIT_SRCLOCS - 1);
		z.start = start += (uint64_t)zigzag_decode(in_varint(in));
		if (in->bad)
			break;
		r = vec_push(&p->open, z);
	}
	return r;
}

int model_read(struct trace_private *p, struct in *in)
{
	static int (*const readers[])(struct trace_private *, struct in *) = {
		[DEF_PROPERTY] = read_property,     [DEF_CLOCK_POINT] = read_clock_point,
		[DEF_PROCESS] = read_process,       [DEF_TRACK] = read_track,
		[DEF_SRCLOC] = model_srcloc_read,   [DEF_LEDGER] = read_ledger,
		[DEF_OPEN_ZONES] = read_open_zones, [DEF_ABSENT] = read_absent,
	};

	p->defs_new = true;
	while (in_left(in) && !in->bad) {
		uint8_t kind = in_byte(in);
		size_t len = in_varint(in);
		const uint8_t *bytes = format_in_bytes(in, len);
		struct in body;
		int r;

		if (!bytes)
			break;
		body = (struct in){.p = bytes, .end = bytes + len};
		if (kind >= sizeof(readers) / sizeof(*readers) || !readers[kind])
			continue;
		r = readers[kind](p, &body);
		if (r < 0)
			return r;
		in->bad |= body.bad;
	}
	return in->bad ? TACHO_EDAMAGED : 0;
}

/* ---------------------------------------------------------------- finish */

/* Makes up what is referred to and missing, so that every id is in range. */
static int model_complete(struct trace_private *p)
{
	int r = 0;

	if (p->tracks_needed)
		r = array_reach(p, &p->tracks, p->tracks_needed - 1, no_track);
	if (r == 0 && p->srclocs_needed)
		r = array_reach(p, &p->srclocs, p->srclocs_needed - 1, no_srcloc);
	if (r == 0 && p->tracks.n && !p->processes.n)
		r = vec_push(&p->processes, no_process);
	while (r == 0 && p->ledgers.n < p->tracks.n)
		r = vec_push(&p->ledgers, (struct trace_ledger){0});
	for (size_t i = 0; p->defs_new && i < p->tracks.n; i++) {
		if (p->tracks.v[i].process >= p->processes.n)
			p->tracks.v[i].process = 0;
		if (p->tracks.v[i].srcloc >= p->srclocs.n)
			p->tracks.v[i].srcloc = TRACE_NONE;
	}
	return r;
}

ORDER_BY(by_ticks, struct trace_clock_point, ORDER_UP(ticks));

/* Sorted by ticks, one point per tick, and nanoseconds that do not run backwards. */
static int clock_finish(struct trace_private *p)
{
	struct clock_point *points = calloc(p->clock_points.n + 1, sizeof(*points));
	struct clock_fit fit = {0};
	const char *rate = trace_property(&p->trace, "ticks per second");
	size_t n = 0;
	int r;

	if (!points)
		return TACHO_ENOMEM;
	if (p->clock_points.n)
		qsort(p->clock_points.v, p->clock_points.n, sizeof(*p->clock_points.v), by_ticks);
	for (size_t i = 0; i < p->clock_points.n; i++) {
		const struct trace_clock_point *c = &p->clock_points.v[i];

		if (n && (c->ticks == points[n - 1].ticks ||
			  c->monotonic_ns <= points[n - 1].monotonic_ns))
			continue;
		points[n++] = (struct clock_point){c->ticks, c->monotonic_ns, c->realtime_ns,
						   c->bound_ns};
	}
	r = clock_fit_build(&fit, points, n, rate ? strtod(rate, NULL) : 0);
	free(points);
	if (r < 0)
		return r;
	clock_fit_free(&p->fit);
	p->fit = fit;
	return 0;
}

int model_finish(struct trace_private *p)
{
	struct trace *t = &p->trace;
	int r = model_complete(p);

	if (r < 0)
		return r;
	t->processes = p->processes.v;
	t->process_count = (uint32_t)p->processes.n;
	t->absent = p->absent.v;
	t->absent_count = (uint32_t)p->absent.n;
	t->tracks = p->tracks.v;
	t->track_count = (uint32_t)p->tracks.n;
	t->srclocs = p->srclocs.v;
	t->srcloc_count = (uint32_t)p->srclocs.n;
	t->properties = p->properties.v;
	t->property_count = (uint32_t)p->properties.n;
	t->ledgers = p->ledgers.v;
	if (p->defs_new)
		r = clock_finish(p);
	p->defs_new = r < 0;
	t->clock_points = p->clock_points.v;
	t->clock_point_count = (uint32_t)p->clock_points.n;
	return r;
}
