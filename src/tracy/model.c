/* SPDX-License-Identifier: Apache-2.0 */
/* Build the tables of a file that is being written: strings, threads, source locations. */
#include "tracy/device.h"
#include "tracy/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

/* -------------------------------------------------------------------- names */

int64_t model_string(struct write *w, const char *text, bool pointer)
{
	int64_t id = strings_add(&w->strings, text, strlen(text));

	if (id >= 0 && pointer)
		w->strings.list.v[id].pointer = true;
	return id;
}

void model_put_strings(struct write *w)
{
	struct out *out = &w->out;
	uint64_t pointers = 1;

	out_u64(out, w->strings.list.n);
	for (size_t i = 0; i < w->strings.list.n; i++) {
		const struct string_entry *e = &w->strings.list.v[i];

		out_u64(out, STRING_POINTER(i));
		out_u64(out, e->len);
		out_copy(out, w->strings.text.data + e->at, e->len);
		pointers += e->pointer;
	}
	/* Pointer 0 means the unnamed frame set or memory pool: string 0. */
	out_u64(out, pointers);
	out_u64(out, 0);
	out_u64(out, STRING_POINTER(0));
	for (size_t i = 0; i < w->strings.list.n; i++) {
		if (!w->strings.list.v[i].pointer)
			continue;
		out_u64(out, STRING_POINTER(i));
		out_u64(out, STRING_POINTER(i));
	}
}

static uint64_t name_hash(const char *name)
{
	return XXH3_64bits(name, strlen(name));
}

/* The name of an unnamed track, after its process. A plot without one would be called "Frame". */
static void add_default_name(struct buf *b, const struct trace *trace, const struct trace_track *t)
{
	if (t->kind == TRACE_THREAD || t->kind == TRACE_FIBER)
		buf_addf(b, "%llu", (unsigned long long)t->id);
	else if (t->kind == TRACE_FRAMES)
		buf_adds(b, STRING_FRAMES);
	else if (t->kind == TRACE_MEMORY)
		buf_adds(b, STRING_MEMORY);
	else if (t->kind == TRACE_PLOT)
		buf_addf(b, "plot %llu", (unsigned long long)t->id);
	else if (t->kind == TRACE_LOCK && t->srcloc < trace->srcloc_count)
		buf_adds(b, trace_srcloc_name(trace, t->srcloc));
}

/* "name", or with several processes "process/name". */
static int64_t track_name(struct write *w, uint32_t track, const struct map *processes)
{
	const struct trace_track *t = &w->trace->tracks[track];
	const struct trace_process *p =
		t->process < w->trace->process_count ? &w->trace->processes[t->process] : NULL;
	bool thread = t->kind == TRACE_THREAD || t->kind == TRACE_FIBER;
	/* A live trace may get more processes. */
	bool several = w->several || t->process != w->process;
	const char *slash = strrchr(t->name, '/');
	struct buf b = BUF_INIT;
	int64_t id;

	if (several && p && t->kind != TRACE_CORE) {
		const uint32_t *count = map_get(processes, name_hash(p->name));

		/*
		 * "name/", or "name[pid]/" if others have the same name: tracks with equal names
		 * would be merged.
		 */
		buf_adds(&b, p->name);
		if (count && *count > 1)
			buf_addf(&b, "[%u]", p->pid);
		buf_addc(&b, '/');
	}
	if (t->kind == TRACE_CORE) /* the context's name includes the core */
		buf_adds(&b, slash ? slash + 1 : device_risc(t->id));
	else if ((several || t->kind == TRACE_PLOT) && !t->name[0])
		add_default_name(&b, w->trace, t);
	else
		buf_adds(&b, t->name);
	if (b.failed)
		id = TACHO_ENOMEM;
	else
		id = b.len ? strings_add(&w->strings, b.data, b.len) : -1;
	if (id >= 0 && !thread && t->kind != TRACE_CORE && t->kind != TRACE_LOCK)
		w->strings.list.v[id].pointer = true;
	buf_free(&b);
	return id;
}

/* Counts the processes with a name. */
static int count_names(const struct trace *trace, struct map *processes)
{
	for (uint32_t i = 0; i < trace->process_count; i++) {
		uint64_t hash = name_hash(trace->processes[i].name);
		const uint32_t *count = map_get(processes, hash);

		if (map_set(processes, hash, count ? *count + 1 : 1) < 0)
			return TACHO_ENOMEM;
	}
	return 0;
}

