/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the table of ops. */
#include "perf/table.h"
#include "base/fmt.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define SIGN "\xf0\x9f\xaa\xa7" /* a placard, for signposts */

enum column {
	C_ID,
	C_TOTAL,
	C_BOUND,
	C_OP_CODE,
	C_DEVICE,
	C_SUB_DEVICE,
	C_TIME,
	C_GAP,
	C_OVERLAP,
	C_CORES,
	C_WORKERS,
	C_DRAM,
	C_DRAM_PCT,
	C_FLOPS,
	C_FLOPS_PCT,
	C_MATH,
	C_COUNT,
};

static const struct {
	const char *title, *unit;
	int decimals;
} columns[C_COUNT] = {
	[C_ID] = {"ID", NULL, 0},
	[C_TOTAL] = {"Total %", "%", 1},
	[C_BOUND] = {"Bound", NULL, 0},
	[C_OP_CODE] = {"OP Code", NULL, 0},
	[C_DEVICE] = {"Device ", NULL, 0},
	[C_TIME] = {"Device Time", MICRO, 0},
	[C_GAP] = {"Op-to-Op Gap", MICRO, 0},
	[C_CORES] = {"Cores", NULL, 0},
	[C_DRAM] = {"DRAM", "GB/s", 0},
	[C_DRAM_PCT] = {"DRAM %", "%", 1},
	[C_FLOPS] = {"FLOPs", "TFLOPs", 1},
	[C_FLOPS_PCT] = {"FLOPs %", "%", 1},
	[C_MATH] = {"Math Fidelity", NULL, 0},
	[C_SUB_DEVICE] = {"Sub Device ID", NULL, 0},
	[C_WORKERS] = {"Available Cores", NULL, 0},
	[C_OVERLAP] = {"Overlap", MICRO, 0},
};

/* The appearance of a kind: the same for all of its ops. */
struct face {
	char *label, *math;
	uint32_t label_len, label_width, math_len, math_width;
	uint32_t name_len; /* of the label: coloured apart from the rest; 0: as one */
	enum term_color color;
};

struct perf_table {
	const struct perf_report *report;
	struct perf_style style;
	bool hidden[C_COUNT], dropped[C_COUNT]; /* without data; too wide */
	size_t width[C_COUNT];
	struct face *faces;
	size_t faces_n;
};

/* One cell of one line: a text, perhaps a unit, a colour. */
struct cell {
	const char *text; /* NULL: nothing at all, not even a colour */
	size_t len, width;
	const char *unit;
	enum term_color color;
	char number[FMT_FIXED_SIZE];
};

enum term_color perf_op_color(const char *name)
{
	static const struct {
		const char *part;
		enum term_color color;
	} parts[] = {
		{"(torch)", TERM_RED},
		{"Matmul", TERM_MAGENTA},
		{"OptimizedConvNew", TERM_ORANGE},
		{"Conv2d", TERM_ORANGE},
		{"LayerNorm", TERM_CYAN},
		{"AllGather", TERM_CYAN},
		{"AllReduce", TERM_CYAN},
		{"ScaledDotProductAttentionDecode", TERM_BLUE},
		{"ScaledDotProductAttentionGQADecode", TERM_BLUE},
		{"NlpCreateHeadsDeviceOperation", TERM_BLUE},
		{"NLPConcatHeadsDecodeDeviceOperation", TERM_BLUE},
		{"UpdateCache", TERM_BLUE},
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(name, parts[i].part))
			return parts[i].color;
	return TERM_WHITE;
}

