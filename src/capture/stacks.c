/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call stacks in the trace. They come from the sampler, which numbers its stacks and modules, and
 * from programs that attach stacks to events, which hash them. Here both get the numbers of the
 * trace.
 */
#include "capture/private.h"
#include "clock/clock.h"
#include "sample/module.h"
#include "sample/symbols.h"
#include "sample/tree.h"
#include "sample/unwind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PROGRAM_STACKS  (1u << 22) /* ids of one program; later ones have no stack */
#define PROGRAM_MODULES 4096       /* libraries of one program: each is searched for among all */

struct stacks_module {
	uint32_t number, kind;
	char *path, *build_id;
};

struct stacks {
	uint32_t track;       /* TRACE_NONE: not yet */
	uint32_t next;        /* number of the next stack */
	uint32_t next_module; /* number of the next module */
	struct {
		VEC(struct stacks_module);
	} modules;        /* of programs, and files of the sampler */
	struct tree tree; /* stacks of programs */
	struct {
		VEC(uint32_t);
	} numbers;                           /* by node of the tree */
	struct map sampled, sampled_modules; /* number of the sampler to number */
	struct symbols *symbols;
};

static struct stacks *stacks_get(struct capture *c)
{
	if (c->stacks)
		return c->stacks;
	c->stacks = calloc(1, sizeof(*c->stacks));
	if (!c->stacks) {
		capture_error(c, TACHO_ENOMEM);
		return NULL;
	}
	c->stacks->track = TRACE_NONE;
	c->stacks->next = c->stacks->next_module = 1;
	c->stacks->symbols = symbols_new();
	if (!c->stacks->symbols)
		capture_error(c, TACHO_ENOMEM);
	return c->error ? NULL : c->stacks;
}

/* PROCESS: each track of a trace belongs to one, this to the first that has stacks. */
uint32_t stacks_track(struct capture *c, uint32_t process)
{
	struct trace_track t = {.process = process,
				.kind = TRACE_OTHER,
				.srcloc = TRACE_NONE,
				.name = TRACE_STACKS};
	struct stacks *s = stacks_get(c);
	int64_t id;

	if (!s || s->track != TRACE_NONE)
		return s ? s->track : TRACE_NONE;
	id = trace_add_track(c->writer, &t);
	if (id < 0)
		capture_error(c, id);
	else
		s->track = (uint32_t)id;
	return s->track;
}

static void stacks_row_add(struct capture *c, uint32_t process, const struct trace_row *row)
{
	uint32_t track = stacks_track(c, process);
	int r = track == TRACE_NONE ? TACHO_ENOMEM : trace_add_row(c->writer, track, row);

	if (r < 0 || symbols_note(c->stacks->symbols, row) < 0) {
		capture_error(c, r < 0 ? r : TACHO_ENOMEM);
		return;
	}
	held_row_count(c, track, 1, 0);
	c->sum.rows++;
}

/* -------------------------------------------------------------- modules */

static struct stacks_module *stacks_module_find(struct stacks *s, uint32_t kind, const char *path,
						const char *build_id)
{
	for (size_t i = 0; i < s->modules.n; i++) {
		struct stacks_module *m = &s->modules.v[i];

		if (m->kind == kind && !strcmp(m->path, path) && !strcmp(m->build_id, build_id))
			return m;
	}
	return NULL;
}

static bool stacks_module_add(struct stacks *s, uint32_t number, uint32_t kind, const char *path,
			      const char *build_id)
{
	struct stacks_module m = {number, kind, strdup(path), strdup(build_id)};

	if (m.path && m.build_id && vec_push(&s->modules, m) == 0)
		return true;
	free(m.path);
	free(m.build_id);
	return false;
}

