/* SPDX-License-Identifier: Apache-2.0 */
/* For authors of ops: a call of an op, as the kernels of firmware/ops need it. */
#ifndef NN_CALL_H
#define NN_CALL_H

#include "nn/nn.h"

#define NN_WORDS      256
#define NN_OWN_WORDS  24
#define NN_CBS        16
#define NN_ATTRIBUTES 16

/* Circular buffers of constants, results and intermediates (firmware/ops/ops.h). */
enum { CB_SCALER = 5, CB_MASK = 6, CB_HOT = 7, CB_OUT = 16, CB_TEMP = 24 };

struct nn_cb {
	unsigned index;
	uint32_t pages;
	enum tacho_format format;
	uint32_t bytes; /* of a page; 0: a tile, of uint32: 32 values */
};

struct nn_attribute {
	const char *name;
	char value[200];
};

struct nn_call {
	const char *name;    /* the op code in reports */
	const char *variant; /* distinguishes programs of equal name and shapes; may be NULL */
	/* Files of firmware/ops; COMPUTE may be NULL. A file for both ends is built with READ for
	 * the reader. */
	const char *reader, *writer, *compute;
	const char *define; /* for all of them; may be NULL */
	const struct nn_tensor *in[NN_TENSORS], *out[NN_OUTPUTS];
	unsigned inputs, outputs;
	/* Words of the op; not all 0: those of one kernel instead. */
	uint32_t word_count, words[NN_WORDS];
	uint32_t writer_words[NN_OWN_WORDS], compute_words[NN_OWN_WORDS];
	uint32_t units;
	bool tiles; /* units are single tiles: a core gets several */
	enum tacho_fidelity fidelity;
	uint32_t grid_columns, grid_rows;
	struct nn_cb cbs[NN_CBS];
	uint64_t cycles;     /* of the engine, for one unit */
	double ideal_cycles; /* of the op, instead; 0: by cycles and units */
	struct nn_attribute attributes[NN_ATTRIBUTES];
};

int nn_run(struct nn *nn, const struct nn_call *c);
/* Sets the error text; returns a negative value. */
int nn_fail(struct nn *nn, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Calls nn->failed if RESULT is negative; returns RESULT. */
int nn_result(struct nn *nn, int result);
/* Cores for so many tiles. */
uint32_t nn_cores(const struct nn *nn, uint32_t tiles);

/* A call with the tensors, attributes and cores of JOB, which must outlive it. */
void nn_call_begin(struct nn_call *c, const struct nn_job *job);
void nn_attribute_add(struct nn_call *c, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void nn_attribute_memory(struct nn_call *c, const char *name, const struct nn_tensor *t);
const char *nn_dtype_name(const struct nn_tensor *t);

uint32_t nn_float_bits(float value);
/* Bytes of a value, of block formats 0; of a tile. */
uint32_t nn_value_size(enum tacho_format format);
uint32_t nn_tile_size(enum tacho_format format);
/* Cycles of an operation of the tile engine. */
unsigned nn_cycles(const char *op);
/* How kernels clear values of a tile: bytes of a value << 16 | bytes before the first. */
uint32_t nn_clear_code(enum tacho_format format);

#endif
