/* SPDX-License-Identifier: Apache-2.0 */
/* Private: a Perfetto trace while it is written. */
#ifndef EXPORT_PERFETTO_H
#define EXPORT_PERFETTO_H

#include "base/map.h"
#include "base/pb.h"
#include "base/vec.h"
#include "export/files.h"
#include "sample/profile.h"

/* Fields of TracePacket, TrackDescriptor, TrackEvent and InternedData. */
enum {
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK = 60,
	PACKET_PERF_SAMPLE = 66,

	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	TRACK_MERGE = 15, /* of siblings with one name; 2: never */

	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK = 11,
	EVENT_CATEGORY = 22,
	EVENT_NAME = 23,
	EVENT_COUNTER = 30,
	EVENT_SOURCE_IID = 34,
	EVENT_DOUBLE_COUNTER = 44,
	EVENT_FLOW = 47,
	EVENT_LAST_FLOW = 48,

	INTERNED_EVENT_NAME = 2,
	INTERNED_SOURCE = 4,
	INTERNED_FUNCTION = 5,
	INTERNED_FRAME = 6,
	INTERNED_STACK = 7,
	INTERNED_BUILD_ID = 16,
	INTERNED_PATH = 17,
	INTERNED_FILE = 18,
	INTERNED_MAPPING = 19,
};

enum { EVENT_BEGIN = 1, EVENT_END, EVENT_INSTANT, EVENT_VALUE };

/* Ids of tracks, which are unique in the file. */
#define PERFETTO_PROCESS(i)         (UINT64_C(1) << 40 | (i))
#define PERFETTO_TRACK(i)           (UINT64_C(2) << 40 | (i))
#define PERFETTO_DEVICE(process, n) (UINT64_C(3) << 60 | (uint64_t)(process) << 20 | (n))
#define PERFETTO_SPAN(i)            (UINT64_C(4) << 40 | (i))
#define PERFETTO_OPS(device, lane)  (UINT64_C(5) << 40 | (uint64_t)(device) << 8 | (lane))
/* Numbers of flows: of the trace, and of ops. */
#define PERFETTO_FLOW(i)    ((i) + 1)
#define PERFETTO_OP_FLOW(i) (UINT64_C(1) << 62 | (i))

/* A flow that begins, passes or ends at a zone. */
struct perfetto_end {
	uint32_t lane;
	bool last;
	uint64_t start; /* of the zone */
	uint64_t flow;
};

/* The host's call of an op, by the time at which its zone begins. */
struct perfetto_call {
	uint32_t process;
	int64_t host_start; /* ns since the host's reports begin to count */
	uint64_t flow;
};

struct perfetto {
	FILE *out;
	struct trace *trace;
	const struct view_filter *filter;
	struct progress *progress;
	uint32_t *pids, *tids;
	int64_t offset;   /* of the trace's ns, to those of the file: CLOCK_MONOTONIC_RAW */
	struct buf text;  /* of the file */
	struct buf event; /* of the packet: its track_event */
	struct buf interned;
	struct buf inner, part; /* messages in them */
	uint8_t *srclocs;       /* 1: interned */
	struct perfetto_open {
		VEC(uint64_t); /* ends of the zones that are open, by track */
	} * open;
	struct {
		VEC(struct perfetto_end);
	} ends; /* sorted */
	struct {
		VEC(struct perfetto_call);
	} calls;            /* sorted */
	uint32_t op_tracks; /* devices of the processes before */
	int64_t origin;     /* ns of the trace at which the host's reports begin to count */
	struct map spans;   /* id to the number of its track */
	uint32_t span_count;
	struct profile *profile;                        /* NULL: no samples */
	uint8_t *stacks, *frames, *functions, *modules; /* 1: interned */
};

/* Nanoseconds of the file. */
uint64_t perfetto_ns(const struct perfetto *p, uint64_t ticks);
/* Begins the event of a packet. */
void perfetto_event(struct perfetto *p, int type, uint64_t track);
/* Writes the packet that is made of .event and .interned; FIELD: what .event is. */
int perfetto_packet(struct perfetto *p, uint64_t ns, unsigned field);
/* The descriptor of a track below PARENT, which may be 0. */
int perfetto_track(struct perfetto *p, uint64_t uuid, uint64_t parent, const char *name);

/* perfetto_ops.c: writes the ops of devices and fills .calls. */
int perfetto_ops(struct perfetto *p);
/* Adds the flows to the ops that a zone of the host called to its event. */
void perfetto_calls_add(struct perfetto *p, uint32_t process, int64_t host_start);
/* The device of a core's track, by process and number. */
uint64_t perfetto_device(const struct trace_track *track);

/* perfetto_samples.c */
int perfetto_samples_open(struct perfetto *p);
int perfetto_sample(void *context, const struct trace_row *row, uint32_t track);
void perfetto_samples_close(struct perfetto *p);

#endif
