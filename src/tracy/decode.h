/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: convert the stream of one Tracy client to a part of a trace.
 *
 * Items refer to names and source locations by addresses in the client's memory. The client
 * resolves an address when queried; its answer arrives later in the same stream. A zone of the
 * trace needs its source location when it ends, so a frame is processed twice. The first pass
 * (lookup.c) queries unknown addresses and stores answers; the frame then waits until all its
 * queries have been answered. The second pass (decode.c and others) adds it to the trace. If too
 * much is pending, or the client is gone, frames are added with what is known.
 */
#ifndef TRACY_DECODE_H
#define TRACY_DECODE_H

#include "base/buf.h"
#include "base/map.h"
#include "base/owned.h"
#include "tracy/sink.h"
#include "tracy/stacks.h"
#include "tracy/tracy.h"
#include "tracy/wire.h"

#define DECODE_HELD (32u << 20) /* maximum bytes of frames that wait for names */

/* Maps the client's clock to the trace's: tick = to + (time - from) * ratio. */
struct decode_clock {
	bool same; /* same clock: ticks are ticks */
	int64_t from;
	uint64_t to;
	double ratio;
};

struct decode_query {
	uint8_t type; /* enum wire_query */
	uint64_t pointer;
};

struct wire_srcloc {
	uint64_t name, function, file;
	uint32_t line, color;
	uint32_t id; /* id in the trace, or TRACE_NONE until needed */
	bool known;
};

struct wire_frame {
	uint8_t *bytes;
	size_t len;
	uint64_t need; /* answers required before the second pass */
	bool again;    /* answers led to new queries: wait for those too */
};

/* Attachments of an open zone; a sink_zone's tag is a pointer to one. */
struct wire_extras {
	struct buf text;
	struct {
		VEC(struct trace_extra); /* .text is an offset while the zone is open */
	} list;
};

struct wire_thread {
	uint32_t tid, track;
	struct sink_stack *stack; /* its own, or that of the fiber running on it */
	struct sink_stack own;
	uint64_t last; /* latest tick */
};

struct wire_track {
	uint32_t track;
	struct trace_track info;
	uint64_t open;   /* start of a frame; 0: none */
	uint32_t holder; /* of a lock: the thread's track */
	uint64_t last;   /* tick of the last event of a lock or power reading */
	struct sink_stack *fiber;
	struct owned owned; /* by a memory pool with a name */
};

/* Begin or end of a device zone; its time arrives with a later item. */
struct gpu_event {
	uint32_t srcloc; /* TRACE_NONE: an end */
	bool timed, lost;
	uint64_t tick;
};

struct gpu_track {
	uint32_t context;
	uint64_t queue;
	struct sink_stack stack;
	struct trace_track info;
	char *name;
	struct {
		VEC(struct gpu_event);
	} events;
	uint64_t first; /* number of events.v[head], counted from the start */
	size_t head;
};

/* The event that a query's time belongs to. */
struct gpu_wait {
	uint32_t track; /* index in gpu_tracks */
	bool waits;
	uint64_t number; /* of the event */
};

struct gpu_context {
	uint32_t number;
	bool known, many; /* many: zones of any thread, each thread a track */
	uint8_t type;
	char *name;
	int64_t cpu, gpu; /* anchor: the client's ticks, the device's time */
	double scale;     /* nanoseconds per unit of the device's time */
	double period;
	bool calibrated;
	struct map queries; /* query to index in waits */
	struct {
		VEC(struct gpu_wait);
	} waits;
	uint32_t last_track; /* index + 1 */
};

/* A sample that waits for the names of its frames. */
struct wire_sample {
	uint64_t time;
	uint32_t track;
	uint32_t depth; /* addresses in decode_samples.addresses */
};

/* When a thread ran, from context switches; times in ticks of the trace. */
struct wire_run {
	uint64_t ready, start, end; /* 0: not so, or not known; end: of the last run */
	uint32_t cpu;
};

/*
 * Samples and context switches. An address is resolved when queried, but that takes the client
 * long: unlike names, only samples wait for it.
 */
struct decode_samples {
	struct stacks *stacks; /* of all clients; NULL: samples are left out */
	uint64_t period;       /* CPU time of a sample */
	uint64_t start;        /* of the client: the time of samples that have none */
	int64_t time;          /* reference of the times */
	struct buf payload;    /* addresses for the next item, innermost first */
	struct map frame_of;   /* address to index in keys + 1; 0: queried */
	struct {
		VEC(uint64_t);
	} keys, asks, addresses; /* asks: queries from index asked on */
	size_t asked, in_flight;
	uint64_t named; /* the key whose symbols come next */
	uint32_t inlined;
	struct {
		VEC(struct wire_sample);
	} waiting;
	size_t first, first_address; /* of those waiting */
	struct map run_of;           /* tid to index in runs */
	struct {
		VEC(struct wire_run);
	} runs;
};

/* They are static data of 32 bytes each. */
#define DECODE_RECENT(pointer) ((pointer) >> 5 & 255)

