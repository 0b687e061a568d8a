#include "ops/logs.h"

#include "base/output.h"
#include "ops/files.h"
#include "ops/hosttrace.h"
#include "ops/noctrace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FLUSH (256u << 10)

static int failed(struct ops_cores *c, int r, struct tacho_error *err)
{
	return r < 0 ? err_set(err, r, "%s: %s", c->trace->path, err_text(r)) : 0;
}

static int flush(struct buf *text, FILE *out, size_t least)
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
	struct ops_cores *cores;
	struct buf text;
	FILE *out;
	uint64_t rows;
	struct ops_runtime *runtime; /* or NULL: are told of all markers too */
	struct ops_noctrace *noc;
};

static int put_marker(void *context, const struct ops_marker *m)
{
	struct log_out *l = context;
	int r = 0;

	ops_cores_line(l->cores, m, &l->text);
	l->rows++;
	if (l->runtime)
		r = ops_runtime_marker(l->runtime, m);
	if (r == 0 && l->noc)
		r = ops_noctrace_marker(l->noc, m);
	return r < 0 ? r : flush(&l->text, l->out, FLUSH);
}

static int put_log(struct log_out *l)
{
	int r;

	l->text = (struct buf)BUF_INIT;
	ops_cores_header(l->cores, &l->text);
	r = ops_cores_walk(l->cores, put_marker, l);
	if (r == 0)
		r = flush(&l->text, l->out, 0);
	buf_free(&l->text);
	return r;
}

static int write_error(struct ops_cores *c, int r, struct tacho_error *err)
{
	return r == TACHO_EWRITE ? err_errno(err, r, "cannot write %s", OPS_DEVICE_FILE)
				 : failed(c, r, err);
}

int ops_logs_write_device(struct ops_cores *cores, FILE *out, struct tacho_error *err)
{
	struct log_out l = {.cores = cores, .out = out};

	return write_error(cores, put_log(&l), err);
}

struct log_in {
	struct ops_cores *cores;
	struct devlog_reader *reader;
	enum devlog_want want;
	struct buf text;
};

static int read_lines(struct log_in *l)
{
	const char *p = l->text.data, *end = p + l->text.len, *newline;
	int r = l->text.failed ? TACHO_ENOMEM : 0;

	while (r == 0 && (newline = memchr(p, '\n', (size_t)(end - p)))) {
		r = devlog_lines_add(l->reader, p, (size_t)(newline - p));
		p = newline + 1;
	}
	buf_reset(&l->text);
	return r;
}

static int read_marker(void *context, const struct ops_marker *m)
{
	struct log_in *l = context;

	if (l->want == DEVLOG_SUB_DEVICES && !m->meta_len)
		return devlog_lines_add(l->reader, "", 0);
	ops_cores_line(l->cores, m, &l->text);
	return read_lines(l);
}

/* Those that are of another kind than the first, which the head is of. */
static int add_others(const struct ops_cores *c, struct devlog *dev)
{
	const struct ops_trace_device *first = &c->devices.v[c->riscs.v[0].device];

	for (size_t i = 0; i < c->devices.n; i++) {
		const struct ops_trace_device *d = &c->devices.v[i];
		struct devlog_other other = {d->number, d->mhz, d->max_cores};

		if ((d->mhz != first->mhz || d->max_cores != first->max_cores) &&
		    vec_push(&dev->others, other) < 0)
			return TACHO_ENOMEM;
	}
	return 0;
}

/* What a log has no room for. */
static void find_mixtures(const struct ops_cores *c, struct ops_logs *logs)
{
	for (size_t i = 1; i < c->devices.n; i++) {
		const struct ops_trace_device *d = &c->devices.v[i], *first = &c->devices.v[0];

		logs->mixed |= strcmp(d->arch, first->arch) != 0 || d->mhz != first->mhz;
	}
}

int ops_logs_device(struct ops_cores *cores, struct devlog *dev, enum devlog_want want,
		    struct ops_issues *issues, struct tacho_error *err)
{
	struct log_in l = {.cores = cores, .want = want, .text = BUF_INIT};
	int r = devlog_lines_open(&l.reader, dev, want, issues, err);

	if (r < 0)
		return r;
	ops_cores_header(cores, &l.text);
	r = read_lines(&l);
	if (r == 0)
		r = add_others(cores, dev);
	/* Sub-devices are in the meta data. */
	if (r == 0 && (want == DEVLOG_ALL || !cores->walked || cores->has_meta))
		r = ops_cores_walk(cores, read_marker, &l);
	buf_free(&l.text);
	return devlog_lines_close(l.reader, failed(cores, r, err));
}

/* --- the runtime's report, and NoC events --- */

static int runtime_marker(void *context, const struct ops_marker *m)
{
	return ops_runtime_marker(context, m);
}

static bool runtime_line(void *context, size_t line, struct buf *text)
{
	return ops_runtime_line(context, line, text);
}

int ops_logs_runtime(struct ops_cores *cores, struct ops_runtime **rt, struct ops_cpp *cpp,
		     struct ops_issues *issues, struct tacho_error *err)
{
	int r = ops_runtime_open(rt, cores);

	if (r == 0)
		r = ops_cores_walk(cores, runtime_marker, *rt);
	if (r == 0)
		r = ops_runtime_finish(*rt);
	r = failed(cores, r, err);
	return r < 0 ? r : ops_cpp_lines(cpp, runtime_line, *rt, issues, err);
}

static int noc_marker(void *context, const struct ops_marker *m)
{
	return ops_noctrace_marker(context, m);
}

