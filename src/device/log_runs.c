/*
 * What is written of each execution of a program besides its rows: the runtime's measurements
 * (TT_METAL_PROFILER_CPP_POST_PROCESS) and its NoC transfers (TT_METAL_DEVICE_PROFILER_NOC_EVENTS).
 */
#include "base/devnoc.h"
#include "base/devperf.h"
#include "base/devrow.h"
#include "base/environ.h"
#include "base/folder.h"
#include "device/launch.h"
#include "device/prof.h"
#include "tacho_layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run {
	uint32_t op, counter; /* counter: of replays of the device */
	struct devperf_span spans[DEVPERF_COLUMNS];
	uint32_t cores, last_core; /* that ran firmware; last_core: + 1 */
	size_t entries, events;    /* of its file of transfers; events alone */
	size_t at;                 /* where they begin */
	int64_t gap, gap_dm;
};

struct runs {
	struct tacho_device *d;
	VEC(struct run);
	struct map index;
	uint32_t *order;
};

/* ---- sorting out ---- */
static struct run *run_of(struct runs *runs, const struct prof_item *item)
{
	uint64_t key = (uint64_t)item->op << 32 | item->replay;
	const uint32_t *at = map_get(&runs->index, key);
	struct run run = {.op = item->op, .counter = item->replay};

	if (at)
		return &runs->v[*at];
	for (int i = 0; i < DEVPERF_COLUMNS; i++)
		run.spans[i] = DEVPERF_SPAN_INIT;
	if (map_set(&runs->index, key, (uint32_t)runs->n) < 0 || vec_push(runs, run) < 0)
		return NULL;
	return &runs->v[runs->n - 1];
}

/* Columns that a zone of the firmware belongs to, as bits, by its name and its RISC. */
static uint32_t columns_of(const char *name, unsigned risc, bool ethernet)
{
	static const struct {
		const char *name;
		uint32_t columns;
	} names[] = {
		{"BRISC-FW", 1u << DEVPERF_FW},
		{"NCRISC-FW", 1u << DEVPERF_FW},
		{"TRISC-FW", 1u << DEVPERF_FW},
		{"ERISC-FW", 1u << DEVPERF_FW},
		{"BRISC-KERNEL", 1u << DEVPERF_BRISC | 1u << DEVPERF_KERNEL_DM},
		{"NCRISC-KERNEL", 1u << DEVPERF_NCRISC | 1u << DEVPERF_KERNEL_DM},
		{"TRISC-KERNEL", 7u << DEVPERF_TRISC0},
		{"ERISC-KERNEL", 1u << DEVPERF_ERISC | 1u << DEVPERF_KERNEL_DM},
		{"TRACE-FW", 1u << DEVPERF_TRACE_FW | 1u << DEVPERF_FW},
		{"TRACE-KERNEL",
		 1u << DEVPERF_TRACE_KERNEL | 1u << DEVPERF_KERNEL | 1u << DEVPERF_FIRST_TO_LAST},
	};
	const uint32_t of_riscs = 0x3fu << DEVPERF_BRISC;
	uint32_t columns = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i].name))
			columns = names[i].columns;
	if (!(columns & of_riscs))
		return columns;
	columns |= 1u << DEVPERF_KERNEL | 1u << DEVPERF_FIRST_TO_LAST;
	return columns & ~(of_riscs & ~(1u << (ethernet ? DEVPERF_ERISC : DEVPERF_BRISC + risc)));
}

static void take_zone(struct runs *runs, struct run *run, const struct log_mark *m,
		      const char *name)
{
	const struct prof_item *item = m->item;
	uint32_t columns = columns_of(name, item->risc, runs->d->cores[item->flat].info.ethernet);
	uint64_t cycles = runs->d->prof->log.start.cycles + m->cycles;

	if (strstr(name, "FW") && run->last_core != item->flat + 1) {
		run->last_core = item->flat + 1;
		run->cores++;
	}
	/* Ends of any kernel end what the data movers began. */
	if (columns & 1u << DEVPERF_KERNEL)
		devperf_take(&run->spans[DEVPERF_KERNEL_DM], columns >> DEVPERF_KERNEL_DM & 1, true,
			     cycles);
	columns &= ~(1u << DEVPERF_KERNEL_DM);
	if (m->end)
		columns &= ~(1u << DEVPERF_FIRST_TO_LAST);
	for (int i = 0; columns >> i; i++)
		if (columns >> i & 1)
			devperf_take(&run->spans[i], true, true, cycles);
}

