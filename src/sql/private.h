/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: virtual tables. A table is a struct sql_table: its columns, and functions that go from
 * row to row. vtab.c is the SQLite module for all of them. It collects the conditions that a table
 * can use and passes them as bounds; SQLite checks every condition again, except those that a
 * column declares exact, so a table may return too many rows but never too few.
 */
#ifndef SQL_PRIVATE_H
#define SQL_PRIVATE_H

#include "base/buf.h"
#include "base/vec.h"
#include "op/load.h"
#include "sample/profile.h"
#include "sql/sql.h"
#include "trace/trace.h"

#include <sqlite3.h>

/* The ops of one process: their numbers count per process. */
struct sql_ops {
	uint32_t process; /* TRACE_NONE: no process has a device */
	struct op_loaded *loaded;
};

/* One file. */
struct sql_source {
	char *path;
	struct trace *trace; /* NULL: an ops report */
	struct {
		VEC(struct sql_ops);
	} ops;                   /* of a trace; none until needed */
	struct op_table report;  /* the ops of a report */
	struct profile *profile; /* stacks; NULL until needed */
};

struct sql {
	sqlite3 *db;
	struct sql_options options;
	struct {
		VEC(struct sql_source);
	} sources;
	int64_t deadline;           /* of now_ns(); 0: none */
	struct tacho_error failure; /* of the table that failed the statement */
	struct buf damage;
};

/* How a column takes part in the conditions of a statement. */
enum {
	SQL_EQ = 1,    /* "= value" selects rows at less cost */
	SQL_RANGE = 2, /* so do <, <=, > and >= */
	SQL_KEY = 4,   /* "=" selects one row */
	SQL_ARG = 8,   /* hidden: an argument of a table-valued function */
	SQL_EXACT = 16 /* the table applies the condition exactly */
};

struct sql_column {
	const char *declaration; /* "ts INTEGER" */
	uint8_t takes;
};

/* The condition on a column. Without one, LOW and HIGH are the limits of int64_t. */
struct sql_bound {
	int64_t low, high;
	const char *text; /* "= TEXT"; NULL: none */
	bool given;
};

enum { SQL_COLUMNS = 24 };  /* of a table that takes conditions, at most */
enum { SQL_SOURCES = 256 }; /* files of a query, at most */

struct sql_table;

/* A table's cursor begins with this one. */
struct sql_cursor {
	sqlite3_vtab_cursor base;
	struct sql *sql;
	const struct sql_table *table;
	uint64_t used; /* bit i: column i is read; bit 63: so are later ones */
	struct sql_bound bounds[SQL_COLUMNS];
	int64_t row; /* counts from 0 */
	bool end;
	uint32_t source; /* of sql->sources */
	uint32_t index;  /* of the current row in lists, or of the track */
};

struct sql_table {
	const char *name;
	const struct sql_column *columns; /* the last one is empty */
	size_t cursor_size;
	/* Columns by which rows are sorted, ascending; -1: none. */
	int order[2];
	/* An estimate of the number of rows. */
	double (*rows)(const struct sql *s);
	/* Before the first row. The cursor is zeroed except for its first part. NULL: nothing. */
	int (*open)(struct sql_cursor *c);
	/* 1: a row; 0: the end; or an error. */
	int (*next)(struct sql_cursor *c);
	void (*value)(struct sql_cursor *c, int column, sqlite3_context *out);
	/* After any of the above. NULL: nothing to free. */
	void (*close)(struct sql_cursor *c);
};

/* All tables, by file. */
extern const struct sql_table sql_table_machine, sql_table_process, sql_table_thread,
	sql_table_track, sql_table_core, sql_table_srcloc, sql_table_metadata,
	sql_table_clock_snapshot, sql_table_track_stat, sql_table_absent; /* lists.c */
extern const struct sql_table sql_table_slice, sql_table_args;            /* slices.c */
extern const struct sql_table sql_table_slice_stat;                       /* slice_stat.c */
extern const struct sql_table sql_table_flow;                             /* flows.c */
extern const struct sql_table sql_table_counter, sql_table_message, sql_table_frame, sql_table_loss,
	sql_table_sample, sql_table_state, sql_table_marker;          /* rows.c */
extern const struct sql_table sql_table_lock_span, sql_table_alloc;   /* spans.c */
extern const struct sql_table sql_table_stack, sql_table_stack_frame; /* stacks.c */
int sql_ops_register(struct sql *s);                                  /* ops.c */
int sql_functions_register(struct sql *s);                            /* functions.c */

/* vtab.c: makes TABLE known to the connection. */
int sql_table_register(struct sql *s, const struct sql_table *table);
/* Reports an error of a table: sets the message of the statement and returns SQLite's code. */
int sql_fail(struct sql *s, sqlite3_vtab *vtab, int code);

static inline struct sql_source *sql_source_of(const struct sql_cursor *c)
{
	return &c->sql->sources.v[c->source];
}

static inline bool sql_within(const struct sql_cursor *c, int column, int64_t value)
{
	return value >= c->bounds[column].low && value <= c->bounds[column].high;
}

/* Results. A text lives as long as the trace. */
static inline void sql_out_text(sqlite3_context *out, const char *text)
{
	sqlite3_result_text(out, text, -1, SQLITE_STATIC);
}

/* Ids of tracks, processes and so on are unique over all files: the number of the file is above. */
static inline int64_t sql_id(const struct sql_cursor *c, uint32_t id)
{
	return (int64_t)c->source << 32 | id;
}
/* NULL for TRACE_NONE. */
static inline void sql_out_id(const struct sql_cursor *c, sqlite3_context *out, uint32_t id)
{
	if (id != TRACE_NONE)
		sqlite3_result_int64(out, sql_id(c, id));
}
/* slices.c: the id of a zone in the table "slice". */
int64_t sql_slice_id(const struct sql_cursor *c, uint32_t lane, uint64_t number);
/* A duration between two ticks in whole nanoseconds. */
int64_t sql_duration(const struct trace *t, uint64_t start, uint64_t end);

/* The times of a condition on "ts", widened to be safe against rounding. */
void sql_ticks(const struct trace *t, const struct sql_bound *ts, uint64_t *t0, uint64_t *t1);

/*
 * Goes to the next track of a source whose kind is in KINDS (bits) and whose id is within the
 * bound of COLUMN (or -1). 0: there are no more.
 */
int sql_track_next(struct sql_cursor *c, uint32_t kinds, int column);

/* The stacks of a source; made on first use. */
int sql_profile(struct sql *s, struct sql_source *source);
/* ops.c: loads the ops of a trace, on first use. */
int sql_source_ops(struct sql *s, struct sql_source *source);

#endif
