/* SPDX-License-Identifier: Apache-2.0 */
/* Classifies the work of an op by its name. */
#include "perf/stacked.h"

#include <stdlib.h>
#include <string.h>

#define SUFFIX "DeviceOperation" /* names are the same with and without it */

struct category_name {
	const char *name;
	enum perf_category category;
};

static const struct category_name names[] = {
	{"AllGatherMatmul", CATEGORY_COMPUTE},
	{"ScaledDotProductAttentionDecode", CATEGORY_COMPUTE},
	{"RotaryEmbeddingLlama", CATEGORY_COMPUTE},
	{"SDPAOperation", CATEGORY_COMPUTE},
	{"OptimizedConvNew", CATEGORY_COMPUTE},
	{"Conv2d", CATEGORY_COMPUTE},
	{"Matmul", CATEGORY_COMPUTE},
	{"BinaryNg", CATEGORY_COMPUTE},
	{"Binary", CATEGORY_COMPUTE},
	{"Unary", CATEGORY_COMPUTE},
	{"Pool2D", CATEGORY_COMPUTE},
	{"UpSample", CATEGORY_COMPUTE},
	{"UpsampleOperation", CATEGORY_COMPUTE},
	{"GroupNorm", CATEGORY_COMPUTE},
	{"GridSample", CATEGORY_COMPUTE},
	{"Accumulation", CATEGORY_COMPUTE},
	{"LayerNorm", CATEGORY_COMPUTE},
	{"ScaledDotProductAttention", CATEGORY_COMPUTE},
	{"Reduce", CATEGORY_COMPUTE},
	{"Softmax", CATEGORY_COMPUTE},
	{"Embeddings", CATEGORY_COMPUTE},
	{"MinimalMatmulOp", CATEGORY_COMPUTE},
	{"IntImg", CATEGORY_COMPUTE},
	{"GridSampleOperation", CATEGORY_COMPUTE},
	{"PagedUpdateCacheDeviceOperation", CATEGORY_DM},
	{"Move", CATEGORY_DM},
	{"Copy", CATEGORY_DM},
	{"InterleavedToSharded", CATEGORY_DM},
	{"ShardedToInterleaved", CATEGORY_DM},
	{"InterleavedToShardedPartial", CATEGORY_DM},
	{"ShardedToInterleavedPartial", CATEGORY_DM},
	{"Halo", CATEGORY_DM},
	{"Where", CATEGORY_DM},
	{"CloneOperation", CATEGORY_DM},
	{"Reshard", CATEGORY_DM},
	{"PaddedSlice", CATEGORY_DM},
	{"SliceWrite", CATEGORY_DM},
	{"ReduceScatter", CATEGORY_DM},
	{"NLPCreateHeadsDecodeDeviceOperation", CATEGORY_TM},
	{"NLPConcatHeadsDecodeDeviceOperation", CATEGORY_TM},
	{"Fold", CATEGORY_TM},
	{"CreateQKVHeadsDeviceOperation", CATEGORY_TM},
	{"ConcatenateHeads", CATEGORY_TM},
	{"Reshape", CATEGORY_TM},
	{"Transpose", CATEGORY_TM},
	{"Permute", CATEGORY_TM},
	{"Slice", CATEGORY_TM},
	{"Concat", CATEGORY_TM},
	{"Split", CATEGORY_TM},
	{"TilizeWithValPadding", CATEGORY_TM},
	{"Tilize", CATEGORY_TM},
	{"UntilizeWithUnpadding", CATEGORY_TM},
	{"Untilize", CATEGORY_TM},
	{"Typecast", CATEGORY_TM},
	{"NLPConcatHeads", CATEGORY_TM},
	{"NlpCreateHeads", CATEGORY_TM},
	{"Ternary", CATEGORY_TM},
	{"FillPad", CATEGORY_TM},
	{"PadDeviceOperation", CATEGORY_TM},
	{"(torch)", CATEGORY_HOST},
};

