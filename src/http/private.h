/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: from a request to its reply.
 *
 * A request goes through target.c (is it well-formed?), guard.c (is it allowed?) and route.c (a
 * file of the page, a WebSocket, or a query for src/view). Only server.c knows libmicrohttpd, so
 * tests can send requests without a socket: http_answer().
 */
#ifndef HTTP_PRIVATE_H
#define HTTP_PRIVATE_H

#include "base/buf.h"
#include "http/http.h"
#include "view/view.h"

#include <pthread.h>
#include <stdio.h>

#define HTTP_TOKEN  HTTP_TOKEN_TEXT /* hexadecimal digits and the NUL */
#define HTTP_TARGET VIEW_QUERY      /* maximum bytes of a request's target */

struct http {
	struct http_options options;
	struct view *view;
	char token[HTTP_TOKEN];
	char shared[HTTP_TOKEN];    /* "": none */
	double shared_until;        /* of now_seconds() */
	pthread_mutex_t token_lock; /* protects the tokens, except for reads by the thread that
				       rotates it */
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

/* The relevant parts of a request's head. */
struct http_request {
	const char *method, *target;
	const char *host, *origin, *fetch_site, *cookie, *authorization, *if_none_match;
	const char *upgrade, *ws_key, *ws_version;
};

/* A parsed request target. */
struct http_target {
	char path[HTTP_TARGET + 1];
	struct view_query query;
};

struct http_call {
	struct http *http;
	const struct http_request *request;
	struct http_target target;
	struct http_reply *reply;
	bool (*gone)(void *context); /* whether the client has left */
	void *context;
};

/* Answers a request and completes REPLY. The caller frees reply->body. */
void http_answer(struct http *http, const struct http_request *request, struct http_reply *reply,
		 bool (*gone)(void *context), void *context);

/* Sets an error reply. */
void reply_fail(struct http_reply *reply, int status, const char *text);

/* target.c: 0, or the status to answer with. */
int target_parse(struct http_target *t, const char *text);

/* guard.c: whether it is allowed; if not, the reply says why. */
bool guard_admits(struct http_call *call);

/* token.c: 0 or an error. */
int token_make(char *token);

/* assets.c: a file of the page. */
void assets_answer(struct http_call *c);

/* server.c */
void server_stop(struct http *http);
/* sockets.c: ends all WebSockets; clients must present the new token. */
void server_drop_sockets(struct http *http);
/* Wakes the WebSockets to send news. */
void server_wake(struct http *http);
/* True if there was a request within so many seconds, or a WebSocket is open. */
bool server_is_watched(struct http *http, double seconds);

#endif
