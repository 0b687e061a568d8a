/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules: where code comes from. A file that a program has mapped, the vdso, memory that a JIT
 * compiler has filled, Python. An address of a stack is (module, offset): of files the offset is
 * the address that the file itself has for it, so it holds whatever the process and the machine.
 */
#ifndef SAMPLE_MODULE_H
#define SAMPLE_MODULE_H

#include "base/limits.h"
#include "base/map.h"
#include "base/vec.h"
#include "sample/cfi.h"

#include <sys/types.h>

/* Numbers of the file format: column b of TRACE_ROW_MODULE. */
enum module_kind {
	MODULE_SPECIAL, /* offset: enum stack_end; always module 0 */
	MODULE_FILE,
	MODULE_VDSO,
	MODULE_MEMORY, /* anonymous memory of one process, or a file that could not be read */
	MODULE_PYTHON, /* offset: a number per function and line */
};

#define MODULE_BUILD_ID 64 /* hexadecimal digits that are kept */

struct elf_segment {
	uint64_t offset, address, size;
};

struct module {
	uint32_t id;
	enum module_kind kind;
	char *path;
	char build_id[MODULE_BUILD_ID + 1];
	bool tried;     /* the file was opened, or could not be */
	bool readable;  /* and what is below is right */
	bool announced; /* the trace has it */
	uint64_t device, inode;
	uint64_t entry; /* address of the first instruction of a program */
	struct elf_segment segments[LIMIT_ELF_SEGMENTS];
	unsigned segment_count;
	struct cfi_file cfi;
	uint8_t *header, *frame; /* what cfi points to */
};

struct modules {
	struct {
		VEC(struct module *);
	} list;            /* by id */
	struct map by_key; /* hash of device, inode, path to id; unequal ones go on from there */
	struct {
		VEC(uint32_t);
	} next; /* with the same hash; 0: none */
};

int modules_init(struct modules *m);
void modules_free(struct modules *m);

/*
 * The module of a mapped file; made when it is new. NULL: no memory, or there are too many. *ADDED:
 * it is new.
 */
struct module *modules_get(struct modules *m, enum module_kind kind, const char *path,
			   uint64_t device, uint64_t inode, bool *added);

/*
 * Reads what unwinding needs, once. PID is a process that has it mapped: its mount namespace may be
 * another one. A file that is not the one that was mapped, or is none, is not read.
 */
void module_load(struct module *m, pid_t pid);

struct module_symbol {
	uint64_t address, size; /* 0: not found */
};
/* Looks names up in the file's dynamic symbols. False: the file cannot be read. */
bool module_find_symbols(const struct module *m, pid_t pid, const char *const *names,
			 struct module_symbol *found, size_t count);

/* The address that the file has for the byte at OFFSET of it. False: nothing is loaded from there.
 */
bool module_address(const struct module *m, uint64_t offset, uint64_t *address);

/* For tests and fuzzing: the same out of memory. */
bool module_load_bytes(struct module *m, const uint8_t *bytes, size_t size);

#endif