static bool is_transfer(const struct prof_item *item)
{
	return item->id == PROF_ID_NOC &&
	       (item->kind == PROF_K_DATA || item->kind == PROF_K_DATA_16);
}

static bool is_entry(struct runs *runs, const struct prof_item *item)
{
	bool ethernet = runs->d->cores[item->flat].info.ethernet;

	return is_transfer(item) ||
	       (item->kind == PROF_K_ZONE && devnoc_is_zone(devrow_risc(item->risc, ethernet),
							    log_zone_name(runs->d, item->id)));
}

static int take_marks(struct runs *runs, const struct log_mark *marks, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct prof_item *item = marks[i].item;
		struct run *run = item->op ? run_of(runs, item) : NULL;

		if (!run && item->op)
			return TACHO_ENOMEM;
		if (!run)
			continue;
		if (item->kind == PROF_K_ZONE)
			take_zone(runs, run, &marks[i], log_zone_name(runs->d, item->id));
		run->entries += is_entry(runs, item);
		run->events += is_transfer(item);
	}
	return 0;
}

/* What it is called in the logs: its id, its trace and replay (0: none). */
static uint64_t names_of(const struct runs *runs, const struct run *r, uint64_t *trace,
			 uint64_t *session)
{
	const struct log_start *start = &runs->d->prof->log.start;
	struct device_replay replayed;

	*trace = *session = 0;
	if (replay_find(runs->d, r->op, r->counter, &replayed)) {
		*trace = start->traces + replayed.trace;
		*session = replayed.replay;
	}
	return op_id(runs->d, start->ops + r->op);
}

/* ---- measurements ---- */
static int by_kernel(const void *a, const void *b, void *context)
{
	const struct runs *runs = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	uint64_t x = runs->v[i].spans[DEVPERF_KERNEL].start;
	uint64_t y = runs->v[k].spans[DEVPERF_KERNEL].start;

	return x != y ? (x < y ? -1 : 1) : (i > k) - (i < k);
}

static int by_op(const void *a, const void *b, void *context)
{
	const struct runs *runs = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct run *x = &runs->v[i], *y = &runs->v[k];

	if (x->op != y->op)
		return x->op < y->op ? -1 : 1;
	return x->counter != y->counter ? (x->counter < y->counter ? -1 : 1) : (i > k) - (i < k);
}

/* Gaps to what ran before, in this dump or the last. */
static void measure_gaps(struct runs *runs)
{
	struct device_log *log = &runs->d->prof->log;

	qsort_r(runs->order, runs->n, sizeof(*runs->order), by_kernel, runs);
	for (size_t i = 0; i < runs->n; i++) {
		struct run *r = &runs->v[runs->order[i]];
		const struct devperf_span *kernel = &r->spans[DEVPERF_KERNEL];
		const struct devperf_span *dm = &r->spans[DEVPERF_KERNEL_DM];

		r->gap = devperf_gap(runs->d->shape.mhz, kernel, log->ran ? &log->kernel : NULL);
		r->gap_dm = devperf_gap(runs->d->shape.mhz, dm, log->ran ? &log->dm : NULL);
		if (!devperf_found(kernel))
			continue;
		log->kernel = *kernel;
		log->dm = *dm;
		log->ran = true;
	}
	qsort_r(runs->order, runs->n, sizeof(*runs->order), by_op, runs);
}

static void add_line(struct runs *runs, const struct run *r, struct buf *text)
{
	const struct tacho_device *d = runs->d;
	uint64_t trace, session;
	struct devperf_row row = {.id = names_of(runs, r, &trace, &session),
				  .device = d->number,
				  .arch = d->shape.arch,
				  .mhz = d->shape.mhz,
				  .cores = r->cores,
				  .max_cores = d->workers,
				  .spans = r->spans,
				  .gap = r->gap,
				  .gap_dm = r->gap_dm};

	row.trace = session ? (int64_t)trace : DEVPERF_NONE;
	row.session = session ? (int64_t)session : DEVPERF_NONE;
	devperf_line(text, &row, false);
	buf_addc(text, '\n');
}

