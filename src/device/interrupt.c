/*
 * Signals that would end the program while it waits for a device. Those that the program has left
 * alone (SIG_DFL) are noted for as long as somebody waits; then the waiting thread takes what the
 * cores have recorded so far, writes the logs, and lets the signal do what it does. At all other
 * times, and for signals that the program handles itself, nothing is changed.
 */
#include "device/device.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
#define CAUGHT (sizeof(caught) / sizeof(caught[0]))

static volatile sig_atomic_t noted; /* the first that came, 0: none */
static volatile pid_t owner;        /* who waits: a child that was forked meanwhile does not */

/* Of the count, and of the handlers that are set while it is not 0. Taken alone, with all signals
 * blocked: a handler of the program's may end it, and then devices are waited for. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned waiting;

static void take(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, before);
	pthread_mutex_lock(&lock);
}

static void give(const sigset_t *before)
{
	pthread_mutex_unlock(&lock);
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Who asks twice does not want to wait for what is written. */
static void on_signal(int number)
{
	if (noted || owner != getpid()) {
		signal(number, SIG_DFL);
		raise(number);
	}
	noted = number;
}

static bool is_handled_by(int number, void (*handler)(int))
{
	struct sigaction now;

	return sigaction(number, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
	       now.sa_handler == handler;
}

static void replace(void (*old)(int), void (*new)(int))
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = new;
	action.sa_flags = SA_RESTART;
	for (size_t i = 0; i < CAUGHT; i++)
		if (is_handled_by(caught[i], old))
			sigaction(caught[i], &action, NULL);
}

void interrupt_begin(void)
{
	sigset_t before;

	take(&before);
	if (owner != getpid()) {
		owner = getpid();
		waiting = 0;
		noted = 0;
	}
	if (waiting++ == 0)
		replace(SIG_DFL, on_signal);
	give(&before);
}

int interrupt_noted(void)
{
	return noted;
}

const char *interrupt_name(void)
{
	return noted == SIGINT ? "SIGINT" : noted == SIGTERM ? "SIGTERM" : "SIGHUP";
}

/* How many wait, one less if LEAVES; the last one takes the handlers away and gets the signal. */
static unsigned count(bool leaves, int *number)
{
	unsigned left;
	sigset_t before;

	take(&before);
	if (leaves && --waiting == 0) {
		replace(on_signal, SIG_DFL);
		*number = noted;
		noted = 0;
	}
	left = waiting;
	give(&before);
	return left;
}

void interrupt_end(void)
{
	int number = 0;

	/* Devices that nobody waits for are settled by the last one. */
	if (noted && count(false, NULL) == 1)
		guard_leave();
	if (count(true, &number) == 0 && number)
		kill(getpid(), number);
}
