/* SPDX-License-Identifier: Apache-2.0 */
/* Builds ops from the host's records and the devices' measurements. */
#include "op/build.h"

#include "base/fmt.h"
#include "op/measure.h"
#include "op/metrics.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* End of the previous op on a device, one per measured range. */
struct last_end {
	bool set;
	uint64_t cycle;
};

struct device_state {
	int64_t device;
	double ns_per_cycle; /* 0: unknown */
	struct last_end kernel, dm, quasar_dm, quasar_trisc;
};

struct building {
	const struct op_build_input *in;
	struct op_table *t;
	struct {
		VEC(struct device_state);
	} devices;
	uint32_t *metrics;      /* extra column of each metric + 1; 0: not shown */
	uint32_t *functions;    /* extra column of each host function + 1 */
	uint32_t noc;           /* first extra column of the NoC + 1 */
	uint64_t kernel_cycles; /* of the current op; 0: unknown */
};

static const struct op_host_op *row_call(const struct building *b, const struct op_row *row)
{
	return row->kind != OP_ROW_SIGNPOST && row->host != OP_NO_INDEX
		       ? &b->in->host->ops.v[row->host]
		       : NULL;
}

static const struct op_measurement *row_measurement(const struct building *b,
						    const struct op_row *row)
{
	return row->measured == OP_NO_INDEX ? NULL : &b->in->measured->v[row->measured];
}

/* ---- columns ---- */

static int columns_metrics(struct building *b)
{
	char name[OP_METRIC_NAME];

	b->metrics = calloc(op_metric_columns() + 1, sizeof(*b->metrics));
	if (!b->metrics)
		return TACHO_ENOMEM;
	for (size_t c = 0; b->in->metrics && c < op_metric_columns(); c++) {
		int64_t extra;

		if (!op_metrics_shown(b->in->metrics, c))
			continue;
		op_metric_column(c, name);
		extra = op_table_extra(b->t, OP_EXTRA_COUNTER, name, strlen(name));
		if (extra < 0)
			return (int)extra;
		b->metrics[c] = (uint32_t)extra + 1;
	}
	return 0;
}

static int columns_functions(struct building *b)
{
	const struct op_names *names = &b->in->host->child_names;
	struct buf name = BUF_INIT;
	int64_t extra = 0;

	b->functions = calloc(names->n + 1, sizeof(*b->functions));
	if (!b->functions)
		return TACHO_ENOMEM;
	for (size_t i = 0; i < names->n && extra >= 0; i++) {
		buf_reset(&name);
		buf_add(&name, names->v[i].text, names->v[i].len);
		buf_adds(&name, "_TT_HOST_FUNC [ns]");
		extra = name.failed
				? TACHO_ENOMEM
				: op_table_extra(b->t, OP_EXTRA_HOST_FUNCTION, name.data, name.len);
		b->functions[i] = (uint32_t)extra + 1;
	}
	buf_free(&name);
	return extra < 0 ? (int)extra : 0;
}

static const char *const noc_names[] = {"NOC BYTES", "NOC EVENTS", "NOC MULTICAST BYTES",
					"NOC CORES", "NOC MAX CORE SHARE (%)"};
enum { NOC_COLUMNS = sizeof(noc_names) / sizeof(noc_names[0]) };

static int columns_choose(struct building *b)
{
	b->t->quasar = b->in->dev->quasar;
	/* Present only when a kernel has overwritten its markers. */
	b->t->unreliable = b->in->issues->counts[OP_ISSUE_OVERWRITTEN] > 0;
	for (int c = 0; c < OP_COLUMNS; c++)
		b->t->shown[c] = op_column_shown((enum op_column)c, b->t->quasar);
	if (columns_metrics(b) < 0 || columns_functions(b) < 0)
		return TACHO_ENOMEM;
	for (size_t c = 0; b->in->noc && b->in->noc->n && c < NOC_COLUMNS; c++) {
		int64_t extra =
			op_table_extra(b->t, OP_EXTRA_OTHER, noc_names[c], strlen(noc_names[c]));

		if (extra < 0)
			return (int)extra;
		if (!b->noc)
			b->noc = (uint32_t)extra + 1;
	}
	return 0;
}

