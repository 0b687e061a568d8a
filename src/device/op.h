/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ops for the recording. op_info.c copies the caller's description and that of the program's
 * kernels; op_text.c formats it; op.c decides when to send it.
 *
 * Each call is a record: the first with a given hash on a device has the whole description, later
 * ones refer to it by the hash, and a new recording starts over.
 */
#ifndef DEVICE_OP_H
#define DEVICE_OP_H

#include "base/buf.h"
#include "base/vec.h"

#include <tacho/device.h>

#include <stdbool.h>

/* A copy of the caller's description. Attributes are sorted by name, each name once. */
struct op_info {
	char *name, *type, *fidelity; /* NULL: not given */
	struct {
		VEC(struct tacho_attribute);
	} attributes;
	struct {
		VEC(struct tacho_tensor);
	} inputs, outputs;
	struct {
		VEC(double);
	} input_bws, output_bws;
	uint64_t ideal_ns, compute_ns, bandwidth_ns;
};

/* Classes of kernels whose largest sizes are reported, in text order. */
enum op_size {
	OP_SIZE_ETH_0,
	OP_SIZE_ETH_1,
	OP_SIZE_IDLE_ETH_0,
	OP_SIZE_IDLE_ETH_1,
	OP_SIZE_TRISC_0,
	OP_SIZE_TRISC_1,
	OP_SIZE_TRISC_2,
	OP_SIZE_BRISC,
	OP_SIZE_NCRISC,
	OP_SIZES
};

struct op_source {
	char *source;
	uint64_t key; /* of its binary */
	bool compute;
	enum tacho_fidelity fidelity;
};

/* The kernels of a program, or of the programs of a group. */
struct op_kernels {
	VEC(struct op_source);
	uint32_t sizes[OP_SIZES];
};

/* The description of an op: what does not differ from call to call. */
struct op_form {
	const struct op_info *info; /* NULL: not given */
	const struct op_kernels *kernels;
};

/* A call as it is recorded. */
struct op_record {
	uint64_t id, hash;
	unsigned device; /* TRACE_NONE: the host */
	bool hit;        /* the device has run such an op before */
	struct buf text; /* the op's name, and after a zero byte the description if it is there */
};

/* The op of a program. */
struct program_op {
	struct op_info *info; /* NULL: not given */
	struct op_kernels kernels;
	uint64_t hash;   /* 0: not yet computed */
	uint32_t number; /* of all its runs; 0: a new one for each */
	bool hidden;     /* not an op */
	bool ran;        /* under this name: its kernels are compiled, whatever its attributes */
};

/* One op of several programs, on one device or on several. */
struct op_group;

/* ---- op_info.c ---- */
int op_info_copy(struct op_info **out, const struct tacho_op *op);
void op_info_free(struct op_info *info);
void op_kernels_free(struct op_kernels *k);
/* Replaces OUT with the kernels of a compiled program. */
int op_kernels_of(struct op_kernels *out, const struct tacho_program *p);
/* Adds the kernels of FROM that are not there yet. */
int op_kernels_add(struct op_kernels *k, const struct op_kernels *from);

/* ---- op_text.c ---- */
/* Appends the op's name to OUT: the caller's, else that of a kernel's file. */
void op_text_name(struct buf *out, const struct op_form *form);
uint64_t op_text_hash(const struct op_form *form);
/* The op's name and, if WHOLE, a zero byte and the description. */
void op_text(struct buf *out, const struct op_form *form, unsigned device, bool whole);

/* ---- op.c ---- */
/* True: it stays in the trace. */
bool op_record_send(const struct op_record *record);

#endif
