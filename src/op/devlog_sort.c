/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts the markers of a raw device log by time: merges runs that are already in order. */
#include "op/devlog.h"

#include <string.h>

static bool devlog_sort_before(const struct devlog_marker *a, const struct devlog_marker *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	return a->core != b->core ? a->core < b->core : a->lane < b->lane;
}

/* The end of the run of sorted markers that starts at FROM. */
static size_t devlog_sort_run_end(const struct devlog_marker *m, size_t from, size_t n)
{
	size_t i = from + 1;

	while (i < n && !devlog_sort_before(&m[i], &m[i - 1]))
		i++;
	return i;
}

/*
 * A natural merge sort: each RISC wrote its markers in order of time, so the input has one sorted
 * run per RISC. Stable.
 */
void devlog_sort_markers(struct devlog_marker *m, struct devlog_marker *tmp, size_t n)
{
	struct devlog_marker *in = m, *out = tmp, *swap;
	size_t runs;

	if (n < 2)
		return;
	do {
		runs = 0;
		for (size_t from = 0; from < n; runs++) {
			size_t middle = devlog_sort_run_end(in, from, n);
			size_t end = middle < n ? devlog_sort_run_end(in, middle, n) : n;
			size_t a = from, b = middle, to = from;

			while (a < middle && b < end)
				out[to++] = devlog_sort_before(&in[b], &in[a]) ? in[b++] : in[a++];
			memcpy(out + to, in + a, (middle - a) * sizeof(*in));
			to += middle - a;
			memcpy(out + to, in + b, (end - b) * sizeof(*in));
			from = end;
		}
		swap = in;
		in = out;
		out = swap;
	} while (runs > 1);
	if (in != m)
		memcpy(m, in, n * sizeof(*m));
}

int devlog_sort(struct devlog *dev, struct tacho_error *err)
{
	struct devlog_marker *tmp;
	size_t at = 0, most = 0;

	dev->markers = malloc((dev->n + 1) * sizeof(*dev->markers));
	if (!dev->markers)
		return err_set(err, TACHO_ENOMEM, "%s: out of memory", TTLOG_DEVICE_FILE);
	for (size_t i = 0; i < dev->groups.n; i++) {
		dev->groups.v[i].first = at;
		at += dev->groups.v[i].n;
		if (dev->groups.v[i].n > most)
			most = dev->groups.v[i].n;
		dev->groups.v[i].n = 0;
	}
	while (dev->chunks) {
		struct devlog_chunk *chunk = dev->chunks;

		for (size_t i = 0; i < chunk->n; i++) {
			struct devlog_group *g = &dev->groups.v[dev->runs.v[chunk->m[i].run].group];

			dev->markers[g->first + g->n++] = chunk->m[i];
		}
		dev->chunks = chunk->next;
		free(chunk);
	}
	dev->last_chunk = NULL;
	tmp = malloc((most + 1) * sizeof(*tmp));
	if (!tmp)
		return err_set(err, TACHO_ENOMEM, "%s: out of memory", TTLOG_DEVICE_FILE);
	for (size_t i = 0; i < dev->groups.n; i++)
		devlog_sort_markers(dev->markers + dev->groups.v[i].first, tmp, dev->groups.v[i].n);
	free(tmp);
	return 0;
}
