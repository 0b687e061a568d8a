/* SPDX-License-Identifier: Apache-2.0 */
/* Merges recordings into one trace on one clock. */
#include "base/buf.h"
#include "base/fmt.h"
#include "base/order.h"
#include "fleet/private.h"
#include "tracy/tracy.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Real time is taken from one recording of a host, so that its recordings agree to the tick. */
double fleet_time(const struct fleet *f, size_t host, uint64_t tick)
{
	const struct trace *t = f->clocks[host].trace;
	int64_t whole = trace_realtime_ns(t, t->start) - f->base;

	/* Not through nanoseconds since 1970: those do not fit a double. */
	return (double)whole + (tick >= t->start ? trace_duration_ns(t, t->start, tick)
						 : -trace_duration_ns(t, tick, t->start));
}

/* ---------------------------------------------------------------- sources */

int64_t fleet_path_rank(const char *path)
{
	int64_t rank = -1;

	for (const char *p = path; (p = strstr(p, "rank")); p += 4) {
		size_t digits = strspn(p + 4, "0123456789");
		char after = p[4 + digits];

		if (digits && digits < 10 && (p == path || p[-1] == '/') &&
		    (after == '/' || after == '.' || after == 0))
			rank = strtoll(p + 4, NULL, 10);
	}
	return rank;
}

static int source_open(struct fleet_source *s, const char *path, size_t position,
		       struct tacho_error *err)
{
	const char *rank;
	int r = tracy_open_any(&s->trace, path, NULL, err);

	if (r < 0)
		return r;
	s->path = path;
	trace_set_cache(s->trace, 0); /* each block is read once, or once more for collectives */
	rank = trace_property(s->trace, "rank");
	s->rank = rank ? strtoll(rank, NULL, 10) : fleet_path_rank(path);
	if (s->rank < 0)
		s->rank = (int64_t)position;
	if (s->trace->damage.unfinished || s->trace->damage.bad_blocks)
		return err_set(err, TACHO_EDAMAGED,
			       "%s: %s; 'tacho recover' or 'tacho import' it first", path,
			       s->trace->damage.text);
	return 0;
}

static int sources_open(struct fleet *f, const char *const *paths, struct tacho_error *err)
{
	int r = 0;

	for (size_t i = 0; i < f->source_count && r == 0; i++) {
		r = source_open(&f->sources[i], paths[i], i, err);
		for (size_t k = 0; k < i && r == 0; k++)
			if (f->sources[k].rank == f->sources[i].rank)
				r = err_set(err, TACHO_EUSAGE,
					    "%s and %s are both of rank %" PRId64, paths[k],
					    paths[i], f->sources[i].rank);
	}
	return r;
}

ORDER_BY(source_compare, struct fleet_source, ORDER_UP(rank));

/* ------------------------------------------------------------------ hosts */

/* Recordings of one boot share the tick clock. */
static bool is_same_host(const struct trace *a, const struct trace *b)
{
	const char *x = trace_property(a, "boot id"), *y = trace_property(b, "boot id");

	return x && y && *x && !strcmp(x, y);
}

static int hosts_find(struct fleet *f, struct fleet_result *result)
{
	struct buf ranks = BUF_INIT;
	int r = 0;

	for (size_t i = 0; i < f->source_count; i++) {
		struct fleet_source *s = &f->sources[i];
		struct fleet_clock *c;
		const char *name = trace_property(s->trace, "host");
		size_t h = 0;

		while (h < f->host_count && !is_same_host(f->clocks[h].trace, s->trace))
			h++;
		c = &f->clocks[h];
		s->host = h;
		if (h == f->host_count) {
			f->host_count++;
			*c = (struct fleet_clock){.out = &result->hosts[h],
						  .trace = s->trace,
						  .first = s->trace->start,
						  .last = s->trace->end};
			c->out->name = strdup(name ? name : "?");
		}
		/* The longest recording has the best clock points. */
		if (s->trace->end - s->trace->start > c->trace->end - c->trace->start)
			c->trace = s->trace;
		c->first = s->trace->start < c->first ? s->trace->start : c->first;
		c->last = s->trace->end > c->last ? s->trace->end : c->last;
	}
	for (size_t h = 0; h < f->host_count && r == 0; h++) {
		buf_reset(&ranks);
		for (size_t i = 0; i < f->source_count; i++)
			if (f->sources[i].host == h)
				buf_addf(&ranks, "%s%" PRId64, ranks.len ? " " : "",
					 f->sources[i].rank);
		result->hosts[h].ranks = strdup(ranks.data);
		if (!result->hosts[h].ranks || !result->hosts[h].name)
			r = TACHO_ENOMEM;
	}
	result->host_count = f->host_count;
	buf_free(&ranks);
	return r;
}

static int find_reference(struct fleet *f, struct tacho_error *err)
{
	if (f->options->reference < 0)
		return 0; /* of the lowest rank: sources are sorted */
	for (size_t i = 0; i < f->source_count; i++)
		if (f->sources[i].rank == f->options->reference) {
			f->reference = f->sources[i].host;
			return 0;
		}
	return err_set(err, TACHO_EUSAGE, "--reference: there is no rank %" PRId64,
		       f->options->reference);
}

