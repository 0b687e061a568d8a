/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges the devices of one machine, which run the same ops in parallel. Their rows are matched by
 * taking the first op of each device's queue as long as the names agree; one row then represents
 * all: the slowest, or for a collective, which waits for the others anyway, the mean.
 */
#include "perf/report.h"

#include <math.h>

struct queue {
	int32_t device;
	uint32_t *rows; /* into one array of all queues */
	size_t n, at, file;
	bool taken; /* by this step */
};

struct queues {
	struct queue *v;
	size_t n;
	uint32_t *rows;
	enum perf_model model;
	struct perf_merged *m;
	bool *seen;                          /* by file: a step had an op of it */
	uint64_t short_steps, strange_steps; /* steps at which a device had no op, or another one */
	int32_t short_device, strange_device;
	uint32_t strange_row;
};

static int compare_ids(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return x < y ? -1 : x > y;
}

static int merge_rows_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* The distinct device ids of the window, ascending; -1 or their number. */
static int64_t distinct_devices(const struct perf_order *order, const struct perf_input *in,
				int32_t **ids)
{
	size_t n = 0, distinct = 0;

	*ids = malloc((order->n + 1) * sizeof(**ids));
	if (!*ids)
		return -1;
	for (size_t i = 0; i < order->n; i++) {
		int32_t device = in->rows.v[order->v[i]].device;

		if (device != PERF_NO_DEVICE && (n == 0 || (*ids)[n - 1] != device))
			(*ids)[n++] = device;
	}
	qsort(*ids, n, sizeof(**ids), compare_ids);
	for (size_t i = 0; i < n; i++)
		if (distinct == 0 || (*ids)[distinct - 1] != (*ids)[i])
			(*ids)[distinct++] = (*ids)[i];
	return (int64_t)distinct;
}

static struct queue *queue_of(struct queues *q, int32_t device)
{
	size_t low = 0, high = q->n;

	while (low + 1 < high) {
		size_t middle = (low + high) / 2;

		if (q->v[middle].device <= device)
			low = middle;
		else
			high = middle;
	}
	return &q->v[low];
}

static bool merge_queued(const struct perf_row *row)
{
	return row->type == TYPE_DEVICE && row->device != PERF_NO_DEVICE;
}

static int fill_queues(struct queues *q, const int32_t *ids, size_t n,
		       const struct perf_order *order, const struct perf_input *in)
{
	uint32_t *at;

	q->v = calloc(n, sizeof(*q->v));
	q->rows = malloc((order->n + 1) * sizeof(*q->rows));
	if (!q->v || !q->rows)
		return TACHO_ENOMEM;
	q->n = n;
	for (size_t i = 0; i < n; i++)
		q->v[i].device = ids[i];
	for (size_t i = 0; i < order->n; i++)
		if (merge_queued(&in->rows.v[order->v[i]]))
			queue_of(q, in->rows.v[order->v[i]].device)->n++;
	at = q->rows;
	for (size_t i = 0; i < n; i++) {
		q->v[i].rows = at;
		at += q->v[i].n;
		q->v[i].n = 0;
	}
	for (size_t i = 0; i < order->n; i++) {
		const struct perf_row *row = &in->rows.v[order->v[i]];

		if (merge_queued(row)) {
			struct queue *queue = queue_of(q, row->device);

			if (!queue->n)
				queue->file = perf_file_of(in, order->v[i]);
			queue->rows[queue->n++] = order->v[i];
		}
	}
	return 0;
}

/* The mean of the durations so far, and the slowest of them. */
struct group {
	uint32_t first, slowest;
	double most; /* the duration of the slowest */
	struct perf_sum sum;
	size_t n;
};

static void group_add(struct group *g, const struct queues *q, const struct perf_input *in,
		      uint32_t row, bool first)
{
	bool invalid = q->model == PERF_MODEL_NEXT && perf_row_invalid(&in->rows.v[row]);
	double duration = invalid ? NAN : in->rows.v[row].duration;

	if (first)
		*g = (struct group){.first = row, .slowest = row, .most = duration};
	/* In release 1.2.4 no duration is longer than a blank one. */
	else if (duration > g->most || (isnan(g->most) && q->model != PERF_MODEL_1_2_4)) {
		g->slowest = row;
		g->most = duration;
	}
	if (!isnan(duration)) {
		perf_sum_add(&g->sum, duration);
		g->n++;
	}
}

static const struct perf_kind *merge_kind_of(const struct perf_input *in, uint32_t row)
{
	return &in->kinds.v[in->rows.v[row].kind];
}

/*
 * A file's first op has no gap before it. When another file's op represents it, the file's next
 * ones have one.
 */
static void note_steps(struct queues *q, const struct perf_input *in, uint32_t row)
{
	size_t file = perf_file_of(in, row);

	for (size_t i = 0; i < q->n; i++) {
		size_t f = q->v[i].file;

		if (q->v[i].taken && q->m->representative)
			q->m->representative[q->v[i].rows[q->v[i].at - 1]] = row;
		if (!q->v[i].taken || q->seen[f])
			continue;
		q->seen[f] = true;
		q->m->started[f] = f != file;
	}
}

