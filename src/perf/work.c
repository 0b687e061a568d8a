/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The minimum work of an op, by its tensors: bytes over the DRAM, and operations of its matrix
 * products. First the formulas of release 1.2.4, then those of our own model.
 */
#include "perf/report.h"

#include <math.h>
#include <string.h>

/* The product of sizes, exact up to 127 bits. */
static double sizes_product(const int64_t *factors, int n)
{
	__int128 exact = 1;
	double rough = 1;
	bool fits = true;

	for (int i = 0; i < n; i++) {
		fits = fits && !__builtin_mul_overflow(exact, (__int128)factors[i], &exact);
		rough *= (double)factors[i];
	}
	return fits ? (double)exact : rough;
}

static bool sizes_known(const int64_t *sizes, int n)
{
	for (int i = 0; i < n; i++)
		if (sizes[i] == PERF_NO_NUMBER)
			return false;
	return true;
}

/* Bytes of an element: the first number in the type's name is its bits; 4 bytes if it has none. */
static double plain_size(const char *type)
{
	long bits = 0;

	type += strcspn(type, "0123456789");
	if (!*type)
		return 4;
	for (; *type >= '0' && *type <= '9' && bits < 1000000; type++)
		bits = bits * 10 + (*type - '0');
	return (double)bits / 8;
}

/* Bytes from and to DRAM; NaN if a tensor's memory, type or shape is unknown. */
double perf_dram_bytes(const struct perf_kind *k)
{
	double bytes = 0;

	for (int t = 0; t < TENSORS; t++) {
		const int64_t sizes[] = {k->dim[t][DIM_W], k->dim[t][DIM_Y], k->dim[t][DIM_Z],
					 k->dim[t][DIM_X]};

		if (!k->memory[t])
			return NAN;
		if (!perf_in_dram(k, t))
			continue;
		if (!k->datatype[t] || !sizes_known(sizes, 4))
			return NAN;
		bytes += sizes_product(sizes, 4) * plain_size(k->datatype[t]);
	}
	return bytes;
}

/* Multiplications and additions of a matmul; NaN if a size is unknown. */
double perf_matmul_operations(const struct perf_kind *k)
{
	const int64_t(*d)[DIMS] = k->dim;
	const int64_t needed[] = {d[IN0][DIM_Y], d[IN0][DIM_X], d[IN1][DIM_X], d[IN0][DIM_W],
				  d[IN1][DIM_W], d[IN0][DIM_Z], d[IN1][DIM_Z]};
	const int64_t factors[] = {needed[0],
				   needed[1],
				   needed[2],
				   perf_larger(needed[3], needed[4]),
				   perf_larger(needed[5], needed[6]),
				   2};

	return sizes_known(needed, 7) ? sizes_product(factors, 6) : NAN;
}

double perf_conv_operations(const struct perf_kind *k)
{
	const int64_t factors[] = {k->dim[OUT][DIM_Y], k->dim[IN0][DIM_X], k->window_h,
				   k->window_w,        k->dim[IN1][DIM_X], 2};

	return sizes_known(factors, 6) ? sizes_product(factors, 6) : NAN;
}

struct perf_sparsity perf_sparsity_of(const struct perf_kind *k, int64_t experts)
{
	int64_t a = perf_times(k->dim[IN0][DIM_W], k->dim[IN0][DIM_Z]),
		b = perf_times(k->dim[IN1][DIM_W], k->dim[IN1][DIM_Z]), groups, active;
	struct perf_sparsity s = {1, -1};

	if (a < 1 || b < 1)
		return s;
	if (k->a_sparse && k->b_sparse) {
		groups = 1;
		s.dense = b;
	} else if (k->a_sparse) {
		groups = perf_larger(1, a / b);
		s.dense = perf_times(groups, b);
	} else {
		groups = a;
		s.dense = k->b_sparse ? perf_times(a, b) : perf_larger(a, b);
	}
	active = k->nnz != PERF_NO_NUMBER ? k->nnz : experts ? perf_times(experts, groups) : -1;
	s.active = perf_larger(active, -1);
	return s;
}

/* Only the active batches are read, multiplied and written. */
void perf_sparse_work(const struct perf_kind *k, int64_t experts, double *bytes, double *operations)
{
	struct perf_sparsity s = perf_sparsity_of(k, experts);
	int64_t m = k->dim[IN0][DIM_Y], inner = k->dim[IN0][DIM_X], n = k->dim[IN1][DIM_X];
	const int64_t sizes[TENSORS][2] = {{m, inner}, {inner, n}, {m, n}};
	const int64_t factors[] = {m, inner, n, s.active, 2};

	*bytes = *operations = NAN;
	if (s.active < 0 || !sizes_known(factors, 3))
		return;
	*operations = sizes_product(factors, 5);
	*bytes = 0;
	for (int t = 0; t < TENSORS; t++)
		if (perf_in_dram(k, t) && k->datatype[t])
			*bytes += sizes_product(sizes[t], 2) * plain_size(k->datatype[t]) *
				  (double)s.active;
}

/* Ops that do not read all of their tensors. The first part of a name that matches counts. */
enum reach {
	REACH_ALL,
	REACH_OUTPUT,  /* reads as much of its inputs as it writes */
	REACH_ROWS,    /* input 0 are indices, input 1 a table, read as much as is written */
	REACH_UPDATE,  /* input 1 is written into input 0 */
	REACH_UNKNOWN, /* depends on values that are not in the report */
};