/* ---- the host's side ---- */

static struct device_state *state_of(struct building *b, int64_t device)
{
	for (size_t i = 0; i < b->devices.n; i++)
		if (b->devices.v[i].device == device)
			return &b->devices.v[i];
	if (vec_push(&b->devices, ((struct device_state){.device = device})) < 0)
		return NULL;
	return &b->devices.v[b->devices.n - 1];
}

static int fill_call(struct building *b, struct op *op, const struct op_row *row,
		     const struct op_host_op *call)
{
	op->program = call->program ? call->program - 1 : OP_NO_PROGRAM;
	op->id = (int64_t)call->id;
	op->device = call->device;
	op->hit = (uint8_t)call->hit;
	if (row->kind == OP_ROW_REPLAY) {
		op->trace = row->trace;
		op->session = row->session;
	}
	if (call->timed) {
		op->host_start = (int64_t)call->start_ns;
		op->host_end = (int64_t)(call->start_ns + call->duration_ns);
		op->host_duration = (int64_t)call->duration_ns;
	}
	for (uint32_t at = call->children; at;) {
		const struct op_child *child = &b->in->host->children.v[at - 1];

		if (op_table_add_number(b->t, &op->cells,
					OP_COLUMNS + b->functions[child->name] - 1,
					(double)child->ns) < 0)
			return TACHO_ENOMEM;
		at = child->next;
	}
	return 0;
}

/* A program of which only this is known. */
static int fill_program(struct building *b, struct op *op, const char *code, const char *type,
			const char *attributes)
{
	struct op_program p = {.ideal_ns = NAN, .compute_ns = NAN, .bandwidth_ns = NAN};

	if (code)
		p.code = op_table_text(b->t, code, strlen(code));
	p.type = op_table_text(b->t, type, strlen(type));
	if (attributes)
		p.attributes = op_table_text(b->t, attributes, strlen(attributes));
	if ((code && !p.code.text) || !p.type.text || (attributes && !p.attributes.text) ||
	    vec_push(&b->t->programs, p) < 0)
		return TACHO_ENOMEM;
	op->program = (uint32_t)b->t->programs.n - 1;
	return 0;
}

/* An op that only the device knows. */
static int fill_lone(struct building *b, struct op *op, const struct op_row *row, int64_t id,
		     int64_t device)
{
	op->id = id;
	op->device = device;
	op->trace = row->trace;
	op->session = row->session;
	return fill_program(b, op, NULL, "tt_dnn_device", NULL);
}

/* ---- the device's side ---- */

static double cycles_ns(uint64_t cycles, uint32_t mhz)
{
	return (double)(cycles * 1000) / mhz;
}

/* All durations of an execution. JOINED: computed as in the report with host data. */
static void fill_spans(struct op *op, const struct op_execution *e, uint32_t mhz, bool joined)
{
	const struct op_per_core *p = &e->per_core;
	const struct op_span *fw = &e->spans[OP_M_FW];

	if (fw->set) {
		op->fw_start = (int64_t)fw->start;
		op->fw_end = (int64_t)fw->end;
	}
	if (!mhz)
		return;
	/* Reports round half to even, which is what rint() does. */
	for (int a = 0; a < OP_MEASURES; a++)
		if (e->spans[a].set && op_measures[a].column >= 0)
			op_set_real(op, (enum op_column)op_measures[a].column,
				    rint(cycles_ns(e->spans[a].cycles, mhz)));
	if (!p->count)
		return;
	op->slowest =
		(struct op_slowest){cycles_ns(p->max, mhz), (double)p->sum / p->count * 1000 / mhz,
				    p->x, p->y, p->risc};
	/* The two reports compute the same figure in two ways, which round differently. */
	if (joined && p->first) {
		double rate = (double)p->first / cycles_ns(p->first, mhz);

		op->core_min = rint((double)p->min / rate);
		op->core_max = rint((double)p->max / rate);
		op->core_avg = rint((double)p->sum / p->count / rate);
	} else {
		op->core_min = rint(cycles_ns(p->min, mhz));
		op->core_max = rint(cycles_ns(p->max, mhz));
		op->core_avg = rint((double)p->sum / p->count * 1000 / mhz);
	}
}

