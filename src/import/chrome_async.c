/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asynchronous events and flows of a Chrome trace. An asynchronous event belongs to its id, not to
 * a thread: the zones of one id nest, those of several may overlap. So ids get tracks of their own,
 * as few as possible per name, as other viewers show them.
 */
#include "base/fmt.h"
#include "base/limits.h"
#include "base/text.h"
#include "import/chrome_read.h"

#include <stdlib.h>
#include <string.h>

/* Tracks of one name that are tried before a new one is made: bounds the time. */
#define PLACE_TRIES 256

static uint64_t hash_add(uint64_t hash, const struct jread_value *v)
{
	if (v && v->text)
		hash = hash_bytes(hash, v->text, v->len);
	return hash_bytes(hash, "", 1);
}

uint64_t chrome_async_key(const struct jread_value *event, bool flow)
{
	const struct jread_value *id2 = jread_get(event, "id2"),
				 *bind = jread_get(event, "bind_id");
	uint64_t hash = HASH_START;

	if (flow && bind)
		return hash_add(hash ^ 1, bind);
	hash = hash_add(hash, jread_get(event, "cat"));
	if (flow)
		hash = hash_add(hash, jread_get(event, "name"));
	hash = hash_add(hash, jread_get(event, "scope"));
	hash = hash_add(hash, jread_get(event, "id"));
	hash = hash_add(hash, jread_get(id2, "global"));
	return hash_add(hash, jread_get(id2, "local"));
}

int chrome_chain_of(struct chrome_reader *r, uint32_t process, uint64_t key, uint32_t *chain)
{
	const uint64_t slot = chrome_pair_key(process, key);
	const uint32_t *known = map_get(&r->by_async, slot);
	struct chrome_chain fresh = {.process = process, .track = TRACE_NONE};

	if (known) {
		*chain = *known;
		return 0;
	}
	*chain = (uint32_t)r->chains.n;
	if (r->chains.n >= LIMIT_TRACKS || map_set(&r->by_async, slot, *chain) < 0)
		return TACHO_ENOMEM;
	return vec_push(&r->chains, fresh);
}

static int chain_compare(const void *a, const void *b)
{
	const struct chrome_chain *x = *(struct chrome_chain *const *)a;
	const struct chrome_chain *y = *(struct chrome_chain *const *)b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->srcloc != y->srcloc)
		return x->srcloc < y->srcloc ? -1 : 1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The first track of the group that is free at the chain's start, else a new one. */
static int chain_place(struct chrome_reader *r, struct chrome_chain *c, int64_t *ends,
		       uint32_t *tracks, size_t *count)
{
	size_t i = *count > PLACE_TRIES ? *count - PLACE_TRIES : 0;
	int e = 0;

	while (i < *count && ends[i] > c->first)
		i++;
	if (i == *count) {
		e = chrome_track_add(r, c->process, TRACE_FIBER, 0, strdup(r->texts.data + c->name),
				     &tracks[i]);
		++*count;
	}
	c->track = tracks[i];
	ends[i] = c->last;
	return e;
}

int chrome_chains_place(struct chrome_reader *r)
{
	size_t n = r->chains.n, count = 0;
	struct chrome_chain **order = calloc(n + 1, sizeof(struct chrome_chain *));
	int64_t *ends = calloc(n + 1, sizeof(*ends));
	uint32_t *tracks = calloc(n + 1, sizeof(*tracks));
	int e = order && ends && tracks ? 0 : TACHO_ENOMEM;

	for (size_t i = 0; i < n; i++) {
		r->chains.v[i].first = INT64_MAX;
		r->chains.v[i].last = INT64_MIN;
	}
	for (size_t i = 0; i < r->zones.n; i++) {
		const struct chrome_zone *z = &r->zones.v[i];
		struct chrome_chain *c = z->async ? &r->chains.v[z->track] : NULL;

		if (c) {
			c->first = z->start < c->first ? z->start : c->first;
			c->last = z->end > c->last ? z->end : c->last;
		}
	}
	for (size_t i = 0; i < n && e == 0; i++)
		order[i] = &r->chains.v[i];
	if (n && e == 0)
		qsort(order, n, sizeof(struct chrome_chain *), chain_compare);
	for (size_t i = 0; i < n && e == 0; i++) {
		if (i && (order[i]->process != order[i - 1]->process ||
			  order[i]->srcloc != order[i - 1]->srcloc))
			count = 0;
		if (order[i]->first <= order[i]->last)
			e = chain_place(r, order[i], ends, tracks, &count);
	}
	for (size_t i = 0; i < r->zones.n && e == 0; i++)
		if (r->zones.v[i].async)
			r->zones.v[i].track = r->chains.v[r->zones.v[i].track].track;
	free(order);
	free(ends);
	free(tracks);
	return e;
}

/*
 * An id may be used again: the k-th end belongs to the k-th beginning, wherever that is, since
 * clocks of devices may be off; further ends belong to the last one.
 */
int chrome_flows_number(struct chrome_reader *r)
{
	struct map begins = {0}, seen[TRACE_FLOW_STEPS] = {0}, numbers = {0};
	uint32_t next = 0;
	int e = 0;

	for (size_t i = 0; i < r->rows.n && e == 0; i++) {
		const struct chrome_row *x = &r->rows.v[i];
		const uint32_t *n;

		if (x->kind != TRACE_ROW_FLOW || x->step != TRACE_FLOW_BEGIN)
			continue;
		n = map_get(&begins, x->flow);
		e = map_set(&begins, x->flow, n ? *n + 1 : 1);
	}
	for (size_t i = 0; i < r->rows.n && e == 0; i++) {
		struct chrome_row *x = &r->rows.v[i];
		const uint32_t *n, *all;
		uint32_t k, most;

		if (x->kind != TRACE_ROW_FLOW)
			continue;
		n = map_get(&seen[x->step == TRACE_FLOW_STEP ? TRACE_FLOW_BEGIN : x->step],
			    x->flow);
		all = map_get(&begins, x->flow);
		k = n ? *n : 0;
		most = all ? *all - 1 : 0;
		if (x->step == TRACE_FLOW_STEP)
			k = k ? k - 1 : 0;
		else
			e = map_set(&seen[x->step], x->flow, k + 1);
		k = k < most ? k : most;
		if (e == 0) {
			const uint64_t key = chrome_pair_key(k, x->flow);

			n = map_get(&numbers, key);
			x->flow = n ? *n : next;
			if (!n)
				e = map_set(&numbers, key, next++);
		}
	}
	if (next && e == 0) {
		char text[FMT_SIZE];

		trace_set_property(r->w, TRACE_FLOWS, fmt_uint(text, next));
	}
	map_free(&begins);
	map_free(&numbers);
	for (int i = 0; i < TRACE_FLOW_STEPS; i++)
		map_free(&seen[i]);
	return e;
}
