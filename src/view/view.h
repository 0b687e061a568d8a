/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries of pages and verbs on traces: statistics, timelines, locks, memory, frames, ops. There is
 * no HTTP here: src/http sends the answers to a browser, tests and verbs call it directly.
 *
 *	view_open()	creates a view without traces
 *	view_add()	adds a trace, a folder of traces, an ops report
 *	view_follow()	follows recordings in its own threads
 *	view_ask()	answers one query; docs/view.md lists them
 *	view_close()	stops the threads and frees everything
 *
 * The folds that verbs and exporters use on a single open trace are in headers of their own:
 * zone_stream.h, frame_spans.h, lock_spans.h, memory_pool.h, core_busy.h.
 *
 * Answers come from the level-of-detail index and from passes over the blocks of a trace: memory
 * does not grow with the traces. Any thread may query; a query takes one of the handles of its
 * trace (see traces.h), so a long pass delays no short one.
 */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct view;

struct view_options {
	const char *const *sources; /* folders whose files the call "source" may show */
	size_t source_count;
};

/* An empty view; view_add() fills it. The folders of OPTIONS must outlive it. */
int view_open(struct view **view, const struct view_options *options, struct tacho_error *err);
/* Ends view_follow(), frees all. Takes NULL. */
void view_close(struct view *view);

/* PATH is a file or a folder; its content decides what it is. */
int view_add(struct view *view, const char *path, struct tacho_error *err);
/* Adds the recording named by TEXT: see ring_session_find(); NULL is the only one. */
int view_add_session(struct view *view, const char *text, struct tacho_error *err);
/* Why the I-th unreadable file of a folder is not shown; NULL: no more. */
const char *view_unread(const struct view *view, size_t i);
size_t view_count(const struct view *view);

/* ------------------------------------------------------------- recordings */

/* The listener for growing recordings. Called by threads of view_follow(). */
struct view_listener {
	void (*grown)(void *context);
	bool (*wanted)(void *context,
		       double seconds); /* whether there was a request within so many seconds */
	void *context;
};

/* Names the traces and starts to follow those that are being recorded. */
int view_follow(struct view *view, const struct view_listener *listener);
/* Requests have resumed: do not wait for the next round. */
void view_follow_wake(struct view *view);
/* Stops calling the listener. view_close() does it too. */
void view_follow_stop(struct view *view);

/* The state of trace I, without a query. */
struct view_now {
	uint64_t gen; /* grows when the trace has grown */
	uint64_t zones, size, dropped;
	int64_t duration, start_realtime;
	uint64_t meta;     /* grows when tracks, processes or lanes were added */
	uint64_t parts;    /* how many there are */
	const char *state; /* NULL: an ops report */
};
struct view_now view_now(struct view *view, size_t i);

/* -------------------------------------------------------------- questions */

#define VIEW_PARAMETERS 32u
#define VIEW_QUERY      16384u /* bytes */
#define VIEW_NO_TRACE   UINT32_MAX

/* "key=value&key=value", percent-encoded; all strings are in its own memory. */
struct view_query {
	struct {
		char *key, *value;
	} parameters[VIEW_PARAMETERS];
	size_t count;
	char text[VIEW_QUERY + 1];
};

/* False: it is too long or malformed, or has a parameter twice. TEXT may be NULL. */
bool query_parse(struct view_query *q, const char *text);
/* NULL when there is none. */
const char *query_get(const struct view_query *q, const char *key);
/* Decodes %xx in place; false: not well-formed, or a NUL. PLUS: '+' is a blank. */
bool query_decode(char *text, bool plus);

struct view_question {
	uint32_t trace;   /* VIEW_NO_TRACE: a call about several traces */
	const char *call; /* "stats" */
	const struct view_query *query;
	bool changes; /* the client has the right and the intent to change something */
	bool (*gone)(
		void *context); /* whether the client no longer waits for the answer. May be NULL */
	void *context;
};

enum view_status {
	VIEW_OK,
	VIEW_BAD,     /* a parameter is wrong */
	VIEW_MISSING, /* no such call, trace, lane ... */
	VIEW_FAILED,
	VIEW_BUSY,   /* no memory or disk for it now */
	VIEW_METHOD, /* GET for a call that changes something, or POST for another */
};

enum view_type { VIEW_JSON, VIEW_BINARY, VIEW_CSV };

struct view_answer {
	enum view_status status; /* if not VIEW_OK, the body is {"error": "..."} */
	enum view_type type;
	struct buf body;
	FILE *file;         /* instead of a body: from its start, and to be closed */
	char file_name[64]; /* with a file */
	bool deflate;       /* the body is packed */
	char version[48];   /* "": none; the same one has the same body */
	bool still;         /* it will not change */
};

/*
 * A call that a folder above answers: about one trace, whose file is PATH, or about none. It fills
 * BODY with JSON; or it returns an error with its reason: TACHO_EUSAGE and TACHO_ELIMIT blame the
 * query, TACHO_ENO that what it names does not exist.
 */
struct view_extension {
	const char *name;
	bool general; /* about no trace: PATH is NULL */
	int (*answer)(void *context, const char *path, const struct view_query *query,
		      struct buf *body, struct tacho_error *err);
	void *context;
};
#define VIEW_EXTENSIONS 4u
/* Before the first query; at most VIEW_EXTENSIONS. */
void view_extend(struct view *view, const struct view_extension *extension);

/* The caller frees answer->body and closes answer->file. */
void view_ask(struct view *view, const struct view_question *q, struct view_answer *answer);

#endif