static const struct {
	const char *part;
	enum reach reach;
} reaches[] = {
	{"Embeddings", REACH_ROWS},
	{"SdpaDecode", REACH_UNKNOWN},
	{"AttentionDecode", REACH_UNKNOWN},
	{"FlashMLA", REACH_UNKNOWN},
	{"AttentionGQADecode", REACH_UNKNOWN},
	{"Paged", REACH_UNKNOWN},
	{"SparseMatmul", REACH_UNKNOWN},
	{"Moe", REACH_UNKNOWN},
	{"MoE", REACH_UNKNOWN},
	{"Expert", REACH_UNKNOWN},
	{"UpdateCache", REACH_UPDATE},
	{"UpdateKVCache", REACH_UPDATE},
	{"FillCache", REACH_UPDATE},
	{"SliceWrite", REACH_UPDATE},
	{"Slice", REACH_OUTPUT},
	{"Split", REACH_ALL},
	{"Gather", REACH_OUTPUT},
	{"IndexedFill", REACH_OUTPUT},
	{"GridSample", REACH_OUTPUT},
	{"Halo", REACH_OUTPUT},
	{"Fold", REACH_ALL},
};

static enum reach op_reach(const struct perf_kind *k)
{
	if (k->collective)
		return REACH_ALL;
	for (size_t i = 0; i < sizeof(reaches) / sizeof(reaches[0]); i++)
		if (strstr(k->op_code, reaches[i].part))
			return reaches[i].reach;
	return REACH_ALL;
}

/* Block floats share an exponent of a byte among 16 elements. */
static double perf_element_size(const char *type)
{
	long bits = 0;
	bool block = strstr(type, "_B") && !strncmp(type, "BFLOAT", 6);

	type += strcspn(type, "0123456789");
	if (!*type)
		return 4;
	for (; *type >= '0' && *type <= '9' && bits < 1000000; type++)
		bits = bits * 10 + (*type - '0');
	return (double)bits / 8 + (block ? 1.0 / 16 : 0);
}

double perf_tensor_bytes(const int64_t dims[DIMS], const char *type)
{
	double n = 1;

	for (int i = 0; i < DIMS; i++) {
		if (dims[i] == PERF_NO_NUMBER || dims[i] < 0)
			return NAN;
		n *= (double)dims[i];
	}
	return type ? n * perf_element_size(type) : NAN;
}

/* Bytes of a tensor in DRAM: 0 if it is elsewhere or absent. */
static double dram_part(const struct perf_kind *k, enum perf_tensor t)
{
	if (!perf_in_dram(k, t))
		return 0;
	return perf_tensor_bytes(k->dim[t], k->datatype[t]);
}

static double work_smaller(double a, double b)
{
	return isnan(a) || isnan(b) ? NAN : fmin(a, b);
}

static double kind_traffic(const struct perf_kind *k)
{
	double in0 = dram_part(k, IN0), in1 = dram_part(k, IN1), out = dram_part(k, OUT);
	double written = perf_tensor_bytes(k->dim[OUT], k->datatype[OUT]);
	double added = perf_tensor_bytes(k->dim[IN1], k->datatype[IN1]);

	if (!k->memory[IN0] && !k->memory[OUT])
		return NAN;
	switch (op_reach(k)) {
	case REACH_OUTPUT:
		return work_smaller(in0, written) + work_smaller(in1, written) + out;
	case REACH_ROWS:
		return in0 + (in1 > 0 ? written : in1) + out;
	case REACH_UPDATE:
		return in1 + (in0 > 0 ? added : in0);
	case REACH_UNKNOWN:
		return NAN;
	default:
		return in0 + in1 + out + k->more_bytes;
	}
}

static double dims_volume(const int64_t dims[DIMS])
{
	double n = 1;

	for (int i = 0; i < DIMS; i++) {
		if (dims[i] == PERF_NO_NUMBER)
			return NAN;
		n *= (double)dims[i];
	}
	return n;
}

/*
 * Attention multiplies each query with each key and the result with each value, half of them if it
 * is causal. NaN: not such an op.
 */
static double attention_operations(const struct perf_kind *k)
{
	const int64_t *q = k->dim[IN0], *key = k->dim[IN1];
	double work;

	if (k->attention == ATTENTION_NONE || key[DIM_Y] == PERF_NO_NUMBER)
		return NAN;
	work = 4 * dims_volume(q) * (double)key[DIM_Y];
	return k->attention == ATTENTION_CAUSAL ? work / 2 : work;
}

void perf_work_set(struct perf_kind *k)
{
	bool placed = k->memory[IN0] && k->memory[IN1] && k->memory[OUT];
	int64_t inner = k->dim[IN0][k->transpose_a ? DIM_Y : DIM_X];

	k->bytes = k->family == FAMILY_MATMUL && !placed ? NAN : kind_traffic(k);
	if (k->family == FAMILY_CONV) {
		const int64_t factors[] = {k->dim[OUT][DIM_Y], k->dim[IN1][DIM_Y],
					   k->dim[IN1][DIM_X], 2};

		/* Without a window, the rows of the weights are input channels x window. */
		k->operations = perf_conv_operations(k);
		if (isnan(k->operations) && sizes_known(factors, 4))
			k->operations = sizes_product(factors, 4);
	} else if (k->family != FAMILY_MATMUL)
		k->operations = attention_operations(k);
	else if (!k->transpose_a && !k->transpose_b)
		k->operations = perf_matmul_operations(k);
	else if (inner == PERF_NO_NUMBER)
		k->operations = NAN;
	else /* each element of the output is a sum over the inner size */
		k->operations = 2 * dims_volume(k->dim[OUT]) * (double)inner;
}
