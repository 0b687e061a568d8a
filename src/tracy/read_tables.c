/* SPDX-License-Identifier: Apache-2.0 */
/* Read the tables in the first part of the body. */
#include "tracy/read.h"

#include <stdlib.h>

bool read_spend(struct read *r, size_t bytes)
{
	if (bytes > r->budget) {
		in_fail(&r->in, TACHO_ELIMIT,
			"its tables need more memory than a file of this size should");
		return false;
	}
	r->budget -= bytes;
	return true;
}

static void no_memory(struct read *r)
{
	in_fail(&r->in, TACHO_ENOMEM, "no memory");
}

static void read_tables_set(struct read *r, struct map *m, uint64_t key, uint32_t value)
{
	if (read_spend(r, 2 * sizeof(struct map_slot)) && map_set(m, key, value) < 0)
		no_memory(r);
}

/* ------------------------------------------------------------------ strings */

static void read_one_string(struct read *r)
{
	uint64_t address = in_u64(&r->in), len = in_u64(&r->in);
	struct read_string s = {r->text.len, (uint32_t)len};

	if (len > LIMIT_TEXT) {
		in_fail(&r->in, TACHO_ELIMIT, "a text of %llu bytes", (unsigned long long)len);
		return;
	}
	if (!read_spend(r, len + 1 + sizeof(s)))
		return;
	if (buf_reserve(&r->text, len + 1) < 0 || vec_push(&r->strings, s) < 0) {
		no_memory(r);
		return;
	}
	format_in_bytes(&r->in, r->text.data + r->text.len, len);
	r->text.len += len + 1;
	r->text.data[r->text.len - 1] = 0;
	read_tables_set(r, &r->by_address, address, (uint32_t)r->strings.n - 1);
}

void read_strings(struct read *r)
{
	uint64_t n = in_u64(&r->in);

	for (uint64_t i = 0; i < n && read_ok(r); i++)
		read_one_string(r);
}

const char *read_string(const struct read *r, uint32_t number, uint32_t *len)
{
	const struct read_string *s;

	if (len)
		*len = 0;
	if (!number || number > r->strings.n)
		return "";
	s = &r->strings.v[number - 1];
	if (len)
		*len = s->len;
	return r->text.data + s->at;
}

uint32_t read_pointer(const struct read *r, uint64_t pointer)
{
	const uint32_t *at = map_get(&r->by_pointer, pointer);

	return at ? *at + 1 : 0;
}

static uint32_t read_tables_resolve(const struct read *r, uint64_t value, uint8_t flags)
{
	if (!(flags & 2))
		return 0;
	if (!(flags & 1))
		return read_pointer(r, value);
	return value < r->strings.n ? (uint32_t)value + 1 : 0;
}

uint32_t read_ref(struct read *r)
{
	uint64_t value = in_u64(&r->in);

	return read_tables_resolve(r, value, in_u8(&r->in));
}

/* Pairs of a key and the address of a string. */
static void read_names(struct read *r, struct map *to)
{
	uint64_t n = in_u64(&r->in);

	for (uint64_t i = 0; i < n && read_ok(r); i++) {
		uint64_t key = in_u64(&r->in);
		const uint32_t *at = map_get(&r->by_address, in_u64(&r->in));

		if (at)
			read_tables_set(r, to, key, *at);
	}
}

void read_pointers(struct read *r)
{
	read_names(r, &r->by_pointer);
	for (size_t i = 0; i < r->frame_set_count; i++) {
		struct trace_track *t = &r->frame_sets[i].info;

		if (!r->frame_sets[i].pointer)
			continue;
		t->name = read_string(r, read_pointer(r, r->frame_sets[i].pointer), NULL);
		sink_error(&r->sink, trace_update_track(r->sink.w, r->frame_sets[i].track, t));
	}
}

/* ------------------------------------------------------------------ threads */

void read_thread_names(struct read *r)
{
	read_names(r, &r->thread_names);
}

void read_external_names(struct read *r)
{
	uint64_t n = in_u64(&r->in);

	for (uint64_t i = 0; i < n && read_ok(r); i++)
		in_skip(&r->in, 24);
}

void read_thread_numbers(struct read *r)
{
	uint64_t n = in_u64(&r->in);

	for (uint64_t i = 0; i < n && read_ok(r); i++) {
		uint64_t tid = in_u64(&r->in);

		if (read_spend(r, sizeof(tid)) && vec_push(&r->numbers, tid) < 0)
			no_memory(r);
		if (!map_get(&r->number_of, tid))
			read_tables_set(r, &r->number_of, tid, (uint32_t)r->number_of.n);
	}
}

