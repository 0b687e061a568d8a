/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Emits with pauses, inside a zone that is open all the time: steady [SECONDS [FILE]]. It goes on
 * as long as FILE is there; "begun" is said when there is something to see.
 */
#include "emit.h"

static long rounds, messages;

static void thread_work(int argc, char **argv)
{
	long wanted = number_argument(argc, argv, 1, 2) * 500;

	TACHO_ZONE("all the time");
	while (rounds < wanted || is_held(argc, argv, 2)) {
		emit_zones(10);
		if (rounds++ % 50 == 0) {
			TACHO_MESSAGE("fifty more");
			messages++;
		}
		if (rounds == 50 && write(1, "begun\n", 6) != 6)
			abort();
		usleep(2000);
	}
}

int main(int argc, char **argv)
{
	thread_work(argc, argv);
	text_emit(10 * rounds + 1, messages);
	return 0;
}
