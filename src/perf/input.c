/* SPDX-License-Identifier: Apache-2.0 */
/* Reads ops CSV files: columns, cells and rows. */
#include "perf/input.h"
#include "base/buf.h"
#include "base/csv.h"
#include "base/fmt.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum need {
	NEED_NEVER,
	NEED_ALWAYS,
	NEED_MATH, /* needed by files with matrix multiplications or convolutions */
};

#define SHAPE(tensor, dim)                                \
	{                                                 \
		tensor "_" dim "_PAD[LOGICAL]", NEED_MATH \
	}
#define SHAPES(tensor) \
	SHAPE(tensor, "W"), SHAPE(tensor, "Z"), SHAPE(tensor, "Y"), SHAPE(tensor, "X")

static const struct {
	const char *name;
	enum need need;
} columns[COL_COUNT] = {
	[COL_OP_CODE] = {"OP CODE", NEED_ALWAYS},
	[COL_OP_TYPE] = {"OP TYPE", NEED_ALWAYS},
	[COL_DEVICE_ID] = {"DEVICE ID", NEED_ALWAYS},
	[COL_CALL_COUNT] = {"GLOBAL CALL COUNT", NEED_ALWAYS},
	[COL_CORE_COUNT] = {"CORE COUNT", NEED_ALWAYS},
	[COL_DURATION] = {"DEVICE KERNEL DURATION [ns]", NEED_ALWAYS},
	[COL_GAP] = {"OP TO OP LATENCY [ns]", NEED_ALWAYS},
	[COL_IN0_MEMORY] = {"INPUT_0_MEMORY", NEED_ALWAYS},
	[COL_ATTRIBUTES] = {"ATTRIBUTES", NEED_ALWAYS},
	[COL_FIDELITY] = {"MATH FIDELITY", NEED_MATH},
	[COL_IN0_DATATYPE] = {"INPUT_0_DATATYPE", NEED_MATH},
	[COL_IN1_DATATYPE] = {"INPUT_1_DATATYPE", NEED_MATH},
	[COL_OUT_DATATYPE] = {"OUTPUT_0_DATATYPE", NEED_MATH},
	[COL_IN1_MEMORY] = {"INPUT_1_MEMORY", NEED_MATH},
	[COL_OUT_MEMORY] = {"OUTPUT_0_MEMORY", NEED_MATH},
	[COL_SHAPES] = SHAPES("INPUT_0"),
	SHAPES("INPUT_1"),
	SHAPES("OUTPUT_0"),
	[COL_HOST_START] = {"HOST START TS", NEED_NEVER},
	[COL_ARCH] = {"DEVICE ARCH", NEED_NEVER},
	[COL_WORKERS] = {"AVAILABLE WORKER CORE COUNT", NEED_NEVER},
	[COL_SUB_DEVICE] = {"SUB DEVICE ID", NEED_NEVER},
	[COL_FW_START] = {"DEVICE FW START CYCLE", NEED_NEVER},
	[COL_FW_END] = {"DEVICE FW END CYCLE", NEED_NEVER},
	[COL_FW_DURATION] = {"DEVICE FW DURATION [ns]", NEED_NEVER},
	[COL_HOST_DURATION] = {"HOST DURATION [ns]", NEED_NEVER},
	[COL_TRACE] = {"METAL TRACE ID", NEED_NEVER},
	[COL_REPLAY] = {"METAL TRACE REPLAY SESSION ID", NEED_NEVER},
	[COL_UNRELIABLE] = {"UNRELIABLE", NEED_NEVER},
	[COL_CACHE_HIT] = {"PROGRAM CACHE HIT", NEED_NEVER},
	[COL_BRISC] = {"DEVICE BRISC KERNEL DURATION [ns]", NEED_NEVER},
	[COL_NCRISC] = {"DEVICE NCRISC KERNEL DURATION [ns]", NEED_NEVER},
	[COL_TRISC0] = {"DEVICE TRISC0 KERNEL DURATION [ns]", NEED_NEVER},
	[COL_TRISC1] = {"DEVICE TRISC1 KERNEL DURATION [ns]", NEED_NEVER},
	[COL_TRISC2] = {"DEVICE TRISC2 KERNEL DURATION [ns]", NEED_NEVER},
	[COL_CORE_MAX] = {"DEVICE KERNEL DURATION PER CORE MAX [ns]", NEED_NEVER},
	[COL_CORE_AVG] = {"DEVICE KERNEL DURATION PER CORE AVG [ns]", NEED_NEVER},
	[COL_CB_WAIT] = {"DEVICE COMPUTE CB WAIT FRONT [ns]", NEED_NEVER},
	[COL_CB_RESERVE] = {"DEVICE COMPUTE CB RESERVE BACK [ns]", NEED_NEVER},
	[COL_NOC_UTIL] = {"NOC UTIL (%)", NEED_NEVER},
};

