/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an op is. An op is one call of an operation by a program: what was called (struct
 * op_program, which calls of the same kind share), when the host called it, and what the device
 * measured of its execution. A row of the ops report, of perf-report, of the viewer's table and of
 * SQL is one struct op; a CSV file is only one way to write a table of them down.
 *
 * Tables come from three sources, with the same content:
 *
 *	op_table_read_csv()	a report that was written before	(op/csv.h)
 *	op_build()		host records and executions, joined	(op/build.h)
 *
 * and the second is fed from a trace (op/trace.h) or from tt-metal's logs (src/ttlog).
 *
 *	struct op_table t = OP_TABLE_INIT;
 *	if ((r = op_table_read_csv(&t, path, false, NULL, NULL, &err)) < 0) ...
 *	for (size_t i = 0; i < t.ops.n; i++) {
 *		const struct op *op = &t.ops.v[i];
 *		const struct op_program *p = op_program_of(&t, op);
 *		use(p->code.text, op->kernel_ns);
 *	}
 *	op_table_free(&t);
 *
 * A table belongs to one thread. Pointers into it are valid until it is changed; texts until it is
 * freed.
 */
#ifndef OP_OP_H
#define OP_OP_H

#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "op/columns.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OP_NONE INT64_MIN /* a whole number that is not known; of a real one that is NaN */

/* Not NUL-terminated in general, and may hold NUL. text NULL: blank. */
struct op_text {
	const char *text;
	size_t len;
};

enum { OP_DIMS = 4, OP_TENSOR_CELLS = 7 }; /* W Z Y X; those, layout, data type, memory */

struct op_tensor {
	struct op_text cells[OP_TENSOR_CELLS];     /* as in the report: "32[30]", "TILE" ... */
	int64_t padded[OP_DIMS], logical[OP_DIMS]; /* W Z Y X; OP_NONE: unreadable */
	struct op_text layout, datatype, memory;   /* the last three cells */
};

enum op_kernel_kind { OP_KERNEL_COMPUTE, OP_KERNEL_DATA_MOVEMENT };

struct op_kernel {
	enum op_kernel_kind kind;
	struct op_text source, hash;
};

/*
 * A cell of a column without a field in struct op or struct op_program, or whose field cannot hold
 * the source's value.
 */
struct op_cell {
	uint32_t column;     /* enum op_column, or OP_COLUMNS + index of op_table.extras */
	uint32_t next;       /* index + 1 in op_table.cells; 0: the last one */
	struct op_text text; /* NULL: number */
	double number;
};

/* The common part of calls of one operation with the same arguments. */
struct op_program {
	struct op_text code, type, attributes, fidelity, parallelization;
	struct op_text compute_source, compute_hash, dm_source, dm_hash, hash; /* Python lists */
	struct op_text input_bws, output_bws;
	struct op_text ideal, compute, bandwidth;  /* the model's figures as written, ... */
	double ideal_ns, compute_ns, bandwidth_ns; /* ... and as numbers */
	uint32_t inputs, input_count, outputs, output_count; /* in op_table.tensors */
	uint32_t cells;                                      /* index + 1 in op_table.cells */
};

enum op_kind {
	OP_ON_DEVICE, /* tt_dnn_device */
	OP_ON_HOST,   /* any other type: fallbacks */
	OP_SIGNPOST,  /* no op: code is its text, attributes its message, host_start its time */
};

enum op_hit { OP_HIT_UNKNOWN, OP_HIT_FALSE, OP_HIT_TRUE };

#define OP_NO_PROGRAM UINT32_MAX

/*
 * The core whose kernels took the longest, in the NoC's coordinates, and its RISC with the longest
 * one. From markers; the report has no column for it.
 */
struct op_slowest {
	double ns, mean; /* the core's kernels, and those of all cores; NaN: unknown */
	int32_t x, y;
	uint8_t risc; /* enum arch_risc */
};

struct op {
	uint32_t program; /* index into op_table.programs, or OP_NO_PROGRAM */
	uint8_t kind;     /* enum op_kind */
	uint8_t hit;      /* enum op_hit: of the program cache */
	bool unreliable;  /* a kernel has overwritten its records */
	uint32_t cells;   /* index + 1 in op_table.cells */
	struct op_text arch;
	int64_t id; /* global call count: the op's number << 10 | device */
	int64_t device, sub_device;
	int64_t trace, session; /* of a replay: the trace, and the number of the replay, from 1 */
	int64_t core_count, available_cores;
	int64_t host_start, host_end, host_duration; /* ns of the host's clock */
	int64_t fw_start, fw_end;                    /* cycles of the device */
	/* Nanoseconds on the device's clock; columns.c defines each. */
	double latency, latency_dm, quasar_latency_dm, quasar_latency_trisc;
	double fw, quasar_dm_fw, quasar_trisc_fw;
	double kernel, kernel_dm, core_min, core_max, core_avg, first_to_last;
	double brisc, quasar_dm, quasar_trisc, ncrisc, trisc0, trisc1, trisc2, erisc;
	double cb_wait, cb_reserve, dispatch_cmd, dispatch_go;
	struct op_slowest slowest;
	/* Percent */
	double pm_fpu, noc_util, noc_multicast, dram_util, dram_ctrl, eth_util, npe_congestion;
};

