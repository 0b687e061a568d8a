/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The analysis: from the rows of the input to the ops of the report, with every figure that the
 * tables, the advice and the pictures show. Steps, each in its own file:
 *
 *	window.c   the order in time, and the part between two signposts (region.c)
 *	groups.c   separates ops that were captured, compiled or replayed
 *	merge.c    merges the devices of one machine, which ran the same ops
 *	work.c     bytes and operations by the shapes
 *	analyze.c  time, gap, bandwidth, arithmetic, bound
 *	overlap.c  ops that ran at the same time on one device
 *	next.c     the rules of the model next
 *
 * A figure is absent (its HAS_ bit is not set), NaN (it was computed from a blank), or a number.
 */
#ifndef PERF_REPORT_H
#define PERF_REPORT_H

#include "perf/input.h"
#include "perf/region.h"

#define MICRO       "\xce\xbcs" /* the unit of times, with its Greek letter */
#define PERF_GAP_AT 6.5         /* us from which a gap is too long */

enum perf_has {
	HAS_TIME = 1 << 0,
	HAS_GAP = 1 << 1,
	HAS_TOTAL = 1 << 2,
	HAS_CORES = 1 << 3,
	HAS_DRAM = 1 << 4,
	HAS_FLOPS = 1 << 5,
	HAS_FLOPS_PCT = 1 << 6,
	HAS_DRAM_PCT = 1 << 7,
	HAS_OVERLAP = 1 << 8,
};

enum perf_bound {
	BOUND_NONE,
	BOUND_DRAM,
	BOUND_FLOP,
	BOUND_BOTH,
	BOUND_SLOW,
	BOUND_HOST,
	BOUND_COUNT,
};

/* Rates the fidelity of a multiplication for its data types. */
enum perf_verdict {
	VERDICT_NONE, /* not a multiplication */
	VERDICT_SUFFICIENT,
	VERDICT_TOO_HIGH,
	VERDICT_TOO_LOW,
	VERDICT_UNKNOWN,        /* an unknown data type */
	VERDICT_NOT_APPLICABLE, /* whole numbers */
};

/* How a row of the input originated. All but captured ops and warm-ups count. */
enum perf_run {
	RUN_MEASURED,
	RUN_REPLAY,   /* measured, in a trace */
	RUN_WARM_UP,  /* measured, but compiled for: the first of its kind, with more to follow */
	RUN_CAPTURED, /* not measured: captured into a trace, or not in the device's log */
	RUN_COUNT,
};

struct perf_op {
	uint32_t row; /* in the input */
	uint32_t kind;
	uint32_t id;               /* for users: see perf_op_id() */
	double time, gap, overlap; /* us */
	double total;              /* share of all time, percent */
	double cores;
	double bytes;            /* moved from and to DRAM, by the shapes */
	double operations;       /* multiplications and additions */
	double dram, dram_pct;   /* GB/s */
	double flops, flops_pct; /* TFLOP/s */
	uint16_t has;            /* enum perf_has */
	uint8_t bound, verdict;
	uint8_t type;         /* enum perf_type */
	uint8_t run;          /* enum perf_run */
	bool cores_whole : 1; /* printed without a fraction */
	bool time_blank : 1;  /* not measured: 1.2.4 counts it as 0, the other models ignore it */
	bool dim : 1;         /* below --min-percentage: grey */
	bool sharded : 1;
	bool invalid : 1; /* an impossible time (model next) */
};

/* How to report an op that was replayed several times. */
enum perf_replays {
	REPLAYS_EACH,
	REPLAYS_MEAN, /* one op, with the spread */
	REPLAYS_LAST,
};

struct perf_options {
	enum perf_model model;
	const char *start_signpost, *end_signpost; /* NULL or empty: not given */
	const char *signpost;                      /* the region of that name, likewise */
	enum perf_replays replays;
	bool count_warm_ups;
	bool count_ids; /* IDs are 1, 2, ... instead of lines of the input; signposts have none (0)
			 */
	bool ignore_signposts, print_signposts;
	double min_percentage;
	bool has_range;
	int64_t first_id, last_id; /* inclusive */
	const char *arch;
	bool tracing_mode, no_host_ops, no_merge_devices;
	int64_t active_experts; /* 0: not given */
};

struct perf_gaps; /* gaps.h */

/* Of several replays of one op; us. */
struct perf_spread {
	uint32_t n; /* 0: not averaged */
	double least, most, deviation;
};

struct perf_report {
	const struct perf_input *in;
	const struct perf_options *options;
	const struct arch *arch; /* NULL: unknown, no shares of peaks */
	const char *arch_name;
	int workers;
	bool merged; /* false: each device's rows are reported separately */
	struct {
		VEC(struct perf_op);
	} ops;
	double time_sum, gap_sum;                 /* us */
	uint64_t device_ops, host_ops, signposts; /* before the filters of ids and host ops */
	uint64_t unmeasured;        /* device ops without a time, not included in ops */
	uint64_t runs[RUN_COUNT];   /* device ops, by how they originated */
	uint64_t sessions;          /* replays of a trace */
	struct perf_spread *spread; /* by row, of averaged replays; NULL: none */
	/* Of the first file; its name is NULL if the whole file counts. */
	struct perf_region region;
	const struct perf_gaps *gaps; /* with the host's activity; NULL: input is not a trace */
	double host_sum;              /* us of host ops */
	uint64_t host_timed;          /* number of host ops with a known time */
	double busy, overlap; /* us of a device's time with at least one, two ops; NaN: unknown */
	/* Columns of the model next, which are shown if they have values. */
	bool has_sub_devices, has_workers, has_overlap;
	uint64_t unusable; /* matmuls and convolutions whose figures cannot be computed */
	uint64_t invalid;  /* impossible durations (model next) */
};

