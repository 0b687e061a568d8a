/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Emits every kind of event that the host has, in threads that come and go: many_kinds FILE. It
 * goes on as long as FILE is there.
 */
#include "emit.h"

static struct tacho_lock lock = TACHO_LOCK_INIT("queue");
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *thread_work(void *arg)
{
	static const char blocks[4];
	const char *block = &blocks[*(long *)arg % 4];

	for (int i = 0; i < 20; i++) {
		emit_zones(20);
		tacho_lock_event(&lock, TACHO_LOCK_WAIT);
		pthread_mutex_lock(&mutex);
		tacho_lock_event(&lock, TACHO_LOCK_OBTAIN);
		TACHO_PLOT("length", i);
		tacho_alloc("heap", block, (size_t)i + 1);
		usleep(500);
		tacho_free("heap", block);
		tacho_lock_event(&lock, TACHO_LOCK_RELEASE);
		pthread_mutex_unlock(&mutex);
	}
	TACHO_MESSAGEF("round %ld", *(long *)arg);
	return NULL;
}

int main(int argc, char **argv)
{
	long rounds = 0;

	do {
		tacho_frame("round");
		TACHO_MESSAGE("`TT_SIGNPOST: round`");
		in_threads(2, thread_work, &rounds);
		rounds++;
	} while (is_held(argc, argv, 1));
	tacho_frame("round");
	text_emit(2 * 400 * rounds, 3 * rounds);
	return 0;
}
