/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A database of runs: what each op took in each run of a program, over commits. Two engines have
 * the same tables and give the same answers: an SQLite file, and ClickHouse over HTTP.
 *
 *	struct db *db;
 *	r = db_open(&db, &(struct db_options){.url = "sqlite:runs.db", .create = true}, &err);
 *	r = db_push(db, &push, &pushed, &err);
 *	r = db_runs_read(db, &filter, &runs, &err);
 *	r = db_series_read(db, &runs, &filter, &list, &err);	then regress.h
 *	db_close(db);
 *
 * A push is visible as a whole or not at all. It has a random number, which all its rows carry, and
 * its row in the table "part", written last, makes them visible. Rows of a push that failed have no
 * such row; db_gc() removes them. A push is never resumed: the next attempt has another number. So
 * no row can count twice, however often a request is repeated.
 *
 * Names come from traces and are data: values are bound, or quoted by one function; identifiers are
 * constants of schema.c.
 */
#ifndef DB_DB_H
#define DB_DB_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct db;

struct db_options {
	const char *url; /* NULL: TACHO_DB, db.conf, or the file of this user */
	bool create;     /* SQLite: make the file and its tables if it does not exist */
	bool any_schema; /* accept tables of another version: db_init(), db_check() */
	const volatile sig_atomic_t *stop; /* nonzero: give up; or NULL */
};

int db_open(struct db **db, const struct db_options *options, struct tacho_error *err);
/* Takes NULL. */
void db_close(struct db *db);
/* The URL without secrets, for messages. */
const char *db_name(const struct db *db);

/* Of ClickHouse on several servers; all NULL: one server. */
struct db_layout {
	const char *cluster; /* tables NAME_l on each server, and distributed ones over them */
	bool replicated;     /* ReplicatedMergeTree, with the macros {shard} and {replica} */
};
int db_init(struct db *db, const struct db_layout *layout, struct tacho_error *err);

/* Deletes rows of pushes that failed more than AGE_NS ago, and of runs that were removed. */
int db_gc(struct db *db, int64_t age_ns, uint64_t *pushes, struct tacho_error *err);

enum db_value_type { DB_NULL, DB_INT, DB_UINT, DB_REAL, DB_STRING };

struct db_value {
	enum db_value_type type;
	uint64_t bits; /* of an integer; a signed one in two's complement */
	double real;
	const char *text; /* LEN bytes, and a NUL; valid during the call */
	size_t len;
};

struct db_sink {
	void *context;
	int (*begin)(void *context, const char *const *names, size_t n); /* or NULL */
	int (*row)(void *context, const struct db_value *values, size_t n);
};

/* SQL of a user, read-only. */
int db_query(struct db *db, const char *sql, const struct db_sink *sink, struct tacho_error *err);

/* ------------------------------------------------------------------- push */

#define DB_ALL_PARTS UINT32_MAX

struct db_pair {
	const char *key, *value;
};

struct db_metric {
	char *name, *unit;
	double value;
	int better; /* -1: less is better, 1: more is */
};

struct db_metrics {
	VEC(struct db_metric);
};
/* "tokens/s=1234.5" or "latency=3.2ms": more is better if the name or unit ends with "/s". */
int db_metric_parse(struct db_metrics *m, const char *text, struct tacho_error *err);
/* A JSON object of numbers, or a CSV file with the columns name, value, unit and better. */
int db_metrics_read(struct db_metrics *m, const char *path, struct tacho_error *err);
void db_metrics_free(struct db_metrics *m);

/* The inputs of a push. Texts may be NULL: unknown. */
struct db_push {
	const char *const *paths; /* traces, reports */
	size_t path_count;
	const struct db_pair *labels;
	size_t label_count;
	const struct db_metric *metrics;
	size_t metric_count;
	const char *run; /* NULL: made of the content */
	uint32_t part;   /* the rank if others push theirs; else DB_ALL_PARTS */
	const char *project, *suite, *config, *branch, *sha, *host;
	int64_t commit_time, commit_seq; /* ns since 1970; its place in the history */
	int64_t started_at;              /* ns since 1970; 0: as the traces say, else now */
	bool dirty, no_ops, zones, again;
};

struct db_pushed {
	char run[65];
	bool existed; /* the same content was already stored: nothing was written */
	uint64_t ops, kinds, zones, metrics, ranks;
	unsigned attempts;
	char damage[200]; /* of an input; what could be read was pushed */
};

int db_push(struct db *db, const struct db_push *push, struct db_pushed *pushed,
	    struct tacho_error *err);

/* Makes a run invisible. TACHO_ENO: there is none. */
int db_remove(struct db *db, const char *run, struct tacho_error *err);

/* ------------------------------------------------------------------- runs */

struct db_filter {
	const char *project, *suite, *config, *branch; /* NULL: any */
	bool dirty;                                    /* also runs with uncommitted changes */
	size_t last;                                   /* the last so many runs; 0: all */
	size_t window;                                 /* of each group; 0: all */
	bool branches;                                 /* a group has all branches */
	const char *op;                                /* regular expression; NULL: all */
	const char *metric;                            /* exact; NULL: all */
	bool zones;
};

struct db_part {
	uint64_t push;
	uint32_t run; /* index in db_runs.v */
};

struct db_run {
	const char *id, *project, *suite, *config, *branch, *sha, *host, *arch;
	int64_t started_at, commit_time, commit_seq;
	uint64_t rows, ranks, device_ns;
	uint32_t parts;
	/* Runs of one project, suite, config and branch. Only those can be compared. */
	uint32_t group;
	bool dirty;
};

/* In the order of commits. Texts belong to the list. */
struct db_runs {
	VEC(struct db_run);
	struct {
		VEC(struct db_part);
	} parts;
	uint32_t groups;
	struct arena arena;
};

int db_runs_read(struct db *db, const struct db_filter *filter, struct db_runs *runs,
		 struct tacho_error *err);
void db_runs_free(struct db_runs *runs);

enum db_kind { DB_OP, DB_ZONE, DB_METRIC };

/* A figure over the runs of a group: of an op with its arguments, a zone or a metric. */
struct db_series {
	uint64_t id; /* of the figure, the same in all groups */
	uint32_t group;
	enum db_kind kind;
	const char *name,
		*detail; /* of an op: its tensors; of a zone: its file; of a metric: its unit */
	int better;
	struct {
		VEC(struct db_point);
	};
};

struct db_point {
	uint32_t run; /* index in db_runs.v */
	double value; /* ns, or the metric's unit */
	uint64_t count;
};

struct db_series_list {
	VEC(struct db_series);
	struct arena arena;
};

/*
 * The value of an op in a run is its median, of several devices the largest; of a collective the
 * smallest, which is the transfer without the waiting.
 */
int db_series_read(struct db *db, const struct db_runs *runs, const struct db_filter *filter,
		   struct db_series_list *list, struct tacho_error *err);
void db_series_free(struct db_series_list *list);

/* An accepted change: the series starts again there. Series 0: all. */
struct db_accepted {
	uint64_t series;
	char *sha;
};

struct db_accepted_list {
	VEC(struct db_accepted);
};

int db_accept(struct db *db, uint64_t series, const char *sha, const char *why, const char *who,
	      struct tacho_error *err);
int db_accepted_read(struct db *db, struct db_accepted_list *list, struct tacho_error *err);
void db_accepted_free(struct db_accepted_list *list);

#endif
