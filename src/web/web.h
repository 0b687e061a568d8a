/*
 * The viewer's server: traces on one HTTP port for the page in web/. docs/view.md has the calls.
 *
 *	web_open()	makes a server without traces
 *	web_add()	a trace, a folder of traces, an ops report
 *	web_start()	binds the port; requests are answered by threads of its own from here on
 *	web_close()	ends them and frees all
 *
 * The server answers from the level-of-detail index and from passes over the blocks of a trace: its
 * memory does not grow with the traces. Each trace is open twice, once for what must be quick
 * (tiles, single zones) and once for passes over many zones, so that a long one stops nobody.
 */
#ifndef WEB_WEB_H
#define WEB_WEB_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEB_PORT 8086

struct web;

struct web_options {
	const char *bind;           /* address; NULL = 127.0.0.1 */
	const char *assets;         /* folder of the page; NULL = the one that is built in */
	const char *const *sources; /* folders whose files /source may show */
	size_t source_count;
};

int web_open(struct web **web, const struct web_options *options, struct tacho_error *err);

/* PATH is a file or a folder; what it is is seen from its content. */
int web_add(struct web *web, const char *path, struct tacho_error *err);
/*
 * The recording that TEXT means: see ring_session_find(); NULL is the only one. The page follows
 * it.
 */
int web_add_session(struct web *web, const char *text, struct tacho_error *err);
/* Why the I-th of the files of folders that could not be read is not shown; NULL: no more. */
const char *web_unread(const struct web *web, size_t i);
/* How many traces there are. */
size_t web_traces(const struct web *web);

/* PORT 0 is any. TACHO_EEXISTS: the port is taken. */
int web_start(struct web *web, uint16_t port, struct tacho_error *err);
uint16_t web_port(const struct web *web);
/* What a visitor must know: part of the URL. Of this server alone; nothing can be changed with it.
 */
const char *web_token(const struct web *web);
/* Makes another token: pages that are open lose their access. Not while web_token() is in use. */
int web_rotate(struct web *web);
/* Seconds since the last request or open page; 0 while one is there. */
double web_idle(struct web *web);

void web_close(struct web *web);

#endif
