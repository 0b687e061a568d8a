/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Write samples, their call stacks and symbols, and when threads ran.
 *
 * The file knows a frame by its address and a symbol by the address of its function. Ours are an
 * address of a module's file, and a number: any unique ones do.
 */
#include "tracy/write.h"

#include <stdlib.h>
#include <string.h>

#define FRAME_ADDRESS  ((1ull << 62) - 1) /* the bits above it are flags */
#define SYMBOL_ADDRESS (1ull << 61)
#define STACK_FRAMES   255u
#define STACKS_MAX     ((1u << 24) - 2)
#define REASON_NONE    100 /* of a switch: not known */
#define STATE_RUNNABLE 103
#define STATE_SLEEPING 104

static uint64_t sample_frame_address(const struct profile *p, uint32_t node)
{
	return p->nodes.v[node].key & FRAME_ADDRESS;
}

static uint64_t symbol_address(uint32_t function)
{
	return SYMBOL_ADDRESS + 16ull * function;
}

/* The number + 1 of a text referenced by 24 bits; 0: none, or no room. */
static uint32_t samples_string(struct write *w, const char *text)
{
	int64_t id = text[0] && w->strings.list.n < STRING_MAX ? model_string(w, text, false) : -1;

	return id < 0 ? 0 : (uint32_t)id + 1;
}

/* ------------------------------------------------------------- first pass */

static int frame_add(struct write *w, uint32_t node)
{
	struct out_samples *s = &w->samples;
	uint64_t address = sample_frame_address(s->profile, node);

	if (map_get(&s->frame_of, address))
		return 0;
	if (map_set(&s->frame_of, address, 1) < 0)
		return TACHO_ENOMEM;
	return vec_push(&s->frames, node);
}

/* The stack of a sample gets a number at its first use; 0: it has none. */
static int stack_add(struct write *w, uint64_t node)
{
	struct out_samples *s = &w->samples;
	int r = 0;

	if (node == 0 || node >= s->profile->nodes.n || s->number_of[node] ||
	    s->stacks.n >= STACKS_MAX)
		return 0;
	r = vec_push(&s->stacks, (uint32_t)node);
	s->number_of[node] = (uint32_t)s->stacks.n;
	for (uint32_t at = (uint32_t)node; at && r == 0; at = s->profile->nodes.v[at].parent)
		r = frame_add(w, at);
	return r;
}

static uint64_t row_stack(const struct trace_row *row)
{
	switch (row->kind) {
	case TRACE_ROW_SAMPLE:
		return row->a;
	case TRACE_ROW_ALLOC:
	case TRACE_ROW_FREE:
		return row->c;
	case TRACE_ROW_MESSAGE:
		return row->c >> 32;
	default:
		return 0;
	}
}

uint32_t samples_stack(const struct write *w, uint64_t node)
{
	return w->samples.number_of && node < w->samples.profile->nodes.n
		       ? w->samples.number_of[node]
		       : 0;
}

static int stacks_number(struct write *w)
{
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t track;
	int r = trace_rows_open(&rows, w->trace, TRACE_NONE, 0, UINT64_MAX);

	if (r < 0)
		return r;
	while ((r = trace_rows_next(rows, &row, &track)) > 0) {
		if (row.kind == TRACE_ROW_SAMPLE && !w->samples.period)
			w->samples.period = (int64_t)row.c;
		r = stack_add(w, row_stack(&row));
		if (r < 0)
			break;
	}
	trace_rows_close(rows);
	for (size_t i = 0; i < w->extras.n && r >= 0; i++)
		r = stack_add(w, w->extras.v[i].stack);
	return r;
}

/* Strings come first in the file, so those of frames are added now. */
static int names_add(struct write *w)
{
	struct out_samples *s = &w->samples;
	const struct profile *p = s->profile;

	s->strings = calloc(p->functions.n + 1, sizeof(*s->strings));
	if (!s->strings)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < p->functions.n; i++) {
		const struct profile_function *f = &p->functions.v[i];

		s->strings[i].name = samples_string(w, f->name);
		s->strings[i].file = samples_string(w, f->file);
		s->strings[i].image = f->module < p->modules.n
					      ? samples_string(w, p->modules.v[f->module].path)
					      : 0;
	}
	return 0;
}

