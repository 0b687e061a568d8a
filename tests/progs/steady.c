/* Emits for some seconds with pauses, inside a zone that is open all the time: steady [SECONDS] */
#include "emit.h"

static long messages;

static void work(long rounds)
{
	TACHO_ZONE("all the time");
	for (long i = 0; i < rounds; i++) {
		emit_zones(10);
		if (i % 50 == 0) {
			TACHO_MESSAGE("fifty more");
			messages++;
		}
		usleep(2000);
	}
}

int main(int argc, char **argv)
{
	long rounds = argument(argc, argv, 1, 2) * 500;

	work(rounds);
	say(10 * rounds + 1, messages);
	return 0;
}
