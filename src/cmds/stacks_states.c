/* SPDX-License-Identifier: Apache-2.0 */
/* What sampled threads did, for the verb "stacks": by state, thread, lock and CPU. */
#include "base/order.h"
#include "cmds/stacks.h"
#include "trace/names.h"

#include <stdlib.h>

static const struct table_column state_columns[] = {
	{"state", "state", TABLE_STRING},
	{"ns", "time", TABLE_NS},
	{"percent", "%", TABLE_PERCENT},
};

static int states_print(struct query *q, const double *ns)
{
	double total = 0;
	struct table t;

	for (int i = 0; i < PROFILE_STATES; i++)
		total += ns[i];
	table_open(&t, stdout, &q->style, TABLE_COLUMNS(state_columns));
	for (int i = 0; i < PROFILE_STATES; i++) {
		table_text(&t, profile_state_names[i]);
		table_real(&t, ns[i]);
		table_real(&t, total > 0 ? 100 * ns[i] / total : 0);
		table_row(&t);
	}
	return table_close(&t);
}

static const struct table_column thread_columns[] = {
	{"pid", "pid", TABLE_ID},
	{"tid", "tid", TABLE_ID},
	{"name", "thread", TABLE_STRING},
	{"running_ns", "running", TABLE_NS},
	{"kernel_ns", "[kernel]", TABLE_NS},
	{"runnable_ns", "for a CPU", TABLE_NS},
	{"lock_ns", "for a lock", TABLE_NS},
	{"sleep_ns", "sleeping", TABLE_NS},
	{"poll_ns", "polling", TABLE_NS},
	{"io_ns", "I/O", TABLE_NS},
	{"child_ns", "child", TABLE_NS},
	{"other_ns", "other", TABLE_NS},
	{"unknown_ns", NULL, TABLE_NS},
	{"samples", "samples", TABLE_COUNT},
	{"runs", "runs", TABLE_COUNT},
	{"migrations", "moves", TABLE_COUNT},
};

static void thread_name_add(struct table *t, const struct trace *trace, uint32_t track)
{
	table_uint(t, trace_process_of(trace, track)->pid);
	table_uint(t, trace->tracks[track].id);
	table_text(t, trace->tracks[track].name);
}

static void thread_row(struct table *t, const struct trace *trace, const struct profile_thread *th)
{
	thread_name_add(t, trace, th->track);
	for (int i = 0; i < PROFILE_STATES; i++)
		table_real(t, th->ns[i]);
	table_uint(t, th->samples);
	table_uint(t, th->runs);
	table_uint(t, th->migrations);
	table_row(t);
}

static const struct table_column lock_columns[] = {
	{"pid", "pid", TABLE_ID},        {"name", "lock", TABLE_STRING}, {"ns", "time", TABLE_NS},
	{"percent", "%", TABLE_PERCENT}, {"file", NULL, TABLE_STRING},   {"line", NULL, TABLE_ID},
};

/* Of all time of waits for locks: ALL_NS, with waits that no lock event explains. */
static int locks_print(struct query *q, const double *lock_ns, double all_ns)
{
	double named = 0;
	struct table t;
	char text[64];

	table_open(&t, stdout, &q->style, TABLE_COLUMNS(lock_columns));
	for (uint32_t i = 0; i < q->trace->track_count; i++) {
		const struct trace_srcloc *loc =
			trace_srcloc_of(q->trace, q->trace->tracks[i].srcloc);

		if (lock_ns[i] <= 0)
			continue;
		named += lock_ns[i];
		table_uint(&t, trace_process_of(q->trace, i)->pid);
		table_text(&t, trace_track_name(q->trace, i, text, sizeof(text)));
		table_real(&t, lock_ns[i]);
		table_real(&t, all_ns > 0 ? 100 * lock_ns[i] / all_ns : 0);
		table_text(&t, loc->file);
		table_uint(&t, loc->line);
		table_row(&t);
	}
	if (all_ns - named > 0.5) {
		table_none(&t);
		table_text(&t, "[not recorded]");
		table_real(&t, all_ns - named);
		table_real(&t, 100 * (all_ns - named) / all_ns);
		table_none(&t);
		table_none(&t);
		table_row(&t);
	}
	return table_close(&t);
}

static const struct table_column cpu_columns[] = {
	{"cpu", "CPU", TABLE_ID},
	{"pid", "pid", TABLE_ID},
	{"tid", "tid", TABLE_ID},
	{"name", "thread", TABLE_STRING},
	{"running_ns", "running", TABLE_NS},
	{"percent", "%", TABLE_PERCENT},
	{"runs", "runs", TABLE_COUNT},
};

ORDER_BY(cpu_compare, struct profile_cpu, ORDER_UP(cpu) ?: ORDER_DOWN(ns) ?: ORDER_UP(track));

/* Percentages are those of the time that sampled threads ran on the CPU. */
static int cpus_print(struct query *q, struct profile_cpus *cpus)
{
	struct table t;
	double all = 0;

	table_open(&t, stdout, &q->style, TABLE_COLUMNS(cpu_columns));
	if (cpus->n)
		qsort(cpus->v, cpus->n, sizeof(*cpus->v), cpu_compare);
	for (size_t i = 0, end = 0; i < cpus->n; i++) {
		if (i == end)
			for (all = 0; end < cpus->n && cpus->v[end].cpu == cpus->v[i].cpu; end++)
				all += cpus->v[end].ns;
		table_uint(&t, cpus->v[i].cpu);
		thread_name_add(&t, q->trace, cpus->v[i].track);
		table_real(&t, cpus->v[i].ns);
		table_real(&t, all > 0 ? 100 * cpus->v[i].ns / all : 0);
		table_uint(&t, cpus->v[i].runs);
		table_row(&t);
	}
	return table_close(&t);
}

int stacks_states_print(struct query *q, enum stacks_by by, struct profile *p,
			const struct profile_filter *filter)
{
	double sum[PROFILE_STATES] = {0};
	double *lock_ns = calloc(q->trace->track_count + 1, sizeof(*lock_ns));
	struct profile_cpus cpus = {0};
	struct profile_thread th;
	struct table t;
	int r = lock_ns ? 0 : TACHO_ENOMEM, closed = 0;

	if (by == STACKS_BY_THREAD)
		table_open(&t, stdout, &q->style, TABLE_COLUMNS(thread_columns));
	for (uint32_t i = 0; r == 0 && i < q->trace->track_count; i++) {
		if (q->trace->tracks[i].kind != TRACE_THREAD ||
		    (filter->tracks && !filter->tracks[i]))
			continue;
		r = by == STACKS_BY_CPU ? profile_thread_cpus(p, filter, i, &cpus)
					: profile_thread_states(p, filter, i, &th, lock_ns);
		if (r < 0 || by == STACKS_BY_CPU)
			continue;
		for (int k = 0; k < PROFILE_STATES; k++)
			sum[k] += th.ns[k];
		if (by == STACKS_BY_THREAD && (th.samples || th.runs))
			thread_row(&t, q->trace, &th);
	}
	if (by == STACKS_BY_THREAD)
		closed = table_close(&t);
	else if (r == 0 && by == STACKS_BY_CPU)
		closed = cpus_print(q, &cpus);
	else if (r == 0 && by == STACKS_BY_LOCK)
		closed = locks_print(q, lock_ns, sum[PROFILE_LOCK]);
	else if (r == 0)
		closed = states_print(q, sum);
	vec_free(&cpus);
	free(lock_ns);
	return r < 0 ? r : closed;
}
