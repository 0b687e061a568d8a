/* SPDX-License-Identifier: Apache-2.0 */
/* Replay the rows of a memory pool: what is allocated at a moment. */
#include "view/memory_pool.h"

#include <stdlib.h>

/* The slot of ADDRESS, or the free one where it belongs. Linear probing; never full. */
static size_t find_slot(const struct view_pool *p, uint64_t address)
{
	size_t mask = p->slot_count - 1;
	size_t i = (size_t)((address >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & mask;

	while (p->slots[i].used && p->slots[i].address != address)
		i = (i + 1) & mask;
	return i;
}

static int memory_pool_grow(struct view_pool *p)
{
	struct view_pool bigger = *p;

	if (p->slot_count && p->alive + 1 <= p->slot_count / 2)
		return 0;
	bigger.slot_count = p->slot_count ? p->slot_count * 2 : 64;
	bigger.slots = calloc(bigger.slot_count, sizeof(*bigger.slots));
	if (!bigger.slots)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < p->slot_count; i++)
		if (p->slots[i].used)
			bigger.slots[find_slot(&bigger, p->slots[i].address)] = p->slots[i];
	free(p->slots);
	*p = bigger;
	return 0;
}

/* Empties a slot and moves up the following ones that would no longer be found. */
static void remove_slot(struct view_pool *p, size_t i)
{
	size_t mask = p->slot_count - 1;
	struct view_allocation moved;

	p->slots[i].used = false;
	for (i = (i + 1) & mask; p->slots[i].used; i = (i + 1) & mask) {
		moved = p->slots[i];
		p->slots[i].used = false;
		p->slots[find_slot(p, moved.address)] = moved;
	}
}

static int memory_pool_add(struct view_pool *p, const struct trace_row *row)
{
	size_t i;

	if (memory_pool_grow(p) < 0)
		return TACHO_ENOMEM;
	i = find_slot(p, row->a);
	if (p->slots[i].used) {
		p->replaced++;
		p->bytes -= p->slots[i].bytes;
		p->alive--;
	}
	p->slots[i] = (struct view_allocation){
		.address = row->a,
		.bytes = row->b,
		.time = row->time,
		.number = p->allocs,
		.thread = row->thread,
		.stack = (uint32_t)row->c,
		.used = true,
	};
	p->allocs++;
	p->alive++;
	p->total += row->b;
	p->bytes += row->b;
	if (p->bytes > p->peak)
		p->peak = p->bytes;
	return 0;
}

const struct view_allocation *view_pool_at(const struct view_pool *p, uint64_t address)
{
	const struct view_allocation *a = p->slot_count ? &p->slots[find_slot(p, address)] : NULL;

	return a && a->used ? a : NULL;
}

int view_pool_row(struct view_pool *p, const struct trace_row *row)
{
	const struct view_allocation *freed;

	if (row->kind == TRACE_ROW_ALLOC)
		return memory_pool_add(p, row);
	if (row->kind != TRACE_ROW_FREE)
		return 0;
	p->frees++;
	freed = view_pool_at(p, row->a);
	if (!freed) {
		p->unknown_frees++;
		return 0;
	}
	p->bytes -= freed->bytes;
	p->alive--;
	remove_slot(p, (size_t)(freed - p->slots));
	return 0;
}

void view_pool_free(struct view_pool *p)
{
	free(p->slots);
	p->slots = NULL;
	p->slot_count = 0;
}