#define PADDED "_PAD[LOGICAL]" /* suffix of shape columns in newer files */

/* The cells of one column that could not be read. */
struct bad {
	uint64_t count;
	uint64_t line; /* of the first */
	char text[40];
};

/* Tensors beyond the first two inputs and the first output. */
enum { MORE_INPUTS = 14, MORE_OUTPUTS = 6, MORE_TENSORS = MORE_INPUTS + MORE_OUTPUTS };

/* A file being read. */
struct reading {
	struct perf_input *in;
	struct perf_notes *notes;
	const char *path;
	int place[COL_COUNT]; /* of each column in the file, -1: missing */
	size_t width;
	struct csv_cell cell[COL_COUNT];
	struct perf_more more[MORE_TENSORS];
	int more_place[MORE_TENSORS][MORE_CELLS];
	size_t more_n;
	uint64_t line;
	struct bad bad[COL_COUNT];
	bool row_bad;      /* of the current row: see struct perf_row */
	struct bad wide;   /* rows with more cells than the header */
	struct bad header; /* rows that repeat it */
	size_t first_row;
	bool math;
	bool old_shapes;         /* shape columns have the names of the first format */
	int32_t lowest, highest; /* device ids */
};

static void note_bad(struct reading *f, struct bad *bad, struct csv_cell cell)
{
	if (bad->count++)
		return;
	bad->line = f->line;
	snprintf(bad->text, sizeof(bad->text), "%.*s", (int)(cell.len > 32 ? 32 : cell.len),
		 cell.text);
}

/* Ops without a device are reported when devices are merged; those without a time come last. */
static void note_cell(struct reading *f, enum perf_column column)
{
	note_bad(f, &f->bad[column], f->cell[column]);
	f->row_bad |= column != COL_DEVICE_ID && column != COL_HOST_START;
}

static bool same_name(struct csv_cell cell, const char *name, size_t len)
{
	return cell.len == len && !memcmp(cell.text, name, len);
}

static int find_column(const struct csv_row *row, const char *name, size_t len)
{
	for (size_t i = 0; i < row->n; i++)
		if (same_name(row->cells[i], name, len))
			return (int)i;
	return -1;
}

/*
 * Other names of columns: those of a Quasar report, whose RISCs have other names, and of the report
 * that tt-metal writes without the host.
 */
static const struct {
	enum perf_column column;
	const char *name;
} other_columns[] = {
	{COL_OP_CODE, "OP NAME"},
	{COL_GAP, "OP TO OP DM LATENCY [ns]"},
	{COL_FW_DURATION, "DEVICE DM FW DURATION [ns]"},
	{COL_NCRISC, "DEVICE QUASAR_DM KERNEL DURATION [ns]"},
	{COL_TRISC0, "DEVICE QUASAR_NEO_TRISC KERNEL DURATION [ns]"},
};

static void note_format(struct perf_input *in, const struct reading *f, const struct csv_row *row)
{
	enum perf_format format = FORMAT_V1;

	for (size_t i = 0; i < row->n; i++)
		if (memmem(row->cells[i].text, row->cells[i].len, PADDED, strlen(PADDED)))
			format = FORMAT_V2;
	if (f->place[COL_ARCH] >= 0 || f->place[COL_WORKERS] >= 0)
		format = FORMAT_V2_1;
	if (format > in->format)
		in->format = format;
	in->has_start_column |= f->place[COL_HOST_START] >= 0;
	for (int i = 0; i < TENSORS; i++)
		in->has_datatypes[i] |= f->place[COL_IN0_DATATYPE + i] >= 0;
}

