/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SQL over traces and ops reports: SQLite with virtual tables that read them in place. The tables
 * and their columns are listed in docs/query.md.
 *
 *	struct sql *s;
 *	r = sql_open(&s, &options, &err);
 *	r = sql_add(s, "app.tacho", &err);
 *	r = sql_run(s, "SELECT name, total FROM slice_stat LIMIT 10", &sink, &err);
 *	sql_close(s);
 *
 * A statement can read what was added and nothing else: it cannot attach files, load code or write
 * outside of memory. A connection belongs to one thread.
 */
#ifndef SQL_SQL_H
#define SQL_SQL_H

#include "base/err.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sql;

struct sql_options {
	int64_t timeout_ns;                /* of one sql_run(); 0: none */
	uint64_t memory;                   /* bytes that SQLite may use; 0: 2 GiB */
	const volatile sig_atomic_t *stop; /* a statement ends when it becomes nonzero; or NULL */
};

/* A memory limit applies to the whole process, since SQLite has one heap. */
int sql_open(struct sql **s, const struct sql_options *options, struct tacho_error *err);
/* Takes NULL. */
void sql_close(struct sql *s);

/*
 * Adds a trace (.tacho, .tacho.part, .tracy) or an ops report (.csv). Several are one set: each is
 * a row of the table "machine", numbered from 0 in the order of these calls.
 */
int sql_add(struct sql *s, const char *path, struct tacho_error *err);
/* The damage of the traces, a line each; "" for none. Valid until sql_close(). */
const char *sql_damage(struct sql *s);

enum sql_type { SQL_NULL, SQL_INT, SQL_REAL, SQL_TEXT, SQL_BLOB };

struct sql_value {
	enum sql_type type;
	int64_t integer;
	double real;
	const char *text; /* of a text or blob: LEN bytes, valid during the call */
	size_t len;
};

/* Receives the result of each statement that has one: its columns, its rows, its end. */
struct sql_sink {
	void *context;
	int (*begin)(void *context, const char *const *names, size_t n);
	int (*row)(void *context, const struct sql_value *values, size_t n);
	int (*end)(void *context);
	void (*note)(void *context, const char *text); /* advice about a slow statement; or NULL */
};

/*
 * Runs the statements of TEXT in order. TACHO_EUSAGE: the SQL is wrong; err->offset is the place in
 * TEXT. TACHO_ELIMIT: timeout, memory, or stopped. An error of the sink ends it.
 */
int sql_run(struct sql *s, const char *text, const struct sql_sink *sink, struct tacho_error *err);

/* True if TEXT is a complete statement, judged by quotes and semicolons. */
bool sql_is_complete(const char *text);

/* Writes all tables and views into a new SQLite database. An existing file needs FORCE. */
int sql_save(struct sql *s, const char *path, bool force, struct tacho_error *err);

#endif
