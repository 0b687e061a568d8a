/* SPDX-License-Identifier: Apache-2.0 */
/* Local TCP ports: check one, name its owner, find a free one. */
#ifndef CMDS_PORT_H
#define CMDS_PORT_H

#include <stdbool.h>
#include <stddef.h>

bool port_is_free(int port);

/* "pytest (pid 123)", or "another process" if unknown. */
void port_owner(int port, char *text, size_t size);

/* The first free one of FIRST..LAST, or -1. */
int port_find(int first, int last);

#endif
