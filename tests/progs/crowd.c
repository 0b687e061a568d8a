/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Emits events of many different fibers, names, plots and so on: crowd KIND COUNT [ROUNDS]. Each of
 * COUNT things is used once per round. With KIND "all" every kind gets COUNT things.
 */
#include "emit.h"

#include <tacho/cores.h>

static long zones, rows;

static void emit_fiber(long i)
{
	char name[32];

	snprintf(name, sizeof(name), "fiber %ld", i);
	tacho_fiber_enter(name);
	{
		TACHO_ZONE("in a fiber");
	}
	tacho_fiber_leave();
	zones++;
}

static void emit_zone(long i)
{
	char name[32];

	snprintf(name, sizeof(name), "zone %ld", i);
	{
		TACHO_ZONE_RUNTIME(name);
	}
	zones++;
}

static void emit_plot(long i)
{
	char name[32];

	snprintf(name, sizeof(name), "plot %ld", i);
	tacho_plot_int(name, i);
	rows++;
}

static void emit_pool(long i)
{
	char name[32];

	snprintf(name, sizeof(name), "pool %ld", i);
	tacho_alloc(name, (void *)(uintptr_t)(i * 16 + 16), 16);
	tacho_free(name, (void *)(uintptr_t)(i * 16 + 16));
	rows += 2;
}

static void emit_frame(long i)
{
	char name[32];

	snprintf(name, sizeof(name), "frames %ld", i);
	tacho_frame_start(name);
	tacho_frame_stop(name);
	rows++;
}

static void emit_lock(long i)
{
	static struct tacho_lock *locks;
	static const struct tacho_lock none = TACHO_LOCK_INIT("lock");
	static long known;

	if (i >= known) {
		locks = realloc(locks, (size_t)(i + 1) * sizeof(*locks));
		if (!locks)
			abort();
		locks[i] = none;
		known = i + 1;
	}
	tacho_lock_event(&locks[i], TACHO_LOCK_WAIT);
	tacho_lock_event(&locks[i], TACHO_LOCK_OBTAIN);
	tacho_lock_event(&locks[i], TACHO_LOCK_RELEASE);
	rows += 3;
}

static void emit_core(long i)
{
	uint64_t core =
		tacho_core_id((unsigned)(i >> 16), (unsigned)i >> 8 & 0xff, (unsigned)i & 0xff, 0);
	uint32_t kernel = tacho_srcloc_make("KERNEL", "", "kernel.c", 1, 0);
	uint64_t now = tacho_ticks();

	tacho_core_begin(core, kernel, now, 0);
	tacho_core_end(core, kernel, now + 1);
	zones++;
}

static void *thread_zone(void *arg)
{
	(void)arg;
	TACHO_ZONE("in a thread");
	return NULL;
}

static void emit_thread(long i)
{
	(void)i;
	in_threads(1, thread_zone, NULL);
	zones++;
}

static void emit_process(long i)
{
	pid_t child = fork();

	(void)i;
	if (child < 0)
		abort();
	if (child == 0) {
		thread_zone(NULL);
		_exit(0);
	}
	child_reap(child);
	zones++;
}

static const struct kind {
	const char *name;
	void (*emit)(long i);
	bool alone; /* not part of "all" */
} kinds[] = {
	{"fibers", emit_fiber, false},     {"zones", emit_zone, false},
	{"plots", emit_plot, false},       {"pools", emit_pool, false},
	{"frames", emit_frame, false},     {"locks", emit_lock, false},
	{"cores", emit_core, false},       {"threads", emit_thread, true},
	{"processes", emit_process, true},
};

int main(int argc, char **argv)
{
	const char *wanted = argc > 1 ? argv[1] : "all";
	long count = number_argument(argc, argv, 2, 100),
	     rounds = number_argument(argc, argv, 3, 1);

	for (long round = 0; round < rounds; round++)
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
			if (strcmp(wanted, "all") ? strcmp(wanted, kinds[k].name) : kinds[k].alone)
				continue;
			for (long i = 0; i < count; i++)
				kinds[k].emit(i);
		}
	text_emit(zones, rows);
	return 0;
}
