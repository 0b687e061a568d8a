/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the executions of programs among the markers of a raw device log. */
#include "op/detect.h"

#include "base/order.h"

#include <stdlib.h>
#include <string.h>

enum fw_state { FW_NONE, FW_STARTED, FW_DONE };

/* One core, in the current op and in its program. */
struct core_state {
	uint32_t program;  /* the last program that ran on it: index + 1 */
	uint64_t fw_epoch; /* the execution of fw; if not the current one, fw is FW_NONE */
	enum fw_state fw;
	uint64_t op; /* the last op that it has a marker in */
	bool ran_fw, started, ended;
	uint64_t start, end; /* of its kernels */
	uint8_t lane;        /* its RISC with the longest kernel so far ... */
	uint64_t longest;    /* ... of so many cycles */
	uint64_t lane_start[DEVLOG_LANES];
};

struct detect {
	const struct devlog *dev;
	enum op_detect_mode mode;
	op_measure_set wanted;
	struct op_executions *out;
	struct op_issues *issues;
	struct core_state *cores;
	uint64_t *cycles; /* of the cores of one op */
	uint16_t *in_op;  /* the cores of the open op, in order of appearance */
	size_t n_in_op;
	uint64_t op_number;
	struct op_execution op; /* the open one */
	bool open[OP_MEASURES]; /* its start has been found */
	size_t markers;         /* in it */
	bool started;           /* a core has started its firmware for it */
	size_t program_ops;     /* complete ones of the program */
	uint32_t last_run;      /* of the last of them: which replay it was */
	uint32_t program;
	size_t program_cores, done_cores;
	uint64_t fw_epoch;
};

static void op_reset(struct detect *d)
{
	memset(&d->op, 0, sizeof(d->op));
	memset(d->open, 0, sizeof(d->open));
	d->markers = 0;
	d->started = false;
	d->n_in_op = 0;
	d->op_number++;
}

static void per_core(struct detect *d)
{
	struct op_per_core *p = &d->op.per_core;

	if (!(d->wanted >> OP_M_PER_CORE & 1))
		return;
	for (size_t i = 0; i < d->n_in_op; i++) {
		const struct core_state *c = &d->cores[d->in_op[i]];
		uint64_t cycles = c->end - c->start;

		if (!c->ended)
			continue;
		if (!p->count)
			p->first = p->min = cycles;
		p->min = cycles < p->min ? cycles : p->min;
		if (!p->count || cycles > p->max) {
			const struct devlog_core *core = &d->dev->cores.v[d->in_op[i]];

			p->max = cycles;
			p->x = core->x;
			p->y = core->y;
			p->risc = core->riscs[c->lane];
		}
		p->sum += cycles;
		d->cycles[p->count++] = cycles;
	}
	if (!p->count)
		return;
	qsort(d->cycles, p->count, sizeof(*d->cycles), order_u64);
	p->median = ((double)d->cycles[(p->count - 1) / 2] + (double)d->cycles[p->count / 2]) / 2;
}

static int op_close(struct detect *d, bool complete)
{
	if (!d->markers)
		return 0;
	d->op.complete = complete;
	for (size_t i = 0; i < d->n_in_op; i++)
		d->op.cores += d->cores[d->in_op[i]].ran_fw;
	per_core(d);
	if (vec_push(d->out, d->op) < 0)
		return TACHO_ENOMEM;
	op_reset(d);
	return 0;
}

static void core_add(struct detect *d, const struct devlog_marker *m, uint32_t zone, int type)
{
	struct core_state *c = &d->cores[m->core];

	if (c->op != d->op_number) {
		c->op = d->op_number;
		c->ran_fw = c->started = c->ended = false;
		c->longest = 0;
		c->lane = m->lane;
		d->in_op[d->n_in_op++] = m->core;
	}
	if (zone & ARCH_ZONE_ANY_FW)
		c->ran_fw = true;
	if (!(zone & ARCH_ZONE_KERNEL))
		return;
	if (type == DEVLOG_START) {
		c->lane_start[m->lane] = m->time;
	} else if (m->time - c->lane_start[m->lane] > c->longest) {
		c->longest = m->time - c->lane_start[m->lane];
		c->lane = m->lane;
	}
	if (c->started) {
		c->end = m->time;
		c->ended = true;
	} else {
		c->start = m->time;
		c->started = true;
	}
}

