/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: requests over HTTP by libcurl. The library is loaded when it is first needed: no other
 * verb pays for it, and the program runs without it.
 */
#ifndef DB_CURL_H
#define DB_CURL_H

#include "base/buf.h"
#include "base/err.h"

#include <signal.h>
#include <stddef.h>

struct web;

struct web_account {
	const char *user, *password; /* or NULL */
	const char *ca;              /* file with certificates; NULL: those of the system */
	const volatile sig_atomic_t *stop;
};

int web_open(struct web **http, const struct web_account *account, struct tacho_error *err);
void web_close(struct web *http);

/*
 * POSTs BODY, or GETs if it is NULL, and fills ANSWER. 0 and *STATUS for any complete answer.
 * TACHO_ECONNECT: there is none; *HOPELESS: nor will there be. TACHO_ENO: stopped.
 */
int web_request(struct web *http, const char *url, const void *body, size_t len, struct buf *answer,
		long *status, bool *hopeless, struct tacho_error *err);

/* Appends TEXT to a URL as part of a parameter. */
void web_add_encoded(struct buf *url, const char *text);

#endif