struct decoder {
	struct wire_protocol protocol;
	struct sink sink;
	struct tracy_notes *notes;
	uint32_t process;
	struct decode_clock clock;
	double tick_ns; /* nanoseconds per tick of the client */
	bool devices;   /* the width of contexts is certain */
	bool terminated, crashed;
	uint64_t zones, frames; /* main frame marks */
	uint64_t last_frame;    /* tick of the last of those */
	uint64_t frame_offset;  /* marks before the client was recorded */
	uint64_t last;          /* latest tick of the trace */

	/* first pass */
	struct buf texts;
	struct {
		VEC(size_t); /* offset in texts; the length precedes it */
	} strings;
	struct map names, thread_names; /* to index in strings */
	struct map asked[QUERY_COUNT];
	struct {
		VEC(struct wire_srcloc);
	} srclocs;
	struct map srcloc_of; /* address to index */
	struct {
		VEC(struct decode_query);
	} queries; /* from index sent on: not sent yet */
	size_t sent;
	uint64_t asked_count, answered;
	struct {
		VEC(uint32_t);
	} srcloc_queue; /* indices in the order of the queries */
	size_t srcloc_head;
	struct {
		VEC(struct wire_frame);
	} held;
	size_t held_head, held_bytes;

	/* second pass */
	struct buf single; /* text for the next item, which may be in the next frame */
	struct buf second; /* the same of the second text of an item */
	struct buf image;  /* the same of a frame image: DXT1 blocks */
	uint32_t payload;  /* source location for the next item */
	uint64_t memory_name;
	struct wire_thread *thread;
	int64_t thread_time, serial_time, gpu_time;
	struct decode_samples samples;
	struct {
		VEC(struct wire_thread *);
	} threads;
	struct map thread_of;
	struct {
		VEC(struct wire_track);
	} tracks;
	struct map track_of[TRACE_TRACK_KINDS]; /* number to index in tracks */
	struct {
		VEC(struct gpu_context);
	} contexts;
	struct {
		VEC(struct gpu_track *);
	} gpu_tracks;
	struct decode_recent {
		uint64_t pointer;
		uint32_t id;
	} recent[256]; /* source locations: zones repeat */
};

/* Borrows W and NOTES, which must outlive it. */
struct decoder *decoder_new(struct trace_writer *w, uint32_t process, uint32_t version,
			    struct tracy_notes *notes);
/* Decodes an unpacked frame. TACHO_EFORMAT if it is malformed. */
int decoder_frame(struct decoder *d, const uint8_t *frame, size_t len, struct tacho_error *err);
/* The next query for the client: true and 13 bytes. At most WINDOW are unanswered. */
bool decoder_query(struct decoder *d, uint8_t *bytes);
/* Number of unanswered queries. */
static inline uint64_t decoder_pending(const struct decoder *d)
{
	const struct decode_samples *s = &d->samples;

	return d->asked_count - d->answered + (s->asks.n - s->asked) + s->in_flight;
}
/* End of the stream: adds all pending frames; open zones become unfinished. */
void decoder_finish(struct decoder *d);
/* Adds the events since the last call to the writer's ledgers. */
void decoder_count(struct decoder *d);
void decoder_free(struct decoder *d);

/* ---- lookup.c */
int lookup_frame(struct decoder *d, const uint8_t *frame, size_t len);
/* "" if unknown. Valid until the next frame. */
const char *lookup_string(const struct decoder *d, uint64_t pointer, uint32_t *len);
const char *lookup_thread(const struct decoder *d, uint32_t tid);
/* The trace's id of a source location, whether resolved or not. */
uint32_t lookup_srcloc(struct decoder *d, uint64_t pointer);
void lookup_free(struct decoder *d);

/* ---- decode.c */
/* Times are deltas to the previous one; a hostile delta may wrap. */
static inline void decode_advance(int64_t *reference, uint64_t delta)
{
	*reference = (int64_t)((uint64_t)*reference + delta);
}

static inline uint64_t decode_tick(struct decoder *d, int64_t time)
{
	uint64_t tick;

	if (d->clock.same) {
		tick = time > 0 ? (uint64_t)time : 0;
	} else {
		double off = (double)(int64_t)((uint64_t)time - (uint64_t)d->clock.from) *
			     d->clock.ratio;

		if (!(off > -9e15 && off < 9e15))
			off = 0;
		tick = d->clock.to + (uint64_t)(int64_t)off;
	}
	if (tick > d->last && tick < 1ull << 62)
		d->last = tick;
	return tick;
}
struct wire_thread *decode_thread(struct decoder *d, uint32_t tid);

/* ---- decode_rows.c */
/* A viewer has set another value. */
void decode_parameter_set(struct decoder *d, uint32_t number, int32_t value);
void decode_row(struct decoder *d, const struct wire_read *item);
/* ---- decode_samples.c */
/* True if it is an item of samples or context switches. */
bool decode_samples(struct decoder *d, const struct wire_read *item);
/* The next address to query. */
bool decode_samples_query(struct decoder *d, uint64_t *address);
/* Adds the samples that still wait. */
void decode_samples_finish(struct decoder *d);
void decode_samples_free(struct decoder *d);
/* ---- decode_gpu.c */
void decode_gpu(struct decoder *d, const struct wire_read *item);
void decode_gpu_finish(struct decoder *d);

#endif
