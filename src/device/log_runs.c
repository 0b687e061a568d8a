/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Write further logs of each execution of a program: the runtime's measurements
 * (TT_METAL_PROFILER_CPP_POST_PROCESS) and its NoC transfers (TT_METAL_DEVICE_PROFILER_NOC_EVENTS).
 */
#include "base/environ.h"
#include "base/folder.h"
#include "device/launch.h"
#include "device/prof.h"
#include "op/noc.h"
#include "op/runs.h"
#include "tacho_layout.h"
#include "ttlog/cpp_report.h"
#include "ttlog/devnoc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct runs {
	struct tacho_device *d;
	struct op_runs perf;
	struct op_noc_runs noc;
};

/* The kind of a transfer, or the name of a zone. */
static const char *mark_name(struct tacho_device *d, const struct prof_item *item)
{
	return prof_item_kind(item) == TRACE_MARK_NOC ? prof_noc_name(item->data[0] & 0xff)
						      : log_zone(d, item->id)->name;
}

struct op_marker log_marker(struct tacho_device *d, const struct log_mark *mark)
{
	const struct log_start *start = &d->prof->log.start;
	const struct prof_item *item = mark->item;
	struct device_replay replayed;
	struct op_marker m = {.core = item->flat,
			      .risc = item->flat * DEVICE_RISCS + item->risc,
			      .zones = log_zone(d, item->id)->zones,
			      .which = (uint8_t)log_risc(d, item),
			      .kind = mark->end ? TRACE_MARK_END : prof_item_kind(item),
			      .cycle = start->cycles + mark->cycles,
			      .id = item->op ? op_id(d, start->ops + item->op) : 0,
			      .trace = OP_NONE,
			      .session = OP_NONE};
	uint64_t values[2];

	m.values = prof_item_values(item, values);
	m.value = values[0];
	m.value2 = values[1];
	if (replay_find(d, item->op, item->replay, &replayed)) {
		m.trace = start->traces + replayed.trace;
		m.session = replayed.replay;
	}
	return m;
}

/* ---- measurements ---- */
static int write_perf(struct runs *runs)
{
	const struct tacho_device *d = runs->d;
	const struct op_run_place place = {.device = d->number,
					   .arch = {d->shape.arch, strlen(d->shape.arch)},
					   .mhz = d->shape.mhz,
					   .max_cores = d->workers};
	struct buf head = BUF_INIT, text = BUF_INIT;
	int r = op_runs_finish(&runs->perf, &runs->d->prof->log.last);

	ttlog_cpp_header(&head, false);
	buf_addc(&head, '\n');
	for (size_t i = 0; r == 0 && i < runs->perf.n; i++) {
		ttlog_cpp_line(&text, op_runs_at(&runs->perf, i), &place, false);
		buf_addc(&text, '\n');
	}
	if (r == 0)
		r = head.failed || text.failed ? TACHO_ENOMEM : 0;
	if (r == 0)
		log_append(runs->d, TTLOG_CPP_FILE, head.data, &text);
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
	bool transfer = prof_item_kind(item) == TRACE_MARK_NOC;
	struct devnoc_entry e = {
		.risc = arch_risc_log_name(arch_risc_at(item->risc, c->ethernet)),
		.x = c->x,
		.y = c->y,
		.cycles = runs->d->prof->log.start.cycles + m->cycles,
		.type = mark_name(runs->d, item),
		.phase = transfer ? NULL
			 : m->end ? "ZONE_END"
				  : "ZONE_START",
		.word = item->data[0],
		.addresses = item->kind == PROF_K_DATA_16 ? item->data[1] : 0,
	};

	devnoc_entry(j, run, &e);
}

static int write_transfers(struct runs *runs, const struct op_noc_run *r,
			   const struct log_mark *const *marks)
{
	const char *folder = environ_get("TT_METAL_DEVICE_PROFILER_NOC_EVENTS_RPT_PATH");
	struct devnoc_run run = {.device = runs->d->number, .id = r->sums.id};
	struct buf text = BUF_INIT, name = BUF_INIT;
	struct json j;
	int rc;

	if (r->sums.session != OP_NONE) {
		run.trace = (uint64_t)r->sums.trace;
		run.session = (uint64_t)r->sums.session;
	}
	run.name = op_name(runs->d, marks[0]->item->op);
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

/* Compares marks by run, then by order. */
static int write_noc(struct runs *runs, const struct log_mark *marks, size_t n)
{
	const struct log_mark **sorted = calloc(n + 1, sizeof(*sorted));
	const char *folder = environ_get("TT_METAL_DEVICE_PROFILER_NOC_EVENTS_RPT_PATH");
	struct tacho_error err;
	size_t all = 0;
	int r = sorted ? 0 : TACHO_ENOMEM;

	/* A failed mkdir is reported once, on the first write. */
	if (folder && *folder)
		folder_make(folder, &err);

	for (size_t i = 0; i < runs->noc.n; i++) {
		runs->noc.v[i].at = all;
		all += runs->noc.v[i].entries;
	}
	for (size_t i = 0; r == 0 && i < n; i++) {
		struct op_marker m = log_marker(runs->d, &marks[i]);
		int64_t run = m.id ? op_noc_runs_find(&runs->noc, &m, runs->d->number,
						      mark_name(runs->d, marks[i].item), false)
				   : OP_NONE;

		if (run >= 0)
			sorted[runs->noc.v[run].at++] = &marks[i];
	}
	for (size_t i = 0; r == 0 && i < runs->noc.n; i++) {
		const struct op_noc_run *run = &runs->noc.v[i];

		if (run->sums.events)
			r = write_transfers(runs, run, sorted + (run->at - run->entries));
	}
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
	r = 0;
	for (size_t i = 0; i < n && r == 0; i++) {
		struct op_marker m = log_marker(runs.d, &marks[i]);

		if (!m.id)
			continue;
		r = op_runs_add(&runs.perf, &m);
		if (r == 0)
			r = op_noc_runs_add(&runs.noc, &m, runs.d->number,
					    mark_name(runs.d, marks[i].item));
	}
	if (r == 0 && perf)
		r = write_perf(&runs);
	if (r == 0 && d->prof->noc_events)
		r = write_noc(&runs, marks, n);
	op_runs_free(&runs.perf);
	op_noc_runs_free(&runs.noc);
	return r;
}
