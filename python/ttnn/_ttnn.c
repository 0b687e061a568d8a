/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that the package ttnn calls through ctypes: src/nn with flat arguments. They use no
 * Python, so that one file serves all interpreters.
 *
 * Functions return 0 or a negative value, pointers are NULL on failure: ttnn_error() has the
 * reason. The package calls functions with flat arguments in libtacho_device directly.
 */
#include "nn/nn.h"

#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* only Python calls them */

API const char *ttnn_error(void)
{
	const char *own = nn_error();

	return *own ? own : tacho_device_error();
}

/* ---------------------------------------------------------------- devices */

API struct nn *ttnn_open(const char *arch)
{
	struct nn *nn = calloc(1, sizeof(*nn));

	if (nn && nn_open(nn, arch) < 0) {
		free(nn);
		return NULL;
	}
	return nn;
}

API void ttnn_close(struct nn *nn)
{
	nn_close(nn);
	free(nn);
}

API struct tacho_device *ttnn_device(struct nn *nn)
{
	return nn->device;
}

/* columns, rows, cores, MHz, DRAM banks, number */
API void ttnn_info(struct nn *nn, uint32_t out[6])
{
	const uint32_t info[] = {nn->info.columns, nn->info.rows,       nn->info.cores,
				 nn->info.mhz,     nn->info.dram_banks, nn->info.number};

	memcpy(out, info, sizeof(info));
}

API const char *ttnn_arch(struct nn *nn)
{
	return nn->info.arch;
}

API uint32_t ttnn_entries(struct nn *nn)
{
	return nn->entries;
}

API void ttnn_programs_free(struct nn *nn)
{
	nn_programs_free(nn);
}

/* The next op is one of all these devices. COUNT 0: of one. */
API void ttnn_group(struct nn *nn, struct tacho_device *const *devices, uint32_t count)
{
	nn->group = count ? devices : NULL;
	nn->group_count = count;
}

API void ttnn_capture(struct nn *nn, int on)
{
	nn->capturing = on;
}

static void event_ignore(void *context, const struct tacho_device_event *event)
{
	(void)context;
	(void)event;
}

API int ttnn_read_profiler(struct nn *nn)
{
	return tacho_profiler_read(nn->device, event_ignore, NULL);
}

API struct tacho_trace *ttnn_trace_end(struct nn *nn)
{
	struct tacho_trace *trace;

	return tacho_trace_end(nn->device, &trace) < 0 ? NULL : trace;
}

/* ---------------------------------------------------------------- tensors */

API int ttnn_tensor_make(struct nn *nn, struct nn_tensor *t)
{
	return nn_tensor_make(nn, t);
}

API int ttnn_write(struct nn *nn, struct nn_tensor *t, const uint32_t *values, uint32_t pad)
{
	return nn_write_cells(nn, t, values, pad);
}

API int ttnn_read(struct nn *nn, const struct nn_tensor *t, uint32_t *values)
{
	return nn_read_cells(nn, t, values);
}

/* Rounds VALUES to the format of T. */
API int ttnn_round(const struct nn_tensor *t, uint32_t *values)
{
	struct nn none = {0};

	return nn_round(&none, t, values);
}

/* -------------------------------------------------------------------- ops */

static int run_embedding(struct nn *nn, const struct nn_job *job, const void *how)
{
	(void)how;
	return nn_embedding(nn, job);
}

static int run_heads_merge(struct nn *nn, const struct nn_job *job, const void *how)
{
	(void)how;
	return nn_heads_merge(nn, job);
}

/* WHAT: a function of src/nn; HOW: the struct that it takes, or NULL. */
API int ttnn_run(struct nn *nn, const char *what, const struct nn_job *job, const void *how)
{
	if (!strcmp(what, "eltwise"))
		return nn_eltwise(nn, job, how);
	if (!strcmp(what, "product"))
		return nn_product(nn, job, how);
	if (!strcmp(what, "gather"))
		return nn_gather(nn, job, how);
	if (!strcmp(what, "reduce"))
		return nn_reduce(nn, job, how);
	if (!strcmp(what, "softmax"))
		return nn_softmax(nn, job, how);
	if (!strcmp(what, "norm"))
		return nn_norm(nn, job, how);
	if (!strcmp(what, "heads_split"))
		return nn_heads_split(nn, job, how);
	if (!strcmp(what, "heads_merge"))
		return run_heads_merge(nn, job, how);
	if (!strcmp(what, "attention"))
		return nn_attention(nn, job, how);
	if (!strcmp(what, "blocks_fill"))
		return nn_blocks_fill(nn, job, how);
	if (!strcmp(what, "cache_update"))
		return nn_cache_update(nn, job, how);
	if (!strcmp(what, "accumulate"))
		return nn_accumulate(nn, job, how);
	if (!strcmp(what, "pick"))
		return nn_pick(nn, job);
	if (!strcmp(what, "top"))
		return nn_top(nn, job, how);
	if (!strcmp(what, "random"))
		return nn_random(nn, job, how);
	return run_embedding(nn, job, how);
}

API int ttnn_step(struct nn_step *step, const char *name, int operands, const uint32_t *tiles)
{
	if (operands == 1)
		return nn_step_unary(step, name, tiles[0]);
	if (operands == 2)
		return nn_step_binary(step, name, tiles[0], tiles[1], tiles[2]);
	return nn_step_ternary(step, name, tiles[0], tiles[1], tiles[2], tiles[3]);
}

/* An op that Python computes itself: a row of the report without a device. */
API uint64_t ttnn_host_begin(const char *name, const char *type)
{
	struct tacho_op_host host =
		tacho_op_host_begin(&(struct tacho_op){.name = name, .type = type});

	return (uint64_t)host.session << 32 | host.id;
}

API void ttnn_host_end(uint64_t host)
{
	tacho_op_host_end((struct tacho_op_host){(uint32_t)host, (uint32_t)(host >> 32)});
}
