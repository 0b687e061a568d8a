/* SPDX-License-Identifier: Apache-2.0 */
/* One client: connect, greet, receive frames, send queries. Never blocks. */
#include "base/now.h"
#include "tracy/hub.h"

#include <errno.h>
#include <lz4.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define MS            1000000ull
#define RETRY         (20 * MS)
#define GREETING_TIME (5000 * MS)
#define LAST_ANSWERS  (1000 * MS) /* a client that wants to end stops waiting for us */
#define READ_BYTES    (256u << 10)

static void address_add(struct peer *p, const struct sockaddr *to, socklen_t len)
{
	if (p->to_count < PEER_ADDRESSES && len <= sizeof(p->to[0]))
		memcpy(&p->to[p->to_count++], to, len);
}

static bool address_find(struct peer *p)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	struct addrinfo *found = NULL;
	char port[8];

	snprintf(port, sizeof(port), "%u", p->info.port);
	if (!strcmp(p->address, "localhost")) {
		struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(p->info.port)};
		struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
					  .sin6_port = htons(p->info.port),
					  .sin6_addr = IN6ADDR_LOOPBACK_INIT};

		/* A client may listen on only one loopback address, whatever /etc/hosts says. */
		v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		address_add(p, (struct sockaddr *)&v4, sizeof(v4));
		address_add(p, (struct sockaddr *)&v6, sizeof(v6));
	} else if (getaddrinfo(p->address, port, &hints, &found) == 0)
		for (struct addrinfo *at = found; at; at = at->ai_next)
			address_add(p, at->ai_addr, at->ai_addrlen);
	if (found)
		freeaddrinfo(found);
	return p->to_count > 0;
}

struct peer *peer_new(const char *address, uint16_t port)
{
	struct peer *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->fd = -1;
	p->in = p->out = (struct buf)BUF_INIT;
	p->address = strdup(address);
	p->unpacked = malloc(HUB_HISTORY + WIRE_FRAME);
	p->info.address = p->address;
	p->info.port = port;
	if (!p->address || !p->unpacked || !address_find(p)) {
		peer_free(p);
		return NULL;
	}
	return p;
}

static void peer_close(struct peer *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
	p->connecting = false;
	buf_reset(&p->in);
	buf_reset(&p->out);
}

void peer_free(struct peer *p)
{
	if (!p)
		return;
	peer_close(p);
	decoder_free(p->decoder);
	buf_free(&p->in);
	buf_free(&p->out);
	free(p->unpacked);
	free(p->address);
	free(p);
}

double peer_span(const struct tracy_hub *hub, const struct peer *p)
{
	const struct decoder *d = p->decoder;
	double ticks =
		d->last > p->process_info.start ? (double)(d->last - p->process_info.start) : 0;

	return ticks * (d->clock.same ? d->tick_ns : hub->clock.tick_ns);
}

void peer_end(struct tracy_hub *hub, struct peer *p, enum tracy_peer_state state, const char *why)
{
	struct decoder *d = p->decoder;

	if (why)
		snprintf(p->info.error, sizeof(p->info.error), "%s", why);
	peer_close(p);
	p->info.state = state;
	p->deadline = 0;
	if (!d)
		return;
	decoder_finish(d);
	p->info.zones = d->zones;
	p->info.frames = d->frames;
	p->info.crashed = d->crashed;
	p->process_info.end = d->last;
	p->info.span_ns = peer_span(hub, p);
	trace_update_process(hub->w, p->process, &p->process_info);
	if (d->last > hub->last)
		hub->last = d->last;
	if (d->sink.error && !hub->error)
		hub->error = d->sink.error;
	decoder_free(d);
	p->decoder = NULL;
}

/* -------------------------------------------------------------- connecting */

static void try_later(struct peer *p, uint64_t now)
{
	peer_close(p);
	p->info.state = TRACY_PEER_WAITING;
	p->next_try = now + RETRY;
	p->deadline = 0;
}

/* Tries the next address at once, the first one again after a pause. */
static void try_next(struct peer *p, uint64_t now)
{
	try_later(p, now);
	p->to_next = (p->to_next + 1) % p->to_count;
	if (p->to_next)
		p->next_try = now;
}

