/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "memory": show memory pools and what is still allocated. */
#include "base/map.h"
#include "base/order.h"
#include "base/vec.h"
#include "cmds/query.h"
#include "sample/profile.h"
#include "trace/names.h"
#include "view/memory_pool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct conf {
	struct query_conf query;
	bool alive, stacks;
};

static const struct opt opts[] = {
	OPT_STR('n', "name", "PATTERN", struct conf, query.name, "select memory pools by name"),
	QUERY_RANGE(struct conf, query),
	QUERY_PROCESS(struct conf, query),
	OPT_FLAG('a', "alive", struct conf, alive,
		 "print every allocation that was not freed instead of one line for each pool"),
	OPT_FLAG(
		's', "stacks", struct conf, stacks,
		"print a line for each call stack that allocates instead, what was not freed first"),
	QUERY_FORMAT(struct conf, query),
	OPT_END,
};

/* The allocations of a pool that one stack has made. */
struct stack_use {
	uint32_t track, stack;
	uint64_t allocs, total, alive, bytes;
};

struct listing {
	struct query *q;
	struct view_pool *pools; /* by track */
	struct profile *profile; /* with --alive and --stacks */
	struct map use_of;       /* track << 32 | stack to index in uses */
	struct {
		VEC(struct stack_use);
	} uses;
	bool stacks;
	struct table table;
};

/* NULL: no memory. */
static struct stack_use *memory_use(struct listing *l, uint32_t track, uint32_t stack)
{
	struct stack_use new = {.track = track, .stack = stack};
	uint64_t key = (uint64_t)track << 32 | stack;
	uint32_t *at = map_get(&l->use_of, key);

	if (at)
		return &l->uses.v[*at];
	if (map_set(&l->use_of, key, (uint32_t)l->uses.n) < 0 || vec_push(&l->uses, new) < 0)
		return NULL;
	return &l->uses.v[l->uses.n - 1];
}

static int memory_row_take(void *context, const struct trace_row *row, uint32_t track)
{
	struct listing *l = context;

	if (l->stacks && row->kind == TRACE_ROW_ALLOC) {
		struct stack_use *use = memory_use(l, track, (uint32_t)row->c);

		if (!use)
			return TACHO_ENOMEM;
		use->allocs++;
		use->total += row->b;
	}
	return view_pool_row(&l->pools[track], row);
}

static const struct table_column pool_columns[] = {
	{"pid", "pid", TABLE_ID},
	{"name", "pool", TABLE_STRING},
	{"allocs", "allocs", TABLE_COUNT},
	{"frees", "frees", TABLE_COUNT},
	{"total_bytes", "total", TABLE_BYTES},
	{"peak_bytes", "peak", TABLE_BYTES},
	{"alive", "alive", TABLE_COUNT},
	{"alive_bytes", "alive bytes", TABLE_BYTES},
	{"unknown_frees", "unknown frees", TABLE_COUNT},
	{"replaced", NULL, TABLE_COUNT},
};

static void add_pool(struct listing *l, uint32_t track)
{
	const struct view_pool *p = &l->pools[track];
	char text[64];

	table_uint(&l->table, trace_process_of(l->q->trace, track)->pid);
	table_text(&l->table, trace_track_name(l->q->trace, track, text, sizeof(text)));
	table_uint(&l->table, p->allocs);
	table_uint(&l->table, p->frees);
	table_uint(&l->table, p->total);
	table_uint(&l->table, p->peak);
	table_uint(&l->table, p->alive);
	table_uint(&l->table, p->bytes);
	table_uint(&l->table, p->unknown_frees);
	table_uint(&l->table, p->replaced);
	table_row(&l->table);
}

static const struct table_column alive_columns[] = {
	{"time_ns", "time", TABLE_NS},        {"pid", NULL, TABLE_ID},
	{"name", "pool", TABLE_STRING},       {"thread", "thread", TABLE_STRING},
	{"address", "address", TABLE_STRING}, {"bytes", "bytes", TABLE_COUNT},
	{"stack", "stack", TABLE_STRING},
};

static const struct table_column stack_columns[] = {
	{"pid", "pid", TABLE_ID},          {"name", "pool", TABLE_STRING},
	{"allocs", "allocs", TABLE_COUNT}, {"total_bytes", "total", TABLE_BYTES},
	{"alive", "alive", TABLE_COUNT},   {"alive_bytes", "alive bytes", TABLE_BYTES},
	{"stack", "stack", TABLE_STRING},
};

/* A stack, innermost function first. */
static void memory_stack_cell(struct listing *l, uint32_t stack)
{
	struct buf text = BUF_INIT;

	profile_stack_text(l->profile, stack, " < ", &text);
	table_text(&l->table, text.data ? text.data : "");
	buf_free(&text);
}

ORDER_BY(memory_by_alive, struct stack_use,
	 ORDER_DOWN(bytes) ?: ORDER_DOWN(total) ?: ORDER_UP(track) ?: ORDER_UP(stack));

