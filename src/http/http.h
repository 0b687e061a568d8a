/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The viewer's server: the answers of a view (view/view.h) on one HTTP port for the page in web/.
 *
 *	http_open()	makes a server for a view
 *	http_start()	binds the port; threads of its own answer from here on
 *	http_close()	ends them and frees all but the view
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
	const char *assets; /* folder of the page; NULL = the one that is built in */
};

/* Borrows VIEW, whose traces are all added before http_start(). */
int http_open(struct http **http, struct view *view, const struct http_options *options,
	      struct tacho_error *err);

/* PORT 0 is any. TACHO_EEXISTS: the port is taken. */
int http_start(struct http *http, uint16_t port, struct tacho_error *err);
uint16_t http_port(const struct http *http);
/* What a visitor must know: part of the URL. Of this server alone; nothing can be changed with it.
 */
const char *http_token(const struct http *http);
/* Makes another token: pages that are open lose their access. Not while http_token() is in use. */
int http_rotate(struct http *http);
/* Seconds since the last request or open page; 0 while one is there. */
double http_idle(struct http *http);

/* Takes NULL. */
void http_close(struct http *http);

#endif
