/* SPDX-License-Identifier: Apache-2.0 */
/* A list of measurements, found by device and op. */
#include "op/measured.h"

#include "op/figures.h"
#include "op/measure.h"

#include <math.h>

struct op_measurement op_measurement_unknown(void)
{
	return (struct op_measurement){.op = op_unknown(),
				       .kernel_start = OP_NONE,
				       .kernel_end = OP_NONE,
				       .dm_start = OP_NONE,
				       .dm_end = OP_NONE,
				       .core_max = NAN,
				       .core_avg = NAN};
}

int64_t op_measurements_first(const struct op_measurements *list, int64_t device, int64_t id)
{
	for (uint64_t key = op_mix((uint64_t)device, (uint64_t)id);; key++) {
		uint32_t *at = map_get(&list->by_id, key);

		if (!at)
			return -1;
		if (list->v[*at].op.device == device && list->v[*at].op.id == id)
			return *at;
	}
}

bool op_measurements_has_device(const struct op_measurements *list, int64_t device)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->v[i].op.device == device)
			return true;
	return false;
}

int op_measurements_add(struct op_measurements *list, const struct op_measurement *m)
{
	int64_t first = op_measurements_first(list, m->op.device, m->op.id);
	uint64_t key = op_mix((uint64_t)m->op.device, (uint64_t)m->op.id);
	uint64_t run = op_mix(op_mix(key, (uint64_t)m->op.trace), (uint64_t)m->op.session);
	uint32_t *at;

	list->whole |= m->whole;
	for (; (at = map_get(&list->by_run, run)); run++) {
		const struct op *old = &list->v[*at].op;

		if (old->device == m->op.device && old->id == m->op.id &&
		    old->trace == m->op.trace && old->session == m->op.session) {
			list->v[*at] = *m;
			return 1;
		}
	}
	if (list->n >= UINT32_MAX - 1)
		return TACHO_ELIMIT;
	while (first < 0 && map_get(&list->by_id, key))
		key++;
	if ((first < 0 && map_set(&list->by_id, key, (uint32_t)list->n) < 0) ||
	    map_set(&list->by_run, run, (uint32_t)list->n) < 0 || vec_push(&list->next, 0) < 0 ||
	    vec_push(&list->last, 0) < 0)
		return TACHO_ENOMEM;
	if (first < 0)
		first = (int64_t)list->n;
	else
		list->next.v[list->last.v[first]] = (uint32_t)list->n + 1;
	list->last.v[first] = (uint32_t)list->n;
	return vec_push(list, *m);
}

static int64_t cycle_or_none(const struct op_range *r, uint64_t cycle)
{
	return op_range_found(r) ? (int64_t)cycle : OP_NONE;
}

int op_measurements_add_run(struct op_measurements *list, const struct op_timing *run,
			    const struct op_run_place *place)
{
	const struct op_range *fw = &run->ranges[OP_M_FW], *kernel = &run->ranges[OP_M_KERNEL];
	const struct op_range *dm = &run->ranges[OP_M_KERNEL_DM];
	struct op_measurement m = op_measurement_unknown();
	int r;

	m.op.id = (int64_t)run->id;
	m.op.device = place->device;
	m.op.trace = run->trace;
	m.op.session = run->session;
	m.op.core_count = run->cores;
	m.op.available_cores = place->max_cores;
	m.op.arch = place->arch;
	m.op.fw_start = cycle_or_none(fw, fw->start);
	m.op.fw_end = cycle_or_none(fw, fw->end);
	m.kernel_start = cycle_or_none(kernel, kernel->start);
	m.kernel_end = cycle_or_none(kernel, kernel->end);
	m.dm_start = cycle_or_none(dm, dm->start);
	m.dm_end = cycle_or_none(dm, dm->end);
	for (int i = 0; i < OP_RUN_RANGES; i++)
		if (op_range_found(&run->ranges[i]) && op_measures[i].column >= 0)
			op_set_real(&m.op, (enum op_column)op_measures[i].column,
				    (double)op_range_ns(&run->ranges[i], place->mhz));
	/* A replay that was measured as a whole. */
	if (op_range_found(&run->ranges[OP_M_TRACE_FW]) ||
	    op_range_found(&run->ranges[OP_M_TRACE_KERNEL]))
		m.whole = true;
	if (run->gap != OP_NONE)
		m.op.latency = (double)run->gap;
	if (run->gap_dm != OP_NONE)
		m.op.latency_dm = (double)run->gap_dm;
	if (run->core_count) {
		m.core_max = (double)run->core_max * 1000 / place->mhz;
		m.core_avg = (double)run->core_sum / run->core_count * 1000 / place->mhz;
		m.op.slowest = (struct op_slowest){m.core_max, m.core_avg, place->x, place->y,
						   place->risc};
	}
	r = op_measurements_add(list, &m);
	return r < 0 ? r : 0;
}

void op_measurements_free(struct op_measurements *list)
{
	vec_free(list);
	vec_free(&list->next);
	vec_free(&list->last);
	map_free(&list->by_id);
	map_free(&list->by_run);
}
