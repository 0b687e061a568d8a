/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: a trace speaks to a Tracy viewer as if it were a program, in the protocol that the
 * viewer asks for. It is a saved one, or one that is being recorded and followed.
 *
 * A session is one connection, without its socket: bytes go in by serve_input() and come out in
 * serve.out. The stream is made piece by piece when what was made before has gone out, so memory
 * does not depend on the trace. Addresses in the stream are numbers of our tables; a question for
 * any other address is refused and counted.
 */
#ifndef TRACY_SERVE_H
#define TRACY_SERVE_H

#include "tracy/wire.h"
#include "tracy/write.h"

#define SERVE_EPOCH  1000000000ll /* the tick, 1 ns each, of time 0 */
#define SERVE_SRCLOC (1ull << 40) /* the address of the first source location; 64 bytes each */
#define SERVE_OLDEST 66           /* protocol; 0.10 of upstream has other questions */
#define SERVE_DEVICE                                                                       \
	0x40000000u       /* the number of a device's track, like a thread's, has this bit \
			   */
#define SERVE_NARROW 255u /* contexts whose numbers have one byte */

/* SERVE_WAIT: all that is there has been told, more may come. SERVE_DONE: so has the end. */
enum serve_step { SERVE_START, SERVE_ZONES, SERVE_ROWS, SERVE_END, SERVE_WAIT, SERVE_DONE };

/* A zone of the stream that has begun and not ended. */
struct serve_zone {
	uint64_t start;  /* ticks of the trace */
	int64_t end;     /* of the stream, or one of the below */
	struct buf late; /* what is attached to it and told when it ends: it was open when it was
			    sent */
};

#define ZONE_NEVER -1 /* it has no end */
#define ZONE_OPEN  -2 /* it has not ended yet */

/* What has been told of a track. */
struct serve_track {
	struct {
		VEC(struct serve_zone);
	} open;
	struct {
		VEC(uint64_t);
	} taken; /* by depth: zones of the lane */
	bool told;
};

/* The next zone of a lane of the track that is being told. */
struct serve_lane {
	struct trace_cursor *cursor; /* NULL: one zone alone, which is open */
	struct trace_zone zone;
	uint32_t depth;
	uint64_t zones; /* that the lane has now */
};

struct serve {
	const struct write *model; /* shared by sessions; not owned */
	struct trace *trace;
	struct wire_protocol protocol;
	struct buf in, out, frame;
	bool greeted, failed, over;
	bool live;        /* more may come */
	bool tids;        /* tracks of devices have names, and threads are shown by process */
	uint64_t refused; /* questions for addresses that are not ours */
	enum serve_step step;
	uint32_t announced; /* tracks */
	uint32_t at;        /* place in model->order of the track that is being told, or is next */
	uint32_t track;     /* that is being told */
	struct {
		VEC(struct serve_track);
	} tracks;
	struct {
		VEC(struct serve_lane);
	} lanes; /* of the track that is being told */
	bool in_track;
	bool unended; /* some zone will never end: a viewer waits for it */
	struct trace_rows *rows;
	uint64_t rows_from; /* offset in the file behind which they have not been told */
	int64_t thread_time, serial_time, gpu_time;
	uint32_t tid; /* of the last thread context; 0 = none */
	struct {
		VEC(uint16_t);
	} queries;               /* next query by context */
	uint32_t context, queue; /* of the device track that is being told */
	struct map ops;          /* ids that were told in locations of their own */
	struct map live_memory;  /* pool << 48 ^ address */
	struct map waits;        /* locks: lock << 32 | thread to 1 when it waits */
	char *packed;
};

/* MODEL must have been prepared, and outlive the session. */
struct serve *serve_new(const struct write *model, bool live);
void serve_free(struct serve *s);
/* Bytes from the other side. serve.over tells when to close. */
void serve_input(struct serve *s, const void *bytes, size_t len);
/* Answers questions and makes more of the stream while little waits in serve.out. */
void serve_more(struct serve *s);
/* serve_more() would make something, now or when serve.out has gone out. */
bool serve_has_more(const struct serve *s);
/* All questions have been answered. Do not read more before: their answers would pile up. */
bool serve_takes_input(const struct serve *s);
/* The trace, and the model, have grown, or have ENDED. Only in SERVE_WAIT. */
void serve_grown(struct serve *s, bool ended);
void serve_keep_alive(struct serve *s);

/* ---- serve_stream.c */
int stream_step(struct serve *s);
void stream_close(struct serve *s);
/* The number of a thread on the wire, and its track; TRACE_NONE when there is none. */
uint32_t serve_tid(const struct serve *s, uint32_t track);
uint32_t serve_track(const struct serve *s, uint64_t tid);
uint32_t serve_device_track(const struct serve *s, uint64_t tid);
int64_t serve_tick(const struct serve *s, uint64_t ticks);
/* What comes next is of this thread. */
void serve_switch(struct serve *s, uint32_t track);
/* Makes a thread of TID known, which the viewer then asks the name of, and where it is shown. */
void serve_notice(struct serve *s, uint32_t tid, uint32_t process);
/* How a source location is told; *POINTER is 0 when it is told with each zone. */
const struct out_srcloc *serve_srcloc(const struct serve *s, uint32_t srcloc, uint64_t *pointer);

/* ---- serve_zones.c and serve_rows.c: some more; they count serve.step up at their end. */
int serve_zones(struct serve *s);
void zones_close(struct serve *s);
int serve_rows(struct serve *s);
/* The pointer to the name of a track. */
uint64_t serve_name(const struct serve *s, uint32_t track);

/* The difference to the last time of the same reference. */
static inline uint64_t serve_step_time(int64_t *reference, int64_t time)
{
	int64_t delta = time - *reference;

	*reference = time;
	return (uint64_t)delta;
}

/* Appends an item to the frame, or whole items. */
void serve_put(struct serve *s, enum wire_kind kind, const uint64_t *v);
void serve_bytes(struct serve *s, enum wire_kind kind, uint64_t id, const void *bytes, size_t len);
void serve_append(struct serve *s, const struct buf *items);
#define SERVE_PUT(s, kind, ...) serve_put(s, kind, (const uint64_t[]){__VA_ARGS__ __VA_OPT__(, ) 0})

#endif
