/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces the interpreter's own frames in a native stack with Python frames. Frames are read as
 * soon as a sample is seen in its ring, and are pending here until its turn comes.
 */
#include "sample/private.h"

#include <string.h>

/* A known code object. */
struct pycode {
	pid_t pid;
	uint64_t address;
	struct python_code code;
	struct module *module;
	struct map lines; /* line to offset in the module */
};

/* Frames read for a sample. */
struct pyread {
	uint32_t tid;
	uint64_t time;
	unsigned count;
	struct python_frame *frames;
};

struct pystacks {
	struct {
		VEC(struct pycode *);
	} codes;
	struct map by_address; /* pid and address to index */
	struct {
		VEC(struct pyread);
	} reads;
	uint64_t numbers; /* of (function, line) pairs */
};

struct pystacks *pystacks_new(void)
{
	return calloc(1, sizeof(struct pystacks));
}

void pystacks_free(struct pystacks *y)
{
	if (!y)
		return;
	for (size_t i = 0; i < y->codes.n; i++) {
		python_code_free(&y->codes.v[i]->code);
		map_free(&y->codes.v[i]->lines);
		free(y->codes.v[i]);
	}
	for (size_t i = 0; i < y->reads.n; i++)
		free(y->reads.v[i].frames);
	vec_free(&y->codes);
	vec_free(&y->reads);
	map_free(&y->by_address);
	free(y);
}

/* The interpreter of a process, searched again whenever its mappings change. */
static const struct python *process_python(struct sampled_process *p)
{
	if (p->python_at != p->space.generation) {
		p->python_at = p->space.generation;
		python_find(&p->python, &p->space);
	}
	return p->python.layout ? &p->python : NULL;
}

bool pystacks_is_python(struct sampled_process *p)
{
	return process_python(p) != NULL;
}

void pystacks_see(struct sampler *s, const struct record *r)
{
	struct python_frame frames[PYTHON_FRAMES];
	struct pyread read = {r->tid, r->time, 0, NULL};
	uint32_t *at = map_get(&s->process_of, r->pid);
	const struct python *py = at ? process_python(s->processes.v[*at]) : NULL;
	uint64_t sp;

	if (!py || !r->regs)
		return;
	s->sees_python = true;
	memcpy(&sp, r->regs + (size_t)7 * 8, sizeof(sp));
	read.count = python_frames(py, r->tid, sp, frames);
	if (!read.count)
		return;
	read.frames = malloc(read.count * sizeof(*frames));
	if (!read.frames)
		return;
	memcpy(read.frames, frames, read.count * sizeof(*frames));
	if (s->python->reads.n > 10000 || vec_push(&s->python->reads, read) < 0)
		free(read.frames);
}

/* The code object at ADDRESS; NULL: invalid. */
static struct pycode *code_get(struct sampler *s, const struct python *py, uint64_t address)
{
	struct pystacks *y = s->python;
	uint64_t key = address ^ (uint64_t)(uint32_t)py->pid << 44;
	uint32_t *at = map_get(&y->by_address, key);
	struct pycode *c = at ? y->codes.v[*at] : NULL;

	if (c && c->address == address && c->pid == py->pid &&
	    python_code_is_same(py, address, &c->code))
		return c;
	c = calloc(1, sizeof(*c));
	if (!c || y->codes.n > (1u << 20) || !python_code_read(py, address, &c->code)) {
		free(c);
		return NULL;
	}
	c->pid = py->pid;
	c->address = address;
	c->module = stack_module(s, MODULE_PYTHON, c->code.file, 0, 0);
	if (!c->module || map_set(&y->by_address, key, (uint32_t)y->codes.n) < 0 ||
	    vec_push(&y->codes, c) < 0) {
		python_code_free(&c->code);
		free(c);
		return NULL;
	}
	return c;
}