static int apply_offsets(struct fleet *f, struct tacho_error *err)
{
	for (size_t i = 0; i < f->options->offset_count; i++) {
		const struct fleet_offset *o = &f->options->offsets[i];
		struct fleet_clock *c = NULL;

		for (size_t k = 0; k < f->source_count; k++)
			if (f->sources[k].rank == o->rank)
				c = &f->clocks[f->sources[k].host];
		if (!c)
			return err_set(err, TACHO_EUSAGE, "--offset: there is no rank %" PRId64,
				       o->rank);
		c->out->trouble[0] = 0;
		if (fleet_clock_set(
			    c, &(struct align_line){.offset = o->ns, .bound = NAN, .spread = NAN},
			    FLEET_OFFSET) < 0)
			return TACHO_ENOMEM;
	}
	return 0;
}

static int tick_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * The map of a host: its first and last tick, its clock points in between and, if its drift
 * changes, sixteen points a window, all moved by its lines. ORIGIN is the time of output tick 0.
 */
static int host_map(struct fleet *f, size_t host, double origin)
{
	struct fleet_clock *c = &f->clocks[host];
	const struct trace *t = c->trace;
	uint64_t last = c->last > c->first ? c->last : c->first + 1;
	double span = fleet_time(f, host, last) - fleet_time(f, host, c->first);
	uint32_t steps = c->lines.n > 1 ? (uint32_t)ceil(16 * span / ALIGN_WINDOW) : 1, n = 0;
	uint64_t *ticks = malloc(((size_t)t->clock_point_count + steps + 1) * sizeof(*ticks));
	int r = ticks ? 0 : TACHO_ENOMEM;

	for (uint32_t i = 0; i <= steps && ticks; i++)
		ticks[n++] =
			c->first + (uint64_t)((unsigned __int128)(last - c->first) * i / steps);
	for (uint32_t i = 0; i < t->clock_point_count && ticks; i++)
		if (t->clock_points[i].ticks > c->first && t->clock_points[i].ticks < last)
			ticks[n++] = t->clock_points[i].ticks;
	if (ticks)
		qsort(ticks, n, sizeof(*ticks), tick_compare);
	for (uint32_t i = 0; i < n && r >= 0; i++) {
		double time = fleet_time(f, host, ticks[i]);
		struct device_point p = {.cycles = ticks[i]};
		double bound;

		if (i && ticks[i] == ticks[i - 1])
			continue;
		time += align_lines_at(&c->lines, time, &bound) - origin;
		p.ticks = (uint64_t)llround(fmax(time, 0) * FLEET_TICKS_PER_NS);
		p.bound_ns = isnan(bound) ? UINT64_MAX : (uint64_t)ceil(bound);
		r = device_clock_add(&c->map, &p);
	}
	free(ticks);
	return r < 0 ? r : 0;
}

/* ----------------------------------------------------------------- output */

/* When the first recording began, by the reference's clock. */
static double first_time(const struct fleet *f)
{
	double first = INFINITY;

	for (size_t h = 0; h < f->host_count; h++) {
		double t = fleet_time(f, h, f->clocks[h].first);

		first = fmin(first, t + align_lines_at(&f->clocks[h].lines, t, NULL));
	}
	return first;
}

static int write_clocks(struct fleet *f, struct trace_writer *w, double origin)
{
	const struct trace_clock_point points[2] = {
		{0, 0, f->base + llround(origin), 0},
		{UINT64_C(1000000000) * FLEET_TICKS_PER_NS, 1000000000,
		 f->base + llround(origin) + 1000000000, 0},
	};
	char key[40], text[600];
	int64_t r = 0;

	for (int i = 0; i < 2 && r >= 0; i++)
		r = trace_add_clock_point(w, &points[i]);
	snprintf(text, sizeof(text), "%zu", f->source_count);
	trace_set_property(w, "merge sources", text);
	for (size_t i = 0; i < f->source_count && r >= 0; i++) {
		const struct fleet_source *s = &f->sources[i];
		const struct fleet_host *h = f->clocks[s->host].out;

		snprintf(key, sizeof(key), "source %zu", i);
		snprintf(text, sizeof(text), "rank %" PRId64 ", host %.200s, %.300s", s->rank,
			 h->name, s->path);
		trace_set_property(w, key, text);
	}
	for (size_t h = 0; h < f->host_count && r >= 0; h++) {
		const struct fleet_clock *c = &f->clocks[h];
		struct trace_track track = {.process = TRACE_NONE,
					    .kind = TRACE_OTHER,
					    .id = h,
					    .srcloc = TRACE_NONE,
					    .name = text};

		snprintf(text, sizeof(text), "host %.200s clock", c->out->name);
		r = trace_add_track(w, &track);
		for (size_t i = 0; i < c->map.n && r >= 0; i++) {
			struct trace_row row = {.time = c->map.v[i].ticks,
						.kind = TRACE_ROW_HOST_CLOCK,
						.thread = TRACE_NONE,
						.a = c->map.v[i].cycles,
						.b = c->map.v[i].bound_ns,
						.c = h,
						.text = ""};
			int added = trace_add_row(w, (uint32_t)r, &row);

			r = added < 0 ? added : r;
		}
		if (r >= 0) {
			struct trace_ledger ledger = {.rows_emitted = c->map.n};

			r = trace_add_ledger(w, (uint32_t)r, &ledger);
		}
	}
	return r < 0 ? (int)r : 0;
}

