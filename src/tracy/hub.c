/* SPDX-License-Identifier: Apache-2.0 */
/* Record Tracy clients: find them and serve each in turn. */
#include "tracy/hub.h"
#include "base/now.h"
#include "clock/clock.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define PEERS_MAX 1024u

int tracy_hub_open(struct tracy_hub **out, struct trace_writer *w,
		   const struct tracy_hub_options *options, struct tacho_error *err)
{
	struct tracy_hub *hub = calloc(1, sizeof(*hub));
	struct clock_point now;

	if (!hub)
		return err_set(err, TACHO_ENOMEM, "no memory");
	hub->w = w;
	hub->options = *options;
	hub->udp = -1;
	if (!options->own_clock) {
		clock_point_take(&now);
		hub->clock =
			(struct hub_clock){true, (int64_t)now.ticks, 1e9 / clock_measure_rate(10),
					   (uint64_t)(now.realtime_ns / 1000000000)};
	}
	*out = hub;
	return 0;
}

static struct peer *add_peer(struct tracy_hub *hub, const char *address, uint16_t port)
{
	struct peer *p = hub->peers.n < PEERS_MAX ? peer_new(address, port) : NULL;

	if (p && vec_push(&hub->peers, p) < 0) {
		peer_free(p);
		p = NULL;
	}
	return p;
}

int tracy_hub_add(struct tracy_hub *hub, const char *address, uint16_t port,
		  struct tacho_error *err)
{
	if (!address)
		address = "localhost";
	if (!add_peer(hub, address, port))
		return err_set(err, TACHO_EUSAGE,
			       "'%s' is neither a host nor an address such as 127.0.0.1 or ::1",
			       address);
	return 0;
}

/* ----------------------------------------------------------- announcements */

int tracy_hub_listen(struct tracy_hub *hub, uint16_t port, struct tacho_error *err)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
	int one = 1;

	hub->udp = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (hub->udp < 0)
		return err_errno(err, TACHO_ECONNECT, "cannot listen for Tracy clients");
	/* Every listener gets a broadcast, so the port is shared. */
	setsockopt(hub->udp, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(hub->udp, (struct sockaddr *)&at, sizeof(at)) < 0) {
		err_errno(err, TACHO_ECONNECT, "cannot listen on UDP port %u", port);
		close(hub->udp);
		hub->udp = -1;
		return TACHO_ECONNECT;
	}
	return 0;
}

/* Parses port and protocol of an announcement; false if it is not one, or ends one. */
static bool parse_announcement(const uint8_t *b, size_t n, uint16_t *port, uint32_t *protocol)
{
	uint16_t version;
	uint32_t old[4];
	int32_t active;

	if (n < 13)
		return false;
	memcpy(&version, b, 2);
	if (version == 3 || version == 2) {
		size_t at = version == 3 ? 16 : 8;

		if (n < at + 5)
			return false;
		memcpy(port, b + 2, 2);
		memcpy(protocol, b + 4, 4);
		memcpy(&active, b + at, 4);
		return active >= 0;
	}
	memcpy(old, b, n < sizeof(old) ? 12 : sizeof(old));
	if (old[0] > 1)
		return false;
	*protocol = old[1];
	*port = old[0] == 1 ? (uint16_t)old[2] : WIRE_PORT;
	return true;
}

static bool is_open(const struct peer *p)
{
	return p->info.state <= TRACY_PEER_RECORDING;
}

/*
 * Connects to this machine only, whoever announced the port: a program usually listens on all
 * addresses, so its port is reachable on the loopback too.
 */
static void take_announcement(struct tracy_hub *hub, uint16_t port, uint32_t protocol)
{
	struct peer *p;

	for (size_t i = 0; i < hub->peers.n; i++) {
		p = hub->peers.v[i];
		if (p->info.port == port && (is_open(p) || !p->welcomed)) {
			if (p->info.state == TRACY_PEER_WAITING)
				p->announced = protocol;
			return;
		}
	}
	p = add_peer(hub, "localhost", port);
	if (p) {
		p->announced = protocol;
		p->found = true;
	}
}

static void read_announcements(struct tracy_hub *hub)
{
	uint8_t bytes[128];
	uint32_t protocol;
	uint16_t port;
	ssize_t n;

	for (int i = 0; i < 64; i++) {
		n = recv(hub->udp, bytes, sizeof(bytes), MSG_DONTWAIT);
		if (n < 0)
			return;
		if (parse_announcement(bytes, (size_t)n, &port, &protocol) && port)
			take_announcement(hub, port, protocol);
	}
}

/* ------------------------------------------------------------------- rounds */

static int wait_for(struct tracy_hub *hub, struct pollfd *fds, int ms)
{
	nfds_t n = 0;

	for (size_t i = 0; i < hub->peers.n; i++) {
		const struct peer *p = hub->peers.v[i];

		fds[n++] = (struct pollfd){.fd = p->fd, .events = peer_wants(p)};
		if (p->info.state == TRACY_PEER_WAITING && ms > 10)
			ms = 10;
	}
	fds[n++] = (struct pollfd){.fd = hub->udp, .events = POLLIN};
	return poll(fds, n, ms);
}

