/* SPDX-License-Identifier: Apache-2.0 */
/* A handler emits a zone and a message, 10,000 times a second: handler SIGNALS. */
#include "emit.h"

#include <time.h>

static volatile long handled;

static void on_timer(int signal)
{
	TACHO_ZONE("handler");

	TACHO_MESSAGEF("signal %d number %ld", signal, handled);
	handled++;
}

int main(int argc, char **argv)
{
	long wanted = number_argument(argc, argv, 1, 5000), zones = 0, messages = 0;
	struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF};
	struct itimerspec often = {{0, 100000}, {0, 100000}}, never = {{0, 0}, {0, 0}};
	static char text[3000];
	timer_t timer;

	memset(text, 't', sizeof(text));
	sigaction(SIGPROF, &action, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) < 0)
		abort();
	timer_settime(timer, 0, &often, NULL);
	while (handled < wanted) {
		emit_zones(100);
		tacho_message(text, sizeof(text), TACHO_INFO, 0);
		zones += 100;
		messages++;
	}
	timer_settime(timer, 0, &never, NULL);
	text_emit(zones + handled, messages + handled);
	return 0;
}
