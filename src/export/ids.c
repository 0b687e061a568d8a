/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of processes and threads for formats in which those have to be unique. */
#include "export/row_events.h"

#include "base/order.h"

#include <stdlib.h>

/* Above what Linux gives to processes and threads: ids of those that have none, or not their own.
 */
#define MADE_UP_ID 10000000u

struct id {
	uint32_t group, index;
	uint64_t wanted;
};

ORDER_BY(ids_compare, struct id, ORDER_UP(group) ?: ORDER_UP(wanted) ?: ORDER_UP(index));

/* The first user of an id keeps it; later ones (of a reused pid or tid) get an invented one. */
static uint32_t *ids_assign(struct id *ids, uint32_t n)
{
	uint32_t *given = calloc(n + 1, sizeof(*given));

	if (!given)
		return NULL;
	qsort(ids, n, sizeof(*ids), ids_compare);
	for (uint32_t i = 0; i < n; i++) {
		bool taken =
			i && ids[i - 1].group == ids[i].group && ids[i - 1].wanted == ids[i].wanted;
		bool fits = ids[i].wanted > 0 && ids[i].wanted < MADE_UP_ID;

		given[ids[i].index] =
			fits && !taken ? (uint32_t)ids[i].wanted : MADE_UP_ID + ids[i].index;
	}
	return given;
}

int export_ids(const struct trace *t, uint32_t **pids, uint32_t **tids)
{
	uint32_t most = t->process_count > t->track_count ? t->process_count : t->track_count;
	struct id *ids = calloc(most + 1, sizeof(*ids));

	if (!ids)
		return TACHO_ENOMEM;
	for (uint32_t i = 0; i < t->process_count; i++)
		ids[i] = (struct id){.index = i, .wanted = t->processes[i].pid};
	*pids = ids_assign(ids, t->process_count);
	for (uint32_t i = 0; i < t->track_count; i++)
		ids[i] = (struct id){
			.group = t->tracks[i].process,
			.index = i,
			.wanted = t->tracks[i].kind == TRACE_THREAD ? t->tracks[i].id : 0,
		};
	*tids = ids_assign(ids, t->track_count);
	free(ids);
	return *pids && *tids ? 0 : TACHO_ENOMEM;
}
