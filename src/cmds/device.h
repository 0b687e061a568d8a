/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the parts of "tacho device". */
#ifndef CMDS_DEVICE_H
#define CMDS_DEVICE_H

#include "base/opt.h"
#include "base/table.h"

#include <tacho/device.h>

struct device_conf {
	const char *arch, *cores, *kernel;
	int64_t size, runs, max_cycles, lines, seed, op_support_count;
	int risc, format;
	struct opt_list defines, includes, compile_args, args;
	/* boot */
	const char *zone_log;
	struct opt_list set, show, dram;
	bool go, trace;
};

/* A device with one kernel on it. */
struct device_job {
	struct tacho_device *device;
	struct tacho_program *program;
	struct tacho_core_range cores;
	struct tacho_error err; /* when .own */
	bool own;               /* the error is not from the device */
};

/* "X,Y" or "X,Y-X,Y" into first and last. */
int device_cores_parse(const char *text, uint16_t v[4], struct tacho_error *err);
/* Returns 0 or a failure, which device_job_close() reports. */
int device_job_open(struct device_job *job, const struct device_conf *c, bool profile);
/* Frees everything; prints the error if RESULT is one. Returns the exit code. */
int device_job_close(struct device_job *job, int result);

struct elf_image;
/* Reads and parses an ELF file, which refers to BYTES; the caller frees BYTES. */
int device_elf(const char *path, struct elf_image *elf, uint8_t **bytes, struct tacho_error *err);

int device_disasm(const struct device_conf *c);
int device_trace(const struct device_conf *c, const struct table_style *style);
int device_boot(const struct device_conf *c, const struct table_style *style, char **files, int n);

struct tensix;
/* Prints the registers that programs used but the model lacks, if any. */
int device_print_unknown(struct tensix *t, const struct table_style *style);

#endif
