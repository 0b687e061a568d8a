/* SPDX-License-Identifier: Apache-2.0 */
/* Private: programs onto the cores and back: launch.c, dispatch.c; the ops that they are: op.c;
 * replays: replay.c. */
#ifndef DEVICE_LAUNCH_H
#define DEVICE_LAUNCH_H

#include "device/device.h"

#include <tacho/tacho.h>

/* A program that is run by a trace, and the op that it was when it was taken down. */
struct traced {
	struct tacho_program *program;
	uint32_t op;
};

/* A list of programs. */
struct tacho_trace {
	struct tacho_device *device;
	uint32_t number;
	uint32_t replays;   /* in this recording */
	uint32_t recording; /* that knows its ops; 0: none */
	struct {
		VEC(char *);
	} ops; /* their messages, for recordings that begin later */
	VEC(struct traced);
};

/* ---- dispatch.c ---- */
/* Takes a row of the grid when dispatch cores are profiled. */
int dispatch_reserve(struct tacho_device *d);
bool dispatch_has(const struct tacho_device *d, unsigned core);
int dispatch_build(struct tacho_device *d);
const struct binary *dispatch_firmware(const struct tacho_device *d, unsigned core, unsigned risc);
/* A worker's launch message is handed to it by the dispatch core ... */
int dispatch_stage(struct tacho_device *d, unsigned core, const uint8_t *message);
/* ... which has one of its own. */
int dispatch_go(struct tacho_device *d, uint32_t op, uint8_t *message);

/* ---- launch.c ---- */
int device_wait(struct tacho_device *d);
int core_write(struct tacho_device *d, unsigned core, uint32_t address, const void *data,
	       size_t len);

/* Puts a kernel's text into L1 of a core, unless it is there. */
int launch_text(struct tacho_device *d, unsigned core, unsigned risc, const struct binary *b);

/* A program onto the cores, as op number OP (0: none). */
int launch_program(struct tacho_device *d, struct tacho_program *p, uint32_t op);

/* ---- op.c ---- */
/* What an op is called in logs and on tracks: 0 stays 0. */
uint64_t op_id(const struct tacho_device *d, uint32_t base);
/* Around the start of a program: the op that it is, or the group's that it belongs to. */
struct op_run {
	struct tacho_zone zone;
	uint32_t base; /* 0: none */
	bool grouped;
};
struct op_run op_run_begin(struct tacho_device *d, const struct tacho_program *p);
void op_run_end(struct tacho_device *d, struct tacho_program *p, struct op_run run);
/* What an op is called, "" when that was not kept. */
const char *op_name(const struct tacho_device *d, uint32_t base);
/* The base number of the last op of the process. */
uint32_t op_last(void);
bool op_in_group(const struct tacho_device *d);
/* The device is closed, in whatever state. */
void op_forget(struct tacho_device *d);

/* ---- replay.c ---- */
int replay_take(struct tacho_device *d, struct tacho_program *p, uint32_t op);
/* An op of the trace, for recordings that begin later. */
void replay_keep(struct tacho_trace *t, const struct op_form *form, const struct op_call *call);
/* Which replay a run was that recorded op OP and replay counter COUNTER; false: none. */
bool replay_find(const struct tacho_device *d, uint32_t op, uint32_t counter,
		 struct device_replay *replayed);

#endif
