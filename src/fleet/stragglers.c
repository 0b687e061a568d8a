/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the members that are late to collectives. A unit (a device, a process) is digested as soon
 * as it is read: spans become sums, and visits of collectives with what was computed before each.
 */
#include "fleet/stragglers.h"

#include "base/map.h"
#include "base/order.h"
#include "fleet/private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define INSTANCES_MAX 10000000u

struct strag_span {
	double start, end;
	uint32_t kind, lane;
};

struct strag_cause {
	uint32_t kind;
	float ns;
};

struct strag_visit {
	uint32_t kind, number, instance;
	uint32_t cause, causes; /* in stragglers_visits.causes */
	double arrive, duration;
};

struct stragglers_visits {
	VEC(struct strag_visit);
	struct {
		VEC(struct strag_cause);
	} causes;
	double span, error;
	uint32_t lanes, units; /* lanes that have visits */
};

struct strag_kind {
	char *name;
	bool collective;
	uint32_t visits, first; /* of one member at most; its first instance */
	/* While a lane is read */
	uint32_t number;
	double since; /* computed since the last visit */
};

struct stragglers_private {
	struct {
		VEC(struct strag_kind);
	} kinds;
	struct map by_name; /* hash of the name to its kind */
	regex_t wanted;
	bool has_regex;
	uint32_t ring;
	struct {
		VEC(struct strag_span);
	} spans; /* of the unit */
	struct {
		VEC(uint32_t);
	} touched; /* kinds with .since */
	struct {
		VEC(struct stragglers_member);
	} members;
};

/* ------------------------------------------------------------------ input */

int stragglers_begin(struct stragglers *s, const struct stragglers_options *options,
		     struct tacho_error *err)
{
	struct stragglers_private *p = calloc(1, sizeof(*p));
	int r;

	*s = (struct stragglers){.straggler = STRAGGLERS_NOBODY, .by = options->by, .p = p};
	if (!p)
		return TACHO_ENOMEM;
	p->ring = options->ring;
	s->clock = true;
	r = fleet_markers_compile(&p->wanted, options->markers, err);
	p->has_regex = r == 0;
	return r;
}

int64_t stragglers_kind(struct stragglers *s, const char *name, size_t len, bool *collective)
{
	struct stragglers_private *p = s->p;
	uint64_t hash = XXH3_64bits(name, len);
	struct strag_kind new = {0};
	uint32_t *known;

	while ((known = map_get(&p->by_name, hash))) {
		const struct strag_kind *k = &p->kinds.v[*known];

		if (strlen(k->name) == len && !memcmp(k->name, name, len)) {
			*collective = k->collective;
			return *known;
		}
		hash++;
	}
	new.name = strndup(name, len);
	if (!new.name || vec_push(&p->kinds, new) < 0) {
		free(new.name);
		return TACHO_ENOMEM;
	}
	*collective = regexec(&p->wanted, new.name, 0, NULL, 0) == 0;
	p->kinds.v[p->kinds.n - 1].collective = *collective;
	if (map_set(&p->by_name, hash, (uint32_t)p->kinds.n - 1) < 0)
		return TACHO_ENOMEM;
	return (int64_t)p->kinds.n - 1;
}

int stragglers_span(struct stragglers *s, uint32_t lane, uint32_t kind, double start, double end)
{
	return vec_push(&s->p->spans, ((struct strag_span){start, end, kind, lane}));
}

static struct stragglers_member *member_find(struct stragglers *s,
					     const struct stragglers_member *who)
{
	struct stragglers_private *p = s->p;
	struct stragglers_member new = *who;

	for (size_t i = 0; i < p->members.n; i++) {
		struct stragglers_member *m = &p->members.v[i];

		if (s->by == STRAGGLERS_HOST
			    ? !strcmp(m->host, who->host)
			    : m->rank == who->rank && m->pid == who->pid &&
				      (s->by == STRAGGLERS_RANK || m->device == who->device))
			return m;
	}
	if (s->by == STRAGGLERS_HOST)
		new.rank = -1;
	if (s->by == STRAGGLERS_HOST || s->by == STRAGGLERS_RANK)
		new.device = -1;
	new.visits = calloc(1, sizeof(*new.visits));
	if (!new.visits || vec_push(&p->members, new) < 0) {
		free(new.visits);
		return NULL;
	}
	return &p->members.v[p->members.n - 1];
}