static void op_add(struct detect *d, const struct devlog_marker *m, uint32_t zone, int type)
{
	const struct devlog_run *run = &d->dev->runs.v[m->run];
	const struct devlog_group *group = &d->dev->groups.v[run->group];
	enum arch_risc risc;

	if (!d->markers++) {
		d->op.first = m->time;
		d->op.device = group->device;
		d->op.trace = run->trace;
		d->op.session = run->session;
	}
	d->op.id = group->id;
	core_add(d, m, zone, type);
	risc = devlog_risc(d->dev, m);
	for (int a = 0; a < OP_MEASURES; a++) {
		const struct op_measure_def *def = &op_measures[a];
		struct op_span *span = &d->op.spans[a];

		if (!(zone & (def->start.zones | def->end.zones)) || !(d->wanted >> a & 1))
			continue;
		if (def->kind == OP_SUM) {
			if (m->meta && op_matches(&def->start, zone, risc, type))
				span->cycles += d->dev->metas.v[m->meta - 1].value;
			span->set = span->cycles != 0;
		} else if (def->kind == OP_SPAN && d->open[a]) {
			if (op_matches(&def->end, zone, risc, type)) {
				span->end = m->time;
				span->cycles = m->time - span->start;
				span->set = true;
			}
		} else if (def->kind == OP_SPAN && op_matches(&def->start, zone, risc, type)) {
			span->start = m->time;
			d->open[a] = true;
		}
	}
}

/* True for the firmware zone that delimits a core's part of an op. */
static bool is_master(uint32_t zone, enum arch_risc risc)
{
	return (zone & ARCH_ZONE_BRISC_FW && risc == RISC_BRISC) ||
	       (zone & ARCH_ZONE_ERISC_FW && risc == RISC_ERISC) ||
	       (zone & ARCH_ZONE_TRACE_FW && risc == RISC_AGG) ||
	       (zone & ARCH_ZONE_DM0_FW && risc == RISC_QUASAR_DM0);
}

static void forget_firmware(struct detect *d)
{
	d->fw_epoch++;
	d->done_cores = 0;
}

static enum fw_state *detect_firmware(struct detect *d, struct core_state *c)
{
	if (c->fw_epoch != d->fw_epoch)
		c->fw = FW_NONE;
	c->fw_epoch = d->fw_epoch;
	return &c->fw;
}

/* A core starts again before the op ended: close the op as it is. */
static int second_start(struct detect *d, const struct devlog_group *g,
			const struct devlog_marker *m)
{
	const struct devlog_core *core = &d->dev->cores.v[m->core];

	op_issue_add(
		d->issues, OP_ISSUE_SECOND_START, TTLOG_DEVICE_FILE, g->line,
		OP_AT_CORE(g->id, g->device, core->x, core->y),
		"the core starts its firmware again before all cores have ended the op: markers "
		"were lost, or the log holds several runs of a program");
	forget_firmware(d);
	return op_close(d, false);
}

static int detect_marker(struct detect *d, const struct devlog_group *g,
			 const struct devlog_marker *m)
{
	uint32_t zone = d->dev->zone_flags.v[m->zone];
	int type = m->type & DEVLOG_TYPE_MASK;
	struct core_state *c = &d->cores[m->core];
	bool master = is_master(zone, devlog_risc(d->dev, m));

	if (m->type & DEVLOG_NO_TIMER)
		return 0;
	/*
	 * Markers that other RISCs wrote after the last core was done are not part of the next op,
	 * unless they belong to another replay.
	 */
	if (d->mode == OP_DETECT_EACH && d->program_ops && !d->started && m->run == d->last_run &&
	    !(master && type == DEVLOG_START))
		return 0;
	if (master && type == DEVLOG_START) {
		if (*detect_firmware(d, c) != FW_NONE && second_start(d, g, m) < 0)
			return TACHO_ENOMEM;
		*detect_firmware(d, c) = FW_STARTED;
		d->started = true;
	}
	op_add(d, m, zone, type);
	if (master && type == DEVLOG_END && *detect_firmware(d, c) == FW_STARTED) {
		c->fw = FW_DONE;
		if (++d->done_cores == d->program_cores) {
			forget_firmware(d);
			d->program_ops++;
			d->last_run = m->run;
			return op_close(d, true);
		}
	}
	return 0;
}

