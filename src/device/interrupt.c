/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals that would end the program while it waits for a device. Signals with the default action
 * (SIG_DFL) are deferred while any thread waits; then the waiting thread drains the cores, writes
 * the logs and raises the signal again. At all other times, and for signals that the program
 * handles itself, nothing changes, with one exception: if the program asked for it
 * (tacho_device_interruptible), our SIGINT handler calls the program's handler, and the wait ends.
 */
#include "device/device.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
#define CAUGHT (sizeof(caught) / sizeof(caught[0]))

static volatile sig_atomic_t noted; /* the first that arrived, 0: none */
static volatile pid_t owner;        /* the waiting process: not a child forked meanwhile */

/*
 * Protects the count and the handlers that are installed while it is not 0. Held alone, with all
 * signals blocked: a handler of the program may call exit(), which waits for devices.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned waiting;
static bool chained;             /* on_handled() is installed and calls HANDLED */
static struct sigaction handled; /* the program's action for SIGINT */

static volatile sig_atomic_t broken_off;
static volatile int interruptible;

static void interrupt_take(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, before);
	pthread_mutex_lock(&lock);
}

static void interrupt_give(const sigset_t *before)
{
	pthread_mutex_unlock(&lock);
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* A second signal means: do not wait for the logs. */
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

static void interrupt_replace(void (*old)(int), void (*new)(int))
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = new;
	action.sa_flags = SA_RESTART;
	for (size_t i = 0; i < CAUGHT; i++)
		if (is_handled_by(caught[i], old))
			sigaction(caught[i], &action, NULL);
}

static void on_handled(int number, siginfo_t *info, void *context)
{
	if (owner == getpid())
		broken_off = 1;
	if (handled.sa_flags & SA_SIGINFO)
		handled.sa_sigaction(number, info, context);
	else
		handled.sa_handler(number);
}

static bool is_chained(const struct sigaction *now)
{
	return now->sa_flags & SA_SIGINFO && now->sa_sigaction == on_handled;
}

static void interrupt_chain(void)
{
	struct sigaction now, action;

	if (sigaction(SIGINT, NULL, &now) < 0 || is_chained(&now))
		return; /* still set in a child that was forked meanwhile */
	if (!(now.sa_flags & SA_SIGINFO) &&
	    (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN || now.sa_handler == on_signal))
		return;
	handled = action = now;
	action.sa_sigaction = on_handled;
	action.sa_flags |= SA_SIGINFO;
	chained = sigaction(SIGINT, &action, NULL) == 0;
}

void tacho_device_interruptible(int on)
{
	interruptible = on;
}

bool interrupt_broken_off(void)
{
	return broken_off;
}

void interrupt_begin(void)
{
	sigset_t before;

	interrupt_take(&before);
	if (owner != getpid()) {
		owner = getpid();
		waiting = 0;
		noted = 0;
	}
	if (waiting++ == 0) {
		broken_off = 0;
		interrupt_replace(SIG_DFL, on_signal);
	}
	if (interruptible && !chained)
		interrupt_chain();
	interrupt_give(&before);
}

int interrupt_noted(void)
{
	return noted;
}

const char *interrupt_name(void)
{
	return noted == SIGINT ? "SIGINT" : noted == SIGTERM ? "SIGTERM" : "SIGHUP";
}

/*
 * The number of waiters, one less if LEAVES; the last one removes the handlers and gets the signal.
 */
static unsigned interrupt_count(bool leaves, int *number)
{
	unsigned left;
	sigset_t before;

	interrupt_take(&before);
	if (leaves && --waiting == 0) {
		struct sigaction now;

		interrupt_replace(on_signal, SIG_DFL);
		broken_off = 0;
		if (chained && sigaction(SIGINT, NULL, &now) == 0 && is_chained(&now))
			sigaction(SIGINT, &handled, NULL);
		chained = false;
		*number = noted;
		noted = 0;
	}
	left = waiting;
	interrupt_give(&before);
	return left;
}

void interrupt_end(void)
{
	int number = 0;

	/* The last waiter settles the devices that no thread waits for. */
	if (noted && interrupt_count(false, NULL) == 1)
		guard_leave();
	if (interrupt_count(true, &number) == 0 && number)
		kill(getpid(), number);
}
