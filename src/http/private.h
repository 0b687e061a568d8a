/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: from a request to its reply.
 *
 * A request goes through target.c (is it well-formed?), guard.c (may it be answered?) and route.c
 * (a file of the page, a WebSocket, or a question for src/view). server.c alone knows
 * libmicrohttpd, so requests can be made without a socket: http_answer().
 */
#ifndef HTTP_PRIVATE_H
#define HTTP_PRIVATE_H

#include "base/buf.h"
#include "http/http.h"
#include "view/view.h"

#include <pthread.h>
#include <stdio.h>

#define HTTP_TOKEN  33         /* hexadecimal digits and the 0 */
#define HTTP_TARGET VIEW_QUERY /* bytes of a request's target at most */

struct http {
	struct http_options options;
	struct view *view;
	char token[HTTP_TOKEN];
	pthread_mutex_t token_lock; /* of TOKEN, which the thread that rotates it reads without */
	struct server *server;
};

struct http_reply {
	int status;
	const char *type;
	struct buf body;
	const char *body_static; /* instead of body */
	size_t body_len;
	bool gzip, deflate; /* the body is packed */
	char etag[52];      /* "" = none */
	const char *cache;  /* Cache-Control */
	char location[64];
	char cookie[128];
	char attachment[64]; /* file name, "" = none */
	FILE *file;          /* instead of body: read from its start and closed */
	char accept[32];     /* the connection becomes a WebSocket */
};

/* What of a request's head matters. */
struct http_request {
	const char *method, *target;
	const char *host, *origin, *fetch_site, *cookie, *authorization, *if_none_match;
	const char *upgrade, *ws_key, *ws_version;
};

/* A request's target, taken apart. */
struct http_target {
	char path[HTTP_TARGET + 1];
	struct view_query query;
};

struct http_call {
	struct http *http;
	const struct http_request *request;
	struct http_target target;
	struct http_reply *reply;
	bool (*gone)(void *context); /* has the client left? */
	void *context;
};

/* Answers a request; REPLY is whole then. The caller frees reply->body. */
void http_answer(struct http *http, const struct http_request *request, struct http_reply *reply,
		 bool (*gone)(void *context), void *context);

/* Sets an error reply. */
void reply_fail(struct http_reply *reply, int status, const char *text);

/* target.c: 0, or the status to answer with. */
int target_parse(struct http_target *t, const char *text);

/* guard.c: may it be answered? Else the reply says why not. */
bool guard_admits(struct http_call *call);
bool guard_token_is(struct http *http, const char *text, size_t len);

/* token.c: 0 or an error. */
int token_make(char *token);

/* assets.c: a file of the page. */
void assets_answer(struct http_call *c);

/* server.c */
void server_stop(struct http *http);
/* sockets.c: ends all WebSockets: who opened them must show that they know the token. */
void server_drop_sockets(struct http *http);
/* Wakes the WebSockets: something is new. */
void server_wake(struct http *http);
/* Was there a request within so many seconds, or is a WebSocket open? */
bool server_looked_at(struct http *http, double seconds);

#endif
