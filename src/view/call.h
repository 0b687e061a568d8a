/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: one query in progress. call.c finds the function of a call and the trace; that function
 * reads parameters (call_args.h), writes the answer's body and returns 0 or an error.
 */
#ifndef VIEW_CALL_H
#define VIEW_CALL_H

#include "base/json.h"
#include "view/traces.h"

#define VIEW_ROWS 1000u /* of one page of a list */
#define VIEW_TEXT 4096u /* bytes of a message or a name in a list */

struct view_call {
	struct view *view;
	const struct view_query *query;
	struct view_trace *on;
	uint64_t gen; /* of ON, as they were when the call began */
	bool live;
	char tag[VIEW_TAG];
	struct view_handle *handle; /* that the call works on */
	struct trace *trace;        /* of it */
	struct trace_lod *lod;      /* of a quick call */
	struct json json;
	struct view_answer *answer;
	bool (*gone)(void *context); /* whether the client has left */
	void *context;
};

/* Sets an error answer; returns TACHO_EUSAGE, so that "return call_fail(...)" is the usual form. */
int call_fail(struct view_call *c, enum view_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Discards an answer that was begun or failed. */
void call_reset(struct view_call *c);
/* True if the client has left. Long loops check it from time to time. */
bool call_gone(struct view_call *c);
/* Begins the answer: an object with "gen". */
void call_begin(struct view_call *c);
/* Runs CALL on trace ID, given by parameter KEY. Without a trace for an ops report. */
int call_on(struct view_call *c, const char *key, int (*call)(struct view_call *c, void *context),
	    void *context);

/* Asks "flame?limit=5" of a saved trace before a page does, so that the answer is kept. */
void call_prepare(struct view_trace *t, const char *question, bool (*gone)(void *context),
		  void *context);

/* Nanoseconds of an answer; the mean length of a tick. */
double call_ns(const struct view_call *c, uint64_t ticks);
double call_tick(const struct view_call *c);
/* A string of at most MOST bytes, cut between two characters. */
void json_cut(struct json *j, const char *key, const char *text, size_t len, size_t most);
void json_ns(struct view_call *c, const char *key, uint64_t ticks);
/* The track of a thread; null if unknown. */
void json_thread(struct json *j, const char *key, uint32_t thread);
void json_duration(struct view_call *c, const char *key, uint64_t start, uint64_t end);

/* Parts of answers: signposts.c, warnings.c. */
int signposts_put(struct view_call *c);
int warnings_put(struct view_call *c);

/*
 * The calls of a trace. QUICK calls use the handle with the index and must be quick; SCAN
 * calls may read the whole trace; ROWS calls may read all rows of a track once. OPS calls are
 * SCANs that also work on ops reports. A CHANGE affects the program that is being recorded.
 */
/* clang-format off */
#define VIEW_CALLS(X)      \
	X(meta, SCAN)     \
	X(names, QUICK)   \
	X(lane_names, SCAN) \
	X(tiles, QUICK)   \
	X(zone, QUICK)    \
	X(hit, QUICK)     \
	X(stats, SCAN)    \
	X(messages, SCAN) \
	X(plots, ROWS)    \
	X(plot, ROWS)     \
	X(frames, ROWS)   \
	X(frame_image, ROWS) \
	X(search, OPS)    \
	X(ops, OPS)       \
	X(hist, SCAN)     \
	X(instances, SCAN) \
	X(flame, SCAN)    \
	X(memory, ROWS)   \
	X(locks, ROWS)    \
	X(lock, ROWS)     \
	X(lock_tiles, ROWS) \
	X(grid, SCAN)     \
	X(noc, SCAN)      \
	X(op, OPS)        \
	X(op_lanes, SCAN) \
	X(overview, OPS)  \
	X(source, QUICK)  \
	X(stacks, SCAN)   \
	X(states, SCAN)   \
	X(sample, ROWS)   \
	X(sample_tiles, ROWS) \
	X(stack, ROWS)    \
	X(cpus, ROWS)     \
	X(cpu_tiles, ROWS) \
	X(source_cost, SCAN) \
	X(path, SCAN)     \
	X(parameters, ROWS) \
	X(parameter, CHANGE) \
	X(export, OPS)
/* clang-format on */
#define X(name, use) int call_##name(struct view_call *c);
VIEW_CALLS(X)
#undef X
int call_traces(struct view_call *c);
/* Two traces. */
int call_compare(struct view_call *c);
int call_compare_hist(struct view_call *c);
int call_compare_stacks(struct view_call *c);
int call_compare_flame(struct view_call *c);

#endif
