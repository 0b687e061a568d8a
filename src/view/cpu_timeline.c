/* SPDX-License-Identifier: Apache-2.0 */
/* What ran on each CPU, by the switch records of the sampled threads. */
#include "view/row_cache.h"
#include "view/span_list.h"
#include "view/tiles.h"

#include <string.h>

#define CPUS 4096u /* more are not sampled */

struct cpu_runs {
	uint32_t cpu;
	struct spans spans; /* "thread" is the track */
};

struct cpu_list {
	struct row_cache cache;
	struct {
		VEC(struct cpu_runs *);
	} cpus; /* by number */
};

/* Where CPU is in the list, or would be. */
static size_t cpu_place(const struct cpu_list *l, uint32_t cpu)
{
	size_t i = l->cpus.n;

	while (i && l->cpus.v[i - 1]->cpu >= cpu)
		i--;
	return i;
}

static struct cpu_runs *cpu_find(const struct cpu_list *l, uint32_t cpu)
{
	size_t i = cpu_place(l, cpu);

	return i < l->cpus.n && l->cpus.v[i]->cpu == cpu ? l->cpus.v[i] : NULL;
}

static struct cpu_runs *cpu_add(struct cpu_list *l, uint32_t cpu)
{
	struct cpu_runs *new = calloc(1, sizeof(*new));
	size_t i = cpu_place(l, cpu);

	if (!new || vec_push(&l->cpus, new) < 0) {
		free(new);
		return NULL;
	}
	new->cpu = cpu;
	memmove(&l->cpus.v[i + 1], &l->cpus.v[i], (l->cpus.n - 1 - i) * sizeof(*l->cpus.v));
	l->cpus.v[i] = new;
	return new;
}

static int cpu_list_take(struct row_cache *k, const struct trace_row *row)
{
	struct cpu_list *l = (struct cpu_list *)k;
	uint32_t cpu = TRACE_STATE_CPU(row->b);
	struct cpu_runs *runs;

	if (k->row_kind != TRACE_THREAD || row->kind != TRACE_ROW_STATE ||
	    TRACE_STATE_OF(row->b) != TRACE_STATE_RUNNING || cpu >= CPUS || row->a > INT64_MAX)
		return 0;
	runs = cpu_find(l, cpu);
	if (!runs)
		runs = cpu_add(l, cpu);
	if (!runs)
		return TACHO_ENOMEM;
	spans_begin(&runs->spans, row->time, k->row_track, false);
	return spans_end(&runs->spans, row->time + row->a);
}

static size_t cpu_list_memory(const struct row_cache *k)
{
	const struct cpu_list *l = (const struct cpu_list *)k;
	size_t bytes = sizeof(*l);

	for (size_t i = 0; i < l->cpus.n; i++)
		bytes += sizeof(struct cpu_runs) + spans_memory(&l->cpus.v[i]->spans);
	return bytes;
}

static void cpu_list_rest(struct row_cache *k, bool last)
{
	const struct cpu_list *l = (const struct cpu_list *)k;

	(void)last;
	for (size_t i = 0; i < l->cpus.n; i++)
		spill_rest(&l->cpus.v[i]->spans.store);
}

static void cpu_list_free(struct row_cache *k)
{
	struct cpu_list *l = (struct cpu_list *)k;

	for (size_t i = 0; i < l->cpus.n; i++) {
		spans_free(&l->cpus.v[i]->spans);
		free(l->cpus.v[i]);
	}
	vec_free(&l->cpus);
	free(l);
}

static const struct row_cache_kind cpu_lists = {sizeof(struct cpu_list), cpu_list_take,
						cpu_list_memory, cpu_list_rest, cpu_list_free};

static int cpu_list_get(struct view_call *c, struct cpu_list **list)
{
	struct row_cache *cache;
	int r = row_cache_get(c, TRACE_NONE, &cpu_lists, &cache);

	*list = (struct cpu_list *)cache;
	return r;
}

/* The thread on CPU at T, or nearest to it. */
static int cpu_moment_put(struct view_call *c, const struct cpu_list *l, uint64_t cpu)
{
	const struct cpu_runs *runs = cpu < CPUS ? cpu_find(l, (uint32_t)cpu) : NULL;
	const struct span *s = NULL;
	uint64_t t, reach;
	size_t i;
	int r = runs ? arg_moment(c, &t, &reach)
		     : call_fail(c, VIEW_MISSING, "nothing ran on this CPU");

	if (r < 0)
		return r;
	i = spans_find(&runs->spans, t);
	if (i < runs->spans.n && runs->spans.v[i].start <= t + reach)
		s = &runs->spans.v[i];
	if (i && runs->spans.v[i - 1].end + reach > t && (!s || s->start > t))
		s = &runs->spans.v[i - 1];
	call_begin(c);
	json_uint(&c->json, "cpu", cpu);
	json_thread(&c->json, "thread", s ? s->thread : TRACE_NONE);
	if (s) {
		json_ns(c, "start", s->start);
		json_ns(c, "end", s->end);
	}
	json_end(&c->json);
	return 0;
}

int call_cpus(struct view_call *c)
{
	struct json *j = &c->json;
	uint64_t cpu, t0, t1;
	struct cpu_list *l;
	int r = cpu_list_get(c, &l), one = r < 0 ? r : arg_uint(c, "cpu", UINT32_MAX, &cpu);

	if (one)
		return one < 0 ? one : cpu_moment_put(c, l, cpu);
	r = arg_range(c, &t0, &t1);
	if (r < 0)
		return r;
	t0 = t0 > c->trace->start ? t0 : c->trace->start;
	t1 = t1 < c->trace->end ? t1 : c->trace->end;
	call_begin(c);
	json_array(j, "cpus");
	for (size_t i = 0; i < l->cpus.n; i++) {
		const struct spans *s = &l->cpus.v[i]->spans;

		json_object(j, NULL);
		json_uint(j, "cpu", l->cpus.v[i]->cpu);
		json_uint(j, "runs", spans_figures(s, t0, t1).count);
		json_duration(c, "busy", t0, t0 + spans_covered(s, t0, t1));
		json_end(j);
	}
	json_end(j);
	json_end(j);
	return 0;
}

static int cpu_strip_find(struct view_call *c, void *context, uint32_t cpu,
			  struct trace_strip *strip)
{
	const struct cpu_runs *runs = cpu < CPUS ? cpu_find(context, cpu) : NULL;
	struct trace_lod_item *items = NULL;
	size_t count = 0, cap = 0;
	int r = 0;

	if (runs)
		r = spans_query(&runs->spans, 0, c->trace->end, strip->t0, strip->t1, &items,
				&count, &cap);
	for (size_t i = 0; r == 0 && i < count; i++) {
		items[i].srcloc = runs->spans.v[items[i].index].thread;
		r = trace_strip_add(strip, &items[i]);
	}
	free(items);
	return r;
}

int call_cpu_tiles(struct view_call *c)
{
	struct cpu_list *l;
	int r = cpu_list_get(c, &l);

	return r < 0 ? r : tiles_answer(c, cpu_strip_find, l);
}
