/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Track open connections. There are few slots, and a slow connection is closed: a browser opens
 * another, an attacker gets nothing. libmicrohttpd restarts its own timeout with every byte, so a
 * watchman thread checks how long each request has been coming in or going out.
 */
#include "base/now.h"
#include "http/server.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

struct connection *connection_of(struct MHD_Connection *con)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(con, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

void connection_phase(struct server *s, struct connection *c, enum phase phase)
{
	if (!c)
		return;
	pthread_mutex_lock(&s->lock);
	c->phase = phase;
	c->since = s->last = now_seconds();
	pthread_mutex_unlock(&s->lock);
}

void connection_known(struct server *s, struct connection *c)
{
	pthread_mutex_lock(&s->lock);
	c->known = true;
	pthread_mutex_unlock(&s->lock);
}

/*
 * Of the waiting connections the one that waits longest; strangers first. Called with the lock
 * held.
 */
static void make_room(struct server *s)
{
	struct connection *oldest = NULL;

	for (struct connection *c = s->connections; c; c = c->next) {
		if (c->fd < 0 || (c->phase != COMING && c->phase != WAITING))
			continue;
		if (!oldest || (oldest->known && !c->known) ||
		    (oldest->known == c->known && c->since < oldest->since))
			oldest = c;
	}
	if (oldest) {
		shutdown(oldest->fd, SHUT_RDWR);
		oldest->fd = -1;
	}
}

static void connection_begin(struct server *s, struct MHD_Connection *con, void **context)
{
	struct connection *c = calloc(1, sizeof(*c));
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(con, MHD_CONNECTION_INFO_CONNECTION_FD);

	if (!c || !info) {
		free(c);
		return;
	}
	c->fd = info->connect_fd;
	c->phase = COMING;
	c->since = now_seconds();
	pthread_mutex_lock(&s->lock);
	if (s->count >= CROWDED)
		make_room(s);
	c->next = s->connections;
	if (c->next)
		c->next->previous = c;
	s->connections = c;
	s->count++;
	pthread_mutex_unlock(&s->lock);
	*context = c;
}

static void connection_end(struct server *s, struct connection *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&s->lock);
	if (c->next)
		c->next->previous = c->previous;
	if (c->previous)
		c->previous->next = c->next;
	else
		s->connections = c->next;
	s->count--;
	pthread_mutex_unlock(&s->lock);
	free(c);
}

void connection_event(void *context, struct MHD_Connection *con, void **socket_context,
		      enum MHD_ConnectionNotificationCode what)
{
	if (what == MHD_CONNECTION_NOTIFY_STARTED)
		connection_begin(context, con, socket_context);
	else
		connection_end(context, *socket_context);
}

static double connections_patience(enum phase phase)
{
	if (phase == SENDING)
		return REPLY_SECONDS;
	if (phase == WORKING)
		return 1e9;
	return phase == COMING ? HEAD_SECONDS : IDLE_SECONDS;
}

/* The connection's own thread notices the shutdown and ends. */
void *connections_watch(void *context)
{
	struct server *s = context;

	pthread_mutex_lock(&s->lock);
	while (!s->stopping) {
		struct timespec until;
		double t = now_seconds();
		bool all = s->drops;

		s->drops = false;

		for (struct connection *c = s->connections; c; c = c->next)
			if (c->fd >= 0 && t - c->since > connections_patience(c->phase)) {
				shutdown(c->fd, SHUT_RDWR);
				c->fd = -1;
			}
		pthread_mutex_unlock(&s->lock);
		sockets_end(s, all);
		pthread_mutex_lock(&s->lock);
		if (s->stopping)
			break;
		until = now_realtime_plus(250);
		pthread_cond_timedwait(&s->wake, &s->lock, &until);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}
