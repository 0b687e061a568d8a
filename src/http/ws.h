/* SPDX-License-Identifier: Apache-2.0 */
/* Private: WebSockets, over which the server tells what is new. */
#ifndef HTTP_WS_H
#define HTTP_WS_H

#include "http/private.h"

#define WS_ACCEPT 32 /* bytes of the answer to a key, with the 0 */

/* Sec-WebSocket-Accept of a Sec-WebSocket-Key; false when it is none. */
bool ws_accept(const char *key, char accept[WS_ACCEPT]);

struct ws;

/* Takes a socket over; CLOSED is called when it is done with, by its own thread. NULL: no room. */
struct ws *ws_start(struct http *http, int fd, const void *extra, size_t extra_len,
		    void (*closed)(void *context), void *context);
/* Something is new. */
void ws_wake(struct ws *ws);
/* Asks it to end, then waits until it has. */
void ws_stop(struct ws *ws);

#endif
