/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The largest or smallest K of many values, as the vector unit finds them: a bitonic network over
 * the 64 values of a column of two tiles. A local sort makes sequences of K values in alternating
 * directions, a merge compares two sequences and leaves the better half in the first one, and a
 * rebuild sorts what the merge left.
 */
#include "tacho_engine.h"
#include "tensix/tile.h"

#define VALUES 64u

/* One column; OPTIONS: TE_TOPK_*. */
struct topk_column {
	struct tile *const *t;
	unsigned column, options;
};

static unsigned topk_place(const struct topk_column *s, unsigned i)
{
	return tile_at(i % TILE_DIM, s->column);
}

static void topk_swap(int32_t *a, int32_t *b)
{
	int32_t kept = *a;

	*a = *b;
	*b = kept;
}

/* Leaves the greater value at I, or the lesser one if RISING. */
static void topk_compare(const struct topk_column *s, unsigned i, unsigned k, bool rising)
{
	struct tile *a = s->t[i / TILE_DIM], *b = s->t[k / TILE_DIM], *const *index = s->t + 2;
	unsigned at_i = topk_place(s, i), at_k = topk_place(s, k);
	int order; /* of values I and K: <0, 0, >0 */

	if (a->integer)
		order = (a->i[at_i] > b->i[at_k]) - (a->i[at_i] < b->i[at_k]);
	else
		order = (a->f[at_i] > b->f[at_k]) - (a->f[at_i] < b->f[at_k]);
	if (order == 0 && (s->options & TE_TOPK_STABLE)) {
		/* The first index is the better one; a sequence that is turned around has it last.
		 */
		order = (uint32_t)index[i / TILE_DIM]->i[at_i] >
					(uint32_t)index[k / TILE_DIM]->i[at_k]
				? -1
				: 1;
		if (s->options & TE_TOPK_RISING)
			order = -order;
	}
	if (rising ? order <= 0 : order >= 0)
		return;
	topk_swap(&a->i[at_i], &b->i[at_k]);
	topk_swap(&index[i / TILE_DIM]->i[at_i], &index[k / TILE_DIM]->i[at_k]);
}

/* One step of a phase: compares values 1 << (STEP - 1) apart, in blocks of 2 << PHASE. */
static void topk_step(const struct topk_column *s, unsigned phase, unsigned step)
{
	unsigned apart = 1u << (step - 1);

	for (unsigned i = 0; i < VALUES; i++)
		if (!(i & apart) && (i | apart) < VALUES)
			topk_compare(s, i, i | apart,
				     (s->options & TE_TOPK_RISING) ^ (i >> (phase + 1) & 1));
}

/* P1: last phase, first phase << 8, last step << 16, first step << 24; one phase: these steps. */
static void topk_sort(const struct topk_column *s, uint32_t p)
{
	unsigned last = p & 7, first = p >> 8 & 7, end = p >> 16 & 7, start = p >> 24 & 7;

	for (unsigned phase = first; phase <= last; phase++)
		for (unsigned step = first == last && start ? start : phase + 1;
		     step > (first == last ? end : 0); step--)
			topk_step(s, phase, step);
}

/* Sequences of K values begin this many values apart before (SHIFT 0) and after a merge. */
static unsigned topk_distance(unsigned k, unsigned shift)
{
	unsigned distance = shift < 6 ? k << shift : VALUES;

	return distance > VALUES / 2 ? VALUES / 2 : distance;
}

static void topk_merge(const struct topk_column *s, unsigned iteration, unsigned k)
{
	unsigned apart, inside = k > VALUES / 2 ? VALUES / 2 : k;

	apart = topk_distance(inside, iteration);
	for (unsigned first = 0; first + apart < VALUES; first += 2 * apart)
		for (unsigned i = first; i < first + inside; i++)
			topk_compare(s, i, i + apart, s->options & TE_TOPK_RISING);
}

/* Sorts each sequence of K values, in alternating directions. */
static void topk_rebuild(const struct topk_column *s, unsigned iteration, unsigned k)
{
	unsigned apart = topk_distance(k, iteration + 1), count = VALUES >> (iteration + 1) & 63;
	bool rising = s->options & TE_TOPK_RISING;

	count = (count < 2 * k ? 2 : count / k) >> (s->options & TE_TOPK_ONE ? 1 : 0);
	for (unsigned first = 0; count-- && first + k <= VALUES; first += apart) {
		for (unsigned i = first + 1; i < first + k; i++)
			for (unsigned at = i; at > first; at--)
				topk_compare(s, at - 1, at, rising);
		rising = !rising;
	}
}

void tile_topk(struct tile *const t[4], unsigned op, const uint32_t *p)
{
	unsigned iteration = p[1] & 15, k = p[1] >> 8 & 255;

	if (t[0]->integer != t[1]->integer) {
		tile_make_float(t[0]);
		tile_make_float(t[1]);
	}
	if (op != TE_U_TOPK_SORT && (k < 1 || k > VALUES || (k & (k - 1))))
		return;
	for (unsigned c = 0; c < TILE_DIM; c++) {
		struct topk_column s = {t, c, p[0]};

		if (op == TE_U_TOPK_SORT)
			topk_sort(&s, p[1]);
		else if (op == TE_U_TOPK_MERGE)
			topk_merge(&s, iteration, k);
		else
			topk_rebuild(&s, iteration, k);
	}
}