/* Its number in the trace, NUMBER unless that is 0. 0: error, or too many. */
static uint32_t stacks_module(struct capture *c, uint32_t process, uint64_t time, uint32_t number,
			      uint32_t kind, const char *path, const char *build_id)
{
	struct stacks *s = stacks_get(c);
	struct stacks_module *known;
	struct trace_row row = {
		.time = time, .kind = TRACE_ROW_MODULE, .thread = TRACE_NONE, .b = kind};
	size_t len = strlen(path), id = strlen(build_id);
	char *text;

	known = s && kind == MODULE_FILE && !number ? stacks_module_find(s, kind, path, build_id)
						    : NULL;
	if (!s || known)
		return known ? known->number : 0;
	if (!number && s->next_module >= LIMIT_MODULES)
		return 0;
	row.a = number ? number : s->next_module++;
	text = malloc(len + id + 2);
	if (!text ||
	    (kind == MODULE_FILE && !stacks_module_add(s, (uint32_t)row.a, kind, path, build_id))) {
		capture_error(c, TACHO_ENOMEM);
		free(text);
		return 0;
	}
	memcpy(text, path, len + 1);
	memcpy(text + len + 1, build_id, id);
	row.text = text;
	row.text_len = (uint32_t)(len + 1 + id);
	stacks_row_add(c, process, &row);
	free(text);
	return (uint32_t)row.a;
}

/* ------------------------------------------------- stacks of the sampler */

static uint64_t sampled_number(const struct map *numbers, uint64_t number)
{
	const uint32_t *at = number ? map_get(numbers, number) : NULL;

	return at ? *at : 0;
}

/* Names of Python functions come before the row of their module, which has its number already. */
static uint64_t sampled_key(struct capture *c, uint64_t key)
{
	struct stacks *s = c->stacks;
	uint32_t module = TREE_MODULE(key);

	if (module && !map_get(&s->sampled_modules, module) && s->next_module < LIMIT_MODULES &&
	    map_set(&s->sampled_modules, module, s->next_module++) < 0)
		capture_error(c, TACHO_ENOMEM);
	return TREE_KEY(sampled_number(&s->sampled_modules, module), TREE_OFFSET(key));
}

static void sampled_module(struct capture *c, uint32_t process, const struct trace_row *row)
{
	const char *text = row->text ? row->text : "";
	size_t path = strnlen(text, row->text_len);
	char *first = strndup(text, path);
	char *second = path < row->text_len ? strndup(text + path + 1, row->text_len - path - 1)
					    : strdup("");
	uint32_t number = (uint32_t)sampled_number(&c->stacks->sampled_modules, row->a);

	if (first && second)
		number = stacks_module(c, process, row->time, number, (uint32_t)row->b, first,
				       second);

	if (!first || !second ||
	    (number && map_set(&c->stacks->sampled_modules, row->a, number) < 0))
		capture_error(c, TACHO_ENOMEM);
	free(first);
	free(second);
}

bool stacks_sampler_row(struct capture *c, uint32_t process, struct trace_row *row)
{
	struct stacks *s = stacks_get(c);
	uint64_t number = row->a;

	if (!s)
		return true;
	switch (row->kind) {
	case TRACE_ROW_SAMPLE:
		row->a = sampled_number(&s->sampled, row->a);
		return false;
	case TRACE_ROW_STATE:
		row->c = sampled_number(&s->sampled, row->c);
		return false;
	case TRACE_ROW_MODULE:
		sampled_module(c, process, row);
		return true;
	case TRACE_ROW_SYMBOL:
		row->a = sampled_key(c, row->a);
		break;
	case TRACE_ROW_STACK:
		if (s->next >= LIMIT_STACK_NODES)
			return true;
		row->a = s->next++;
		row->b = sampled_number(&s->sampled, row->b);
		row->c = sampled_key(c, row->c);
		if (map_set(&s->sampled, number, (uint32_t)row->a) < 0)
			capture_error(c, TACHO_ENOMEM);
		break;
	}
	stacks_row_add(c, process, row);
	return true;
}

/* ---------------------------------------------------- stacks of programs */