/* Ends the time since the last visit: its sums go to the visit, or nowhere. */
static int causes_end(struct stragglers_private *p, struct stragglers_visits *out,
		      struct strag_visit *visit)
{
	if (visit)
		visit->cause = (uint32_t)out->causes.n;
	for (size_t i = 0; i < p->touched.n; i++) {
		struct strag_kind *k = &p->kinds.v[p->touched.v[i]];

		if (visit && vec_push(&out->causes,
				      ((struct strag_cause){p->touched.v[i], (float)k->since})) < 0)
			return TACHO_ENOMEM;
		k->since = 0;
	}
	if (visit)
		visit->causes = (uint32_t)p->touched.n;
	p->touched.n = 0;
	return 0;
}

/* The visits of the unit. */
static int unit_visits(struct stragglers_private *p, struct stragglers_visits *out)
{
	uint32_t lane = UINT32_MAX, counted = UINT32_MAX;
	int r = 0;

	for (size_t i = 0; i < p->spans.n && r == 0; i++) {
		const struct strag_span *span = &p->spans.v[i];
		struct strag_kind *k = &p->kinds.v[span->kind];
		struct strag_visit visit;

		if (span->lane != lane) {
			lane = span->lane;
			for (size_t n = 0; n < p->kinds.n; n++)
				p->kinds.v[n].number = 0;
			r = causes_end(p, out, NULL);
		}
		if (!k->collective) {
			if (k->since == 0)
				r = vec_push(&p->touched, span->kind);
			k->since += span->end - span->start;
			continue;
		}
		if (counted != lane)
			out->lanes++;
		counted = lane;
		visit = (struct strag_visit){.kind = span->kind,
					     .number = k->number++,
					     .arrive = span->start,
					     .duration = span->end - span->start};
		if (k->number > k->visits)
			k->visits = k->number;
		if (r == 0)
			r = causes_end(p, out, &visit);
		if (r == 0)
			r = vec_push(out, visit);
	}
	causes_end(p, out, NULL);
	return r;
}

ORDER_BY(span_compare, struct strag_span, ORDER_UP(start));

/* Adds what is new of a span to a union whose end so far is *UNTIL; returns the gap before it. */
static double union_add(double *sum, double *until, double start, double end)
{
	double gap = start - *until;

	if (end <= *until)
		return 0;
	*sum += end - (start > *until ? start : *until);
	*until = end;
	return gap;
}

/* The union of all spans, of computations and of collectives. */
static void unit_breakdown(struct stragglers_private *p, struct stragglers_member *m, bool placed)
{
	double sum[2] = {0, 0}, until[2] = {-INFINITY, -INFINITY}, any = 0, end = -INFINITY;
	double gaps = 0, short_gaps = 0, both;

	for (size_t i = 1; i < p->spans.n; i++)
		if (p->spans.v[i].start < p->spans.v[i - 1].start) {
			qsort(p->spans.v, p->spans.n, sizeof(*p->spans.v), span_compare);
			break;
		}
	for (size_t i = 0; i < p->spans.n; i++) {
		const struct strag_span *span = &p->spans.v[i];
		int comm = p->kinds.v[span->kind].collective;
		double gap;

		union_add(&sum[comm], &until[comm], span->start, span->end);
		gap = union_add(&any, &end, span->start, span->end);
		if (i && gap > 0) {
			gaps += gap;
			short_gaps += gap <= STRAGGLERS_SHORT ? gap : 0;
		}
	}
	both = sum[0] + sum[1] - any;
	both = both < 0.5 ? 0 : both; /* rounding */
	m->compute += sum[0] - both;
	m->comm += sum[1] - both;
	m->both += both;
	m->idle += placed ? gaps : NAN;
	m->short_idle += placed ? short_gaps : NAN;
	m->visits->span += any + gaps;
}