int samples_prepare(struct write *w)
{
	struct out_samples *s = &w->samples;
	bool any = w->samples.rows;
	int r;

	for (uint32_t i = 0; i < w->trace->track_count && !any; i++)
		any = w->trace->tracks[i].kind == TRACE_OTHER &&
		      !strcmp(w->trace->tracks[i].name, TRACE_STACKS);
	if (!any)
		return 0;
	r = profile_open(&s->profile, w->trace, NULL);
	if (r < 0)
		return r;
	s->number_of = calloc(s->profile->nodes.n + 1, sizeof(*s->number_of));
	r = s->number_of ? stacks_number(w) : TACHO_ENOMEM;
	return r < 0 ? r : names_add(w);
}

void samples_free(struct write *w)
{
	struct out_samples *s = &w->samples;

	if (s->profile)
		profile_close(s->profile);
	vec_free(&s->stacks);
	vec_free(&s->frames);
	map_free(&s->frame_of);
	free(s->number_of);
	free(s->strings);
}

/* ------------------------------------------------------------ second pass */

/* Calls PUT for each row of a thread that it takes; counts them if OUT is false. */
static int rows_each(struct write *w, uint32_t track, bool out,
		     bool (*put)(struct write *w, const struct trace_row *row, bool out,
				 int64_t *reference),
		     uint64_t *count)
{
	struct trace_rows *rows;
	struct trace_row row;
	int64_t reference = 0;
	uint32_t unused;
	int r = trace_rows_open(&rows, w->trace, track, 0, UINT64_MAX);

	if (r < 0)
		return r;
	*count = 0;
	while ((r = trace_rows_next(rows, &row, &unused)) > 0)
		*count += put(w, &row, out, &reference);
	trace_rows_close(rows);
	return r;
}

static bool sample_put(struct write *w, const struct trace_row *row, bool out, int64_t *reference)
{
	int64_t time = write_ns(w, row->time);

	if (row->kind != TRACE_ROW_SAMPLE || row->a >= w->samples.profile->nodes.n ||
	    !w->samples.number_of[row->a])
		return false;
	if (out) {
		out_i64(&w->out, time - *reference);
		out_u24(&w->out, w->samples.number_of[row->a]);
		*reference = time;
	}
	return true;
}

/* A run of a thread: since when it was ready, from when to when, and why it stopped. */
static void run_put(struct write *w, bool runnable)
{
	struct out_samples *s = &w->samples;

	if (!s->run.end)
		return;
	out_i64(&w->out, s->run.ready - s->run.reference);
	out_i64(&w->out, s->run.start - s->run.ready);
	out_i64(&w->out, s->run.end - s->run.start);
	out_u8(&w->out, s->run.cpu);
	out_u8(&w->out, REASON_NONE);
	out_u8(&w->out, runnable ? STATE_RUNNABLE : STATE_SLEEPING);
	out_u64(&w->out, 0); /* who woke it */
	if (!w->old)
		out_u8(&w->out, s->run.cpu);
	s->run.reference = s->run.end;
	s->run.end = 0;
}

/* The state after a run says why it stopped, so a run is held until then. */
static bool switch_put(struct write *w, const struct trace_row *row, bool out, int64_t *reference)
{
	struct out_samples *s = &w->samples;
	uint32_t state = TRACE_STATE_OF(row->b);
	uint64_t end = row->time + row->a;

	(void)out, (void)reference;
	if (row->kind != TRACE_ROW_STATE)
		return false;
	run_put(w, state == TRACE_STATE_RUNNABLE);
	if (state == TRACE_STATE_RUNNING) {
		s->run.start = write_ns(w, row->time);
		s->run.ready = s->run.ready_end == row->time ? write_ns(w, s->run.ready_from)
							     : s->run.start;
		s->run.end = write_ns(w, end);
		s->run.cpu = (uint8_t)TRACE_STATE_CPU(row->b);
	}
	s->run.ready_from = row->time;
	s->run.ready_end = state == TRACE_STATE_RUNNABLE ? end : 0;
	return state == TRACE_STATE_RUNNING;
}