static int detect_group(struct detect *d, const struct devlog_group *g, bool last)
{
	const struct devlog_marker *m = d->dev->markers + g->first;
	bool leftover;

	d->program++;
	d->program_cores = d->program_ops = 0;
	forget_firmware(d);
	for (size_t i = 0; i < g->n; i++) {
		struct core_state *c = &d->cores[m[i].core];

		if (c->program != d->program) {
			c->program = d->program;
			d->program_cores++;
		}
	}
	for (size_t i = 0; i < g->n; i++)
		if (detect_marker(d, g, &m[i]) < 0)
			return TACHO_ENOMEM;
	/*
	 * FLOW follows the rules of the tool whose reports we match: markers after the end of an op
	 * count for the next one, and an op that never ended is left out at the end of the log. But
	 * an earlier op that lost a marker of its firmware is not merged with the next one.
	 */
	leftover = !d->started && d->program_ops;
	if (!d->markers || (d->mode == OP_DETECT_FLOW && (last || leftover)))
		return 0;
	op_issue_add(d->issues, OP_ISSUE_OPEN_OP, TTLOG_DEVICE_FILE, g->line,
		     OP_AT(g->id, g->device),
		     "%zu of %zu cores report the end of the op; its durations may be too short",
		     d->done_cores, d->program_cores);
	return op_close(d, false);
}

struct order {
	uint64_t time;
	uint32_t tie; /* core and lane */
	uint32_t group;
};

ORDER_BY(detect_compare, struct order, ORDER_UP(time) ?: ORDER_UP(tie));

static int all_groups(struct detect *d, int64_t device, struct order *order)
{
	const struct devlog *dev = d->dev;
	const struct devlog_group *last = NULL;
	size_t n = 0;

	for (size_t i = 0; i < dev->groups.n; i++) {
		const struct devlog_group *g = &dev->groups.v[i];
		const struct devlog_marker *m = &dev->markers[g->first];

		if (g->device != device || g->id == 0 || g->n == 0)
			continue;
		order[n++] = (struct order){m->time, (uint32_t)m->core << 8 | m->lane, (uint32_t)i};
	}
	qsort(order, n, sizeof(*order), detect_compare);
	for (size_t i = 0; i < n; i++) {
		last = &dev->groups.v[order[i].group];
		if (detect_group(d, last, i + 1 == n) < 0)
			return TACHO_ENOMEM;
	}
	if (d->markers && last)
		op_issue_add(
			d->issues, OP_ISSUE_OPEN_OP_SKIPPED, TTLOG_DEVICE_FILE, last->line,
			OP_AT(last->id, device),
			"the last op never ended and is left out; without --device-only it is shown");
	return 0;
}

int op_detect(const struct devlog *dev, int64_t device, enum op_detect_mode mode,
	      op_measure_set wanted, struct op_executions *out, struct op_issues *issues,
	      struct tacho_error *err)
{
	struct detect d = {
		.dev = dev, .mode = mode, .wanted = wanted, .out = out, .issues = issues};
	struct order *order = calloc(dev->groups.n + 1, sizeof(*order));
	int r = TACHO_ENOMEM;

	d.cores = calloc(dev->cores.n + 1, sizeof(*d.cores));
	d.in_op = calloc(dev->cores.n + 1, sizeof(*d.in_op));
	d.cycles = calloc(dev->cores.n + 1, sizeof(*d.cycles));
	if (order && d.cores && d.in_op && d.cycles) {
		op_reset(&d);
		r = all_groups(&d, device, order);
	}
	free(order);
	free(d.cores);
	free(d.in_op);
	free(d.cycles);
	return r < 0 ? err_set(err, r, "out of memory") : 0;
}
