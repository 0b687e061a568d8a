/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the device's logs from a trace. */
#include "ttlog/write.h"

#include "base/output.h"
#include "op/trace_host.h"
#include "op/trace_source.h"
#include "ttlog/cpp_report.h"
#include "ttlog/devrow.h"
#include "ttlog/files.h"
#include "ttlog/noc_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FLUSH (256u << 10)

static int write_failed(struct op_cores *c, int r, struct tacho_error *err)
{
	return r < 0 ? err_set(err, r, "%s: %s", c->trace->path, err_text(r)) : 0;
}

static int write_flush(struct buf *text, FILE *out, size_t least)
{
	if (text->failed)
		return TACHO_ENOMEM;
	if (text->len < least)
		return 0;
	if (fwrite(text->data, 1, text->len, out) < text->len)
		return TACHO_EWRITE;
	buf_reset(text);
	return 0;
}

/* --- the device log --- */

struct log_out {
	struct op_cores *cores;
	struct buf text;
	uint32_t *timers; /* by source location: its hash + 1; 0: not computed yet */
	FILE *out;
	uint64_t rows;
	struct op_runs *runs; /* or NULL: these receive all markers too */
	struct op_noc_runs *noc;
};

static uint16_t timer_of(struct log_out *l, uint32_t srcloc)
{
	const struct trace_srcloc *s = &l->cores->trace->srclocs[srcloc];

	if (!l->timers[srcloc])
		l->timers[srcloc] = op_zone_timer(s->name, s->file, s->line) + 1u;
	return (uint16_t)(l->timers[srcloc] - 1);
}

static int put_marker(void *context, const struct op_marker *m)
{
	struct log_out *l = context;
	const struct op_risc *risc = &l->cores->riscs.v[m->risc];
	const struct trace_srcloc *s = &l->cores->trace->srclocs[m->zone];
	struct devrow_place place = {.device = l->cores->devices.v[risc->device].number,
				     .x = risc->x,
				     .y = risc->y,
				     .risc = risc->name,
				     .name = s->name,
				     .file = s->file,
				     .line = s->line,
				     .timer = timer_of(l, m->zone)};
	int r = 0;

	devrow_add(&l->text, m, &place);
	l->rows++;
	if (l->runs)
		r = op_runs_add(l->runs, m);
	if (r == 0 && l->noc)
		r = op_noc_runs_add(l->noc, m, place.device, s->name);
	return r < 0 ? r : write_flush(&l->text, l->out, FLUSH);
}

static int put_log(struct log_out *l)
{
	int r;
	const struct op_trace_device *d;

	l->text = (struct buf)BUF_INIT;
	l->timers = calloc(l->cores->trace->srcloc_count + 1, sizeof(*l->timers));
	d = &l->cores->devices.v[l->cores->riscs.v[0].device];
	devrow_header(&l->text, d->arch, d->mhz, (unsigned)d->max_cores);
	r = l->timers ? op_cores_walk(l->cores, put_marker, l) : TACHO_ENOMEM;
	if (r == 0)
		r = write_flush(&l->text, l->out, 0);
	buf_free(&l->text);
	return r;
}

static int write_error(struct op_cores *c, int r, struct tacho_error *err)
{
	return r == TACHO_EWRITE ? err_errno(err, r, "cannot write %s", TTLOG_DEVICE_FILE)
				 : write_failed(c, r, err);
}

int ttlog_write_device(struct trace *trace, const uint8_t *tracks, FILE *out,
		       struct tacho_error *err)
{
	struct op_cores cores = {0};
	struct log_out l = {.cores = &cores, .out = out};
	int r = op_cores_open(&cores, trace, tracks, err);

	if (r == 0 && cores.riscs.n)
		r = write_error(&cores, put_log(&l), err);
	free(l.timers);
	op_cores_close(&cores);
	return r;
}

/* --- files --- */

typedef int (*file_fn)(void *context, FILE *out, struct tacho_error *err);

static int write_one_file(const char *folder, const char *name, file_fn fn, void *context,
			  struct tacho_error *err)
{
	struct output out;
	int r = ttlog_create(&out, folder, name, false, err);

	if (r < 0)
		return r;
	r = fn(context, out.file, err);
	if (r == 0)
		return output_close(&out, err);
	output_abandon(&out);
	return r;
}

static int device_file(void *context, FILE *out, struct tacho_error *err)
{
	struct log_out *l = context;

	l->out = out;
	return write_error(l->cores, put_log(l), err);
}

static int runs_file(void *context, FILE *out, struct tacho_error *err)
{
	struct log_out *l = context;
	struct buf text = BUF_INIT;
	bool quasar = false;
	int r = op_trace_runs_finish(l->cores, l->runs);

	for (size_t i = 0; i < l->cores->devices.n; i++)
		quasar |= strcasestr(l->cores->devices.v[i].arch, "quasar") != NULL;
	ttlog_cpp_header(&text, quasar);
	buf_addc(&text, '\n');
	for (size_t i = 0; i < l->runs->n && r == 0; i++) {
		const struct op_timing *run = op_runs_at(l->runs, i);
		struct op_run_place place = op_trace_place(l->cores, run->device);

		ttlog_cpp_line(&text, run, &place, quasar);
		buf_addc(&text, '\n');
		r = write_flush(&text, out, FLUSH);
	}
	if (r == 0)
		r = write_flush(&text, out, 0);
	buf_free(&text);
	return r < 0 ? err_errno(err, r, "cannot write %s", TTLOG_CPP_FILE) : 0;
}

