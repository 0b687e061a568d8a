/* SPDX-License-Identifier: Apache-2.0 */
/* Merges two views by the names of their items; see profile.h. */
#include "sample/profile.h"

#include <math.h>
#include <string.h>

/* What makes items of two profiles the same one. */
struct identity {
	uint32_t parent, line;
	const char *name, *library;
};

static uint64_t text_hash(uint64_t h, const char *text)
{
	for (; *text; text++)
		h = (h ^ (uint8_t)*text) * 0x100000001b3ull;
	return (h ^ 255) * 0x100000001b3ull;
}

static uint64_t identity_hash(const struct identity *id)
{
	uint64_t h = 0xcbf29ce484222325ull ^ id->parent ^ (uint64_t)id->line << 32;

	return text_hash(text_hash(h * 0x100000001b3ull, id->name), id->library);
}

static bool is_identity(const struct profile_change *c, const struct identity *id)
{
	return c->parent == id->parent && c->line == id->line && !strcmp(c->name, id->name) &&
	       !strcmp(c->library, id->library);
}

/* The change with this identity, added if new; UINT32_MAX: no memory. */
static uint32_t change_get(struct profile_changes *d, struct map *known, const struct identity *id)
{
	struct profile_change new = {
		.parent = id->parent, .line = id->line, .name = id->name, .library = id->library};
	uint64_t key = identity_hash(id);
	uint32_t *at;

	for (; (at = map_get(known, key)) != NULL; key++)
		if (is_identity(&d->items.v[*at], id))
			return *at;
	if (map_set(known, key, (uint32_t)d->items.n) < 0 || vec_push(&d->items, new) < 0)
		return UINT32_MAX;
	return (uint32_t)d->items.n - 1;
}

/* Items are numbered after their parents. */
static int side_merge(struct profile_changes *d, struct map *known, const struct profile *p,
		      const struct profile_view *view, enum profile_by by, int side)
{
	const struct profile_item *all = &view->items.v[0];
	struct {
		VEC(uint32_t);
	} change_of = {0};
	int r = vec_push(&change_of, 0);

	d->items.v[0].side[side] = *all;
	for (size_t i = 1; i < view->items.n && r == 0; i++) {
		const struct profile_item *item = &view->items.v[i];
		const struct profile_label *label = &view->labels.v[item->label];
		const struct profile_function *f = &p->functions.v[label->function];
		struct identity id = {change_of.v[item->parent],
				      by == PROFILE_BY_LINE ? label->line : 0, label->name,
				      f->special ? "" : p->modules.v[f->module].name};
		uint32_t at = change_get(d, known, &id);

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

/* Links the children of each item, largest change first: all are sorted, then linked from behind.
 */
static int changes_link(struct profile_changes *d)
{
	struct profile_change **order = malloc(d->items.n * sizeof(*order));

	if (!order)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < d->items.n; i++)
		order[i] = &d->items.v[i];
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

int profile_diff(const struct profile *const p[2], const struct profile_view *views,
		 enum profile_by by, struct profile_changes *d)
{
	static const struct profile_change root = {.name = "", .library = ""};
	struct map known = {0};
	int r;

	memset(d, 0, sizeof(*d));
	r = vec_push(&d->items, root);
	for (int i = 0; i < 2 && r == 0; i++)
		r = side_merge(d, &known, p[i], &views[i], by, i);
	map_free(&known);
	for (size_t i = d->items.n; i-- > 0 && r == 0;)
		change_figure(&d->items.v[i], d->items.v[0].side);
	if (r == 0)
		r = changes_link(d);
	if (r < 0)
		profile_changes_free(d);
	return r;
}

void profile_changes_free(struct profile_changes *d)
{
	vec_free(&d->items);
}
