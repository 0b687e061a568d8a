/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Emits a little of everything for some seconds: several threads, a child, zones that are open for
 * long and get a text before they end, a core of a device: lively [SECONDS [FILE]]. It does not end
 * as long as FILE is there.
 */
#include "emit.h"

#include <tacho/cores.h>

static long rounds;

static void worker_round(long i)
{
	TACHO_ZONE("step");
	TACHO_ZONE_VALUE((uint64_t)i);
	for (int k = 0; k < 3; k++) {
		TACHO_ZONE("part");
		usleep(500);
	}
}

/* One long zone, whose text is attached at its end. */
static void *thread_work(void *arg)
{
	(void)arg;
	TACHO_ZONE("worker");
	for (long i = 0; i < rounds; i++) {
		TACHO_PLOT("rounds", i);
		worker_round(i);
	}
	TACHO_ZONE_TEXT("said at the end", 15);
	return NULL;
}

/* Zones of a core that come in the order of time, one of them open for long. */
static void core_work(uint32_t outer, uint32_t inner)
{
	uint64_t id = tacho_core_id(0, 1, 2, 0);

	tacho_core_name(id, "Device 0, core 1,2/BRISC", 0);
	tacho_core_begin(id, outer, tacho_ticks(), 0);
	for (long i = 0; i < rounds; i++) {
		tacho_core_begin(id, inner, tacho_ticks(), 0);
		usleep(2000);
		tacho_core_end(id, inner, tacho_ticks());
	}
	tacho_core_end(id, outer, tacho_ticks());
}

int main(int argc, char **argv)
{
	uint32_t outer = tacho_srcloc_make("FIRMWARE", "", "k.c", 1, 0);
	uint32_t inner = tacho_srcloc_make("KERNEL", "", "k.c", 2, 0);
	pid_t child;

	rounds = number_argument(argc, argv, 1, 2) * 400;
	child = fork();
	if (child == 0) {
		thread_work(NULL);
		text_emit(1 + 4 * rounds, 0);
		_exit(0);
	}
	in_threads(2, thread_work, NULL);
	core_work(outer, inner);
	child_reap(child);
	while (is_held(argc, argv, 2))
		usleep(2000);
	text_emit(2 * (1 + 4 * rounds) + 1 + rounds, 0);
	return 0;
}