void perf_add_math(struct buf *out, const struct perf_kind *k)
{
	const char *types[TENSORS], *none = k->says_nan ? "nan" : "?";

	for (int t = 0; t < TENSORS; t++)
		types[t] = k->datatype[t] ? perf_datatype_short(k->datatype[t]) : NULL;
	if (k->family == FAMILY_MATMUL || k->family == FAMILY_CONV) {
		buf_adds(out, k->fidelity_name ? k->fidelity_name : "?");
		buf_addc(out, ' ');
		buf_adds(out, types[IN0] ? types[IN0] : none);
		buf_adds(out, " x ");
		buf_adds(out, types[IN1] ? types[IN1] : none);
		buf_adds(out, " => ");
		buf_adds(out, types[OUT] ? types[OUT] : none);
		return;
	}
	/* The comma belongs to the second type, whether there is a first or not. */
	buf_adds(out, types[IN0] ? types[IN0] : "");
	if (types[IN1]) {
		buf_adds(out, ", ");
		buf_adds(out, types[IN1]);
	}
	if (types[OUT]) {
		buf_adds(out, types[IN0] || types[IN1] ? " => " : "=> ");
		buf_adds(out, types[OUT]);
	}
}

/*
 * A name that reads as a number is printed as one, as in the tool whose tables ours match. Numbers
 * are those of Python: "1_000" and "infinity" too, but not "0x10".
 */
static bool as_number(const char *text, double *value)
{
	char plain[64], *end;
	const char *p = text;
	size_t n = 0;

	while (isspace((unsigned char)*p))
		p++;
	for (; *p && n + 1 < sizeof(plain); p++) {
		bool between = n && isdigit((unsigned char)p[-1]) && isdigit((unsigned char)p[1]);

		if (*p == 'x' || *p == 'X' || *p == '(')
			return false;
		if (*p != '_' || !between)
			plain[n++] = *p;
	}
	plain[n] = 0;
	*value = strtod(plain, &end);
	while (isspace((unsigned char)*end))
		end++;
	return end != plain && !*end && !*p;
}

/* The text as printed; NULL: out of memory. */
static char *table_printable(const char *text, size_t len, bool safe, bool number_too)
{
	struct buf out = BUF_INIT;
	char number[FMT_FIXED_SIZE];
	double value;

	if (number_too && as_number(text, &value))
		buf_add(&out, number, fmt_fixed(number, value, 0));
	else if (safe)
		term_add_safe(&out, text, len);
	else
		buf_add(&out, text, len);
	return buf_detach(&out);
}

static int make_face(struct face *face, const struct perf_kind *k, bool safe)
{
	struct buf math = BUF_INIT;
	size_t blank;
	bool divided;

	face->label = table_printable(k->label, k->label_len, safe, !k->signpost);
	perf_add_math(&math, k);
	face->math = math.failed ? NULL : table_printable(math.data, math.len, safe, true);
	buf_free(&math);
	if (!face->label || !face->math)
		return TACHO_ENOMEM;
	face->label_len = (uint32_t)strlen(face->label);
	face->math_len = (uint32_t)strlen(face->math);
	face->label_width = (uint32_t)term_width(face->label, face->label_len);
	face->math_width = (uint32_t)term_width(face->math, face->math_len);
	face->color = perf_op_color(face->label);
	blank = strcspn(face->label, " ");
	divided = strstr(face->label, "Matmul") || strstr(face->label, "OptimizedConvNew") ||
		  strstr(face->label, "Conv2dDeviceOperation") ||
		  strstr(face->label, "HaloDeviceOperation");
	face->name_len = divided && face->label[blank] ? (uint32_t)blank : 0;
	return 0;
}

static void set_number(struct cell *c, enum column column, double value)
{
	if (isnan(value))
		return;
	c->text = c->number;
	c->width = c->len = fmt_fixed(c->number, value, columns[column].decimals);
	c->unit = columns[column].unit;
}

static void set_text(struct cell *c, const char *text, size_t len, size_t width)
{
	c->text = text;
	c->len = len;
	c->width = width;
}

/* No sub-device has such a long name: print its beginning. */
static void set_sub_device(struct cell *c, const char *text)
{
	struct buf safe = BUF_INIT;

	term_add_safe(&safe, text, strlen(text));
	snprintf(c->number, sizeof(c->number), "%s", safe.failed ? "?" : safe.data);
	set_text(c, c->number, strlen(c->number), term_width(c->number, strlen(c->number)));
	buf_free(&safe);
}