/* A file without columns of an ops report: names its format if recognised. */
static int header_refuse(struct reading *f, const struct csv_row *row, struct tacho_error *err)
{
	const struct csv_cell *first = &row->cells[0];

	if (find_column(row, "Total %", 7) >= 0 || find_column(row, "Total % [%]", 11) >= 0)
		return err_set(err, TACHO_EFORMAT,
			       "%s is a table that perf-report wrote: pass the ops report "
			       "from which it was made",
			       f->path);
	if (first->len >= 2 &&
	    (!memcmp(first->text, "\xff\xfe", 2) || !memcmp(first->text, "\xfe\xff", 2)))
		return err_set(err, TACHO_EFORMAT, "%s is UTF-16: save it as UTF-8", f->path);
	for (const char *mark = ";\t"; *mark; mark++)
		if (row->n == 1 && memchr(first->text, *mark, first->len))
			return err_set(
				err, TACHO_EFORMAT,
				"%s:1: not an ops report: its columns are separated by %s, not "
				"by commas",
				f->path, *mark == ';' ? "semicolons" : "tabs");
	return err_set(err, TACHO_EFORMAT,
		       "%s:1: not an ops report: no column '%s', '%s' or the like; 'tacho "
		       "ops' makes one of a trace or of logs",
		       f->path, columns[COL_OP_CODE].name, columns[COL_DURATION].name);
}

static int input_header_read(struct reading *f, struct csv *csv, struct tacho_error *err)
{
	struct csv_row row;
	int known = 0, r = csv_next(csv, &row, err);
	static const char *const ends[MORE_CELLS] = {"W", "Z", "Y", "X", "DATATYPE", "MEMORY"};
	char name[64];

	if (r < 0)
		return r;
	if (r == 0)
		return err_set(err, TACHO_EFORMAT, "%s is empty", f->path);
	/* Shape columns of older files lack the suffix. */
	for (int i = 0; i < COL_COUNT; i++) {
		size_t len = strlen(columns[i].name);

		f->place[i] = find_column(&row, columns[i].name, len);
		if (f->place[i] < 0 && i >= COL_SHAPES && i < COL_SHAPES_END)
			f->place[i] = find_column(&row, columns[i].name, len - strlen(PADDED));
		f->old_shapes |= i >= COL_SHAPES && i < COL_SHAPES_END && f->place[i] >= 0 &&
				 row.cells[f->place[i]].len < len;
	}
	f->width = row.n;
	/* The columns of further tensors that the file has. */
	for (int i = 0; i < MORE_TENSORS; i++) {
		bool output = i >= MORE_INPUTS;
		int tensor = output ? i - MORE_INPUTS + 1 : i + 2;
		int *place = f->more_place[f->more_n];

		for (int c = 0; c < MORE_CELLS; c++) {
			int len = snprintf(name, sizeof(name), "%s_%d_%s%s",
					   output ? "OUTPUT" : "INPUT", tensor, ends[c],
					   c < DIMS ? PADDED : "");

			place[c] = find_column(&row, name, (size_t)len);
			if (c < DIMS && place[c] < 0)
				place[c] = find_column(&row, name, (size_t)len - strlen(PADDED));
		}
		f->more_n += place[MORE_MEMORY] >= 0;
	}
	for (size_t i = 0; i < sizeof(other_columns) / sizeof(other_columns[0]); i++) {
		int *place = &f->place[other_columns[i].column];

		if (*place < 0)
			*place = find_column(&row, other_columns[i].name,
					     strlen(other_columns[i].name));
	}
	for (int i = 0; i < COL_COUNT; i++)
		known += columns[i].need == NEED_ALWAYS && f->place[i] >= 0;
	if (!known)
		return header_refuse(f, &row, err);
	note_format(f->in, f, &row);
	return 0;
}

/* Columns that are only used for extras get no warning about unreadable cells. */
static void note_number(struct reading *f, enum perf_column column)
{
	if (column <= COL_HOST_START)
		note_cell(f, column);
	else if (column == COL_WORKERS) /* another row reports it as well */
		note_bad(f, &f->bad[column], f->cell[column]);
}