int samples_put_thread(struct write *w, uint32_t track)
{
	uint64_t n = 0;
	int r = w->samples.profile ? rows_each(w, track, false, sample_put, &n) : 0;

	if (r < 0)
		return r;
	out_u64(&w->out, n);
	return n ? rows_each(w, track, true, sample_put, &n) : 0;
}

int samples_put_switches(struct write *w)
{
	uint64_t threads = 0, n;
	int r = 0;

	for (uint32_t i = 0; i < w->trace->track_count; i++)
		threads += w->threads[i].written && w->threads[i].runs;
	out_u64(&w->out, threads);
	for (uint32_t i = 0; i < w->trace->track_count && r == 0; i++) {
		if (!w->threads[i].written || !w->threads[i].runs)
			continue;
		memset(&w->samples.run, 0, sizeof(w->samples.run));
		out_u64(&w->out, w->threads[i].tid);
		out_u64(&w->out, w->threads[i].runs);
		r = rows_each(w, i, true, switch_put, &n);
		run_put(w, false);
	}
	return r;
}

static void frame_put(struct write *w, uint32_t node)
{
	const struct out_samples *s = &w->samples;
	const struct profile *p = s->profile;
	uint32_t first, count;

	profile_frames(p, node, &first, &count);
	count = count < 255 ? count : 255;
	out_u64(&w->out, sample_frame_address(p, node));
	out_u8(&w->out, (uint8_t)count);
	out_u24(&w->out, count ? s->strings[p->frames.v[first].function].image : 0);
	for (uint32_t i = first; i < first + count; i++) {
		const struct profile_frame *f = &p->frames.v[i];

		out_u24(&w->out, s->strings[f->function].name);
		out_u24(&w->out, s->strings[f->function].file);
		out_u32(&w->out, f->line);
		out_u64(&w->out, symbol_address(f->function));
	}
}

void samples_put_stacks(struct write *w)
{
	const struct out_samples *s = &w->samples;

	out_u64(&w->out, s->stacks.n);
	for (size_t i = 0; i < s->stacks.n; i++) {
		const struct profile *p = w->samples.profile;
		uint16_t depth = 0;

		for (uint32_t at = s->stacks.v[i]; at && depth < STACK_FRAMES;
		     at = p->nodes.v[at].parent)
			depth++;
		out_u16(&w->out, depth);
		for (uint32_t at = s->stacks.v[i]; depth--; at = p->nodes.v[at].parent)
			out_u64(&w->out, sample_frame_address(p, at));
	}
	out_u64(&w->out, s->frames.n);
	for (size_t i = 0; i < s->frames.n; i++)
		frame_put(w, s->frames.v[i]);
}

void samples_put_symbols(struct write *w)
{
	const struct out_samples *s = &w->samples;
	size_t n = s->profile ? s->profile->functions.n : 0;

	out_u64(&w->out, n);
	out_u64(&w->out, 1); /* inlined ones, with a sentinel */
	out_u64(&w->out, n);
	for (size_t i = 0; i < n; i++) {
		out_u64(&w->out, symbol_address((uint32_t)i));
		out_u24(&w->out, s->strings[i].name);
		out_u24(&w->out, s->strings[i].file);
		out_u32(&w->out, 0);
		out_u24(&w->out, s->strings[i].image);
		out_u24(&w->out, 0); /* called from */
		out_u32(&w->out, 0);
		out_u8(&w->out, 0);
		out_u24(&w->out, 1); /* bytes of code */
	}
}
