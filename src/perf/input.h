/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The input: one or more CSV files of ops, one op per row. A row has a few numbers of its own and a
 * "kind": everything that ops of the same call have in common (name, shapes, data types, memories,
 * attributes). A trace repeats few kinds many times, so a kind is parsed and stored once, and a row
 * is small whatever the file's width.
 *
 * A cell that cannot be read blanks the figures that need it and is counted per column; it never
 * ends the report.
 */
#ifndef PERF_INPUT_H
#define PERF_INPUT_H

#include "base/csv.h"
#include "base/err.h"
#include "base/vec.h"
#include "perf/arch.h"
#include "perf/config.h"
#include "perf/notes.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The columns we use; their names are in input.c. */
enum perf_column {
	COL_OP_CODE,
	COL_OP_TYPE,
	COL_DEVICE_ID,
	COL_CALL_COUNT,
	COL_CORE_COUNT,
	COL_DURATION,
	COL_GAP,
	COL_IN0_MEMORY,
	COL_ATTRIBUTES,
	COL_FIDELITY,
	COL_IN0_DATATYPE,
	COL_IN1_DATATYPE,
	COL_OUT_DATATYPE,
	COL_IN1_MEMORY,
	COL_OUT_MEMORY,
	COL_SHAPES, /* 3 tensors x 4 dimensions */
	COL_SHAPES_END = COL_SHAPES + 12,
	COL_HOST_START = COL_SHAPES_END,
	COL_ARCH,
	COL_WORKERS,
	COL_SUB_DEVICE,
	COL_FW_START,
	COL_FW_END,
	COL_FW_DURATION,
	COL_HOST_DURATION,
	COL_TRACE,
	COL_REPLAY,
	COL_UNRELIABLE,
	COL_CACHE_HIT,
	COL_BRISC,
	COL_NCRISC,
	COL_TRISC0,
	COL_TRISC1,
	COL_TRISC2,
	COL_CORE_MAX,
	COL_CORE_AVG,
	COL_CB_WAIT,
	COL_CB_RESERVE,
	COL_NOC_UTIL,
	COL_COUNT,
};

enum perf_type {
	TYPE_DEVICE,
	TYPE_SIGNPOST,
	TYPE_OTHER,
	TYPE_NOTHING, /* a blank row, or the header once more: it has a line, and is no op */
};

enum perf_tensor {
	IN0,
	IN1,
	OUT,
	TENSORS,
};

enum perf_dim {
	DIM_W,
	DIM_Z,
	DIM_Y,
	DIM_X,
	DIMS,
};

#define PERF_NO_DEVICE INT32_MIN
#define PERF_NO_NUMBER INT64_MIN
#define PERF_NO_START  INT64_MAX /* sorts last */

/* Families of ops: each has its own arithmetic. */
enum perf_family {
	FAMILY_OTHER,
	FAMILY_MATMUL,
	FAMILY_CONV,
	FAMILY_HALO,
	FAMILY_HOST, /* ran on the host's CPU */
};

/* The program config in the attributes: how the work is cut into blocks. */
enum perf_config {
	CONFIG_UNKNOWN, /* there are no attributes */
	CONFIG_FOREIGN, /* the op accepts none, or one of another kind */
	CONFIG_DEFAULT, /* it accepts one, and none was given */
	CONFIG_GIVEN,   /* settings that it does not name are not settings of that config */
};

enum perf_attention {
	ATTENTION_NONE,
	ATTENTION_FULL,
	ATTENTION_CAUSAL, /* each row attends only to those before it */
};

