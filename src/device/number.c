/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device numbers: the lowest free one, so that a program that closes and reopens its device gets
 * device 0 again. As with hardware, the wall clock and the trace numbers of a device number
 * continue: in logs and recordings its time never goes back. A number always belongs to one kind of
 * device, because a recording describes it once.
 */
#include "device/device.h"

#include <tacho/tacho.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct life {
	bool open;
	char arch[32]; /* "": never used */
	unsigned cores;
	uint64_t cycles;
	struct device_point reported; /* the last of a recording; no ticks: none */
	uint32_t traces;
} lives[DEVICES_MAX];
static pthread_mutex_t lock =
	PTHREAD_MUTEX_INITIALIZER; /* of all the above; never held with another lock */

static bool number_is_valid(const struct life *life, const struct tacho_device *d)
{
	return !life->open && (!life->arch[0] || (!strcmp(life->arch, d->shape.arch) &&
						  life->cores == d->shape.cores));
}

/* All RISCs are idle: advancing time costs nothing. */
static void catch_up(struct tacho_device *d, uint64_t cycles)
{
	uint64_t now = d->ops->cycles(d->self);

	if (cycles > now && d->ops->pause && d->shape.mhz)
		d->ops->pause(d->self, (cycles - now) * 1000 / d->shape.mhz + 1);
}

int number_take(struct tacho_device *d)
{
	struct life life = {0};
	unsigned i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < DEVICES_MAX && !number_is_valid(&lives[i], d); i++)
		;
	if (i < DEVICES_MAX) {
		life = lives[i];
		lives[i].open = true;
		snprintf(lives[i].arch, sizeof(lives[i].arch), "%s", d->shape.arch);
		lives[i].cores = d->shape.cores;
	}
	pthread_mutex_unlock(&lock);
	if (i == DEVICES_MAX)
		return device_fail(TACHO_ELIMIT, "at most %u devices in a process", DEVICES_MAX);
	d->number = i;
	d->numbered = true;
	d->next_trace = life.traces;
	d->reported = life.reported;
	catch_up(d, life.cycles);
	return 0;
}

void number_go_on(struct tacho_device *d)
{
	double per_tick = d->shape.mhz * 1e6 / backend_tick_rate();

	if (d->reported.ticks && tacho_is_recording())
		catch_up(d, d->reported.cycles +
				    (uint64_t)((double)(tacho_ticks() - d->reported.ticks) *
					       per_tick));
}

void number_give(struct tacho_device *d)
{
	if (!d->numbered)
		return;
	pthread_mutex_lock(&lock);
	lives[d->number].open = false;
	lives[d->number].cycles = d->ops->cycles(d->self);
	lives[d->number].traces = d->next_trace;
	lives[d->number].reported = d->reported;
	pthread_mutex_unlock(&lock);
	d->numbered = false;
}
