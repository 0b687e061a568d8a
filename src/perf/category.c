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

/* Further names of the later model. Any other name with a collective's name in it is one. */
static const struct category_name names_next[] = {
	{"SparseMatmul", CATEGORY_COMPUTE}, {"SdpaDecode", CATEGORY_COMPUTE},
	{"SDPA", CATEGORY_COMPUTE},         {"RingJointSDPA", CATEGORY_COMPUTE},
	{"JointSDPA", CATEGORY_COMPUTE},    {"RotaryEmbedding", CATEGORY_COMPUTE},
	{"FastReduceNC", CATEGORY_COMPUTE}, {"TopK", CATEGORY_COMPUTE},
	{"ArgMax", CATEGORY_COMPUTE},       {"Sampling", CATEGORY_COMPUTE},
	{"RMSAllGather", CATEGORY_CCL},     {"UpdateKVCacheOperation", CATEGORY_DM},
	{"PagedFillCache", CATEGORY_DM},    {"PagedUpdateCache", CATEGORY_DM},
	{"FillCache", CATEGORY_DM},         {"Repeat", CATEGORY_DM},
	{"ReshapeView", CATEGORY_TM},       {"Pad", CATEGORY_TM},
};

static const char *const collectives[] = {"AllGather", "ReduceScatter", "AllReduce", "AllBroadcast",
					  "PointToPoint"};

static bool matches(const char *entry, const char *name, size_t len)
{
	size_t n = strlen(entry);

	if (len < n || memcmp(entry, name, n))
		return false;
	return len == n || (len == n + strlen(SUFFIX) && !memcmp(name + n, SUFFIX, strlen(SUFFIX)));
}

static enum perf_category find(const struct category_name *list, size_t n, const char *name,
			       size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (matches(list[i].name, name, len))
			return list[i].category;
	return CATEGORY_OTHER;
}

static bool is_collective(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(collectives) / sizeof(collectives[0]); i++)
		if (memmem(name, len, collectives[i], strlen(collectives[i])) &&
		    !memmem(name, len, "Matmul", 6))
			return true;
	return false;
}

/* By the first word of what it is called. */
enum perf_category perf_category_of(const struct perf_kind *kind, enum perf_model model)
{
	const char *name = kind->label;
	size_t len = perf_first_word(&name);
	enum perf_category c;

	/* torch's are found by their names, as in other tools. */
	if (kind->family == FAMILY_HOST && !strstr(name, "(torch)"))
		return CATEGORY_HOST;
	if (model == PERF_MODEL_NEXT) {
		if (is_collective(name, len))
			return CATEGORY_CCL;
		c = find(names_next, sizeof(names_next) / sizeof(names_next[0]), name, len);
		if (c != CATEGORY_OTHER)
			return c;
	}
	return find(names, sizeof(names) / sizeof(names[0]), name, len);
}

const char *perf_category_name(enum perf_category category)
{
	static const char *const texts[CATEGORY_COUNT] = {"Compute", "TM",    "DM",
							  "CCL",     "Other", "Host"};

	return texts[category];
}