static void start_connect(struct peer *p, uint64_t now)
{
	const struct sockaddr_storage *to = &p->to[p->to_next];
	socklen_t len =
		to->ss_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
	int one = 1;

	p->fd = socket(to->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (p->fd < 0) {
		try_next(p, now);
		return;
	}
	setsockopt(p->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	p->connecting = true;
	if (connect(p->fd, (const struct sockaddr *)to, len) < 0 && errno != EINPROGRESS)
		try_next(p, now);
}

/* Tries the versions in order, starting with the announced one. */
static void peer_greet(struct peer *p, uint64_t now)
{
	uint32_t version;

	for (unsigned i = 0; p->announced && wire_versions[i]; i++)
		if (wire_versions[i] == p->announced)
			p->version = i;
	version = wire_versions[p->version];
	buf_add(&p->out, WIRE_MAGIC, 8);
	buf_add(&p->out, &version, 4);
	p->info.state = TRACY_PEER_GREETING;
	p->deadline = now + GREETING_TIME;
	p->history = 0;
}

static void finish_connect(struct peer *p, uint64_t now)
{
	int error = 0;
	socklen_t len = sizeof(error);

	p->connecting = false;
	if (getsockopt(p->fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0 || error)
		try_next(p, now);
	else
		peer_greet(p, now);
}

/* ------------------------------------------------------------------ output */

static void peer_out_send(struct peer *p)
{
	ssize_t n;

	while (p->fd >= 0 && p->out.len) {
		n = send(p->fd, p->out.data, p->out.len, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		memmove(p->out.data, p->out.data + n, p->out.len - (size_t)n);
		p->out.len -= (size_t)n;
	}
}

/* ------------------------------------------------------------------- input */

static bool peer_unpack(struct tracy_hub *hub, struct peer *p, const uint8_t *packed, uint32_t size)
{
	uint8_t *to = p->unpacked + HUB_HISTORY;
	struct tacho_error err;
	int n = LZ4_decompress_safe_usingDict((const char *)packed, (char *)to, (int)size,
					      WIRE_FRAME, (const char *)to - p->history,
					      (int)p->history);

	if (n <= 0) {
		peer_end(hub, p, TRACY_PEER_FAILED, "it sent a block that cannot be unpacked");
		return false;
	}
	p->info.received += size + 4;
	p->info.raw += (uint64_t)n;
	hub->frames++;
	if (decoder_frame(p->decoder, to, (size_t)n, &err) < 0) {
		peer_end(hub, p, TRACY_PEER_FAILED, err.text);
		return false;
	}
	p->history = p->history + (size_t)n < HUB_HISTORY ? p->history + (size_t)n : HUB_HISTORY;
	memmove(p->unpacked + HUB_HISTORY - p->history, to + n - p->history, p->history);
	return true;
}

static void peer_take(struct peer *p, size_t n)
{
	memmove(p->in.data, p->in.data + n, p->in.len - n);
	p->in.len -= n;
}

/* Decodes the complete frames received so far. */
static void take_frames(struct tracy_hub *hub, struct peer *p)
{
	size_t at = 0;
	uint32_t size;
	uint8_t query[WIRE_QUERY];

	while (p->in.len - at >= 4) {
		memcpy(&size, p->in.data + at, 4);
		if (!size || size > HUB_PACKED) {
			peer_end(hub, p, TRACY_PEER_FAILED,
				 "it sent a block of a length that makes no sense");
			return;
		}
		if (p->in.len - at - 4 < size)
			break;
		if (!peer_unpack(hub, p, (const uint8_t *)p->in.data + at + 4, size))
			return;
		at += 4 + size;
	}
	peer_take(p, at);
	while (p->decoder && p->out.len < 65536 && decoder_query(p->decoder, query))
		buf_add(&p->out, query, sizeof(query));
}

/*
 * Parses the answer to our greeting and the welcome that follows. False if incomplete, or at the
 * end.
 */
static bool take_welcome(struct tracy_hub *hub, struct peer *p)
{
	size_t size = wire_versions[p->version] >= 76 ? WIRE_WELCOME - 8 : WIRE_WELCOME,
	       base = size;
	size_t flags_at = size - 1024 - 64 - 4 - 12 - 2;
	const uint8_t *in = (const uint8_t *)p->in.data;

	if (p->in.len < 1)
		return false;
	if (in[0] == WIRE_MISMATCH) {
		p->announced = 0;
		p->version++;
		if (wire_versions[p->version])
			try_later(p, 0);
		else
			peer_end(hub, p, TRACY_PEER_MISMATCH,
				 "it speaks none of the versions known here");
		return false;
	}
	if (in[0] != WIRE_OK) {
		bool busy = in[0] == WIRE_NOT_AVAILABLE;

		peer_end(hub, p, busy ? TRACY_PEER_NOT_AVAILABLE : TRACY_PEER_FAILED,
			 busy ? "another recorder has already recorded it"
			      : "what answers is not a Tracy client");
		return false;
	}
	if (p->in.len < 1 + size)
		return false;
	if (in[1 + flags_at] & 1)
		size += WIRE_ON_DEMAND;
	if (p->in.len < 1 + size)
		return false;
	if (!welcome_take(hub, p, in + 1)) {
		peer_end(hub, p, TRACY_PEER_FAILED, "its welcome makes no sense");
		return false;
	}
	if (size > base)
		p->decoder->frame_offset = wire_u64(in + 1 + base);
	peer_take(p, 1 + size);
	p->info.state = TRACY_PEER_RECORDING;
	p->deadline = 0;
	return true;
}

static void read_in(struct tracy_hub *hub, struct peer *p)
{
	ssize_t n;

	if (buf_reserve(&p->in, READ_BYTES) < 0) {
		hub->error = TACHO_ENOMEM;
		return;
	}
	n = recv(p->fd, p->in.data + p->in.len, READ_BYTES, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		if (p->info.state == TRACY_PEER_GREETING)
			peer_end(hub, p, TRACY_PEER_DROPPED,
				 "it closed the connection before its welcome");
		else
			peer_end(hub, p, TRACY_PEER_ENDED, NULL);
		return;
	}
	p->in.len += (size_t)n;
	if (p->info.state == TRACY_PEER_GREETING && !take_welcome(hub, p))
		return;
	if (p->info.state == TRACY_PEER_RECORDING)
		take_frames(hub, p);
}

short peer_wants(const struct peer *p)
{
	return (short)(p->connecting ? POLLOUT : POLLIN | (p->out.len ? POLLOUT : 0));
}

void peer_ready(struct tracy_hub *hub, struct peer *p, short events)
{
	if (p->connecting) {
		finish_connect(p, now_ns());
	} else if (events & (POLLIN | POLLHUP | POLLERR)) {
		read_in(hub, p);
	}
	peer_out_send(p);
}

/* A client that wants to end waits for our confirmation, sent once all answers are here. */
static void let_end(struct tracy_hub *hub, struct peer *p, uint64_t now)
{
	if (!p->decoder || p->fd < 0 || (!p->decoder->terminated && !p->stopping))
		return;
	if (!p->deadline)
		p->deadline = now + LAST_ANSWERS;
	if (p->stopping || !decoder_pending(p->decoder) || now > p->deadline) {
		static const uint8_t query[WIRE_QUERY] = {QUERY_TERMINATE};

		if (!p->said_end && p->fd >= 0 && p->decoder) {
			p->said_end = true;
			buf_add(&p->out, query, sizeof(query));
			peer_out_send(p);
		}
	}
	if (p->decoder->terminated && p->said_end && !p->out.len)
		peer_end(hub, p, TRACY_PEER_ENDED, NULL);
}

void peer_tick(struct tracy_hub *hub, struct peer *p, uint64_t now)
{
	if (p->info.state == TRACY_PEER_WAITING && p->fd < 0 && now >= p->next_try && !p->stopping)
		start_connect(p, now);
	else if (p->info.state == TRACY_PEER_GREETING && now > p->deadline)
		peer_end(hub, p, TRACY_PEER_FAILED, "it never said welcome");
	else
		let_end(hub, p, now);
	if (p->stopping && p->deadline && now > p->deadline && p->fd >= 0)
		peer_end(hub, p, TRACY_PEER_ENDED, NULL);
}

void peer_stop(struct tracy_hub *hub, struct peer *p)
{
	p->stopping = true;
	if (p->info.state != TRACY_PEER_RECORDING)
		peer_close(p);
	else
		let_end(hub, p, now_ns());
}
