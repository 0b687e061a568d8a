/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensors on a device, and ops on them: the library of nano_gpt and of the Python package ttnn. An
 * op is one program with the kernels of firmware/ops, which take shapes as run-time arguments, and
 * a row of the ops report. Programs are cached by op, shapes and formats.
 *
 * A tensor is [batch, heads, rows, columns] in pages, interleaved over the banks of its memory or
 * in shards. In layout TACHO_TILE a page is a tile of 32 x 32, and each matrix is padded to whole
 * tiles; what is outside the shape is undefined, and ops ignore it. In TACHO_ROW_MAJOR a page is a
 * row.
 *
 * Functions return 0 or a negative value; nn_error() has the reason. Ops wait for
 * nothing: results are there after nn_finish() or when a tensor is read.
 */
#ifndef NN_NN_H
#define NN_NN_H

#include <tacho/device.h>

#include <stdbool.h>
#include <stdint.h>

#define NN_TENSORS 8 /* inputs and outputs of an op */
#define NN_OUTPUTS 3
#define NN_DIMS    8
#define NN_BANKS   160

/*
 * Where the shards of a tensor are: its pages, as a matrix of all rows of pages, cut into shards of
 * ROWS x COLUMNS pages; shard i is in L1 of banks[i], row by row.
 */
struct nn_shards {
	enum tacho_sharding sharding; /* in reports */
	uint32_t rows, columns, bank_count;
	struct tacho_core banks[NN_BANKS];
};

struct nn_tensor {
	struct tacho_buffer *buffer;
	uint32_t shape[4];
	enum tacho_format format;
	enum tacho_memory memory;
	enum tacho_layout layout;
	const struct nn_shards *shards; /* in L1; NULL: interleaved. Must outlive the tensor. */
};

struct nn {
	struct tacho_device *device;
	struct tacho_device_info info;
	bool l1;        /* nn_tensor_new(): in L1 */
	uint32_t share; /* tiles that a core gets at least; 0 counts as 1 */
	/* Each op gets a program of its own: a trace that is captured keeps its programs. */
	bool capturing;
	/* The next op is one of all these devices; the caller ends it. */
	struct tacho_device *const *group;
	unsigned group_count;
	/* Called with the reason when anything fails; may be NULL. */
	void (*failed)(const char *reason);
	struct nn_program **programs;
	unsigned program_count, entries; /* entries: without those of traces */
	uint64_t ops;
	uint64_t bytes; /* of all tensors of nn_tensor_new() */
};

/* Opens a device of architecture ARCH (NULL: the environment's). NN starts as zeros; nn_close()
 * ends it. */
int nn_open(struct nn *nn, const char *arch);
void nn_close(struct nn *nn);
/* Waits for all ops. */
int nn_finish(struct nn *nn);
/* Why the last call of this thread failed. */
const char *nn_error(void);
/* Frees all programs; none may be in a trace. */
void nn_programs_free(struct nn *nn);

/* ---- tensors ---- */
/* In tiles, ids (TACHO_UINT32) in rows. */
int nn_tensor_new(struct nn *nn, struct nn_tensor *t, uint32_t batch, uint32_t heads, uint32_t rows,
		  uint32_t columns, enum tacho_format format);
/* As T says, all but its buffer. */
int nn_tensor_make(struct nn *nn, struct nn_tensor *t);
void nn_tensor_free(struct nn_tensor *t);
uint64_t nn_volume(const struct nn_tensor *t);
/* Rows and columns of tiles, rows over all batches and heads; all pages; bytes of a page. */
uint32_t nn_rows(const struct nn_tensor *t);
uint32_t nn_columns(const struct nn_tensor *t);
uint32_t nn_pages(const struct nn_tensor *t);
uint32_t nn_page_columns(const struct nn_tensor *t); /* pages of a row of pages */
uint32_t nn_page_size(const struct nn_tensor *t);
/* Values in row order, of float formats. */
int nn_write(struct nn *nn, struct nn_tensor *t, const float *values);
int nn_read(struct nn *nn, const struct nn_tensor *t, float *values);
/*
 * Values in row order, four bytes each: floats, or integers for integer formats. PAD: the bits of
 * what padding gets.
 */
