/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Program configs: what the caller of an op can set, and what was set. Advice names a setting only
 * if the op's config has it.
 */
#ifndef PERF_CONFIG_H
#define PERF_CONFIG_H

#include "base/csv.h"

#include <stdbool.h>
#include <stdint.h>

/* Settings that advice covers, named as in the program's source. */
#define PERF_FIELDS(X)                                           \
	X(IN0_BLOCK_W, "in0_block_w")                            \
	X(OUT_SUBBLOCK_H, "out_subblock_h")                      \
	X(OUT_SUBBLOCK_W, "out_subblock_w")                      \
	X(OUT_BLOCK_H, "out_block_h")                            \
	X(OUT_BLOCK_W, "out_block_w")                            \
	X(PER_CORE_M, "per_core_M")                              \
	X(PER_CORE_N, "per_core_N")                              \
	X(GRID, "compute_with_storage_grid_size")                \
	X(M_BLOCK_SIZE, "M_block_size")                          \
	X(K_BLOCK_SIZE, "K_block_size")                          \
	X(N_BLOCK_SIZE, "N_block_size")                          \
	X(SUBBLOCK_H, "subblock_h")                              \
	X(SUBBLOCK_W, "subblock_w")                              \
	X(BLOCK_H, "block_h")                                    \
	X(BLOCK_W, "block_w")                                    \
	X(Q_CHUNK_SIZE, "q_chunk_size")                          \
	X(K_CHUNK_SIZE, "k_chunk_size")                          \
	X(ACT_BLOCK_H, "act_block_h_ntiles")                     \
	X(OUT_SUBBLOCK_H_NTILES, "out_subblock_h_ntiles")        \
	X(OUT_SUBBLOCK_W_NTILES, "out_subblock_w_ntiles")        \
	X(ACT_DOUBLE_BUFFER, "enable_act_double_buffer")         \
	X(WEIGHTS_DOUBLE_BUFFER, "enable_weights_double_buffer") \
	X(NUM_LINKS, "num_links")

enum perf_field {
#define X(id, name) FIELD_##id,
	PERF_FIELDS(X)
#undef X
		FIELD_COUNT,
};

#define PERF_NO_FIELD INT64_MIN

struct perf_config_fields {
	const char *name; /* of the program config; NULL: none, or unknown */
	uint32_t has;     /* bit per enum perf_field: its config has that setting with a value */
	int64_t value[FIELD_COUNT]; /* PERF_NO_FIELD: no value. Switches are 0 and 1 */
};

const char *perf_field_name(enum perf_field field);

/* All settings in the ATTRIBUTES of an op. */
void perf_config_read(struct perf_config_fields *out, struct csv_cell attributes);

#endif