/* The gap between the previous op on the same device and this one; RATE is cycles per ns. */
static void fill_latency(double *latency, const struct op_span *span, double rate,
			 struct last_end *last)
{
	if (!span->set)
		return;
	*latency = last->set ? rint((double)(int64_t)(span->start - last->cycle) / rate) : 0;
	*last = (struct last_end){true, span->end};
}

static int fill_execution(struct building *b, struct op *op, const struct op_execution *e)
{
	uint32_t mhz = devlog_mhz(b->in->dev, e->device);
	const struct op_span *kernel = &e->spans[OP_M_KERNEL];
	struct device_state *state = state_of(b, e->device);
	double rate = mhz / 1000.0;

	if (!state)
		return TACHO_ENOMEM;
	op->core_count = e->cores;
	fill_spans(op, e, mhz, true);
	for (int a = 0; a < OP_MEASURES; a++) {
		bool zero = a == OP_M_PER_CORE ? e->per_core.count && !e->per_core.first
					       : e->spans[a].set && !e->spans[a].cycles;

		/*
		 * Only in a log: tools that read it fail on this. Cores of a trace may all start in
		 * one cycle.
		 */
		if (zero && !(a == OP_M_FIRST_TO_LAST && b->in->issues->of_trace))
			op_issue_add(b->in->issues, OP_ISSUE_ZERO_DURATION, TTLOG_DEVICE_FILE, 0,
				     OP_AT(e->id, e->device), "%s is 0 cycles",
				     op_measures[a].name);
	}
	b->kernel_cycles = kernel->set ? kernel->cycles : 0;
	if (!kernel->set || !mhz)
		return 0;
	if (kernel->cycles)
		rate = (double)kernel->cycles / cycles_ns(kernel->cycles, mhz);
	fill_latency(&op->latency, kernel, rate, &state->kernel);
	fill_latency(&op->latency_dm, &e->spans[OP_M_KERNEL_DM], rate, &state->dm);
	fill_latency(&op->quasar_latency_dm, &e->spans[OP_M_QUASAR_DM], rate, &state->quasar_dm);
	fill_latency(&op->quasar_latency_trisc, &e->spans[OP_M_QUASAR_TRISC], rate,
		     &state->quasar_trisc);
	return 0;
}

static double op_ns_per_cycle(const struct op *op)
{
	if (op->fw_start == OP_NONE || op->fw_end == OP_NONE || !(op->fw > 0) ||
	    op->fw_end <= op->fw_start)
		return 0;
	return op->fw / (double)(op->fw_end - op->fw_start);
}

/* The runtime's own latency if there is one, else the distance from the previous op. */
static int fill_runtime_latency(struct building *b, struct op *op, const struct op *from,
				enum op_column column, double given, int64_t start, int64_t end,
				double ns_per_cycle, struct last_end *last)
{
	const struct op_cell *cell = op_cell_find(b->t, from->cells, column);
	double latency = 0;

	if (!isnan(given))
		latency = given;
	else if (ns_per_cycle != 0 && start != OP_NONE && end != OP_NONE && last->set)
		latency = rint((double)(start - (int64_t)last->cycle) * ns_per_cycle);
	op_set_real(op, column, latency);
	if (end != OP_NONE)
		*last = (struct last_end){true, (uint64_t)end};
	return cell ? op_table_add_cell(b->t, &op->cells, column, cell->text) : 0;
}

