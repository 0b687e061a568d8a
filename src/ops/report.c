#include "ops/report.h"

#include "base/csv.h"
#include "base/fmt.h"
#include "ops/cells.h"
#include "ops/metrics.h"
#include "ops/runtime.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FLUSH (1u << 20)

/* Where a column of the file takes its cells from. */
enum source { FIXED, INPUT, OUTPUT, SIZE, METRIC, CHILD, NOC, UNRELIABLE };

struct column {
	enum source source;
	uint32_t index; /* enum ops_column, tensor cell, size name, metric, child name */
};

/* What a device's rows have to know of the row before. */
struct device_state {
	int64_t device;
	double ns_per_cycle; /* 0: unknown */
	bool has_kernel, has_dm, has_quasar_dm, has_quasar_trisc;
	uint64_t kernel_end, dm_end, quasar_dm_end, quasar_trisc_end;
};

struct report {
	const struct ops_report_input *in;
	bool quasar;
	struct {
		VEC(struct column);
	} columns;
	struct {
		VEC(struct device_state);
	} devices;
	uint64_t *children; /* of the row, by name; valid where child_row is the row */
	uint64_t *child_row;
	uint64_t row;
	struct ops_cells cells;
	uint64_t kernel_cycles; /* of the row; 0: unknown */
	struct buf out;
	FILE *file;
};

static const struct ops_info *info_of(const struct ops_host *host, const struct ops_host_op *op)
{
	return op && op->info ? &host->infos.v[op->info - 1] : NULL;
}

static const struct ops_host_op *host_op(const struct report *r, const struct ops_row *row)
{
	return row->kind != OPS_ROW_SIGNPOST && row->host != OPS_NO_INDEX
		       ? &r->in->host->ops.v[row->host]
		       : NULL;
}

/* --- columns --- */

static const char *const tensor_cells[OPS_TENSOR_CELLS] = {
	"W_PAD[LOGICAL]", "Z_PAD[LOGICAL]", "Y_PAD[LOGICAL]", "X_PAD[LOGICAL]",
	"LAYOUT",         "DATATYPE",       "MEMORY"};

static int add_column(struct report *r, enum source source, size_t index)
{
	return vec_push(&r->columns, ((struct column){source, (uint32_t)index}));
}

static int add_fixed(struct report *r, int from, int to)
{
	for (int c = from; c < to; c++)
		if (ops_column_shown((enum ops_column)c, r->quasar) && add_column(r, FIXED, c) < 0)
			return TACHO_ENOMEM;
	return 0;
}

static size_t most_tensors(const struct ops_host *host, bool inputs)
{
	size_t most = 0;

	for (size_t i = 0; i < host->ops.n; i++) {
		const struct ops_info *info = info_of(host, &host->ops.v[i]);
		size_t n = info ? inputs ? info->inputs.n : info->outputs.n : 0;

		most = n > most ? n : most;
	}
	return most;
}

/* The order of kernel sizes: by class, then by number. */
struct size_key {
	uint32_t index, rank;
	long number;
	const char *name;
};

static struct size_key size_key(const struct ops_host *host, size_t index)
{
	static const char *const classes[] = {"TENSIX DM ", "TENSIX COMPUTE ", "ACTIVE ETH DM ",
					      "IDLE ETH DM "};
	struct size_key key = {
		.index = (uint32_t)index, .rank = 4, .name = host->size_names.v[index].text};

	for (uint32_t c = 0; c < 4; c++)
		if (!strncmp(key.name, classes[c], strlen(classes[c]))) {
			key.rank = c;
			key.number = strtol(key.name + strlen(classes[c]), NULL, 10);
		}
	return key;
}