/* Renames all of them: a thread may have a new name. */
static int prepare_names(struct write *w)
{
	int64_t *names = reallocarray(w->names, w->trace->track_count + 1ul, sizeof(*names));
	struct map processes = {0};
	int r;

	if (!names)
		return TACHO_ENOMEM;
	w->names = names;
	r = count_names(w->trace, &processes);
	for (uint32_t i = 0; i < w->trace->track_count && r == 0; i++) {
		w->names[i] = track_name(w, i, &processes);
		if (w->names[i] < -1)
			r = TACHO_ENOMEM;
	}
	map_free(&processes);
	return r;
}

/* ------------------------------------------------------------------ threads */

static int add_thread(struct write *w, struct out_thread *t, uint64_t tid)
{
	uint64_t next;

	if (w->numbers.n > THREAD_MAX) {
		w->notes->n[TRACY_NOTE_THREADS]++;
		return 0;
	}
	/* The system reuses tids, and fibers have their own: take a free number above 32 bits. */
	next = tid ? tid : 1ull << 32;
	while (map_get(&w->tids, next))
		next += 1ull << 32;
	t->tid = next;
	t->number = (uint16_t)w->numbers.n;
	t->written = true;
	if (map_set(&w->tids, t->tid, 1) < 0)
		return TACHO_ENOMEM;
	return vec_push(&w->numbers, t->tid);
}

/* Threads of an imported file keep their numbers. */
static int model_by_number(const void *a, const void *b, void *context)
{
	const struct trace *t = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (t->tracks[x].flags != t->tracks[y].flags)
		return t->tracks[x].flags < t->tracks[y].flags ? -1 : 1;
	return (x > y) - (x < y);
}

static int by_process(const void *a, const void *b, void *context)
{
	const struct trace *t = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (t->tracks[x].process != t->tracks[y].process)
		return t->tracks[x].process < t->tracks[y].process ? -1 : 1;
	return (x > y) - (x < y);
}

/* New tracks follow the known ones. */
static int prepare_threads(struct write *w)
{
	const struct trace *t = w->trace;
	uint32_t from = w->tracks_known, n = t->track_count;
	uint32_t *order = reallocarray(w->order, n + 1ul, sizeof(*order));
	struct out_thread *threads = reallocarray(w->threads, n + 1ul, sizeof(*threads));
	int r = w->numbers.n ? 0 : vec_push(&w->numbers, 0);

	w->order = order ? order : w->order;
	w->threads = threads ? threads : w->threads;
	if (!order || !threads)
		return TACHO_ENOMEM;
	memset(threads + from, 0, (n - from + 1) * sizeof(*threads));
	for (uint32_t i = from; i < n; i++)
		order[i] = i;
	qsort_r(order + from, n - from, sizeof(*order), model_by_number, w->trace);
	for (uint32_t i = from; i < n && r == 0; i++) {
		const struct trace_track *track = &t->tracks[order[i]];

		if (track->kind == TRACE_THREAD || track->kind == TRACE_FIBER)
			r = add_thread(w, &threads[order[i]], track->id);
	}
	qsort_r(order + from, n - from, sizeof(*order), by_process, w->trace);
	return r;
}

uint64_t model_device_tid(const struct write *w, uint32_t track)
{
	uint64_t id = w->trace->tracks[track].id;

	return w->old || TRACE_CORE_IS_OTHER(id) ? device_queue(id) : DEVICE_TID | id;
}

/* Adds a device track, which later versions show under a thread's name. */
static bool has_risc_name(const struct write *w, uint32_t track)
{
	const struct trace_track *t = &w->trace->tracks[track];

	return !w->old && t->kind == TRACE_CORE && !TRACE_CORE_IS_OTHER(t->id);
}