struct perf_kind {
	/* As in the file; NULL if the cell is blank. The input owns the strings. */
	const char *op_code;
	const char *datatype[TENSORS];
	const char *memory[TENSORS];
	uint8_t in_dram; /* bit per enum perf_tensor: its memory is DRAM */
	const char *fidelity_name;
	int64_t dim[TENSORS][DIMS]; /* padded sizes; PERF_NO_NUMBER where unreadable */
	/* Of the attributes */
	int64_t block_w, subblock_h, subblock_w; /* PERF_NO_NUMBER where absent */
	int64_t window_h, window_w;              /* of a convolution */
	int64_t nnz;                             /* of a sparse matmul: active batches */
	enum perf_config config;
	struct perf_config_fields settings;
	enum perf_attention attention;
	bool transpose_a, transpose_b;
	double more_bytes; /* in DRAM, of inputs from 2 and outputs from 1 on; NaN: unknown */
	/* Bytes over the DRAM and operations by our own model, sparse ops apart; NaN: unknown */
	double bytes, operations;
	bool dram_sharded;
	bool sparse, a_sparse, b_sparse;
	/* Made of them */
	enum perf_family family;
	enum arch_fidelity fidelity;
	bool collective;
	bool signpost;
	bool says_nan;     /* an unknown data type is printed as "nan" */
	bool nameless;     /* its op code is blank: "unnamed" */
	bool fallback;     /* its type shows that it ran on the host's CPU */
	const char *label; /* the OP Code column: name, sizes, settings */
	uint32_t label_len;
	uint32_t bad; /* bit per column of shapes that could not be read */
	uint32_t odd; /* bit per column of shapes that cannot be a size: fractions, 0, too large */
};

/* Figures of an op in the device's log besides its duration: ns, percent; NaN: absent. */
struct perf_device {
	float reader, writer, compute; /* the longest kernel that reads, writes, computes */
	float core_most, core_mean;    /* kernel durations over the cores */
	float input_wait, output_wait; /* of the compute kernels, for circular buffers */
	float noc;
	float slow; /* ns of the slowest core; NaN: its place is unknown */
	int16_t slow_x, slow_y;
	uint8_t slow_risc; /* enum arch_risc */
};

/* The index of a row in the input is that of its record, from 0, over all files. */
struct perf_row {
	double duration, gap; /* ns; NaN: blank */
	double cores, calls;
	int64_t whole_calls;      /* exact; PERF_NO_NUMBER: blank, or not a whole number */
	const char *calls_text;   /* the cell, unless it is blank or just that number */
	int64_t start;            /* host clock, ns; PERF_NO_START: blank */
	int64_t fw_start, fw_end; /* device cycles; PERF_NO_NUMBER: blank */
	double fw_duration;       /* ns */
	double host_duration;     /* ns on the host's CPU */
	struct perf_device on_device;
	uint32_t kind;
	int32_t device;              /* or PERF_NO_DEVICE */
	int32_t workers;             /* available to the op, 0: unknown */
	int32_t sub_device;          /* or PERF_NO_DEVICE */
	const char *sub_device_text; /* the cell's text if it is not a whole number, or NULL */
	bool workers_odd;            /* the number of workers is impossible */
	uint8_t type;                /* enum perf_type */
	bool replay;                 /* an op of a trace that was replayed */
	bool cache_miss, cache_hit; /* its program was not in the cache, or was; neither: unknown */
	/*
	 * Compiled before it ran: a miss, and the first of its kind on the device. Reports of
	 * tt-metal call every op a miss.
	 */
	bool compiled;
	int32_t trace, session; /* METAL TRACE ID and its replay; PERF_NO_DEVICE: none */
	bool unreliable;        /* a kernel has overwritten its records */
	bool bad; /* a cell of it, other than of its kind or device, could not be read */
};

/* The product of two sizes; PERF_NO_NUMBER if one is unknown or it exceeds 64 bits. */
static inline int64_t perf_times(int64_t a, int64_t b)
{
	int64_t n;

	if (a == PERF_NO_NUMBER || b == PERF_NO_NUMBER || __builtin_mul_overflow(a, b, &n))
		return PERF_NO_NUMBER;
	return n;
}

/* The length of the first word of a label; advances *TEXT over blanks. */
static inline size_t perf_first_word(const char **text)
{
	*text += strspn(*text, " \t\n\v\f\r");
	return strcspn(*text, " \t\n\v\f\r");
}

/* True if this is a possible number of cores. */
static inline bool perf_cores_possible(double cores)
{
	return cores >= 1 && cores <= 1 << 20 && cores == (double)(int32_t)cores;
}

static inline int64_t perf_larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

enum perf_format {
	FORMAT_V1,
	FORMAT_V2,
	FORMAT_V2_1,
};

/* Rows FIRST to END - 1 belong to the file. */
struct perf_file {
	const char *path;
	uint32_t first, end;
};

struct perf_intern; /* strings and kinds by content */
struct op_table;

