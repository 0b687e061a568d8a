/* SPDX-License-Identifier: Apache-2.0 */
/* Builds trees and lists of functions from counted stacks; see profile.h. */
#include "sample/profile.h"

#include "base/order.h"

#include <stdio.h>
#include <string.h>

const char *const profile_by_names[] = {"function", "line", "file", "library", NULL};

struct builder {
	struct profile *p;
	struct profile_view *view;
	enum profile_by by;
	uint32_t no_stack;   /* frame of stack 0 */
	struct map child_of; /* parent << 32 | label to item */
	struct {
		VEC(uint32_t);
	} path; /* labels of one stack, root first */
	struct {
		VEC(uint32_t);
	} stamp; /* by label: the last stack that had it */
};

/* The key of a frame: all frames with one key have one label. */
static uint64_t label_key(const struct builder *b, const struct profile_frame *f)
{
	const struct profile_function *fn = &b->p->functions.v[f->function];

	switch (b->by) {
	case PROFILE_BY_LIBRARY:
		return 1ull << 62 | fn->module;
	case PROFILE_BY_FILE:
		return 2ull << 62 | ((uintptr_t)f->file & ((1ull << 62) - 1));
	case PROFILE_BY_LINE:
		return (uint64_t)f->function << 32 | f->line;
	default:
		return f->function;
	}
}

/* The label of a frame; UINT32_MAX: no memory. */
static uint32_t label_get(struct builder *b, const struct profile_frame *f)
{
	const struct profile_function *fn = &b->p->functions.v[f->function];
	uint64_t key = label_key(b, f);
	uint32_t *at = map_get(&b->view->label_of, key);
	struct profile_label label = {f->function, f->line, f->file, fn->name};

	if (at)
		return *at;
	if (b->by == PROFILE_BY_LIBRARY && !fn->special)
		label.name = b->p->modules.v[fn->module].name;
	else if (b->by == PROFILE_BY_FILE && !fn->special)
		label.name = *f->file ? f->file : "[no source]";
	if (map_set(&b->view->label_of, key, (uint32_t)b->view->labels.n) < 0 ||
	    vec_push(&b->view->labels, label) < 0 || vec_push(&b->stamp, 0) < 0)
		return UINT32_MAX;
	return (uint32_t)b->view->labels.n - 1;
}

/* The labels of a stack, innermost first. Equal neighbours are merged, except functions. */
static int path_fill(struct builder *b, uint32_t node)
{
	b->path.n = 0;
	if (!node) {
		uint32_t label = label_get(b, &b->p->frames.v[b->no_stack]);

		return label == UINT32_MAX ? TACHO_ENOMEM : vec_push(&b->path, label);
	}
	for (; node; node = b->p->nodes.v[node].parent) {
		uint32_t first, count;

		profile_frames(b->p, node, &first, &count);
		for (uint32_t i = 0; i < count; i++) {
			uint32_t label = label_get(b, &b->p->frames.v[first + i]);

			if (label == UINT32_MAX)
				return TACHO_ENOMEM;
			if (b->by >= PROFILE_BY_FILE && b->path.n &&
			    b->path.v[b->path.n - 1] == label)
				continue;
			if (vec_push(&b->path, label) < 0)
				return TACHO_ENOMEM;
		}
	}
	return 0;
}

/* The child of item PARENT with LABEL; 0: no memory. */
static uint32_t item_child(struct builder *b, uint32_t parent, uint32_t label)
{
	uint64_t key = (uint64_t)parent << 32 | label;
	uint32_t *at = map_get(&b->child_of, key), new = (uint32_t)b->view->items.n;
	struct profile_item item = {.parent = parent, .label = label};

	if (at)
		return *at;
	item.next = b->view->items.v[parent].child;
	if (map_set(&b->child_of, key, new) < 0 || vec_push(&b->view->items, item) < 0)
		return 0;
	b->view->items.v[parent].child = new;
	return new;
}