static bool table_has(const struct perf_op *op, enum perf_has bit)
{
	return op->has & bit;
}

/* Colours the share that is closer to its peak: the limit of a slow op. */
static enum term_color share_color(const struct perf_op *op, bool dram)
{
	switch (op->bound) {
	case BOUND_DRAM:
		return dram ? TERM_GREEN : TERM_NONE;
	case BOUND_FLOP:
		return dram ? TERM_NONE : TERM_GREEN;
	case BOUND_SLOW:
		return dram == (op->dram_pct > op->flops_pct) ? TERM_YELLOW : TERM_NONE;
	default:
		return TERM_NONE;
	}
}

static enum term_color math_color(const struct perf_op *op, const char *label)
{
	static const enum term_color colors[] = {
		[VERDICT_NONE] = TERM_NONE,     [VERDICT_SUFFICIENT] = TERM_GREEN,
		[VERDICT_TOO_HIGH] = TERM_RED,  [VERDICT_TOO_LOW] = TERM_CYAN,
		[VERDICT_UNKNOWN] = TERM_WHITE, [VERDICT_NOT_APPLICABLE] = TERM_WHITE,
	};

	if (!strstr(label, "Matmul") && !strstr(label, "OptimizedConvNew"))
		return TERM_NONE;
	return colors[op->verdict];
}

enum term_color perf_part_color(const struct perf_report *r, const struct perf_op *op,
				enum perf_part part)
{
	static const enum term_color bounds[BOUND_COUNT] = {
		[BOUND_DRAM] = TERM_GREEN,
		[BOUND_FLOP] = TERM_GREEN,
		[BOUND_SLOW] = TERM_YELLOW,
		[BOUND_HOST] = TERM_RED,
	};
	int workers;

	if (op->dim)
		return TERM_GREY;
	switch (part) {
	case PART_BOUND:
		return bounds[op->bound];
	case PART_OP_CODE:
		return perf_op_color(perf_op_kind(r, op)->label);
	case PART_GAP:
		return op->gap > PERF_GAP_AT ? TERM_RED : TERM_NONE;
	case PART_CORES:
		workers = perf_available(r, op);
		if (r->options->model != PERF_MODEL_NEXT)
			return op->cores < 10 ? TERM_RED : op->cores == 64 ? TERM_GREEN : TERM_NONE;
		if (op->sharded || op->cores == workers)
			return TERM_GREEN;
		return op->cores < 10 && op->cores * 2 < workers ? TERM_RED : TERM_NONE;
	case PART_DRAM:
		return share_color(op, true);
	case PART_FLOPS:
		return share_color(op, false);
	case PART_MATH:
		return math_color(op, perf_op_kind(r, op)->label);
	default:
		return TERM_NONE;
	}
}

static enum term_color table_color_of(const struct perf_table *t, const struct perf_op *op,
				      enum column column)
{
	static const uint8_t parts[C_COUNT] = {
		[C_BOUND] = PART_BOUND,     [C_GAP] = PART_GAP,       [C_CORES] = PART_CORES,
		[C_DRAM] = PART_DRAM,       [C_DRAM_PCT] = PART_DRAM, [C_FLOPS] = PART_FLOPS,
		[C_FLOPS_PCT] = PART_FLOPS, [C_MATH] = PART_MATH,
	};

	/* The colour of the name is the same for all ops of a kind. */
	if (column == C_OP_CODE && !op->dim)
		return t->faces[op->kind].color;
	return perf_part_color(t->report, op, parts[column]);
}

