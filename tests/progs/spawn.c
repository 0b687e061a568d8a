/* SPDX-License-Identifier: Apache-2.0 */
/* vfork and posix_spawn in a loop while other threads emit: spawn ROUNDS. */
#include "emit.h"

#include <spawn.h>

extern char **environ;

static volatile int stop;
static long background;

static void *module_load(void *arg)
{
	long n = 0;

	(void)arg;
	while (!stop) {
		emit_zones(100);
		n += 100;
	}
	__atomic_add_fetch(&background, n, __ATOMIC_RELAXED);
	return NULL;
}

static pid_t spawn_vfork(void)
{
	pid_t child = vfork();

	if (child == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(127);
	}
	return child;
}

static pid_t spawn_posix(void)
{
	char *argv[] = {"true", NULL};
	pid_t child;

	if (posix_spawn(&child, "/bin/true", NULL, NULL, argv, environ) != 0)
		abort();
	return child;
}

int main(int argc, char **argv)
{
	long rounds = number_argument(argc, argv, 1, 50);
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, module_load, NULL);
	for (long i = 0; i < rounds; i++) {
		TACHO_ZONE("spawn");
		child_reap(i % 2 ? spawn_vfork() : spawn_posix());
		usleep(500);
	}
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	text_emit(background + rounds, 0);
	return 0;
}
