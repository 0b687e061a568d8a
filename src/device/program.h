/* SPDX-License-Identifier: Apache-2.0 */
/* A program: its parts (program.c), its cores (ranges.c), its circular buffers (cbs.c). */
#ifndef DEVICE_PROGRAM_H
#define DEVICE_PROGRAM_H

#include "device/device.h"

/* ---- program.c ---- */
struct program_args {
	unsigned core;
	VEC(uint32_t);
};

/* A set of cores: ranges that may overlap. */
struct core_set {
	VEC(struct tacho_core_range);
};

struct program_kernel {
	char *source;
	enum tacho_risc risc;
	enum tacho_fidelity fidelity;
	enum tacho_noc noc;
	struct core_set cores;
	char **defines;        /* NULL-terminated */
	char **includes;       /* likewise */
	char *prologue, *text; /* may be NULL */
	struct {
		VEC(struct program_args);
	} args;
	struct program_args common;
	const struct binary *binary[DEVICE_RISCS]; /* by RISC; NULL where it does not run */
};

struct program_cb {
	struct tacho_cb conf; /* its ranges are not stored */
	struct core_set cores;
	uint32_t address;
};

struct program_sem {
	struct core_set cores;
	unsigned number;
	uint32_t value;
};

struct tacho_program {
	struct tacho_device *device;
	struct {
		VEC(struct program_kernel);
	} kernels;
	struct {
		VEC(struct program_cb);
	} cbs;
	struct {
		VEC(struct program_sem);
	} sems;
	bool compiled;
	struct program_op op;
};

/* ---- ranges.c ---- */
/* Checks and copies COUNT ranges, or the single one when RANGES is NULL. */
int core_set_make(struct core_set *set, const struct tacho_device *d, bool ethernet,
		  const struct tacho_core_range *ranges, unsigned count,
		  const struct tacho_core_range *one);
bool core_set_has(const struct core_set *set, unsigned x, unsigned y);
/* True if they share a core. FIRST (may be NULL) gets one. */
bool core_set_meets(const struct core_set *a, const struct core_set *b, struct tacho_core *first);

/* ---- cbs.c ---- */
/* Circular buffers must not overlap L1 buffers that were allocated after them. */
int cbs_check(const struct tacho_program *p);
void cbs_free(struct tacho_program *p);

#endif