int stragglers_unit(struct stragglers *s, const struct stragglers_member *who, double error,
		    bool placed, bool only_meeting)
{
	struct stragglers_private *p = s->p;
	struct stragglers_member *m;
	bool meets = !only_meeting;
	int r = 0;

	for (size_t i = 0; i < p->spans.n && !meets; i++)
		meets = p->kinds.v[p->spans.v[i].kind].collective;
	if (meets && p->spans.n) {
		m = member_find(s, who);
		if (!m)
			return TACHO_ENOMEM;
		r = unit_visits(p, m->visits);
		if (r == 0)
			unit_breakdown(p, m, placed);
		m->visits->error = error;
		m->visits->units++;
		if (isnan(error))
			s->clock = false;
		else if (error > s->clock_error)
			s->clock_error = error;
	}
	p->spans.n = 0;
	return r;
}

/* --------------------------------------------------------------- analysis */

ORDER_BY(member_compare, struct stragglers_member,
	 ORDER_UP(rank) ?: ORDER_UP(device) ?: ORDER_UP(pid) ?: strcmp(x->host, y->host));

ORDER_BY(visit_order, struct strag_visit, ORDER_UP(kind) ?: ORDER_UP(number) ?: ORDER_UP(duration));

/*
 * Of a member's devices or threads the last to arrive counts: the one that waits least. It is
 * also the last to arrive, where arrivals can be compared.
 */
static void visits_combine(struct stragglers_visits *v)
{
	size_t kept = 0;

	if (v->lanes < 2)
		return;
	qsort(v->v, v->n, sizeof(*v->v), visit_order);
	for (size_t i = 0; i < v->n; i++)
		if (!kept || v->v[kept - 1].kind != v->v[i].kind ||
		    v->v[kept - 1].number != v->v[i].number)
			v->v[kept++] = v->v[i];
	v->n = kept;
}

/* State of an instance while its members are visited. */
struct strag_sum {
	double least, second, most, total, latest, before;
	uint32_t fastest, members;
};

static void sum_add(struct strag_sum *i, const struct strag_visit *v, uint32_t member)
{
	if (i->members++ == 0)
		*i = (struct strag_sum){INFINITY, INFINITY, 0, 0, -INFINITY, -INFINITY, member, 1};
	i->total += v->duration;
	i->most = fmax(i->most, v->duration);
	if (v->duration < i->least) {
		i->second = i->least;
		i->least = v->duration;
		i->fastest = member;
	} else if (v->duration < i->second) {
		i->second = v->duration;
	}
	if (v->arrive > i->latest) {
		i->before = i->latest;
		i->latest = v->arrive;
	} else if (v->arrive > i->before) {
		i->before = v->arrive;
	}
}

static bool is_tie(const struct strag_sum *i)
{
	return i->second - i->least <= STRAGGLERS_TIE * i->least;
}

static uint32_t group_size(const struct stragglers *s, uint32_t member)
{
	uint32_t n = (uint32_t)s->member_count, ring = s->p->ring;

	if (!ring || ring >= n)
		return n;
	return n - member / ring * ring < ring ? n % ring : ring;
}

static int sums_make(struct stragglers *s, struct strag_sum **out, size_t *count,
		     struct tacho_error *err)
{
	struct stragglers_private *p = s->p;
	uint32_t ring = p->ring && p->ring < s->member_count ? p->ring : (uint32_t)s->member_count;
	uint64_t groups = (s->member_count + ring - 1) / ring, n = 0;

	for (size_t i = 0; i < p->kinds.n; i++) {
		p->kinds.v[i].first = (uint32_t)n;
		n += p->kinds.v[i].visits * groups;
		if (n > INSTANCES_MAX)
			return err_set(err, TACHO_ELIMIT, "more than %u collectives",
				       INSTANCES_MAX);
	}
	*out = calloc(n + 1, sizeof(**out));
	*count = n;
	if (!*out)
		return TACHO_ENOMEM;
	for (uint32_t m = 0; m < s->member_count; m++) {
		struct stragglers_visits *v = s->members[m].visits;

		visits_combine(v);
		for (size_t i = 0; i < v->n; i++) {
			struct strag_visit *visit = &v->v[i];

			visit->instance = (uint32_t)(p->kinds.v[visit->kind].first +
						     visit->number * groups + m / ring);
			sum_add(&(*out)[visit->instance], visit, m);
		}
	}
	return 0;
}