static double number_cell(struct reading *f, enum perf_column column, bool *real)
{
	double value;
	enum csv_number number = csv_number(f->cell[column], &value);

	if (number == CSV_NO_NUMBER)
		note_number(f, column);
	if (real && (number == CSV_BLANK || number == CSV_REAL))
		*real = true;
	return value;
}

/* A number of cores, which cannot be infinite. */
static double cores_cell(struct reading *f, bool *real)
{
	double value = number_cell(f, COL_CORE_COUNT, real);

	if (!isinf(value))
		return value;
	note_cell(f, COL_CORE_COUNT);
	return NAN;
}

/* It is not used in arithmetic: a text will do. */
static int calls_cell(struct reading *f, struct perf_row *row)
{
	struct csv_cell cell = f->cell[COL_CALL_COUNT];
	enum csv_number number = csv_number(cell, &row->calls);
	char plain[FMT_SIZE];

	f->in->calls_real |= number == CSV_BLANK || number == CSV_REAL;
	f->in->calls_text |= number == CSV_NO_NUMBER;
	if (csv_integer(cell, &row->whole_calls) < 0)
		row->whole_calls = PERF_NO_NUMBER;
	else if (same_name(cell, plain, strlen(fmt_int(plain, row->whole_calls))))
		return 0;
	if (!csv_blank(cell))
		row->calls_text = perf_string(f->in, cell.text, cell.len);
	return csv_blank(cell) || row->calls_text ? 0 : TACHO_ENOMEM;
}

/* A small whole number, or NONE. */
static int32_t small_cell(struct reading *f, enum perf_column column, int32_t none)
{
	double value = number_cell(f, column, NULL);

	if (isnan(value))
		return none;
	if (fabs(value) >= INT32_MAX) {
		note_number(f, column);
		return none;
	}
	return (int32_t)value;
}

static int64_t long_cell(struct reading *f, enum perf_column column, int64_t none, bool *real)
{
	int64_t whole;
	double value;

	if (csv_integer(f->cell[column], &whole) == 0)
		return whole;
	value = number_cell(f, column, real);
	if (isinf(value) && column == COL_HOST_START) /* below PERF_NO_START as a double */
		return value > 0 ? INT64_MAX - 4096 : INT64_MIN;
	return isnan(value) || fabs(value) >= 0x1p63 ? none : (int64_t)llrint(value);
}

static enum perf_type type_cell(struct reading *f, int32_t device)
{
	struct csv_cell cell = f->cell[COL_OP_TYPE];

	if (same_name(cell, "tt_dnn_device", 13))
		return TYPE_DEVICE;
	if (same_name(cell, "signpost", 8))
		return TYPE_SIGNPOST;
	if (!csv_blank(cell))
		return TYPE_OTHER;
	if (f->place[COL_OP_TYPE] >= 0)
		note_cell(f, COL_OP_TYPE);
	return device == PERF_NO_DEVICE ? TYPE_OTHER : TYPE_DEVICE;
}

static int note_arch(struct reading *f)
{
	struct perf_input *in = f->in;
	struct csv_cell cell = f->cell[COL_ARCH];

	while (cell.len && cell.text[cell.len - 1] == ' ')
		cell.len--;
	if (csv_blank(cell))
		return 0;
	if (!in->arch_name) {
		in->arch_name = perf_string(in, cell.text, cell.len);
		return in->arch_name ? 0 : TACHO_ENOMEM;
	}
	if (!same_name(cell, in->arch_name, strlen(in->arch_name)))
		in->arch_several = true;
	return 0;
}

/* A whole number, or the text unchanged: a truncated fraction would be another sub-device. */
static int sub_device_cell(struct reading *f, struct perf_row *row)
{
	struct csv_cell cell = f->cell[COL_SUB_DEVICE];
	double value;
	enum csv_number number = csv_number(cell, &value);

	row->sub_device = PERF_NO_DEVICE;
	if (number == CSV_BLANK)
		return 0;
	if (number != CSV_NO_NUMBER && fabs(value) < INT32_MAX && value == trunc(value)) {
		row->sub_device = (int32_t)value;
		return 0;
	}
	row->sub_device_text = perf_string(f->in, cell.text, cell.len);
	return row->sub_device_text ? 0 : TACHO_ENOMEM;
}