/* A program that ended may be restarted; a requested port stays watched. */
static void hub_renew(struct tracy_hub *hub, const struct peer *p)
{
	size_t same = 0;

	for (size_t i = 0; i < hub->peers.n; i++)
		same += hub->peers.v[i]->info.port == p->info.port && is_open(hub->peers.v[i]);
	if (!same && hub->options.again && !p->found && !p->stopping)
		add_peer(hub, p->address, p->info.port);
}

int tracy_hub_round(struct tracy_hub *hub, int ms, struct tacho_error *err)
{
	size_t count = hub->peers.n;
	struct pollfd *fds = calloc(count + 1, sizeof(*fds));
	uint64_t now = now_ns();

	if (!fds)
		return err_set(err, TACHO_ENOMEM, "no memory");
	hub->frames = 0;
	for (size_t i = 0; i < count; i++)
		peer_tick(hub, hub->peers.v[i], now);
	if (wait_for(hub, fds, ms) > 0) {
		for (size_t i = 0; i < count; i++)
			if (fds[i].revents && hub->peers.v[i]->fd == fds[i].fd)
				peer_ready(hub, hub->peers.v[i], fds[i].revents);
		if (fds[count].revents)
			read_announcements(hub);
	}
	free(fds);
	now = now_ns();
	for (size_t i = 0; i < count; i++) {
		peer_tick(hub, hub->peers.v[i], now);
		if (hub->peers.v[i]->info.state == TRACY_PEER_ENDED)
			hub_renew(hub, hub->peers.v[i]);
	}
	return hub->error ? err_set(err, hub->error, "%s", err_text(hub->error)) : hub->frames;
}

void tracy_hub_set_parameter(struct tracy_hub *hub, uint32_t pid, uint32_t number, int32_t value)
{
	for (size_t i = 0; i < hub->peers.n; i++) {
		struct peer *p = hub->peers.v[i];
		uint64_t pair = (uint64_t)number << 32 | (uint32_t)value;
		uint8_t query[WIRE_QUERY] = {QUERY_PARAMETER};

		if (p->info.pid != pid || p->info.state != TRACY_PEER_RECORDING || p->stopping)
			continue;
		memcpy(query + 1, &pair, sizeof(pair));
		buf_add(&p->out, query, sizeof(query));
		decode_parameter_set(p->decoder, number, value);
	}
}

void tracy_hub_stop(struct tracy_hub *hub)
{
	for (size_t i = 0; i < hub->peers.n; i++)
		peer_stop(hub, hub->peers.v[i]);
}

/* -------------------------------------------------------------------- state */

size_t tracy_hub_recording(const struct tracy_hub *hub)
{
	size_t n = 0;

	for (size_t i = 0; i < hub->peers.n; i++)
		n += hub->peers.v[i]->info.state == TRACY_PEER_RECORDING;
	return n;
}

size_t tracy_hub_peers(const struct tracy_hub *hub)
{
	return hub->peers.n;
}

void tracy_hub_peer(const struct tracy_hub *hub, size_t i, struct tracy_peer *peer)
{
	const struct peer *p = hub->peers.v[i];

	*peer = p->info;
	if (p->decoder) {
		peer->zones = p->decoder->zones;
		peer->frames = p->decoder->frames;
		peer->span_ns = peer_span(hub, p);
	}
}

void tracy_hub_count(struct tracy_hub *hub)
{
	for (size_t i = 0; i < hub->peers.n; i++)
		if (hub->peers.v[i]->decoder)
			decoder_count(hub->peers.v[i]->decoder);
}

const struct tracy_notes *tracy_hub_notes(const struct tracy_hub *hub)
{
	return &hub->notes;
}

int tracy_hub_close(struct tracy_hub *hub)
{
	int r;
	char text[32];

	if (!hub)
		return 0;
	for (size_t i = 0; i < hub->peers.n; i++) {
		struct peer *p = hub->peers.v[i];

		if (p->decoder)
			peer_end(hub, p, TRACY_PEER_ENDED, NULL);
		peer_free(p);
	}
	/* The latest tick of all programs, which may be after their last stored event. */
	if (hub->options.own_clock && hub->last > (uint64_t)hub->clock.begin) {
		snprintf(text, sizeof(text), "%.0f",
			 (double)(hub->last - (uint64_t)hub->clock.begin) * hub->clock.tick_ns);
		trace_set_property(hub->w, TRACE_SPAN, text);
	}
	if (hub->udp >= 0)
		close(hub->udp);
	vec_free(&hub->peers);
	stacks_free(&hub->stacks);
	r = hub->error;
	free(hub);
	return r;
}