void model_put_threads(struct write *w)
{
	struct out *out = &w->out;
	uint64_t names = 0;

	for (uint32_t i = 0; i < w->trace->track_count; i++)
		names += (w->threads[i].written && w->names[i] >= 0) || has_risc_name(w, i);
	out_u64(out, names);
	for (uint32_t i = 0; i < w->trace->track_count; i++) {
		if (!has_risc_name(w, i))
			continue;
		out_u64(out, model_device_tid(w, i));
		out_u64(out, STRING_POINTER(w->names[i]));
	}
	for (uint32_t i = 0; i < w->trace->track_count; i++) {
		if (!w->threads[i].written || w->names[i] < 0)
			continue;
		out_u64(out, w->threads[i].tid);
		out_u64(out, STRING_POINTER(w->names[i]));
	}
	out_u64(out, 0); /* names of threads of other programs */
	out_u64(out, w->numbers.n);
	out_copy(out, w->numbers.v, w->numbers.n * sizeof(*w->numbers.v));
	out_u64(out, 0); /* threads of other programs */
}

/* --------------------------------------------------------- source locations */

int16_t model_srcloc_id(size_t index)
{
	return (int16_t)(index < SRCLOC_MAX ? index + 1 : SRCLOC_MAX - index - 1);
}

static int64_t model_optional(struct write *w, const char *text, bool pointer)
{
	return text[0] ? model_string(w, text, pointer) : -1;
}

static int add_srcloc(struct write *w, const struct trace_srcloc *s, uint32_t line)
{
	bool pointer = w->srclocs.n < SRCLOC_MAX;
	struct out_srcloc o = {.name = model_optional(w, s->name, pointer),
			       .function = model_optional(w, s->function, pointer),
			       .file = model_optional(w, s->file, pointer),
			       .line = line,
			       .color = color_to_bgr(s->color)};

	if (o.name < -1 || o.function < -1 || o.file < -1)
		return TACHO_ENOMEM;
	return vec_push(&w->srclocs, o);
}

/* The fields that merged source locations share, from the finest key to a single location. */
enum fold { FOLD_FUNCTION, FOLD_FILE, FOLD_ALL };

static uint64_t fold_key(struct write *w, uint32_t srcloc, enum fold fold)
{
	const struct trace_srcloc *s = &w->trace->srclocs[srcloc];
	int64_t file = fold == FOLD_ALL ? 0 : model_string(w, s->file, false);
	int64_t function = fold == FOLD_FUNCTION ? model_string(w, s->function, false) : 0;

	return (uint64_t)file << 32 | (uint64_t)function;
}

static int count_folds(struct write *w, enum fold fold, size_t *count)
{
	struct map seen = {0};
	int r = 0;

	for (uint32_t i = 0; i < w->trace->srcloc_count && r == 0; i++)
		r = map_set(&seen, fold_key(w, i, fold), 1);
	*count = seen.n;
	map_free(&seen);
	return r;
}

/* Merges ORDER[from..) into one location per function (or file), in the remaining places. */
static int fold_rest(struct write *w, const uint32_t *order, size_t from, enum fold fold)
{
	struct map made = {0};
	int r = 0;

	for (size_t i = from; i < w->trace->srcloc_count && r == 0; i++) {
		const struct trace_srcloc *s = &w->trace->srclocs[order[i]];
		uint64_t key = fold_key(w, order[i], fold);
		uint32_t *at = map_get(&made, key);
		struct trace_srcloc whole = {.name = fold == FOLD_FUNCTION ? "" : "(merged)",
					     .function = fold == FOLD_FUNCTION ? s->function : "",
					     .file = fold == FOLD_ALL ? "" : s->file};

		if (!at) {
			r = map_set(&made, key, (uint32_t)w->srclocs.n);
			if (r == 0)
				r = add_srcloc(w, &whole, 0);
			at = map_get(&made, key);
		}
		if (r == 0) {
			w->srcloc[order[i]] = model_srcloc_id(*at);
			w->folded[order[i]] =
				model_string(w, trace_srcloc_name(w->trace, order[i]), false);
			w->notes->n[TRACY_NOTE_FOLDED]++;
		}
	}
	map_free(&made);
	return r;
}

static int by_count(const void *a, const void *b)
{
	const struct trace_stat *x = a, *y = b;
	uint64_t m = x->count + x->unfinished, n = y->count + y->unfinished;

	return m != n ? (m > n ? -1 : 1) : (x->srcloc > y->srcloc) - (x->srcloc < y->srcloc);
}

