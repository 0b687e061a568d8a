/* SPDX-License-Identifier: Apache-2.0 */
/* Converts samples to nodes of the tree of stacks. */
#include "sample/private.h"

#include "base/limits.h"

#include <string.h>

struct module *stack_module(struct sampler *s, enum module_kind kind, const char *path,
			    uint64_t device, uint64_t inode)
{
	bool added;

	return modules_get(&s->modules, kind, path, device, inode, &added);
}

/* A module's row: path and build id. Written with its first frame, after reading the file. */
static void module_announce(struct sampler *s, struct module *m, uint64_t time)
{
	struct sampler_event e = {.kind = SAMPLER_ROW, .row = TRACE_ROW_MODULE, .time = time};
	char text[4200 + MODULE_BUILD_ID + 2];
	size_t path = strnlen(m->path, 4200), id = strlen(m->build_id);

	if (m->announced)
		return;
	m->announced = true;
	memcpy(text, m->path, path);
	text[path] = 0;
	memcpy(text + path + 1, m->build_id, id);
	e.a = m->id;
	e.b = m->kind;
	queue_put(s, &e, text, path + 1 + id);
}

static uint32_t child_node(struct sampler *s, uint64_t time, uint32_t parent, struct module *m,
			   uint64_t address)
{
	uint32_t before = s->tree.count;
	uint64_t key = TREE_KEY(m->id, address);
	uint32_t node = tree_child(&s->tree, parent, key);

	if (node && node >= before) {
		module_announce(s, m, time);
		queue_row(s, NULL, TRACE_ROW_STACK, time, node, parent, key);
	}
	return node;
}

/* The node of s->frames. The root of an incomplete stack is the reason. */
uint32_t stack_node(struct sampler *s, uint64_t ns, enum stack_end end, unsigned count)
{
	struct module *special = s->modules.list.v[0];
	uint64_t time = sampler_ticks(s, ns);
	uint32_t node = 0;

	if (end != STACK_WHOLE || !count)
		node = child_node(s, time, 0, special, count ? (uint64_t)end : STACK_NONE);
	for (unsigned i = count; i-- > 0;) {
		const struct stack_frame *f = &s->frames[i];
		uint32_t next = child_node(s, time, node, f->module, f->address);

		if (!next) /* the limit was reached: the beginning of the stack is right */
			break;
		node = next;
	}
	return node;
}

/*
 * A thread that was created while events were opened can have two: the inherited one and its own.
 * Only the samples of one count.
 */
static bool is_second_event(const struct sampler *s, struct sampled_thread *t,
			    const struct record *r)
{
	const uint32_t *owner = map_get(&s->events.owner_of, r->event);

	if (!owner || *owner == t->owner)
		return false;
	if (t->owner && *owner >> 24 <= t->owner >> 24)
		return *owner >> 24 == t->owner >> 24;
	t->owner = *owner;
	return false;
}

#define WINDOW 200 /* samples */

/* More than 1 % are cut. */
void stack_round(struct sampler *s)
{
	struct {
		VEC(pid_t);
	} pids = {0};

	if (s->deepened || s->window_cut <= WINDOW / 100 || !s->options.adaptive)
		return;
	s->deepened = true;
	for (size_t i = 0; i < s->processes.n; i++)
		if (!s->processes.v[i]->ended && vec_push(&pids, s->processes.v[i]->space.pid) < 0)
			break;
	events_deepen(&s->events, pids.v, pids.n, SAMPLER_STACK_MOST);
	vec_free(&pids);
}

void stack_sample(struct sampler *s, const struct record *r)
{
	struct sampled_process *p = sampler_process(s, r->pid);
	struct sampled_thread *t = sampler_thread(s, r->pid, r->tid);
	struct unwind_input in = {.stack = r->stack, .size = r->stack_size};
	enum stack_end end = STACK_NONE;
	unsigned count = 0;

	if (!p || !t || is_second_event(s, t, r))
		return;
	if (r->regs) {
		/* Positions of DWARF's registers in the kernel's order. */
		static const uint8_t place[CFI_REGS] = {0,  3,  2,  1,  4,  5,  6,  7, 12,
							13, 14, 15, 16, 17, 18, 19, 8};

		for (unsigned i = 0; i < CFI_REGS; i++)
			memcpy(&in.regs[i], r->regs + (size_t)place[i] * 8, 8);
		in.known = (1u << CFI_REGS) - 1;
		end = unwind(s->cache, &p->space, &in, s->frames, s->frame_pcs, &count);
		count = pystacks_merge(s, p, r->tid, r->time, count);
		/* A short copy is the end of the stack's mapping, not a cut. */
	}
	if (++s->window_samples > WINDOW)
		s->window_samples = s->window_cut = 0;
	s->window_cut += end == STACK_CUT;
	pthread_mutex_lock(&s->lock);
	s->totals.samples++;
	s->totals.ends[end]++;
	pthread_mutex_unlock(&s->lock);
	queue_row(s, t, TRACE_ROW_SAMPLE, sampler_ticks(s, r->time),
		  stack_node(s, r->time, end, count), r->cpu, r->period);
}
