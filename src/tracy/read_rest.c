/* SPDX-License-Identifier: Apache-2.0 */
/* Skip and count sections that the model has no place for. */
#include "tracy/read.h"
#include "tracy/strings.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

/* Skips N elements of SIZE bytes. */
static void skip_list(struct read *r, uint64_t n, uint64_t size)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		bytes = UINT64_MAX;
	in_skip(&r->in, bytes);
}

static void read_rest_note(struct read *r, enum tracy_note what, uint64_t n)
{
	if (read_ok(r))
		r->notes->n[what] += n;
}

void read_cpu_switches(struct read *r)
{
	in_u64(&r->in);
	for (int i = 0; i < 256 && read_ok(r); i++)
		skip_list(r, in_u64(&r->in), 8 + 8 + 2);
}

void read_pids(struct read *r)
{
	uint64_t n = in_u64(&r->in);

	for (uint64_t i = 0; i < n && read_ok(r); i++) {
		uint64_t tid = in_u64(&r->in), pid = in_u64(&r->in);

		if (map_get(&r->thread_of, tid) && map_set(&r->pids, tid, (uint32_t)pid) < 0)
			in_fail(&r->in, TACHO_ENOMEM, "no memory");
	}
}

void read_cpu_threads(struct read *r)
{
	skip_list(r, in_u64(&r->in), 8 + 8 + 4 + 4);
}

/* Frames of stacks have the names already. */
void read_symbols(struct read *r)
{
	in_skip(&r->in, 8 + 8);
	skip_list(r, in_u64(&r->in), 8 + 3 + 3 + 4 + 3 + 3 + 4 + 1 + 3);
}

void read_symbol_code(struct read *r)
{
	uint64_t n = in_u64(&r->in);

	for (uint64_t i = 0; i < n && read_ok(r); i++) {
		in_u64(&r->in);
		in_skip(&r->in, in_u32(&r->in));
	}
}

void read_code_map(struct read *r)
{
	skip_list(r, in_u64(&r->in), 8 + 8);
}

void read_hardware(struct read *r)
{
	uint64_t n = in_u64(&r->in);

	for (uint64_t i = 0; i < n && read_ok(r); i++) {
		in_u64(&r->in);
		for (int k = 0; k < 6 && read_ok(r); k++) {
			uint64_t samples = in_u64(&r->in);

			skip_list(r, samples, 8);
			read_rest_note(r, TRACY_NOTE_SAMPLES, samples);
		}
	}
}

void read_sources(struct read *r)
{
	uint64_t n = in_u64(&r->in);

	for (uint64_t i = 0; i < n && read_ok(r); i++) {
		in_skip(&r->in, in_u32(&r->in));
		in_skip(&r->in, in_u32(&r->in));
	}
	read_rest_note(r, TRACY_NOTE_SOURCES, n);
}

/* ---------------------------------------------------------------- processes */

/* A process of a file with several: its name is the prefix of its threads' names. */
static int64_t read_rest_process_add(struct read *r, uint32_t pid, const char *name, size_t len)
{
	struct trace_process p = {
		.pid = pid, .start = READ_ORIGIN, .command = "", .exit_status = TRACE_EXIT_UNKNOWN};
	char *copy = strndup(name, len);
	int64_t id;

	if (!copy)
		return TACHO_ENOMEM;
	p.name = copy;
	id = trace_add_process(r->sink.w, &p);
	free(copy);
	return id;
}

/* The processes of a file with several, by pid and by the prefix of their tracks' names. */
struct owners {
	struct map by_pid, by_prefix;
};

/* Processes with equal names have their pid appended. */
static size_t bare_length(const char *prefix, size_t len, uint32_t pid)
{
	char number[16];
	size_t n = (size_t)snprintf(number, sizeof(number), "[%u]", pid);

	return len > n && !memcmp(prefix + len - n, number, n) ? len - n : len;
}

/* The process named by the prefix of a thread's name; created on first use. */
static int64_t find_owner(struct read *r, struct owners *o, uint32_t pid, const char *prefix,
			  size_t len)
{
	uint32_t *known = map_get(&o->by_pid, pid);
	int64_t id = known ? *known
			   : read_rest_process_add(r, pid, prefix, bare_length(prefix, len, pid));

	if (id < 0 || (!known && map_set(&o->by_pid, pid, (uint32_t)id) < 0))
		return id < 0 ? id : TACHO_ENOMEM;
	if (map_set(&o->by_prefix, XXH3_64bits(prefix, len), (uint32_t)id) < 0)
		return TACHO_ENOMEM;
	return id;
}

/* Splits "process/thread" into process and thread. */
static void move_thread(struct read *r, struct read_thread *t, struct owners *owners, uint32_t pid)
{
	const uint32_t *name = map_get(&r->thread_names, t->tid);
	const char *text = read_string(r, name ? *name + 1 : 0, NULL), *slash = strchr(text, '/');
	char number[24];
	int64_t id;

	if (!slash)
		return;
	id = find_owner(r, owners, pid, text, (size_t)(slash - text));
	if (id < 0) {
		sink_error(&r->sink, id);
		return;
	}
	snprintf(number, sizeof(number), "%llu", (unsigned long long)t->tid);
	t->info.process = (uint32_t)id;
	t->info.name = strcmp(slash + 1, number) ? slash + 1 : "";
	sink_error(&r->sink, trace_update_track(r->sink.w, t->track, &t->info));
}

/* The same for other tracks. */
static void move_track(struct read *r, uint32_t track, struct trace_track *t,
		       const struct owners *owners)
{
	const char *slash = strchr(t->name, '/'), *name = slash ? slash + 1 : "";
	const uint32_t *owner = NULL;

	if (slash)
		owner = map_get(&owners->by_prefix,
				XXH3_64bits(t->name, (size_t)(slash - t->name)));
	if (!owner)
		return;
	if ((t->kind == TRACE_FRAMES && !strcmp(name, STRING_FRAMES)) ||
	    (t->kind == TRACE_MEMORY && !strcmp(name, STRING_MEMORY)))
		name = "";
	t->process = *owner;
	t->name = name;
	sink_error(&r->sink, trace_update_track(r->sink.w, track, t));
}

static bool has_several(const struct read *r)
{
	for (size_t i = 0; i < r->threads.n; i++) {
		const uint32_t *pid = map_get(&r->pids, r->threads.v[i].tid);

		if (pid && *pid != r->pid)
			return true;
	}
	return false;
}

void read_finish_processes(struct read *r)
{
	struct owners owners = {0};

	if (!has_several(r))
		return;
	sink_error(&r->sink, map_set(&owners.by_pid, r->pid, r->process));
	for (size_t i = 0; i < r->threads.n && !r->sink.error; i++) {
		const uint32_t *pid = map_get(&r->pids, r->threads.v[i].tid);

		if (pid)
			move_thread(r, &r->threads.v[i], &owners, *pid);
	}
	for (size_t i = 0; i < r->tracks.n && !r->sink.error; i++)
		move_track(r, r->tracks.v[i].track, &r->tracks.v[i].info, &owners);
	for (size_t i = 0; i < r->frame_set_count && !r->sink.error; i++)
		move_track(r, r->frame_sets[i].track, &r->frame_sets[i].info, &owners);
	map_free(&owners.by_pid);
	map_free(&owners.by_prefix);
}
