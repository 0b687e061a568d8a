/* SPDX-License-Identifier: Apache-2.0 */
/* Samples in a Perfetto trace: each names a stack, which is written once. */
#include "export/perfetto.h"

#include <stdlib.h>

int perfetto_samples_open(struct perfetto *p)
{
	bool any = false;
	int r;

	for (uint32_t i = 0; i < p->trace->track_count; i++)
		any |= p->trace->tracks[i].kind == TRACE_OTHER &&
		       !strcmp(p->trace->tracks[i].name, TRACE_STACKS);
	if (!any)
		return 0;
	r = profile_open(&p->profile, p->trace, NULL);
	if (r < 0)
		return r;
	p->stacks = calloc(p->profile->nodes.n + 1, 1);
	p->frames = calloc(p->profile->frames.n + 1, 1);
	p->functions = calloc(p->profile->functions.n + 1, 1);
	p->modules = calloc(p->profile->modules.n + 1, 1);
	return p->stacks && p->frames && p->functions && p->modules ? 0 : TACHO_ENOMEM;
}

void perfetto_samples_close(struct perfetto *p)
{
	if (p->profile)
		profile_close(p->profile);
	free(p->stacks);
	free(p->frames);
	free(p->functions);
	free(p->modules);
}

static void text_intern(struct perfetto *p, unsigned field, uint64_t id, const char *text)
{
	pb_value(&p->part, 1, id);
	pb_text(&p->part, 2, text);
	pb_message(&p->interned, field, &p->part);
}

/* Ids of modules, functions and frames are their numbers + 1; a function's file has its id. */
static void frame_intern(struct perfetto *p, uint32_t number)
{
	const struct profile_frame *frame = &p->profile->frames.v[number];
	const struct profile_function *f = &p->profile->functions.v[frame->function];
	const struct profile_module *m = &p->profile->modules.v[f->module];
	uint8_t id[64];
	unsigned byte;
	size_t n = 0;

	if (p->frames[number])
		return;
	p->frames[number] = 1;
	if (!p->modules[f->module]) {
		p->modules[f->module] = 1;
		text_intern(p, INTERNED_PATH, (uint64_t)f->module + 1, m->path);
		/* Hex digits become bytes. */
		while (n < sizeof(id) && sscanf(m->build_id + 2 * n, "%2x", &byte) == 1)
			id[n++] = (uint8_t)byte;
		pb_value(&p->part, 1, (uint64_t)f->module + 1);
		pb_bytes(&p->part, 2, id, n);
		pb_message(&p->interned, INTERNED_BUILD_ID, &p->part);
		pb_value(&p->part, 1, (uint64_t)f->module + 1);
		pb_value(&p->part, 2, (uint64_t)f->module + 1);
		pb_value(&p->part, 7, (uint64_t)f->module + 1);
		pb_message(&p->interned, INTERNED_MAPPING, &p->part);
	}
	if (!p->functions[frame->function]) {
		p->functions[frame->function] = 1;
		text_intern(p, INTERNED_FUNCTION, (uint64_t)frame->function + 1, f->name);
		text_intern(p, INTERNED_FILE, (uint64_t)frame->function + 1, f->file);
	}
	pb_value(&p->part, 1, (uint64_t)number + 1);
	pb_value(&p->part, 2, (uint64_t)frame->function + 1);
	pb_value(&p->part, 3, (uint64_t)f->module + 1);
	pb_value(&p->part, 5, (uint64_t)frame->function + 1);
	pb_number(&p->part, 6, frame->line);
	pb_message(&p->interned, INTERNED_FRAME, &p->part);
}

/* The frames of a stack, outermost first: FRAMES grows at its front. */
static int stack_intern(struct perfetto *p, uint32_t stack)
{
	struct {
		VEC(uint32_t);
	} frames = {0};
	int r = 0;

	if (p->stacks[stack])
		return 0;
	p->stacks[stack] = 1;
	for (uint32_t at = stack; at && r == 0; at = p->profile->nodes.v[at].parent) {
		uint32_t first, count;

		profile_frames(p->profile, at, &first, &count);
		for (uint32_t i = 0; i < count && r == 0; i++)
			r = vec_push(&frames, first + i);
	}
	for (size_t i = 0; i < frames.n; i++)
		frame_intern(p, frames.v[i]);
	pb_value(&p->part, 1, stack);
	for (size_t i = frames.n; i--;)
		pb_value(&p->part, 2, (uint64_t)frames.v[i] + 1);
	pb_message(&p->interned, INTERNED_STACK, &p->part);
	vec_free(&frames);
	return r;
}

int perfetto_sample(void *context, const struct trace_row *row, uint32_t track)
{
	struct perfetto *p = context;
	uint32_t process = p->trace->tracks[track].process;
	uint32_t stack =
		row->a && p->profile && row->a < p->profile->nodes.n ? (uint32_t)row->a : 0;
	int r = stack ? stack_intern(p, stack) : 0;

	if (r < 0)
		return r;
	buf_reset(&p->event);
	pb_value(&p->event, 1, row->b);
	pb_value(&p->event, 2, process < p->trace->process_count ? p->pids[process] : 0);
	pb_value(&p->event, 3, p->tids[track]);
	pb_number(&p->event, 4, stack);
	pb_value(&p->event, 6, row->c);
	return perfetto_packet(p, perfetto_ns(p, row->time), PACKET_PERF_SAMPLE);
}
