/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Long text for a person goes through a pager: $TACHO_PAGER or $PAGER, else less, which prints a
 * text that fits on the screen and ends. An empty name or "cat" means none.
 */
#ifndef BASE_PAGER_H
#define BASE_PAGER_H

#include <sys/types.h>

/* A pager that reads what is written to standard output from now on; 0: there is none. */
pid_t pager_start(void);

/* Flushes standard output and waits for the person to leave the pager. Does nothing for 0. */
void pager_end(pid_t pager);

#endif