static int instances_make(struct stragglers *s, const struct strag_sum *sums, size_t count)
{
	struct stragglers_private *p = s->p;
	uint64_t groups = 1;

	if (p->ring && p->ring < s->member_count)
		groups = (s->member_count + p->ring - 1) / p->ring;
	s->instances = calloc(count + 1, sizeof(*s->instances));
	if (!s->instances)
		return TACHO_ENOMEM;
	for (size_t k = 0; k < p->kinds.n; k++)
		for (uint64_t n = 0; n < p->kinds.v[k].visits * groups; n++) {
			const struct strag_sum *i = &sums[p->kinds.v[k].first + n];
			struct stragglers_instance *out = &s->instances[s->instance_count];
			double others = i->members - 1;

			if (i->members == 0)
				continue; /* of another group */
			if (i->members < 2 || i->members < group_size(s, i->fastest)) {
				s->incomplete++;
				continue;
			}
			s->instance_count++;
			*out = (struct stragglers_instance){
				.name = p->kinds.v[k].name,
				.number = (uint32_t)(n / groups),
				.group = (uint32_t)(n % groups),
				.members = i->members,
				.last = is_tie(i) ? STRAGGLERS_NOBODY : i->fastest,
				.transfer = i->least,
				.lead = i->second - i->least,
				.mean_wait = (i->total - i->members * i->least) / others,
				.longest_wait = i->most - i->least,
				.clock_lead = s->clock ? i->latest - i->before : NAN,
			};
			if (out->last == STRAGGLERS_NOBODY)
				s->ties++;
			else
				s->members[out->last].last++;
		}
	return 0;
}

static void members_sum(struct stragglers *s, const struct strag_sum *sums)
{
	double spans = 0;
	uint64_t visits = 0;

	for (uint32_t m = 0; m < s->member_count; m++) {
		struct stragglers_member *member = &s->members[m];
		const struct stragglers_visits *v = member->visits;

		member->clock_waited = s->clock ? 0 : NAN;
		for (size_t i = 0; i < v->n; i++) {
			const struct strag_visit *visit = &v->v[i];
			const struct strag_sum *sum = &sums[visit->instance];
			double wait = visit->duration - sum->least;

			if (sum->members < 2 || sum->members < group_size(s, m))
				continue;
			member->collectives++;
			member->waited += wait;
			member->transfer += sum->least;
			if (s->clock) {
				double by_clock = sum->latest - visit->arrive;

				member->clock_waited += by_clock;
				s->clock_differ +=
					fabs(by_clock - wait) >
					v->error + s->clock_error + STRAGGLERS_TIE * sum->least;
			}
		}
		spans += v->span / v->units;
		visits += member->collectives;
	}
	s->interval = visits ? spans / (double)visits : 0;
}

/* Names the member that is last most often, if the others wait for it noticeably. */
static void straggler_name(struct stragglers *s)
{
	uint32_t late = 0, size, others = 0;
	double part, decided, waits = 0;

	for (uint32_t m = 1; m < s->member_count; m++)
		if (s->members[m].last > s->members[late].last)
			late = m;
	size = s->member_count ? group_size(s, late) : 0;
	if (size < 2)
		return;
	part = fmax(0.5, fmin(0.9, 2.0 / size));
	decided = 0;
	s->others_least = INFINITY;
	for (uint32_t m = 0; m < s->member_count; m++) {
		const struct stragglers_member *member = &s->members[m];
		double wait;

		if (s->p->ring && m / s->p->ring != late / s->p->ring)
			continue;
		decided += (double)member->last;
		if (m == late || !member->collectives)
			continue;
		wait = member->waited / (double)member->collectives;
		waits += wait;
		others++;
		s->others_least = fmin(s->others_least, wait);
		s->others_most = fmax(s->others_most, wait);
	}
	if (decided >= STRAGGLERS_ENOUGH && (double)s->members[late].last > part * decided &&
	    others && waits / others > 0.05 * s->interval)
		s->straggler = late;
}

static int cause_compare(const void *a, const void *b)
{
	const struct stragglers_cause *x = a, *y = b;
	double dx = x->late - x->others, dy = y->late - y->others;

	return dx > dy ? -1 : dx < dy ? 1 : strcmp(x->name, y->name);
}