static int add_stacks(struct listing *l)
{
	char text[64];

	for (uint32_t i = 0; i < l->q->trace->track_count; i++)
		for (size_t k = 0; k < l->pools[i].slot_count; k++) {
			const struct view_allocation *a = &l->pools[i].slots[k];
			struct stack_use *use = a->used ? memory_use(l, i, a->stack) : NULL;

			if (a->used && !use)
				return TACHO_ENOMEM;
			if (use) {
				use->alive++;
				use->bytes += a->bytes;
			}
		}
	if (l->uses.n)
		qsort(l->uses.v, l->uses.n, sizeof(*l->uses.v), memory_by_alive);
	for (size_t i = 0; i < l->uses.n; i++) {
		const struct stack_use *use = &l->uses.v[i];

		table_uint(&l->table, trace_process_of(l->q->trace, use->track)->pid);
		table_text(&l->table,
			   trace_track_name(l->q->trace, use->track, text, sizeof(text)));
		table_uint(&l->table, use->allocs);
		table_uint(&l->table, use->total);
		table_uint(&l->table, use->alive);
		table_uint(&l->table, use->bytes);
		if (use->stack)
			memory_stack_cell(l, use->stack);
		else
			table_text(&l->table, "[no stack]");
		if (table_row(&l->table) < 0)
			break;
	}
	return 0;
}

ORDER_BY(memory_compare, struct view_allocation,
	 ORDER_DOWN(used) ?: ORDER_UP(time) ?: ORDER_UP(address));

/* Sorts the pool's slots by time: the pool accepts no further rows. */
static void add_alive(struct listing *l, uint32_t track)
{
	const struct view_pool *p = &l->pools[track];
	const struct trace *trace = l->q->trace;
	char text[64];

	if (p->alive)
		qsort(p->slots, p->slot_count, sizeof(*p->slots), memory_compare);
	for (uint64_t i = 0; i < p->alive; i++) {
		const struct view_allocation *a = &p->slots[i];

		table_real(&l->table, (double)trace_ns(trace, a->time));
		table_uint(&l->table, trace_process_of(trace, track)->pid);
		table_text(&l->table, trace_track_name(trace, track, text, sizeof(text)));
		table_text(&l->table, trace_track_name(trace, a->thread, text, sizeof(text)));
		snprintf(text, sizeof(text), "0x%" PRIx64, a->address);
		table_text(&l->table, text);
		table_uint(&l->table, a->bytes);
		memory_stack_cell(l, a->stack);
		if (table_row(&l->table) < 0)
			return;
	}
}

static int memory_print(struct query *q, void *conf)
{
	struct listing l = {.q = q, .stacks = ((struct conf *)conf)->stacks};
	bool alive = ((struct conf *)conf)->alive && !l.stacks;
	uint32_t n = q->trace->track_count;
	int r, closed;

	l.pools = calloc(n + 1, sizeof(*l.pools));
	if (!l.pools)
		return TACHO_ENOMEM;
	if (alive || l.stacks) {
		r = profile_open(&l.profile, q->trace, &q->err);
		if (r < 0) {
			free(l.pools);
			return r;
		}
	}
	if (l.stacks)
		table_open(&l.table, stdout, &q->style, TABLE_COLUMNS(stack_columns));
	else if (alive)
		table_open(&l.table, stdout, &q->style, TABLE_COLUMNS(alive_columns));
	else
		table_open(&l.table, stdout, &q->style, TABLE_COLUMNS(pool_columns));
	r = query_rows(q, TRACE_MEMORY, memory_row_take, &l);
	if (r == 0 && l.stacks)
		r = add_stacks(&l);
	for (uint32_t i = 0; i < n; i++) {
		if (r == 0 && !l.stacks && query_shows(q, i, TRACE_MEMORY))
			(alive ? add_alive : add_pool)(&l, i);
		view_pool_free(&l.pools[i]);
	}
	free(l.pools);
	vec_free(&l.uses);
	map_free(&l.use_of);
	profile_close(l.profile);
	closed = table_close(&l.table);
	return r < 0 ? r : closed;
}

QUERY_RUN(memory_print)

const struct cmd cmd_memory = {
	.name = "memory",
	.summary = "list memory pools, or allocations never freed",
	.usage = "[options] FILE",
	.description =
		"Prints for each memory pool the number of allocations and frees, the bytes "
		"allocated in all, the most at one time, and what is alive at the end. With "
		"--range it is as if the program had begun and ended there. An unknown free is "
		"one of an address that was not alive. Stacks are those of events that record them, "
		"such as tacho_alloc_stack() and TracyAllocS.",
	.examples = "tacho memory app.tacho\n  all pools\n"
		    "tacho memory --alive app.tacho\n  allocations that were never freed\n"
		    "tacho memory --stacks app.tacho\n  which calls allocate, and leak, the most\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.run = run,
};
