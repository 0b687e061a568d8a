/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of advice: see rules.h. */
#include "perf/rules.h"

#define BIT(field)   (1u << FIELD_##field)
#define FAMILY(name) (1u << FAMILY_##name)
#define BOUND(name)  (1u << BOUND_##name)
#define MATMUL       .families = FAMILY(MATMUL)
#define CONV         .families = FAMILY(CONV)
#define PRODUCTS     .families = FAMILY(MATMUL) | FAMILY(CONV)
#define SLOW         .bounds = BOUND(SLOW)
#define DRAM_LIMITED .bounds = BOUND(DRAM) | BOUND(BOTH)

const struct advice_rule perf_rules[] = {
	/* Matrix products at the limit of the DRAM or of the arithmetic */
	{ADVICE_SHARD, MATMUL, DRAM_LIMITED,
	 .tests = {{.test = TEST_NOT_SHARDED}, {.test = TEST_IN1_DRAM}}, .saving = SAVING_DRAM_PEAK,
	 .words =
		 "Try the DRAM-sharded program config: it is at {dram} % of the DRAM bandwidth, and "
		 "sharded weights are read from all banks at once"},
	{ADVICE_GRID, MATMUL, .bounds = BOUND(FLOP),
	 .tests = {{.test = TEST_CORES_PERCENT, .limit = 100}}, .saving = SAVING_CORES,
	 .words =
		 "Give it a larger grid: it is bound by arithmetic and runs on {cores} of {workers} "
		 "cores"},

	/* Matrix products that are below both */
	{ADVICE_INPUT_L1, MATMUL, SLOW, .tests = {{.test = TEST_IN0_DRAM}},
	 .saving = SAVING_REACHABLE,
	 .words =
		 "Keep input 0 in L1, where it fits: it is in {memory}, and neither DRAM ({dram} %) nor "
		 "arithmetic ({flops} %) is busy"},
	{ADVICE_CONFIG, MATMUL, SLOW, .tests = {{.test = TEST_DEFAULT}}, .saving = SAVING_REACHABLE,
	 .words = "Give it a program_config: without one the defaults are cautious"},
	{ADVICE_BLOCK, MATMUL, SLOW, .settings = BIT(IN0_BLOCK_W),
	 .tests = {{.test = TEST_BELOW, .a = FIELD_IN0_BLOCK_W, .limit = 2},
		   {.test = TEST_INNER_TILES, .limit = 2}},
	 .saving = SAVING_REACHABLE,
	 .words =
		 "Raise in0_block_w from {in0_block_w} to 2 or more: each block is a round trip for "
		 "data"},
	{ADVICE_SUBBLOCK, MATMUL, SLOW, .settings = BIT(OUT_SUBBLOCK_H) | BIT(OUT_SUBBLOCK_W),
	 .tests = {{.test = TEST_PRODUCT_BELOW,
		    .a = FIELD_OUT_SUBBLOCK_H,
		    .b = FIELD_OUT_SUBBLOCK_W,
		    .limit = 2},
		   {.test = TEST_CORE_TILES, .limit = 2}},
	 .saving = SAVING_REACHABLE,
	 .words =
		 "Raise out_subblock_h x out_subblock_w from {out_subblock_h}x{out_subblock_w} to 2 "
		 "tiles or more: one tile leaves the registers idle"},
	{ADVICE_SUBBLOCK, MATMUL, SLOW, .settings = BIT(SUBBLOCK_H) | BIT(SUBBLOCK_W),
	 .tests = {{.test = TEST_PRODUCT_BELOW,
		    .a = FIELD_SUBBLOCK_H,
		    .b = FIELD_SUBBLOCK_W,
		    .limit = 2},
		   {.test = TEST_CORE_TILES, .limit = 2}},
	 .saving = SAVING_REACHABLE,
	 .words =
		 "Raise subblock_h x subblock_w from {subblock_h}x{subblock_w} to 2 tiles or more: one "
		 "tile leaves the registers idle"},
	{ADVICE_BLOCK, MATMUL, SLOW, .settings = BIT(K_BLOCK_SIZE),
	 .tests = {{.test = TEST_BELOW, .a = FIELD_K_BLOCK_SIZE, .limit = 2},
		   {.test = TEST_INNER_TILES, .limit = 2}},
	 .saving = SAVING_REACHABLE,
	 .words =
		 "Raise K_block_size from {K_block_size} to 2 or more: each block is a round trip for "
		 "data"},
	{ADVICE_GRID, MATMUL, SLOW, .settings = BIT(GRID),
	 .tests = {{.test = TEST_CORES_PERCENT, .limit = 51}}, .saving = SAVING_CORES,
	 .words = "Raise compute_with_storage_grid_size: it runs on {cores} of {workers} cores"},

	/* Convolutions */
	{ADVICE_BUFFER, CONV, SLOW, .settings = BIT(ACT_DOUBLE_BUFFER),
	 .tests = {{.test = TEST_IS, .a = FIELD_ACT_DOUBLE_BUFFER, .limit = 0}},
	 .saving = SAVING_REACHABLE,
	 .words =
		 "Set enable_act_double_buffer: the next activations are then read while these are "
		 "multiplied"},
	{ADVICE_BUFFER, CONV, SLOW, .settings = BIT(WEIGHTS_DOUBLE_BUFFER),
	 .tests = {{.test = TEST_IS, .a = FIELD_WEIGHTS_DOUBLE_BUFFER, .limit = 0},
		   {.test = TEST_IN1_DRAM}},
	 .saving = SAVING_REACHABLE,
	 .words =
		 "Set enable_weights_double_buffer: the next weights are then read while these are "
		 "multiplied"},
	{ADVICE_SUBBLOCK, CONV, SLOW,
	 .settings = BIT(OUT_SUBBLOCK_H_NTILES) | BIT(OUT_SUBBLOCK_W_NTILES) | BIT(ACT_BLOCK_H),
	 .tests = {{.test = TEST_PRODUCT_BELOW,
		    .a = FIELD_OUT_SUBBLOCK_H_NTILES,
		    .b = FIELD_OUT_SUBBLOCK_W_NTILES,
		    .limit = 2}},
	 .saving = SAVING_REACHABLE,
	 .words =
		 "The output subblock is {out_subblock_h_ntiles}x{out_subblock_w_ntiles} tiles: a larger "
		 "act_block_h_ntiles or more output channels per core make it larger"},

	/* Fidelity */
	{ADVICE_FIDELITY_DOWN, PRODUCTS,
	 .bounds = BOUND(FLOP) | BOUND(BOTH) | BOUND(DRAM) | BOUND(SLOW),
	 .tests = {{.test = TEST_VERDICT, .limit = VERDICT_TOO_HIGH}}, .saving = SAVING_FIDELITY,
	 .words =
		 "Try {lower} instead of {fidelity}: {types} holds no more digits than it multiplies, and "
		 "it is {faster} times as fast"},
	{ADVICE_FIDELITY_UP, MATMUL, DRAM_LIMITED,
	 .tests = {{.test = TEST_VERDICT, .limit = VERDICT_TOO_LOW},
		   {.test = TEST_FLOPS_BELOW, .limit = 40}},
	 .words =
		 "{fidelity} drops low bits of the inputs; a higher fidelity is free here: the DRAM is the "
		 "limit, and arithmetic is at {flops} %"},

	/* Attention */
	{ADVICE_CHUNK, .ops = "SDPA|ScaledDotProductAttention", SLOW, .settings = BIT(Q_CHUNK_SIZE),
	 .tests = {{.test = TEST_BELOW, .a = FIELD_Q_CHUNK_SIZE, .limit = 64},
		   {.test = TEST_ROWS_ABOVE, .limit = 128}},
	 .saving = SAVING_REACHABLE,
	 .words =
		 "Raise q_chunk_size from {q_chunk_size} to 64 or more: the keys and values are read once "
		 "for each chunk of queries"},
	{ADVICE_CHUNK, .ops = "SDPA|ScaledDotProductAttention", SLOW, .settings = BIT(K_CHUNK_SIZE),
	 .tests = {{.test = TEST_BELOW, .a = FIELD_K_CHUNK_SIZE, .limit = 64},
		   {.test = TEST_ROWS_ABOVE, .limit = 128}},
	 .saving = SAVING_REACHABLE,
	 .words =
		 "Raise k_chunk_size from {k_chunk_size} to 64 or more: the running softmax is corrected "
		 "once for each chunk of keys"},

	/* Norms */
	{ADVICE_CONFIG, .ops = "LayerNorm", SLOW,
	 .tests = {{.test = TEST_CONFIG, .text = "LayerNormDefaultProgramConfig"},
		   {.test = TEST_IN0_DRAM},
		   {.test = TEST_CORES_PERCENT, .limit = 100}},
	 .saving = SAVING_CORES,
	 .words =
		 "Shard input 0 in L1 and give a LayerNormShardedMultiCoreProgramConfig: it runs on "
		 "{cores} of {workers} cores"},
	{ADVICE_CONFIG, .ops = "Softmax", SLOW,
	 .tests = {{.test = TEST_CONFIG, .text = "SoftmaxDefaultProgramConfig"},
		   {.test = TEST_IN0_DRAM},
		   {.test = TEST_CORES_PERCENT, .limit = 100}},
	 .saving = SAVING_CORES,
	 .words = "Shard input 0 in L1 and give a SoftmaxShardedMultiCoreProgramConfig: it runs on "
		  "{cores} of {workers} cores"},
	{ADVICE_SUBBLOCK, .ops = "LayerNorm|Softmax", .bounds = BOUND(SLOW) | BOUND(NONE),
	 .settings = BIT(SUBBLOCK_W) | BIT(BLOCK_W),
	 .tests = {{.test = TEST_BELOW, .a = FIELD_SUBBLOCK_W, .limit = 2},
		   {.test = TEST_ABOVE, .a = FIELD_BLOCK_W, .limit = 1}},
	 .words = "Raise subblock_w from {subblock_w}: one tile leaves the registers idle"},

	/* Between devices */
	{ADVICE_LINKS, .ops = "AllGather|ReduceScatter|AllReduce|AllToAll|Broadcast",
	 .bounds = BOUND(SLOW) | BOUND(NONE), .settings = BIT(NUM_LINKS),
	 .tests = {{.test = TEST_IS, .a = FIELD_NUM_LINKS, .limit = 1}}, .saving = SAVING_LINKS,
	 .words = "Raise num_links from 1 if the devices are joined by more links"},

	/* By the kernels, where the device's log has them */
	{ADVICE_KERNEL, SLOW,
	 .tests = {{.test = TEST_LIMIT, .limit = LIMIT_READER}, {.test = TEST_ANY_IN_DRAM}},
	 .words =
		 "Reader-bound: the others wait for input. Keep inputs in L1, or read larger blocks at "
		 "a time"},
	{ADVICE_KERNEL, SLOW,
	 .tests = {{.test = TEST_LIMIT, .limit = LIMIT_WRITER}, {.test = TEST_OUT_DRAM}},
	 .words = "Writer-bound: the others wait for room to write. Keep the output in L1"},
	{ADVICE_KERNEL, PRODUCTS, SLOW, .tests = {{.test = TEST_LIMIT, .limit = LIMIT_COMPUTE}},
	 .words = "Compute-bound: the data is there in time, and the arithmetic is slow. Look at "
		  "subblocks, fidelity and accumulation in 32 bits"},
	{ADVICE_BALANCE, .bounds = BOUND(SLOW) | BOUND(NONE) | BOUND(DRAM) | BOUND(FLOP),
	 .tests = {{.test = TEST_BALANCE_BELOW, .limit = 80},
		   {.test = TEST_CORE_TILES, .limit = 2}},
	 .saving = SAVING_BALANCE,
	 .words = "The cores are not equally busy: their mean is {balance} % of the slowest one"},

	/* All others */
	{ADVICE_GRID, .ops = "InterleavedToSharded|ShardedToInterleaved|Reshard", SLOW,
	 .tests = {{.test = TEST_CORES_PERCENT, .limit = 51}}, .saving = SAVING_CORES,
	 .words = "It runs on {cores} of {workers} cores: smaller shards on more cores spread it"},
	{ADVICE_GRID, .families = FAMILY(OTHER), SLOW,
	 .tests = {{.test = TEST_CORES_PERCENT, .limit = 51},
		   {.test = TEST_NOT_COLLECTIVE},
		   {.test = TEST_IN0_SHARDED}},
	 .saving = SAVING_CORES,
	 .words =
		 "It runs on {cores} of {workers} cores: smaller shards of input 0 spread it over more"},
	{ADVICE_GRID, .families = FAMILY(OTHER), SLOW,
	 .tests = {{.test = TEST_CORES_PERCENT, .limit = 51}, {.test = TEST_NOT_COLLECTIVE}},
	 .saving = SAVING_CORES,
	 .words = "It runs on {cores} of {workers} cores: a sharded input spreads it over more"},
	{ADVICE_INPUT_L1, .families = FAMILY(OTHER), DRAM_LIMITED,
	 .tests = {{.test = TEST_IN0_DRAM}, {.test = TEST_NOT_COLLECTIVE}}, .saving = SAVING_NONE,
	 .words =
		 "It moves data as fast as the DRAM allows: keep input 0 in L1, or fuse it with the op "
		 "before it"},
};

const size_t perf_rules_n = sizeof(perf_rules) / sizeof(perf_rules[0]);
