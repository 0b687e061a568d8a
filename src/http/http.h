/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The viewer's server: sends the answers of a view (view/view.h) over one HTTP port to the page in
 * web/.
 *
 *	http_open()	creates a server for a view
 *	http_start()	binds the port; its own threads answer from then on
 *	http_close()	ends them and frees everything but the view
 *
 * One thread owns the server and makes all calls; http_port() and http_token() are constant between
 * http_start() and http_rotate().
 */
#ifndef HTTP_HTTP_H
#define HTTP_HTTP_H

#include "base/err.h"

#include <stdint.h>

#define HTTP_PORT 8086

struct http;
struct view;

struct http_options {
	const char *bind;   /* address; NULL = 127.0.0.1 */
	const char *assets; /* folder of the page; NULL = built in */
};

/* Borrows VIEW; add all its traces before http_start(). */
int http_open(struct http **http, struct view *view, const struct http_options *options,
	      struct tacho_error *err);

/* PORT 0 means any. TACHO_EEXISTS if the port is taken. */
int http_start(struct http *http, uint16_t port, struct tacho_error *err);
uint16_t http_port(const struct http *http);
/* The secret in the URL: grants reading, and setting parameters of recorded programs. */
const char *http_token(const struct http *http);
/* Replaces the token: open pages lose access. Not while http_token() is in use. */
int http_rotate(struct http *http);
#define HTTP_TOKEN_TEXT 33
/* A further token for reading only, put into TOKEN, that ends after SECONDS, or when the other one
 * is replaced. */
int http_share(struct http *http, double seconds, char token[HTTP_TOKEN_TEXT]);
/* Disconnects the pages of a shared token that has ended. Call it from time to time. */
void http_share_check(struct http *http);
/* Seconds since the last request or open page; 0 while a page is open. */
double http_idle(struct http *http);

/* Takes NULL. */
void http_close(struct http *http);

#endif