/* The join decides these, or they are handled separately. */
static bool is_own(enum op_column c)
{
	return c == OP_COL_CALL_COUNT || c == OP_COL_DEVICE_ID || c == OP_COL_CORE_COUNT ||
	       c == OP_COL_TRACE_ID || c == OP_COL_SESSION_ID || c == OP_COL_LATENCY ||
	       c == OP_COL_LATENCY_DM;
}

static int fill_measurement(struct building *b, struct op *op, const struct op_measurement *m)
{
	struct device_state *state = state_of(b, m->op.device);

	if (!state)
		return TACHO_ENOMEM;
	if (state->ns_per_cycle == 0)
		state->ns_per_cycle = op_ns_per_cycle(&m->op);
	if (m->op.core_count != OP_NONE)
		op->core_count = m->op.core_count;
	op->slowest = m->op.slowest;
	if (fill_runtime_latency(b, op, &m->op, OP_COL_LATENCY, m->op.latency, m->kernel_start,
				 m->kernel_end, state->ns_per_cycle, &state->kernel) < 0 ||
	    fill_runtime_latency(b, op, &m->op, OP_COL_LATENCY_DM, m->op.latency_dm, m->dm_start,
				 m->dm_end, state->ns_per_cycle, &state->dm) < 0)
		return TACHO_ENOMEM;
	for (int c = 0; c < OP_COLUMNS; c++)
		if (!is_own((enum op_column)c) &&
		    op_take_column(b->t, op, &m->op, (enum op_column)c) < 0)
			return TACHO_ENOMEM;
	return 0;
}

/* ---- both ---- */

static void fill_sub_device(struct building *b, struct op *op, const struct op_row *row,
			    int64_t device, int64_t id)
{
	bool replay = row->kind == OP_ROW_REPLAY;
	const struct devlog_run *run =
		devlog_find_run(b->in->dev, device, (uint64_t)id, replay ? row->trace : OP_NONE,
				replay ? row->session : OP_NONE);

	if (run && run->sub_device != OP_NONE)
		op->sub_device = run->sub_device;
}

/* The time that the op's model predicts, in percent of the measured time. */
static void build_fill_model(struct building *b, struct op *op)
{
	const struct op_program *p = op_program_of(b->t, op);
	struct op_value kernel =
		op_value(b->t, op, (struct op_field){OP_FIELD_FIXED, OP_COL_KERNEL});
	char text[64];

	if (!p || isnan(p->compute_ns) || (kernel.type != OP_REAL && kernel.type != OP_INT))
		return;
	snprintf(text, sizeof(text), "%.3f",
		 kernel.real == 0 ? 0 : 100.0 * p->compute_ns / kernel.real);
	op->pm_fpu = strtod(text, NULL);
}

static int fill_metrics(struct building *b, struct op *op, const struct op_execution *e,
			int64_t session)
{
	char text[64];

	for (size_t c = 0; b->in->metrics && e && c < op_metric_columns(); c++) {
		size_t len;

		if (!b->metrics[c])
			continue;
		len = op_metrics_cell(b->in->metrics, c, e->device, e->id, session,
				      b->kernel_cycles, text);
		if (len && op_table_add_cell(b->t, &op->cells, OP_COLUMNS + b->metrics[c] - 1,
					     op_table_text(b->t, text, len)) < 0)
			return TACHO_ENOMEM;
	}
	return 0;
}

