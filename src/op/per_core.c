/* SPDX-License-Identifier: Apache-2.0 */
/* Gaps between ops on each core. */
#include "op/per_core.h"

#include "base/buf.h"
#include "op/build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define OWN_CYCLES 1500 /* the profiler's own overhead between two ops */

/* The cores of a device in order of x, then y. */
struct core_list {
	VEC(uint16_t);
};

static int compare_cores(const void *a, const void *b, void *arg)
{
	const struct devlog *dev = arg;
	const struct devlog_core *x = &dev->cores.v[*(const uint16_t *)a];
	const struct devlog_core *y = &dev->cores.v[*(const uint16_t *)b];

	if (x->x != y->x)
		return x->x < y->x ? -1 : 1;
	return x->y < y->y ? -1 : x->y > y->y;
}

static int list_cores(const struct devlog *dev, int64_t device, struct core_list *list)
{
	for (size_t i = 0; i < dev->cores.n; i++)
		if ((device == OP_NONE || dev->cores.v[i].device == device) &&
		    vec_push(list, (uint16_t)i) < 0)
			return TACHO_ENOMEM;
	if (list->n)
		qsort_r(list->v, list->n, sizeof(*list->v), compare_cores, (void *)dev);
	return 0;
}

static bool per_core_matters(const struct devlog *dev, const struct devlog_marker *m,
			     int64_t device)
{
	return dev->zone_flags.v[m->zone] & (ARCH_ZONE_KERNEL | ARCH_ZONE_BRISC_FW) &&
	       dev->cores.v[m->core].device == device;
}

/* DEVICE's relevant markers, core by core: those of core c begin at first[c] in *OUT. */
static int per_core_order(const struct devlog *dev, int64_t device, size_t *first,
			  struct devlog_marker **out)
{
	size_t n = 0, at = 0, most = 0;
	struct devlog_marker *tmp;

	for (size_t i = 0; i < dev->n; i++)
		if (per_core_matters(dev, &dev->markers[i], device)) {
			first[dev->markers[i].core + 1]++;
			n++;
		}
	for (size_t c = 0; c < dev->cores.n; c++) {
		most = first[c + 1] > most ? first[c + 1] : most;
		first[c + 1] += first[c];
	}
	*out = malloc((n + 1) * sizeof(**out));
	tmp = malloc((most + 1) * sizeof(*tmp));
	if (!*out || !tmp) {
		free(tmp);
		return TACHO_ENOMEM;
	}
	for (size_t i = 0; i < dev->n; i++) {
		const struct devlog_marker *m = &dev->markers[i];

		if (per_core_matters(dev, m, device))
			(*out)[first[m->core]++] = *m;
	}
	for (size_t c = dev->cores.n; c > 0; c--)
		first[c] = first[c - 1];
	first[0] = 0;
	for (size_t c = 0; c < dev->cores.n; c++, at = first[c])
		devlog_sort_markers(*out + at, tmp, first[c + 1] - at);
	free(tmp);
	return 0;
}

static uint64_t per_core_op_id(const struct devlog *dev, const struct devlog_marker *m)
{
	return dev->groups.v[dev->runs.v[m->run].group].id;
}

static int core_gaps(const struct devlog *dev, const struct devlog_marker *m, size_t n,
		     struct op_gaps *gaps)
{
	const struct devlog_marker *pass = NULL, *start = NULL, *start_pass = NULL;

	for (size_t i = 0; i < n; i++) {
		uint32_t zone = dev->zone_flags.v[m[i].zone];
		int type = m[i].type & DEVLOG_TYPE_MASK;

		if (zone & ARCH_ZONE_BRISC_FW && type == DEVLOG_START)
			pass = &m[i];
		if (start && type == DEVLOG_START &&
		    zone & (ARCH_ZONE_BRISC_KERNEL | ARCH_ZONE_NCRISC_KERNEL)) {
			struct op_gap gap = {start->time,
					     per_core_op_id(dev, start),
					     per_core_op_id(dev, &m[i]),
					     m[i].time - start->time,
					     m[i].core,
					     start_pass && pass && pass->time != start_pass->time,
					     false};

			if (vec_push(gaps, gap) < 0)
				return TACHO_ENOMEM;
			start = NULL;
		} else if (type == DEVLOG_END && zone & ARCH_ZONE_KERNEL) {
			start = &m[i];
			start_pass = pass;
		}
	}
	return 0;
}

int op_gaps_find(const struct devlog *dev, int64_t device, struct op_gaps *gaps)
{
	struct core_list cores = {0};
	struct devlog_marker *markers = NULL;
	size_t *first = calloc(dev->cores.n + 2, sizeof(*first));
	int r = first ? per_core_order(dev, device, first, &markers) : TACHO_ENOMEM;

	if (r == 0)
		r = list_cores(dev, device, &cores);
	for (size_t i = 0; i < cores.n && r == 0; i++) {
		uint16_t c = cores.v[i];

		r = core_gaps(dev, markers + first[c], first[c + 1] - first[c], gaps);
	}
	vec_free(&cores);
	free(markers);
	free(first);
	return r;
}

/* --- the file --- */

struct order {
	const struct devlog *dev;
	const struct op_gaps *gaps;
};