/* Takes one op from each device that has it next. False when all queues are empty. */
static bool take_group(struct queues *q, struct perf_input *in, uint32_t *row)
{
	struct group g = {0};
	const struct perf_kind *kind = NULL;
	bool empty = false, other = false;

	for (size_t i = 0; i < q->n; i++) {
		struct queue *queue = &q->v[i];

		queue->taken = false;
		if (queue->at == queue->n) {
			empty = true;
			if (!q->short_steps)
				q->short_device = queue->device;
			continue;
		}
		*row = queue->rows[queue->at];
		if (!kind || kind->op_code == merge_kind_of(in, *row)->op_code) {
			group_add(&g, q, in, *row, !kind);
			kind = kind ? kind : merge_kind_of(in, *row);
			queue->at++;
			queue->taken = true;
		} else if (!other) {
			other = true;
			if (!q->strange_steps) {
				q->strange_device = queue->device;
				q->strange_row = *row;
			}
		}
	}
	if (!kind)
		return false;
	q->short_steps += empty;
	q->strange_steps += other;
	*row = kind->collective ? g.first : g.slowest;
	note_steps(q, in, *row);
	if (kind->collective)
		in->rows.v[*row].duration = g.n ? perf_sum_get(&g.sum) / (double)g.n : NAN;
	return true;
}

/* Ops that ran on an unnamed device are not merged. */
static void note_homeless(const struct perf_order *order, struct perf_input *in,
			  struct perf_notes *notes)
{
	uint64_t n = 0;
	uint32_t first = 0;

	for (size_t i = 0; i < order->n; i++) {
		const struct perf_row *row = &in->rows.v[order->v[i]];

		if (row->type == TYPE_DEVICE && row->device == PERF_NO_DEVICE && n++ == 0)
			first = order->v[i];
	}
	if (!n)
		return;
	perf_note(notes, NOTE_WARNING,
		  "%llu op%s of a device without a 'DEVICE ID', the first in line %u: not merged",
		  (unsigned long long)n, n > 1 ? "s" : "", perf_row_line(first));
	in->damaged = true;
}

/* Merged rows and rows without a device, in the order of the file. */
static int merge_queues(struct perf_order *order, struct perf_input *in, struct queues *q)
{
	struct perf_order merged = {0};
	uint32_t row;
	bool any = false;

	if (vec_reserve(&merged, order->n + 1) < 0)
		return TACHO_ENOMEM;
	while (take_group(q, in, &row)) {
		merged.v[merged.n++] = row;
		any = true;
	}
	/* Release 1.2.4 has no report of ops without a device when some row has one. */
	for (size_t i = 0; i < order->n && (any || q->model != PERF_MODEL_1_2_4); i++)
		if (!merge_queued(&in->rows.v[order->v[i]]))
			merged.v[merged.n++] = order->v[i];
	qsort(merged.v, merged.n, sizeof(*merged.v), merge_rows_compare);
	vec_free(order);
	*order = merged;
	return 0;
}

int perf_merge(struct perf_order *order, struct perf_input *in, const struct perf_options *options,
	       struct perf_notes *notes, struct perf_merged *m)
{
	struct queues q = {
		.model = options->model, .m = m, .seen = calloc(in->files.n + 1, sizeof(*q.seen))};
	int32_t *ids;
	int64_t devices = distinct_devices(order, in, &ids);
	int r = 0;

	m->merged = false;
	if (devices < 0 || !q.seen) {
		free(q.seen);
		free(ids);
		return TACHO_ENOMEM;
	}
	if (devices > 1 && options->no_merge_devices) {
		perf_note(notes, NOTE_INFO, "%lld devices, each for itself", (long long)devices);
	} else if (devices == 0) {
		perf_note(notes, NOTE_INFO, "No op ran on a device");
		m->merged = true;
	} else {
		m->merged = true;
		perf_note(notes, NOTE_INFO, "%lld device%s%s", (long long)devices,
			  devices > 1 ? "s" : "",
			  devices > 1 ? ", merged: of equal ops the slowest counts" : "");
		note_homeless(order, in, notes);
		r = fill_queues(&q, ids, (size_t)devices, order, in);
		if (r == 0)
			r = merge_queues(order, in, &q);
		if (q.short_steps)
			perf_note(
				notes, NOTE_WARNING,
				"device %d ran out of ops first: %llu op%s not run by all devices",
				q.short_device, (unsigned long long)q.short_steps,
				q.short_steps == 1 ? " was" : "s were");
		if (q.strange_steps)
			perf_note(
				notes, NOTE_WARNING,
				"the devices ran different ops at %llu steps, first device %d in line %u "
				"(%s): those rows are paired with later ones",
				(unsigned long long)q.strange_steps, q.strange_device,
				perf_row_line(q.strange_row),
				merge_kind_of(in, q.strange_row)->op_code);
	}
	free(q.v);
	free(q.seen);
	free(q.rows);
	free(ids);
	return r;
}
