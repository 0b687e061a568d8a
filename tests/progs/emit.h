/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the programs here: emit events and say how many. Each process prints lines "zones N messages
 * M" for the events whose calls have returned; a script adds the lines up and compares with the
 * trace.
 */
#ifndef PROGS_EMIT_H
#define PROGS_EMIT_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <tacho/tacho.h>
#include <unistd.h>

/* Zones of two kinds, an outer one around every ten: ZONES in all. */
static inline void emit_zones(long zones)
{
	while (zones > 0) {
		TACHO_ZONE("outer");
		zones--;
		for (int i = 0; i < 9 && zones > 0; i++, zones--) {
			TACHO_ZONE("inner");
		}
	}
}

/* One write, so that lines of several processes do not mix. */
static inline void text_emit(long zones, long messages)
{
	char line[64];
	int n = snprintf(line, sizeof(line), "zones %ld messages %ld\n", zones, messages);

	if (write(1, line, (size_t)n) != n)
		abort();
}

static inline long number_argument(int argc, char **argv, int i, long otherwise)
{
	return argc > i ? atol(argv[i]) : otherwise;
}

/* Whether the file of an argument is there: a script holds a program until it removes its file. */
static inline bool is_held(int argc, char **argv, int i)
{
	return argc > i && access(argv[i], F_OK) == 0;
}

/* Runs FUNCTION in COUNT threads and waits for them. */
static inline void in_threads(int count, void *(*function)(void *), void *arg)
{
	pthread_t *threads = (pthread_t *)calloc((size_t)count, sizeof(*threads));

	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, function, arg) != 0)
			abort();
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

/* Waits for a child; aborts when it did not end with status 0. */
static inline void child_reap(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			abort();
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		fprintf(stderr, "child %d ended with status %#x\n", (int)child, status);
		abort();
	}
}

#endif