static int write_output(struct fleet *f, const char *output, struct fleet_result *result,
			struct tacho_error *err)
{
	struct trace_writer_options options = {.force = f->options->force};
	struct fleet_output out = {.stack_track = -1};
	double origin = first_time(f) - 1e9;
	int r = trace_writer_open(&out.w, output, &options, err);

	if (r < 0)
		return r;
	for (size_t h = 0; h < f->host_count && r == 0; h++)
		r = host_map(f, h, origin);
	if (r == 0)
		r = write_clocks(f, out.w, origin);
	for (size_t i = 0; i < f->source_count && r == 0; i++)
		r = fleet_copy(f, &f->sources[i], &out);
	if (out.flows) {
		char text[FMT_SIZE];

		trace_set_property(out.w, TRACE_FLOWS, fmt_uint(text, out.flows));
	}
	result->zones = trace_writer_zones(out.w);
	if (r == 0)
		return trace_writer_close(out.w, err);
	err_set(err, r, "cannot merge into %s: %s", output,
		*trace_writer_error(out.w) ? trace_writer_error(out.w) : err_text(r));
	trace_writer_abandon(out.w);
	{
		char *part = NULL;

		if (asprintf(&part, "%s.part", output) >= 0)
			unlink(part);
		free(part);
	}
	return r;
}

static void fill_result(const struct fleet *f, struct fleet_result *result)
{
	double first = INFINITY, last = -INFINITY;

	for (size_t h = 0; h < f->host_count; h++) {
		const struct fleet_clock *c = &f->clocks[h];
		double begin = fleet_time(f, h, c->first), end = fleet_time(f, h, c->last);
		double from = align_lines_at(&c->lines, begin, NULL);

		/* The lines move differences of real time; people want the difference to it. */
		c->out->offset_ns = 0 - from;
		c->out->drift =
			end > begin ? (from - align_lines_at(&c->lines, end, NULL)) / (end - begin)
				    : 0;
		c->out->bound_ns = c->bound;
		c->out->spread_ns = c->spread;
		c->out->windows = c->lines.n;
		if (c->bound > result->worst_bound_ns)
			result->worst_bound_ns = c->bound;
		if (c->map.n) {
			first = fmin(first, (double)c->map.v[0].ticks);
			last = fmax(last, (double)c->map.v[c->map.n - 1].ticks);
		}
	}
	result->span_ns = last > first ? (last - first) / FLEET_TICKS_PER_NS : 0;
}

int fleet_merge(const char *const *paths, size_t count, const char *output,
		const struct fleet_options *options, struct fleet_result *result,
		struct tacho_error *err)
{
	struct fleet f = {.options = options, .source_count = count};
	int r;

	*result = (struct fleet_result){.sources = count};
	f.sources = calloc(count + 1, sizeof(*f.sources));
	f.clocks = calloc(count + 1, sizeof(*f.clocks));
	result->hosts = calloc(count + 1, sizeof(*result->hosts));
	r = f.sources && f.clocks && result->hosts ? sources_open(&f, paths, err) : TACHO_ENOMEM;
	if (r == 0) {
		qsort(f.sources, count, sizeof(*f.sources), source_compare);
		f.base = trace_realtime_ns(f.sources[0].trace, f.sources[0].trace->start);
		r = hosts_find(&f, result);
	}
	if (r == 0)
		r = find_reference(&f, err);
	if (r == 0)
		r = fleet_collect(&f, err);
	if (r == 0)
		r = fleet_align_hosts(&f);
	if (r == 0)
		r = apply_offsets(&f, err);
	if (r == 0)
		r = write_output(&f, output, result, err);
	if (r == 0)
		fill_result(&f, result);
	for (size_t i = 0; f.sources && i < count; i++) {
		if (f.sources[i].trace)
			trace_close(f.sources[i].trace);
		vec_free(&f.sources[i].visits);
	}
	for (size_t h = 0; h < f.host_count; h++) {
		device_clock_free(&f.clocks[h].map);
		vec_free(&f.clocks[h].lines);
	}
	free(f.sources);
	free(f.clocks);
	if (r < 0)
		fleet_result_free(result);
	return r;
}

void fleet_result_free(struct fleet_result *result)
{
	for (size_t i = 0; result->hosts && i < result->host_count; i++) {
		free(result->hosts[i].name);
		free(result->hosts[i].ranks);
	}
	free(result->hosts);
	*result = (struct fleet_result){0};
}
