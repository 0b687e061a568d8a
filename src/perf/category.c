/* What sort of work an op does, by its name. */
#include "perf/stacked.h"

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

/* Where the later model knows more, or better. */
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

static bool matches(const char *entry, const char *name, size_t len)
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
		if (matches(list[i].name, name, len))
			return list[i].category;
	return CATEGORY_OTHER;
}

/* By the first word of what it is called. */
enum perf_category perf_category_of(const struct perf_kind *kind, enum perf_model model)
{
	const char *name = kind->label;
	size_t len = perf_first_word(&name);
	enum perf_category c;

	/* Release 1.2.4 finds torch's ops by the first word alone. */
	if (kind->family == FAMILY_HOST && (model == PERF_MODEL_NEXT || !strstr(name, "(torch)")))
		return CATEGORY_HOST;
	if (model == PERF_MODEL_NEXT) {
		c = category_find(names_next, sizeof(names_next) / sizeof(names_next[0]), name,
				  len);
		if (c != CATEGORY_OTHER)
			return c;
	}
	return category_find(names, sizeof(names) / sizeof(names[0]), name, len);
}

const char *perf_category_name(enum perf_category category)
{
	static const char *const texts[CATEGORY_COUNT] = {"Compute", "TM",    "DM",
							  "CCL",     "Other", "Host"};

	return texts[category];
}