int ops_logs_noc(struct ops_cores *cores, struct ops_noc *noc, struct tacho_error *err)
{
	struct ops_noctrace *n = NULL;
	int r;

	if (!cores->has_noc)
		return 0;
	r = ops_noctrace_open(&n, cores);
	if (r == 0)
		r = ops_cores_walk(cores, noc_marker, n);
	if (r == 0)
		r = ops_noctrace_sums(n, noc);
	ops_noctrace_close(n);
	return failed(cores, r, err);
}

/* --- files --- */

typedef int (*file_fn)(void *context, FILE *out, struct tacho_error *err);

static int write_file(const char *folder, const char *name, file_fn fn, void *context,
		      struct tacho_error *err)
{
	struct output out;
	int r = ops_create(&out, folder, name, false, err);

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

static int runtime_file(void *context, FILE *out, struct tacho_error *err)
{
	struct ops_runtime *rt = context;
	struct buf text = BUF_INIT;
	int r = ops_runtime_finish(rt);

	for (size_t line = 0; r == 0 && ops_runtime_line(rt, line, &text); line++) {
		buf_addc(&text, '\n');
		r = flush(&text, out, 0);
	}
	buf_free(&text);
	return r < 0 ? err_errno(err, r, "cannot write %s", OPS_CPP_FILE) : 0;
}

/* Each place once, in the words of the compiler that the other tools look for. */
static int zones_file(void *context, FILE *out, struct tacho_error *err)
{
	struct ops_cores *c = context;

	for (uint32_t i = 0; i < c->trace->srcloc_count; i++) {
		const struct trace_srcloc *s = &c->trace->srclocs[i];

		if (!c->timers[i] || !s->name[0] || strpbrk(s->name, ",\n'") ||
		    strpbrk(s->file, ",\n'"))
			continue;
		fprintf(out, "%s:%u:1: note: '#pragma message: %s,%s,%u,KERNEL_PROFILER'\n",
			s->file, s->line, s->name, s->file, s->line);
	}
	return ferror(out) ? err_errno(err, TACHO_EWRITE, "cannot write %s", OPS_ZONES_FILE) : 0;
}

/* Cycles per nanosecond while the clock ran: one that is only modelled stands still at times. */
static double frequency(const struct ops_cores *c, const struct ops_trace_device *d)
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
 * One line for each point. The host's time is in nanoseconds since the trace's start in both of its
 * columns, so the ratio between them is 1.
 */
static void sync_device(const struct ops_cores *c, uint32_t device, FILE *out)
{
	const struct ops_trace_device *d = &c->devices.v[device];
	double slope = frequency(c, d);
	int64_t start = trace_ns(c->trace, d->clock.v[0].ticks);
	const struct ops_risc *core = c->riscs.v;

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
	struct ops_cores *c = context;

	fputs("device id,core_x, core_y,device,host_tracy,host_real,write_overhead,host_start,"
	      "delay,frequency,tracy_ratio,tracy_base_time,device_frequency_ratio,device_shift\n",
	      out);
	for (uint32_t i = 0; i < c->devices.n; i++)
		if (ops_cores_synced(c, i))
			sync_device(c, i, out);
	return ferror(out) ? err_errno(err, TACHO_EWRITE, "cannot write %s", OPS_SYNC_FILE) : 0;
}

static int noc_files(struct ops_noctrace *noc, struct ops_cores *c, const char *folder,
		     struct ops_logs *logs, struct tacho_error *err)
{
	struct ops_host host = {0};
	struct ops_issues issues = {0};
	int64_t r = ops_trace_messages(&host, c->trace, NULL, &issues);

	if (r < 0)
		failed(c, (int)r, err);
	else
		r = ops_noctrace_write(noc, &host, folder, err);
	if (r > 0)
		logs->noc_files = (uint64_t)r;
	ops_host_free(&host);
	ops_issues_free(&issues);
	return r < 0 ? (int)r : 0;
}

static int write_all(struct ops_cores *c, const char *folder, struct ops_logs *logs,
		     struct tacho_error *err)
{
	struct log_out l = {.cores = c};
	int r = c->raw_only ? 0 : ops_runtime_open(&l.runtime, c);

	if (r == 0 && c->has_noc)
		r = ops_noctrace_open(&l.noc, c);
	r = failed(c, r, err);
	if (r == 0)
		r = write_file(folder, OPS_DEVICE_FILE, device_file, &l, err);
	if (r == 0 && l.runtime)
		r = write_file(folder, OPS_CPP_FILE, runtime_file, l.runtime, err);
	if (r == 0)
		r = write_file(folder, OPS_ZONES_FILE, zones_file, c, err);
	if (r == 0 && l.noc)
		r = noc_files(l.noc, c, folder, logs, err);
	for (uint32_t i = 0; i < c->devices.n; i++)
		if (ops_cores_synced(c, i))
			logs->sync_points += c->devices.v[i].clock.n;
	if (r == 0 && logs->sync_points)
		r = write_file(folder, OPS_SYNC_FILE, sync_file, c, err);
	logs->rows = l.rows;
	find_mixtures(c, logs);
	logs->executions = l.runtime ? ops_runtime_count(l.runtime) : 0;
	ops_runtime_close(l.runtime);
	ops_noctrace_close(l.noc);
	return r;
}

int ops_logs_write(struct trace *trace, const uint8_t *tracks, const char *folder,
		   struct ops_logs *logs, struct tacho_error *err)
{
	struct ops_cores cores = {0};
	int r = ops_cores_open(&cores, trace, tracks, err);

	memset(logs, 0, sizeof(*logs));
	if (r == 0 && cores.riscs.n)
		r = write_all(&cores, folder, logs, err);
	ops_cores_close(&cores);
	return r;
}
