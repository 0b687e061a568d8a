/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: the clock of a device against the host's: asked for all through a run, both ways, with a
 * bound.
 *
 * An exchange reads the device's wall clock over the bus: t1, read, t2. The device answered between
 * the two; so the point is their middle, and half of their distance is the most by which it can be
 * wrong. Of several the shortest is kept. Nothing of the device has to help: the clock is a
 * register that the bus reaches, whatever its cores do, and whatever firmware they run.
 *
 * Points are joined by lines (clock/device.h). When they are close, their errors would make crooked
 * lines of straight ones: then a point follows the line that points further apart have shown, as
 * far as its own exchange allows.
 *
 * docs/device.md tells what host time means for a software device, which does not run by itself.
 */
#ifndef DEVICE_SYNC_H
#define DEVICE_SYNC_H

#include "base/buf.h"
#include "clock/device.h"

#include <stdbool.h>

struct tacho_device;

/* Between BEFORE and AFTER, ticks of the host's clock, the device showed CYCLES. */
struct sync_exchange {
	uint64_t before, after, cycles;
};

/* ---- sync.c: points out of exchanges; knows no device ---- */
struct sync {
	double nominal, rate; /* ticks per cycle, ticks per second */
	uint64_t settle;      /* cycles: points that are further apart stand for themselves */
	bool known;
	struct device_point last;  /* what was given last */
	struct sync_exchange base; /* the slope is measured from here */
	double slope;              /* ticks per cycle */
};

void sync_init(struct sync *s, uint32_t mhz, double rate);
/* The next point. False: the device's clock went back, and all begins anew with this one. */
bool sync_take(struct sync *s, const struct sync_exchange *e, struct device_point *point);
/* What the device shows at a tick, by the last point and the slope. */
uint64_t sync_cycles(const struct sync *s, uint64_t ticks);

/* ---- sync_device.c ---- */
struct device_sync {
	struct sync line;          /* in the host's clock of the device */
	struct device_clock clock; /* points in ticks of this machine, as they were recorded */
	uint64_t shift;            /* the difference of the two */
	unsigned core;             /* whose wall clock is asked */
	int64_t *offsets;          /* per core: cycles that its clock is ahead of that one */
	uint64_t asked;            /* host's clock at the last exchange */
	uint32_t told;             /* the recording that has the points, */
	size_t told_points;        /* and how many of them */
};

#define SYNC_EXCHANGES 4
/* The shortest of COUNT exchanges with one core. */
int sync_exchange(struct tacho_device *d, unsigned core, unsigned count,
		  struct sync_exchange *best);
uint64_t sync_host_ticks(const struct tacho_device *d);

int sync_open(struct tacho_device *d);
bool sync_is_open(const struct tacho_device *d);
void sync_close(struct tacho_device *d);
/* A program is about to start: device time goes on from this moment. */
void sync_begin(struct tacho_device *d);
/* Exchanges, a point. All that the device recorded before is behind it. */
void sync_now(struct tacho_device *d);
/* The last exchange is long ago. */
bool sync_is_due(const struct tacho_device *d);
/* Tick of this machine at which CORE's clock showed CYCLES. */
uint64_t sync_ticks(const struct tacho_device *d, unsigned core, uint64_t cycles);
/* 64 bits of CORE's clock at the last exchange. */
uint64_t sync_last(const struct tacho_device *d, unsigned core);
/* Nothing earlier than the last exchange will be asked for. */
void sync_trim(struct tacho_device *d);

/*
 * ---- sync_classic.c: one way, as sync_device_info.csv has it ----
 *
 * A kernel waits for a word; the host writes its time to it, 249 times with 10 ms between them; the
 * kernel keeps its own clock beside each. A straight line through all of them. Only for those who
 * read that file: it costs 2.5 s, knows nothing of what happens later, and takes the time of the
 * way for an error of the clock.
 */
#define SYNC_SAMPLES      249
#define SYNC_CLASSIC_FILE "sync_device_info.csv"

struct sync_sample {
	uint64_t device;   /* cycles */
	uint64_t host;     /* ticks since host_start, when the store was done */
	uint64_t overhead; /* ticks that the store took */
};

struct sync_classic {
	uint64_t host_start; /* ticks */
	double delay;        /* cycles at host_start */
	double frequency;    /* cycles per ns */
	VEC(struct sync_sample);
};

/* 249 more samples, and the line through all so far. */
int sync_classic_run(struct tacho_device *d, struct sync_classic *c);
void sync_classic_fit(struct sync_classic *c, double rate);
void sync_classic_free(struct sync_classic *c);
/* The lines of the last run. */
void sync_classic_rows(const struct tacho_device *d, const struct sync_classic *c, struct buf *out);
extern const char sync_classic_header[];

#endif
