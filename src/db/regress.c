/* SPDX-License-Identifier: Apache-2.0 */
/* Applies steps.h to the series of a database. */
#include "db/regress.h"

#include "base/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_OF_SERIES 16
#define LEAST_RUNS      4 /* of each side, for any answer */

const char *const regress_states[REGRESS_STATES] = {"worse", "better", "recovered"};

/* By state, then by size. */
static int finding_compare(const void *a, const void *b)
{
	const struct regress_finding *x = a, *y = b;
	double p = fabs(x->step.change), q = fabs(y->step.change);

	if (x->state != y->state)
		return x->state < y->state ? -1 : 1;
	return p != q ? (p < q) - (p > q)
		      : (x->series->id > y->series->id) - (x->series->id < y->series->id);
}

static enum regress_state step_state(const struct db_series *s, const struct step *step)
{
	return (step->change > 0) == (s->better < 0) ? REGRESS_WORSE : REGRESS_BETTER;
}

static void findings_sort(struct regress *out)
{
	if (out->n)
		qsort(out->v, out->n, sizeof(*out->v), finding_compare);
}

/* ----------------------------------------------------------------- history */

/* The first point that counts: of the last accepted commit. */
static size_t points_skipped(const struct db_series *s, const struct db_runs *runs,
			     const struct db_accepted_list *accepted)
{
	size_t first = 0;

	for (size_t i = 0; accepted && i < accepted->n; i++) {
		const struct db_accepted *a = &accepted->v[i];

		if ((a->series && a->series != s->id) || !a->sha[0])
			continue;
		for (size_t k = first; k < s->n; k++)
			if (!strncmp(runs->v[s->v[k].run].sha, a->sha, strlen(a->sha))) {
				first = k;
				break;
			}
	}
	return first;
}

static int64_t commits_between(const struct db_run *a, const struct db_run *b)
{
	if (!a->commit_seq || !b->commit_seq)
		return strcmp(a->sha, b->sha) ? 0 : 1;
	return b->commit_seq > a->commit_seq ? b->commit_seq - a->commit_seq : 1;
}

static int series_history(struct regress *out, const struct db_runs *runs,
			  const struct db_series *s, size_t first,
			  const struct steps_options *options, double *values)
{
	struct step steps[STEPS_OF_SERIES], *last;
	size_t n = 0;
	int r = 0;

	for (size_t i = first; i < s->n; i++)
		values[i - first] = s->v[i].value;
	n = steps_find(values, s->n - first, options, steps, STEPS_OF_SERIES);
	if (n == (size_t)-1)
		return TACHO_ENOMEM;
	last = &steps[n ? n - 1 : 0];
	for (size_t i = 0; i < n && r == 0; i++) {
		struct regress_finding f = {.series = s, .step = steps[i], .probability = NAN};

		f.state = step_state(s, &steps[i]);
		/* A later step the other way that ends at the old level takes it back. */
		if (f.state == REGRESS_WORSE && i + 1 < n &&
		    (last->change > 0) != (steps[i].change > 0) &&
		    fabs(last->after - steps[i].before) <=
			    2 * fmax(options->min_effect, 0.005) * fabs(steps[i].before))
			f.state = REGRESS_RECOVERED;
		f.before = s->v[first + steps[i].at - 1].run;
		f.after = s->v[first + steps[i].at].run;
		f.commits = commits_between(&runs->v[f.before], &runs->v[f.after]);
		f.step.at += first;
		f.step.from += first;
		f.step.to += first;
		out->counts[f.state]++;
		r = vec_push(out, f);
	}
	return r;
}

int regress_history(struct regress *out, const struct db_runs *runs,
		    const struct db_series_list *list, const struct db_accepted_list *accepted,
		    const struct regress_options *options, struct tacho_error *err)
{
	struct steps_options steps = {.min_effect = options->min_effect, .all = options->all};
	double *values = malloc((runs->n + 1) * sizeof(*values));
	size_t judged = 0;
	int r = values ? 0 : TACHO_ENOMEM;

	*out = (struct regress){.series = list->n, .noise = NAN, .visible = NAN};
	for (size_t i = 0; i < list->n; i++)
		judged +=
			list->v[i].n - points_skipped(&list->v[i], runs, accepted) >= STEPS_ENOUGH;
	out->undecided = list->n - judged;
	steps.z = steps_threshold(judged);
	for (size_t i = 0; i < list->n && r == 0; i++)
		r = series_history(out, runs, &list->v[i],
				   points_skipped(&list->v[i], runs, accepted), &steps, values);
	free(values);
	findings_sort(out);
	if (r < 0)
		regress_free(out);
	return r < 0 ? err_set(err, r, "no memory for the history") : r;
}

/* ---------------------------------------------------------------- two sets */

static bool run_is_named(const struct db_run *run, const char *word, size_t len)
{
	if (!len)
		return false;
	return (!strncmp(run->branch, word, len) && !run->branch[len]) ||
	       (len >= 4 && !strncmp(run->sha, word, len)) ||
	       (len >= 4 && !strncmp(run->id, word, len));
}