/* Additions and corrections of the later model. */
static const struct category_name names_next[] = {
	{"RMSAllGather", CATEGORY_COMPUTE},
	{"SdpaDecode", CATEGORY_COMPUTE},
	{"RotaryEmbedding", CATEGORY_COMPUTE},
	{"FastReduceNC", CATEGORY_COMPUTE},
	{"ArgMax", CATEGORY_COMPUTE},
	{"SparseMatmul", CATEGORY_COMPUTE},
	{"MoeGroupedTopk", CATEGORY_COMPUTE},
	{"MaskedBincount", CATEGORY_COMPUTE},
	{"OffsetCumsum", CATEGORY_COMPUTE},
	{"UnifiedRoutedExpertFfn", CATEGORY_COMPUTE},
	{"PostCombineReduce", CATEGORY_COMPUTE},
	{"AllGather", CATEGORY_CCL},
	{"AllGatherAsync", CATEGORY_CCL},
	{"AllGatherConcat", CATEGORY_CCL},
	{"ReduceScatter", CATEGORY_CCL},
	{"ReduceScatterMinimalAsync", CATEGORY_CCL},
	{"ReduceScatterMinimalDirect", CATEGORY_CCL},
	{"StridedReduceScatterAsync", CATEGORY_CCL},
	{"LlamaReduceScatter", CATEGORY_CCL},
	{"DeepseekMoEReduceScatter", CATEGORY_CCL},
	{"StridedAllGatherAsync", CATEGORY_CCL},
	{"SliceReshardAsync", CATEGORY_CCL},
	{"SelectiveReduceCombine", CATEGORY_CCL},
	{"ReduceToRootOp", CATEGORY_CCL},
	{"AllReduceAsync", CATEGORY_CCL},
	{"AllToAllAsync", CATEGORY_CCL},
	{"AllToAllAsyncGeneric", CATEGORY_CCL},
	{"AllToAllDispatch", CATEGORY_CCL},
	{"AllToAllDispatchMetadata", CATEGORY_CCL},
	{"AllToAllCombine", CATEGORY_CCL},
	{"AllBroadcast", CATEGORY_CCL},
	{"Broadcast", CATEGORY_CCL},
	{"SendAsync", CATEGORY_CCL},
	{"RecvAsync", CATEGORY_CCL},
	{"SendDirectAsync", CATEGORY_CCL},
	{"RecvDirectAsync", CATEGORY_CCL},
	{"Dispatch", CATEGORY_CCL},
	{"Combine", CATEGORY_CCL},
	{"NLPCreateQKVHeadsDecodeDeviceOperation", CATEGORY_TM},
	{"ReshapeView", CATEGORY_TM},
	{"PaddedSlice", CATEGORY_TM},
	{"SliceWrite", CATEGORY_TM},
	{"Repeat", CATEGORY_TM},
};