/* Sorts the locations with the most zones first. */
static int rank_srclocs(struct write *w, uint32_t *order)
{
	struct trace_filter all = {.t1 = UINT64_MAX, .no_percentiles = true};
	uint32_t n = w->trace->srcloc_count, at = 0;
	struct trace_stat *stats = NULL;
	uint8_t *seen = calloc(n + 1, 1);
	size_t count = 0;
	int r = seen ? trace_stats(w->trace, &all, &stats, &count, NULL) : TACHO_ENOMEM;

	if (r == 0 && count)
		qsort(stats, count, sizeof(*stats), by_count);
	for (size_t i = 0; r == 0 && i < count; i++) {
		if (stats[i].srcloc < n && !seen[stats[i].srcloc]) {
			seen[stats[i].srcloc] = 1;
			order[at++] = stats[i].srcloc;
		}
	}
	for (uint32_t i = 0; r == 0 && i < n; i++)
		if (!seen[i])
			order[at++] = i;
	free(stats);
	free(seen);
	return r;
}

static int prepare_srclocs(struct write *w)
{
	uint32_t n = w->trace->srcloc_count;
	uint32_t *order = malloc((n + 1) * sizeof(*order));
	size_t keep = n, folds = 0;
	enum fold fold = FOLD_FUNCTION;
	int r = 0;

	free(w->srcloc);
	free(w->folded);
	w->srcloc = calloc(n + 1, sizeof(*w->srcloc));
	w->folded = malloc((n + 1) * sizeof(*w->folded));
	if (!order || !w->srcloc || !w->folded)
		r = TACHO_ENOMEM;
	for (uint32_t i = 0; r == 0 && i < n; i++) {
		order[i] = i;
		w->folded[i] = -1;
	}
	if (r == 0 && n > 2 * SRCLOC_MAX) {
		r = rank_srclocs(w, order);
		for (; r == 0; fold++) {
			r = count_folds(w, fold, &folds);
			if (fold == FOLD_ALL || folds <= SRCLOC_MAX)
				break;
		}
		keep = 2 * SRCLOC_MAX - folds;
	}
	for (size_t i = 0; r == 0 && i < keep; i++) {
		w->srcloc[order[i]] = model_srcloc_id(w->srclocs.n);
		r = add_srcloc(w, &w->trace->srclocs[order[i]], w->trace->srclocs[order[i]].line);
	}
	if (r == 0 && keep < n)
		r = fold_rest(w, order, keep, fold);
	free(order);
	return r;
}

/* Later locations have no zones to rank them by: if there is no room, they share one. */
static int grow_srclocs(struct write *w)
{
	static const struct trace_srcloc merged = {.name = "(merged)", .function = "", .file = ""};
	uint32_t n = w->trace->srcloc_count;
	int16_t *ids = reallocarray(w->srcloc, n + 1ul, sizeof(*ids));
	int64_t *folded;
	int r = 0;

	if (!ids)
		return TACHO_ENOMEM;
	w->srcloc = ids;
	folded = reallocarray(w->folded, n + 1ul, sizeof(*folded));
	if (!folded)
		return TACHO_ENOMEM;
	w->folded = folded;
	for (uint32_t i = w->srclocs_known; i < n && r == 0; i++) {
		const struct trace_srcloc *s = &w->trace->srclocs[i];
		bool room = w->srclocs.n < 2 * SRCLOC_MAX - 1;

		folded[i] = room ? -1 : model_string(w, trace_srcloc_name(w->trace, i), false);
		if (w->srclocs.n < 2 * SRCLOC_MAX)
			r = room ? add_srcloc(w, s, s->line) : add_srcloc(w, &merged, 0);
		if (r == 0)
			ids[i] = model_srcloc_id(w->srclocs.n - 1);
		w->notes->n[TRACY_NOTE_FOLDED] += !room;
	}
	return r;
}

/* Packs both into one word. Ids have 32 bits in device logs; larger ones get no id. */
static uint64_t model_op_key(uint32_t srcloc, uint64_t id)
{
	return srcloc >> 24 || id >> 40 ? UINT64_MAX : (uint64_t)srcloc << 40 | id;
}

int64_t model_find_op_srcloc(const struct write *w, uint32_t srcloc, uint64_t id)
{
	const uint32_t *at = map_get(&w->op_srclocs, model_op_key(srcloc, id));

	return at ? (int64_t)*at : -1;
}

