/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules: sources of code. A file that a program has mapped, the vdso, memory that a JIT compiler
 * has filled, Python. An address of a stack is (module, offset): for files the offset is the file's
 * own address, so it is valid for any process and machine.
 */
#ifndef SAMPLE_MODULE_H
#define SAMPLE_MODULE_H

#include "base/limits.h"
#include "base/map.h"
#include "base/vec.h"
#include "cfi/cfi.h"

#include <sys/types.h>

/* Numbers of the file format: column b of TRACE_ROW_MODULE. */
enum module_kind {
	MODULE_SPECIAL, /* offset: enum stack_end; always module 0 */
	MODULE_FILE,
	MODULE_VDSO,
	MODULE_MEMORY, /* anonymous memory of one process, or a file that could not be read */
	MODULE_PYTHON, /* offset: a number per function and line */
};

#define MODULE_BUILD_ID 64 /* hexadecimal digits that are stored */

struct elf_segment {
	uint64_t offset, address, size;
};

struct module {
	uint32_t id;
	enum module_kind kind;
	char *path;
	char build_id[MODULE_BUILD_ID + 1];
	bool tried;     /* opening the file was tried */
	bool readable;  /* and the fields below are valid */
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
	struct map by_key; /* hash of device, inode, path to id; chained on collision */
	struct {
		VEC(uint32_t);
	} next; /* with the same hash; 0: none */
};

int modules_init(struct modules *m);
void modules_free(struct modules *m);

/* The module of a mapped file, created if new. NULL: no memory, or too many. *ADDED: it is new. */
struct module *modules_get(struct modules *m, enum module_kind kind, const char *path,
			   uint64_t device, uint64_t inode, bool *added);

/*
 * Reads the data for unwinding, once. PID is a process that has it mapped: its mount namespace may
 * differ. A file that is missing or not the mapped one is not read.
 */
void module_load(struct module *m, pid_t pid);

struct module_symbol {
	uint64_t address, size; /* 0: not found */
};
/* Looks up names in the file's dynamic symbols. False: the file cannot be read. */
bool module_find_symbols(const struct module *m, pid_t pid, const char *const *names,
			 struct module_symbol *found, size_t count);

/* The file's own address of the byte at OFFSET. False: nothing is loaded from there. */
bool module_address(const struct module *m, uint64_t offset, uint64_t *address);

/* For tests and fuzzing: the same from memory. */
bool module_load_bytes(struct module *m, const uint8_t *bytes, size_t size);

#endif
