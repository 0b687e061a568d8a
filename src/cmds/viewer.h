/* SPDX-License-Identifier: Apache-2.0 */
/* The viewer beside what else a verb does: run --view, view. */
#ifndef CMDS_VIEWER_H
#define CMDS_VIEWER_H

#include "base/cmd.h"
#include "http/http.h"
#include "view/view.h"

/*
 * Without a PORT, the first free one from 8086 on. Reports on stderr which process owns a busy
 * port.
 */
int viewer_start(struct http *http, int64_t port, bool quiet, struct tacho_error *err);

#define VIEWER_ANY_PORT INT64_MIN /* none was asked for */
int viewer_check_port(int64_t port, struct tacho_error *err);

/* An address that means all of the machine's. */
bool viewer_is_everywhere(const char *address);
/* Prints the URL and how to come there from elsewhere on OUT. */
void viewer_announce(const struct http *http, const char *bind, FILE *out);

/*
 * The URL with the token, in a file that the user alone can read and that takes a browser there: a
 * command line can be read by every user of the machine. NULL with errno when that fails; else
 * viewer_page_remove() removes and frees it.
 */
char *viewer_page_make(const struct http *http, const char *bind);
void viewer_page_remove(char *path);

/* SIGUSR1 makes viewer_serve() rotate the token and print the new URL, to OUT. */
void viewer_rotates(const char *bind, FILE *out);

/* Until more than STOPS signals have come, or until nobody has looked for IDLE seconds (0: for
 * ever). */
void viewer_serve(struct http *http, int64_t idle, int stops);

#endif