/* A library that was loaded by a relative path: where that leads now. NULL: not known. */
static char *absolute_path(uint32_t pid, const char *path)
{
	char folder[32], *whole = NULL, *found;

	if (path[0] == '/')
		return strdup(path);
	snprintf(folder, sizeof(folder), "/proc/%u/cwd", pid);
	if (asprintf(&whole, "%s/%s", folder, path) < 0)
		return NULL;
	found = realpath(whole, NULL);
	free(whole);
	return found;
}

void stacks_program_module(struct capture *c, struct process *p, uint64_t time, uint64_t id,
			   const char *name)
{
	char *path, *seen = NULL;
	struct modules files;
	struct module *m = NULL;
	struct stat st;
	uint32_t number;
	bool added;

	if (map_get(&p->stack_modules, id) || p->stack_modules.n >= PROGRAM_MODULES)
		return;
	path = absolute_path(p->info.pid, name);
	/* As the process sees it; it may have ended. */
	if (path && asprintf(&seen, "/proc/%u/root%s", p->info.pid, path) < 0)
		seen = NULL;
	if (path && ((seen && stat(seen, &st) == 0) || stat(path, &st) == 0) &&
	    S_ISREG(st.st_mode) && modules_init(&files) == 0) {
		m = modules_get(&files, MODULE_FILE, path, st.st_dev, st.st_ino, &added);
		if (m)
			module_load(m, (pid_t)p->info.pid);
	}
	number = stacks_module(c, p->id, time, 0, path ? MODULE_FILE : MODULE_MEMORY,
			       path ? path : name, m ? m->build_id : "");
	free(seen);
	free(path);
	if (m)
		modules_free(&files);
	if (number && map_set(&p->stack_modules, id, number) < 0)
		capture_error(c, TACHO_ENOMEM);
}

/* The node of KEY below PARENT, in the trace too. 0: error, or too many. */
static uint32_t program_node(struct capture *c, uint32_t process, uint64_t time, uint32_t parent,
			     uint64_t key)
{
	struct stacks *s = c->stacks;
	uint32_t before = s->tree.count, node;
	struct trace_row row = {.time = time, .kind = TRACE_ROW_STACK, .thread = TRACE_NONE};

	/* The sampler takes numbers, too. */
	if (s->next >= LIMIT_STACK_NODES)
		return 0;
	node = tree_child(&s->tree, parent, key);
	if (!node || (before && node < before))
		return node < s->numbers.n ? node : 0;
	while (s->numbers.n < node)
		if (vec_push(&s->numbers, 0) < 0)
			break;
	if (s->numbers.n != node || vec_push(&s->numbers, s->next) < 0) {
		capture_error(c, TACHO_ENOMEM);
		return 0;
	}
	row.a = s->next++;
	row.b = s->numbers.v[parent];
	row.c = key;
	stacks_row_add(c, process, &row);
	return node;
}

void stacks_program_stack(struct capture *c, struct process *p, uint64_t time,
			  const uint64_t *words, unsigned count)
{
	uint64_t end = words[1];
	uint32_t node = 0;

	if (map_get(&p->stack_numbers, words[0]) || p->stack_numbers.n >= PROGRAM_STACKS ||
	    !stacks_get(c))
		return;
	if (end != STACK_WHOLE)
		node = program_node(c, p->id, time, 0,
				    TREE_KEY(0, end < STACK_ENDS ? end : STACK_BROKEN));
	for (unsigned i = count / 2; i-- > 1;) {
		const uint32_t *module = map_get(&p->stack_modules, words[2 * i]);

		node = program_node(
			c, p->id, time, node,
			TREE_KEY(module ? *module : 0,
				 module ? TREE_OFFSET(words[2 * i + 1]) : STACK_NO_MAP));
		if (!node)
			return;
	}
	if (node && map_set(&p->stack_numbers, words[0], c->stacks->numbers.v[node]) < 0)
		capture_error(c, TACHO_ENOMEM);
}

/* ----------------------------------------------------------------- end */

static int stacks_symbol_add(void *context, const struct trace_row *row)
{
	struct capture *c = context;

	stacks_row_add(c, 0, row);
	return c->error;
}

