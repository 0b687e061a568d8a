/* SPDX-License-Identifier: Apache-2.0 */
/* The sockets of a serve session: a listening one and a viewer's. */
#include "base/now.h"
#include "tracy/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define GREETING_MS 2000
#define ALIVE_MS    3000  /* a viewer might give up after a longer silence */
#define FAREWELL_MS 1000  /* a viewer waits forever for a zone that never ends */
#define STALLED_MS  30000 /* a viewer that neither reads nor asks for this long has hung */

struct tracy_server {
	struct write model;
	struct tracy_notes notes;
	struct tracy_server_options options;
	struct serve *session;
	int listener, fd;
	uint16_t port;
	uint64_t deadline; /* ms; of the greeting */
	uint64_t served, refused;
	bool live;
	uint64_t last; /* ms: time of the last send or receive */
};

int tracy_network_parse(struct tracy_network *network, const char *text, struct tacho_error *err)
{
	char address[INET_ADDRSTRLEN] = "";
	size_t len = strcspn(text, "/");
	struct in_addr at = {0};
	unsigned long bits = 32;
	char *end = "";

	if (text[len]) {
		bits = strtoul(text + len + 1, &end, 10);
		if (text[len + 1] < '0' || text[len + 1] > '9')
			end = "not a number";
	}
	if (len < sizeof(address))
		memcpy(address, text, len);
	if (*end || bits > 32 || inet_pton(AF_INET, address, &at) != 1)
		return err_set(err, TACHO_EUSAGE,
			       "%s is not an IPv4 address or network like 10.1.2.3 or 10.1.0.0/16",
			       text);
	network->mask = bits ? UINT32_MAX << (32 - bits) : 0;
	network->address = ntohl(at.s_addr) & network->mask;
	return 0;
}

static bool is_allowed(const struct tracy_server *s, uint32_t address)
{
	const struct tracy_network *n = s->options.allowed;

	if (address >> 24 == 127)
		return true;
	for (size_t i = 0; i < s->options.allowed_count; i++)
		if ((address & n[i].mask) == n[i].address)
			return true;
	return false;
}

static int listen_on(struct tracy_server *s, struct tacho_error *err)
{
	uint16_t port = s->options.port;
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
	socklen_t len = sizeof(at);
	int one = 1;

	at.sin_addr.s_addr = htonl(s->options.everywhere ? INADDR_ANY : INADDR_LOOPBACK);
	s->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (s->listener < 0)
		return err_errno(err, TACHO_ECONNECT, "cannot listen");
	setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(s->listener, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    listen(s->listener, 64) < 0 ||
	    getsockname(s->listener, (struct sockaddr *)&at, &len) < 0)
		return err_errno(err, TACHO_ECONNECT, "cannot listen on port %u", port);
	s->port = ntohs(at.sin_port);
	return 0;
}

int tracy_server_open(struct tracy_server **out, struct trace *trace,
		      const struct tracy_server_options *options, struct tacho_error *err)
{
	struct tracy_server *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return err_set(err, TACHO_ENOMEM, "no memory");
	s->listener = s->fd = -1;
	s->options = *options;
	s->model.trace = trace;
	s->model.notes = &s->notes;
	r = write_prepare(&s->model);
	if (r == 0)
		r = contexts_grow(&s->model, 0);
	r = r < 0 ? err_set(err, r, "%s: %s", trace->path, err_text(r)) : listen_on(s, err);
	if (r < 0) {
		tracy_server_close(s);
		return r;
	}
	*out = s;
	return 0;
}

uint16_t tracy_server_port(const struct tracy_server *s)
{
	return s->port;
}

uint64_t tracy_server_served(const struct tracy_server *s)
{
	return s->served;
}

void tracy_server_set_live(struct tracy_server *s)
{
	s->live = true;
}

bool tracy_server_is_watched(const struct tracy_server *s)
{
	return s->session != NULL;
}

bool tracy_server_is_ready(const struct tracy_server *s)
{
	return !s->session || !s->session->greeted || s->session->step >= SERVE_WAIT;
}

