/* SPDX-License-Identifier: Apache-2.0 */
/* Reads stacks, modules and symbols of a trace into a profile; see profile.h. */
#include "sample/profile.h"

#include "base/limits.h"
#include "base/text.h"
#include "sample/module.h"
#include "sample/profile_waits.h"
#include "sample/symbols.h"
#include "sample/tree.h"
#include "sample/unwind.h"
#include "sample/window.h"

#include <stdio.h>
#include <string.h>

/* Interned strings, in an arena of chunks that do not move. */
struct profile_names {
	struct map by_hash; /* to index in list; on collision the next hash is used */
	struct {
		VEC(char *);
	} list;
	struct map functions; /* hash of name and module to function */
};

/* NULL: no memory. Control characters, which could harm a terminal, are replaced. */
static const char *string_keep(struct profile_names *n, const char *s, size_t len)
{
	uint64_t h = hash_bytes(HASH_START, s, len);
	uint32_t *at;
	char *copy;

	for (; (at = map_get(&n->by_hash, h)) != NULL; h++)
		if (strlen(n->list.v[*at]) == len && !memcmp(n->list.v[*at], s, len))
			return n->list.v[*at];
	copy = strndup(s, len);
	if (!copy)
		return NULL;
	for (char *c = copy; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	if (map_set(&n->by_hash, h, (uint32_t)n->list.n) < 0 || vec_push(&n->list, copy) < 0) {
		free(copy);
		return NULL;
	}
	return copy;
}

/* The number of a function; UINT32_MAX: no memory. */
static uint32_t function_get(struct profile *p, uint32_t module, const char *name, const char *file,
			     bool special)
{
	uint64_t h = ((uint64_t)(uintptr_t)name * 0x9e3779b97f4a7c15ull) ^ module;
	struct profile_function f = {name, file, module, special};
	uint32_t *at;

	for (; (at = map_get(&p->names->functions, h)) != NULL; h++)
		if (p->functions.v[*at].name == name && p->functions.v[*at].module == module)
			return *at;
	if (map_set(&p->names->functions, h, (uint32_t)p->functions.n) < 0 ||
	    vec_push(&p->functions, f) < 0)
		return UINT32_MAX;
	return (uint32_t)p->functions.n - 1;
}

/* ---------------------------------------------------------------- rows */

static int module_take(struct profile *p, const struct trace_row *row)
{
	static const struct profile_module none = {"", "", "", 0};
	const char *text = row->text ? row->text : "", *slash;
	size_t len = strnlen(text, row->text_len);
	struct profile_module *m;

	if (row->a >= LIMIT_MODULES)
		return 0;
	while (p->modules.n <= row->a)
		if (vec_push(&p->modules, none) < 0)
			return TACHO_ENOMEM;
	m = &p->modules.v[row->a];
	m->kind = (uint32_t)row->b;
	m->path = string_keep(p->names, text, len);
	m->build_id = len < row->text_len
			      ? string_keep(p->names, text + len + 1, row->text_len - len - 1)
			      : "";
	if (!m->path || !m->build_id)
		return TACHO_ENOMEM;
	slash = m->path[0] == '/' ? strrchr(m->path, '/') : NULL;
	m->name = slash ? slash + 1 : m->path;
	return 0;
}

static int node_take(struct profile *p, const struct trace_row *row)
{
	static const struct profile_node none;

	/* A caller's number is smaller: so no stack can be cyclic. */
	if (!row->a || row->a >= LIMIT_STACK_NODES || row->b >= row->a)
		return 0;
	while (p->nodes.n <= row->a)
		if (vec_push(&p->nodes, none) < 0)
			return TACHO_ENOMEM;
	p->nodes.v[row->a] = (struct profile_node){(uint32_t)row->b, row->c};
	return 0;
}

/* Symbols of one address are consecutive, innermost first. */
static int symbol_take(void *context, const struct trace_row *row)
{
	struct profile *p = context;
	const char *text = row->text ? row->text : "", *name, *file;
	size_t len = strnlen(text, row->text_len);
	uint32_t module = TREE_MODULE(row->a);
	struct profile_frame f = {.line = (uint32_t)row->b};
	uint32_t *first = map_get(&p->frames_of, row->a);

	if (module >= p->modules.n || (row->c == 0) != !first)
		return 0;
	name = string_keep(p->names, text, len);
	file = len < row->text_len ? string_keep(p->names, text + len + 1, row->text_len - len - 1)
				   : "";
	if (!name || !file)
		return TACHO_ENOMEM;
	f.file = file;
	f.function = function_get(p, module, name, file, false);
	if (f.function == UINT32_MAX)
		return TACHO_ENOMEM;
	if (first) {
		if (*first + row->c != p->frames.n)
			return 0;
		p->last.v[p->last.n - 1] = 0;
	} else if (map_set(&p->frames_of, row->a, (uint32_t)p->frames.n) < 0) {
		return TACHO_ENOMEM;
	}
	return vec_push(&p->frames, f) < 0 || vec_push(&p->last, 1) < 0 ? TACHO_ENOMEM : 0;
}

/* Unused addresses: for waits that were too short to read a stack, and samples without one. */
#define SHORT_WAIT 0xffffffffffffull
#define NO_STACK   0xfffffffffffeull

/* A frame without a symbol: its address, or why the stack is incomplete. */
static int profile_frame_make(struct profile *p, uint64_t key)
{
	uint32_t module = TREE_MODULE(key);
	uint64_t offset = TREE_OFFSET(key);
	struct profile_frame f = {.file = ""};
	const char *kept;
	char text[320];

	if (map_get(&p->frames_of, key))
		return 0;
	if (key == SHORT_WAIT || key == NO_STACK)
		snprintf(text, sizeof(text), key == NO_STACK ? "[no stack]" : "[short wait]");
	else if (module == 0)
		snprintf(text, sizeof(text), "%s",
			 offset < STACK_ENDS ? stack_end_names[offset] : "[unknown]");
	else if (module < p->modules.n)
		snprintf(text, sizeof(text), "%.250s+0x%llx", p->modules.v[module].name,
			 (unsigned long long)offset);
	else
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)offset);
	kept = string_keep(p->names, text, strlen(text));
	if (!kept)
		return TACHO_ENOMEM;
	f.function = function_get(p, module < p->modules.n ? module : 0, kept, "", module == 0);
	if (f.function == UINT32_MAX || map_set(&p->frames_of, key, (uint32_t)p->frames.n) < 0 ||
	    vec_push(&p->frames, f) < 0 || vec_push(&p->last, 1) < 0)
		return TACHO_ENOMEM;
	return 0;
}

