/*
 * Private: the parts of the server.
 *
 * A request goes through guard.c (may it be answered?), route.c (which call, which trace) and one
 * function per call, which writes into struct web_call and returns 0 or an error. server.c alone
 * knows HTTP. So requests can be made without a socket: web_answer().
 *
 * Locks: struct web_trace.lock is held while its fields are looked at, never while a call works; a
 * call has a handle to itself instead. Nothing else is locked under it.
 */
#ifndef WEB_PRIVATE_H
#define WEB_PRIVATE_H

#include "base/buf.h"
#include "base/json.h"
#include "base/map.h"
#include "base/vec.h"
#include "trace/trace.h"
#include "web/web.h"

#include <pthread.h>
#include <stdio.h>

#define WEB_TOKEN      33     /* hexadecimal digits and the 0 */
#define WEB_TARGET     16384u /* bytes of a request's target at most */
#define WEB_PARAMETERS 32u
#define WEB_LANES      512u  /* of one tiles call */
#define WEB_LANE_TILES 2048u /* of one tiles call: lanes times tiles */
#define WEB_ROWS       1000u /* of one page of a list */
#define WEB_TEXT       4096u /* bytes of a message or a name in a list */
#define WEB_TILE       512u  /* pixels */
#define WEB_RES_MAX    50u
#define WEB_TAG        20 /* bytes */

/* ---------------------------------------------------------------- query.c */

/* A request's target, taken apart; all strings are in its own memory. */
struct web_query {
	char *path;
	struct {
		char *key, *value;
	} parameters[WEB_PARAMETERS];
	size_t count;
	char text[WEB_TARGET + 1];
};

/* 0, or the status to answer with. */
int query_parse(struct web_query *q, const char *target);
/* NULL when there is none. */
const char *query_get(const struct web_query *q, const char *key);

/* ------------------------------------------------------------------ traces */

enum web_kind { WEB_TRACE, WEB_OPS };

/*
 * One open file of a trace. A trace has one with the index, for what must be quick, and a few for
 * passes over much of it, which are opened when they are needed; one more has what was made of rows
 * (kept.h). Who has taken one uses it alone.
 */
enum web_use { QUICK, SCAN, ROWS };

struct kept;

struct web_handle {
	struct trace *trace;   /* NULL: not yet open */
	struct trace_lod *lod; /* of the quick one */
	bool taken;
	uint64_t gen; /* of the trace when it was last read on */
	struct {
		VEC(struct kept *);
	} kept;         /* of the one for rows */
	uint64_t asked; /* how often something kept was asked for */
};

/* What is told of a trace without taking a handle. */
struct web_now {
	uint64_t zones, size, dropped;
	int64_t duration, start_realtime;
	uint64_t meta;  /* grows when tracks, processes or lanes were added */
	uint64_t parts; /* how many there are */
	const char *state;
};

#define WEB_SCANS 3u

struct web_trace {
	uint32_t id;
	struct web *web;    /* while it is followed */
	pthread_t follower; /* if there is one */
	bool following;
	enum web_kind kind;
	char *path;
	char *name;           /* its base name */
	char tag[WEB_TAG];    /* tells it from all other traces */
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t freed;
	uint64_t gen;  /* grows when the trace has grown */
	bool live;     /* it is being recorded */
	bool followed; /* it was, when it was opened */
	bool was_live;
	struct ring_follow *session; /* of the recording, or NULL */
	struct web_now now;
	struct {
		VEC(uint64_t);
	} lanes; /* followed: track << 32 | depth of each number */
	struct map lane_numbers;
	struct web_handle view, scans[WEB_SCANS], rows;
	struct chunks *chunks;            /* of a large trace, or NULL */
	struct stats_kept *stats;         /* answers that were counted lately */
	struct waits *waits;              /* lock waits of its zones, or NULL */
	struct marks_kept *marks;         /* lists of messages that were counted lately */
	struct signposts_kept *signposts; /* that were found so far, or NULL */
	pthread_mutex_t ops_lock;         /* held by a call that looks at ops; taken before LOCK */
	struct ops *ops[2];               /* [1]: those of several devices are one */
};

