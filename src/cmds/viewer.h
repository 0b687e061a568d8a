/* SPDX-License-Identifier: Apache-2.0 */
/* The viewer of run --view and view. */
#ifndef CMDS_VIEWER_H
#define CMDS_VIEWER_H

#include "base/cmd.h"
#include "http/http.h"
#include "view/view.h"

/* What is shown and where it is served: the options of "view". */
struct viewer_conf {
	int64_t port, idle, share; /* share: ns, 0: no */
	const char *bind, *assets;
	const char *db; /* of runs, for the page History; NULL: none */
	struct opt_list sources;
	bool open;
	const char
		*live; /* a recording; NULL: the current or the next one, if there are no files */
};

/* Serves the recording and the files ARGV until a signal or --idle-exit ends it. */
int viewer_show(const struct viewer_conf *conf, const struct cmd_common *common, int argc,
		char **argv, struct tacho_error *err);

/*
 * Without a PORT, the first free one from 8086 on. Reports on stderr which process owns a busy
 * port.
 */
int viewer_start(struct http *http, int64_t port, bool quiet, struct tacho_error *err);

#define VIEWER_ANY_PORT INT64_MIN /* no port was given */
int viewer_check_port(int64_t port, struct tacho_error *err);

/* True if the address means all addresses of the machine. */
bool viewer_is_everywhere(const char *address);
/* Prints the URL, and how to reach it from elsewhere, to OUT. */
void viewer_announce(const struct http *http, const char *bind, FILE *out);
/* Makes a token that ends after NS and prints its URL. */
int viewer_share(struct http *http, const char *bind, int64_t ns, FILE *out,
		 struct tacho_error *err);

/*
 * Writes the URL with the token to a file that only the user can read and that redirects a browser:
 * every user of the machine can read a command line. NULL with errno on failure; otherwise
 * viewer_page_remove() removes and frees it.
 */
char *viewer_page_make(const struct http *http, const char *bind);
void viewer_page_remove(char *path);

/* On SIGUSR1 viewer_serve() rotates the token and prints the new URL to OUT. */
void viewer_rotates(const char *bind, FILE *out);

/*
 * Serves until more than STOPS signals have arrived, or no request for IDLE seconds (0: forever).
 */
void viewer_serve(struct http *http, int64_t idle, int stops);

#endif
