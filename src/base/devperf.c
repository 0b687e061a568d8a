#include "base/devperf.h"

#include <inttypes.h>
#include <math.h>

static const struct {
	const char *name, *cycles; /* cycles: NULL, or the part of "DEVICE ... START CYCLE" */
	bool quasar;
} columns[DEVPERF_COLUMNS] = {
	[DEVPERF_TRACE_FW] = {"DEVICE TRACE FIRMWARE DURATION [ns]", NULL, false},
	[DEVPERF_TRACE_KERNEL] = {"DEVICE TRACE KERNEL DURATION [ns]", NULL, false},
	[DEVPERF_FIRST_TO_LAST] = {"DEVICE KERNEL FIRST TO LAST START [ns]", NULL, false},
	[DEVPERF_FW] = {"DEVICE FW DURATION [ns]", "FW", false},
	[DEVPERF_KERNEL] = {"DEVICE KERNEL DURATION [ns]", "KERNEL", false},
	[DEVPERF_KERNEL_DM] = {"DEVICE KERNEL DURATION DM START [ns]", "KERNEL DM", false},
	[DEVPERF_BRISC] = {"DEVICE BRISC KERNEL DURATION [ns]", NULL, false},
	[DEVPERF_NCRISC] = {"DEVICE NCRISC KERNEL DURATION [ns]", NULL, false},
	[DEVPERF_TRISC0] = {"DEVICE TRISC0 KERNEL DURATION [ns]", NULL, false},
	[DEVPERF_TRISC1] = {"DEVICE TRISC1 KERNEL DURATION [ns]", NULL, false},
	[DEVPERF_TRISC2] = {"DEVICE TRISC2 KERNEL DURATION [ns]", NULL, false},
	[DEVPERF_ERISC] = {"DEVICE ERISC KERNEL DURATION [ns]", NULL, false},
	[DEVPERF_QUASAR_DM] = {"DEVICE QUASAR_DM KERNEL DURATION [ns]", "QUASAR_DM KERNEL", true},
	[DEVPERF_QUASAR_TRISC] = {"DEVICE QUASAR_NEO_TRISC KERNEL DURATION [ns]",
				  "QUASAR_NEO_TRISC KERNEL", true},
	[DEVPERF_QUASAR_DM_FW] = {"DEVICE DM FW DURATION [ns]", NULL, true},
	[DEVPERF_QUASAR_TRISC_FW] = {"DEVICE TRISC FW DURATION [ns]", NULL, true},
};

const char *devperf_name(enum devperf_column column)
{
	return columns[column].name;
}

/* Half away from zero, unlike the ops report's own figures. */
static int64_t round_ns(double ns)
{
	return (int64_t)round(ns);
}

static int64_t span_ns(uint32_t mhz, const struct devperf_span *s)
{
	return round_ns((double)(s->end - s->start) * 1000.0 / mhz);
}

int64_t devperf_gap(uint32_t mhz, const struct devperf_span *span,
		    const struct devperf_span *before)
{
	if (!devperf_found(span))
		return DEVPERF_NONE;
	if (!before || !devperf_found(before))
		return 0;
	if (span->start < before->end || span->start == span->end)
		return DEVPERF_NONE;
	return round_ns((double)(span->start - before->end) *
			((double)span_ns(mhz, span) / (double)(span->end - span->start)));
}

void devperf_header(struct buf *out, bool quasar)
{
	buf_adds(out, "GLOBAL CALL COUNT,METAL TRACE ID,METAL TRACE REPLAY SESSION ID,DEVICE ID,"
		      "DEVICE ARCH,OP NAME,CORE COUNT,AVAILABLE WORKER CORE COUNT");
	for (int i = 0; i < DEVPERF_COLUMNS; i++) {
		if (columns[i].quasar && !quasar)
			continue;
		buf_addf(out, ",%s", columns[i].name);
		if (columns[i].cycles)
			buf_addf(out, ",DEVICE %s START CYCLE,DEVICE %s END CYCLE",
				 columns[i].cycles, columns[i].cycles);
	}
	buf_adds(out, ",OP TO OP LATENCY [ns],OP TO OP LATENCY BR/NRISC START [ns]");
}

static void add_number(struct buf *out, int64_t value)
{
	buf_addc(out, ',');
	if (value != DEVPERF_NONE)
		buf_addf(out, "%" PRId64, value);
}

void devperf_line(struct buf *out, const struct devperf_row *row, bool quasar)
{
	buf_addf(out, "%" PRIu64, row->id);
	add_number(out, row->trace);
	add_number(out, row->session);
	buf_addf(out, ",%u,%s,,%u", row->device, row->arch, row->cores);
	add_number(out, row->max_cores);
	for (int i = 0; i < DEVPERF_COLUMNS; i++) {
		const struct devperf_span *s = &row->spans[i];
		bool found = devperf_found(s);

		if (columns[i].quasar && !quasar)
			continue;
		add_number(out, found ? span_ns(row->mhz, s) : DEVPERF_NONE);
		if (!columns[i].cycles)
			continue;
		add_number(out, found ? (int64_t)s->start : DEVPERF_NONE);
		add_number(out, found ? (int64_t)s->end : DEVPERF_NONE);
	}
	add_number(out, row->gap);
	add_number(out, row->gap_dm);
}