/* Numbers that are shown when their bit is set. */
static const struct {
	uint16_t bit;
	uint16_t offset;
} figures[C_COUNT] = {
	[C_TOTAL] = {HAS_TOTAL, offsetof(struct perf_op, total)},
	[C_TIME] = {HAS_TIME, offsetof(struct perf_op, time)},
	[C_GAP] = {HAS_GAP, offsetof(struct perf_op, gap)},
	[C_CORES] = {HAS_CORES, offsetof(struct perf_op, cores)},
	[C_DRAM] = {HAS_DRAM, offsetof(struct perf_op, dram)},
	[C_DRAM_PCT] = {HAS_DRAM_PCT, offsetof(struct perf_op, dram_pct)},
	[C_FLOPS] = {HAS_FLOPS, offsetof(struct perf_op, flops)},
	[C_FLOPS_PCT] = {HAS_FLOPS_PCT, offsetof(struct perf_op, flops_pct)},
	[C_OVERLAP] = {HAS_OVERLAP, offsetof(struct perf_op, overlap)},
};

static void make_cell(const struct perf_table *t, const struct perf_op *op, enum column column,
		      struct cell *c)
{
	const struct face *face = &t->faces[op->kind];
	const struct perf_row *row = &t->report->in->rows.v[op->row];
	const char *bound = perf_bound_name(op->bound);

	c->text = c->unit = NULL;
	c->len = c->width = 0;
	switch (column) {
	case C_ID:
		if (perf_op_id(op))
			set_number(c, column, perf_op_id(op));
		break;
	case C_BOUND:
		set_text(c, bound, strlen(bound), strlen(bound));
		break;
	case C_OP_CODE:
		set_text(c, face->label, face->label_len, face->label_width);
		if (op->type == TYPE_SIGNPOST)
			c->width += 2;
		break;
	case C_DEVICE:
		if (row->device != PERF_NO_DEVICE)
			set_number(c, column, row->device);
		break;
	case C_MATH:
		set_text(c, face->math, face->math_len, face->math_width);
		break;
	case C_SUB_DEVICE:
		if (row->sub_device_text)
			set_sub_device(c, row->sub_device_text);
		else if (row->sub_device != PERF_NO_DEVICE)
			set_number(c, column, row->sub_device);
		break;
	case C_WORKERS:
		set_number(c, column, perf_available(t->report, op));
		break;
	default:
		if (table_has(op, figures[column].bit))
			set_number(c, column,
				   *(const double *)((const char *)op + figures[column].offset));
		break;
	}
	c->color = t->style.color && c->text ? table_color_of(t, op, column) : TERM_NONE;
	if (c->unit)
		c->width += 1 + term_width(c->unit, strlen(c->unit));
}

static void add_blanks(struct buf *out, size_t n)
{
	if (buf_reserve(out, n) < 0)
		return;
	memset(out->data + out->len, ' ', n);
	out->len += n;
	out->data[out->len] = 0;
}

static size_t table_padding(size_t width, size_t used)
{
	return width > used ? width - used : 0;
}

/* Right-aligned, with the number and its unit coloured separately. */
static void table_cell_add(struct buf *out, const struct cell *c, size_t width)
{
	add_blanks(out, table_padding(width, c->width));
	if (!c->text)
		return;
	term_add(out, c->color, c->text, c->len);
	if (c->unit) {
		buf_addc(out, ' ');
		term_add(out, c->color, c->unit, strlen(c->unit));
	}
}

/* Left-aligned; a name and its sizes are coloured separately. */
static void add_label(const struct perf_table *t, const struct perf_op *op, const struct cell *c,
		      struct buf *out)
{
	const struct face *face = &t->faces[op->kind];
	size_t width = c->width;

	if (op->type == TYPE_SIGNPOST) {
		buf_adds(out, SIGN " ");
		if (c->color == TERM_NONE) {
			buf_add(out, c->text, c->len);
		} else {
			buf_addf(out, "\x1b[38;5;%dm%s \x1b[0m", c->color, c->text);
			width++;
		}
	} else if (face->name_len && c->color != TERM_NONE) {
		term_add(out, c->color, c->text, face->name_len);
		buf_addc(out, ' ');
		term_add(out, c->color, c->text + face->name_len + 1, c->len - face->name_len - 1);
	} else {
		term_add(out, c->color, c->text, c->len);
	}
	add_blanks(out, table_padding(t->width[C_OP_CODE], width));
}

