/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that come and go and use the same names, texts and memory: share_names ROUNDS. For a
 * build with -fsanitize=thread, in which a race is one of the program's own: there is none.
 */
#include "emit.h"

#define THREADS 4
#define EVENTS  200

static struct tacho_lock lock = TACHO_LOCK_INIT("lock");

static void emit_all(int i)
{
	char name[32], text[3000];

	snprintf(name, sizeof(name), "name %d", i);
	memset(text, 'a' + i % 26, sizeof(text));
	TACHO_ZONE("outer");
	TACHO_ZONE_TEXT(text, (size_t)i);
	tacho_plot_int(name, i);
	tacho_message(text, sizeof(text), TACHO_INFO, 0);
	TACHO_MESSAGE("a literal");
	tacho_lock_event(&lock, TACHO_LOCK_OBTAIN);
	tacho_fiber_enter(name);
	tacho_fiber_leave();
	TACHO_ZONE_RUNTIME(name);
}

static void *thread_work(void *arg)
{
	(void)arg;
	tacho_thread_name("worker");
	for (int i = 0; i < EVENTS; i++)
		emit_all(i);
	return NULL;
}

int main(int argc, char **argv)
{
	long rounds = number_argument(argc, argv, 1, 10);

	for (long i = 0; i < rounds; i++)
		in_threads(THREADS, thread_work, NULL);
	text_emit(2 * rounds * THREADS * EVENTS, 4 * rounds * THREADS * EVENTS);
	return 0;
}
