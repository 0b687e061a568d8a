/* SPDX-License-Identifier: Apache-2.0 */
/* Finds collectives in recordings and aligns hosts by them. */
#include "base/map.h"
#include "base/order.h"
#include "fleet/private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Only collectives that no member leaves before the last has arrived. */
const char fleet_markers[] = "all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|barrier";

/* A zone that may be a collective. */
struct visit_zone {
	uint64_t start, end;
	uint32_t srcloc;
};

struct visit_zones {
	VEC(struct visit_zone);
};

ORDER_BY(visit_zone_compare, struct visit_zone,
	 ORDER_UP(start) ?: ORDER_DOWN(end)); /* the outer one first */

/* Lane by lane, which costs less than in order of time: few zones are collectives. */
static int visit_zones_read(struct trace *t, uint32_t track, const uint8_t *match,
			    struct visit_zones *zones)
{
	uint32_t first, count;
	int r = 0;

	zones->n = 0;
	trace_track_lanes(t, track, &first, &count);
	for (uint32_t i = first; i < first + count && r >= 0; i++) {
		struct trace_cursor *cursor;
		struct trace_zone z;

		r = trace_cursor_open(&cursor, t, i, 0, UINT64_MAX);
		if (r < 0)
			return r;
		while ((r = trace_cursor_next(cursor, &z)) > 0)
			if (match[z.srcloc] && !(z.flags & TRACE_ZONE_UNFINISHED) &&
			    vec_push(zones, ((struct visit_zone){z.start, z.end, z.srcloc})) < 0) {
				r = TACHO_ENOMEM;
				break;
			}
		trace_cursor_close(cursor);
	}
	if (zones->n)
		qsort(zones->v, zones->n, sizeof(*zones->v), visit_zone_compare);
	return r;
}

/* A zone inside of another collective is a part of it. */
static int visits_read(struct fleet *f, struct fleet_source *s, const regex_t *wanted)
{
	struct trace *t = s->trace;
	struct map numbers = {0};
	struct visit_zones zones = {0};
	uint8_t *match = malloc(t->srcloc_count + 1);
	bool any = false;
	int r = match ? 0 : TACHO_ENOMEM;

	for (uint32_t i = 0; r == 0 && i < t->srcloc_count; i++) {
		match[i] = regexec(wanted, trace_srcloc_name(t, i), 0, NULL, 0) == 0;
		any |= match[i];
	}
	for (uint32_t track = 0; any && r == 0 && track < t->track_count; track++) {
		uint64_t until = 0;

		if (t->tracks[track].kind != TRACE_THREAD)
			continue;
		r = visit_zones_read(t, track, match, &zones);
		for (size_t i = 0; i < zones.n && r == 0; i++) {
			const struct visit_zone *z = &zones.v[i];
			const uint32_t *number = map_get(&numbers, z->srcloc);
			struct fleet_visit v = {.name = trace_srcloc_name(t, z->srcloc),
						.number = number ? *number : 0};

			if (z->start < until)
				continue;
			until = z->end;
			v.arrive = fleet_time(f, s->host, z->start);
			v.leave = fleet_time(f, s->host, z->end);
			r = map_set(&numbers, z->srcloc, v.number + 1);
			if (r == 0)
				r = vec_push(&s->visits, v);
		}
	}
	vec_free(&zones);
	map_free(&numbers);
	free(match);
	return r;
}

ORDER_BY(visit_compare, struct fleet_visit, strcmp(x->name, y->name) ?: ORDER_UP(number));

int fleet_markers_compile(regex_t *wanted, const char *markers, struct tacho_error *err)
{
	char message[100];
	int r = regcomp(wanted, markers ? markers : fleet_markers,
			REG_EXTENDED | REG_NOSUB | (markers ? 0 : REG_ICASE));

	if (r == 0)
		return 0;
	regerror(r, wanted, message, sizeof(message));
	return err_set(err, TACHO_EUSAGE, "--markers: %s", message);
}

int fleet_collect(struct fleet *f, struct tacho_error *err)
{
	regex_t wanted;
	int r = fleet_markers_compile(&wanted, f->options->markers, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < f->source_count && r == 0; i++) {
		r = visits_read(f, &f->sources[i], &wanted);
		if (r < 0)
			err_set(err, r, "cannot read %s", f->sources[i].path);
		else if (f->sources[i].visits.n)
			qsort(f->sources[i].visits.v, f->sources[i].visits.n,
			      sizeof(struct fleet_visit), visit_compare);
	}
	regfree(&wanted);
	return r;
}

/* A collective that all recordings of a host share. */
struct host_visit {
	struct fleet_visit v;
	uint32_t members;
};

struct host_visits {
	VEC(struct host_visit);
};

static int host_visit_compare(const void *a, const void *b)
{
	return visit_compare(&((const struct host_visit *)a)->v,
			     &((const struct host_visit *)b)->v);
}