static int write_perf(struct runs *runs)
{
	struct buf head = BUF_INIT, text = BUF_INIT;
	int r;

	runs->order = calloc(runs->n + 1, sizeof(*runs->order));
	if (!runs->order)
		return TACHO_ENOMEM;
	for (uint32_t i = 0; i < runs->n; i++)
		runs->order[i] = i;
	measure_gaps(runs);
	devperf_header(&head, false);
	buf_addc(&head, '\n');
	for (size_t i = 0; i < runs->n; i++)
		add_line(runs, &runs->v[runs->order[i]], &text);
	r = head.failed || text.failed ? TACHO_ENOMEM : 0;
	if (r == 0)
		log_append(runs->d, DEVPERF_FILE, head.data, &text);
	buf_free(&head);
	buf_free(&text);
	return r;
}

/* ---- transfers ---- */
static void add_entry(struct runs *runs, struct json *j, const struct devnoc_run *run,
		      const struct log_mark *m)
{
	const struct prof_item *item = m->item;
	const struct tacho_device_core *c = &runs->d->cores[item->flat].info;
	bool transfer = is_transfer(item);
	struct devnoc_entry e = {
		.risc = devrow_risc(item->risc, c->ethernet),
		.x = c->x,
		.y = c->y,
		.cycles = runs->d->prof->log.start.cycles + m->cycles,
		.type = transfer ? prof_noc_name(item->data[0] & 0xff)
				 : log_zone_name(runs->d, item->id),
		.phase = transfer ? NULL
			 : m->end ? "ZONE_END"
				  : "ZONE_START",
		.word = item->data[0],
		.addresses = item->kind == PROF_K_DATA_16 ? item->data[1] : 0,
	};

	devnoc_entry(j, run, &e);
}

static int write_transfers(struct runs *runs, const struct run *r,
			   const struct log_mark *const *marks)
{
	const char *folder = environ_get("TT_METAL_DEVICE_PROFILER_NOC_EVENTS_RPT_PATH");
	struct devnoc_run run = {.device = runs->d->number};
	struct buf text = BUF_INIT, name = BUF_INIT;
	struct json j;
	int rc;

	run.id = names_of(runs, r, &run.trace, &run.session);
	run.name = op_name(runs->d, r->op);
	run.name_len = strlen(run.name);
	if (folder && *folder)
		buf_addf(&name, "%s/", folder);
	devnoc_file_name(&name, &run);
	json_init(&j, &text);
	j.indent = 2;
	json_array(&j, NULL);
	for (size_t i = 0; i < r->entries; i++)
		add_entry(runs, &j, &run, marks[i]);
	json_end(&j);
	buf_addc(&text, '\n');
	rc = name.failed || text.failed ? TACHO_ENOMEM : 0;
	if (rc == 0)
		log_replace(runs->d, name.data, &text);
	buf_free(&text);
	buf_free(&name);
	return rc;
}

/* Marks by run, in their order. */
static int write_noc(struct runs *runs, const struct log_mark *marks, size_t n)
{
	const struct log_mark **sorted = calloc(n + 1, sizeof(*sorted));
	const char *folder = environ_get("TT_METAL_DEVICE_PROFILER_NOC_EVENTS_RPT_PATH");
	struct tacho_error err;
	size_t all = 0;
	int r = sorted ? 0 : TACHO_ENOMEM;

	/* One that cannot be made is told when the first file is. */
	if (folder && *folder)
		folder_make(folder, &err);

	for (size_t i = 0; i < runs->n; i++) {
		runs->v[i].at = all;
		all += runs->v[i].entries;
	}
	for (size_t i = 0; r == 0 && i < n; i++)
		if (marks[i].item->op && is_entry(runs, marks[i].item))
			sorted[run_of(runs, marks[i].item)->at++] = &marks[i];
	for (size_t i = 0; r == 0 && i < runs->n; i++)
		if (runs->v[i].events)
			r = write_transfers(runs, &runs->v[i],
					    sorted + (runs->v[i].at - runs->v[i].entries));
	free(sorted);
	return r;
}

int log_runs(struct tacho_device *d, const struct log_mark *marks, size_t n)
{
	bool perf = env_number("TT_METAL_PROFILER_CPP_POST_PROCESS", 0) != 0;
	struct runs runs = {.d = d};
	int r;

	if (!perf && !d->prof->noc_events)
		return 0;
	r = take_marks(&runs, marks, n);
	if (r == 0 && perf)
		r = write_perf(&runs);
	if (r == 0 && d->prof->noc_events)
		r = write_noc(&runs, marks, n);
	free(runs.order);
	vec_free(&runs);
	map_free(&runs.index);
	return r;
}
