/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of libtacho_device: it runs in the user's program. Reading order: open.c (a device and
 * its firmware), buffer.c, program.c (the parts of a program), build.c (compiles kernels to ELF
 * files, with a cache), launch.c (runs a program on the cores), report.c (explains failures).
 */
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "clock/device.h"
#include "device/op.h"
#include "device/zone_names.h"

#include <tacho/device.h>
#include <tacho/device_ops.h>
#include <tacho/tacho.h>

#include <stdbool.h>
#include <sys/types.h>

#define DEVICE_RISCS 5
#define DEVICES_MAX  1024u /* per process: an op id has no room for more */

struct binary;
struct prof;
struct tacho_program;

/* Set the error of the calling thread. Both return CODE. */
struct tacho_error *device_error(void);
int device_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same with a text of any length. */
int device_fail_text(int code, const char *text);

struct device_core {
	struct tacho_device_core info;
	const struct binary *loaded[DEVICE_RISCS]; /* kernels in its L1 */
	uint32_t enables;                          /* bits of the RISCs that have a kernel */
	bool busy;                                 /* a program runs on it */
	const struct tacho_program *program;       /* the last one */
};

/* Replay number k of a device, at index k - 1. */
struct device_replay {
	uint32_t trace, replay; /* both from 1 */
};

struct range_free {
	uint64_t address, size;
};

struct tacho_device {
	const struct tacho_device_ops *ops;
	void *self;
	unsigned number;
	struct tacho_device *mesh_next; /* linked devices, a ring */
	struct tacho_device_shape shape;
	struct tacho_device_options options;
	struct device_core *cores;
	unsigned workers; /* Tensix cores */
	const struct binary *firmware[DEVICE_RISCS], *ethernet_firmware;
	int dispatch_core; /* starts the others; -1: the host does */
	unsigned dispatch_staged;
	const struct binary *dispatch_fw[2], *dispatch_kernel[2];
	struct binary *binaries;
	struct map warned; /* hashes of compiler output */
	uint32_t next_zone;
	struct zone_names names; /* of zones without a number of ours */
	uint32_t l1_top;         /* L1 below is free for circular buffers */
	struct {
		VEC(struct range_free);
	} space[2]; /* free ranges per bank, by enum tacho_memory */
	uint32_t next_trace;
	struct tacho_trace *capture; /* programs are captured, not run */
	struct {
		VEC(struct device_replay);
	} replayed;
	struct map traced;      /* base number of an op to the trace that holds it */
	struct op_group *group; /* runs belong to it; may be NULL */
	struct {
		VEC(char *);
	} op_names; /* for file names; index + 1 by hash and op: */
	struct map names_by_hash, names_by_op;
	struct map known; /* hashes of ops that ran to the recording that has them, or 0 */
	uint32_t last_op;
	uint32_t described;           /* the recording that has this device's description */
	struct device_point reported; /* the last one sent to a recording */
	bool numbered;
	unsigned lock; /* guard.c */
	unsigned held; /* nested calls of one thread */
	pid_t pid;     /* pid of the process that opened it; 0: not open yet */
	bool hashed;   /* zones are numbered by hash */
	bool trimmed;  /* the kernel cache */
	bool running;
	uint32_t running_op;    /* 0: none */
	volatile bool stepping; /* this thread is in ops->run(), not in one of its handlers */
	bool broken;            /* after a fault: it can only be closed */
	unsigned profile;       /* PROFILE_KERNEL */
	struct prof *prof;      /* NULL: off */
	struct dprint *dprint;  /* NULL: kernels do not print */
};

/* ---- open.c ---- */
/* Number of the core at logical coordinates, or an error. */
int device_core_at(const struct tacho_device *d, bool ethernet, unsigned x, unsigned y);

/* jal x0: the instruction at address 0 of L1. */
uint32_t core_jump(uint32_t offset);

/* Waits for running programs and flushes all recorded data. The device stays open. */
void device_settle(struct tacho_device *d);

/* ---- guard.c ---- */
/* Locks the device for this thread until the end of the block. */
#define DEVICE_HOLD(d)                                                                      \
	struct tacho_device *device_held __attribute__((cleanup(device_release), unused)) = \
		device_hold(d)
struct tacho_device *device_hold(const struct tacho_device *d);
void device_release(struct tacho_device **held);
/* Calls LINK with both devices locked: from then on they share one lock. */
int guard_link(struct tacho_device *a, struct tacho_device *b, int (*link)(void *), void *context);
/* The device has its number; it is open, so exit() must settle it; it is about to be freed. */
void guard_init(struct tacho_device *d);
void guard_open(struct tacho_device *d);
void guard_close(struct tacho_device *d);
/* Settles all devices: the process is about to end. */
void guard_leave(void);

/* ---- interrupt.c ---- */
/*
 * Enclose a wait for a device: signals that would end the program are deferred. The last thread to
 * leave delivers the signal.
 */
void interrupt_begin(void);
void interrupt_end(void);
/* The signal that arrived since, 0: none; and its name. */
int interrupt_noted(void);
const char *interrupt_name(void);
/* The program's own SIGINT handler ran since, and it is to end waits. */
bool interrupt_broken_off(void);

/* ---- number.c ---- */
/* Assigns the device a number for as long as it is open. */
int number_take(struct tacho_device *d);
/*
 * Advances the clock over the time the device was closed, so that the line through a recording's
 * clock points has no kink.
 */
void number_go_on(struct tacho_device *d);
void number_give(struct tacho_device *d);

/* ---- describe.c ---- */
/* Describes the device to the recording, once. */
void device_describe(struct tacho_device *d);
/* Writes a message for reports: this many markers of a RISC's run of OP cannot be trusted. */
void device_report_damaged(const struct tacho_device *d, unsigned core, unsigned risc, uint32_t op,
			   uint64_t markers);
/* Writes a message that a RISC's area in DRAM, with WORDS used, had no room for all its markers. */
void device_report_full(const struct tacho_device *d, unsigned core, unsigned risc, uint32_t words);
/* Warns on standard error when the device is closed: the messages may not have been recorded. */
void device_warn_losses(const struct tacho_device *d);

/* ---- env.c ---- */
/* The number in an environment variable; OTHERWISE when it is unset or not a number. */
unsigned env_number(const char *name, unsigned otherwise);
/* Warns about the value of variable NAME, once per process. */
void env_warn(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Warns, once, of unknown profiler variables. */
void env_check(void);

/* ---- backend.c ---- */
int backend_tensix(const struct tacho_device_ops **ops, void **self,
		   const struct tacho_device_options *options, unsigned number);
/* ---- ttsim.c ---- */
/* A simulator in a library, $TT_METAL_SIMULATOR or PATH. */
int backend_ttsim(const struct tacho_device_ops **ops, void **self, const char *path,
		  const struct tacho_device_options *options);
/* ---- backend.c ---- */
/* The software device's cores and banks, for backends with the same layout. */
void backend_shape(void *tensix, struct tacho_device_shape *shape);
int backend_core(void *tensix, unsigned core, struct tacho_device_core *info);
void backend_bank(void *tensix, unsigned bank, struct tacho_device_bank *info);
/* Ticks of this machine's counter per second; measured once. */
double backend_tick_rate(void);

#endif