static int per_core_gaps_compare(const void *a, const void *b, void *arg)
{
	const struct order *o = arg;
	const struct op_gap *x = &o->gaps->v[*(const uint32_t *)a];
	const struct op_gap *y = &o->gaps->v[*(const uint32_t *)b];

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (x->cycles != y->cycles)
		return x->cycles < y->cycles ? -1 : 1;
	return compare_cores(&x->core, &y->core, (void *)o->dev);
}

struct table {
	const struct devlog *dev;
	uint32_t *column; /* of each core */
	uint32_t columns;
	int64_t *cells; /* of the row; INT64_MIN: empty */
	struct buf out;
};

/* Cores at the same place of different devices share a column. */
static int per_core_columns_choose(struct table *t)
{
	struct core_list all = {0};
	int r = list_cores(t->dev, OP_NONE, &all);

	t->column = calloc(t->dev->cores.n + 1, sizeof(*t->column));
	t->cells = calloc(t->dev->cores.n + 1, sizeof(*t->cells));
	if (!t->column || !t->cells)
		r = TACHO_ENOMEM;
	buf_adds(&t->out, "device ID,op2op ID");
	for (size_t i = 0; i < all.n && r == 0; i++) {
		const struct devlog_core *core = &t->dev->cores.v[all.v[i]];

		if (i == 0 || compare_cores(&all.v[i - 1], &all.v[i], (void *)t->dev)) {
			buf_addf(&t->out, ",%d; %d [ns]", core->x, core->y);
			t->columns++;
		}
		t->column[all.v[i]] = t->columns - 1;
	}
	buf_adds(&t->out, "\r\n");
	vec_free(&all);
	return r;
}

/* One core's part of the list of gaps; NEXT is its first gap that is not in a row yet. */
struct series {
	size_t next, end;
};

static size_t split_series(const struct op_gaps *gaps, struct series *series)
{
	size_t n = 0;

	for (size_t i = 0; i < gaps->n; i++) {
		if (i == 0 || gaps->v[i].core != gaps->v[i - 1].core)
			series[n++] = (struct series){i, i};
		series[n - 1].end = i + 1;
	}
	return n;
}

/* The row of GAP, with every core whose next gap is between the same two ops. */
static void fill_row(struct table *t, struct op_gaps *gaps, const struct op_gap *gap,
		     struct series *series, size_t n)
{
	for (uint32_t c = 0; c < t->columns; c++)
		t->cells[c] = INT64_MIN;
	for (size_t i = 0; i < n; i++) {
		struct op_gap *next = &gaps->v[series[i].next];

		if (series[i].next >= series[i].end || next->from != gap->from ||
		    next->to != gap->to)
			continue;
		t->cells[t->column[next->core]] = (int64_t)next->cycles - OWN_CYCLES;
		next->shown = true;
		series[i].next++;
	}
}

static int per_core_rows_add(struct table *t, int64_t device, struct op_gaps *gaps)
{
	uint32_t *order = calloc(gaps->n + 1, sizeof(*order));
	struct series *series = calloc(gaps->n + 1, sizeof(*series));
	int r = order && series ? 0 : TACHO_ENOMEM;
	size_t n = r == 0 ? split_series(gaps, series) : 0;

	for (uint32_t i = 0; i < gaps->n && r == 0; i++)
		order[i] = i;
	if (r == 0)
		qsort_r(order, gaps->n, sizeof(*order), per_core_gaps_compare,
			&(struct order){t->dev, gaps});
	for (size_t i = 0; i < gaps->n && r == 0; i++) {
		const struct op_gap *gap = &gaps->v[order[i]];

		if (gap->shown)
			continue;
		fill_row(t, gaps, gap, series, n);
		buf_addf(&t->out, "%" PRId64 ",%" PRIu64 " -> %" PRIu64, device, gap->from,
			 gap->to);
		for (uint32_t c = 0; c < t->columns; c++) {
			buf_addc(&t->out, ',');
			if (t->cells[c] != INT64_MIN)
				buf_addf(&t->out, "%" PRId64, t->cells[c]);
		}
		buf_adds(&t->out, "\r\n");
	}
	free(order);
	free(series);
	return r;
}

static int device_rows(struct table *t, int64_t device)
{
	struct op_gaps gaps = {0};
	size_t kept = 0;
	int r = op_gaps_find(t->dev, device, &gaps);

	for (size_t i = 0; i < gaps.n; i++)
		if (gaps.v[i].between)
			gaps.v[kept++] = gaps.v[i];
	gaps.n = kept;
	if (r == 0)
		r = per_core_rows_add(t, device, &gaps);
	vec_free(&gaps);
	return r;
}

int op_per_core_write(const struct devlog *dev, bool op2op, FILE *out, struct tacho_error *err)
{
	struct table t = {.dev = dev, .out = BUF_INIT};
	int r = per_core_columns_choose(&t);

	for (size_t i = 0; op2op && i < dev->devices.n && r == 0; i++)
		r = device_rows(&t, dev->devices.v[i]);
	if (r < 0 || t.out.failed)
		r = err_set(err, TACHO_ENOMEM, "out of memory");
	else if (fwrite(t.out.data, 1, t.out.len, out) < t.out.len)
		r = err_errno(err, TACHO_EWRITE, "cannot write the times between ops");
	buf_free(&t.out);
	free(t.column);
	free(t.cells);
	return r;
}