/* For names in no list: the first part that occurs in the name. Our own model. */
static const struct category_name parts[] = {
	{"Matmul", CATEGORY_COMPUTE},
	{"matmul", CATEGORY_COMPUTE},
	{"Conv", CATEGORY_COMPUTE},
	{"SDPA", CATEGORY_COMPUTE},
	{"Sdpa", CATEGORY_COMPUTE},
	{"Attention", CATEGORY_COMPUTE},
	{"FlashMLA", CATEGORY_COMPUTE},
	{"MSDA", CATEGORY_COMPUTE},
	{"IndexerScore", CATEGORY_COMPUTE},
	{"GatedDelta", CATEGORY_COMPUTE},
	{"Gdn", CATEGORY_COMPUTE},
	/* Norms split around a gather: they run on one device. */
	{"PreAllGather", CATEGORY_COMPUTE},
	{"PostAllGather", CATEGORY_COMPUTE},
	{"AllGather", CATEGORY_CCL},
	{"ReduceScatter", CATEGORY_CCL},
	{"AllReduce", CATEGORY_CCL},
	{"AllToAll", CATEGORY_CCL},
	{"Broadcast", CATEGORY_CCL},
	{"SendAsync", CATEGORY_CCL},
	{"RecvAsync", CATEGORY_CCL},
	{"SendDirect", CATEGORY_CCL},
	{"RecvDirect", CATEGORY_CCL},
	{"PointToPoint", CATEGORY_CCL},
	{"MeshPartition", CATEGORY_CCL},
	{"NeighborPad", CATEGORY_CCL},
	{"Barrier", CATEGORY_CCL},
	{"Socket", CATEGORY_CCL},
	{"Ring", CATEGORY_CCL},
	{"Norm", CATEGORY_COMPUTE},
	{"norm", CATEGORY_COMPUTE},
	{"Softmax", CATEGORY_COMPUTE},
	{"SoftMax", CATEGORY_COMPUTE},
	{"Cache", CATEGORY_DM},
	{"Tilize", CATEGORY_TM},
	{"tilize", CATEGORY_TM},
	{"Typecast", CATEGORY_TM},
	{"TokenCast", CATEGORY_TM},
	{"Reshape", CATEGORY_TM},
	{"Transpose", CATEGORY_TM},
	{"Permute", CATEGORY_TM},
	{"Concat", CATEGORY_TM},
	{"Heads", CATEGORY_TM},
	{"QKVAssemble", CATEGORY_TM},
	{"Eltwise", CATEGORY_COMPUTE},
	{"Slice", CATEGORY_TM},
	{"Split", CATEGORY_TM},
	{"Chunk", CATEGORY_TM},
	{"Repeat", CATEGORY_TM},
	{"Expand", CATEGORY_TM},
	{"Squeeze", CATEGORY_TM},
	{"View", CATEGORY_TM},
	{"Fold", CATEGORY_TM},
	{"Roll", CATEGORY_TM},
	{"Stack", CATEGORY_TM},
	{"Shard", CATEGORY_DM},
	{"shard", CATEGORY_DM},
	{"Halo", CATEGORY_DM},
	{"Move", CATEGORY_DM},
	{"Copy", CATEGORY_DM},
	{"Clone", CATEGORY_DM},
	{"Assign", CATEGORY_DM},
	{"Gather", CATEGORY_DM},
	{"Scatter", CATEGORY_DM},
	{"Fill", CATEGORY_DM},
	{"Full", CATEGORY_DM},
	{"Pad", CATEGORY_TM},
	{"Prefetcher", CATEGORY_DM},
	{"NonZero", CATEGORY_DM},
	{"Extract", CATEGORY_DM},
	{"Insert", CATEGORY_DM},
	{"Embedding", CATEGORY_COMPUTE},
	{"Pool", CATEGORY_COMPUTE},
	{"ample", CATEGORY_COMPUTE},
	{"Binary", CATEGORY_COMPUTE},
	{"Unary", CATEGORY_COMPUTE},
	{"Ternary", CATEGORY_COMPUTE},
	{"Bcast", CATEGORY_COMPUTE},
	{"Reduc", CATEGORY_COMPUTE},
	{"Reduce", CATEGORY_COMPUTE},
	{"Argmax", CATEGORY_COMPUTE},
	{"ArgMax", CATEGORY_COMPUTE},
	{"TopK", CATEGORY_COMPUTE},
	{"Topk", CATEGORY_COMPUTE},
	{"Sort", CATEGORY_COMPUTE},
	{"Sum", CATEGORY_COMPUTE},
	{"sum", CATEGORY_COMPUTE},
	{"Mean", CATEGORY_COMPUTE},
	{"Prod", CATEGORY_COMPUTE},
	{"Accumulation", CATEGORY_COMPUTE},
	{"Adam", CATEGORY_COMPUTE},
	{"Sgd", CATEGORY_COMPUTE},
	{"SGD", CATEGORY_COMPUTE},
	{"Rotary", CATEGORY_COMPUTE},
	{"Rotate", CATEGORY_COMPUTE},
	{"Rope", CATEGORY_COMPUTE},
	{"RoPE", CATEGORY_COMPUTE},
	{"Moreh", CATEGORY_COMPUTE},
	{"Loss", CATEGORY_COMPUTE},
	{"Scan", CATEGORY_COMPUTE},
	{"Gelu", CATEGORY_COMPUTE},
	{"Swiglu", CATEGORY_COMPUTE},
	{"SwiGLU", CATEGORY_COMPUTE},
	{"Dropout", CATEGORY_COMPUTE},
	{"Rand", CATEGORY_COMPUTE},
	{"Bernoulli", CATEGORY_COMPUTE},
	{"Uniform", CATEGORY_COMPUTE},
	{"Where", CATEGORY_COMPUTE},
	{"Isin", CATEGORY_COMPUTE},
	{"IsIn", CATEGORY_COMPUTE},
	{"Sampling", CATEGORY_COMPUTE},
	{"Logit", CATEGORY_COMPUTE},
	{"Ema", CATEGORY_COMPUTE},
	{"Yuv", CATEGORY_COMPUTE},
	{"PlusOne", CATEGORY_COMPUTE},
	{"Quant", CATEGORY_COMPUTE},
	{"IntImg", CATEGORY_COMPUTE},
	{"Moe", CATEGORY_COMPUTE},
	{"MoE", CATEGORY_COMPUTE},
	{"Expert", CATEGORY_COMPUTE},
	{"Gate", CATEGORY_COMPUTE},
	{"Backward", CATEGORY_COMPUTE},
	{"backward", CATEGORY_COMPUTE},
	{"Entropy", CATEGORY_COMPUTE},
	{"Generic", CATEGORY_COMPUTE},
	{"Noop", CATEGORY_OTHER},
	{"NoOp", CATEGORY_OTHER},
	{"DeviceDelay", CATEGORY_OTHER},
	{"ManualSeed", CATEGORY_OTHER},
	{"elu", CATEGORY_COMPUTE},
	{"Silu", CATEGORY_COMPUTE},
	{"SiLU", CATEGORY_COMPUTE},
	{"Sigmoid", CATEGORY_COMPUTE},
	{"Tanh", CATEGORY_COMPUTE},
	{"Exp", CATEGORY_COMPUTE},
	{"Sqrt", CATEGORY_COMPUTE},
	{"Add", CATEGORY_COMPUTE},
	{"Sub", CATEGORY_COMPUTE},
	{"Mul", CATEGORY_COMPUTE},
	{"Div", CATEGORY_COMPUTE},
	{"Pow", CATEGORY_COMPUTE},
	{"Max", CATEGORY_COMPUTE},
	{"Min", CATEGORY_COMPUTE},
};

