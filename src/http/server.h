/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: HTTP with libmicrohttpd. connections.c tracks connections and closes slow ones,
 * sockets.c has the WebSockets, server.c the requests.
 */
#ifndef HTTP_SERVER_H
#define HTTP_SERVER_H

#include "http/ws.h"

#include <microhttpd.h>

#define WEBSOCKETS    16
#define CONNECTIONS   256
#define CROWDED       64   /* from this many on, each new one closes a waiting one */
#define HEAD_SECONDS  10.0 /* to receive a request, or to wait for the next one */
#define IDLE_SECONDS  30.0
#define REPLY_SECONDS 120.0 /* to send an answer */

enum phase { WAITING, COMING, WORKING, SENDING };

struct connection {
	struct connection *next, *previous;
	int fd;
	enum phase phase;
	double since;
	bool known; /* has received an answer with data */
};

struct server {
	struct MHD_Daemon *daemon;
	struct http *http;
	uint16_t port;
	pthread_mutex_t lock; /* protects all below; taken last */
	struct connection *connections;
	size_t count;
	double last; /* request */
	struct {
		struct ws *ws; /* NULL and no HANDLE: free */
		struct MHD_UpgradeResponseHandle *handle;
		bool over; /* its thread has finished */
	} sockets[WEBSOCKETS];
	bool stopping;
	bool drops; /* the watchman should end all sockets */
	pthread_cond_t wake;
	pthread_t watchman;
};

/* connections.c */
struct connection *connection_of(struct MHD_Connection *con);
/* Marks the connection as the page's. */
void connection_known(struct server *s, struct connection *c);
void connection_phase(struct server *s, struct connection *c, enum phase phase);
void connection_event(void *server, struct MHD_Connection *con, void **socket_context,
		      enum MHD_ConnectionNotificationCode what);
/* The watchman thread; ends when s->stopping is set. */
void *connections_watch(void *server);

/* sockets.c */
enum MHD_Result socket_answer(struct server *s, struct MHD_Connection *con,
			      const struct http_reply *reply);
/* Ends the sockets whose threads have finished, or all. One thread at a time. */
void sockets_end(struct server *s, bool all);
/* True if one is open. Called with the lock held. */
bool sockets_open(const struct server *s);
/* True if there is no room for another one. */
bool sockets_full(struct server *s);

#endif