/* An op of which nothing is known. */
struct op op_unknown(void);

/* In the order of the report. */
enum op_extra_kind {
	OP_EXTRA_SIZE, /* of a kernel, in bytes; it belongs to the program */
	OP_EXTRA_COUNTER,
	OP_EXTRA_HOST_FUNCTION, /* ns within the op */
	OP_EXTRA_OTHER,
	OP_EXTRA_KINDS,
};

/* A column that only some tables have: kernel sizes, counters, host functions. */
struct op_extra {
	struct op_text name; /* as in the report's header */
	enum op_extra_kind kind;
};

struct op_strings;

struct op_table {
	struct {
		VEC(struct op);
	} ops; /* in the order of the report */
	struct {
		VEC(struct op_program);
	} programs;
	struct {
		VEC(struct op_tensor);
	} tensors;
	struct {
		VEC(struct op_cell);
	} cells;
	struct {
		VEC(struct op_extra);
	} extras;                   /* in the order of the report */
	bool quasar;                /* its columns are Quasar's */
	bool unreliable;            /* some op is */
	bool shown[OP_COLUMNS];     /* the source has this column */
	struct op_strings *strings; /* private */
};

#define OP_TABLE_INIT           \
	{                       \
		.quasar = false \
	}

void op_table_free(struct op_table *t);

static inline const struct op_program *op_program_of(const struct op_table *t, const struct op *op)
{
	return op->program == OP_NO_PROGRAM ? NULL : &t->programs.v[op->program];
}

/* Input or output I of the op's program; NULL if it has fewer. */
const struct op_tensor *op_input(const struct op_table *t, const struct op *op, uint32_t i);
const struct op_tensor *op_output(const struct op_table *t, const struct op *op, uint32_t i);

/* Walks the kernels of a program. *AT is 0 at first. False: there are no more. */
bool op_kernel_next(const struct op_program *p, uint32_t *at, struct op_kernel *kernel);

/* ---- cells: any column of an op, fixed or extra ---- */

/* One column of the report: those that the table shows, in the order of the file. */
struct op_field {
	enum op_field_source {
		OP_FIELD_FIXED, /* index: enum op_column */
		OP_FIELD_INPUT, /* index: tensor * OP_TENSOR_CELLS + cell */
		OP_FIELD_OUTPUT,
		OP_FIELD_EXTRA, /* index: of op_table.extras */
		OP_FIELD_UNRELIABLE,
	} source;
	uint32_t index;
};

struct op_fields {
	VEC(struct op_field);
};

/* Appends all columns of the table to FIELDS: 0 or TACHO_ENOMEM. */
int op_table_fields(const struct op_table *t, struct op_fields *fields);

extern const char *const op_tensor_names[OP_TENSOR_CELLS]; /* "W_PAD[LOGICAL]" ... */

/* The title of a column, appended to OUT. */
struct buf;
void op_field_name(const struct op_table *t, struct op_field field, struct buf *out);

struct op_value {
	enum op_type type; /* OP_BLANK: no value */
	int64_t integer;
	double real;
	struct op_text text;
};

/* The value of a column: typed, or a text if the source's value is not of that type. */
struct op_value op_value(const struct op_table *t, const struct op *op, struct op_field field);

/* A fixed column as a number; NaN: blank, or none. */
double op_number(const struct op_table *t, const struct op *op, enum op_column column);

/* True if the field of OP has a value. False for columns that belong to the program. */
bool op_field_set(const struct op *op, enum op_column column);

/* The same as the report writes it, appended to OUT without quotes. */
void op_field_text(const struct op_table *t, const struct op *op, struct op_field field,
		   struct buf *out);

/* ---- making a table ---- */

/* A copy that lives as long as the table; equal texts share one pointer. text NULL: no memory. */
struct op_text op_table_text(struct op_table *t, const char *text, size_t len);

/* Adds a cell to the list whose head is *CELLS. */
int op_table_add_cell(struct op_table *t, uint32_t *cells, uint32_t column, struct op_text text);

int op_table_add_number(struct op_table *t, uint32_t *cells, uint32_t column, double number);

/* The index of an extra column in extras, added if new; or an error. */
int64_t op_table_extra(struct op_table *t, enum op_extra_kind kind, const char *name, size_t len);

/*
 * Reads TEXT into the field of COLUMN; a value that the field cannot hold becomes a cell. EXACT: so
 * does a text that would be written differently. 0, 1: the text does not fit the column, or an
 * error.
 */
int op_set_text(struct op_table *t, struct op *op, enum op_column column, struct op_text text,
		bool exact);
void op_set_real(struct op *op, enum op_column column, double value);
int op_program_set_text(struct op_table *t, struct op_program *p, enum op_column column,
			struct op_text text);

/*
 * Copies a column from op FROM, whose cells are in the same table, unless TO or its program has it.
 */
int op_take_column(struct op_table *t, struct op *to, const struct op *from, enum op_column column);

/* Fills the numbers of a tensor from its cells. */
void op_tensor_read(struct op_tensor *tensor);

/* The cell of COLUMN in a list, or NULL. */
const struct op_cell *op_cell_find(const struct op_table *t, uint32_t cells, uint32_t column);

#endif