/*
 * What the straggler computed before the collectives that it was last in, against the median of
 * the others before the same ones.
 */
static int causes_find(struct stragglers *s, const struct strag_sum *sums)
{
	size_t kinds = s->p->kinds.n, n = s->member_count;
	uint32_t late = s->straggler, ring = s->p->ring;
	double *totals = calloc(kinds * n + 1, sizeof(*totals));
	double *others = calloc(n + 1, sizeof(*others));

	s->causes = calloc(kinds + 1, sizeof(*s->causes));
	if (!totals || !others || !s->causes) {
		free(totals);
		free(others);
		return TACHO_ENOMEM;
	}
	for (uint32_t m = 0; m < n; m++) {
		const struct stragglers_visits *v = s->members[m].visits;

		for (size_t i = 0; i < v->n; i++) {
			const struct strag_visit *visit = &v->v[i];
			const struct strag_sum *sum = &sums[visit->instance];

			if (sum->fastest != late || is_tie(sum))
				continue;
			for (uint32_t k = 0; k < visit->causes; k++) {
				const struct strag_cause *c = &v->causes.v[visit->cause + k];

				totals[c->kind * n + m] += (double)c->ns;
			}
		}
	}
	for (size_t k = 0; k < kinds; k++) {
		size_t count = 0;
		struct stragglers_cause c = {s->p->kinds.v[k].name, totals[k * n + late], 0};

		for (uint32_t m = 0; m < n; m++)
			if (m != late && (!ring || m / ring == late / ring))
				others[count++] = totals[k * n + m];
		qsort(others, count, sizeof(*others), order_double);
		c.others = (others[count / 2] + others[(count - 1) / 2]) / 2;
		if (c.late > 0 || c.others > 0)
			s->causes[s->cause_count++] = c;
	}
	qsort(s->causes, s->cause_count, sizeof(*s->causes), cause_compare);
	free(totals);
	free(others);
	return 0;
}

int stragglers_analyze(struct stragglers *s, struct tacho_error *err)
{
	struct stragglers_private *p = s->p;
	struct strag_sum *sums = NULL;
	size_t count = 0;
	int r;

	s->members = p->members.v;
	s->member_count = p->members.n;
	if (s->member_count < 2)
		return err_set(err, TACHO_EFORMAT,
			       s->member_count ? "only one member: nothing to wait for"
					       : "there are no collectives");
	qsort(s->members, s->member_count, sizeof(*s->members), member_compare);
	r = sums_make(s, &sums, &count, err);
	if (r == 0)
		r = instances_make(s, sums, count);
	if (r == 0 && !s->instance_count)
		r = err_set(err, TACHO_EFORMAT, "no collective has all members");
	if (r == 0) {
		members_sum(s, sums);
		straggler_name(s);
		if (s->straggler != STRAGGLERS_NOBODY)
			r = causes_find(s, sums);
	}
	free(sums);
	return r;
}

const char *stragglers_name(const struct stragglers *s, const struct stragglers_member *m,
			    char *text)
{
	if (s->by == STRAGGLERS_HOST)
		snprintf(text, 100, "host %s", m->host);
	else if (m->pid)
		snprintf(text, 100, "process %u", m->pid);
	else if (m->device >= 0)
		snprintf(text, 100, "rank %lld device %lld", (long long)m->rank,
			 (long long)m->device);
	else
		snprintf(text, 100, "rank %lld", (long long)m->rank);
	return text;
}

void stragglers_free(struct stragglers *s)
{
	struct stragglers_private *p = s->p;

	for (size_t i = 0; p && i < p->members.n; i++) {
		vec_free(&p->members.v[i].visits->causes);
		vec_free(p->members.v[i].visits);
		free(p->members.v[i].visits);
	}
	for (size_t i = 0; p && i < p->kinds.n; i++)
		free(p->kinds.v[i].name);
	if (p) {
		vec_free(&p->members);
		vec_free(&p->kinds);
		vec_free(&p->spans);
		vec_free(&p->touched);
		map_free(&p->by_name);
		if (p->has_regex)
			regfree(&p->wanted);
	}
	free(s->instances);
	free(s->causes);
	free(p);
	*s = (struct stragglers){0};
}
