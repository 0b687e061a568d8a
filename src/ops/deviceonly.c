#include "base/csv.h"
#include "ops/cells.h"
#include "ops/metrics.h"
#include "ops/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FLUSH (1u << 20)

/* The end of the op before on the same device. */
struct last {
	int64_t device;
	bool set[2];
	uint64_t end[2];
};

struct device_only {
	const struct ops_report_input *in;
	struct ops_cells cells;
	bool shown[OPS_COLUMNS];
	bool *metrics;
	struct last last;
	struct buf out;
	FILE *file;
};

static void latency(struct device_only *d, int which, enum ops_column column,
		    const struct ops_span *span)
{
	struct last *last = &d->last;
	uint32_t mhz = devlog_mhz(d->in->dev, last->device);

	if (!span->set || !mhz)
		return;
	if (last->set[which])
		ops_cells_int(
			&d->cells, column,
			llrint((double)(int64_t)((span->start - last->end[which]) * 1000) / mhz));
	else
		ops_cells_int(&d->cells, column, 0);
	last->set[which] = true;
	last->end[which] = span->end;
}

static void fill(struct device_only *d, const struct ops_device_op *op)
{
	const struct devlog_run *run;
	bool quasar = d->in->dev->quasar;

	memset(d->cells.c, 0, sizeof(d->cells.c));
	if (d->last.device != op->device)
		d->last = (struct last){.device = op->device};
	ops_cells_int(&d->cells, OPS_COL_CALL_COUNT, (int64_t)op->id);
	ops_cells_spans(&d->cells, op, devlog_mhz(d->in->dev, op->device), false);
	latency(d, 0, quasar ? OPS_COL_QUASAR_LATENCY_DM : OPS_COL_LATENCY,
		&op->spans[quasar ? OPS_AN_QUASAR_DM : OPS_AN_KERNEL]);
	latency(d, 1, quasar ? OPS_COL_QUASAR_LATENCY_TRISC : OPS_COL_LATENCY_DM,
		&op->spans[quasar ? OPS_AN_QUASAR_TRISC : OPS_AN_KERNEL_DM]);
	run = devlog_find_run(d->in->dev, op->device, op->id, OPS_NONE, OPS_NONE);
	if (run && run->sub_device != OPS_NONE)
		ops_cells_int(&d->cells, OPS_COL_SUB_DEVICE, run->sub_device);
}

static void find_columns(struct device_only *d)
{
	const struct ops_device_ops *ops = d->in->device_ops;

	for (size_t i = 0; i < ops->n; i++) {
		fill(d, &ops->v[i]);
		for (int c = 0; c < OPS_COLUMNS; c++)
			if (d->cells.c[c].len &&
			    ops_column_shown((enum ops_column)c, d->in->dev->quasar))
				d->shown[c] = true;
	}
	for (size_t c = 0; d->in->metrics && c < ops_metric_columns(); c++)
		d->metrics[c] = ops_metrics_shown(d->in->metrics, c);
	d->last = (struct last){.device = OPS_NONE};
}

static void separate(struct device_only *d, size_t line)
{
	if (d->out.len > line)
		buf_addc(&d->out, ',');
}

static void write_header(struct device_only *d)
{
	char name[OPS_METRIC_NAME];

	for (int c = 0; c < OPS_COLUMNS; c++)
		if (d->shown[c]) {
			separate(d, 0);
			csv_add(&d->out, ops_column_names[c], strlen(ops_column_names[c]));
		}
	for (size_t c = 0; c < ops_metric_columns(); c++)
		if (d->metrics[c]) {
			separate(d, 0);
			ops_metric_column(c, name);
			csv_add(&d->out, name, strlen(name));
		}
	buf_adds(&d->out, "\r\n");
}

static void write_row(struct device_only *d, const struct ops_device_op *op)
{
	size_t line = d->out.len;
	char text[64];

	fill(d, op);
	for (int c = 0; c < OPS_COLUMNS; c++)
		if (d->shown[c]) {
			separate(d, line);
			csv_add(&d->out, d->cells.c[c].text, d->cells.c[c].len);
		}
	for (size_t c = 0; c < ops_metric_columns(); c++)
		if (d->metrics[c]) {
			size_t len = ops_metrics_cell(d->in->metrics, c, op->device, op->id,
						      OPS_NONE, 0, text);

			separate(d, line);
			buf_add(&d->out, text, len);
		}
	buf_adds(&d->out, "\r\n");
}

static void tell_summary(struct device_only *d, const struct ops_device_op *op)
{
	static const char unnamed[] = "(device op)";
	struct ops_summary_row row = {
		.code = unnamed,
		.code_len = sizeof(unnamed) - 1,
		.id = op->id,
		.kernel_ns = ops_cells_number(&d->cells, OPS_COL_KERNEL),
		.gap_ns = ops_cells_number(&d->cells, OPS_COL_LATENCY),
		.core_max_ns = ops_cells_number(&d->cells, OPS_COL_CORE_MAX),
		.core_avg_ns = ops_cells_number(&d->cells, OPS_COL_CORE_AVG),
	};

	if (d->in->summary)
		ops_summary_add(d->in->summary, &row);
}

static int flush(struct device_only *d, size_t least, struct tacho_error *err)
{
	if (d->out.failed)
		return err_set(err, TACHO_ENOMEM, "out of memory");
	if (d->out.len < least)
		return 0;
	if (fwrite(d->out.data, 1, d->out.len, d->file) < d->out.len)
		return err_errno(err, TACHO_EWRITE, "cannot write the report");
	buf_reset(&d->out);
	return 0;
}

int ops_device_only_write(const struct ops_report_input *in, FILE *out, struct tacho_error *err)
{
	struct device_only *d = calloc(1, sizeof(*d));
	int r = 0;

	if (d)
		d->metrics = calloc(ops_metric_columns() + 1, sizeof(*d->metrics));
	if (!d || !d->metrics) {
		free(d);
		return err_set(err, TACHO_ENOMEM, "out of memory");
	}
	d->in = in;
	d->file = out;
	d->out = (struct buf)BUF_INIT;
	d->last.device = OPS_NONE;
	find_columns(d);
	write_header(d);
	for (size_t i = 0; i < in->device_ops->n && r == 0; i++) {
		write_row(d, &in->device_ops->v[i]);
		tell_summary(d, &in->device_ops->v[i]);
		r = flush(d, FLUSH, err);
	}
	if (r == 0)
		r = flush(d, 0, err);
	buf_free(&d->out);
	free(d->metrics);
	free(d);
	return r;
}
