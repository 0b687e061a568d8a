/* SPDX-License-Identifier: Apache-2.0 */
/* Values of plots over time with a pyramid of minima and maxima. */
#include "view/plot_values.h"
#include "base/search.h"
#include "trace/names.h"
#include "view/tiles.h"

#include <math.h>
#include <string.h>

#define LATE 4096u /* at most this many values are moved for a late one */

/* ---------------------------------------------------------------- making */

static void range_join(struct value_range *to, struct value_range more)
{
	to->min = more.min < to->min ? more.min : to->min;
	to->max = more.max > to->max ? more.max : to->max;
}

/* Entry I of level K: what FAN entries below it have. */
static struct value_range range_of(const struct values *v, unsigned k, size_t i)
{
	struct value_range r = {INFINITY, -INFINITY};

	for (size_t n = i * VALUES_FAN; n < (i + 1) * VALUES_FAN; n++)
		range_join(&r, k ? v->levels[k - 1].v[n]
				 : (struct value_range){v->v[n].value, v->v[n].value});
	return r;
}

/* Adds the groups that are whole now. */
static int levels_add(struct values *v)
{
	size_t below = v->n;

	for (unsigned k = 0; k < VALUES_LEVELS && below >= VALUES_FAN; k++) {
		while (v->levels[k].n < below / VALUES_FAN) {
			struct value_range r = range_of(v, k, v->levels[k].n);

			if (spill_push(&v->levels[k], r) < 0)
				return TACHO_ENOMEM;
		}
		below = v->levels[k].n;
	}
	return 0;
}

/* Moves the last value, which came late, to its place, and drops the groups from there on. */
static void value_settle(struct values *v)
{
	size_t at = v->n - 1, low = v->n > LATE ? v->n - LATE : 0;
	struct value late = v->v[at];

	for (; at > low && v->v[at - 1].time > late.time; at--)
		v->v[at] = v->v[at - 1];
	if (at && late.time < v->v[at - 1].time)
		late.time = v->v[at - 1].time;
	v->v[at] = late;
	for (unsigned k = 0; k < VALUES_LEVELS; k++) {
		at /= VALUES_FAN;
		if (v->levels[k].n > at)
			v->levels[k].n = at;
	}
}

int values_add(struct values *v, uint64_t time, double value)
{
	bool late = v->n && time < v->v[v->n - 1].time;

	if (spill_push(v, ((struct value){time, value})) < 0)
		return TACHO_ENOMEM;
	if (late)
		value_settle(v);
	return late || v->n % VALUES_FAN == 0 ? levels_add(v) : 0;
}

bool plot_value(const struct trace_row *row, double *value)
{
	if (row->kind != TRACE_ROW_PLOT_INT && row->kind != TRACE_ROW_PLOT_REAL)
		return false;
	*value = trace_plot_value(row);
	return isfinite(*value);
}

static int plot_take(struct row_cache *k, const struct trace_row *row)
{
	double value;

	return plot_value(row, &value) ? values_add((struct values *)k, row->time, value) : 0;
}

size_t values_memory(const struct values *v)
{
	size_t bytes = spill_memory(&v->store);

	for (unsigned i = 0; i < VALUES_LEVELS; i++)
		bytes += spill_memory(&v->levels[i].store);
	return bytes;
}

void values_rest(const struct values *v)
{
	spill_rest(&v->store);
	spill_rest(&v->levels[0].store);
}

void values_clear(struct values *v)
{
	spill_free(v);
	for (unsigned i = 0; i < VALUES_LEVELS; i++)
		spill_free(&v->levels[i]);
}

static size_t plot_memory(const struct row_cache *k)
{
	return sizeof(struct values) + values_memory((const struct values *)k);
}

static void plot_rest(struct row_cache *k, bool last)
{
	(void)last;
	values_rest((const struct values *)k);
}

static void plot_free(struct row_cache *k)
{
	values_clear((struct values *)k);
	free(k);
}

int plot_of(struct view_call *c, uint32_t track, struct values **values)
{
	static const struct row_cache_kind plot = {sizeof(struct values), plot_take, plot_memory,
						   plot_rest, plot_free};
	struct row_cache *k = NULL;
	int r = row_cache_get(c, track, &plot, &k);

	*values = (struct values *)k;
	return r;
}

/* ----------------------------------------------------------------- asking */

struct value_range values_range(const struct values *v, size_t first, size_t end)
{
	struct value_range r = {INFINITY, -INFINITY};

	while (first < end) {
		struct value_range more = {v->v[first].value, v->v[first].value};
		size_t size = 1;

		for (unsigned k = 0; k < VALUES_LEVELS; k++) {
			size_t group = size * VALUES_FAN;

			if (first % group || end - first < group || first / group >= v->levels[k].n)
				break;
			size = group;
			more = v->levels[k].v[first / group];
		}
		range_join(&r, more);
		first += size;
	}
	return r;
}

size_t values_find(const struct values *v, uint64_t t)
{
	size_t low = 0, high = v->n;

	SEARCH_FIRST(low, high, middle, v->v[middle].time < t);
	return low;
}

/* The pixel of value I. */
static uint64_t plot_values_pixel_of(const struct values *v, size_t i, uint64_t t0, double scale)
{
	return (uint64_t)((double)(v->v[i].time - t0) * scale);
}

void values_tile_put(struct view_call *c, const struct values *v, uint64_t t0, uint64_t t1,
		     double none)
{
	const double scale = VIEW_TILE / (double)(t1 - t0);
	size_t first = values_find(v, t0), end = values_find(v, t1);
	struct json *j = &c->json;

	json_array(j, "points");
	for (size_t i = first, next; i < end; i = next) {
		struct value_range r;
		uint64_t pixel = plot_values_pixel_of(v, i, t0, scale);
		size_t low = i + 1, step = 1, high;

		/* Find the end of the values in the pixel of value I. */
		while (low + step < end &&
		       plot_values_pixel_of(v, low + step, t0, scale) == pixel) {
			low += step;
			step *= 2;
		}
		high = low + step < end ? low + step : end;
		SEARCH_FIRST(low, high, middle,
			     plot_values_pixel_of(v, middle, t0, scale) == pixel);
		next = low;
		r = values_range(v, i, next);
		json_array(j, NULL);
		json_ns(c, NULL, v->v[i].time);
		json_double(j, NULL, r.min);
		json_double(j, NULL, r.max);
		json_double(j, NULL, v->v[next - 1].value);
		json_uint(j, NULL, next - i);
		json_end(j);
	}
	json_end(j);
	json_double(j, "before", first ? v->v[first - 1].value : none);
}