static int fill_noc(struct building *b, struct op *op, const struct op_row *row,
		    const struct op_host_op *call)
{
	bool replay = row->kind == OP_ROW_REPLAY;
	const struct op_noc_op *noc = call && b->in->noc && b->noc
					      ? op_noc_find(b->in->noc, call->device, call->id,
							    replay ? row->trace : OP_NONE,
							    replay ? row->session : OP_NONE)
					      : NULL;
	char text[64];

	for (uint32_t c = 0; noc && c < NOC_COLUMNS; c++) {
		const uint64_t counts[] = {noc->bytes, noc->events, noc->multicast_bytes,
					   noc->cores};
		int n = c + 1 < NOC_COLUMNS ? snprintf(text, sizeof(text), "%" PRIu64, counts[c])
					    : snprintf(text, sizeof(text), "%.1f", noc->max_share);

		if (op_table_add_cell(b->t, &op->cells, OP_COLUMNS + b->noc - 1 + c,
				      op_table_text(b->t, text, (size_t)n)) < 0)
			return TACHO_ENOMEM;
	}
	return 0;
}

static enum op_kind op_kind_of(const struct op_table *t, const struct op *op)
{
	const struct op_program *p = op_program_of(t, op);

	if (p && p->type.len == 8 && !memcmp(p->type.text, "signpost", 8))
		return OP_SIGNPOST;
	if (p && p->type.text)
		return p->type.len == 13 && !memcmp(p->type.text, "tt_dnn_device", 13)
			       ? OP_ON_DEVICE
			       : OP_ON_HOST;
	return op->device == OP_NONE ? OP_ON_HOST : OP_ON_DEVICE;
}

static int fill_op(struct building *b, struct op *op, const struct op_row *row)
{
	const struct op_host_op *call = row_call(b, row);
	const struct op_execution *e =
		row->device == OP_NO_INDEX ? NULL : &b->in->executions->v[row->device];
	const struct op_measurement *m = row_measurement(b, row);
	int r = 0;

	if (call)
		r = fill_call(b, op, row, call);
	else if (e)
		r = fill_lone(b, op, row, (int64_t)e->id, e->device);
	else if (m)
		r = fill_lone(b, op, row, m->op.id, m->op.device);
	if (r == 0 && e)
		r = fill_execution(b, op, e);
	if (r == 0 && m)
		r = fill_measurement(b, op, m);
	if (call && call->device != OP_NONE)
		fill_sub_device(b, op, row, call->device, (int64_t)call->id);
	else if (e)
		fill_sub_device(b, op, row, e->device, (int64_t)e->id);
	else if (!call && m)
		fill_sub_device(b, op, row, m->op.device, m->op.id);
	build_fill_model(b, op);
	if (r == 0)
		r = fill_metrics(b, op, e, row->session);
	if (r == 0)
		r = fill_noc(b, op, row, call);
	/* The runtime's own table may lack the op's name. */
	op->unreliable = (call || e) && op_issues_unreliable(b->in->issues, (uint64_t)op->id);
	op->kind = (uint8_t)op_kind_of(b->t, op);
	return r;
}

static int fill_signpost(struct building *b, struct op *op, const struct op_signpost *post)
{
	op->kind = OP_SIGNPOST;
	op->host_start = (int64_t)post->ns;
	return fill_program(b, op, post->header, "signpost", post->message);
}

static void summary_add(struct building *b, const struct op *op, const struct op_row *row)
{
	const struct op_measurement *m = row ? row_measurement(b, row) : NULL;
	const struct op_program *p = op_program_of(b->t, op);
	const struct op_host_op *call = row ? row_call(b, row) : NULL;
	struct op_summary_row out = {
		.code = row ? p ? p->code.text : "" : "(device op)",
		.code_len = row ? p ? p->code.len : 0 : strlen("(device op)"),
		.id = (uint64_t)op->id,
		.kernel_ns = op_number(b->t, op, OP_COL_KERNEL),
		.gap_ns = op_number(b->t, op, OP_COL_LATENCY),
		.core_max_ns = op_number(b->t, op, OP_COL_CORE_MAX),
		.core_avg_ns = op_number(b->t, op, OP_COL_CORE_AVG),
	};

	if (!b->in->summary)
		return;
	if (op->kind == OP_SIGNPOST) {
		b->in->summary->signposts++;
		return;
	}
	out.captured = call && call->trace != OP_NONE && row->kind == OP_ROW_OP &&
		       row->device == OP_NO_INDEX && row->measured == OP_NO_INDEX;
	if (m && isnan(out.core_max_ns)) {
		out.core_max_ns = m->core_max;
		out.core_avg_ns = m->core_avg;
	}
	op_summary_add(b->in->summary, &out);
}

