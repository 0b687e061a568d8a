/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lock devices, and settle them at exit. Each call locks its device; linked devices run together,
 * so they share a lock. If a program ends without closing its devices, exit() drains them and
 * writes their logs.
 */
#include "device/debug.h"
#include "device/prof.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define EXIT_WAIT_S 5 /* for other threads, which may never return */

/*
 * Lock order: a device comes before any other lock of this folder. A thread locks one device at a
 * time, except to link two of them: the link lock comes first. The table has the open devices by
 * number, and the lock of each; its own lock comes last.
 */
static pthread_mutex_t linking = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t locks[DEVICES_MAX];
static struct tacho_device *table[DEVICES_MAX];
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned lock_of(const struct tacho_device *d)
{
	unsigned i;

	pthread_mutex_lock(&table_lock);
	i = d->lock;
	pthread_mutex_unlock(&table_lock);
	return i;
}

struct tacho_device *device_hold(const struct tacho_device *device)
{
	struct tacho_device *d = (struct tacho_device *)device;
	unsigned i = lock_of(d), now;

	/* It may be linked with another device while we wait. */
	for (;; i = now) {
		pthread_mutex_lock(&locks[i]);
		now = lock_of(d);
		if (now == i)
			break;
		pthread_mutex_unlock(&locks[i]);
	}
	d->held++;
	return d;
}

void device_release(struct tacho_device **held)
{
	struct tacho_device *d = *held;

	if (!d)
		return;
	d->held--;
	pthread_mutex_unlock(&locks[lock_of(d)]);
}

/* All devices linked with B get A's lock, which is held; B's lock is released. */
static void guard_share(struct tacho_device *a, struct tacho_device *b)
{
	unsigned from = lock_of(b), to = lock_of(a), times = 0;

	if (from == to)
		return;
	pthread_mutex_lock(&table_lock);
	for (struct tacho_device *m = b->mesh_next;; m = m->mesh_next) {
		m->lock = to;
		times += m->held;
		if (m == b)
			break;
	}
	pthread_mutex_unlock(&table_lock);
	for (; times; times--) {
		pthread_mutex_lock(&locks[to]);
		pthread_mutex_unlock(&locks[from]);
	}
}

int guard_link(struct tacho_device *a, struct tacho_device *b, int (*link)(void *), void *context)
{
	int r;

	pthread_mutex_lock(&linking);
	device_hold(a);
	device_hold(b);
	guard_share(a, b);
	r = link(context);
	device_release(&b);
	device_release(&a);
	pthread_mutex_unlock(&linking);
	return r;
}

/* ---- the end of the process ---- */
static void guard_device_leave(unsigned number)
{
	struct tacho_device *d;
	unsigned lock = 0;
	struct timespec until;

	pthread_mutex_lock(&table_lock);
	d = table[number];
	if (d && d->pid == getpid())
		lock = d->lock;
	else
		d = NULL; /* opened by the parent, not by this child */
	pthread_mutex_unlock(&table_lock);
	if (!d)
		return;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += EXIT_WAIT_S;
	if (pthread_mutex_timedlock(&locks[lock], &until) != 0) {
		fprintf(stderr,
			"tacho: warning: the program ends while another thread uses device %u: its "
			"last zones are not recorded\n",
			number);
		return;
	}
	pthread_mutex_lock(&table_lock);
	d = table[number] == d && d->lock == lock ? d : NULL;
	pthread_mutex_unlock(&table_lock);
	if (d) {
		/*
		 * The thread that ends the process may be inside a device call, if a signal handler
		 * called exit(). Data that was read from the device before can be written, unless
		 * the signal interrupted exactly that.
		 */
		if (!d->held) {
			d->held++;
			device_settle(d);
			d->held--;
		} else if (d->stepping) {
			/* The cores' memory can be read at any time. */
			d->broken = true;
			device_settle(d);
		} else if (d->prof && !d->prof->changing) {
			log_dump(d);
		}
	}
	pthread_mutex_unlock(&locks[lock]);
}

void guard_leave(void)
{
	for (unsigned i = 0; i < DEVICES_MAX; i++)
		guard_device_leave(i);
}

/* ---- opening and closing ---- */
static void guard_exits_register(void)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	for (unsigned i = 0; i < DEVICES_MAX; i++)
		pthread_mutex_init(&locks[i], &attr);
	pthread_mutexattr_destroy(&attr);
	atexit(guard_leave);
	at_quick_exit(guard_leave);
}

void guard_init(struct tacho_device *d)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, guard_exits_register);
	d->lock = d->number;
}

void guard_open(struct tacho_device *d)
{
	pthread_mutex_lock(&table_lock);
	table[d->number] = d;
	d->pid = getpid();
	pthread_mutex_unlock(&table_lock);
}

void guard_close(struct tacho_device *d)
{
	pthread_mutex_lock(&table_lock);
	if (d->numbered && table[d->number] == d)
		table[d->number] = NULL;
	pthread_mutex_unlock(&table_lock);
}