int64_t model_op_srcloc(struct write *w, uint32_t srcloc, uint64_t id)
{
	uint64_t key = model_op_key(srcloc, id);
	const uint32_t *at = map_get(&w->op_srclocs, key);
	struct trace_srcloc s = w->trace->srclocs[srcloc];
	char function[40];

	if (at)
		return *at;
	if (key == UINT64_MAX || w->folded[srcloc] >= 0 || w->srclocs.n >= 2 * SRCLOC_MAX)
		return -1;
	snprintf(function, sizeof(function), DEVICE_OP_FUNCTION, (unsigned long long)id);
	s.function = function;
	if (map_set(&w->op_srclocs, key, (uint32_t)w->srclocs.n) < 0 ||
	    add_srcloc(w, &s, s.line) < 0)
		return TACHO_ENOMEM;
	return (int64_t)w->srclocs.n - 1;
}

static void put_srcloc(struct out *out, const struct out_srcloc *s, bool pointers)
{
	void (*put)(struct out *, int64_t) = pointers ? out_pointer : out_ref;

	put(out, s->name);
	put(out, s->function);
	put(out, s->file);
	out_u32(out, s->line);
	out_u32(out, s->color);
}

static void put_counts(struct write *w, bool device)
{
	out_u64(&w->out, w->srclocs.n);
	for (size_t i = 0; i < w->srclocs.n; i++) {
		out_i16(&w->out, model_srcloc_id(i));
		out_u64(&w->out, device ? w->srclocs.v[i].device_zones : w->srclocs.v[i].zones);
	}
}

void model_put_srclocs(struct write *w)
{
	static const uint64_t base = 1ull << 40; /* addresses in the program: any unique number */
	size_t fixed = w->srclocs.n < SRCLOC_MAX ? w->srclocs.n : SRCLOC_MAX;
	struct out *out = &w->out;

	out_u64(out, fixed);
	for (size_t i = 0; i < fixed; i++) {
		out_u64(out, base + 64 * i);
		put_srcloc(out, &w->srclocs.v[i], true);
	}
	out_u64(out, fixed + 1);
	out_u64(out, 0);
	for (size_t i = 0; i < fixed; i++)
		out_u64(out, base + 64 * i);
	out_u64(out, w->srclocs.n - fixed);
	for (size_t i = fixed; i < w->srclocs.n; i++)
		put_srcloc(out, &w->srclocs.v[i], false);
	put_counts(w, false);
	put_counts(w, true);
}

int model_prepare(struct write *w)
{
	int r = 0;
	const struct trace *t;

	w->strings.text = (struct buf)BUF_INIT;
	/* Finds the first process with anything to show, and whether there are others. */
	t = w->trace;
	for (uint32_t i = 0; i < t->track_count; i++) {
		if (i == 0)
			w->process = t->tracks[i].process;
		w->several |= t->tracks[i].process != w->process;
		if (t->tracks[i].process < w->process)
			w->process = t->tracks[i].process;
	}
	if (model_string(w, "Frame", false) < 0)
		r = TACHO_ENOMEM;
	return r < 0 ? r : model_grow(w);
}

int model_grow(struct write *w)
{
	int r = prepare_names(w);
	static const struct trace_srcloc none = {.name = "lock", .function = "", .file = ""};
	bool needed = false;

	if (r == 0)
		r = prepare_threads(w);
	if (r == 0)
		r = w->srclocs_known ? grow_srclocs(w) : prepare_srclocs(w);
	if (r < 0)
		return r;
	w->tracks_known = w->trace->track_count;
	w->srclocs_known = w->trace->srcloc_count;
	/* A lock needs a location: those without share one. */
	if (w->lock_srcloc)
		return 0;
	for (uint32_t i = 0; i < w->trace->track_count; i++)
		needed |= w->trace->tracks[i].kind == TRACE_LOCK &&
			  w->trace->tracks[i].srcloc >= w->trace->srcloc_count;
	if (!needed || w->srclocs.n >= 2 * SRCLOC_MAX)
		return 0;
	w->lock_srcloc = model_srcloc_id(w->srclocs.n);
	return add_srcloc(w, &none, 0);
}