static int compare_sizes(const void *a, const void *b)
{
	const struct size_key *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int add_sizes(struct report *r)
{
	const struct ops_host *host = r->in->host;
	struct size_key *keys = calloc(host->size_names.n + 1, sizeof(*keys));
	int rc = keys ? 0 : TACHO_ENOMEM;

	for (size_t i = 0; i < host->size_names.n && rc == 0; i++)
		keys[i] = size_key(host, i);
	if (rc == 0)
		qsort(keys, host->size_names.n, sizeof(*keys), compare_sizes);
	for (size_t i = 0; i < host->size_names.n && rc == 0; i++)
		rc = add_column(r, SIZE, keys[i].index);
	free(keys);
	return rc;
}

static int add_metrics(struct report *r)
{
	for (size_t c = 0; r->in->metrics && c < ops_metric_columns(); c++)
		if (ops_metrics_shown(r->in->metrics, c) && add_column(r, METRIC, c) < 0)
			return TACHO_ENOMEM;
	return 0;
}

#define CHILD_SUFFIX "_TT_HOST_FUNC [ns]"

static int compare_children(const void *a, const void *b, void *arg)
{
	const struct ops_names *names = arg;
	struct buf x = BUF_INIT, y = BUF_INIT;
	int order;

	buf_addf(&x, "%s%s", names->v[*(const uint32_t *)a].text, CHILD_SUFFIX);
	buf_addf(&y, "%s%s", names->v[*(const uint32_t *)b].text, CHILD_SUFFIX);
	order = strcmp(x.data, y.data);
	buf_free(&x);
	buf_free(&y);
	return order;
}

static int add_children(struct report *r)
{
	const struct ops_names *names = &r->in->host->child_names;
	uint32_t *order = calloc(names->n + 1, sizeof(*order));
	int rc = order ? 0 : TACHO_ENOMEM;

	for (uint32_t i = 0; i < names->n && rc == 0; i++)
		order[i] = i;
	if (rc == 0)
		qsort_r(order, names->n, sizeof(*order), compare_children, (void *)names);
	for (size_t i = 0; i < names->n && rc == 0; i++)
		rc = add_column(r, CHILD, order[i]);
	free(order);
	r->children = calloc(names->n + 1, sizeof(*r->children));
	r->child_row = calloc(names->n + 1, sizeof(*r->child_row));
	return rc < 0 || !r->children || !r->child_row ? TACHO_ENOMEM : 0;
}

static const char *const noc_names[] = {"NOC BYTES", "NOC EVENTS", "NOC MULTICAST BYTES",
					"NOC CORES", "NOC MAX CORE SHARE (%)"};
enum { NOC_COLUMNS = sizeof(noc_names) / sizeof(noc_names[0]) };

static int add_noc(struct report *r)
{
	for (size_t c = 0; r->in->noc && r->in->noc->n && c < NOC_COLUMNS; c++)
		if (add_column(r, NOC, c) < 0)
			return TACHO_ENOMEM;
	return 0;
}

static size_t noc_cell(const struct ops_noc_op *op, uint32_t column, char *text, size_t size)
{
	const uint64_t counts[] = {op->bytes, op->events, op->multicast_bytes, op->cores};

	if (column < sizeof(counts) / sizeof(counts[0]))
		return (size_t)snprintf(text, size, "%" PRIu64, counts[column]);
	return (size_t)snprintf(text, size, "%.1f", op->max_share);
}

/* Only there when a kernel has overwritten its markers. */
static int add_unreliable(struct report *r)
{
	return r->in->issues->counts[OPS_ISSUE_OVERWRITTEN] ? add_column(r, UNRELIABLE, 0) : 0;
}

static int choose_columns(struct report *r)
{
	int rc = add_fixed(r, 0, OPS_COL_HEAD_END);
	size_t inputs = most_tensors(r->in->host, true), outputs = most_tensors(r->in->host, false);

	for (size_t i = 0; i < inputs && rc == 0; i++)
		rc = add_column(r, INPUT, i);
	for (size_t i = 0; i < outputs && rc == 0; i++)
		rc = add_column(r, OUTPUT, i);
	if (rc == 0)
		rc = add_fixed(r, OPS_COL_HEAD_END, OPS_COL_CACHE_HIT + 1);
	if (rc == 0)
		rc = add_sizes(r);
	if (rc == 0)
		rc = add_fixed(r, OPS_COL_CACHE_HIT + 1, OPS_COLUMNS);
	if (rc == 0)
		rc = add_metrics(r);
	if (rc == 0)
		rc = add_children(r);
	if (rc == 0)
		rc = add_noc(r);
	return rc < 0 ? rc : add_unreliable(r);
}

static void write_header(struct report *r)
{
	const struct ops_host *host = r->in->host;

	for (size_t i = 0; i < r->columns.n; i++) {
		struct column c = r->columns.v[i];
		struct buf name = BUF_INIT;
		char metric[OPS_METRIC_NAME];

		switch (c.source) {
		case FIXED:
			buf_adds(&name, ops_column_names[c.index]);
			break;
		case INPUT:
		case OUTPUT:
			buf_addf(&name, "%s_%u_%s", c.source == INPUT ? "INPUT" : "OUTPUT",
				 c.index / OPS_TENSOR_CELLS,
				 tensor_cells[c.index % OPS_TENSOR_CELLS]);
			break;
		case SIZE:
			buf_adds(&name, host->size_names.v[c.index].text);
			break;
		case METRIC:
			ops_metric_column(c.index, metric);
			buf_adds(&name, metric);
			break;
		case CHILD:
			buf_addf(&name, "%s%s", host->child_names.v[c.index].text, CHILD_SUFFIX);
			break;
		case NOC:
			buf_adds(&name, noc_names[c.index]);
			break;
		case UNRELIABLE:
			buf_adds(&name, "UNRELIABLE");
			break;
		}
		if (i)
			buf_addc(&r->out, ',');
		csv_add(&r->out, name.data, name.len);
		buf_free(&name);
	}
	buf_adds(&r->out, "\r\n");
}

/* --- cells --- */

static struct device_state *state_of(struct report *r, int64_t device)
{
	for (size_t i = 0; i < r->devices.n; i++)
		if (r->devices.v[i].device == device)
			return &r->devices.v[i];
	if (vec_push(&r->devices, ((struct device_state){.device = device})) < 0)
		return NULL;
	return &r->devices.v[r->devices.n - 1];
}

static void info_cells(struct report *r, const struct ops_info *info)
{
	for (size_t i = 0; info && i < info->cells.n; i++) {
		const struct ops_cell *cell = &info->cells.v[i];

		ops_cells_text(&r->cells, cell->column, info->text.data + cell->text.at,
			       cell->text.len);
	}
}

static void host_cells(struct report *r, const struct ops_row *row, const struct ops_host_op *op)
{
	struct ops_cells *c = &r->cells;

	info_cells(r, info_of(r->in->host, op));
	ops_cells_int(c, OPS_COL_CALL_COUNT, (int64_t)op->id);
	if (op->device != OPS_NONE)
		ops_cells_int(c, OPS_COL_DEVICE_ID, op->device);
	if (op->hit != OPS_HIT_AS_INFO)
		ops_cells_text(c, OPS_COL_CACHE_HIT, op->hit == OPS_HIT_TRUE ? "True" : "False",
			       op->hit == OPS_HIT_TRUE ? 4 : 5);
	ops_cells_text(c, OPS_COL_TRACE_ID, "", 0);
	ops_cells_text(c, OPS_COL_SESSION_ID, "", 0);
	if (row->kind == OPS_ROW_REPLAY) {
		if (row->trace != OPS_NONE)
			ops_cells_int(c, OPS_COL_TRACE_ID, row->trace);
		ops_cells_int(c, OPS_COL_SESSION_ID, row->session);
	}
	if (!op->timed)
		return;
	ops_cells_int(c, OPS_COL_HOST_START, (int64_t)op->start_ns);
	ops_cells_int(c, OPS_COL_HOST_END, (int64_t)(op->start_ns + op->duration_ns));
	ops_cells_int(c, OPS_COL_HOST_DURATION, (int64_t)op->duration_ns);
}

/* An op that only the device knows. */
static void lone_cells(struct report *r, const struct ops_row *row, uint64_t id, int64_t device)
{
	ops_cells_text(&r->cells, OPS_COL_OP_TYPE, "tt_dnn_device", 13);
	ops_cells_int(&r->cells, OPS_COL_CALL_COUNT, (int64_t)id);
	ops_cells_int(&r->cells, OPS_COL_DEVICE_ID, device);
	if (row->trace != OPS_NONE)
		ops_cells_int(&r->cells, OPS_COL_TRACE_ID, row->trace);
	if (row->session != OPS_NONE)
		ops_cells_int(&r->cells, OPS_COL_SESSION_ID, row->session);
}

/*
 * The gap between the row before of the same device and this one, and this one's end for the next.
 * RATE is cycles per ns.
 */
static void latency(struct report *r, enum ops_column column, const struct ops_span *span,
		    double rate, bool *has, uint64_t *end)
{
	if (!span->set)
		return;
	if (*has)
		ops_cells_int(&r->cells, column,
			      llrint((double)(int64_t)(span->start - *end) / rate));
	else
		ops_cells_int(&r->cells, column, 0);
	*has = true;
	*end = span->end;
}

static void check_durations(struct report *r, const struct ops_device_op *op)
{
	for (int a = 0; a < OPS_ANALYSES; a++) {
		bool zero = a == OPS_AN_PER_CORE ? op->per_core.count && !op->per_core.first
						 : op->spans[a].set && !op->spans[a].cycles;

		/* In a log that is what a tool that reads it stumbles over; cores of a trace may
		 * well all start in one cycle. */
		if (zero && !(a == OPS_AN_FIRST_TO_LAST && r->in->issues->of_trace))
			ops_issue_add(r->in->issues, OPS_ISSUE_ZERO_DURATION, OPS_DEVICE_FILE, 0,
				      OPS_AT(op->id, op->device), "%s is 0 cycles",
				      ops_analyses[a].name);
	}
}

static int device_cells(struct report *r, const struct ops_device_op *op)
{
	uint32_t mhz = devlog_mhz(r->in->dev, op->device);
	const struct ops_span *kernel = &op->spans[OPS_AN_KERNEL];
	struct device_state *state = state_of(r, op->device);
	double rate = mhz / 1000.0;

	if (!state)
		return TACHO_ENOMEM;
	ops_cells_int(&r->cells, OPS_COL_CORE_COUNT, op->cores);
	ops_cells_spans(&r->cells, op, mhz, true);
	check_durations(r, op);
	r->kernel_cycles = kernel->set ? kernel->cycles : 0;
	if (!kernel->set || !mhz)
		return 0;
	if (kernel->cycles)
		rate = (double)kernel->cycles / ops_ns(kernel->cycles, mhz);
	latency(r, OPS_COL_LATENCY, kernel, rate, &state->has_kernel, &state->kernel_end);
	latency(r, OPS_COL_LATENCY_DM, &op->spans[OPS_AN_KERNEL_DM], rate, &state->has_dm,
		&state->dm_end);
	latency(r, OPS_COL_QUASAR_LATENCY_DM, &op->spans[OPS_AN_QUASAR_DM], rate,
		&state->has_quasar_dm, &state->quasar_dm_end);
	latency(r, OPS_COL_QUASAR_LATENCY_TRISC, &op->spans[OPS_AN_QUASAR_TRISC], rate,
		&state->has_quasar_trisc, &state->quasar_trisc_end);
	return 0;
}

static double row_ns_per_cycle(const struct ops_cpp_row *row)
{
	if (row->fw_start == OPS_NONE || row->fw_end == OPS_NONE || row->fw_ns <= 0 ||
	    row->fw_end <= row->fw_start)
		return 0;
	return (double)row->fw_ns / (double)(row->fw_end - row->fw_start);
}

/* The runtime's own latency if it gives one, else the distance to the row before. */
static void cpp_latency(struct report *r, const struct ops_cpp_row *row, enum ops_column column,
			enum ops_cpp_cycle from, double ns_per_cycle, bool *has, uint64_t *end)
{
	const struct ops_text *given = &row->cells[column];
	int64_t start = row->cycles[from], stop = row->cycles[from + 1];

	if (given->len)
		ops_cells_text(&r->cells, column, r->in->cpp->text.data + given->at, given->len);
	else if (ns_per_cycle != 0 && start != OPS_NONE && stop != OPS_NONE && *has)
		ops_cells_int(&r->cells, column,
			      llrint((double)(start - (int64_t)*end) * ns_per_cycle));
	else
		ops_cells_int(&r->cells, column, 0);
	if (stop != OPS_NONE) {
		*has = true;
		*end = (uint64_t)stop;
	}
}

static bool is_own(enum ops_column c)
{
	return c == OPS_COL_CALL_COUNT || c == OPS_COL_DEVICE_ID || c == OPS_COL_CORE_COUNT ||
	       c == OPS_COL_TRACE_ID || c == OPS_COL_SESSION_ID || c == OPS_COL_LATENCY ||
	       c == OPS_COL_LATENCY_DM;
}

static int cpp_cells(struct report *r, const struct ops_cpp_row *row)
{
	struct device_state *state = state_of(r, row->device);

	if (!state)
		return TACHO_ENOMEM;
	if (state->ns_per_cycle == 0)
		state->ns_per_cycle = row_ns_per_cycle(row);
	if (row->core_count != OPS_NONE)
		ops_cells_int(&r->cells, OPS_COL_CORE_COUNT, row->core_count);
	cpp_latency(r, row, OPS_COL_LATENCY, OPS_CPP_KERNEL_START, state->ns_per_cycle,
		    &state->has_kernel, &state->kernel_end);
	cpp_latency(r, row, OPS_COL_LATENCY_DM, OPS_CPP_DM_START, state->ns_per_cycle,
		    &state->has_dm, &state->dm_end);
	for (int c = 0; c < OPS_COLUMNS; c++)
		if (!is_own((enum ops_column)c) && row->cells[c].len && !r->cells.c[c].len)
			ops_cells_text(&r->cells, (enum ops_column)c,
				       r->in->cpp->text.data + row->cells[c].at, row->cells[c].len);
	return 0;
}

static void sub_device(struct report *r, const struct ops_row *row, int64_t device, uint64_t id)
{
	bool replay = row->kind == OPS_ROW_REPLAY;
	const struct devlog_run *run =
		devlog_find_run(r->in->dev, device, id, replay ? row->trace : OPS_NONE,
				replay ? row->session : OPS_NONE);

	if (run && run->sub_device != OPS_NONE)
		ops_cells_int(&r->cells, OPS_COL_SUB_DEVICE, run->sub_device);
}

/* What the op's model says it would take, in percent of what it took. */
static void model_cell(struct report *r, const struct ops_info *info)
{
	double kernel = ops_cells_number(&r->cells, OPS_COL_KERNEL), util;
	char text[64];

	if (!info || !info->has_model || isnan(kernel))
		return;
	util = kernel == 0 ? 0 : 100.0 * info->compute_ns / kernel;
	snprintf(text, sizeof(text), "%.3f", util);
	fmt_python(text, strtod(text, NULL));
	snprintf(r->cells.text[OPS_COL_PM_FPU], OPS_CELL_TEXT, "%.31s", text);
	ops_cells_text(&r->cells, OPS_COL_PM_FPU, r->cells.text[OPS_COL_PM_FPU],
		       strlen(r->cells.text[OPS_COL_PM_FPU]));
}

static void signpost_cells(struct report *r, const struct ops_signpost *post)
{
	ops_cells_text(&r->cells, OPS_COL_OP_CODE, post->header, strlen(post->header));
	ops_cells_text(&r->cells, OPS_COL_OP_TYPE, "signpost", 8);
	if (post->message)
		ops_cells_text(&r->cells, OPS_COL_ATTRIBUTES, post->message, strlen(post->message));
	ops_cells_int(&r->cells, OPS_COL_HOST_START, (int64_t)post->ns);
}

static int op_cells(struct report *r, const struct ops_row *row)
{
	const struct ops_host_op *op = host_op(r, row);
	const struct ops_device_op *device =
		row->device == OPS_NO_INDEX ? NULL : &r->in->device_ops->v[row->device];
	const struct ops_cpp_row *cpp = row->cpp == OPS_NO_INDEX ? NULL : &r->in->cpp->v[row->cpp];
	int rc = 0;

	if (op)
		host_cells(r, row, op);
	else if (device)
		lone_cells(r, row, device->id, device->device);
	else if (cpp)
		lone_cells(r, row, cpp->id, cpp->device);
	if (device)
		rc = device_cells(r, device);
	if (cpp)
		rc = cpp_cells(r, cpp);
	if (op && op->device != OPS_NONE)
		sub_device(r, row, op->device, op->id);
	else if (device)
		sub_device(r, row, device->device, device->id);
	else if (!op && cpp)
		sub_device(r, row, cpp->device, cpp->id);
	model_cell(r, info_of(r->in->host, op));
	return rc;
}

/* --- rows --- */

static void take_children(struct report *r, const struct ops_host_op *op)
{
	r->row++;
	for (uint32_t at = op ? op->children : 0; at;) {
		const struct ops_child *child = &r->in->host->children.v[at - 1];

		r->children[child->name] = child->ns;
		r->child_row[child->name] = r->row;
		at = child->next;
	}
}

static struct ops_cellref tensor_cell(const struct ops_info *info, const struct ops_texts *texts,
				      uint32_t index)
{
	if (index >= texts->n)
		return (struct ops_cellref){"", 0};
	return (struct ops_cellref){info->text.data + texts->v[index].at, texts->v[index].len};
}

static struct ops_cellref size_cell(const struct ops_info *info, uint32_t name)
{
	for (size_t i = 0; i < info->sizes.n; i++)
		if ((uint32_t)info->sizes.v[i].column == name)
			return (struct ops_cellref){info->text.data + info->sizes.v[i].text.at,
						    info->sizes.v[i].text.len};
	return (struct ops_cellref){"", 0};
}

static const struct ops_noc_op *noc_of(const struct report *r, const struct ops_row *row,
				       const struct ops_host_op *op)
{
	bool replay = row->kind == OPS_ROW_REPLAY;

	return op && r->in->noc ? ops_noc_find(r->in->noc, op->device, op->id,
					       replay ? row->trace : OPS_NONE,
					       replay ? row->session : OPS_NONE)
				: NULL;
}

/* What an op is called, which the runtime's own table need not know. */
static uint64_t row_id(const struct report *r, const struct ops_row *row)
{
	const struct ops_host_op *op = host_op(r, row);

	if (op)
		return op->id;
	return row->device == OPS_NO_INDEX ? 0 : r->in->device_ops->v[row->device].id;
}

/* The cell of COLUMN; TEXT has room for one that is made here. */
static struct ops_cellref row_cell(struct report *r, const struct ops_row *row,
				   struct column column, char *text, size_t size)
{
	const struct ops_host_op *op = host_op(r, row);
	const struct ops_info *info = info_of(r->in->host, op);
	const struct ops_device_op *device =
		row->device == OPS_NO_INDEX ? NULL : &r->in->device_ops->v[row->device];
	const struct ops_noc_op *noc;
	size_t len = 0;

	switch (column.source) {
	case FIXED:
		return r->cells.c[column.index];
	case INPUT:
		return info ? tensor_cell(info, &info->inputs, column.index)
			    : (struct ops_cellref){0};
	case OUTPUT:
		return info ? tensor_cell(info, &info->outputs, column.index)
			    : (struct ops_cellref){0};
	case SIZE:
		return info ? size_cell(info, column.index) : (struct ops_cellref){0};
	case CHILD:
		len = (size_t)snprintf(text, size, "%" PRIu64, r->children[column.index]);
		break;
	case METRIC:
		if (device)
			len = ops_metrics_cell(r->in->metrics, column.index, device->device,
					       device->id, row->session, r->kernel_cycles, text);
		break;
	case NOC:
		noc = noc_of(r, row, op);
		len = noc ? noc_cell(noc, column.index, text, size) : 0;
		break;
	case UNRELIABLE:
		if (row->kind != OPS_ROW_SIGNPOST &&
		    ops_issues_unreliable(r->in->issues, row_id(r, row)))
			len = (size_t)snprintf(text, size, "markers overwritten");
		break;
	}
	return (struct ops_cellref){text, len};
}

static void write_row(struct report *r, const struct ops_row *row)
{
	char text[64];

	take_children(r, host_op(r, row));
	for (size_t i = 0; i < r->columns.n; i++) {
		struct column column = r->columns.v[i];
		struct ops_cellref cell;

		if (i)
			buf_addc(&r->out, ',');
		/* There may be thousands of these, and mostly they are empty. */
		if (column.source == CHILD && r->child_row[column.index] != r->row)
			continue;
		cell = row_cell(r, row, column, text, sizeof(text));
		if (cell.len)
			csv_add(&r->out, cell.text, cell.len);
	}
	buf_adds(&r->out, "\r\n");
}

static void tell_summary(struct report *r, const struct ops_row *row)
{
	struct ops_cells *c = &r->cells;
	struct ops_summary_row out = {
		.code = c->c[OPS_COL_OP_CODE].text,
		.code_len = c->c[OPS_COL_OP_CODE].len,
		.kernel_ns = ops_cells_number(c, OPS_COL_KERNEL),
		.gap_ns = ops_cells_number(c, OPS_COL_LATENCY),
		.core_max_ns = ops_cells_number(c, OPS_COL_CORE_MAX),
		.core_avg_ns = ops_cells_number(c, OPS_COL_CORE_AVG),
	};
	const struct ops_host_op *op = host_op(r, row);

	if (!r->in->summary)
		return;
	if (row->kind == OPS_ROW_SIGNPOST) {
		r->in->summary->signposts++;
		return;
	}
	out.id = op                            ? op->id
		 : row->device != OPS_NO_INDEX ? r->in->device_ops->v[row->device].id
					       : r->in->cpp->v[row->cpp].id;
	out.captured = op && op->trace != OPS_NONE && row->kind == OPS_ROW_OP &&
		       row->device == OPS_NO_INDEX && row->cpp == OPS_NO_INDEX;
	/* The runtime's own table has no columns for it. */
	if (r->in->runtime && row->cpp != OPS_NO_INDEX && isnan(out.core_max_ns)) {
		const struct ops_cpp_row *cpp = &r->in->cpp->v[row->cpp];

		ops_runtime_cores(r->in->runtime, cpp->device, cpp->id, cpp->trace, cpp->session,
				  &out.core_max_ns, &out.core_avg_ns);
	}
	ops_summary_add(r->in->summary, &out);
}

static int flush(struct report *r, size_t least, struct tacho_error *err)
{
	if (r->out.failed)
		return err_set(err, TACHO_ENOMEM, "out of memory");
	if (r->out.len < least)
		return 0;
	if (fwrite(r->out.data, 1, r->out.len, r->file) < r->out.len)
		return err_errno(err, TACHO_EWRITE, "cannot write the report");
	buf_reset(&r->out);
	return 0;
}

static int write_rows(struct report *r, struct tacho_error *err)
{
	const struct ops_rows *rows = r->in->rows;
	int rc = flush(r, FLUSH, err);

	for (size_t i = 0; i < rows->n && rc == 0; i++) {
		memset(r->cells.c, 0, sizeof(r->cells.c));
		r->kernel_cycles = 0;
		if (rows->v[i].kind == OPS_ROW_SIGNPOST)
			signpost_cells(r, &r->in->host->signposts.v[rows->v[i].host]);
		else if (op_cells(r, &rows->v[i]) < 0)
			return err_set(err, TACHO_ENOMEM, "out of memory");
		write_row(r, &rows->v[i]);
		tell_summary(r, &rows->v[i]);
		rc = flush(r, FLUSH, err);
	}
	return rc < 0 ? rc : flush(r, 0, err);
}

int ops_report_write(const struct ops_report_input *in, FILE *out, struct tacho_error *err)
{
	struct report *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return err_set(err, TACHO_ENOMEM, "out of memory");
	r->in = in;
	r->file = out;
	r->out = (struct buf)BUF_INIT;
	r->quasar = in->dev->quasar;
	rc = choose_columns(r);
	if (rc < 0) {
		rc = err_set(err, rc, "out of memory");
	} else {
		write_header(r);
		rc = write_rows(r, err);
	}
	buf_free(&r->out);
	vec_free(&r->columns);
	vec_free(&r->devices);
	free(r->children);
	free(r->child_row);
	free(r);
	return rc;
}
