/* SPDX-License-Identifier: Apache-2.0 */
/* Zones of the host: when an op was called, and how long host functions took within it. */
#include "base/csv.h"
#include "base/limits.h"
#include "op/messages.h"

#include <string.h>

static bool host_zones_has(struct csv_cell cell, const char *word)
{
	return memmem(cell.text, cell.len, word, strlen(word));
}

/* The number after the last ':'. */
static bool id_of(struct csv_cell cell, int64_t *id)
{
	const char *colon = memrchr(cell.text, ':', cell.len);
	struct csv_cell rest = cell;

	if (colon) {
		rest.text = colon + 1;
		rest.len = cell.len - (size_t)(rest.text - cell.text);
	}
	return csv_integer(rest, id) == 0 && *id >= 0;
}

static int add_child(struct op_host *host, uint32_t op, const struct op_host_zone *zone)
{
	uint32_t *link = &host->ops.v[op].children;
	int64_t index;

	host->child_names.limit = LIMIT_OPS_COLUMNS;
	index = op_names_add(&host->child_names, zone->name, zone->name_len);
	if (index < 0)
		return index == TACHO_ELIMIT ? 0 : (int)index;
	while (*link) {
		struct op_child *child = &host->children.v[*link - 1];

		if (child->name == (uint32_t)index) {
			child->ns += zone->duration_ns;
			return 0;
		}
		link = &child->next;
	}
	*link = (uint32_t)host->children.n + 1;
	return vec_push(&host->children,
			((struct op_child){(uint32_t)index, zone->duration_ns, 0}));
}

int op_zone_bad(struct op_issues *issues, uint64_t line)
{
	op_issue_add(issues, OP_ISSUE_BAD_ROW, TTLOG_TIMES_FILE, line, OP_NOWHERE,
		     "an op's zone without id, start or duration");
	return 0;
}

static int op_zone(struct op_host *host, const struct op_host_zone *zone, struct op_issues *issues)
{
	struct op_host_op *op;
	int64_t id;

	if (!id_of((struct csv_cell){zone->text, zone->text_len}, &id))
		return op_zone_bad(issues, zone->line);
	if (!op_host_find(host, (uint64_t)id)) {
		op_issue_add(issues, OP_ISSUE_NO_MESSAGE, TTLOG_TIMES_FILE, zone->line,
			     OP_AT(id, OP_NONE),
			     "a zone names the op, but no whole message describes it");
		if (op_host_add_unknown(host, (uint64_t)id, op_id_device((uint64_t)id)) < 0)
			return TACHO_ENOMEM;
	}
	op = op_host_find(host, (uint64_t)id);
	op->timed = true;
	op->start_ns = zone->start_ns;
	op->duration_ns = zone->duration_ns;
	return 0;
}

bool op_zone_is_op(const char *name, size_t len)
{
	struct csv_cell cell = {name, len};

	return host_zones_has(cell, "TT_DNN") || host_zones_has(cell, "TT_METAL");
}

int op_zone_add(struct op_host *host, const struct op_host_zone *zone, struct op_issues *issues)
{
	struct csv_cell around = {zone->parent, zone->parent_len};
	int64_t parent;
	uint32_t *op;
	int r = 0;

	if (op_zone_is_op(zone->name, zone->name_len))
		r = op_zone(host, zone, issues);
	if (r < 0 || !host_zones_has(around, "id:") || !id_of(around, &parent))
		return r;
	op = map_get(&host->by_id, (uint64_t)parent);
	return op ? add_child(host, *op, zone) : 0;
}
