/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of timeouts and pauses: CLOCK_MONOTONIC. Inline, so that libtacho can use it too. */
#ifndef BASE_NOW_H
#define BASE_NOW_H

#include <stdint.h>
#include <time.h>

static inline uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static inline uint64_t now_ms(void)
{
	return now_ns() / 1000000;
}

static inline double now_seconds(void)
{
	return (double)now_ns() * 1e-9;
}

/* The moment in MS milliseconds, for pthread_cond_timedwait() with its default clock. */
static inline struct timespec now_realtime_plus(unsigned ms)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_nsec += ms % 1000 * 1000000l;
	ts.tv_sec += ms / 1000 + ts.tv_nsec / 1000000000;
	ts.tv_nsec %= 1000000000;
	return ts;
}

#endif
