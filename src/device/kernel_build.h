/* SPDX-License-Identifier: Apache-2.0 */
/* Compile kernels and firmware to ELF files, with a cache: build.c, source.c, cache.c. */
#ifndef DEVICE_KERNEL_BUILD_H
#define DEVICE_KERNEL_BUILD_H

#include "device/device.h"
#include "tensix/elf.h"

/* A compiled kernel or firmware. The device owns it until it is closed; shared by content. */
struct binary {
	uint64_t key;
	char *path;
	char *source; /* as the user gave it; firmware: NULL */
	uint8_t *bytes;
	size_t size;
	struct elf_image elf;
	uint8_t *text; /* image to load at .load */
	uint32_t load, text_size;
	uint32_t zones_from, zones; /* numbers of its zones */
	struct binary *next;
};

/* A unit of compilation: one source for one RISC. */
struct build {
	const char *source;
	unsigned risc; /* 0 to 4 */
	bool firmware, ethernet;
	bool builtin;                 /* a kernel of ours, in the firmware folder */
	const char *const *defines;   /* "NAME=VALUE", NULL-terminated */
	const char *const *includes;  /* folders, NULL-terminated; may be NULL */
	const char *prologue;         /* text before the kernel; may be NULL */
	const char *text;             /* the kernel's text: SOURCE is only its name; may be NULL */
	const struct binary *symbols; /* of the firmware, for kernels */
};

/* ---- build.c ---- */
/* Reads a whole file and appends a 0 byte. The caller frees it. */
int device_read_file(const char *path, uint8_t **bytes, size_t *size);
/* Finds the binary in memory or in the cache, or compiles it. */
int build_binary(struct tacho_device *d, const struct build *build, const struct binary **out);
/* Fails in a set-user-id program: it neither compiles nor loads anything. */
int build_refuse(void);
void binary_free(struct binary *b);
/* Path of our own source NAME in firmware/src. */
int build_own_source(const char *name, char *path, size_t size);

/* ---- source.c: the compiler's input ---- */
bool source_is_cpp(const char *path);
/* FIRMWARE: the folder; PATH: the kernel's, when B has no text. */
int source_text(struct buf *out, const struct build *b, const char *firmware, const char *path);

/* ---- cache.c: the folder of compiled kernels ---- */
int kernels_folder(char *path, size_t size);
int kernels_writable(const char *folder);
/* Marks the files of an entry as used; after an entry was added, evicts others, once per device. */
void kernels_used(const char *elf, const char *deps);
void kernels_trim(struct tacho_device *d, const char *folder);

#endif
