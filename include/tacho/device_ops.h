/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that a device must have to be used through tacho/device.h: a memory image with a
 * little control. The software device implements them, and so do simulators with the interface of
 * libttsim.so and, in tests, recorded memory dumps; hardware can.
 *
 *	static const struct tacho_device_ops my_ops = {.close = my_close, .shape = my_shape, ...};
 *
 *	tacho_device_open_with(&device, &my_ops, my_device, NULL);
 *
 * Required: close, shape, core, bank, read, write, dram_read, dram_write, run, cycles, risc, fault.
 * The library compiles firmware and kernels and loads them into L1 of the cores by write(); it
 * reads recorded data from L1 and DRAM by read() and dram_read() between calls of run().
 *
 * All functions get the SELF pointer that the device was created with. They return 0 or a negative
 * value. Cores are numbered from 0 in the order of their NoC coordinates, x first.
 */
#ifndef TACHO_DEVICE_OPS_H
#define TACHO_DEVICE_OPS_H

#include <tacho/device.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tacho_device_shape {
	const char *arch;
	unsigned columns, rows, cores; /* the grid of Tensix cores; all cores, Ethernet too */
	unsigned dram_banks;
	uint64_t dram_bank_size;
	uint32_t dram_alignment;
	uint32_t l1_size;
	uint32_t local_size[5]; /* data RAM per RISC */
	uint32_t mailbox;       /* L1 address of the mailboxes */
	uint32_t niu_stride, packet_bytes;
	uint32_t mhz;
	double dram_gbs; /* peak of all banks, GB/s */
	int modelled;    /* its cycles are computed, not measured */
};

struct tacho_device_core {
	int ethernet;
	uint8_t x, y; /* NoC 0 */
	uint8_t logical_x, logical_y;
	uint8_t riscs;
	uint32_t l1_size;
};

struct tacho_device_bank {
	uint8_t x, y;
	uint64_t offset; /* added to addresses */
};

enum tacho_device_stop { TACHO_STOP_IDLE, TACHO_STOP_LIMIT, TACHO_STOP_FAULT };

/* Where a RISC is, or why it stopped. */
struct tacho_device_risc {
	int running, waiting, stopped; /* none: in reset */
	const char *reason; /* stopped: why, with the address that is meant, else NULL; good
			       until the next call of this thread */
	unsigned core, risc;
	uint32_t pc, word,
		address; /* instruction, and the address of the access or of the word waited for */
	uint64_t cycle;
	uint32_t x[32];
};

struct tacho_device_ops {
	void (*close)(void *self);
	void (*shape)(void *self, struct tacho_device_shape *shape);
	int (*core)(void *self, unsigned core, struct tacho_device_core *info);
	void (*bank)(void *self, unsigned bank, struct tacho_device_bank *info);
	/* L1, or one register word. */
	int (*read)(void *self, unsigned core, uint32_t address, void *data, size_t len);
	int (*write)(void *self, unsigned core, uint32_t address, const void *data, size_t len);
	int (*dram_read)(void *self, unsigned bank, uint64_t address, void *data, size_t len);
	int (*dram_write)(void *self, unsigned bank, uint64_t address, const void *data,
			  size_t len);
	/* Runs the device for at most CYCLES. */
	enum tacho_device_stop (*run)(void *self, uint64_t cycles);
	uint64_t (*cycles)(void *self);
	/* The state of a RISC; and the first fault, which is then cleared (1: there is one). */
	int (*risc)(void *self, unsigned core, unsigned risc, struct tacho_device_risc *info);
	int (*fault)(void *self, struct tacho_device_risc *info);
	/*
	 * To compare clocks; all may be NULL: then read(), write() and the machine's counter are
	 * used. Access a word of L1 or a register over the host's bus, with the host's clock before
	 * and after: the device answered a read somewhere between the two.
	 */
	int (*timed_read)(void *self, unsigned core, uint32_t address, uint32_t *word,
			  uint64_t *before, uint64_t *after);
	int (*timed_write)(void *self, unsigned core, uint32_t address, uint32_t word,
			   uint64_t *before, uint64_t *after);
	/*
	 * The host's clock of those two, in ticks of the machine's counter per second. For a device
	 * whose time advances only while it runs, this clock does the same.
	 */
	uint64_t (*host_ticks)(void *self);
	/* The host waits. NULL: it sleeps. */
	void (*pause)(void *self, uint64_t ns);
	/* Connects two Ethernet cores of two devices of this kind. NULL when there are no links. */
	int (*link)(void *self, unsigned core, void *other, unsigned other_core);
	/* From now on a RISC waits for CYCLES before each read (KIND 0), write (1) or atomic (2) on
	 * the NoC. NULL when the device cannot do that. */
	void (*delay)(void *self, unsigned core, unsigned risc, unsigned kind, uint32_t cycles);
	/*
	 * From now on a stack of a RISC that grows below END is a fault. NULL if the device cannot
	 * detect it.
	 */
	void (*stack_end)(void *self, unsigned core, unsigned risc, uint32_t end);
};

/*
 * Opens a device of any implementation. SELF is closed with it, also when this fails. OPTIONS may
 * be NULL; those that choose an implementation are ignored.
 */
TACHO_DEVICE_API int tacho_device_open_with(struct tacho_device **device,
					    const struct tacho_device_ops *ops, void *self,
					    const struct tacho_device_options *options);

#ifdef __cplusplus
}
#endif
#endif
