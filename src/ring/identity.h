/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: check whether the process that made a ring is still running. The pid alone is not
 * enough: it may have been reused, or belong to another pid namespace.
 */
#ifndef RING_IDENTITY_H
#define RING_IDENTITY_H

#include "ring/layout.h"

#include <stdbool.h>

struct identity {
	uint32_t pid; /* its pid in our namespace; 0: it has ended, or cannot be seen */
	uint64_t start_time;
	int pidfd; /* -1: there was none left */
};

/* False if there are no descriptors to find out: try again later. */
bool identity_open(struct identity *id, const struct ring_header *header);
void identity_close(struct identity *id);
/* False if the process has ended, reaped or not. */
bool identity_is_alive(const struct identity *id);
/* 1 + the number of seccomp filters of process PID; 0 if unknown. */
uint32_t identity_filters(uint32_t pid);

#endif