void perf_table_row(const struct perf_table *t, const struct perf_op *op, struct buf *out)
{
	struct cell c;

	for (int i = 0; i < C_COUNT; i++) {
		if (t->hidden[i] || t->dropped[i])
			continue;
		if (i)
			buf_add(out, "  ", 2);
		make_cell(t, op, (enum column)i, &c);
		if (i == C_ID) {
			/* The ID is as wide as if it had commas, but has none. */
			if (c.text)
				c.len = c.width = (size_t)sprintf(c.number, "%u", perf_op_id(op));
			table_cell_add(out, &c, t->width[C_ID]);
		} else if (i == C_OP_CODE) {
			add_label(t, op, &c, out);
		} else
			table_cell_add(out, &c, t->width[i]);
	}
	buf_addc(out, '\n');
}

void perf_table_header(const struct perf_table *t, struct buf *out)
{
	for (int i = 0; i < C_COUNT; i++) {
		if (t->hidden[i] || t->dropped[i])
			continue;
		buf_addf(out, "%s%s", i ? "  " : "", columns[i].title);
		add_blanks(out, table_padding(t->width[i], strlen(columns[i].title)));
	}
	buf_addc(out, '\n');
}

static size_t table_width(const struct perf_table *t)
{
	size_t n = 0;

	for (int i = 0; i < C_COUNT; i++)
		n += t->hidden[i] || t->dropped[i] ? 0 : t->width[i] + (i ? 2 : 0);
	return n;
}

void perf_table_rule(const struct perf_table *t, struct buf *out)
{
	for (size_t n = table_width(t); n; n--)
		buf_addc(out, '-');
	buf_addc(out, '\n');
}

/* Model next: the modelled traffic of all ops over the time in which the device was busy. */
static void footer_dram(const struct perf_report *r, struct cell *c, enum column column)
{
	double bytes = 0, busy = isnan(r->busy) ? r->time_sum : r->busy, rate;

	for (size_t i = 0; i < r->ops.n; i++)
		if (table_has(&r->ops.v[i], HAS_DRAM))
			bytes += r->ops.v[i].bytes;
	rate = bytes / (busy * 1e-6) / 1e9;
	if (r->options->model != PERF_MODEL_NEXT || bytes == 0 || busy <= 0 || !r->arch)
		return;
	set_number(c, column, column == C_DRAM ? rate : rate / r->arch->dram_gbs * 100);
}

void perf_table_footer(const struct perf_table *t, struct buf *out)
{
	const struct perf_report *r = t->report;
	char counts[100];
	struct cell c;

	snprintf(counts, sizeof(counts), "%llu device ops, %llu host ops, %llu signposts",
		 (unsigned long long)r->device_ops, (unsigned long long)r->host_ops,
		 (unsigned long long)r->signposts);
	if (t->style.columns && strlen(counts) > t->width[C_OP_CODE])
		snprintf(counts, sizeof(counts), "%llu device, %llu host",
			 (unsigned long long)r->device_ops, (unsigned long long)r->host_ops);
	for (int i = 0; i < C_COUNT; i++) {
		if (t->hidden[i] || t->dropped[i])
			continue;
		c = (struct cell){.text = "", .color = t->style.color ? TERM_GREY : TERM_NONE};
		if (i == C_TOTAL)
			set_number(&c, C_TOTAL, 100);
		else if (i == C_TIME)
			set_number(&c, C_TIME, r->time_sum);
		else if (i == C_GAP)
			set_number(&c, C_GAP, r->gap_sum);
		else if (i == C_DRAM || i == C_DRAM_PCT)
			footer_dram(r, &c, (enum column)i);
		if (i)
			buf_add(out, "  ", 2);
		if (i == C_OP_CODE) {
			term_add(out, c.color, counts, strlen(counts));
			add_blanks(out, table_padding(t->width[i], strlen(counts)));
			continue;
		}
		if (c.unit)
			c.width += 1 + term_width(c.unit, strlen(c.unit));
		table_cell_add(out, &c, t->width[i]);
	}
	buf_addc(out, '\n');
}

