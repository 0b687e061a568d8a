/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of perf become tracks, stacks and modules of a trace. */
#include "import/perf.h"

#include "base/limits.h"
#include "base/text.h"
#include "sample/module.h"

#include <stdlib.h>
#include <string.h>

int perf_begin(struct perf_samples *p, const char *path, const char *event)
{
	struct trace_clock_point point = {.ticks = 1000000000u, .monotonic_ns = 1000000000};
	int r;

	trace_set_property(p->w, "source", path);
	trace_set_property(p->w, "ticks per second", "1000000000");
	trace_set_property(p->w, "sampling event", event);
	p->stacks = TRACE_NONE;
	r = trace_add_clock_point(p->w, &point);
	return r < 0 ? r : vec_push(&p->paths, NULL);
}

int perf_end(struct perf_samples *p)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < p->rows.n; i++) {
		struct trace_ledger ledger = {.rows_emitted = p->rows.v[i]};

		r = trace_add_ledger(p->w, i, &ledger);
	}
	for (size_t i = 0; i < p->paths.n; i++)
		free(p->paths.v[i]);
	vec_free(&p->paths);
	vec_free(&p->rows);
	map_free(&p->modules);
	map_free(&p->processes);
	map_free(&p->threads);
	tree_free(&p->tree);
	return r;
}

static int perf_track(struct perf_samples *p, const struct trace_track *t, uint32_t *track)
{
	int64_t id = p->rows.n < LIMIT_TRACKS ? trace_add_track(p->w, t) : TACHO_EDAMAGED;

	if (id < 0)
		return (int)id;
	*track = (uint32_t)id;
	return vec_push(&p->rows, 0);
}

int perf_thread(struct perf_samples *p, uint32_t pid, uint32_t tid, const char *name, uint64_t time,
		uint32_t *track)
{
	uint32_t *process = map_get(&p->processes, pid), *known;
	struct trace_track t = {
		.kind = TRACE_THREAD, .id = tid, .srcloc = TRACE_NONE, .name = name};
	struct trace_process new = {.pid = pid,
				    .start = PERF_TIME(time),
				    .exit_status = TRACE_EXIT_UNKNOWN,
				    .name = name,
				    .command = name};
	uint64_t key;
	int r;

	if (!process) {
		int64_t id = p->processes.n < LIMIT_TRACKS ? trace_add_process(p->w, &new)
							   : TACHO_EDAMAGED;

		if (id < 0)
			return (int)id;
		if (map_set(&p->processes, pid, (uint32_t)id) < 0)
			return TACHO_ENOMEM;
		process = map_get(&p->processes, pid);
	}
	t.process = *process;
	key = (uint64_t)t.process << 32 | tid;
	known = map_get(&p->threads, key);
	if (known) {
		*track = *known;
		return 0;
	}
	r = perf_track(p, &t, track);
	if (r == 0 && p->stacks == TRACE_NONE) {
		t.kind = TRACE_OTHER;
		t.id = 0;
		t.name = TRACE_STACKS;
		r = perf_track(p, &t, &p->stacks);
	}
	return r < 0 ? r : map_set(&p->threads, key, *track) < 0 ? TACHO_ENOMEM : 0;
}

int perf_row(struct perf_samples *p, uint32_t track, const struct trace_row *row)
{
	int r = p->symbols && track == p->stacks ? symbols_note(p->symbols, row) : 0;

	p->rows.v[track]++;
	return r < 0 ? r : trace_add_row(p->w, track, row);
}

int perf_module(struct perf_samples *p, const char *path, uint64_t time, uint32_t *module)
{
	struct trace_row row = {.kind = TRACE_ROW_MODULE,
				.time = PERF_TIME(time),
				.thread = TRACE_NONE,
				.text = path,
				.text_len = (uint32_t)strlen(path)};
	uint64_t h = hash_text(HASH_START, path);
	uint32_t *at;
	char *copy;

	for (; (at = map_get(&p->modules, h)) != NULL; h++)
		if (!strcmp(p->paths.v[*at], path)) {
			*module = *at;
			return 0;
		}
	/* Modules beyond the limit share one. */
	*module = p->paths.n < LIMIT_MODULES - 1 ? (uint32_t)p->paths.n : 1;
	if (*module == 1 && p->paths.n > 1)
		return 0;
	copy = strdup(path);
	if (!copy || map_set(&p->modules, h, *module) < 0 || vec_push(&p->paths, copy) < 0) {
		free(copy);
		return TACHO_ENOMEM;
	}
	row.a = *module;
	row.b = path[0] == '/' ? MODULE_FILE : MODULE_MEMORY;
	return perf_row(p, p->stacks, &row);
}

int perf_stack(struct perf_samples *p, uint32_t parent, uint64_t key, uint64_t time,
	       uint32_t *stack, bool *added)
{
	uint32_t before = p->tree.count;
	struct trace_row row = {.kind = TRACE_ROW_STACK,
				.time = PERF_TIME(time),
				.thread = TRACE_NONE,
				.b = parent,
				.c = key};

	*stack = tree_child(&p->tree, parent, key);
	*added = *stack && p->tree.count != before && *stack + 1 == p->tree.count;
	row.a = *stack;
	return *added ? perf_row(p, p->stacks, &row) : 0;
}