/* Waits for a handle of that use, and opens it. */
int handle_take(struct web_trace *t, enum web_use use, struct web_handle **handle);
void handle_put(struct web_trace *t, struct web_handle *h);

struct web {
	struct web_options options;
	char token[WEB_TOKEN];
	pthread_mutex_t token_lock; /* of TOKEN, which the thread that rotates it reads without */
	struct {
		VEC(struct web_trace *);
	} traces;
	struct {
		VEC(char *);
	} unread; /* what is wrong with files of folders that are not shown */
	struct server *server;
	pthread_mutex_t follow_lock; /* of STOPPING; nothing is locked under it */
	pthread_cond_t follow_wake;
	bool stopping;
};

/* ------------------------------------------------------------------- calls */

struct web_reply {
	int status;
	const char *type;
	struct buf body;
	const char *body_static; /* instead of body */
	size_t body_len;
	bool gzip, deflate; /* the body is packed */
	char etag[48];      /* "" = none */
	const char *cache;  /* Cache-Control */
	char location[64];
	char cookie[128];
	char attachment[64]; /* file name, "" = none */
	FILE *file;          /* instead of body: read from its start and closed */
	char accept[32];     /* the connection becomes a WebSocket */
};

/* What of a request's head matters. */
struct web_request {
	const char *method, *target;
	const char *host, *origin, *fetch_site, *cookie, *authorization, *if_none_match;
	const char *upgrade, *ws_key, *ws_version;
};

struct web_call {
	struct web *web;
	const struct web_request *request;
	struct web_query query;
	struct web_trace *on;
	uint64_t gen; /* of ON, as they were when the call began */
	bool live;
	char tag[WEB_TAG];
	struct web_handle *handle; /* that the call works on */
	struct trace *trace;       /* of it */
	struct trace_lod *lod;     /* of a quick call */
	struct json json;
	struct web_reply *reply;
	bool (*gone)(void *context); /* has the client left? */
	void *context;
};

/* Answers a request; REPLY is whole then. The caller frees reply->body. */
void web_answer(struct web *web, const struct web_request *request, struct web_reply *reply,
		bool (*gone)(void *context), void *context);

/* guard.c: may it be answered? Else REPLY says why not. */
bool guard_admits(struct web *web, const struct web_request *request, struct web_call *call);
bool guard_token_is(struct web *web, const char *text, size_t len);

/* token.c: 0 or an error. */
int token_make(char *token);
/* Ends all WebSockets: who opened them must show that they know the token. */
void server_drop_sockets(struct web *web);

/* assets.c: a file of the page. */
int assets_answer(struct web_call *c);

