/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: send a trace to a Tracy viewer as if it were a program, in the protocol that the viewer
 * requests. The trace is a saved one, or one that is being recorded and followed.
 *
 * A session is one connection without its socket: serve_input() takes bytes, serve.out holds the
 * output. The stream is produced piece by piece as serve.out drains, so memory does not depend on
 * the trace. Addresses in the stream are numbers in our tables; a query for any other address is
 * refused and counted.
 */
#ifndef TRACY_SERVE_H
#define TRACY_SERVE_H

#include "tracy/wire.h"
#include "tracy/write.h"

#define SERVE_EPOCH     1000000000ll /* the tick, 1 ns each, of time 0 */
#define SERVE_SRCLOC    (1ull << 40) /* address of the first source location; 64 bytes each */
#define SERVE_PARAMETER (1ull << 41) /* address of the first parameter's name; 64 bytes each */
#define SERVE_OLDEST    66           /* protocol; upstream's 0.10 has other queries */
#define SERVE_DEVICE                                                                       \
	0x40000000u       /* the number of a device's track, like a thread's, has this bit \
			   */
#define SERVE_NARROW 255u /* contexts with one-byte numbers */

/*
 * SERVE_WAIT: all available data has been sent, more may come. SERVE_DONE: the end has been sent
 * too.
 */
enum serve_step { SERVE_START, SERVE_ZONES, SERVE_ROWS, SERVE_END, SERVE_WAIT, SERVE_DONE };

/* A zone of the stream that has begun but not ended. */
struct serve_zone {
	uint64_t start;  /* ticks of the trace */
	int64_t end;     /* time in the stream, or one of the below */
	struct buf late; /* attachments to send when it ends: it was open when it was sent */
};

#define ZONE_NEVER -1 /* it has no end */
#define ZONE_OPEN  -2 /* it has not ended yet */

/* The part of a track that has been sent. */
struct serve_track {
	struct {
		VEC(struct serve_zone);
	} open;
	struct {
		VEC(uint64_t);
	} taken; /* by depth: zones of the lane */
	bool reported;
};

/* The next zone of a lane of the current track. */
struct serve_lane {
	struct trace_cursor *cursor; /* NULL: a single open zone */
	struct trace_zone zone;
	uint32_t depth;
	uint64_t zones; /* zones that the lane has now */
};

/* Viewers know parameters by one number: processes may use the same ones. */
struct serve_parameter {
	uint32_t process, number;
	char *name;
};

struct serve {
	const struct write *model; /* shared by sessions; not owned */
	struct trace *trace;
	struct wire_protocol protocol;
	struct buf in, out, frame;
	bool greeted, failed, over;
	bool live;        /* more may come */
	bool tids;        /* device tracks have names, and threads are grouped by process */
	uint64_t refused; /* queries for unknown addresses */
	enum serve_step step;
	uint32_t announced; /* tracks */
	uint32_t at;        /* index in model->order of the current or next track */
	uint32_t track;     /* the current track */
	struct {
		VEC(struct serve_track);
	} tracks;
	struct {
		VEC(struct serve_lane);
	} lanes; /* of the current track */
	bool in_track;
	bool unended; /* some zone never ends: the viewer waits for it */
	struct trace_rows *rows;
	uint64_t rows_from; /* offset in the file up to which they have been sent */
	int64_t thread_time, serial_time, gpu_time;
	uint32_t tid; /* of the last thread context; 0 = none */
	struct {
		VEC(uint16_t);
	} queries;               /* next query by context */
	uint32_t context, queue; /* of the current device track */
	struct map ops;          /* ids sent in locations of their own */
	struct map live_memory;  /* pool << 48 ^ address */
	struct map waits;        /* locks: lock << 32 | thread to 1 if it waits */
	uint64_t marks;          /* of the main frame set: see TRACE_IMAGES */
	struct map images;       /* marks whose image was sent: a viewer fails on a second one */
	struct {
		VEC(struct serve_parameter);
	} parameters;                               /* by the viewer's number */
	const struct tracy_server_options *options; /* NULL: nobody can set parameters */
	char *packed;
};

/* MODEL must be prepared and outlive the session. */
struct serve *serve_new(const struct write *model, bool live);
void serve_free(struct serve *s);
/* Takes bytes from the viewer. Close when serve.over is set. */
void serve_input(struct serve *s, const void *bytes, size_t len);
/* Answers queries and extends the stream while serve.out is short. */
void serve_more(struct serve *s);
/* True if serve_more() has output, now or once serve.out is drained. */
bool serve_has_more(const struct serve *s);
/* True if all queries are answered. Read no more until then, or their answers pile up. */
bool serve_takes_input(const struct serve *s);
/* The trace and the model have grown, or have ENDED. Only in SERVE_WAIT. */
void serve_grown(struct serve *s, bool ended);
void serve_keep_alive(struct serve *s);

/* ---- serve_stream.c */
int stream_step(struct serve *s);
void stream_close(struct serve *s);
/* Thread number on the wire, and its track; TRACE_NONE if there is none. */
uint32_t serve_tid(const struct serve *s, uint32_t track);
uint32_t serve_track(const struct serve *s, uint64_t tid);
uint32_t serve_device_track(const struct serve *s, uint64_t tid);
int64_t serve_tick(const struct serve *s, uint64_t ticks);
/* Makes TID the thread of the following items. */
void serve_switch(struct serve *s, uint32_t track);
/* Announces thread TID, whose name the viewer then queries, and its position. */
void serve_notice(struct serve *s, uint32_t tid, uint32_t process);
/* How to send a source location; *POINTER is 0 if each zone carries it. */
const struct out_srcloc *serve_srcloc(const struct serve *s, uint32_t srcloc, uint64_t *pointer);

/* ---- serve_zones.c and serve_rows.c: send a bit more; they increment serve.step at their end. */
int serve_zones(struct serve *s);
void zones_close(struct serve *s);
int serve_rows(struct serve *s);
/* The pointer of a track's name. */
uint64_t serve_name(const struct serve *s, uint32_t track);

/* The delta to the last time of the same reference. */
static inline uint64_t serve_step_time(int64_t *reference, int64_t time)
{
	int64_t delta = time - *reference;

	*reference = time;
	return (uint64_t)delta;
}

/* Appends one or more whole items to the frame. */
void serve_put(struct serve *s, enum wire_kind kind, const uint64_t *v);
void serve_bytes(struct serve *s, enum wire_kind kind, uint64_t id, const void *bytes, size_t len);
void serve_append(struct serve *s, const struct buf *items);
#define SERVE_PUT(s, kind, ...) serve_put(s, kind, (const uint64_t[]){__VA_ARGS__ __VA_OPT__(, ) 0})

#endif