static void note_workers(struct perf_input *in, int32_t workers, bool odd)
{
	if (workers > in->workers_largest && !odd)
		in->workers_largest = workers;
	if (workers <= 0)
		return;
	if (!in->workers_first)
		in->workers_first = workers;
	if (workers != in->workers_first)
		in->workers_several = true;
}

static void note_row(struct reading *f, const struct perf_row *row)
{
	const struct perf_kind *k = &f->in->kinds.v[row->kind];

	bool math = k->family == FAMILY_MATMUL || k->family == FAMILY_CONV;

	f->math |= math;
	for (int i = 0; math && k->bad && i < TENSORS * DIMS; i++)
		if (k->bad & 1u << i)
			note_bad(f, &f->bad[COL_SHAPES + i], f->cell[COL_SHAPES + i]);
	if (f->place[COL_OP_CODE] >= 0 && csv_blank(f->cell[COL_OP_CODE]))
		note_bad(f, &f->bad[COL_OP_CODE], f->cell[COL_OP_CODE]);
	if (row->device == PERF_NO_DEVICE)
		return;
	if (row->device < f->lowest)
		f->lowest = row->device;
	if (row->device > f->highest)
		f->highest = row->device;
}

static bool word_is(struct csv_cell cell, const char *a, const char *b, const char *c)
{
	return same_name(cell, a, strlen(a)) || same_name(cell, b, strlen(b)) ||
	       same_name(cell, c, strlen(c));
}

/* Durations other than the op's own: no warning about unreadable ones. */
static float device_cell(const struct reading *f, enum perf_column column)
{
	double value;

	if (f->place[column] < 0 || csv_number(f->cell[column], &value) == CSV_NO_NUMBER)
		return NAN;
	return (float)value;
}

static struct perf_device device_cells(const struct reading *f)
{
	return (struct perf_device){
		.reader = device_cell(f, COL_NCRISC),
		.writer = device_cell(f, COL_BRISC),
		.compute = fmaxf(fmaxf(device_cell(f, COL_TRISC0), device_cell(f, COL_TRISC1)),
				 device_cell(f, COL_TRISC2)),
		.core_most = device_cell(f, COL_CORE_MAX),
		.core_mean = device_cell(f, COL_CORE_AVG),
		.input_wait = device_cell(f, COL_CB_WAIT),
		.output_wait = device_cell(f, COL_CB_RESERVE),
		.noc = device_cell(f, COL_NOC_UTIL),
	};
}

/* Spreadsheets leave rows of commas behind, and files that were joined have the header again. */
static bool row_is_nothing(struct reading *f)
{
	static const struct csv_cell none = {"", 0};
	bool header = same_name(f->cell[COL_OP_CODE], "OP CODE", 7) &&
		      same_name(f->cell[COL_OP_TYPE], "OP TYPE", 7);

	if (!header && !(csv_blank(f->cell[COL_OP_CODE]) && csv_blank(f->cell[COL_OP_TYPE])))
		return false;
	for (int i = 0; i < COL_COUNT && !header; i++)
		if (!csv_blank(f->cell[i]))
			return false;
	if (header)
		note_bad(f, &f->header, f->cell[COL_OP_CODE]);
	for (int i = 0; i < COL_COUNT; i++)
		f->cell[i] = none;
	return true;
}

