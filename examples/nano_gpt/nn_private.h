/* SPDX-License-Identifier: Apache-2.0 */
/* Private to nn.c and nn_ops.c: a call of an op, and the program that runs it. */
#ifndef NN_PRIVATE_H
#define NN_PRIVATE_H

#include "nn.h"

#define NN_TENSORS    8
#define NN_WORDS      10
#define NN_CBS        16
#define NN_ATTRIBUTES 10

struct nn_cb {
	unsigned index;
	uint32_t pages;
	enum tacho_format format;
};

struct nn_attribute {
	const char *name;
	char value[120];
};

struct nn_call {
	const char *name;    /* the op code in reports */
	const char *variant; /* tells apart programs of equal name and shapes; may be NULL */
	/* Files of firmware/ops; COMPUTE may be NULL. A file for both ends is built with READ for
	 * the reader. */
	const char *reader, *writer, *compute;
	const char *define; /* for all of them; may be NULL */
	const struct nn_tensor *in[NN_TENSORS], *out[3];
	unsigned inputs, outputs;
	/* Words of the op; not all 0: those of one kernel instead. */
	uint32_t words[NN_WORDS], writer_words[NN_WORDS], compute_words[NN_WORDS];
	uint32_t units;
	bool tiles; /* units are single tiles: a core gets several */
	enum tacho_fidelity fidelity;
	struct nn_cb cbs[NN_CBS];
	uint64_t cycles;     /* of the engine, for one unit */
	double ideal_cycles; /* of the op, instead; 0: by cycles and units */
	struct nn_attribute attributes[NN_ATTRIBUTES];
	bool changing; /* attributes change from call to call */
};

struct nn_program {
	char *key;
	struct tacho_program *program;
	struct tacho_core_range ranges[2];
	unsigned range_count, cores;
	int kernels[3]; /* reader, writer, compute; -1: none */
};

void nn_run(struct nn *nn, const struct nn_call *c);
/* Cores for so many tiles. */
uint32_t nn_cores(const struct nn *nn, uint32_t tiles);
/* Rows and columns of tiles, over all batches and heads; pages. */
uint32_t nn_rows(const struct nn_tensor *t);
uint32_t nn_columns(const struct nn_tensor *t);
uint32_t nn_pages(const struct nn_tensor *t);
uint32_t nn_page_size(const struct nn_tensor *t);

#endif
