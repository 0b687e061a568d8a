/* SPDX-License-Identifier: Apache-2.0 */
/* Private: WebSockets, over which the server sends news. */
#ifndef HTTP_WS_H
#define HTTP_WS_H

#include "http/private.h"

#define WS_ACCEPT 32 /* bytes of the answer to a key, with the NUL */

/* Sec-WebSocket-Accept of a Sec-WebSocket-Key; false if invalid. */
bool ws_accept(const char *key, char accept[WS_ACCEPT]);

struct ws;

/* Takes over a socket; its thread calls CLOSED at its end. NULL if out of memory. */
struct ws *ws_start(struct http *http, int fd, const void *extra, size_t extra_len,
		    void (*closed)(void *context), void *context);
/* Wakes its thread: there is news. */
void ws_wake(struct ws *ws);
/* Asks its thread to end and waits for it. */
void ws_stop(struct ws *ws);

#endif
