/* SPDX-License-Identifier: Apache-2.0 */
/* The WebSockets of a server: connections that have left HTTP. */
#include "base/now.h"
#include "http/server.h"

#include <stdlib.h>

struct slot {
	struct server *server;
	unsigned number;
};

/* Called by the socket's thread at its end: another thread must join it. */
static void socket_over(void *context)
{
	struct slot *slot = context;
	struct server *s = slot->server;

	pthread_mutex_lock(&s->lock);
	s->sockets[slot->number].over = true;
	s->last = now_seconds();
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
	free(slot);
}

/*
 * Ends the sockets whose threads have finished, or all. Called only by the watchman, or after its
 * end.
 */
void sockets_end(struct server *s, bool all)
{
	for (unsigned i = 0; i < WEBSOCKETS; i++) {
		struct MHD_UpgradeResponseHandle *handle = NULL;
		struct ws *ws = NULL;

		pthread_mutex_lock(&s->lock);
		if (s->sockets[i].ws && (all || s->sockets[i].over)) {
			ws = s->sockets[i].ws;
			handle = s->sockets[i].handle;
			s->sockets[i].ws = NULL; /* no other thread wakes it from here on */
		}
		pthread_mutex_unlock(&s->lock);
		if (!ws)
			continue;
		ws_stop(ws);
		MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
		pthread_mutex_lock(&s->lock);
		s->sockets[i].handle = NULL;
		s->sockets[i].over = false;
		pthread_mutex_unlock(&s->lock);
	}
}

static bool socket_start(struct server *s, struct MHD_UpgradeResponseHandle *handle, int fd,
			 const char *extra, size_t extra_len)
{
	struct slot *slot = malloc(sizeof(*slot));
	bool started = false;

	if (!slot)
		return false;
	pthread_mutex_lock(&s->lock);
	for (unsigned i = 0; i < WEBSOCKETS && !started && !s->stopping; i++) {
		if (s->sockets[i].handle)
			continue;
		*slot = (struct slot){s, i};
		s->sockets[i].ws = ws_start(s->http, fd, extra, extra_len, socket_over, slot);
		if (!s->sockets[i].ws)
			break;
		s->sockets[i].handle = handle;
		started = true;
	}
	pthread_mutex_unlock(&s->lock);
	if (!started)
		free(slot);
	return started;
}

static void on_upgrade(void *context, struct MHD_Connection *con, void *request, const char *extra,
		       size_t extra_len, MHD_socket fd, struct MHD_UpgradeResponseHandle *handle)
{
	struct server *s = context;
	struct connection *c = connection_of(con);

	(void)request;
	/* From here on the socket's own thread enforces timeouts. */
	if (c) {
		pthread_mutex_lock(&s->lock);
		c->fd = -1;
		pthread_mutex_unlock(&s->lock);
	}
	if (!socket_start(s, handle, fd, extra, extra_len))
		MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
	view_follow_wake(s->http->view);
}

enum MHD_Result socket_answer(struct server *s, struct MHD_Connection *con,
			      const struct http_reply *reply)
{
	struct MHD_Response *response = MHD_create_response_for_upgrade(on_upgrade, s);
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, "Upgrade", "websocket");
	MHD_add_response_header(response, "Sec-WebSocket-Accept", reply->accept);
	result = MHD_queue_response(con, MHD_HTTP_SWITCHING_PROTOCOLS, response);
	MHD_destroy_response(response);
	return result;
}

void server_drop_sockets(struct http *http)
{
	struct server *s = http->server;

	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->drops = true;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
}

void server_wake(struct http *http)
{
	struct server *s = http->server;

	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	for (unsigned i = 0; i < WEBSOCKETS; i++)
		if (s->sockets[i].ws)
			ws_wake(s->sockets[i].ws);
	pthread_mutex_unlock(&s->lock);
}

bool sockets_full(struct server *s)
{
	unsigned used = 0;

	pthread_mutex_lock(&s->lock);
	for (unsigned i = 0; i < WEBSOCKETS; i++)
		used += s->sockets[i].handle != NULL;
	pthread_mutex_unlock(&s->lock);
	return used == WEBSOCKETS;
}

/* With the lock held. */
bool sockets_open(const struct server *s)
{
	for (unsigned i = 0; i < WEBSOCKETS; i++)
		if (s->sockets[i].ws && !s->sockets[i].over)
			return true;
	return false;
}

bool server_is_watched(struct http *http, double seconds)
{
	struct server *s = http->server;
	bool yes;

	if (!s)
		return false;
	pthread_mutex_lock(&s->lock);
	yes = sockets_open(s) || now_seconds() - s->last < seconds;
	pthread_mutex_unlock(&s->lock);
	return yes;
}