static int input_row_add(struct reading *f, const struct csv_row *csv_row)
{
	static const struct csv_cell none = {"", 0};
	struct perf_input *in = f->in;
	struct perf_row row = {0};
	double value;
	bool nothing;

	for (int i = 0; i < COL_COUNT; i++)
		f->cell[i] = f->place[i] >= 0 && (size_t)f->place[i] < csv_row->n
				     ? csv_row->cells[f->place[i]]
				     : none;
	for (size_t i = 0; i < f->more_n; i++)
		for (int c = 0; c < MORE_CELLS; c++) {
			int at = f->more_place[i][c];

			f->more[i].cell[c] =
				at >= 0 && (size_t)at < csv_row->n ? csv_row->cells[at] : none;
		}
	f->line = csv_row->line;
	f->row_bad = false;
	nothing = row_is_nothing(f);
	if (csv_row->n > f->width)
		note_bad(f, &f->wide, csv_row->cells[f->width]);
	row.device = small_cell(f, COL_DEVICE_ID, PERF_NO_DEVICE);
	row.type = nothing ? TYPE_NOTHING : (uint8_t)type_cell(f, row.device);
	row.duration = number_cell(f, COL_DURATION, NULL);
	row.gap = number_cell(f, COL_GAP, NULL);
	row.cores = cores_cell(f, &in->cores_real);
	if (calls_cell(f, &row) < 0)
		return TACHO_ENOMEM;
	row.start = long_cell(f, COL_HOST_START, PERF_NO_START, &in->start_real);
	row.fw_start = long_cell(f, COL_FW_START, PERF_NO_NUMBER, NULL);
	row.fw_end = long_cell(f, COL_FW_END, PERF_NO_NUMBER, NULL);
	row.fw_duration = number_cell(f, COL_FW_DURATION, NULL);
	row.unreliable = !csv_blank(f->cell[COL_UNRELIABLE]);
	row.on_device = device_cells(f);
	row.host_duration = number_cell(f, COL_HOST_DURATION, NULL);
	row.replay = !csv_blank(f->cell[COL_TRACE]) || !csv_blank(f->cell[COL_REPLAY]);
	row.trace = small_cell(f, COL_TRACE, PERF_NO_DEVICE);
	row.session = small_cell(f, COL_REPLAY, PERF_NO_DEVICE);
	row.cache_hit = word_is(f->cell[COL_CACHE_HIT], "True", "true", "1");
	row.cache_miss = word_is(f->cell[COL_CACHE_HIT], "False", "false", "0");
	/* The number of workers that the op could have used. */
	row.workers = small_cell(f, COL_WORKERS, 0);
	csv_number(f->cell[COL_WORKERS], &value);
	row.workers_odd = !perf_cores_possible(value);
	note_workers(in, row.workers, row.workers_odd);
	if (sub_device_cell(f, &row) < 0 || note_arch(f) < 0 ||
	    perf_kind_of(in, f->cell, f->more, f->more_n, &row.kind) < 0 ||
	    perf_compiled_note(in, &row) < 0)
		return TACHO_ENOMEM;
	if (!nothing)
		note_row(f, &row);
	row.bad = f->row_bad;
	return vec_push(&in->rows, row);
}

/* "A, B and 3 more": the names of missing columns for one line. */
static void note_missing(struct reading *f)
{
	bool no_inputs = !f->math && f->place[COL_IN0_MEMORY] < 0 &&
			 f->place[COL_IN0_DATATYPE] < 0 && f->place[COL_SHAPES] < 0;
	struct buf names = BUF_INIT;
	int n = 0;

	for (int i = 0; i < COL_COUNT; i++) {
		if (f->place[i] >= 0 || columns[i].need == NEED_NEVER ||
		    (columns[i].need == NEED_MATH && !f->math) ||
		    (i == COL_GAP && f->in->rows.n - f->first_row < 2) ||
		    (i == COL_IN0_MEMORY && no_inputs))
			continue;
		buf_addf(&names, "%s%s", n++ ? ", " : "", columns[i].name);
		f->in->no_math |= columns[i].need == NEED_MATH;
		f->in->no_gap |= i == COL_GAP;
		f->in->no_others |= columns[i].need == NEED_ALWAYS && i != COL_GAP;
		/* Without these, rows cannot be distinguished. */
		f->in->damaged |= i <= COL_DEVICE_ID;
	}
	if (n && f->in->rows.n > f->first_row)
		perf_note(f->notes, NOTE_WARNING,
			  "%s: %d missing column%s, the figures that need %s stay blank: %s",
			  f->path, n, n > 1 ? "s" : "", n > 1 ? "them" : "it", names.data);
	buf_free(&names);
}

