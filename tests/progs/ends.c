/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All ways to end while four threads are in zones: ends WAY, one of return, exit, _exit, abort,
 * kill, segv, quick, thread_exit (exit from another thread), main_exit (pthread_exit of main).
 */
#include "emit.h"

#define THREADS 4
#define ZONES   20000

static const char *way;
static pthread_barrier_t all_emitted;

static void process_end(void)
{
	if (!strcmp(way, "exit") || !strcmp(way, "thread_exit"))
		exit(0);
	if (!strcmp(way, "_exit"))
		_exit(0);
	if (!strcmp(way, "abort"))
		abort();
	if (!strcmp(way, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(way, "segv"))
		raise(SIGSEGV);
	if (!strcmp(way, "quick"))
		quick_exit(0);
}

static void *zone_run(void *arg)
{
	TACHO_ZONE("still open at the end");

	emit_zones(ZONES);
	if (pthread_barrier_wait(&all_emitted) == PTHREAD_BARRIER_SERIAL_THREAD &&
	    !strcmp(way, "thread_exit"))
		process_end();
	if (strcmp(way, "main_exit") != 0)
		for (;;)
			pause();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	way = argc > 1 ? argv[1] : "return";
	pthread_barrier_init(&all_emitted, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread, NULL, zone_run, NULL);
	text_emit(THREADS * (ZONES + 1), 0);
	pthread_barrier_wait(&all_emitted);
	if (!strcmp(way, "thread_exit"))
		for (;;)
			pause();
	if (!strcmp(way, "main_exit"))
		pthread_exit(NULL);
	process_end();
	return 0;
}