int nn_write_cells(struct nn *nn, struct nn_tensor *t, const uint32_t *values, uint32_t pad);
int nn_read_cells(struct nn *nn, const struct nn_tensor *t, uint32_t *values);
/* Rounds values as a tensor of the shape and format of T would. NN needs no device. */
int nn_round(struct nn *nn, const struct nn_tensor *t, uint32_t *values);

/* ---- ops ---- */
/* Settings of all ops. */
struct nn_job {
	const char *name; /* the op code in reports */
	uint32_t inputs, outputs;
	struct nn_tensor in[NN_TENSORS], out[NN_OUTPUTS];
	const char *const *attributes;    /* name, value, name, value ... */
	uint32_t attribute_count;         /* of both: names and values */
	uint32_t fidelity;                /* enum tacho_fidelity */
	uint32_t grid_columns, grid_rows; /* cores it may use; 0: all */
};

/* An instruction of the vector unit, with the bits of its parameters. */
struct nn_step {
	uint32_t word, parameters[3];
};
/* The steps by the names of tacho_engine.h; tiles are numbers of dst. Negative: unknown. */
int nn_step_unary(struct nn_step *step, const char *name, unsigned tile);
int nn_step_binary(struct nn_step *step, const char *name, unsigned a, unsigned b, unsigned out);
int nn_step_ternary(struct nn_step *step, const char *name, unsigned a, unsigned b, unsigned c,
		    unsigned out);

#define NN_STEPS 16
enum nn_math { NN_MATH_NONE, NN_MATH_ADD, NN_MATH_SUB, NN_MATH_MUL };

/*
 * Tile by tile: up to three inputs go to tiles 0, 1, 2 of dst, or with MATH the sum, difference or
 * product of two inputs to tile 0; then the steps; the result is tile 0. Dimensions of 1 are
 * repeated.
 */
struct nn_eltwise {
	uint32_t math;      /* enum nn_math; the first input must not be repeated within tiles */
	uint32_t transpose; /* a bit for each input: its tiles are transposed, and the grid of tiles
			     */
	uint32_t step_count;
	struct nn_step steps[NN_STEPS];
};
int nn_eltwise(struct nn *nn, const struct nn_job *job, const struct nn_eltwise *how);

/*
 * a b, each transposed if asked; the third input is a bias, a row. The batches of A and B agree, or
 * one has a single matrix. The steps are applied to tile 0.
 */
#define NN_PRODUCT_STEPS 3
struct nn_product {
	uint32_t transpose_a, transpose_b;
	uint32_t per_core_rows, per_core_columns, inner; /* tiles of a block; 0: chosen */
	uint32_t step_count;
	struct nn_step steps[NN_PRODUCT_STEPS];
};
int nn_product(struct nn *nn, const struct nn_job *job, const struct nn_product *how);

/*
 * Moves values. The output in row order is seen as DIMS dimensions; value idx is that of input i at
 * base + sum of idx * stride, in its row order, for the first i for which all idx are in [low,
 * high), else FILL. FORMS are further conditions on all inputs: 0 <= idx[a] * by_a + idx[b] * by_b
 * + offset < limit. PAGES: the same with whole pages in place of values.
 */
struct nn_source {
	int32_t base, strides[NN_DIMS];
	uint32_t low[NN_DIMS], high[NN_DIMS];
};
struct nn_form {
	uint32_t a, b;
	int32_t by_a, by_b, offset, limit;
};
struct nn_gather {
	uint32_t pages;
	uint32_t dims, extents[NN_DIMS];
	uint32_t fill; /* bits, in the format of the output */
	uint32_t form_count;
	struct nn_form forms[2];
	/* Of pages, where they go: page base + sum of idx * stride of the output; 0: in order. */
	uint32_t placed;
	struct nn_source place;
	struct nn_source sources[NN_TENSORS - 1];
};
int nn_gather(struct nn *nn, const struct nn_job *job, const struct nn_gather *how);

/*
 * Reduces a dimension: columns (3) or rows (2) of all matrices, or, of tiles, batch or heads (1,
 * 0); all others stay.
 */
enum nn_reduction { NN_REDUCE_SUM, NN_REDUCE_MAX, NN_REDUCE_MIN };
struct nn_reduce {
	uint32_t kind, dim;
	float scale; /* of a sum */
};
int nn_reduce(struct nn *nn, const struct nn_job *job, const struct nn_reduce *how);

