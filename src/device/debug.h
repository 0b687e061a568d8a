/* SPDX-License-Identifier: Apache-2.0 */
/* Private: debugging aids that the environment enables: kernel prints and transfer delays. */
#ifndef DEVICE_DEBUG_H
#define DEVICE_DEBUG_H

#include <stdbool.h>

struct tacho_device;

/* A bit per RISC (0 to 4) of each core. */
struct debug_cores {
	unsigned char *riscs; /* per core */
};

/*
 * CORES, the value of VARIABLE: "x,y", "(x,y),(x,y)", "(x,y)-(x,y)", "all", "worker", "dispatch" or
 * "none", logical. RISCS_VARIABLE: "BR", "NC", "TR0", "TR1", "TR2", "ER", separated by +, comma or
 * blank; all when it is not set. The error names the offending variable.
 */
int debug_cores_parse(const struct tacho_device *d, struct debug_cores *out, bool ethernet,
		      const char *variable, const char *cores, const char *riscs_variable);

/* ---- dprint.c ---- */
struct dprint;
int dprint_open(struct tacho_device *d);
/* Prints an unfinished last line as well: no more output will come. */
void dprint_settle(struct tacho_device *d);
void dprint_close(struct tacho_device *d);
/* Returns whether anything was printed, so that a RISC may continue. */
bool dprint_poll(struct tacho_device *d);
/* Before the firmware of a core starts. */
int dprint_start_core(struct tacho_device *d, unsigned core);

/* ---- delay.c ---- */
int delay_configure(struct tacho_device *d);

#endif