/* Each place once, in the compiler's format that other tools search for. */
static int zones_file(void *context, FILE *out, struct tacho_error *err)
{
	struct log_out *l = context;

	for (uint32_t i = 0; i < l->cores->trace->srcloc_count; i++) {
		const struct trace_srcloc *s = &l->cores->trace->srclocs[i];

		if (!l->timers[i] || !s->name[0] || strpbrk(s->name, ",\n'") ||
		    strpbrk(s->file, ",\n'"))
			continue;
		fprintf(out, "%s:%u:1: note: '#pragma message: %s,%s,%u,KERNEL_PROFILER'\n",
			s->file, s->line, s->name, s->file, s->line);
	}
	return ferror(out) ? err_errno(err, TACHO_EWRITE, "cannot write %s", TTLOG_ZONES_FILE) : 0;
}

/* Cycles per nanosecond while the clock ran: a simulated clock stops at times. */
static double write_frequency(const struct op_cores *c, const struct op_trace_device *d)
{
	double cycles = 0, ns = 0;

	for (size_t i = 1; i < d->clock.n; i++) {
		const struct device_point *a = &d->clock.v[i - 1], *b = a + 1;

		if (b->cycles == a->cycles)
			continue;
		cycles += (double)(b->cycles - a->cycles);
		ns += trace_duration_ns(c->trace, a->ticks, b->ticks);
	}
	return ns > 0 ? cycles / ns : d->mhz / 1000.0;
}

/*
 * One line for each clock point. Both host columns are nanoseconds since the trace's start, so the
 * ratio between them is 1.
 */
static void sync_device(const struct op_cores *c, uint32_t device, FILE *out)
{
	const struct op_trace_device *d = &c->devices.v[device];
	double slope = write_frequency(c, d);
	int64_t start = trace_ns(c->trace, d->clock.v[0].ticks);
	const struct op_risc *core = c->riscs.v;

	while (core->device != device)
		core++;
	for (size_t i = 0; i < d->clock.n; i++) {
		int64_t ns = trace_ns(c->trace, d->clock.v[i].ticks);

		fprintf(out,
			"%5u,%5u,%5u,%20" PRIu64 ",%20" PRId64 ",%20.2f,%20d,%20" PRId64
			",%20.2f,%20.15f,%20.15f,%20d,1.0,0\n",
			d->number, core->x, core->y, d->clock.v[i].cycles, ns, (double)ns, 0, start,
			(double)d->clock.v[0].cycles - slope * (double)start, slope, 1.0, 0);
	}
}

static int sync_file(void *context, FILE *out, struct tacho_error *err)
{
	struct op_cores *c = context;

	fputs("device id,core_x, core_y,device,host_tracy,host_real,write_overhead,host_start,"
	      "delay,frequency,tracy_ratio,tracy_base_time,device_frequency_ratio,device_shift\n",
	      out);
	for (uint32_t i = 0; i < c->devices.n; i++)
		if (op_cores_synced(c, i))
			sync_device(c, i, out);
	return ferror(out) ? err_errno(err, TACHO_EWRITE, "cannot write %s", TTLOG_SYNC_FILE) : 0;
}

static int noc_files(struct log_out *l, const char *folder, struct ttlog_written *logs,
		     struct tacho_error *err)
{
	struct op_host host = {0};
	struct op_issues issues = {0};
	int64_t r = op_trace_messages(&host, l->cores->trace, NULL, &issues);

	if (r < 0)
		write_failed(l->cores, (int)r, err);
	else
		r = ttlog_noc_write(l->noc, l->cores, &host, folder, err);
	if (r > 0)
		logs->noc_files = (uint64_t)r;
	op_host_free(&host);
	op_issues_free(&issues);
	return r < 0 ? (int)r : 0;
}

static int write_all_bytes(struct op_cores *c, const char *folder, struct ttlog_written *logs,
			   struct tacho_error *err)
{
	struct op_runs runs = {0};
	struct op_noc_runs noc = {0};
	struct log_out l = {
		.cores = c, .runs = c->raw_only ? NULL : &runs, .noc = c->has_noc ? &noc : NULL};
	int r = write_one_file(folder, TTLOG_DEVICE_FILE, device_file, &l, err);

	if (r == 0 && l.runs)
		r = write_one_file(folder, TTLOG_CPP_FILE, runs_file, &l, err);
	if (r == 0)
		r = write_one_file(folder, TTLOG_ZONES_FILE, zones_file, &l, err);
	if (r == 0 && l.noc)
		r = noc_files(&l, folder, logs, err);
	for (uint32_t i = 0; i < c->devices.n; i++)
		if (op_cores_synced(c, i))
			logs->sync_points += c->devices.v[i].clock.n;
	if (r == 0 && logs->sync_points)
		r = write_one_file(folder, TTLOG_SYNC_FILE, sync_file, c, err);
	logs->rows = l.rows;
	/* Finds devices that differ from the first: a log describes only one kind. */
	for (size_t i = 1; i < c->devices.n; i++) {
		const struct op_trace_device *d = &c->devices.v[i], *first = &c->devices.v[0];

		logs->mixed |= strcmp(d->arch, first->arch) != 0 || d->mhz != first->mhz;
	}
	logs->executions = runs.n;
	op_runs_free(&runs);
	op_noc_runs_free(&noc);
	free(l.timers);
	return r;
}

int ttlog_write(struct trace *trace, const uint8_t *tracks, const char *folder,
		struct ttlog_written *logs, struct tacho_error *err)
{
	struct op_cores cores = {0};
	int r = op_cores_open(&cores, trace, tracks, err);

	memset(logs, 0, sizeof(*logs));
	if (r == 0 && cores.riscs.n)
		r = write_all_bytes(&cores, folder, logs, err);
	op_cores_close(&cores);
	return r;
}
