/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbered events whose last number is known whatever happens to the process: every thread sends
 * the message "PID THREAD NUMBER" inside a zone, and then notes NUMBER in a file that is mapped.
 *
 *	fault_seq [-f FILE] [-t THREADS] [-n COUNT] [-w US] [-k US] [-p US] [-P SIGNAL] [-d US]
 *
 * -n ends each thread after COUNT events (default: never), -w waits between them, -k kills the
 * process with SIGKILL after that time, -p its parent (the recorder) with SIGNAL or SIGKILL, -d
 * goes on for that long after the parent is gone and then ends. Prints the session and its pid.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <tacho/tacho.h>
#include <unistd.h>

#define MAX_THREADS 64

static _Atomic uint64_t *slots;
static uint64_t count = UINT64_MAX;
static unsigned wait_us;
static atomic_bool stop;

static void *thread_work(void *arg)
{
	unsigned self = (unsigned)(uintptr_t)arg;
	char text[64];

	TACHO_ZONE("thread");
	for (uint64_t i = 1; i <= count && !stop; i++) {
		int n = snprintf(text, sizeof(text), "%d %u %llu", (int)getpid(), self,
				 (unsigned long long)i);
		{
			TACHO_ZONE("step");
			tacho_message(text, (size_t)n, 2, 0);
		}
		atomic_store(&slots[self], i);
		if (wait_us)
			usleep(wait_us);
	}
	return NULL;
}

struct killer {
	pid_t pid;
	int number;
	unsigned after, rest;
};

static void *kill_later(void *arg)
{
	struct killer *k = arg;

	usleep(k->after);
	kill(k->pid, k->number);
	if (k->rest) {
		usleep(k->rest);
		stop = true;
	}
	return NULL;
}

static void open_slots(const char *path)
{
	size_t size = MAX_THREADS * sizeof(*slots);
	int fd = path ? open(path, O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
	void *p;

	if (fd >= 0 && ftruncate(fd, (off_t)size) < 0)
		exit(9);
	p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		 fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		exit(9);
	slots = p;
}

int main(int argc, char **argv)
{
	unsigned threads = 1, kill_us = 0, parent_us = 0, rest_us = 0;
	struct killer self = {0}, parent = {0};
	pthread_t t[MAX_THREADS], self_killer, parent_killer;
	const char *file = NULL, *session = getenv("TACHO_SESSION");
	int c, number = SIGKILL;

	while ((c = getopt(argc, argv, "f:t:n:w:k:p:P:d:")) > 0) {
		switch (c) {
		case 'f':
			file = optarg;
			break;
		case 't':
			threads = (unsigned)atoi(optarg);
			break;
		case 'n':
			count = strtoull(optarg, NULL, 10);
			break;
		case 'w':
			wait_us = (unsigned)atoi(optarg);
			break;
		case 'k':
			kill_us = (unsigned)atoi(optarg);
			break;
		case 'p':
			parent_us = (unsigned)atoi(optarg);
			break;
		case 'P':
			number = atoi(optarg);
			break;
		case 'd':
			rest_us = (unsigned)atoi(optarg);
			break;
		default:
			return 9;
		}
	}
	open_slots(file);
	printf("session %s\npid %d\n", session ? session : "-", (int)getpid());
	fflush(stdout);
	self = (struct killer){getpid(), SIGKILL, kill_us, 0};
	parent = (struct killer){getppid(), number, parent_us, rest_us};
	if (kill_us)
		pthread_create(&self_killer, NULL, kill_later, &self);
	if (parent_us)
		pthread_create(&parent_killer, NULL, kill_later, &parent);
	for (unsigned i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, thread_work, (void *)(uintptr_t)i);
	for (unsigned i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	if (parent_us)
		pthread_join(parent_killer, NULL);
	if (kill_us)
		pthread_join(self_killer, NULL);
	return 0;
}
