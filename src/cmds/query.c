/* SPDX-License-Identifier: Apache-2.0 */
/* Options shared by the verbs that read a trace: files, tracks, names, ranges. */
#include "cmds/query.h"
#include "trace/names.h"

#include <stdlib.h>
#include <string.h>

/* Selected by number or by a pattern for the name. */
static int is_chosen(const char *choice, uint64_t id, const char *name, struct tacho_error *err)
{
	char *end;
	unsigned long long number = strtoull(choice, &end, 10);
	struct pattern pattern;
	int r;

	if (end != choice && !*end)
		return number == id;
	r = pattern_init(&pattern, choice, err);
	if (r < 0)
		return r;
	r = pattern_match(&pattern, name);
	pattern_free(&pattern);
	return r;
}

/* Restricts q->tracks to the chosen processes. */
static int choose_processes(struct query *q, const struct opt_list *list)
{
	const struct trace *t = q->trace;
	uint8_t *taken = calloc(t->process_count + 1, 1);
	int r = taken ? 0 : TACHO_ENOMEM;

	for (size_t k = 0; k < list->n && r >= 0; k++) {
		bool any = false;

		for (uint32_t i = 0; i < t->process_count && r >= 0; i++) {
			r = is_chosen(list->v[k], t->processes[i].pid, t->processes[i].name,
				      &q->err);
			any |= r > 0;
			taken[i] |= r > 0;
		}
		if (r >= 0 && !any)
			r = err_set(&q->err, TACHO_ENO, "%s has no process '%s'", t->path,
				    list->v[k]);
	}
	for (uint32_t i = 0; i < t->track_count && r >= 0; i++) {
		uint32_t process = t->tracks[i].process;

		q->tracks[i] &= process < t->process_count && taken[process];
	}
	free(taken);
	return r < 0 ? r : 0;
}

/* Restricts q->tracks to the chosen threads and all tracks that are not threads. */
static int choose_threads(struct query *q, const struct opt_list *list)
{
	const struct trace *t = q->trace;
	uint8_t *taken = calloc(t->track_count + 1, 1);
	char text[64];
	int r = taken ? 0 : TACHO_ENOMEM;

	for (size_t k = 0; k < list->n && r >= 0; k++) {
		bool any = false;

		for (uint32_t i = 0; i < t->track_count && r >= 0; i++) {
			if (t->tracks[i].kind > TRACE_CORE)
				continue;
			r = is_chosen(list->v[k], t->tracks[i].id,
				      trace_track_name(t, i, text, sizeof(text)), &q->err);
			any |= r > 0;
			taken[i] |= r > 0;
		}
		if (r >= 0 && !any)
			r = err_set(&q->err, TACHO_ENO, "%s has no thread '%s'", t->path,
				    list->v[k]);
	}
	for (uint32_t i = 0; i < t->track_count && r >= 0; i++)
		q->tracks[i] &= t->tracks[i].kind > TRACE_CORE || taken[i];
	free(taken);
	return r < 0 ? r : 0;
}

static int choose_tracks(struct query *q, const struct query_conf *conf)
{
	int r = 0;

	if (!conf->processes.n && !conf->threads.n)
		return 0;
	q->tracks = malloc(q->trace->track_count + 1);
	if (!q->tracks)
		return TACHO_ENOMEM;
	memset(q->tracks, 1, q->trace->track_count);
	q->filter.in.tracks = q->tracks;
	if (conf->processes.n)
		r = choose_processes(q, &conf->processes);
	if (r == 0 && conf->threads.n)
		r = choose_threads(q, &conf->threads);
	return r;
}

static int choose_names(struct query *q, const struct query_conf *conf)
{
	int r = pattern_init(&q->name, conf->name, &q->err);

	if (r < 0 || q->name.kind == PATTERN_ALL)
		return r;
	q->srclocs = malloc(q->trace->srcloc_count + 1);
	if (!q->srclocs)
		return TACHO_ENOMEM;
	for (uint32_t i = 0; i < q->trace->srcloc_count; i++)
		q->srclocs[i] = pattern_match(&q->name, trace_srcloc_name(q->trace, i));
	q->filter.in.srclocs = q->srclocs;
	q->filter.name = &q->name;
	return 0;
}