int tracy_server_grown(struct tracy_server *s, bool ended, struct tacho_error *err)
{
	uint32_t first = s->model.tracks_known;
	int r = model_grow(&s->model);

	if (r == 0)
		r = contexts_grow(&s->model, first);
	if (r < 0)
		return err_set(err, r, "%s: %s", s->model.trace->path, err_text(r));
	s->live = !ended;
	if (s->session && !s->session->greeted)
		s->session->live = !ended;
	else if (s->session)
		serve_grown(s->session, ended);
	return 0;
}

static void server_drop(struct tracy_server *s)
{
	if (s->session) {
		s->served += s->session->step == SERVE_DONE;
		s->refused += s->session->refused;
	}
	serve_free(s->session);
	s->session = NULL;
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

int tracy_server_accept(struct tracy_server *s, int ms, char refused[16])
{
	struct pollfd fd = {.fd = s->listener, .events = POLLIN};
	struct sockaddr_in from = {0};
	socklen_t len = sizeof(from);
	int viewer;

	refused[0] = 0;
	if (poll(&fd, 1, ms) <= 0)
		return -1;
	viewer = accept4(s->listener, (struct sockaddr *)&from, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (viewer < 0 || is_allowed(s, ntohl(from.sin_addr.s_addr)))
		return viewer;
	inet_ntop(AF_INET, &from.sin_addr, refused, 16);
	close(viewer);
	return -1;
}

int tracy_server_take(struct tracy_server *s, int fd, struct tacho_error *err)
{
	close(s->listener);
	s->listener = -1;
	s->fd = fd;
	s->session = serve_new(&s->model, s->live);
	if (s->session)
		s->session->options = &s->options;
	s->last = now_ms();
	s->deadline = s->last + GREETING_MS;
	return s->session ? 0 : err_set(err, TACHO_ENOMEM, "no memory");
}

static void server_out_send(struct tracy_server *s)
{
	struct buf *out = &s->session->out;
	ssize_t n;

	while (out->len) {
		n = send(s->fd, out->data, out->len, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			s->session->over = true;
			out->len = 0;
			return;
		}
		memmove(out->data, out->data + n, out->len - (size_t)n);
		out->len -= (size_t)n;
		s->last = now_ms();
	}
}

static void server_talk(struct tracy_server *s, short events)
{
	char bytes[16384];
	ssize_t n = 0;

	if (events & (POLLIN | POLLHUP | POLLERR) && serve_takes_input(s->session)) {
		n = recv(s->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
			server_drop(s);
			return;
		}
		if (n > 0) {
			s->last = now_ms();
			serve_input(s->session, bytes, (size_t)n);
		}
	}
	serve_more(s->session);
	server_out_send(s);
	if (s->session->over && !s->session->out.len)
		server_drop(s);
}

int tracy_server_round(struct tracy_server *s, int ms, struct tacho_error *err)
{
	struct pollfd fd = {.fd = s->fd};

	if (!s->session)
		return 0;
	if (serve_takes_input(s->session))
		fd.events |= POLLIN;
	/* The viewer may never send a query: a writable socket alone must drive the stream. */
	if (s->session->out.len || serve_has_more(s->session))
		fd.events |= POLLOUT;
	if (poll(&fd, 1, ms) < 0 && errno != EINTR)
		return err_errno(err, TACHO_ECONNECT, "cannot wait for a viewer");
	if (fd.revents)
		server_talk(s, fd.revents);
	if (s->session) {
		/* Handles timeouts. */
		uint64_t now = now_ms();

		if (!s->session->greeted) {
			if (now > s->deadline)
				server_drop(s);
		} else if ((s->session->out.len || s->session->step == SERVE_DONE) &&
			   now - s->last > STALLED_MS) {
			server_drop(s);
		} else if (s->session->step == SERVE_WAIT && now - s->last > ALIVE_MS) {
			serve_keep_alive(s->session);
		} else if (s->session->step == SERVE_DONE && s->session->unended &&
			   !s->session->out.len && now - s->last > FAREWELL_MS) {
			server_drop(s);
		}
	}
	return 0;
}

void tracy_server_close(struct tracy_server *s)
{
	if (!s)
		return;
	server_drop(s);
	if (s->listener >= 0)
		close(s->listener);
	write_free(&s->model);
	free(s);
}