static void note_trouble(struct reading *f)
{
	for (int i = 0; i < COL_COUNT; i++) {
		const struct bad *b = &f->bad[i];

		if (!b->count)
			continue;
		perf_note(f->notes, NOTE_WARNING,
			  "%s:%llu: column '%s': %s%s%s; left out (%llu such cell%s)", f->path,
			  (unsigned long long)b->line, columns[i].name, b->text[0] ? "'" : "",
			  b->text[0] ? b->text : "blank", b->text[0] ? "' is not understood" : "",
			  (unsigned long long)b->count, b->count > 1 ? "s" : "");
		f->in->bad_cells += b->count;
		if (i >= COL_SHAPES && i < COL_SHAPES_END)
			f->in->bad_shapes = true;
		else if (i == COL_OP_CODE)
			f->in->no_names = true;
	}
	if (f->header.count)
		perf_note(
			f->notes, NOTE_WARNING,
			"%s:%llu: the header again (%llu time%s): joined files are reported as one",
			f->path, (unsigned long long)f->header.line,
			(unsigned long long)f->header.count, f->header.count > 1 ? "s" : "");
	if (f->wide.count) {
		perf_note(f->notes, NOTE_WARNING,
			  "%s:%llu: more cells than the header has columns; the rest is left out "
			  "(%llu such row%s)",
			  f->path, (unsigned long long)f->wide.line,
			  (unsigned long long)f->wide.count, f->wide.count > 1 ? "s" : "");
		f->in->bad_cells += f->wide.count;
		f->in->damaged = true;
	}
	if (f->math && f->old_shapes && f->place[COL_ARCH] >= 0)
		perf_note(f->notes, NOTE_WARNING,
			  "%s: shape columns of the first format in a file of a later one; used as "
			  "they are",
			  f->path);
	note_missing(f);
}

static int input_rows_read(struct reading *f, struct csv *csv, struct tacho_error *err)
{
	struct csv_row row;
	struct tacho_error why;
	int r;

	while ((r = csv_next(csv, &row, &why)) > 0) {
		if (f->in->rows.n >= UINT32_MAX - 2)
			return err_set(err, TACHO_ELIMIT, "%s:%llu: too many rows", f->path,
				       (unsigned long long)row.line);
		if (input_row_add(f, &row) < 0)
			return err_set(err, TACHO_ENOMEM, "%s: out of memory", f->path);
	}
	if (r == 0)
		return 0;
	if (r == TACHO_ENOMEM || f->in->rows.n == f->first_row) {
		*err = why;
		return r;
	}
	perf_note(f->notes, NOTE_WARNING, "%s; the rows before are reported", why.text);
	f->in->damaged = true;
	return 0;
}

/* The device ids of the previous files. */
struct machines {
	int32_t count; /* of the first file with devices: highest id + 1; 0: none yet */
	int32_t lowest, highest;
	int32_t n;         /* files with devices so far */
	const char *hosts; /* a file without any, or NULL */
};

/* Files of equal machines get consecutive ids; files with disjoint ids keep theirs. */
static int place_after(struct reading *f, int file, struct machines *m, struct tacho_error *err)
{
	int32_t raise = 0;

	if (f->highest + 1 == m->count) {
		if (__builtin_mul_overflow(file, m->count, &raise) || raise > INT32_MAX / 2)
			return err_set(err, TACHO_EFORMAT, "%s: device ids too large", f->path);
	} else if (f->lowest > m->highest || f->highest < m->lowest) {
		perf_note(f->notes, NOTE_WARNING,
			  "%s: devices %d to %d beside %d to %d of the files before: kept as they "
			  "are",
			  f->path, f->lowest, f->highest, m->lowest, m->highest);
	} else {
		return err_set(
			err, TACHO_EFORMAT,
			"%s: highest device id %d, but %d in the files before: these are not "
			"equal machines",
			f->path, f->highest, m->count - 1);
	}
	for (size_t i = f->first_row; raise && i < f->in->rows.n; i++)
		if (f->in->rows.v[i].device != PERF_NO_DEVICE)
			f->in->rows.v[i].device += raise;
	m->lowest = f->lowest < m->lowest ? f->lowest : m->lowest;
	m->highest = f->highest > m->highest ? f->highest : m->highest;
	return 0;
}

