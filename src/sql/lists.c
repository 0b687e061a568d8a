/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that list what a trace declares: files, processes, threads, tracks, source locations. */
#include "sql/private.h"
#include "trace/names.h"

#include <string.h>

/* A row is sources[source] and a number below the count that COUNT returns. */
static int list_next(struct sql_cursor *c, uint32_t (*count)(const struct sql_source *s))
{
	for (; c->source < c->sql->sources.n; c->source++, c->index = UINT32_MAX)
		if (++c->index < count(sql_source_of(c)))
			return 1;
	return 0;
}

static double list_rows(const struct sql *s, uint32_t (*count)(const struct sql_source *s))
{
	double n = 0;

	for (size_t i = 0; i < s->sources.n; i++)
		n += count(&s->sources.v[i]);
	return n;
}

/* Defines sql_table_NAME of the functions NAME_count() and NAME_value(). */
#define LIST(list, ...)                                                             \
	static int list##_next(struct sql_cursor *c)                                \
	{                                                                           \
		return list_next(c, list##_count);                                  \
	}                                                                           \
	static double list##_rows(const struct sql *s)                              \
	{                                                                           \
		return list_rows(s, list##_count);                                  \
	}                                                                           \
	static const struct sql_column list##_columns[] = {__VA_ARGS__, {NULL, 0}}; \
	const struct sql_table sql_table_##list = {                                 \
		.name = #list,                                                      \
		.columns = list##_columns,                                          \
		.cursor_size = sizeof(struct sql_cursor),                           \
		.order = {-1, -1},                                                  \
		.rows = list##_rows,                                                \
		.next = list##_next,                                                \
		.value = list##_value,                                              \
	}

/* --------------------------------------------------------------- machine */

static uint32_t machine_count(const struct sql_source *s)
{
	(void)s;
	return 1;
}

static void machine_value(struct sql_cursor *c, int column, sqlite3_context *out)
{
	const struct sql_source *s = sql_source_of(c);
	const char *text = NULL;

	switch (column) {
	case 0:
		sqlite3_result_int64(out, c->source);
		return;
	case 1:
		text = s->trace ? trace_property(s->trace, "host") : NULL;
		break;
	case 2:
		text = s->trace ? trace_property(s->trace, "rank") : NULL;
		break;
	case 3:
		text = s->path;
		break;
	}
	if (text)
		sql_out_text(out, text);
}

LIST(machine, {"id INTEGER", 0}, {"name TEXT", 0}, {"rank INTEGER", 0}, {"file TEXT", 0});

/* --------------------------------------------------------------- process */

static uint32_t process_count(const struct sql_source *s)
{
	return s->trace ? s->trace->process_count : 0;
}

static void process_value(struct sql_cursor *c, int column, sqlite3_context *out)
{
	const struct trace *t = sql_source_of(c)->trace;
	const struct trace_process *p = &t->processes[c->index];

	switch (column) {
	case 0:
		sql_out_id(c, out, c->index);
		break;
	case 1:
		sqlite3_result_int64(out, p->pid);
		break;
	case 2:
		for (uint32_t i = 0; i < t->process_count; i++)
			if (i != c->index && t->processes[i].pid == p->parent_pid)
				sql_out_id(c, out, i);
		break;
	case 3:
		sql_out_text(out, p->name);
		break;
	case 4:
		sql_out_text(out, p->command);
		break;
	case 5:
		sqlite3_result_int64(out, trace_ns(t, p->start));
		break;
	case 6:
		if (p->end)
			sqlite3_result_int64(out, trace_ns(t, p->end));
		break;
	case 7:
		if (p->exit_status != TRACE_EXIT_UNKNOWN)
			sqlite3_result_int(out, p->exit_status);
		break;
	case 8:
		sqlite3_result_int64(out, c->source);
		break;
	}
}

LIST(process, {"upid INTEGER", 0}, {"pid INTEGER", 0}, {"parent_upid INTEGER", 0}, {"name TEXT", 0},
     {"cmdline TEXT", 0}, {"start_ts INTEGER", 0}, {"end_ts INTEGER", 0}, {"exit INTEGER", 0},
     {"machine_id INTEGER", 0});

/* ---------------------------------------------------------------- tracks */

static uint32_t track_count(const struct sql_source *s)
{
	return s->trace ? s->trace->track_count : 0;
}

static void track_name_out(const struct trace *t, uint32_t track, sqlite3_context *out)
{
	char text[64];
	const char *name = trace_track_name(t, track, text, sizeof(text));

	sqlite3_result_text(out, name, -1, name == text ? SQLITE_TRANSIENT : SQLITE_STATIC);
}

static bool is_thread(const struct trace_track *k)
{
	return k->kind == TRACE_THREAD || k->kind == TRACE_FIBER;
}

static void track_value(struct sql_cursor *c, int column, sqlite3_context *out)
{
	const struct trace *t = sql_source_of(c)->trace;
	const struct trace_track *k = &t->tracks[c->index];
	static const char *const units[] = {"", "bytes", "%", "W"};

	switch (column) {
	case 0:
		sql_out_id(c, out, c->index);
		break;
	case 1:
		track_name_out(t, c->index, out);
		break;
	case 2:
		sql_out_text(out, trace_track_kind_name(k->kind));
		break;
	case 3:
		sql_out_id(c, out, k->process);
		break;
	case 4:
		if (is_thread(k))
			sql_out_id(c, out, c->index);
		break;
	case 5:
		if (k->kind == TRACE_PLOT && k->format <= TRACE_PLOT_WATT)
			sql_out_text(out, units[k->format]);
		break;
	case 6:
		sqlite3_result_int64(out, c->source);
		break;
	}
}

LIST(track, {"id INTEGER", 0}, {"name TEXT", 0}, {"type TEXT", 0}, {"upid INTEGER", 0},
     {"utid INTEGER", 0}, {"unit TEXT", 0}, {"machine_id INTEGER", 0});

/* Rows of tracks that are of a kind. */
static int tracks_next(struct sql_cursor *c, bool (*wanted)(const struct trace_track *k))
{
	while (list_next(c, track_count))
		if (wanted(&sql_source_of(c)->trace->tracks[c->index]))
			return 1;
	return 0;
}

static double tracks_rows(const struct sql *s)
{
	return list_rows(s, track_count);
}

static int thread_next(struct sql_cursor *c)
{
	return tracks_next(c, is_thread);
}

static void thread_value(struct sql_cursor *c, int column, sqlite3_context *out)
{
	const struct trace *t = sql_source_of(c)->trace;
	const struct trace_track *k = &t->tracks[c->index];

	switch (column) {
	case 0:
		sql_out_id(c, out, c->index);
		break;
	case 1:
		if (k->kind == TRACE_THREAD)
			sqlite3_result_int64(out, (int64_t)k->id);
		break;
	case 2:
		track_name_out(t, c->index, out);
		break;
	case 3:
		sql_out_id(c, out, k->process);
		break;
	case 4:
		sqlite3_result_int(out, k->kind == TRACE_THREAD && k->process < t->process_count &&
						k->id == t->processes[k->process].pid);
		break;
	case 5:
		sqlite3_result_int64(out, c->source);
		break;
	}
}

static const struct sql_column thread_columns[] = {
	{"utid INTEGER", 0},
	{"tid INTEGER", 0},
	{"name TEXT", 0},
	{"upid INTEGER", 0},
	{"is_main_thread INTEGER", 0},
	{"machine_id INTEGER", 0},
	{NULL, 0},
};

const struct sql_table sql_table_thread = {
	.name = "thread",
	.columns = thread_columns,
	.cursor_size = sizeof(struct sql_cursor),
	.order = {-1, -1},
	.rows = tracks_rows,
	.next = thread_next,
	.value = thread_value,
};

static bool is_core(const struct trace_track *k)
{
	return k->kind == TRACE_CORE && !TRACE_CORE_IS_OTHER(k->id);
}

static int core_next(struct sql_cursor *c)
{
	return tracks_next(c, is_core);
}

static void core_value(struct sql_cursor *c, int column, sqlite3_context *out)
{
	const struct trace_track *k = &sql_source_of(c)->trace->tracks[c->index];
	const char *slash = strrchr(k->name, '/');

	switch (column) {
	case 0:
		sql_out_id(c, out, c->index);
		break;
	case 1:
		sqlite3_result_int64(out, TRACE_CORE_DEVICE(k->id));
		break;
	case 2:
		sqlite3_result_int64(out, TRACE_CORE_X(k->id));
		break;
	case 3:
		sqlite3_result_int64(out, TRACE_CORE_Y(k->id));
		break;
	case 4:
		sql_out_text(out, slash ? slash + 1 : k->name);
		break;
	case 5:
		sql_out_id(c, out, k->process);
		break;
	}
}

static const struct sql_column core_columns[] = {
	{"track_id INTEGER", 0}, {"device INTEGER", 0}, {"x INTEGER", 0}, {"y INTEGER", 0},
	{"risc TEXT", 0},        {"upid INTEGER", 0},   {NULL, 0},
};

const struct sql_table sql_table_core = {
	.name = "core",
	.columns = core_columns,
	.cursor_size = sizeof(struct sql_cursor),
	.order = {-1, -1},
	.rows = tracks_rows,
	.next = core_next,
	.value = core_value,
};

/* The ledger counts what is in the file; no zone is read. */
static void track_stat_value(struct sql_cursor *c, int column, sqlite3_context *out)
{
	const struct trace *t = sql_source_of(c)->trace;
	const struct trace_ledger *ledger = &t->ledgers[c->index];
	uint32_t first, count;
	uint64_t zones = 0;

	trace_track_lanes(t, c->index, &first, &count);
	switch (column) {
	case 0:
		sql_out_id(c, out, c->index);
		break;
	case 1:
		for (uint32_t i = 0; i < count; i++)
			zones += t->lanes[first + i].zones;
		sqlite3_result_int64(out, (int64_t)zones);
		break;
	case 2:
		sqlite3_result_int64(out, count ? t->lanes[first + count - 1].depth + 1 : 0);
		break;
	case 3:
		sqlite3_result_int64(out, (int64_t)ledger->zones_lost);
		break;
	case 4:
		sqlite3_result_int64(out, (int64_t)ledger->rows_lost);
		break;
	}
}

static uint32_t track_stat_count(const struct sql_source *s)
{
	return track_count(s);
}

LIST(track_stat, {"track_id INTEGER", 0}, {"slices INTEGER", 0}, {"depths INTEGER", 0},
     {"slices_lost INTEGER", 0}, {"others_lost INTEGER", 0});

/* ------------------------------------------------------ source locations */

static uint32_t srcloc_count(const struct sql_source *s)
{
	return s->trace ? s->trace->srcloc_count : 0;
}

static void srcloc_value(struct sql_cursor *c, int column, sqlite3_context *out)
{
	const struct trace *t = sql_source_of(c)->trace;
	const struct trace_srcloc *l = &t->srclocs[c->index];

	switch (column) {
	case 0:
		sql_out_id(c, out, c->index);
		break;
	case 1:
		sql_out_text(out, trace_srcloc_name(t, c->index));
		break;
	case 2:
		sql_out_text(out, l->function);
		break;
	case 3:
		sql_out_text(out, l->file);
		break;
	case 4:
		sqlite3_result_int64(out, l->line);
		break;
	}
}

LIST(srcloc, {"id INTEGER", 0}, {"name TEXT", 0}, {"function TEXT", 0}, {"file TEXT", 0},
     {"line INTEGER", 0});

/* ------------------------------------------------------------ properties */

static uint32_t metadata_count(const struct sql_source *s)
{
	return s->trace ? s->trace->property_count : 0;
}

static void metadata_value(struct sql_cursor *c, int column, sqlite3_context *out)
{
	const struct trace_property *p = &sql_source_of(c)->trace->properties[c->index];

	if (column == 2)
		sqlite3_result_int64(out, c->source);
	else
		sql_out_text(out, column == 0 ? p->key : p->value);
}

LIST(metadata, {"name TEXT", 0}, {"value TEXT", 0}, {"machine_id INTEGER", 0});

/* Each clock point is two rows: the monotonic clock and the real one. */
static uint32_t clock_snapshot_count(const struct sql_source *s)
{
	return s->trace ? 2 * s->trace->clock_point_count : 0;
}

static void clock_snapshot_value(struct sql_cursor *c, int column, sqlite3_context *out)
{
	const struct trace *t = sql_source_of(c)->trace;
	const struct trace_clock_point *p = &t->clock_points[c->index / 2];
	bool real = c->index % 2;

	switch (column) {
	case 0:
		sqlite3_result_int64(out, c->source);
		break;
	case 1:
		sqlite3_result_int64(out, trace_ns(t, p->ticks));
		break;
	case 2:
		sql_out_text(out, real ? "REALTIME" : "MONOTONIC_RAW");
		break;
	case 3:
		sqlite3_result_int64(out, real ? p->realtime_ns : p->monotonic_ns);
		break;
	case 4:
		sqlite3_result_int64(out, p->bound_ns);
		break;
	}
}

LIST(clock_snapshot, {"machine_id INTEGER", 0}, {"ts INTEGER", 0}, {"clock_name TEXT", 0},
     {"clock_value INTEGER", 0}, {"bound_ns INTEGER", 0});

/* --------------------------------------------------- unrecorded processes */

static uint32_t absent_count(const struct sql_source *s)
{
	return s->trace ? s->trace->absent_count : 0;
}

static void absent_value(struct sql_cursor *c, int column, sqlite3_context *out)
{
	const struct trace_absent *a = &sql_source_of(c)->trace->absent[c->index];
	char text[TRACE_ABSENT_TEXT];

	switch (column) {
	case 0:
		if (a->pid)
			sqlite3_result_int64(out, a->pid);
		break;
	case 1:
		sql_out_text(out, a->name);
		break;
	case 2:
		sqlite3_result_int64(out, (int64_t)a->count);
		break;
	case 3:
		sqlite3_result_text(out, trace_absent_text(a, text, sizeof(text)), -1,
				    SQLITE_TRANSIENT);
		break;
	case 4:
		sqlite3_result_int64(out, c->source);
		break;
	}
}

LIST(absent, {"pid INTEGER", 0}, {"name TEXT", 0}, {"processes INTEGER", 0}, {"reason TEXT", 0},
     {"machine_id INTEGER", 0});
