/* SPDX-License-Identifier: Apache-2.0 */
/* Private: one client of a hub, and the state that clients share. */
#ifndef TRACY_HUB_H
#define TRACY_HUB_H

#include "base/buf.h"
#include "base/vec.h"
#include "tracy/decode.h"
#include "tracy/tracy.h"

#include <sys/socket.h>

#define HUB_PACKED  (WIRE_FRAME + WIRE_FRAME / 255 + 16) /* maximum bytes of a packed frame */
#define HUB_HISTORY (64u << 10)

#define PEER_ADDRESSES 4 /* maximum addresses of a name */

/* A clock as described by a welcome message. */
struct hub_clock {
	bool known;
	int64_t begin;  /* ticks at program start */
	double tick_ns; /* nanoseconds per tick */
	uint64_t epoch; /* seconds since 1970 at BEGIN */
};

struct peer {
	struct tracy_peer info;
	char *address;
	struct sockaddr_storage to[PEER_ADDRESSES]; /* tried in turn */
	unsigned to_count, to_next;
	int fd;
	bool connecting, found; /* found through an announcement */
	uint64_t next_try;      /* nanoseconds */
	uint64_t deadline;      /* of the greeting, or of the last answers; 0 = none */
	unsigned version;       /* index in wire_versions */
	uint32_t announced;     /* announced protocol, or 0 */
	struct buf in;          /* incomplete message */
	struct buf out;
	uint8_t *unpacked; /* HUB_HISTORY bytes of history, then a frame */
	size_t history;
	struct decoder *decoder;
	uint32_t process;
	struct trace_process process_info;
	bool welcomed, stopping, said_end;
};

struct tracy_hub {
	struct trace_writer *w;
	struct tracy_hub_options options;
	struct tracy_notes notes;
	struct stacks stacks;   /* of all clients */
	struct hub_clock clock; /* of the trace */
	struct {
		VEC(struct peer *);
	} peers;
	int udp;
	uint64_t last; /* latest tick of clients that have ended */
	int error;     /* write error of the trace; sticky */
	int frames;    /* in this round */
};

/* ---- peer.c */
/* NULL if out of memory or the address is invalid. "localhost" means both loopback addresses. */
struct peer *peer_new(const char *address, uint16_t port);
void peer_free(struct peer *p);
/* Handles timeouts: connects, gives up waiting. */
void peer_tick(struct tracy_hub *hub, struct peer *p, uint64_t now);
/* Handles a ready socket. */
void peer_ready(struct tracy_hub *hub, struct peer *p, short events);
/* Events for poll(). */
short peer_wants(const struct peer *p);
void peer_stop(struct tracy_hub *hub, struct peer *p);
/* Ends its recording, for whatever reason. */
void peer_end(struct tracy_hub *hub, struct peer *p, enum tracy_peer_state state, const char *why);

/* Nanoseconds from its start to its last event; it must be recording. */
double peer_span(const struct tracy_hub *hub, const struct peer *p);

/* ---- welcome.c: the client's first message */
bool welcome_take(struct tracy_hub *hub, struct peer *p, const uint8_t *bytes);

#endif