int regress_select(const struct db_runs *runs, const char *word, bool *selected,
		   struct tacho_error *err)
{
	const char *dots = strstr(word, "..");
	size_t len = dots ? (size_t)(dots - word) : strlen(word), n = 0;
	size_t from = runs->n, to = runs->n;

	for (size_t i = 0; i < runs->n; i++) {
		bool named = run_is_named(&runs->v[i], word, len);

		if (!dots) {
			selected[i] |= named;
			n += named;
		}
		from = named ? i : from;
		if (dots && run_is_named(&runs->v[i], dots + 2, strlen(dots + 2)))
			to = i;
	}
	for (size_t i = from + 1; dots && from < runs->n && to < runs->n && i <= to; i++, n++)
		selected[i] = true;
	if (n)
		return 0;
	return err_set(err, TACHO_EUSAGE, "no run of '%.100s': a commit, branch, run, or A..B",
		       word);
}

/* The smallest probability that M and N runs can give. */
static double probability_least(size_t m, size_t n)
{
	double ways = 1;

	for (size_t i = 1; i <= n; i++)
		ways = ways * (double)(m + i) / (double)i;
	return 1 / ways;
}

struct comparer {
	struct regress *out;
	const bool *base, *head;
	double *before, *after, *noises;
	size_t noise_count;
	double min_effect;
};

static int series_compare_sets(struct comparer *c, const struct db_series *s)
{
	struct regress_finding f = {.series = s};
	size_t m = 0, n = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (c->base[s->v[i].run]) {
			f.before = s->v[i].run;
			c->before[m++] = s->v[i].value;
		}
		if (c->head[s->v[i].run]) {
			f.after = n ? f.after : s->v[i].run;
			c->after[n++] = s->v[i].value;
		}
	}
	if (m < LEAST_RUNS || n < LEAST_RUNS || probability_least(m, n) > c->out->threshold) {
		c->out->undecided++;
		return 0;
	}
	c->noises[c->noise_count] = steps_noise(c->before, m);
	c->noise_count += !isnan(c->noises[c->noise_count]);
	if (!steps_compare(c->before, m, c->after, n, &f.step))
		return TACHO_ENOMEM;
	f.probability = steps_probability(c->before, m, c->after, n);
	if (isnan(f.probability))
		return TACHO_ENOMEM;
	f.state = step_state(s, &f.step);
	if (f.probability > c->out->threshold || !(fabs(f.step.change) >= c->min_effect))
		return 0;
	return vec_push(c->out, f);
}

ORDER_BY(probability_compare, struct regress_finding, ORDER_UP(probability));

/*
 * Holm's correction for many series, where the number of runs can pass it; else the findings stay,
 * and the caller says how many to expect by chance.
 */
static void findings_correct(struct regress *out, size_t judged, double least)
{
	size_t n = 0;

	if (out->n)
		qsort(out->v, out->n, sizeof(*out->v), probability_compare);
	if (judged && least <= 0.05 / (double)judged) {
		while (n < out->n && out->v[n].probability <= 0.05 / (double)(judged - n))
			n++;
		out->n = n;
		out->by_chance = 0.05;
	} else {
		out->by_chance = 2 * out->threshold * (double)judged;
	}
	for (size_t i = 0; i < out->n; i++)
		out->counts[out->v[i].state]++;
}

int regress_compare(struct regress *out, const struct db_runs *runs,
		    const struct db_series_list *list, const bool *base, const bool *head,
		    const struct regress_options *options, struct tacho_error *err)
{
	struct comparer c = {out,
			     base,
			     head,
			     malloc((runs->n + 1) * sizeof(double)),
			     malloc((runs->n + 1) * sizeof(double)),
			     malloc((list->n + 1) * sizeof(double)),
			     0,
			     options->min_effect > 0 ? options->min_effect : 0.005};
	double least;
	int r = c.before && c.after && c.noises ? 0 : TACHO_ENOMEM;

	*out = (struct regress){.series = list->n, .noise = NAN, .visible = NAN};
	for (size_t i = 0; i < runs->n; i++) {
		out->base_runs += base[i];
		out->head_runs += head[i];
	}
	least = probability_least(out->base_runs, out->head_runs);
	/* Five runs a side have 252 orders: the least probability is 0.004. */
	out->threshold = least > 0.001 ? 0.005 : 0.001;
	for (size_t i = 0; i < list->n && r == 0; i++)
		r = series_compare_sets(&c, &list->v[i]);
	if (r == 0 && c.noise_count) {
		qsort(c.noises, c.noise_count, sizeof(double), order_double);
		out->noise = c.noises[c.noise_count / 2];
		out->visible = fmax(c.min_effect, 3.3 * out->noise *
							  sqrt(1 / (double)out->base_runs +
							       1 / (double)out->head_runs));
	}
	free(c.before);
	free(c.after);
	free(c.noises);
	findings_correct(out, list->n - out->undecided, least);
	findings_sort(out);
	if (r < 0)
		regress_free(out);
	return r < 0 ? err_set(err, r, "no memory to compare") : r;
}

void regress_free(struct regress *out)
{
	vec_free(out);
}
