/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: what a program says once, perhaps before anybody records: application info, looks of
 * plots. It is kept and sent by the first thread that joins a session, and by that of a forked
 * child.
 */
#ifndef CLIENT_KEPT_H
#define CLIENT_KEPT_H

#include "client/client.h"

void kept_add(unsigned type, const uint64_t *words, unsigned count, const char *text, size_t len);
/* Lock held. */
void kept_send(struct thread *t);

#endif