struct perf_input {
	struct {
		VEC(struct perf_row);
	} rows;
	struct {
		VEC(struct perf_kind);
	} kinds;
	struct {
		VEC(struct perf_file);
	} files;
	struct perf_intern *intern;
	const struct op_table *table; /* source of the rows, borrowed; NULL: CSV files */
	enum perf_format format;
	bool has_start_column;       /* the host's clock, in some file */
	bool has_datatypes[TENSORS]; /* the columns, in some file */
	/* Of the DEVICE ARCH column: the first name, and whether others occur */
	const char *arch_name;
	bool arch_several;
	/*
	 * Of AVAILABLE WORKER CORE COUNT: the first that is not 0, the largest valid one; 0: none
	 */
	int32_t workers_first, workers_largest;
	bool workers_several;
	/*
	 * If any cell of a column is blank or a fraction, all its cells are printed as fractions.
	 */
	bool cores_real, calls_real, start_real;
	bool calls_text; /* a cell is a text: the column is printed as it was read */
	/* Problems found. */
	uint64_t bad_cells;
	bool damaged; /* the report is partial: exit code 4 */
	/*
	 * Problems that make it partial only if reported ops need the data: columns of
	 * multiplications, gaps, other columns; cells of shapes; names.
	 */
	bool no_math, no_gap, no_others, bad_shapes, no_names;
};

#define PERF_INPUT_INIT             \
	{                           \
		.format = FORMAT_V1 \
	}

/* The file of a row. */
size_t perf_file_of(const struct perf_input *in, uint32_t row);

/*
 * Reads N files one after the other. Device ids of the second and later files are raised so that
 * files of one machine each do not collide. Notes get one line for each kind of problem. Returns 0,
 * or an error if there is nothing to report on. The paths must outlive IN. Not thread-safe.
 */
int perf_input_read(struct perf_input *in, char *const *paths, size_t n, struct perf_notes *notes,
		    struct tacho_error *err);
void perf_input_free(struct perf_input *in);

/*
 * Passes each column and cell of record INDEX (of all files) to GOT, to show one op in detail.
 * Reads the files again. TACHO_EREAD if there is no such record.
 */
typedef void (*perf_cell_fn)(void *arg, struct csv_cell column, struct csv_cell cell);
int perf_input_cells(char *const *paths, size_t n, uint32_t index, perf_cell_fn got, void *arg,
		     struct tacho_error *err);

/*
 * input_ops.c: the rows are those of a table of ops, which must outlive IN, as must NAME. 0 or
 * TACHO_ENOMEM.
 */
int perf_input_ops(struct perf_input *in, const struct op_table *table, const char *name,
		   struct tacho_error *err);
/* Like perf_input_cells(), for a row of that table. */
void perf_input_table_cells(const struct perf_input *in, uint32_t index, perf_cell_fn got,
			    void *arg);

/* kind.c: strings and kinds by content. */

/* A tensor beyond those of enum perf_tensor: W Z Y X, data type, memory. */
enum { MORE_DATATYPE = DIMS, MORE_MEMORY, MORE_CELLS };
struct perf_more {
	struct csv_cell cell[MORE_CELLS];
};

/* The kind of a record, whose CELLs are indexed by enum perf_column; it has N MORE tensors. */
int perf_kind_of(struct perf_input *in, const struct csv_cell *cell, const struct perf_more *more,
		 size_t n, uint32_t *kind);

/* Sets ROW's "compiled". Rows are passed in the order of the file. 0 or TACHO_ENOMEM. */
int perf_compiled_note(struct perf_input *in, struct perf_row *row);

/* True if tensor T is known to be in DRAM. */
static inline bool perf_in_dram(const struct perf_kind *k, enum perf_tensor t)
{
	return k->in_dram >> t & 1;
}

/* work.c: sets the bytes and operations of a kind. */
void perf_work_set(struct perf_kind *k);

/* work.c: bytes of a tensor (NaN: unknown). */
double perf_tensor_bytes(const int64_t dims[DIMS], const char *type);

/* A copy that lives as long as the input; equal texts share one pointer. NULL: out of memory. */
const char *perf_string(struct perf_input *in, const char *text, size_t len);
void perf_intern_free(struct perf_intern *intern);

#endif