static int place_devices(struct reading *f, int file, struct machines *m, struct tacho_error *err)
{
	if (f->highest < f->lowest)
		m->hosts = f->path;
	else if (!m->count)
		*m = (struct machines){f->highest + 1, f->lowest, f->highest, 1, m->hosts};
	else
		return place_after(f, file, m, err);
	if (m->hosts && m->count)
		perf_note(f->notes, NOTE_WARNING,
			  "%s: no row has a device, unlike those of other files", m->hosts);
	return 0;
}

static int read_file(struct perf_input *in, const char *path, int file, struct machines *machines,
		     struct perf_notes *notes, struct tacho_error *err)
{
	struct reading *f = calloc(1, sizeof(*f));
	struct csv *csv = NULL;
	int r;

	if (!f)
		return err_set(err, TACHO_ENOMEM, "%s: out of memory", path);
	*f = (struct reading){.in = in,
			      .notes = notes,
			      .path = path,
			      .first_row = in->rows.n,
			      .lowest = INT32_MAX,
			      .highest = INT32_MIN};
	r = csv_open(&csv, path, err);
	if (r == 0)
		r = input_header_read(f, csv, err);
	if (r == 0)
		r = input_rows_read(f, csv, err);
	if (r == 0) {
		struct perf_file part = {path, (uint32_t)f->first_row, (uint32_t)in->rows.n};

		note_trouble(f);
		r = vec_push(&in->files, part) < 0
			    ? err_set(err, TACHO_ENOMEM, "%s: out of memory", path)
			    : place_devices(f, file, machines, err);
	}
	csv_close(csv);
	free(f);
	return r;
}

int perf_input_read(struct perf_input *in, char *const *paths, size_t n, struct perf_notes *notes,
		    struct tacho_error *err)
{
	struct machines machines = {0};
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		r = read_file(in, paths[i], (int)i, &machines, notes, err);
	return r;
}

size_t perf_file_of(const struct perf_input *in, uint32_t row)
{
	size_t f = 0;

	while (f + 1 < in->files.n && row >= in->files.v[f].end)
		f++;
	return f;
}

void perf_input_free(struct perf_input *in)
{
	vec_free(&in->rows);
	vec_free(&in->files);
	vec_free(&in->kinds);
	perf_intern_free(in->intern);
	*in = (struct perf_input)PERF_INPUT_INIT;
}

/* A header that outlives the reading of further records. */
static int copy_header(const struct csv_row *row, struct buf *text, struct csv_cell **cells)
{
	size_t at = 0;

	for (size_t i = 0; i < row->n; i++)
		buf_add(text, row->cells[i].text, row->cells[i].len);
	*cells = calloc(row->n, sizeof(**cells));
	if (!*cells || text->failed)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < row->n; i++) {
		(*cells)[i] = (struct csv_cell){text->data + at, row->cells[i].len};
		at += row->cells[i].len;
	}
	return 0;
}

/* 1: found and passed to GOT; 0: the file has fewer records, *INDEX is reduced by their number. */
static int cells_of_file(const char *path, uint32_t *index, perf_cell_fn got, void *arg,
			 struct tacho_error *err)
{
	struct csv *csv;
	struct csv_row row;
	struct csv_cell *header = NULL;
	struct buf names = BUF_INIT;
	size_t width;
	int r = csv_open(&csv, path, err);

	if (r < 0)
		return r;
	r = csv_next(csv, &row, err);
	if (r > 0)
		r = copy_header(&row, &names, &header) < 0 ? TACHO_ENOMEM : 1;
	width = row.n;
	while (r > 0 && (r = csv_next(csv, &row, err)) > 0) {
		if ((*index)--)
			continue;
		for (size_t i = 0; i < row.n && i < width; i++)
			got(arg, header[i], row.cells[i]);
		break;
	}
	free(header);
	buf_free(&names);
	csv_close(csv);
	return r;
}

int perf_input_cells(char *const *paths, size_t n, uint32_t index, perf_cell_fn got, void *arg,
		     struct tacho_error *err)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		r = cells_of_file(paths[i], &index, got, arg, err);
	if (r == 0)
		return err_set(err, TACHO_EREAD, "no such row in the input");
	return r < 0 ? r : 0;
}
