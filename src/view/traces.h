/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: the traces of a view, and the handles through which queries read them.
 *
 * Locks: struct view_trace.lock is held while its fields are read or changed, never while a query
 * is processed; a query has exclusive use of a handle instead. Nothing else is locked under it.
 */
#ifndef VIEW_TRACES_H
#define VIEW_TRACES_H

#include "base/map.h"
#include "base/vec.h"
#include "trace/trace.h"
#include "view/view.h"

#include <pthread.h>

#define VIEW_TAG 20 /* bytes */

enum view_kind { VIEW_TRACE, VIEW_OPS };

/*
 * One open file of a trace. A trace has one with the index, for quick calls, and a few for passes
 * over much of it, opened on demand; one more has the results computed from rows (row_cache.h). A
 * handle is used exclusively while taken.
 */
enum view_use { QUICK, SCAN, ROWS };

struct row_cache;

struct view_handle {
	struct trace *trace;   /* NULL: not yet open */
	struct trace_lod *lod; /* of the quick one */
	bool taken;
	uint64_t gen; /* of the trace when it was last read on */
	struct {
		VEC(struct row_cache *);
	} caches;                /* of the one for rows */
	uint64_t asked;          /* number of cache lookups */
	struct profile *profile; /* stacks and names of its samples, or NULL; sample_query.c */
	struct op_live *live;    /* of a recording: what was read for its ops, or NULL; op_load.c */
	uint64_t profile_known;  /* trace_known() when it was read */
	double profile_good;     /* how long it is used for a recording, seconds */
};

#define VIEW_SCANS 3u

struct view_trace {
	uint32_t id;
	struct view *view;  /* while it is followed */
	pthread_t follower; /* if there is one */
	bool following;
	enum view_kind kind;
	char *path;
	char *name;           /* its base name */
	char tag[VIEW_TAG];   /* distinguishes it from all other traces */
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t freed;
	bool live;     /* it is being recorded */
	bool followed; /* it was, when it was opened */
	bool was_live;
	bool keeps; /* slow answers are kept in the cache folder: it is saved and has a name */
	struct ring_follow *session; /* of the recording, or NULL; only the follower changes it, and
					reads it without the lock */
	struct view_now now;
	struct {
		VEC(uint64_t);
	} lanes; /* followed: track << 32 | depth of each number */
	struct map lane_numbers;
	struct view_handle quick, scans[VIEW_SCANS], rows;
	struct chunks *chunks;             /* of a large trace, or NULL */
	struct stats_cache *stats;         /* recent answers */
	struct waits *waits;               /* lock waits of its zones, or NULL */
	struct marks_cache *marks;         /* recently counted lists of messages */
	struct signposts_cache *signposts; /* found so far, or NULL */
	pthread_mutex_t ops_lock;          /* held by a call that reads ops; taken before LOCK */
	struct ops *ops[2];                /* [1]: those of several devices are one */
};

struct view {
	struct view_options options;
	struct {
		VEC(struct view_trace *);
	} traces;
	struct {
		VEC(char *);
	} unread; /* the reasons for not showing files of folders */
	struct view_extension extensions[VIEW_EXTENSIONS];
	size_t extension_count;
	struct view_listener listener;
	pthread_mutex_t follow_lock; /* of STOPPING; nothing is locked under it */
	pthread_cond_t follow_wake;
	bool stopping;
};

/* Waits for a handle of that use, and opens it. */
int handle_take(struct view_trace *t, enum view_use use, struct view_handle **handle);
void handle_put(struct view_trace *t, struct view_handle *h);

int trace_add(struct view *view, const char *path, const char *session, struct tacho_error *err);
void tag_make(char tag[VIEW_TAG], const struct trace *trace);
/* Called with the trace's lock held, after new data was read. */
void now_set(struct view_trace *t, const struct trace *trace);

/* trace_names.c: gives each trace a unique name; before the first query. */
int trace_names_make(struct view *view);

/* follow.c: SESSION is the directory of the recording. */
int follow_load(struct view_trace *t, const char *session, struct tacho_error *err);
void follow_unload(struct view_trace *t);
/* False if no recording is running, or too many values are pending. */
bool follow_set_parameter(struct view_trace *t, uint32_t pid, uint32_t number, int32_t value);
bool follow_session_of(const char *path, char *dir, size_t size);

/* lane_numbers.c: with the trace's lock held. */
int lanes_learn(struct view_trace *t, const struct trace *trace);
void lanes_forget(struct view_trace *t);

/* Drops the caches of a trace. */
void row_cache_forget(struct view_handle *h);
void profile_forget(struct view_handle *h);
void stats_forget(struct view_trace *t);
void waits_forget(struct view_trace *t);
void marks_forget(struct view_trace *t);
void signposts_forget(struct view_trace *t);
void ops_forget(struct view_trace *t);
void ops_live_forget(struct view_handle *h);

#endif
