/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of the kernel's perf rings. The kernel writes them, but the sampled program controls
 * names, registers and stack bytes, so every length is checked here, once.
 */
#ifndef SAMPLE_RECORD_H
#define SAMPLE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers in the order of the mask RECORD_REGS: AX BX CX DX SI DI BP SP IP FLAGS CS SS R8-R15. */
#define RECORD_REGS      0xff0fffull
#define RECORD_REG_COUNT 20

enum record_kind {
	RECORD_OTHER, /* of no interest */
	RECORD_SAMPLE,
	RECORD_MMAP,
	RECORD_COMM,
	RECORD_FORK,
	RECORD_EXIT,
	RECORD_SWITCH,
	RECORD_LOST,
	RECORD_THROTTLE,
};

/* Pointers are into the record. */
struct record {
	enum record_kind kind;
	uint32_t pid, tid;
	uint64_t time; /* CLOCK_MONOTONIC_RAW, nanoseconds */
	uint32_t cpu;
	/* SAMPLE */
	uint64_t event; /* id of the sampling event */
	uint64_t ip, period;
	const uint8_t *regs; /* RECORD_REG_COUNT words, unaligned; NULL: none, or of 32 bits */
	bool narrow;         /* a 32-bit program */
	const uint8_t *stack;
	size_t stack_size, stack_asked;
	/* MMAP */
	uint64_t start, length, page_offset, inode;
	uint32_t major, minor;
	bool executable;
	/* MMAP, COMM: terminated inside the record */
	const char *name;
	bool exec; /* COMM: by exec */
	/* FORK, EXIT: pid and tid are the child's */
	uint32_t parent_pid, parent_tid;
	/* SWITCH */
	bool out, preempted;
	/* LOST */
	uint64_t lost;
};

/* Size of the record at BYTES by its header, 0: incomplete header or invalid size. */
size_t record_size(const uint8_t *bytes, size_t len);

/* Decodes one complete record; false: invalid. */
bool record_decode(const uint8_t *bytes, size_t len, struct record *r);

#endif
