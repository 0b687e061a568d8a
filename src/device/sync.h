/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: measures the clock of a device against the host's, throughout a run, both ways, with an
 * error bound.
 *
 * An exchange reads the device's wall clock over the bus: t1, read, t2. The device answered between
 * the two; so the point is their midpoint, and the error is at most half of their distance. Of
 * several exchanges the shortest is used. It needs no help from the device: the clock is a register
 * that the bus reaches, whatever its cores do, and whatever firmware they run.
 *
 * Points are joined by lines (clock/device.h). If points are close together, their errors would
 * bend a straight line: then a point follows the slope of points further apart, as far as its own
 * exchange allows.
 *
 * docs/device.md explains host time for a software device, which does not run by itself.
 */
#ifndef DEVICE_SYNC_H
#define DEVICE_SYNC_H

#include "base/buf.h"
#include "clock/device.h"

#include <stdbool.h>

struct tacho_device;

/* The device showed CYCLES between BEFORE and AFTER, ticks of the host's clock. */
struct sync_exchange {
	uint64_t before, after, cycles;
};

/* ---- sync.c: computes points from exchanges; independent of devices ---- */
struct sync {
	double nominal, rate; /* ticks per cycle, ticks per second */
	uint64_t settle;      /* cycles: points further apart than this are used as they are */
	bool known;
	struct device_point last;  /* the previous point */
	struct sync_exchange base; /* the slope is measured from here */
	double slope;              /* ticks per cycle */
};

void sync_init(struct sync *s, uint32_t mhz, double rate);
/* Computes the next point. False: the device's clock went back, and this is the new first point. */
bool sync_take(struct sync *s, const struct sync_exchange *e, struct device_point *point);
/* The device's clock at a tick, by the last point and the slope. */
uint64_t sync_cycles(const struct sync *s, uint64_t ticks);

/* ---- sync_device.c ---- */
struct device_sync {
	struct sync line;          /* in the host's clock of the device */
	struct device_clock clock; /* points in ticks of this machine, as recorded */
	uint64_t shift;            /* the difference of the two */
	unsigned core;             /* the core whose wall clock is read */
	int64_t *offsets;          /* per core: cycles that its clock is ahead of that one */
	uint64_t asked;            /* host's clock at the last exchange */
	uint32_t reported;         /* the recording that has the points, */
	size_t reported_points;    /* and how many of them */
};

#define SYNC_EXCHANGES 4
/* The shortest of COUNT exchanges with one core. */
int sync_exchange(struct tacho_device *d, unsigned core, unsigned count,
		  struct sync_exchange *best);
uint64_t sync_host_ticks(const struct tacho_device *d);

int sync_open(struct tacho_device *d);
bool sync_is_open(const struct tacho_device *d);
void sync_close(struct tacho_device *d);
/* A program is about to start: device time continues from this moment. */
void sync_begin(struct tacho_device *d);
/* Makes exchanges and adds a point. Everything that the device recorded so far is before it. */
void sync_now(struct tacho_device *d);
/* The last exchange was long ago. */
bool sync_is_due(const struct tacho_device *d);
/* Tick of this machine at which CORE's clock showed CYCLES. */
uint64_t sync_ticks(const struct tacho_device *d, unsigned core, uint64_t cycles);
/* The device's clock, as in clock points, when CORE's showed CYCLES. */
uint64_t sync_cycle(const struct tacho_device *d, unsigned core, uint64_t cycles);
/* 64 bits of CORE's clock at the last exchange. */
uint64_t sync_last(const struct tacho_device *d, unsigned core);
/* No time before the last exchange will be requested. */
void sync_trim(struct tacho_device *d);

/*
 * ---- sync_classic.c: one way, as in sync_device_info.csv ----
 *
 * A kernel waits for a word; the host writes its time to it, 249 times with 10 ms between them; the
 * kernel stores its own clock with each. The result is a straight line through all of them. Only
 * for tools that read that file: it costs 2.5 s, ignores later changes, and mistakes the transfer
 * time for a clock error.
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

/* Takes 249 more samples and fits the line through all so far. */
int sync_classic_run(struct tacho_device *d, struct sync_classic *c);
void sync_classic_fit(struct sync_classic *c, double rate);
void sync_classic_free(struct sync_classic *c);
/* The lines of the last run. */
void sync_classic_rows(const struct tacho_device *d, const struct sync_classic *c, struct buf *out);
extern const char sync_classic_header[];

#endif
