/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the time that dispatch cores spent on each program. */
#include "op/detect.h"

#include "base/order.h"

#include <stdlib.h>
#include <string.h>

#define NOTIFY  "CQ_DISPATCH_NOTIFY_SUBORDINATE_GO_SIGNAL"
#define SEND_GO "CQ_DISPATCH_CMD_SEND_GO_SIGNAL"
#define COMMAND "CQ_DISPATCH_"

/* The work of one RISC of a dispatch core for one op. */
struct work {
	uint64_t id;
	uint64_t first;
	uint64_t start;
	struct op_span span;
	bool started;
};

struct works {
	VEC(struct work);
	struct map by_id;
};

struct markers {
	VEC(struct devlog_marker);
};

static struct work *work_of(struct works *works, uint64_t id, uint64_t time)
{
	uint32_t *at = map_get(&works->by_id, id);

	if (at)
		return &works->v[*at];
	if (map_set(&works->by_id, id, (uint32_t)works->n) < 0 ||
	    vec_push(works, ((struct work){.id = id, .first = time})) < 0)
		return NULL;
	return &works->v[works->n - 1];
}

/* The zone M[0..N) handled COMMAND_NAME: renames its first and last marker. */
static void zone_add(const struct devlog *dev, struct work *w, const struct devlog_marker *m,
		     size_t n, const char *command, enum arch_risc risc)
{
	for (size_t i = 0; i < n; i++) {
		const char *name = i == 0 || i == n - 1 ? command : dev->zones.v[m[i].zone].text;

		if (risc == RISC_BRISC ? strstr(name, COMMAND) != NULL : !strcmp(name, SEND_GO)) {
			uint64_t time = m[i].time;

			if (w->started)
				w->span = (struct op_span){w->start, time, time - w->start, true};
			else
				w->start = time;
			w->started = true;
		}
	}
}

/*
 * The master (BRISC) names the program that it works for; the subordinate (NCRISC) only counts the
 * go signals that it sends. A zone belongs to the last program named before its end.
 */
static int risc_works(const struct devlog *dev, const struct markers *m, enum arch_risc risc,
		      struct works *works)
{
	const char *command = "";
	uint64_t id = 0;
	bool finished = false;
	size_t from = 0;

	for (size_t i = 0; i < m->n; i++) {
		const struct devlog_meta *meta =
			m->v[i].meta ? &dev->metas.v[m->v[i].meta - 1] : NULL;
		struct work *w;

		if (meta && meta->kind == DEVLOG_META_WORKER) {
			finished = false;
			id = map_get(&works->by_id, meta->value) ? 0 : meta->value;
		} else if (meta && meta->kind == DEVLOG_META_COMMAND) {
			command = dev->commands.v[meta->value].text;
			finished |= strstr(command, NOTIFY) != NULL;
			id += strstr(command, SEND_GO) != NULL;
		}
		if ((m->v[i].type & DEVLOG_TYPE_MASK) != DEVLOG_END)
			continue;
		w = work_of(works, id, m->v[from].time);
		if (!w)
			return TACHO_ENOMEM;
		zone_add(dev, w, m->v + from, i + 1 - from, command, risc);
		from = i + 1;
		if (finished)
			id = 0;
	}
	return 0;
}

ORDER_BY(by_first, struct work, ORDER_UP(first));

/* The markers of all dispatch cores of DEVICE: few among many. */
static int gather_all(const struct devlog *dev, int64_t device, struct markers *out)
{
	bool any = false;

	for (size_t i = 0; i < dev->cores.n; i++)
		any |= dev->cores.v[i].dispatch && dev->cores.v[i].device == device;
	for (size_t i = 0; any && i < dev->n; i++) {
		const struct devlog_core *core = &dev->cores.v[dev->markers[i].core];

		if (core->dispatch && core->device == device && vec_push(out, dev->markers[i]) < 0)
			return TACHO_ENOMEM;
	}
	return 0;
}