/*
 * Modules and stacks first, symbols in a second pass: they may be in any order. An unfinished trace
 * has no symbols yet, so they are looked up now.
 */
static int track_read(struct profile *p, struct symbols *s, uint32_t track, bool symbols)
{
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t at;
	int r = trace_rows_open(&rows, p->trace, track, 0, UINT64_MAX), used = 0;

	if (r < 0)
		return r;
	while (used == 0 && (r = trace_rows_next(rows, &row, &at)) > 0) {
		if (symbols && row.kind == TRACE_ROW_SYMBOL)
			used = symbol_take(p, &row);
		else if (!symbols && row.kind == TRACE_ROW_MODULE)
			used = module_take(p, &row);
		else if (!symbols && row.kind == TRACE_ROW_STACK)
			used = node_take(p, &row);
		else if (!symbols && row.kind == TRACE_ROW_LOSS)
			p->lost += row.c;
		if (used == 0 && !symbols)
			used = symbols_note(s, &row);
	}
	trace_rows_close(rows);
	return used < 0 ? used : r;
}

static int tracks_read(struct profile *p)
{
	static const struct profile_module special = {"", "", "", MODULE_SPECIAL};
	static const struct profile_node none;
	struct symbols *s = symbols_new();
	int r = s ? 0 : TACHO_ENOMEM;

	if (vec_push(&p->nodes, none) < 0 || vec_push(&p->modules, special) < 0)
		r = TACHO_ENOMEM;
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; r >= 0 && i < p->trace->track_count; i++)
			if (p->trace->tracks[i].kind == TRACE_OTHER &&
			    !strcmp(p->trace->tracks[i].name, TRACE_STACKS))
				r = track_read(p, s, i, pass == 1);
	if (r >= 0 && p->trace->damage.unfinished)
		r = symbols_resolve(s, 0, symbol_take, p);
	for (size_t i = 1; r >= 0 && i < p->nodes.n; i++)
		r = profile_frame_make(p, p->nodes.v[i].key);
	for (uint64_t key = NO_STACK; r >= 0 && key <= SHORT_WAIT; key++)
		r = profile_frame_make(p, key);
	if (r >= 0) {
		p->no_stack[PROFILE_CPU] = *map_get(&p->frames_of, NO_STACK);
		p->no_stack[PROFILE_OFF_CPU] = *map_get(&p->frames_of, SHORT_WAIT);
	}
	symbols_free(s);
	return r < 0 ? r : 0;
}

void profile_frames(const struct profile *p, uint32_t node, uint32_t *first, uint32_t *count)
{
	const uint32_t *at =
		node && node < p->nodes.n ? map_get(&p->frames_of, p->nodes.v[node].key) : NULL;

	*first = at ? *at : 0;
	*count = 0;
	while (at && !p->last.v[*at + (*count)++])
		;
}

void profile_stack_text(const struct profile *p, uint32_t node, const char *separator,
			struct buf *out)
{
	uint32_t first, count;
	bool any = false;

	for (; node && node < p->nodes.n; node = p->nodes.v[node].parent) {
		profile_frames(p, node, &first, &count);
		for (uint32_t i = 0; i < count; i++) {
			const struct profile_frame *f = &p->frames.v[first + i];

			buf_adds(out, any ? separator : "");
			buf_adds(out, p->functions.v[f->function].name);
			any = true;
		}
	}
}

uint32_t profile_leaf(const struct profile *p, uint32_t node)
{
	uint32_t first, count;

	profile_frames(p, node, &first, &count);
	return count ? p->frames.v[first].function : UINT32_MAX;
}

