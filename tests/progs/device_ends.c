/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a kernel on a device and ends in one of many ways, all of them without closing it.
 * device_ends KERNEL HOW [unfinished|KERNEL] */
#include <tacho/device.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Nobody frees them: they are no leak as long as somebody knows them. */
struct tacho_program *programs[2];

static void *end_here(void *context)
{
	(void)context;
	exit(0);
}

static void end_in_handler(int signal)
{
	(void)signal;
	exit(0);
}

static void end_note(int signal)
{
	(void)signal;
}

static void process_end(const char *how)
{
	pthread_t thread;

	if (!strcmp(how, "exit"))
		exit(0);
	if (!strcmp(how, "quick_exit"))
		quick_exit(0);
	if (!strcmp(how, "_exit"))
		_exit(0);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	if (!strcmp(how, "pthread_exit"))
		pthread_exit(NULL);
	if (!strcmp(how, "thread") && pthread_create(&thread, NULL, end_here, NULL) == 0)
		pthread_join(thread, NULL);
	if (!strcmp(how, "fork")) {
		if (fork() == 0)
			exit(0);
		wait(NULL);
	}
}

static int kernel_run(struct tacho_device *d, const char *kernel, int finish)
{
	static unsigned count;
	const uint32_t args[] = {1, 0x40000};
	struct tacho_program *p;
	int k;

	if (tacho_program_new(&p, d) < 0)
		return -1;
	programs[count++ % 2] = p;
	k = tacho_program_kernel(p, &(struct tacho_kernel){.source = kernel, .risc = TACHO_BRISC});
	if (k < 0 || tacho_program_args(p, k, (struct tacho_core){0, 0}, args, 2) < 0 ||
	    tacho_enqueue(d, p) < 0)
		return -1;
	return finish ? tacho_finish(d) : 0;
}

int main(int argc, char **argv)
{
	struct tacho_device *d;

	if (argc < 3)
		return 2;
	signal(SIGUSR1, end_in_handler);
	if (tacho_device_open(&d, NULL) < 0 ||
	    kernel_run(d, argv[1], argc == 3 || strcmp(argv[3], "unfinished") != 0) < 0) {
		fprintf(stderr, "%s\n", tacho_device_error());
		return 1;
	}
	/* SIGINT is handled, and still ends the wait; the program continues. */
	if (!strcmp(argv[2], "break") && argc > 3) {
		signal(SIGINT, end_note);
		tacho_device_interruptible(1);
		if (kernel_run(d, argv[3], 1) == 0)
			return 1;
		printf("%s\n", tacho_device_error());
		return signal(SIGINT, SIG_DFL) == end_note ? 5 : 1;
	}
	/* The signal comes while the second program runs, which does not end by itself. */
	if (!strcmp(argv[2], "handler") && argc > 3)
		kernel_run(d, argv[3], 1);
	process_end(argv[2]);
	return 0;
}
