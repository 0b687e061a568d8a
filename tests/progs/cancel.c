/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads are cancelled while they emit, deferred and asynchronously, also in their very first
 * event and in a message that takes long: cancel ROUNDS. Counts what is sure; more may be there.
 */
#include "emit.h"

/* The address sanitizer reports the stack of a thread cancelled in mid-function as overrun. */
#ifdef __SANITIZE_ADDRESS__
#define ASYNCHRONOUS PTHREAD_CANCEL_DEFERRED
#else
#define ASYNCHRONOUS PTHREAD_CANCEL_ASYNCHRONOUS
#endif

static void *thread_run(void *arg)
{
	static char text[5000];

	pthread_setcanceltype(arg ? ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED, NULL);
	memset(text, 'x', sizeof(text));
	for (;;) {
		emit_zones(10);
		tacho_message(text, sizeof(text), TACHO_INFO, 0);
		if (!arg || ASYNCHRONOUS == PTHREAD_CANCEL_DEFERRED)
			pthread_testcancel();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long rounds = number_argument(argc, argv, 1, 200);

	for (long i = 0; i < rounds; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, thread_run, (void *)(i % 2)) != 0)
			abort();
		usleep((unsigned)(i % 7) * 20);
		pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
	emit_zones(1000);
	text_emit(1000, 0);
	return 0;
}