/* The last of a host's members to arrive and the first to leave constrain the most. */
static int host_visits_make(const struct fleet *f, size_t host, struct host_visits *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->source_count; i++)
		for (size_t k = 0; f->sources[i].host == host && k < f->sources[i].visits.n; k++)
			if (vec_push(list, ((struct host_visit){f->sources[i].visits.v[k], 1})) < 0)
				return TACHO_ENOMEM;
	if (list->n)
		qsort(list->v, list->n, sizeof(*list->v), host_visit_compare);
	for (size_t i = 0; i < list->n; i++) {
		struct host_visit *last = kept ? &list->v[kept - 1] : NULL;

		if (last && host_visit_compare(last, &list->v[i]) == 0) {
			last->v.arrive = fmax(last->v.arrive, list->v[i].v.arrive);
			last->v.leave = fmin(last->v.leave, list->v[i].v.leave);
			last->members++;
		} else {
			list->v[kept++] = list->v[i];
		}
	}
	list->n = kept;
	return 0;
}

ORDER_BY(instance_compare, struct align_instance, ORDER_UP(leave));

/* Pairs the visits of two hosts by name and number. */
static int host_match(const struct host_visits *ref, const struct host_visits *own,
		      struct align_instances *list, size_t *unmatched)
{
	size_t i = 0, k = 0;

	*unmatched = 0;
	while (i < ref->n && k < own->n) {
		int order = host_visit_compare(&ref->v[i], &own->v[k]);
		const struct fleet_visit *a = &ref->v[i].v, *b = &own->v[k].v;

		if (order == 0 &&
		    vec_push(list, ((struct align_instance){b->arrive, b->leave, a->arrive,
							    a->leave})) < 0)
			return TACHO_ENOMEM;
		*unmatched += order != 0;
		i += order <= 0;
		k += order >= 0;
	}
	*unmatched += ref->n - i + own->n - k;
	if (list->n)
		qsort(list->v, list->n, sizeof(*list->v), instance_compare);
	return 0;
}

int fleet_clock_set(struct fleet_clock *c, const struct align_line *line, enum fleet_method method)
{
	c->lines.n = 0;
	c->bound = line->bound;
	c->spread = line->spread;
	c->out->method = method;
	return vec_push(&c->lines, *line) < 0 ? TACHO_ENOMEM : 0;
}

/* The real-time clocks are taken as equal: right to NTP's error, which is unknown. */
static int align_by_realtime(struct fleet_clock *c)
{
	return fleet_clock_set(c, &(struct align_line){.bound = NAN, .spread = NAN},
			       FLEET_REALTIME);
}

static int align_by_collectives(struct fleet *f, size_t host, const struct align_instances *list)
{
	struct fleet_clock *c = &f->clocks[host];
	int r = align_fit_lines(&c->lines, list, fleet_time(f, host, c->first),
				fleet_time(f, host, c->last));

	if (r == TACHO_ENO) {
		const struct align_line why = c->lines.v[0];

		snprintf(c->out->trouble, sizeof(c->out->trouble),
			 "collectives contradict: those at %.3f s and %.3f s by %.1f us",
			 list->v[why.first].leave / 1e9, list->v[why.second].leave / 1e9,
			 why.excess / 1e3);
		return align_by_realtime(c);
	}
	c->out->method = FLEET_COLLECTIVES;
	c->bound = c->spread = 0;
	for (size_t i = 0; i < c->lines.n; i++) {
		c->bound = fmax(c->bound, c->lines.v[i].bound);
		c->spread = fmax(c->spread, c->lines.v[i].spread);
	}
	return r;
}

static int align_host(struct fleet *f, const struct host_visits *ref, size_t host)
{
	struct fleet_clock *c = &f->clocks[host];
	struct align_instances list = {0};
	struct host_visits own = {0};
	int r = host_visits_make(f, host, &own);

	if (r == 0)
		r = host_match(ref, &own, &list, &c->out->unmatched);
	c->out->collectives = list.n;
	if (r == 0)
		r = list.n ? align_by_collectives(f, host, &list) : align_by_realtime(c);
	vec_free(&own);
	vec_free(&list);
	return r;
}

int fleet_align_hosts(struct fleet *f)
{
	struct host_visits ref = {0};
	int r = host_visits_make(f, f->reference, &ref);

	for (size_t i = 0; i < f->host_count && r == 0; i++) {
		if (f->options->align == FLEET_ALIGN_REALTIME)
			r = align_by_realtime(&f->clocks[i]);
		else if (i != f->reference)
			r = align_host(f, &ref, i);
		if (f->options->align == FLEET_ALIGN_COLLECTIVES && i != f->reference &&
		    f->clocks[i].out->method == FLEET_REALTIME && !f->clocks[i].out->trouble[0])
			snprintf(f->clocks[i].out->trouble, sizeof(f->clocks[i].out->trouble),
				 "no collective in common with the reference");
	}
	vec_free(&ref);
	return r < 0 ? r
		     : fleet_clock_set(&f->clocks[f->reference], &(struct align_line){0},
				       FLEET_REFERENCE);
}