static const struct category_name *part_find(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (memmem(name, len, parts[i].name, strlen(parts[i].name)))
			return &parts[i];
	return NULL;
}

static bool category_matches(const char *entry, const char *name, size_t len)
{
	size_t n = strlen(entry);

	if (len < n || memcmp(entry, name, n))
		return false;
	return len == n || (len == n + strlen(SUFFIX) && !memcmp(name + n, SUFFIX, strlen(SUFFIX)));
}

static enum perf_category category_find(const struct category_name *list, size_t n,
					const char *name, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (category_matches(list[i].name, name, len))
			return list[i].category;
	return CATEGORY_OTHER;
}

/* By the first word of its name. */
enum perf_category perf_category_of(const struct perf_kind *kind, enum perf_model model)
{
	const char *name = kind->label;
	size_t len = perf_first_word(&name);
	const struct category_name *part;
	enum perf_category c;

	/* Release 1.2.4 finds torch's ops by the first word alone. */
	if (kind->family == FAMILY_HOST && (model == PERF_MODEL_NEXT || !strstr(name, "(torch)")))
		return CATEGORY_HOST;
	if (model != PERF_MODEL_1_2_4) {
		c = category_find(names_next, sizeof(names_next) / sizeof(names_next[0]), name,
				  len);
		if (c != CATEGORY_OTHER)
			return c;
	}
	c = category_find(names, sizeof(names) / sizeof(names[0]), name, len);
	if (c != CATEGORY_OTHER || model != PERF_MODEL_TACHO)
		return c;
	part = part_find(name, len);
	return part ? part->category : CATEGORY_OTHER;
}

bool perf_category_is_known(const struct perf_kind *kind, enum perf_model model)
{
	const char *name = kind->label;
	size_t len = perf_first_word(&name);

	return perf_category_of(kind, model) != CATEGORY_OTHER ||
	       (model == PERF_MODEL_TACHO && part_find(name, len));
}

const char *perf_category_name(enum perf_category category)
{
	static const char *const texts[CATEGORY_COUNT] = {"Compute", "TM",    "DM",
							  "CCL",     "Other", "Host"};

	return texts[category];
}

int perf_categories_make(struct perf_categories *c, const struct perf_report *report)
{
	c->r = report;
	c->by_kind = calloc(report->in->kinds.n + 1, sizeof(*c->by_kind));
	return c->by_kind ? 0 : TACHO_ENOMEM;
}

void perf_categories_free(struct perf_categories *c)
{
	free(c->by_kind);
	c->by_kind = NULL;
}

const char *perf_categories_name(struct perf_categories *c, const struct perf_op *op)
{
	uint8_t *category = &c->by_kind[op->kind];

	if (!*category)
		*category = (uint8_t)(1 + perf_category_of(perf_op_kind(c->r, op),
							   c->r->options->model));
	return perf_category_name((enum perf_category)(*category - 1));
}