void stacks_finish(struct capture *c)
{
	if (c->stacks && c->stacks->track != TRACE_NONE)
		symbols_resolve(c->stacks->symbols, clock_ticks(), stacks_symbol_add, c);
}

void stacks_close(struct capture *c)
{
	struct stacks *s = c->stacks;

	if (!s)
		return;
	for (size_t i = 0; i < s->modules.n; i++) {
		free(s->modules.v[i].path);
		free(s->modules.v[i].build_id);
	}
	vec_free(&s->modules);
	vec_free(&s->numbers);
	tree_free(&s->tree);
	map_free(&s->sampled);
	map_free(&s->sampled_modules);
	symbols_free(s->symbols);
	free(s);
	c->stacks = NULL;
}

/* ------------------------------------------------------ in a checkpoint */

void stacks_save(const struct capture *c, struct buf *b)
{
	const struct stacks *s = c->stacks;

	state_put(b, s ? s->track + UINT64_C(1) : 0); /* TRACE_NONE: no track yet */
	if (!s)
		return;
	state_put(b, s->next);
	state_put(b, s->next_module);
	state_put(b, s->modules.n);
	for (size_t i = 0; i < s->modules.n; i++) {
		const struct stacks_module *m = &s->modules.v[i];

		state_put(b, m->number);
		state_put(b, m->kind);
		state_string_put(b, m->path, strlen(m->path));
		state_string_put(b, m->build_id, strlen(m->build_id));
	}
	state_put(b, s->tree.count ? s->tree.count - 1 : 0);
	for (uint32_t i = 1; i < s->tree.count; i++) {
		state_put(b, s->tree.nodes[i].parent);
		state_put(b, s->tree.nodes[i].key);
		state_put(b, i < s->numbers.n ? s->numbers.v[i] : 0);
	}
}

static void get_module(struct capture *c, struct state_in *in)
{
	uint32_t number = (uint32_t)state_get(in), kind = (uint32_t)state_get(in);
	char *path = state_string_get(in), *build_id = state_string_get(in);

	if (!in->bad && !stacks_module_add(c->stacks, number, kind, path, build_id))
		in->bad = true;
	free(path);
	free(build_id);
}

void stacks_load(struct capture *c, struct state_in *in)
{
	uint64_t track = state_get(in), count;
	struct stacks *s;

	if (!track || in->bad)
		return;
	s = stacks_get(c);
	in->bad |= !s || (track - 1 != TRACE_NONE && track > trace_writer_tracks(c->writer));
	if (in->bad)
		return;
	s->track = (uint32_t)(track - 1);
	s->next = (uint32_t)state_get(in);
	s->next_module = (uint32_t)state_get(in);
	count = state_count(in);
	for (uint64_t i = 0; i < count && !in->bad; i++)
		get_module(c, in);
	count = state_count(in);
	if (count && vec_push(&s->numbers, 0) < 0)
		in->bad = true;
	for (uint32_t i = 1; i <= count && !in->bad; i++) {
		uint32_t parent = (uint32_t)state_get(in);
		uint64_t key = state_get(in);
		uint32_t number = (uint32_t)state_get(in);

		if (parent >= i || !number || tree_child(&s->tree, parent, key) != i ||
		    vec_push(&s->numbers, number) < 0)
			in->bad = true;
	}
}

/* Names of what the earlier recorder has written are looked up at the end, as all others. */
int stacks_read_again(struct capture *c, const char *path)
{
	struct trace_rows *rows;
	struct trace_row row;
	struct trace *trace;
	uint32_t track;
	int r;

	if (!c->stacks || c->stacks->track == TRACE_NONE)
		return 0;
	r = trace_open(&trace, path, NULL);
	if (r < 0)
		return r;
	r = trace_rows_open(&rows, trace, c->stacks->track, 0, UINT64_MAX);
	if (r == 0) {
		while (r >= 0 && (r = trace_rows_next(rows, &row, &track)) > 0)
			r = symbols_note(c->stacks->symbols, &row);
		trace_rows_close(rows);
	}
	trace_close(trace);
	return r < 0 ? r : 0;
}
