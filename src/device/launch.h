/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: run programs on the cores (launch.c, dispatch.c), name them as ops (op.c), replay them
 * (replay.c).
 */
#ifndef DEVICE_LAUNCH_H
#define DEVICE_LAUNCH_H

#include "device/device.h"

#include <tacho/tacho.h>

/* A program of a trace, and its op at the time of capture. */
struct traced {
	struct tacho_program *program;
	uint32_t op;
};

/* A list of programs. */
struct tacho_trace {
	struct tacho_device *device;
	uint32_t number;
	uint32_t replays;   /* in this recording */
	uint32_t recording; /* the recording that has its ops; 0: none */
	struct {
		VEC(struct op_record);
	} ops; /* their descriptions, for recordings that start later */
	VEC(struct traced);
};

/* ---- dispatch.c ---- */
/* Reserves a row of the grid when dispatch cores are profiled. */
int dispatch_reserve(struct tacho_device *d);
bool dispatch_has(const struct tacho_device *d, unsigned core);
int dispatch_build(struct tacho_device *d);
const struct binary *dispatch_firmware(const struct tacho_device *d, unsigned core, unsigned risc);
/* The dispatch core hands a worker its launch message ... */
int dispatch_stage(struct tacho_device *d, unsigned core, const uint8_t *message);
/* ... and has one of its own. */
int dispatch_go(struct tacho_device *d, uint32_t op, uint8_t *message);

/* ---- launch.c ---- */
int device_wait(struct tacho_device *d);
int core_write(struct tacho_device *d, unsigned core, uint32_t address, const void *data,
	       size_t len);

/* Loads a kernel's text into L1 of a core, unless it is already there. */
int launch_text(struct tacho_device *d, unsigned core, unsigned risc, const struct binary *b);

/* Starts a program on the cores, as op number OP (0: none). */
int launch_program(struct tacho_device *d, struct tacho_program *p, uint32_t op);

/* ---- op.c ---- */
/* The number of an op in logs and on tracks: 0 stays 0. */
uint64_t op_id(const struct tacho_device *d, uint32_t base);
/* Enclose the start of a program: its own op, or that of its group. */
struct op_run {
	struct tacho_zone zone;
	uint32_t base; /* 0: none */
	bool grouped;
};
struct op_run op_run_begin(struct tacho_device *d, const struct tacho_program *p);
void op_run_end(struct tacho_device *d, struct tacho_program *p, struct op_run run);
/* The name of an op, "" when it was not stored. */
const char *op_name(const struct tacho_device *d, uint32_t base);
/* The base number of the process's last op. */
uint32_t op_last(void);
bool op_in_group(const struct tacho_device *d);
/* The device is being closed, in whatever state. */
void op_forget(struct tacho_device *d);

/* ---- replay.c ---- */
int replay_take(struct tacho_device *d, struct tacho_program *p, uint32_t op);
/* Adds an op to the trace, for recordings that start later. */
void replay_keep(struct tacho_trace *t, struct op_record *call);
/* Finds the replay of a run that recorded op OP and replay counter COUNTER; false: none. */
bool replay_find(const struct tacho_device *d, uint32_t op, uint32_t counter,
		 struct device_replay *replayed);

#endif