static int stack_add(struct builder *b, uint64_t samples, double ns, bool bottom_up)
{
	struct profile_item *item = &b->view->items.v[0];
	uint32_t at = 0;

	item->samples += samples;
	item->ns += ns;
	for (size_t i = 0; i < b->path.n; i++) {
		uint32_t label = b->path.v[bottom_up ? i : b->path.n - 1 - i];

		at = item_child(b, at, label);
		if (!at)
			return TACHO_ENOMEM;
		item = &b->view->items.v[at];
		item->samples += samples;
		item->ns += ns;
		if (bottom_up && i == 0) {
			item->self += samples;
			item->self_ns += ns;
		}
	}
	if (!bottom_up && at) {
		b->view->items.v[at].self += samples;
		b->view->items.v[at].self_ns += ns;
	}
	return 0;
}

/* Counts each label of a stack once, however often it occurs. NUMBER: of the stack, from 1. */
static int stack_add_flat(struct builder *b, uint32_t number, uint64_t samples, double ns)
{
	b->view->items.v[0].samples += samples;
	b->view->items.v[0].ns += ns;
	for (size_t i = 0; i < b->path.n; i++) {
		uint32_t label = b->path.v[i], at;

		if (b->stamp.v[label] == number)
			continue;
		b->stamp.v[label] = number;
		at = item_child(b, 0, label);
		if (!at)
			return TACHO_ENOMEM;
		b->view->items.v[at].samples += samples;
		b->view->items.v[at].ns += ns;
		if (i == 0) {
			b->view->items.v[at].self += samples;
			b->view->items.v[at].self_ns += ns;
		}
	}
	return 0;
}

struct sort_entry {
	uint32_t item;
	double ns;
};

ORDER_BY(heavier_first, struct sort_entry, ORDER_DOWN(ns) ?: ORDER_UP(item));

static int children_sort(struct profile_view *view)
{
	struct {
		VEC(struct sort_entry);
	} list = {0};
	int r = 0;

	for (uint32_t i = 0; i < view->items.n && r == 0; i++) {
		uint32_t *link = &view->items.v[i].child;

		list.n = 0;
		for (uint32_t c = *link; c && r == 0; c = view->items.v[c].next) {
			struct sort_entry e = {c, view->items.v[c].ns};

			r = vec_push(&list, e);
		}
		if (r < 0 || list.n < 2)
			continue;
		qsort(list.v, list.n, sizeof(*list.v), heavier_first);
		for (size_t k = 0; k < list.n; k++) {
			*link = list.v[k].item;
			link = &view->items.v[*link].next;
		}
		*link = 0;
	}
	vec_free(&list);
	return r;
}

static int view_build(struct profile *p, const struct profile_counts *counts, enum profile_by by,
		      int shape, struct profile_view *view)
{
	static const struct profile_item root;
	struct builder b = {.p = p, .view = view, .by = by, .no_stack = counts->no_stack};
	int r;

	memset(view, 0, sizeof(*view));
	r = vec_push(&view->items, root);
	for (uint32_t i = 0; i < p->nodes.n && r == 0; i++) {
		if (!counts->samples[i])
			continue;
		r = path_fill(&b, i);
		if (r == 0 && shape == 2)
			r = stack_add_flat(&b, i + 1, counts->samples[i], counts->ns[i]);
		else if (r == 0)
			r = stack_add(&b, counts->samples[i], counts->ns[i], shape == 1);
	}
	if (r == 0)
		r = children_sort(view);
	map_free(&b.child_of);
	vec_free(&b.path);
	vec_free(&b.stamp);
	if (r < 0)
		profile_view_free(view);
	return r;
}

int profile_tree(struct profile *p, const struct profile_counts *counts, enum profile_by by,
		 bool bottom_up, struct profile_view *view)
{
	return view_build(p, counts, by, bottom_up, view);
}

int profile_flat(struct profile *p, const struct profile_counts *counts, enum profile_by by,
		 struct profile_view *view)
{
	return view_build(p, counts, by, 2, view);
}

void profile_view_free(struct profile_view *view)
{
	vec_free(&view->items);
	vec_free(&view->labels);
	map_free(&view->label_of);
}
