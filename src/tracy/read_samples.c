/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read samples, call stacks and when threads ran. The file has samples first, then stacks, then
 * names of their frames; the trace has modules and symbols first, then stacks, then samples. So
 * samples and stacks are held until the frames are known.
 */
#include "tracy/read.h"

#include <stdlib.h>

static bool samples_failed(struct read *r, int code)
{
	if (code < 0)
		in_fail(&r->in, TACHO_ENOMEM, "no memory");
	return code < 0;
}

/* --------------------------------------------------------------- held parts */

void read_samples(struct read *r, uint32_t track)
{
	uint64_t n = in_u64(&r->in);
	int64_t reference = 0;

	for (uint64_t i = 0; i < n && read_ok(r); i++) {
		struct read_sample s = {.track = track};

		s.time = read_tick(read_delta(r, &reference));
		s.stack = in_u24(&r->in);
		if (read_ok(r) && read_spend(r, sizeof(s)))
			samples_failed(r, vec_push(&r->samples, s));
	}
}

void read_callstacks(struct read *r)
{
	uint64_t n = in_u64(&r->in);

	for (uint64_t i = 0; i < n && read_ok(r); i++) {
		uint16_t depth = in_u16(&r->in);
		struct read_stack s = {.first = r->stack_frames.n, .depth = depth};

		if (!r->samples.n) { /* of zones and messages alone */
			in_skip(&r->in, 8ull * depth);
			continue;
		}
		for (uint16_t k = 0; k < depth && read_ok(r); k++) {
			uint64_t address = in_u64(&r->in);

			if (read_spend(r, sizeof(address)))
				samples_failed(r, vec_push(&r->stack_frames, address));
		}
		if (read_ok(r) && read_spend(r, sizeof(s)))
			samples_failed(r, vec_push(&r->stacks, s));
	}
}

/* -------------------------------------------------------- modules and names */

static void read_frame(struct read *r)
{
	uint64_t address = in_u64(&r->in), key;
	uint8_t count = in_u8(&r->in);
	uint32_t image = in_u24(&r->in);
	bool wanted = r->stacks.n && read_ok(r) && read_spend(r, 32);

	key = wanted ? stacks_frame(&r->rows, &r->sink, image ? read_string(r, image, NULL) : "",
				    address)
		     : 0;
	if (wanted && (samples_failed(r, map_set(&r->frame_of, address, (uint32_t)r->keys.n)) ||
		       samples_failed(r, vec_push(&r->keys, key))))
		return;
	for (uint8_t i = 0; i < count && read_ok(r); i++) {
		uint32_t name = in_u24(&r->in), file = in_u24(&r->in), line = in_u32(&r->in);
		char *copy;

		in_u64(&r->in); /* symbol */
		if (!wanted || !read_ok(r))
			continue;
		copy = strdup(read_string(r, name, NULL));
		if (copy)
			stacks_symbol(&r->rows, &r->sink, key, line, i, copy,
				      read_string(r, file, NULL));
		else
			in_fail(&r->in, TACHO_ENOMEM, "no memory");
		free(copy);
	}
}

/* ------------------------------------------------------------------- stacks */

/* The node of a stack, made at its first use; 0: it has none. */
static uint32_t sample_stack_of(struct read *r, uint32_t number)
{
	struct read_stack *s = number && number <= r->stacks.n ? &r->stacks.v[number - 1] : NULL;

	if (!s || s->resolved)
		return s ? s->node : 0;
	s->resolved = true;
	for (uint32_t i = s->depth; i-- && read_ok(r);) {
		const uint32_t *at = map_get(&r->frame_of, r->stack_frames.v[s->first + i]);

		if (at && read_spend(r, sizeof(struct stacks_node) + 32))
			s->node = stacks_node(&r->rows, &r->sink, s->node, r->keys.v[*at]);
	}
	return s->node;
}

void read_callstack_frames(struct read *r)
{
	uint64_t n = in_u64(&r->in);

	r->rows.time = READ_ORIGIN;
	r->rows.process = r->process;
	for (uint64_t i = 0; i < n && read_ok(r); i++)
		read_frame(r);
	for (size_t i = 0; i < r->samples.n && read_ok(r); i++) {
		const struct read_sample *s = &r->samples.v[i];
		struct trace_row row = {.time = s->time,
					.kind = TRACE_ROW_SAMPLE,
					.thread = s->track,
					.a = sample_stack_of(r, s->stack),
					.c = r->period > 0 ? (uint64_t)r->period : 0,
					.text = ""};

		if (read_ok(r))
			sink_row(&r->sink, s->track, &row);
	}
}

/* ------------------------------------------------------------------- states */

static void state_add(struct read *r, uint32_t track, enum trace_state state, int64_t start,
		      int64_t end, uint8_t cpu)
{
	struct trace_row row = {.time = read_tick(start),
				.kind = TRACE_ROW_STATE,
				.thread = track,
				.b = TRACE_STATE(state, cpu, 0),
				.text = ""};

	if (end <= start || !read_ok(r))
		return;
	row.a = read_tick(end) - row.time;
	sink_row(&r->sink, track, &row);
}

/* The runs of a thread, and between them its waits: blocked until it was woken, then runnable. */
static void read_runs(struct read *r, uint32_t track, uint64_t n)
{
	int64_t reference = 0, last = INT64_MIN;

	for (uint64_t i = 0; i < n && read_ok(r); i++) {
		int64_t ready = read_delta(r, &reference), start = read_delta(r, &reference);
		int64_t end = read_delta(r, &reference);
		uint8_t cpu = in_u8(&r->in);

		in_skip(&r->in, 1 + 1 + 8); /* reason, state, who woke it */
		if (r->version >= TRACY_VERSION(0, 11, 3))
			in_u8(&r->in);
		if (start < last || ready > start) /* states must not overlap */
			continue;
		ready = ready < last ? last : ready;
		if (last != INT64_MIN)
			state_add(r, track, TRACE_STATE_BLOCKED, last, ready, 0);
		state_add(r, track, TRACE_STATE_RUNNABLE, ready, start, 0);
		state_add(r, track, TRACE_STATE_RUNNING, start, end, cpu);
		last = end < start ? start : end;
	}
}

void read_switches(struct read *r)
{
	uint64_t n = in_u64(&r->in);

	for (uint64_t i = 0; i < n && read_ok(r); i++) {
		uint64_t tid = in_u64(&r->in);

		read_runs(r, read_thread(r, tid), in_u64(&r->in));
	}
}