static int dispatch_gather(const struct devlog *dev, const struct markers *all, uint16_t core,
			   enum arch_risc risc, struct markers *out)
{
	struct devlog_marker *tmp;

	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].core == core && devlog_risc(dev, &all->v[i]) == risc &&
		    vec_push(out, all->v[i]) < 0)
			return TACHO_ENOMEM;
	tmp = malloc((out->n + 1) * sizeof(*tmp));
	if (!tmp)
		return TACHO_ENOMEM;
	devlog_sort_markers(out->v, tmp, out->n);
	free(tmp);
	return 0;
}

static int core_works(const struct devlog *dev, const struct markers *all, uint16_t core,
		      enum arch_risc risc, struct works *works)
{
	struct markers m = {0};
	int r = dispatch_gather(dev, all, core, risc, &m);

	if (r == 0)
		r = risc_works(dev, &m, risc, works);
	vec_free(&m);
	/* Sorting breaks by_id, which is not used after this. */
	if (r == 0 && works->n)
		qsort(works->v, works->n, sizeof(*works->v), by_first);
	return r;
}

/* The first execution of each program: id to index in OPS. */
static int first_ones(const struct op_executions *ops, struct map *first)
{
	for (size_t i = 0; i < ops->n; i++) {
		uint32_t *at = map_get(first, ops->v[i].id);

		if (at && ops->v[*at].first <= ops->v[i].first)
			continue;
		if (map_set(first, ops->v[i].id, (uint32_t)i) < 0)
			return TACHO_ENOMEM;
	}
	return 0;
}

static void dispatch_attach(const struct devlog *dev, uint16_t core, const struct works *master,
			    const struct works *subordinate, op_measure_set wanted, bool replays,
			    struct op_executions *ops, const struct map *first,
			    struct op_issues *issues)
{
	const struct devlog_core *c = &dev->cores.v[core];

	for (size_t i = 0; i < master->n; i++) {
		struct op_execution *op;
		uint32_t *at;

		if (master->v[i].id == 0)
			continue;
		at = map_get(first, master->v[i].id);
		if (!at) {
			op_issue_add(issues,
				     replays ? OP_ISSUE_DISPATCH_SKIPPED
					     : OP_ISSUE_DISPATCH_UNKNOWN,
				     TTLOG_DEVICE_FILE, 0,
				     OP_AT_CORE(master->v[i].id, c->device, c->x, c->y),
				     "dispatched, but no core reports having run it");
			continue;
		}
		op = &ops->v[*at];
		if (wanted >> OP_M_DISPATCH_CMD & 1)
			op->spans[OP_M_DISPATCH_CMD] = master->v[i].span;
		if (i < subordinate->n && wanted >> OP_M_DISPATCH_GO & 1)
			op->spans[OP_M_DISPATCH_GO] = subordinate->v[i].span;
	}
}

static void works_free(struct works *works)
{
	vec_free(works);
	map_free(&works->by_id);
}

static int dispatch_core(const struct devlog *dev, const struct markers *all, uint16_t core,
			 bool replays, op_measure_set wanted, struct op_executions *ops,
			 const struct map *first, struct op_issues *issues)
{
	struct works master = {0}, subordinate = {0};
	int r = core_works(dev, all, core, RISC_BRISC, &master);

	if (r == 0)
		r = core_works(dev, all, core, RISC_NCRISC, &subordinate);
	if (r == 0)
		dispatch_attach(dev, core, &master, &subordinate, wanted, replays, ops, first,
				issues);
	works_free(&master);
	works_free(&subordinate);
	return r;
}

int op_dispatch(const struct devlog *dev, int64_t device, bool replays, op_measure_set wanted,
		struct op_executions *ops, struct op_issues *issues, struct tacho_error *err)
{
	struct map first = {0};
	struct markers all = {0};
	int r = gather_all(dev, device, &all);

	if (r == 0 && all.n)
		r = first_ones(ops, &first);

	for (size_t i = 0; i < dev->cores.n && r == 0; i++)
		if (dev->cores.v[i].device == device && dev->cores.v[i].dispatch)
			r = dispatch_core(dev, &all, (uint16_t)i, replays, wanted, ops, &first,
					  issues);
	map_free(&first);
	vec_free(&all);
	return r < 0 ? err_set(err, r, "out of memory") : 0;
}
