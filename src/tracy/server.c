/* The socket around a serve session. One viewer at a time; others wait in the backlog. */
#include "tracy/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define GREETING_MS 2000
#define ALIVE_MS    3000 /* a viewer that hears nothing for longer might give up */
#define FAREWELL_MS 1000 /* a viewer waits for ever for a zone that has no end */

struct tracy_server {
	struct write model;
	struct tracy_notes notes;
	struct serve *session;
	int listener, fd;
	uint16_t port;
	uint64_t deadline; /* ms; of the greeting */
	uint64_t served, refused;
	bool live;
	uint64_t last; /* ms: when something was last sent or received */
};

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static int listen_on(struct tracy_server *s, uint16_t port, bool everywhere,
		     struct tacho_error *err)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
	socklen_t len = sizeof(at);
	int one = 1;

	at.sin_addr.s_addr = htonl(everywhere ? INADDR_ANY : INADDR_LOOPBACK);
	s->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (s->listener < 0)
		return err_errno(err, TACHO_ECONNECT, "cannot listen");
	setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(s->listener, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    listen(s->listener, 4) < 0 ||
	    getsockname(s->listener, (struct sockaddr *)&at, &len) < 0)
		return err_errno(err, TACHO_ECONNECT, "cannot listen on port %u", port);
	s->port = ntohs(at.sin_port);
	return 0;
}

int tracy_server_open(struct tracy_server **out, struct trace *trace, uint16_t port,
		      bool everywhere, struct tacho_error *err)
{
	struct tracy_server *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return err_set(err, TACHO_ENOMEM, "no memory");
	s->listener = s->fd = -1;
	s->model.trace = trace;
	s->model.notes = &s->notes;
	r = write_prepare(&s->model);
	if (r == 0)
		r = contexts_grow(&s->model, 0);
	r = r < 0 ? err_set(err, r, "%s: %s", trace->path, err_text(r))
		  : listen_on(s, port, everywhere, err);
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

static void drop(struct tracy_server *s)
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

static void accept_one(struct tracy_server *s)
{
	s->fd = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (s->fd < 0)
		return;
	s->session = serve_new(&s->model, s->live);
	s->last = now_ms();
	s->deadline = s->last + GREETING_MS;
	if (!s->session)
		drop(s);
}

static void send_out(struct tracy_server *s)
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

static void talk(struct tracy_server *s, short events)
{
	char bytes[16384];
	ssize_t n = 0;

	if (events & (POLLIN | POLLHUP | POLLERR)) {
		n = recv(s->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
			drop(s);
			return;
		}
		if (n > 0) {
			s->last = now_ms();
			serve_input(s->session, bytes, (size_t)n);
		}
	}
	serve_more(s->session);
	send_out(s);
	if (s->session->over && !s->session->out.len)
		drop(s);
}

/* A viewer that has been told nothing for a while. */
static void idle(struct tracy_server *s)
{
	uint64_t now = now_ms();

	if (!s->session->greeted) {
		if (now > s->deadline)
			drop(s);
	} else if (s->session->step == SERVE_WAIT && now - s->last > ALIVE_MS) {
		serve_keep_alive(s->session);
	} else if (s->session->step == SERVE_DONE && s->session->unended && !s->session->out.len &&
		   now - s->last > FAREWELL_MS) {
		drop(s);
	}
}

int tracy_server_round(struct tracy_server *s, int ms, struct tacho_error *err)
{
	struct pollfd fd = {.fd = s->fd >= 0 ? s->fd : s->listener, .events = POLLIN};

	if (s->session && s->session->out.len)
		fd.events |= POLLOUT;
	if (poll(&fd, 1, ms) < 0 && errno != EINTR)
		return err_errno(err, TACHO_ECONNECT, "cannot wait for a viewer");
	if (s->fd < 0 && fd.revents)
		accept_one(s);
	else if (s->session && fd.revents)
		talk(s, fd.revents);
	if (s->session)
		idle(s);
	return 0;
}

void tracy_server_close(struct tracy_server *s)
{
	if (!s)
		return;
	drop(s);
	if (s->listener >= 0)
		close(s->listener);
	write_free(&s->model);
	free(s);
}