/* With a single process the column is omitted. */
static const char *const only_process[] = {"pid", "process", NULL};

static int open_query(struct query *q, const struct query_conf *conf, int argc, char **argv)
{
	double ticks;
	int r;

	if (argc != 1)
		return err_set(&q->err, TACHO_EUSAGE,
			       argc ? "one trace at a time: '%s' is one too many"
				    : "the name of a trace is missing",
			       argc ? argv[1] : "");
	r = tracy_open_any(&q->trace, argv[0], NULL, &q->err);
	if (r < 0)
		return r;
	ticks = (double)(q->trace->end - q->trace->start);
	q->ns_per_tick =
		ticks > 0 ? trace_duration_ns(q->trace, q->trace->start, q->trace->end) / ticks : 1;
	q->filter.in.t1 = UINT64_MAX;
	if (conf->range)
		r = query_range(q->trace, conf->range, &q->filter.in.t0, &q->filter.in.t1, &q->err);
	if (r == 0)
		r = choose_tracks(q, conf);
	if (r == 0)
		r = choose_names(q, conf);
	q->style.format = (enum table_format)conf->format;
	q->style.guard = conf->guard;
	q->style.color = term_use_color(q->common->color, stdout);
	q->style.width = term_columns(stdout);
	q->style.hidden = q->trace->process_count > 1 ? NULL : only_process;
	return r;
}

/* Reports what is missing from the file; returns the exit code. */
static int report_damage(const struct query *q)
{
	const struct trace_damage *d = &q->trace->damage;
	bool damaged = d->unfinished || d->bad_blocks || d->missing_bytes;
	struct tacho_error err;

	if (!damaged && !d->unknown_blocks)
		return q->exit_code;
	fflush(stdout);
	err_set(&err, TACHO_EDAMAGED, "%s: %s", q->trace->path, d->text);
	if (!q->common->quiet)
		err_report(&err, TACHO_EDAMAGED);
	return damaged && !q->exit_code ? err_exit_code(TACHO_EDAMAGED) : q->exit_code;
}

int query_run(void *verb_conf, const struct cmd_common *common, int argc, char **argv,
	      int (*print)(struct query *q, void *conf))
{
	struct query_conf *conf = verb_conf;
	struct query q = {.common = common};
	int r = open_query(&q, conf, argc, argv);

	if (r == 0)
		r = print(&q, verb_conf);
	if (r < 0 && cmds_stdout_failed())
		r = 0; /* cmds_main() reports it, once for all verbs */
	if (r < 0)
		r = err_report(&q.err, r);
	else
		r = report_damage(&q);
	if (q.trace)
		trace_close(q.trace);
	pattern_free(&q.name);
	free(q.tracks);
	free(q.srclocs);
	opt_list_free(&conf->processes);
	opt_list_free(&conf->threads);
	return r;
}

double query_ns(const struct query *q, double ticks)
{
	return ticks * q->ns_per_tick;
}

bool query_shows(const struct query *q, uint32_t track, uint32_t kind)
{
	char text[64];

	return q->trace->tracks[track].kind == kind && view_takes(&q->filter, track, TRACE_NONE) &&
	       pattern_match(&q->name, trace_track_name(q->trace, track, text, sizeof(text)));
}

int query_rows(struct query *q, uint32_t kind,
	       int (*call)(void *context, const struct trace_row *row, uint32_t track),
	       void *context)
{
	struct trace_rows *rows;
	struct trace_row row;
	uint32_t track;
	int r = trace_rows_open(&rows, q->trace, TRACE_NONE, q->filter.in.t0, q->filter.in.t1);

	if (r < 0)
		return r;
	while ((r = trace_rows_next(rows, &row, &track)) > 0) {
		if (kind != TRACE_TRACK_KINDS && q->trace->tracks[track].kind != kind)
			continue;
		if (!view_takes(&q->filter, track, row.thread))
			continue;
		r = call(context, &row, track);
		if (r < 0)
			break;
	}
	trace_rows_close(rows);
	return r;
}