static int leaf_stacks_find(struct profile *p)
{
	if (vec_reserve(&p->leaf_stacks, p->functions.n + 1) < 0)
		return TACHO_ENOMEM;
	p->leaf_stacks.n = p->functions.n;
	memset(p->leaf_stacks.v, 0, (p->functions.n + 1) * sizeof(*p->leaf_stacks.v));
	for (uint32_t i = (uint32_t)p->nodes.n; i-- > 1;) {
		uint32_t leaf = profile_leaf(p, i);

		if (leaf != UINT32_MAX)
			p->leaf_stacks.v[leaf] = i;
	}
	return 0;
}

uint32_t profile_leaf_stack(const struct profile *p, uint32_t node)
{
	uint32_t leaf = profile_leaf(p, node);

	return leaf < p->leaf_stacks.n ? p->leaf_stacks.v[leaf] : node;
}

int profile_open(struct profile **result, struct trace *trace, struct tacho_error *err)
{
	struct profile *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return err_set(err, TACHO_ENOMEM, "out of memory");
	p->trace = trace;
	p->names = calloc(1, sizeof(*p->names));
	r = p->names ? tracks_read(p) : TACHO_ENOMEM;
	if (r == 0)
		r = leaf_stacks_find(p);
	if (r < 0) {
		profile_close(p);
		return err_set(err, r, "%s", err_text(r));
	}
	*result = p;
	return 0;
}

void profile_close(struct profile *p)
{
	if (!p)
		return;
	vec_free(&p->modules);
	vec_free(&p->functions);
	vec_free(&p->frames);
	vec_free(&p->nodes);
	vec_free(&p->last);
	vec_free(&p->leaf_stacks);
	map_free(&p->frames_of);
	profile_waits_free(p->waits);
	if (p->names) {
		for (size_t i = 0; i < p->names->list.n; i++)
			free(p->names->list.v[i]);
		vec_free(&p->names->list);
		map_free(&p->names->by_hash);
		map_free(&p->names->functions);
		free(p->names);
	}
	free(p);
}

/* -------------------------------------------------------------- counts */

void profile_counts_free(struct profile_counts *counts)
{
	free(counts->samples);
	free(counts->ns);
	memset(counts, 0, sizeof(*counts));
}

static void row_count(struct profile *p, const struct profile_filter *f, const struct window *w,
		      const struct trace_row *row, struct profile_counts *c)
{
	double ns = (double)row->c;
	uint64_t node = row->a;

	if (f->what == PROFILE_OFF_CPU) {
		if (row->kind != TRACE_ROW_STATE || TRACE_STATE_OF(row->b) != TRACE_STATE_BLOCKED)
			return;
		node = row->c;
		ns = trace_duration_ns(p->trace, row->time,
				       row->time +
					       window_overlap(w, row->time, row->time + row->a));
	} else if (row->kind != TRACE_ROW_SAMPLE || !window_has(w, row->time)) {
		return;
	}
	if (node >= p->nodes.n)
		node = 0;
	if (ns <= 0)
		return;
	c->samples[node]++;
	c->ns[node] += ns;
	c->total++;
	c->total_ns += ns;
	c->stacked += node != 0;
	if (node) {
		while (p->nodes.v[node].parent)
			node = p->nodes.v[node].parent;
		c->whole += TREE_MODULE(p->nodes.v[node].key) != 0;
	}
}

static int track_count(struct profile *p, const struct profile_filter *f, uint32_t track,
		       struct profile_counts *c)
{
	/* A wait that began before the range extends into it. */
	uint64_t t0 = f->what == PROFILE_OFF_CPU ? 0 : f->t0;
	struct trace_rows *rows;
	struct trace_row row;
	struct window w;
	uint32_t at;
	int r = window_make(&w, p->trace, track, f);

	if (r == 0)
		r = trace_rows_open(&rows, p->trace, track, t0, f->t1);
	if (r < 0) {
		window_free(&w);
		return r;
	}
	while ((r = trace_rows_next(rows, &row, &at)) > 0)
		row_count(p, f, &w, &row, c);
	trace_rows_close(rows);
	window_free(&w);
	return r;
}

int profile_count(struct profile *p, const struct profile_filter *filter,
		  struct profile_counts *counts)
{
	int r = 0;

	memset(counts, 0, sizeof(*counts));
	counts->no_stack = p->no_stack[filter->what];
	counts->samples = calloc(p->nodes.n, sizeof(*counts->samples));
	counts->ns = calloc(p->nodes.n, sizeof(*counts->ns));
	if (!counts->samples || !counts->ns)
		r = TACHO_ENOMEM;
	for (uint32_t i = 0; r >= 0 && i < p->trace->track_count; i++)
		if (p->trace->tracks[i].kind == TRACE_THREAD &&
		    (!filter->tracks || filter->tracks[i]))
			r = track_count(p, filter, i, counts);
	if (r < 0)
		profile_counts_free(counts);
	return r < 0 ? r : 0;
}
