#include "ops/record.h"

#include "ops/issues.h"

#include <string.h>

#define DEVICE_BITS  10
#define FALLBACK_BIT (1ull << 31)

int64_t ops_id_device(uint64_t id)
{
	return id & FALLBACK_BIT ? OPS_NONE : (int64_t)(id & ((1u << DEVICE_BITS) - 1));
}

static void info_free(struct ops_info *info)
{
	buf_free(&info->text);
	vec_free(&info->cells);
	vec_free(&info->inputs);
	vec_free(&info->outputs);
	vec_free(&info->sizes);
}

int ops_host_add_info(struct ops_host *host, struct ops_info *info)
{
	if (!info->text.failed && vec_push(&host->infos, *info) == 0)
		return 0;
	info_free(info);
	return TACHO_ENOMEM;
}

void ops_host_free(struct ops_host *host)
{
	for (size_t i = 0; i < host->infos.n; i++)
		info_free(&host->infos.v[i]);
	for (size_t i = 0; i < host->signposts.n; i++) {
		free(host->signposts.v[i].header);
		free(host->signposts.v[i].message);
	}
	ops_names_free(&host->child_names);
	ops_names_free(&host->size_names);
	vec_free(&host->infos);
	vec_free(&host->signposts);
	vec_free(&host->ops);
	vec_free(&host->children);
	vec_free(&host->replays);
	vec_free(&host->salvaged);
	map_free(&host->by_id);
	map_free(&host->salvaged_by_id);
	memset(host, 0, sizeof(*host));
}

struct ops_host_op *ops_host_find(const struct ops_host *host, uint64_t id)
{
	uint32_t *at = map_get(&host->by_id, id);

	return at ? &host->ops.v[*at] : NULL;
}

int ops_host_add(struct ops_host *host, const struct ops_host_op *op)
{
	struct ops_host_op *old = ops_host_find(host, op->id);

	if (old) {
		*old = *op;
		return 0;
	}
	if (map_set(&host->by_id, op->id, (uint32_t)host->ops.n) < 0)
		return TACHO_ENOMEM;
	return vec_push(&host->ops, *op);
}

int ops_host_salvage(struct ops_host *host, const struct ops_host_op *op)
{
	if (map_set(&host->salvaged_by_id, op->id, (uint32_t)host->salvaged.n) < 0)
		return TACHO_ENOMEM;
	return vec_push(&host->salvaged, *op);
}

int ops_host_add_unknown(struct ops_host *host, uint64_t id, int64_t device)
{
	struct ops_host_op op = {.id = id, .device = device, .trace = OPS_NONE};
	uint32_t *at = map_get(&host->salvaged_by_id, id);

	return ops_host_add(host, at ? &host->salvaged.v[*at] : &op);
}
