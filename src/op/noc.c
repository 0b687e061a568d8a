/* SPDX-License-Identifier: Apache-2.0 */
/* Sums up NoC transfers by execution. */
#include "op/noc.h"

#include "base/order.h"
#include "op/figures.h"

#include <stdlib.h>
#include <string.h>

struct op_noc_word op_noc_word(uint64_t w)
{
	struct op_noc_word d = {.x = w >> 8 & 0xff,
				.y = w >> 16 & 0xff,
				.end_x = w >> 24 & 0xff,
				.end_y = w >> 32 & 0xff,
				.noc = (w >> 40 & 15) == 2,
				.vc = (int)(w >> 44 & 15),
				.bytes = (unsigned)(w >> 48 & 0xff) * 32,
				.posted = w >> 56 & 1};

	d.vc = d.vc == 15 ? -1 : d.vc;
	return d;
}

bool op_noc_is_multicast(const char *type)
{
	return strstr(type, "MULTICAST") && strncmp(type, "FABRIC", 6) != 0;
}

/* Zones that the transfer files include: those of data movement, except the firmware's. */
static bool op_noc_is_zone(enum arch_risc risc, const char *name)
{
	size_t len = strlen(name);

	return (risc == RISC_BRISC || risc == RISC_NCRISC) &&
	       !(len >= 3 && !strcmp(name + len - 3, "-FW"));
}

ORDER_BY(by_ids, struct op_noc_op,
	 ORDER_UP(device) ?: ORDER_UP(id) ?: ORDER_UP(trace) ?: ORDER_UP(session));

void op_noc_sort(struct op_noc *noc)
{
	if (noc->n)
		qsort(noc->v, noc->n, sizeof(*noc->v), by_ids);
}

const struct op_noc_op *op_noc_find(const struct op_noc *noc, int64_t device, uint64_t id,
				    int64_t trace, int64_t session)
{
	struct op_noc_op key = {.device = device, .id = id, .trace = trace, .session = session};

	return noc->n ? bsearch(&key, noc->v, noc->n, sizeof(*noc->v), by_ids) : NULL;
}

void op_noc_free(struct op_noc *noc)
{
	vec_free(noc);
}

int64_t op_noc_runs_find(struct op_noc_runs *runs, const struct op_marker *m, int64_t device,
			 const char *name, bool new)
{
	struct op_noc_run run = {.sums = {.device = device,
					  .id = m->id,
					  .trace = m->session > 0 ? m->trace : OP_NONE,
					  .session = m->session > 0 ? m->session : OP_NONE}};
	uint64_t key = op_mix(op_mix(op_mix((uint64_t)device, m->id), (uint64_t)run.sums.trace),
			      (uint64_t)run.sums.session);
	uint32_t *at;

	if (m->kind != TRACE_MARK_NOC &&
	    (m->kind > TRACE_MARK_END || !op_noc_is_zone((enum arch_risc)m->which, name)))
		return OP_NONE;
	for (; (at = map_get(&runs->by_key, key)); key++)
		if (by_ids(&runs->v[*at].sums, &run.sums) == 0)
			return *at;
	if (!new)
		return OP_NONE;
	if (map_set(&runs->by_key, key, (uint32_t)runs->n) < 0 || vec_push(runs, run) < 0)
		return TACHO_ENOMEM;
	return (int64_t)runs->n - 1;
}

static void noc_core_end(struct op_noc_run *r)
{
	if (!r->core)
		return;
	r->most = r->core_bytes > r->most ? r->core_bytes : r->most;
	r->core = 0;
	r->core_bytes = 0;
}

int op_noc_runs_add(struct op_noc_runs *runs, const struct op_marker *m, int64_t device,
		    const char *name)
{
	int64_t at = op_noc_runs_find(runs, m, device, name, true);
	struct op_noc_word word;
	struct op_noc_run *run;

	if (at < 0)
		return at == OP_NONE ? 0 : (int)at;
	run = &runs->v[at];
	run->entries++;
	if (m->kind != TRACE_MARK_NOC)
		return 0;
	if (run->core != m->core + 1) {
		noc_core_end(run);
		run->core = m->core + 1;
		run->sums.cores++;
	}
	word = op_noc_word(m->value);
	run->core_bytes += word.bytes;
	run->sums.bytes += word.bytes;
	run->sums.events++;
	if (op_noc_is_multicast(name))
		run->sums.multicast_bytes += word.bytes;
	return 0;
}

int op_noc_runs_sum(struct op_noc_runs *runs, struct op_noc *noc)
{
	for (size_t i = 0; i < runs->n; i++) {
		struct op_noc_run *r = &runs->v[i];

		if (!r->sums.events)
			continue;
		noc_core_end(r);
		r->sums.max_share =
			r->sums.bytes ? 100.0 * (double)r->most / (double)r->sums.bytes : 0;
		if (vec_push(noc, r->sums) < 0)
			return TACHO_ENOMEM;
		noc->files++;
	}
	op_noc_sort(noc);
	return 0;
}

void op_noc_runs_free(struct op_noc_runs *runs)
{
	vec_free(runs);
	map_free(&runs->by_key);
}
