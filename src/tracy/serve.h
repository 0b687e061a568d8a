/*
 * Private: a saved trace speaks to a Tracy viewer as if it were a program (protocol 66).
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

enum serve_step { SERVE_START, SERVE_THREADS, SERVE_DEVICES, SERVE_ROWS, SERVE_END, SERVE_DONE };

/* A zone of the stream that has begun. */
struct serve_zone {
	int64_t end; /* -1: never */
};

struct serve {
	struct write model; /* shared by sessions; not owned */
	struct trace *trace;
	struct wire_protocol protocol;
	struct buf in, out, frame;
	bool greeted, failed, over;
	uint64_t refused; /* questions for addresses that are not ours */
	enum serve_step step;
	uint32_t track; /* at this step: thread track, or index of a device track */
	struct trace_walk *walk;
	struct {
		VEC(struct serve_zone);
	} open;
	struct trace_rows *rows;
	int64_t thread_time, serial_time, gpu_time;
	uint32_t tid;      /* of the last thread context; 0 = none */
	uint16_t *queries; /* next query by context */
	uint32_t context;
	struct map live;  /* memory: pool << 48 ^ address */
	struct map waits; /* locks: lock << 32 | thread to 1 when it waits */
	char *packed;
};

/* MODEL must have been prepared, and outlive the session. */
struct serve *serve_new(const struct write *model);
void serve_free(struct serve *s);
/* Bytes from the other side. serve.over tells when to close. */
void serve_input(struct serve *s, const void *bytes, size_t len);
/* Makes more of the stream when little waits in serve.out. */
void serve_more(struct serve *s);

/* ---- serve_stream.c */
int stream_step(struct serve *s);
void stream_close(struct serve *s);
/* The number of a thread on the wire, and its track; TRACE_NONE when there is none. */
uint32_t serve_tid(const struct serve *s, uint32_t track);
uint32_t serve_track(const struct serve *s, uint64_t tid);

/* Appends an item to the frame. */
void serve_put(struct serve *s, enum wire_kind kind, const uint64_t *v);
void serve_bytes(struct serve *s, enum wire_kind kind, uint64_t id, const void *bytes, size_t len);
#define SERVE_PUT(s, kind, ...) serve_put(s, kind, (const uint64_t[]){__VA_ARGS__ __VA_OPT__(, ) 0})

#endif