static void table_widths_measure(struct perf_table *t, const struct perf_view *view)
{
	struct cell c;

	for (int i = 0; i < C_COUNT; i++)
		t->width[i] = strlen(columns[i].title);
	for (size_t k = 0; k < view->n; k++) {
		const struct perf_op *op = &t->report->ops.v[view->v[k]];

		for (int i = 0; i < C_COUNT; i++) {
			make_cell(t, op, (enum column)i, &c);
			if (i == C_OP_CODE && op->type == TYPE_SIGNPOST)
				c.width += strlen(" (signpost)") - 2; /* its name in the CSV */
			if (c.width > t->width[i])
				t->width[i] = c.width;
		}
	}
}

/* "MatmulDeviceOperation 32 x 32 x 32" becomes "Matmul 32 x 32 x 32". */
static void face_shorten(struct face *face)
{
	static const char suffix[] = "DeviceOperation";
	const size_t n = sizeof(suffix) - 1;
	char *at = strstr(face->label, suffix);

	if (!at || at == face->label || (at[n] && at[n] != ' '))
		return;
	if (face->name_len && at + n != face->label + face->name_len)
		return; /* the suffix of a later word */
	memmove(at, at + n, strlen(at + n) + 1);
	face->label_len -= (uint32_t)n;
	face->label_width -= (uint32_t)n;
	face->name_len -= face->name_len ? (uint32_t)n : 0;
}

/* Makes the table as narrow as the terminal: shorter names, and then fewer columns. */
static void table_fit(struct perf_table *t, const struct perf_view *view)
{
	static const uint8_t order[] = {C_DEVICE, C_FLOPS,     C_DRAM,    C_MATH,
					C_CORES,  C_FLOPS_PCT, C_DRAM_PCT};

	if (!t->style.columns || table_width(t) <= t->style.columns)
		return;
	for (size_t i = 0; i < t->faces_n; i++)
		face_shorten(&t->faces[i]);
	table_widths_measure(t, view);
	for (size_t i = 0; i < sizeof(order) && table_width(t) > t->style.columns; i++)
		t->dropped[order[i]] =
			order[i] != C_DEVICE || !t->report->options->no_merge_devices;
	/* A narrow one may fit after a wide one was dropped. */
	for (size_t i = sizeof(order); i-- > 0;) {
		bool dropped = t->dropped[order[i]];

		t->dropped[order[i]] = false;
		t->dropped[order[i]] = dropped && table_width(t) > t->style.columns;
	}
}

void perf_table_note(const struct perf_table *t, struct buf *out)
{
	const char *before = "No room for the columns ";

	for (int i = 0; i < C_COUNT; i++) {
		size_t len = strlen(columns[i].title) - (i == C_DEVICE);

		if (!t->dropped[i] || t->hidden[i])
			continue;
		buf_adds(out, before);
		buf_add(out, columns[i].title, len);
		before = ", ";
	}
	if (*before == ',')
		buf_adds(out, "; --csv and --html have all\n");
}

