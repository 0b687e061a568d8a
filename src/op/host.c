/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the host's reports of ops. */
#include "op/host.h"

#include "op/issues.h"

#include <string.h>

#define DEVICE_BITS  10
#define FALLBACK_BIT (1ull << 31)

int64_t op_id_device(uint64_t id)
{
	return id & FALLBACK_BIT ? OP_NONE : (int64_t)(id & ((1u << DEVICE_BITS) - 1));
}

void op_host_free(struct op_host *host)
{
	for (size_t i = 0; i < host->signposts.n; i++) {
		free(host->signposts.v[i].header);
		free(host->signposts.v[i].message);
	}
	op_names_free(&host->child_names);
	op_table_free(&host->table);
	vec_free(&host->signposts);
	vec_free(&host->ops);
	vec_free(&host->children);
	vec_free(&host->replays);
	vec_free(&host->salvaged);
	map_free(&host->by_id);
	map_free(&host->salvaged_by_id);
	memset(host, 0, sizeof(*host));
}

struct op_host_op *op_host_find(const struct op_host *host, uint64_t id)
{
	uint32_t *at = map_get(&host->by_id, id);

	return at ? &host->ops.v[*at] : NULL;
}

int op_host_add(struct op_host *host, const struct op_host_op *op)
{
	struct op_host_op *old = op_host_find(host, op->id);

	if (old) {
		*old = *op;
		return 0;
	}
	if (map_set(&host->by_id, op->id, (uint32_t)host->ops.n) < 0)
		return TACHO_ENOMEM;
	return vec_push(&host->ops, *op);
}

int op_host_salvage(struct op_host *host, const struct op_host_op *op)
{
	if (map_set(&host->salvaged_by_id, op->id, (uint32_t)host->salvaged.n) < 0)
		return TACHO_ENOMEM;
	return vec_push(&host->salvaged, *op);
}

int op_host_add_unknown(struct op_host *host, uint64_t id, int64_t device)
{
	struct op_host_op op = {.id = id, .device = device, .trace = OP_NONE};
	uint32_t *at = map_get(&host->salvaged_by_id, id);

	return op_host_add(host, at ? &host->salvaged.v[*at] : &op);
}
