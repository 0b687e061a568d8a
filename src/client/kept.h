/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: state that a program sets once, perhaps before a recording: application info, plot
 * settings, parameters. It is stored and sent by the first thread that joins a session, also in a
 * forked child.
 */
#ifndef CLIENT_KEPT_H
#define CLIENT_KEPT_H

#include "client/client.h"

void kept_add(unsigned type, const uint64_t *words, unsigned count, const char *text, size_t len);
/*
 * Replaces the second word of the entry of TYPE whose first word has the lower half NUMBER. False:
 * there is none.
 */
bool kept_change(unsigned type, uint32_t number, uint64_t value);
/* Lock held. */
void kept_send(struct thread *t);

#endif