static void building_free(struct building *b)
{
	vec_free(&b->devices);
	free(b->metrics);
	free(b->functions);
}

int op_build(const struct op_build_input *in, struct tacho_error *err)
{
	struct building b = {.in = in, .t = &in->host->table};
	int r = columns_choose(&b);

	for (size_t i = 0; i < in->rows->n && r == 0; i++) {
		const struct op_row *row = &in->rows->v[i];
		struct op op = op_unknown();

		b.kernel_cycles = 0;
		r = row->kind == OP_ROW_SIGNPOST
			    ? fill_signpost(&b, &op, &in->host->signposts.v[row->host])
			    : fill_op(&b, &op, row);
		if (r == 0)
			r = vec_push(&b.t->ops, op);
		if (r == 0)
			summary_add(&b, &op, row);
	}
	building_free(&b);
	return r < 0 ? err_set(err, r, "out of memory") : 0;
}

/* ---- executions alone ---- */

static void fill_device_latency(double *latency, const struct op_span *span, uint32_t mhz,
				struct last_end *last)
{
	if (!span->set || !mhz)
		return;
	*latency =
		last->set ? rint((double)(int64_t)((span->start - last->cycle) * 1000) / mhz) : 0;
	*last = (struct last_end){true, span->end};
}

static void fill_alone(struct building *b, struct op *op, const struct op_execution *e,
		       struct device_state *state)
{
	uint32_t mhz = devlog_mhz(b->in->dev, e->device);
	const struct devlog_run *run =
		devlog_find_run(b->in->dev, e->device, e->id, OP_NONE, OP_NONE);

	if (state->device != e->device)
		*state = (struct device_state){.device = e->device};
	op->id = (int64_t)e->id;
	op->kind = OP_ON_DEVICE;
	fill_spans(op, e, mhz, false);
	if (b->in->dev->quasar) {
		fill_device_latency(&op->quasar_latency_dm, &e->spans[OP_M_QUASAR_DM], mhz,
				    &state->kernel);
		fill_device_latency(&op->quasar_latency_trisc, &e->spans[OP_M_QUASAR_TRISC], mhz,
				    &state->dm);
	} else {
		fill_device_latency(&op->latency, &e->spans[OP_M_KERNEL], mhz, &state->kernel);
		fill_device_latency(&op->latency_dm, &e->spans[OP_M_KERNEL_DM], mhz, &state->dm);
	}
	if (run && run->sub_device != OP_NONE)
		op->sub_device = run->sub_device;
}

int op_build_device(const struct op_build_input *in, struct tacho_error *err)
{
	struct building b = {.in = in, .t = &in->host->table};
	struct device_state state = {.device = OP_NONE};
	int r = columns_choose(&b);

	/* Only columns that have a value. */
	memset(b.t->shown, 0, sizeof(b.t->shown));
	b.t->unreliable = false;
	for (size_t i = 0; i < in->executions->n && r == 0; i++) {
		const struct op_execution *e = &in->executions->v[i];
		struct op op = op_unknown();

		fill_alone(&b, &op, e, &state);
		r = fill_metrics(&b, &op, e, OP_NONE);
		for (int c = 0; c < OP_COLUMNS; c++)
			b.t->shown[c] |= op_column_shown((enum op_column)c, b.t->quasar) &&
					 op_field_set(&op, (enum op_column)c);
		if (r == 0)
			r = vec_push(&b.t->ops, op);
		if (r == 0)
			summary_add(&b, &op, NULL);
	}
	building_free(&b);
	return r < 0 ? err_set(err, r, "out of memory") : 0;
}
