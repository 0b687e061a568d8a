/* SPDX-License-Identifier: Apache-2.0 */
/* Merges two views by the names of their items; see profile.h. */
#include "sample/profile.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

/* The key by which items of two profiles match. */
struct identity {
	uint32_t parent, line;
	const char *name, *library;
};

static bool is_identity(const struct profile_change *c, const struct identity *id)
{
	return c->parent == id->parent && c->line == id->line && !strcmp(c->name, id->name) &&
	       !strcmp(c->library, id->library);
}

/* A copy of TEXT, one for all equal ones; NULL: no memory. */
static const char *change_text(struct profile_changes *d, const char *text)
{
	uint64_t key = hash_text(0, text);
	char *copy;
	uint32_t *at;

	for (; (at = map_get(&d->texts, key)) != NULL; key++)
		if (!strcmp(d->names.v[*at], text))
			return d->names.v[*at];
	copy = strdup(text);
	if (!copy || map_set(&d->texts, key, (uint32_t)d->names.n) < 0 ||
	    vec_push(&d->names, copy) < 0) {
		free(copy);
		return NULL;
	}
	return copy;
}

/* The change with this identity, added if new; UINT32_MAX: no memory. */
static uint32_t change_get(struct profile_changes *d, const struct identity *id)
{
	struct profile_change new = {.parent = id->parent, .line = id->line};
	uint64_t place[] = {id->parent, id->line};
	uint64_t key = hash_text(hash_text(hash_bytes(HASH_START, place, sizeof(place)), id->name),
				 id->library);
	uint32_t *at;

	for (; (at = map_get(&d->known, key)) != NULL; key++)
		if (is_identity(&d->items.v[*at], id))
			return *at;
	new.name = change_text(d, id->name);
	new.library = change_text(d, id->library);
	if (!new.name || !new.library || map_set(&d->known, key, (uint32_t)d->items.n) < 0 ||
	    vec_push(&d->items, new) < 0)
		return UINT32_MAX;
	return (uint32_t)d->items.n - 1;
}

/* Items are numbered after their parents. */
int profile_changes_add(struct profile_changes *d, const struct profile *p,
			const struct profile_view *view, enum profile_by by, int side)
{
	static const struct profile_change root = {.name = "", .library = ""};
	const struct profile_item *all = &view->items.v[0];
	struct {
		VEC(uint32_t);
	} change_of = {0};
	int r = vec_push(&change_of, 0);

	if (r == 0 && !d->items.n)
		r = vec_push(&d->items, root);
	if (r < 0) {
		vec_free(&change_of);
		return r;
	}
	d->items.v[0].side[side] = *all;
	for (size_t i = 1; i < view->items.n && r == 0; i++) {
		const struct profile_item *item = &view->items.v[i];
		const struct profile_label *label = &view->labels.v[item->label];
		const struct profile_function *f = &p->functions.v[label->function];
		struct identity id = {change_of.v[item->parent],
				      by == PROFILE_BY_LINE ? label->line : 0, label->name,
				      f->special ? "" : p->modules.v[f->module].name};
		uint32_t at = change_get(d, &id);

		if (at == UINT32_MAX || vec_push(&change_of, at) < 0) {
			r = TACHO_ENOMEM;
			break;
		}
		d->items.v[at].side[side] = *item;
	}
	vec_free(&change_of);
	return r;
}

/* In percent: the share of each side, the change, and the standard error of the change. */
static void change_figure(struct profile_change *c, const struct profile_item *all)
{
	double variance = 0;

	for (int i = 0; i < 2; i++) {
		double n = (double)all[i].samples;
		double share = n > 0 ? (double)c->side[i].samples / n : 0;

		c->share[i] = all[i].ns > 0 ? 100 * c->side[i].ns / all[i].ns : 0;
		/* Of one that was never seen: as if it had been seen once. */
		if (n > 0 && share <= 0)
			share = 1 / (n + 1);
		variance += n > 0 ? share * (1 - share) / n : 1;
	}
	c->change = c->share[1] - c->share[0];
	c->error = 100 * sqrt(variance);
}

static int larger_change_first(const void *a, const void *b)
{
	const struct profile_change *x = *(struct profile_change *const *)a,
				    *y = *(struct profile_change *const *)b;
	double dx = fabs(x->change), dy = fabs(y->change);

	if (dx != dy)
		return dx > dy ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* All are sorted, then the children of each are linked from the last one on. */
int profile_changes_link(struct profile_changes *d)
{
	struct profile_change **order = malloc((d->items.n + 1) * sizeof(*order));

	if (!order)
		return TACHO_ENOMEM;
	for (size_t i = d->items.n; i-- > 0;) {
		change_figure(&d->items.v[i], d->items.v[0].side);
		order[i] = &d->items.v[i];
	}
	if (d->items.n)
		qsort(order, d->items.n, sizeof(*order), larger_change_first);
	for (size_t i = d->items.n; i-- > 0;) {
		struct profile_change *c = order[i], *parent = &d->items.v[c->parent];

		if (c == d->items.v)
			continue;
		c->next = parent->child;
		parent->child = (uint32_t)(c - d->items.v);
	}
	free(order);
	return 0;
}

void profile_changes_free(struct profile_changes *d)
{
	for (size_t i = 0; i < d->names.n; i++)
		free(d->names.v[i]);
	vec_free(&d->names);
	vec_free(&d->items);
	map_free(&d->known);
	map_free(&d->texts);
}