/* Sets an error answer; returns TACHO_EUSAGE, so that "return call_fail(...)" is the usual form. */
int call_fail(struct web_call *c, int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Forgets an answer that was begun or failed. */
void call_reset(struct web_call *c);
/* Has the client gone away? For long loops, every now and then. */
bool call_gone(struct web_call *c);

/* args.c: parameters. 1 and a value, 0 when absent, or an error that is answered with 400. */
int arg_uint(struct web_call *c, const char *key, uint64_t most, uint64_t *value);
int arg_bool(struct web_call *c, const char *key, bool *value);
int arg_choice(struct web_call *c, const char *key, const char *const *choices, int *value);
/* The same when it must be there: 0 or an error. */
int arg_need(struct web_call *c, const char *key, uint64_t most, uint64_t *value);
/* The moment "t" in ticks, and how far two pixels reach if there is a resolution "res". */
int arg_moment(struct web_call *c, uint64_t *t, uint64_t *reach);
/* "N" or "N-M", which must be there. */
int arg_span(struct web_call *c, const char *key, uint64_t *first, uint64_t *last);
/* t0 and t1 in ticks of the trace. */
int arg_range(struct web_call *c, uint64_t *t0, uint64_t *t1);
/* offset and limit of a list. */
struct page {
	uint64_t offset, limit;
};
int arg_page(struct web_call *c, struct page *page);
int arg_lane(struct web_call *c, uint32_t *lane);
int arg_track(struct web_call *c, uint32_t *track); /* TRACE_NONE when absent */
/* "1,2,5-9" into at most ROOM numbers below MOST. 1, or 0 when absent. */
int arg_numbers(struct web_call *c, const char *key, uint32_t most, uint32_t *numbers, size_t room,
		size_t *count);
/* "track", a list, as struct trace_filter wants it; NULL when absent. Freed by the caller. */
int arg_tracks(struct web_call *c, uint8_t **tracks);

/* "a,b,-c": TEXT contains a or b and not c, whatever the case. */
struct words {
	const char *text; /* NULL takes everything */
};
void arg_words(struct web_call *c, struct words *w);
bool words_take(const struct words *w, const char *text, size_t len);

/* res and i: where a tile lies. */
int arg_tile(struct web_call *c, uint64_t *t0, uint64_t *t1);

/* Adds what is visible of a lane; of one that is not there nothing. */
typedef int tile_find(struct web_call *c, void *context, uint32_t lane, struct trace_strip *strip);
/* Answers with tiles of "lanes". */
int tiles_answer(struct web_call *c, tile_find *find, void *context);

/* enc=deflate: packs the body. */
int reply_deflate(struct web_call *c);
/* How long an answer about what ends at tick END may be kept. */
void reply_cache(struct web_call *c, uint64_t end);

/* Nanoseconds of the wire. */
double call_ns(const struct web_call *c, uint64_t ticks);
/* A string of MOST bytes at most, cut between two characters. */
void json_cut(struct json *j, const char *key, const char *text, size_t len, size_t most);
void json_ns(struct web_call *c, const char *key, uint64_t ticks);
/* The track of a thread; null: it is not known. */
void json_thread(struct json *j, const char *key, uint32_t thread);
void json_duration(struct web_call *c, const char *key, uint64_t start, uint64_t end);
/* Begins the answer: an object with "gen". */
void call_begin(struct web_call *c);

/* device.c */
struct core_place {
	uint32_t device, x, y, lx, ly;
	bool logical; /* lx and ly are known */
	bool ethernet;
};
bool track_place(const struct trace_track *t, struct core_place *place);
/* The worst bound of the points that compare the clocks; UINT64_MAX: they were never compared. */
int device_bound(struct web_call *c, uint32_t device, uint32_t process, uint64_t *bound);
/* When a device of a process worked, how well its clock is known: start, end, bound_ns, clock. */
int device_clock_put(struct web_call *c, uint32_t device, uint32_t process);

/* rows.c: rows of all tracks of a kind (or of one track) by time. */
struct rows;
int rows_open(struct rows **r, struct web_call *c, uint32_t kind, uint32_t track, uint64_t t0,
	      uint64_t t1);
/* All of a kind in blocks of the file from OFFSET on: see trace_rows_open_from(). */
int rows_open_from(struct rows **r, struct web_call *c, uint32_t kind, uint64_t offset);
/* 1 and a row, 0 at the end or when the client has gone, or an error. */
int rows_next(struct rows *r, struct trace_row *row, uint32_t *track);
void rows_close(struct rows *r);

/* lock_table.c: what a lock is called, on its track or where it is declared; "": nowhere. */
const char *lock_name(const struct trace *t, uint32_t track);

/* kept.c */
void kept_forget(struct web_handle *h);

/* "track", which must be there and of this kind. */
int arg_track_of(struct web_call *c, uint32_t kind, uint32_t *track);

/* signposts.c */
struct signpost {
	const char *header, *message;
	size_t header_len, message_len;
};
bool signpost_read(const struct trace_row *row, struct signpost *s);
int signposts_put(struct web_call *c);
void signposts_forget(struct web_trace *t);

/* messages.c: which ones of a list are wanted, by q, severity, signposts and records. */
struct message_choice {
	struct words words;
	uint64_t severity;
	uint32_t thread; /* TRACE_NONE: all */
	bool signposts;  /* alone */
	bool records;    /* also what the profiler says of ops, for other programs */
};
int message_choice_read(struct web_call *c, struct message_choice *ch);
bool message_takes(const struct message_choice *ch, const struct trace_row *row, bool signpost);

/* marks.c */
void marks_forget(struct web_trace *t);

/* stats.c: figures of source locations; freed by the caller. Counted once: the last are kept. */
int stats_count(struct web_call *c, const struct trace_filter *filter, struct trace_stat **stats,
		size_t *count);
void stats_forget(struct web_trace *t);

/* waits.c: moves lock waits from .self to .wait; of one zone, ticks of its self time. */
int waits_split(struct web_call *c, const struct trace_filter *filter, struct trace_stat *stats,
		size_t count);
int waits_of_zone(struct web_call *c, uint32_t track, uint32_t depth, uint64_t start,
		  uint64_t *ticks);
void waits_forget(struct web_trace *t);
/* Nanoseconds of a tick, on the average. */
double call_tick(const struct web_call *c);

/* grid.c: how uneven the cores of a device are (largest by mean kernel time), and how busy
 * (percent, the mean of its cores; see export_core_busy()). */
int grid_imbalance(struct web_call *c, uint32_t device, double *imbalance, double *busy);

/* warnings.c: "warnings". */
int warnings_put(struct web_call *c);

/* ops_load.c */
void ops_forget(struct web_trace *t);

/* traces.c */
bool web_ends_with(const char *text, const char *end);
int trace_add(struct web *web, const char *path, const char *session, struct tacho_error *err);
void tag_make(char tag[WEB_TAG], const struct trace *trace);

/* trace_names.c: names that tell all traces apart; before anybody asks. */
int trace_names_make(struct web *web);

/* lanes.c: the number of the lane at a place in c->trace->lanes, and back (TRACE_NONE: not there).
 */
uint32_t lane_number(const struct web_call *c, uint32_t place);
uint32_t lane_place(const struct web_call *c, uint32_t number);
/* Zones that had not ended when the trace was last written: the lane of one, and that of a lane. */
uint32_t lane_number_open(const struct web_call *c, const struct trace_open_zone *zone);
const struct trace_open_zone *lane_open_zone(const struct web_call *c, uint32_t number);
#define WEB_OPEN UINT32_MAX /* the number of such a zone in its lane */
int lanes_learn(struct web_trace *t, const struct trace *trace);
void lanes_forget(struct web_trace *t);

/* follow.c: SESSION is the directory of the recording. */
int follow_load(struct web_trace *t, const char *session, struct tacho_error *err);
void follow_unload(struct web_trace *t);
bool follow_session_of(const char *path, char *dir, size_t size);
int follow_start(struct web *web);
void follow_stop(struct web *web);
/* Somebody looks again. */
void follow_wake(struct web *web);
void now_set(struct web_trace *t, const struct trace *trace);

/* server.c */
void server_stop(struct web *web);
/* Tells the WebSockets that something is new. */
void server_wake(struct web *web);
/* Was there a request within so many seconds, or is a WebSocket open? */
bool server_looked_at(struct web *web, double seconds);

/*
 * The calls of a trace. QUICK ones have the handle with the index, and must be; SCAN ones may look
 * at all of it; ROWS ones may look at all rows of a track once. OPS are SCANs that tables of ops
 * know too.
 */
/* clang-format off */
#define WEB_CALLS(X)      \
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
	X(op, OPS)        \
	X(overview, OPS)  \
	X(source, QUICK)  \
	X(export, OPS)
/* clang-format on */
#define X(name, use) int call_##name(struct web_call *c);
WEB_CALLS(X)
#undef X
int call_traces(struct web_call *c);
/* Two traces. */
int call_compare(struct web_call *c);
int call_compare_hist(struct web_call *c);
/* Runs CALL on trace ID, given by parameter KEY. Without a trace for an ops report. */
int call_on(struct web_call *c, const char *key, int (*call)(struct web_call *c, void *context),
	    void *context);

#endif