struct perf_table *perf_table_new(const struct perf_report *r, const struct perf_view *view,
				  struct perf_style style)
{
	struct perf_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->report = r;
	t->style = style;
	t->hidden[C_SUB_DEVICE] = !r->has_sub_devices;
	t->hidden[C_WORKERS] = !r->has_workers;
	t->hidden[C_OVERLAP] = !r->has_overlap;
	t->faces_n = r->in->kinds.n;
	t->faces = calloc(t->faces_n + 1, sizeof(*t->faces));
	for (size_t i = 0; t->faces && i < t->faces_n; i++) {
		if (make_face(&t->faces[i], &r->in->kinds.v[i], style.safe) < 0) {
			perf_table_free(t);
			return NULL;
		}
	}
	if (!t->faces) {
		free(t);
		return NULL;
	}
	table_widths_measure(t, view);
	table_fit(t, view);
	return t;
}

void perf_table_free(struct perf_table *t)
{
	if (!t)
		return;
	for (size_t i = 0; t->faces && i < t->faces_n; i++) {
		free(t->faces[i].label);
		free(t->faces[i].math);
	}
	free(t->faces);
	free(t);
}

static double table_weight(const struct perf_op *op)
{
	return (table_has(op, HAS_TIME) ? op->time : 0) + (table_has(op, HAS_GAP) ? op->gap : 0);
}

static int compare_weight(const void *a, const void *b, void *arg)
{
	const struct perf_report *r = arg;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	double x = table_weight(&r->ops.v[i]), y = table_weight(&r->ops.v[k]);

	if (x != y)
		return x > y ? -1 : 1;
	return i < k ? -1 : i > k;
}

/* Shows the WORST small ops if there are no larger ones, in their order. */
static void view_keep_worst(const struct perf_view *view, const struct perf_report *r,
			    const bool *hidden, size_t worst, bool *shown)
{
	uint32_t most[VIEW_LEAST];
	size_t n = 0, at;

	for (size_t i = 0; i < view->n; i++) {
		uint32_t op = view->v[i];

		if (!hidden[i] || !perf_op_counts(&r->ops.v[op]))
			continue;
		for (at = n; at > 0 && compare_weight(&op, &most[at - 1], (void *)r) < 0; at--)
			if (at < worst)
				most[at] = most[at - 1];
		if (at < worst)
			most[at] = op;
		n += n < worst;
	}
	for (size_t i = 0; i < n; i++)
		shown[most[i]] = true;
}

int perf_view_hide(struct perf_view *view, const struct perf_report *r, struct perf_hidden *h)
{
	bool *hidden = calloc(view->n + 1, sizeof(*hidden));
	bool *shown = calloc(r->ops.n + 1, sizeof(*shown));
	size_t left = 0, n = 0;
	int code = hidden && shown ? 0 : TACHO_ENOMEM;

	*h = (struct perf_hidden){0};
	for (size_t i = 0; i < view->n && code == 0; i++) {
		const struct perf_op *op = &r->ops.v[view->v[i]];

		hidden[i] = op->dim || (op->type != TYPE_SIGNPOST && !perf_op_counts(op));
		left += !hidden[i];
	}
	if (code == 0 && left < VIEW_LEAST)
		view_keep_worst(view, r, hidden, VIEW_LEAST - left, shown);
	for (size_t i = 0; i < view->n && code == 0; i++) {
		const struct perf_op *op = &r->ops.v[view->v[i]];

		if (!hidden[i] || shown[view->v[i]]) {
			view->v[n++] = view->v[i];
		} else if (perf_op_counts(op)) {
			h->small++;
			h->share += table_has(op, HAS_TOTAL) ? op->total : 0;
		} else {
			h->unmeasured++;
		}
	}
	if (code == 0)
		view->n = n;
	free(hidden);
	free(shown);
	return code;
}

int perf_view_make(struct perf_view *view, const struct perf_report *r, int64_t top)
{
	if (vec_reserve(view, r->ops.n + 1) < 0)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < r->ops.n; i++)
		view->v[view->n++] = (uint32_t)i;
	if (top <= 0)
		return 0;
	qsort_r(view->v, view->n, sizeof(*view->v), compare_weight, (void *)r);
	if ((uint64_t)top < view->n)
		view->n = (size_t)top;
	return 0;
}