/* The report of an input, which must outlive it. 0 or an error; free REPORT in any case. */
int perf_report_make(struct perf_report *report, struct perf_input *in,
		     const struct perf_options *options, struct perf_notes *notes,
		     struct tacho_error *err);
void perf_report_free(struct perf_report *report);

/* Recomputes counts, sums and shares after ops were removed from a report. */
void perf_report_sum(struct perf_report *report);

/* Parses "5-10", "5-", "-10" into OPTIONS. 0 or TACHO_EUSAGE. */
int perf_range_parse(const char *text, struct perf_options *options, struct tacho_error *err);

/* A sum with a running compensation of the rounding errors (Neumaier). */
struct perf_sum {
	double sum, lost;
};
void perf_sum_add(struct perf_sum *s, double x);
double perf_sum_get(const struct perf_sum *s);

/* The number that identifies an op to users: see count_ids of the options. */
static inline uint32_t perf_op_id(const struct perf_op *op)
{
	return op->id;
}

/* The line of a row in a plain CSV file (with several files the count continues). */
static inline uint32_t perf_row_line(uint32_t row)
{
	return row + 2;
}

/* True if the op counts in sums, shares, bounds and advice. */
static inline bool perf_op_counts(const struct perf_op *op)
{
	return op->type != TYPE_SIGNPOST && op->run != RUN_CAPTURED && op->run != RUN_WARM_UP;
}

static inline const struct perf_kind *perf_op_kind(const struct perf_report *r,
						   const struct perf_op *op)
{
	return &r->in->kinds.v[op->kind];
}

const char *perf_bound_name(enum perf_bound bound);
const char *perf_run_name(enum perf_run run);

/* "BF16" of BFLOAT16; unknown types keep their name. */
const char *perf_datatype_short(const char *name);

/* work.c: bytes and operations of an op by its shapes; NaN: unknown. */
double perf_dram_bytes(const struct perf_kind *k);
double perf_matmul_operations(const struct perf_kind *k);
double perf_conv_operations(const struct perf_kind *k);

/* The batches of a sparse matmul: their number, and the number computed (-1: unknown). */
struct perf_sparsity {
	int64_t dense, active;
};
struct perf_sparsity perf_sparsity_of(const struct perf_kind *k, int64_t experts);
void perf_sparse_work(const struct perf_kind *k, int64_t experts, double *bytes,
		      double *operations);

/* limit.c: the kernel that an op waits for. */
enum perf_limit {
	LIMIT_UNKNOWN,
	LIMIT_READER,
	LIMIT_COMPUTE,
	LIMIT_WRITER,
	LIMIT_BALANCED, /* none of them ran clearly longer */
	LIMIT_COUNT,
};
enum perf_limit perf_limit_of(const struct perf_device *device);
const char *perf_limit_name(enum perf_limit limit);
/* The mean over the cores in percent of the slowest: 100 is a balanced load. NaN: unknown. */
double perf_balance(const struct perf_device *device);

/* fidelity.c */
enum perf_verdict perf_fidelity_judge(const struct perf_kind *k, enum perf_model model);

/* The steps, each over rows given by their index in the input. */
struct perf_order {
	VEC(uint32_t);
};
int perf_window(struct perf_order *order, const struct perf_input *in,
		const struct perf_options *options, struct perf_notes *notes,
		struct perf_region *region);

/* The regions of one file, by its own order of time. */
int perf_file_regions(struct perf_regions *regions, const struct perf_input *in,
		      const struct perf_file *file, const struct perf_options *options);

/* groups.c: leaves one row for all replays of an op, unless each is requested. */
int perf_replays_take(struct perf_report *report, struct perf_order *order, struct perf_input *in);
/* Marks the ops of the report by how they originated. */
int perf_runs_mark(struct perf_report *report);

/* Results of merging, besides the order. */
struct perf_merged {
	bool merged;
	bool *started;            /* by file: an op of it precedes the remaining ones */
	uint32_t *representative; /* by row: the row that represents it; NULL: not needed */
};
int perf_merge(struct perf_order *order, struct perf_input *in, const struct perf_options *options,
	       struct perf_notes *notes, struct perf_merged *m);
int perf_overlap(struct perf_report *report);

/*
 * next.c. The rows of the window, before devices are merged: overlaps are found among them, since a
 * merged op has the clock of one device only.
 */
struct perf_window_rows {
	struct perf_order order;
	double *duration; /* by row: the mean of a collective replaces that of its first row */
	uint32_t *representative;
};

/* True if the duration or gap of a row comes from a wrapped counter or a lost record. */
bool perf_row_invalid(const struct perf_row *row);
/* The cores that an op could have used. */
int perf_available(const struct perf_report *report, const struct perf_op *op);
/* True if all sizes that an op's figures need are present and possible. */
bool perf_shape_known(const struct perf_kind *k);
int perf_next_labels(struct perf_input *in);
int perf_window_rows_take(struct perf_window_rows *w, const struct perf_order *order,
			  const struct perf_input *in);
void perf_window_rows_free(struct perf_window_rows *w);
int perf_next_overlap(struct perf_report *report, const struct perf_window_rows *w);

#endif
