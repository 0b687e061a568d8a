/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Aligns two sequences of ops by the shortest edit script, by the greedy algorithm of Myers (1986):
 * ops that were inserted or removed do not shift those after them. Sequences that differ too much
 * for the memory are aligned at their ends only.
 */
#include "perf/diff.h"

#include <string.h>

#define EDITS_MOST 1000 /* insertions and removals; the memory grows with the square */

/* The furthest X on each diagonal after D edits, for all D so far, one after the other. */
struct script {
	int32_t *reach; /* of D: 2 D + 1 values from D * D on */
	int32_t edits;  /* -1: too many */
};

static int32_t *script_level(const struct script *s, int32_t d)
{
	return s->reach + (size_t)d * (size_t)d + d;
}

/* The furthest X before the last run of equal ops on diagonal K after D edits. */
static int32_t script_step(const struct script *s, int32_t d, int32_t k, int32_t *previous)
{
	const int32_t *last = script_level(s, d - 1);
	bool down = k == -d || (k != d && last[k - 1] < last[k + 1]);

	*previous = down ? k + 1 : k - 1;
	return down ? last[k + 1] : last[k - 1] + 1;
}

static int script_make(struct script *s, const uint32_t *a, int32_t n, const uint32_t *b, int32_t m)
{
	for (int32_t d = 0; d <= EDITS_MOST; d++) {
		size_t size = ((size_t)d + 1) * ((size_t)d + 1);
		int32_t *grown = s->reach, previous;

		if (d == 0 || (d & (d - 1)) == 0) {
			size = (size_t)(2 * d + 1) * (size_t)(2 * d + 1);
			grown = realloc(s->reach, size * sizeof(*grown));
		}
		if (!grown)
			return TACHO_ENOMEM;
		s->reach = grown;
		for (int32_t k = -d; k <= d; k += 2) {
			int32_t x = d ? script_step(s, d, k, &previous) : 0;

			while (x < n && x - k < m && a[x] == b[x - k])
				x++;
			script_level(s, d)[k] = x;
			if (x >= n && x - k >= m) {
				s->edits = d;
				return 0;
			}
		}
	}
	s->edits = -1;
	return 0;
}

static void script_follow(const struct script *s, int32_t n, int32_t m, uint32_t *partner)
{
	int32_t x = n, k = n - m;

	for (int32_t d = s->edits; d >= 0; d--) {
		int32_t next = k, from = d ? script_step(s, d, k, &next) : 0;

		for (; x > from; x--)
			partner[x - 1 - k] = (uint32_t)(x - 1);
		if (d)
			x = script_level(s, d - 1)[next];
		k = next;
	}
}

int perf_align(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint32_t *partner)
{
	struct script s = {0};
	size_t head = 0, tail = 0;
	int code;

	for (size_t i = 0; i < m; i++)
		partner[i] = UINT32_MAX;
	for (; head < n && head < m && a[head] == b[head]; head++)
		partner[head] = (uint32_t)head;
	for (; tail < n - head && tail < m - head && a[n - 1 - tail] == b[m - 1 - tail]; tail++)
		partner[m - 1 - tail] = (uint32_t)(n - 1 - tail);
	n -= head + tail;
	m -= head + tail;
	if (!n || !m)
		return 0;
	code = script_make(&s, a + head, (int32_t)n, b + head, (int32_t)m);
	if (code == 0 && s.edits >= 0) {
		script_follow(&s, (int32_t)n, (int32_t)m, partner + head);
		for (size_t i = head; i < head + m; i++)
			partner[i] += partner[i] == UINT32_MAX ? 0 : (uint32_t)head;
	}
	free(s.reach);
	return code;
}
