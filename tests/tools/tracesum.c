/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracesum [-m] FILE prints what a trace holds, one fact per line, for scripts that compare it with
 * what a program says it emitted. -m prints the texts of all messages instead, in their order.
 */
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const row_names[] = {
#define X(name, text) text,
	TRACE_ROWS(X)
#undef X
};
static const char *const loss_names[] = {"limit",     "overwritten", "torn",
					 "no-memory", "corrupt",     "disk"};

static void result_check(int64_t r, const struct tacho_error *err)
{
	if (r >= 0)
		return;
	fprintf(stderr, "tracesum: %s\n", err && err->text[0] ? err->text : err_text((int)r));
	exit(3);
}

static void print_zones(struct trace *t)
{
	struct tacho_error err = {0};
	struct trace_filter all = {.t1 = UINT64_MAX, .no_percentiles = true};
	struct trace_stat *stats;
	uint64_t unfinished = 0;
	size_t count;

	result_check(trace_stats(t, &all, &stats, &count, &err), &err);
	for (size_t i = 0; i < count; i++) {
		printf("zone %s %" PRIu64 " unfinished %" PRIu64 "\n",
		       trace_srcloc_name(t, stats[i].srcloc), stats[i].count + stats[i].unfinished,
		       stats[i].unfinished);
		unfinished += stats[i].unfinished;
	}
	free(stats);
	printf("zones %" PRIu64 "\nunfinished %" PRIu64 "\n", t->zones, unfinished);
}

static void print_processes(const struct trace *t)
{
	uint64_t *zones = calloc(t->process_count + 1, sizeof(*zones));

	for (uint32_t i = 0; zones && i < t->lane_count; i++)
		zones[t->tracks[t->lanes[i].track].process] += t->lanes[i].zones;
	for (uint32_t i = 0; zones && i < t->process_count; i++) {
		const struct trace_process *p = &t->processes[i];

		printf("process %u parent %u zones %" PRIu64 " %s", p->pid, p->parent_pid, zones[i],
		       p->name);
		if (p->exit_status != TRACE_EXIT_UNKNOWN)
			printf(" status %d", p->exit_status);
		printf("%s\n", p->end ? "" : " alive");
	}
	printf("processes %u\n", t->process_count);
	free(zones);
}

static void print_tracks(const struct trace *t)
{
	uint64_t kinds[TRACE_TRACK_KINDS] = {0};

	for (uint32_t i = 0; i < t->track_count; i++)
		kinds[t->tracks[i].kind]++;
	printf("threads %" PRIu64 "\nfibers %" PRIu64 "\n", kinds[TRACE_THREAD],
	       kinds[TRACE_FIBER]);
}

static void print_rows(struct trace *t)
{
	uint64_t counts[TRACE_ROW_KINDS] = {0}, times[TRACE_LOSSES] = {0};
	uint64_t zones[TRACE_LOSSES] = {0}, others[TRACE_LOSSES] = {0};
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t track;
	int r;

	result_check(trace_rows_open(&rows, t, TRACE_NONE, 0, UINT64_MAX), NULL);
	while ((r = trace_rows_next(rows, &row, &track)) > 0) {
		counts[row.kind]++;
		if (row.kind == TRACE_ROW_LOSS && row.a < TRACE_LOSSES) {
			times[row.a]++;
			zones[row.a] += row.b;
			others[row.a] += row.c;
		}
	}
	result_check(r, NULL);
	trace_rows_close(rows);
	for (int i = 0; i < TRACE_ROW_KINDS; i++)
		if (counts[i])
			printf("row %s %" PRIu64 "\n", row_names[i], counts[i]);
	for (int i = 0; i < TRACE_LOSSES; i++)
		if (times[i])
			printf("loss %s times %" PRIu64 " zones %" PRIu64 " others %" PRIu64 "\n",
			       loss_names[i], times[i], zones[i], others[i]);
}

static void print_ledger(const struct trace *t)
{
	struct trace_ledger sum = {0};

	for (uint32_t i = 0; i < t->track_count; i++) {
		sum.zones_emitted += t->ledgers[i].zones_emitted;
		sum.zones_lost += t->ledgers[i].zones_lost;
		sum.rows_emitted += t->ledgers[i].rows_emitted;
		sum.rows_lost += t->ledgers[i].rows_lost;
	}
	printf("emitted-zones %" PRIu64 "\nlost-zones %" PRIu64 "\n", sum.zones_emitted,
	       sum.zones_lost);
	printf("emitted-rows %" PRIu64 "\nlost-rows %" PRIu64 "\n", sum.rows_emitted,
	       sum.rows_lost);
}

static void print_check(struct trace *t)
{
	struct trace_check check;
	struct tacho_error err = {0};

	result_check(trace_check(t, &check, &err), &err);
	printf("damage %s\n", t->damage.text[0] ? t->damage.text : "none");
	printf("check %" PRIu64 " %s\n", check.errors, check.first_error);
}

static void print_messages(struct trace *t)
{
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t track;
	int r;

	result_check(trace_rows_open(&rows, t, TRACE_NONE, 0, UINT64_MAX), NULL);
	while ((r = trace_rows_next(rows, &row, &track)) > 0)
		if (row.kind == TRACE_ROW_MESSAGE)
			printf("%.*s\n", (int)row.text_len, row.text);
	result_check(r, NULL);
	trace_rows_close(rows);
}

int main(int argc, char **argv)
{
	bool messages = argc > 1 && !strcmp(argv[1], "-m");
	struct tacho_error err = {0};
	struct trace *t;

	if (argc != 2 + messages)
		return 2;
	result_check(trace_open(&t, argv[1 + messages], &err), &err);
	if (messages) {
		print_messages(t);
	} else {
		print_zones(t);
		print_processes(t);
		print_tracks(t);
		print_rows(t);
		print_ledger(t);
		print_check(t);
	}
	trace_close(t);
	return 0;
}