/*
 * Sums or products of all tiles up to each, along batch or heads (0, 1); REVERSE: from the last on.
 */
struct nn_accumulate {
	uint32_t dim, reverse;
	struct nn_step step; /* on tiles 0 and 1, to tile 0 */
};
int nn_accumulate(struct nn *nn, const struct nn_job *job, const struct nn_accumulate *how);

/*
 * Softmax of each row of scale * x + mask; the second input is the mask, with rows or a single one,
 * and any of the batches and heads.
 */
struct nn_softmax {
	float scale;
	uint32_t causal;
};
int nn_softmax(struct nn *nn, const struct nn_job *job, const struct nn_softmax *how);

/*
 * Norm of each row; inputs: x, then the residual, which is added first, gamma and beta, as the
 * flags say. Outputs: y; with NN_NORM_STATS also mean and 1 / deviation as columns of float32.
 * Gamma and beta: a row of tiles, or in rows of 32.
 */
enum {
	NN_NORM_RMS = 1,
	NN_NORM_RESIDUAL = 2,
	NN_NORM_GAMMA = 4,
	NN_NORM_BETA = 8,
	NN_NORM_STATS = 16
};
struct nn_norm {
	uint32_t flags;
	float epsilon;
};
int nn_norm(struct nn *nn, const struct nn_job *job, const struct nn_norm *how);

/*
 * Rows of a table (second input) by ids (first, in rows); the table is in rows or tiles, in tiles
 * only with ids in rows of 32.
 */
int nn_embedding(struct nn *nn, const struct nn_job *job);

/*
 * [batch, 1, rows, heads * width] to 1 to 3 outputs [batch, heads[i], rows, width]; those of a
 * second input come from it. TRANSPOSE: a bit for each output.
 */
struct nn_heads {
	uint32_t heads[NN_OUTPUTS], transpose;
};
int nn_heads_split(struct nn *nn, const struct nn_job *job, const struct nn_heads *how);
/* The reverse, of any number of inputs. */
int nn_heads_merge(struct nn *nn, const struct nn_job *job);

/*
 * Attention: softmax(scale * q k^T + mask) v. Inputs q, k, v and, if MASKED, a mask. q [batch,
 * heads, rows, width], k and v [batch, heads / n, keys, width]. DECODE, bit 0: q is [1, batch,
 * heads, width] with one query for each head, and uses the keys 0 to positions[batch]. Bit 1: the
 * positions are in the fourth input, a row. Bit 2: k and v are blocks [blocks, heads / n, keys,
 * width], and the last input has a row of blocks for each batch.
 */
#define NN_USERS 32
struct nn_attention {
	float scale;
	uint32_t causal, masked, decode;
	uint32_t positions[NN_USERS];
};
int nn_attention(struct nn *nn, const struct nn_job *job, const struct nn_attention *how);

/*
 * Writes a row of each matrix of a cache [batch, heads, rows, width]: of the input [1, heads,
 * batch, width], or, USERS_FIRST, [1, batch, heads, width]. To row positions[batch]; a second input
 * are the positions, in a row; with a third one the cache is [blocks, heads, rows, width], and row
 * i of that input has the blocks of batch i. The cache is the output.
 */
struct nn_cache {
	uint32_t users_first, first, positions[NN_USERS];
};
int nn_cache_update(struct nn *nn, const struct nn_job *job, const struct nn_cache *how);

/*
 * Writes a matrix for each head, [1, heads, rows, width], to the blocks that row BATCH of the
 * second input names. The cache, [blocks, heads, rows, width], is the output.
 */
struct nn_blocks {
	uint32_t batch;
};
int nn_blocks_fill(struct nn *nn, const struct nn_job *job, const struct nn_blocks *how);

/*
 * The COUNT largest of each row (smallest: LARGEST 0), sorted: values and, as the last output,
 * their columns, uint32; all in rows. Without values: one output.
 */
struct nn_top {
	uint32_t count, largest;
};
int nn_top(struct nn *nn, const struct nn_job *job, const struct nn_top *how);

/* Values of each row of the first input by the columns in the second; all in rows. */
int nn_pick(struct nn *nn, const struct nn_job *job);

/* Uniform values; integers with INTEGER. */
struct nn_random {
	float low, high;
	uint32_t seed;
};
int nn_random(struct nn *nn, const struct nn_job *job, const struct nn_random *how);

#endif