void read_external_threads(struct read *r)
{
	uint64_t n = in_u64(&r->in);

	for (uint64_t i = 0; i < n && read_ok(r); i++)
		in_skip(&r->in, 8);
}

uint32_t read_thread(struct read *r, uint64_t tid)
{
	uint32_t *known = map_get(&r->thread_of, tid);
	const uint32_t *name;
	struct read_thread t;

	if (known)
		return r->threads.v[*known].track;
	if (!read_spend(r, 512))
		return TRACE_NONE;
	name = map_get(&r->thread_names, tid);
	t = (struct read_thread){.tid = tid,
				 .info = {.process = r->process,
					  .kind = TRACE_THREAD,
					  .id = tid,
					  .srcloc = TRACE_NONE,
					  .name = read_string(r, name ? *name + 1 : 0, NULL)}};
	t.track = sink_track(&r->sink, &t.info);
	if (map_set(&r->thread_of, tid, (uint32_t)r->threads.n) < 0 || vec_push(&r->threads, t) < 0)
		no_memory(r);
	return t.track;
}

uint32_t read_number(struct read *r, uint16_t number)
{
	if (!number || number >= r->numbers.n)
		return TRACE_NONE;
	return read_thread(r, r->numbers.v[number]);
}

/* --------------------------------------------------------- source locations */

static uint32_t read_one_srcloc(struct read *r)
{
	uint32_t name = read_ref(r), function = read_ref(r), file = read_ref(r);
	struct trace_srcloc s = {.name = read_string(r, name, NULL),
				 .function = read_string(r, function, NULL),
				 .file = read_string(r, file, NULL)};

	s.line = in_u32(&r->in);
	s.color = color_from_bgr(in_u32(&r->in));
	return read_ok(r) && read_spend(r, 64) ? sink_srcloc(&r->sink, &s) : TRACE_NONE;
}

void read_static_srclocs(struct read *r)
{
	uint64_t n = in_u64(&r->in);

	for (uint64_t i = 0; i < n && read_ok(r); i++) {
		uint64_t address = in_u64(&r->in);
		uint32_t id = read_one_srcloc(r);

		read_tables_set(r, &r->static_srclocs, address, (uint32_t)r->fixed.n);
		if (vec_push(&r->fixed, id) < 0)
			no_memory(r);
	}
}

void read_srcloc_list(struct read *r)
{
	uint64_t n = in_u64(&r->in);

	for (uint64_t i = 0; i < n && read_ok(r); i++) {
		const uint32_t *at = map_get(&r->static_srclocs, in_u64(&r->in));

		if (read_spend(r, 4) &&
		    vec_push(&r->srclocs, at ? r->fixed.v[*at] : TRACE_NONE) < 0)
			no_memory(r);
	}
}

void read_payload_srclocs(struct read *r)
{
	uint64_t n = in_u64(&r->in);

	for (uint64_t i = 0; i < n && read_ok(r); i++)
		if (vec_push(&r->payload, read_one_srcloc(r)) < 0)
			no_memory(r);
}

/* A missing source location gets one that says so. */
uint32_t read_srcloc(struct read *r, int16_t id)
{
	static const struct trace_srcloc unknown = {.name = "?", .function = "", .file = ""};
	uint32_t srcloc = TRACE_NONE;

	if (id > 0 && (size_t)id < r->srclocs.n)
		srcloc = r->srclocs.v[id];
	else if (id < 0 && (size_t)(-id - 1) < r->payload.n)
		srcloc = r->payload.v[-id - 1];
	return srcloc == TRACE_NONE ? sink_srcloc(&r->sink, &unknown) : srcloc;
}

void read_zone_counts(struct read *r)
{
	uint64_t n = in_u64(&r->in);

	for (uint64_t i = 0; i < n && read_ok(r); i++)
		in_skip(&r->in, 2 + 8);
}

void read_extras(struct read *r)
{
	uint64_t n = in_u64(&r->in);

	for (uint64_t i = 0; i < n && read_ok(r); i++) {
		struct read_extra x;

		r->notes->n[TRACY_NOTE_CALLSTACKS] += in_u24(&r->in) != 0;
		x.text = in_u24(&r->in);
		x.name = in_u24(&r->in);
		x.color = color_from_bgr(in_u24(&r->in));
		if (read_spend(r, sizeof(x)) && vec_push(&r->extras, x) < 0)
			no_memory(r);
	}
}