/* A function and a line form an "address" of their file, which gets its name at once. */
static bool pystack_frame_make(struct sampler *s, const struct python *py,
			       const struct python_frame *f, uint64_t ns, struct stack_frame *out)
{
	struct sampler_event e = {.kind = SAMPLER_ROW, .row = TRACE_ROW_SYMBOL};
	struct pycode *c = code_get(s, py, f->code);
	uint32_t line, *number;
	char text[2200];
	size_t name;

	if (!c)
		return false;
	line = python_line(py->layout->version, c->code.table, c->code.table_len,
			   c->code.first_line, f->offset);
	number = map_get(&c->lines, line);
	*out = (struct stack_frame){.module = c->module};
	if (number) {
		out->address = *number;
		return true;
	}
	out->address = ++s->python->numbers;
	if (map_set(&c->lines, line, (uint32_t)out->address) < 0)
		return false;
	name = strlen(c->code.name);
	memcpy(text, c->code.name, name + 1);
	memcpy(text + name + 1, c->code.file, strlen(c->code.file));
	e.time = sampler_ticks(s, ns);
	e.a = TREE_KEY(c->module->id, out->address);
	e.b = line;
	queue_put(s, &e, text, name + 1 + strlen(c->code.file));
	return true;
}

static bool is_eval(const struct sampler *s, const struct python *py, unsigned i)
{
	return s->frame_pcs[i] - py->eval_start < py->eval_end - py->eval_start;
}

/*
 * Replaces each frame of the interpreter's C function with the Python frames that it runs. Only if
 * both have the same number: otherwise the interpreter continued between the sample and the
 * reading.
 */
static unsigned frames_merge(struct sampler *s, const struct python *py,
			     const struct python_frame *frames, unsigned n, unsigned count,
			     uint64_t ns)
{
	static struct stack_frame merged[LIMIT_STACK_FRAMES];
	unsigned native = 0, entries = 0, at = 0, out = 0;

	for (unsigned i = 0; i < count; i++)
		native += is_eval(s, py, i);
	for (unsigned i = 0; i < n; i++)
		entries += frames[i].entry;
	if (!native || native != entries)
		return 0;
	for (unsigned i = 0; i < count; i++) {
		bool last = false;

		if (!is_eval(s, py, i)) {
			if (out == LIMIT_STACK_FRAMES)
				return 0;
			merged[out++] = s->frames[i];
			continue;
		}
		for (; at < n && !last; at++) {
			last = frames[at].entry;
			if (frames[at].hidden)
				continue;
			if (out == LIMIT_STACK_FRAMES ||
			    !pystack_frame_make(s, py, &frames[at], ns, &merged[out++]))
				return 0;
		}
	}
	memcpy(s->frames, merged, out * sizeof(*merged));
	return out;
}

/* Removes and returns the frames read for this sample; NULL: none. */
static bool read_take(struct pystacks *y, uint32_t tid, uint64_t time, struct pyread *read)
{
	for (size_t i = 0; i < y->reads.n; i++) {
		if (y->reads.v[i].tid != tid || y->reads.v[i].time != time)
			continue;
		*read = y->reads.v[i];
		y->reads.v[i] = y->reads.v[--y->reads.n];
		return true;
	}
	return false;
}

unsigned pystacks_merge(struct sampler *s, struct sampled_process *p, uint32_t tid, uint64_t time,
			unsigned count)
{
	const struct python *py = process_python(p);
	struct pyread read;
	unsigned merged;

	if (!py)
		return count;
	s->totals.python++;
	if (!read_take(s->python, tid, time, &read))
		return count;
	merged = frames_merge(s, py, read.frames, read.count, count, time);
	free(read.frames);
	s->totals.python_merged += merged > 0;
	return merged ? merged : count;
}

unsigned pystacks_merge_now(struct sampler *s, struct sampled_process *p, uint32_t tid, uint64_t sp,
			    uint64_t time, unsigned count)
{
	const struct python *py = process_python(p);
	struct python_frame frames[PYTHON_FRAMES];
	unsigned n = py ? python_frames(py, tid, sp, frames) : 0, merged;

	merged = n ? frames_merge(s, py, frames, n, count, time) : 0;
	return merged ? merged : count;
}
