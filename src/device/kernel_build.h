/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels and firmware to ELF files, with a cache: build.c, source.c, cache.c. */
#ifndef DEVICE_KERNEL_BUILD_H
#define DEVICE_KERNEL_BUILD_H

#include "device/device.h"
#include "tensix/elf.h"

/* A kernel or firmware, built. Kept by the device until it is closed; shared by content. */
struct binary {
	uint64_t key;
	char *path;
	char *source; /* as the user gave it; firmware: NULL */
	uint8_t *bytes;
	size_t size;
	struct elf_image elf;
	uint8_t *text; /* image to be put at .load */
	uint32_t load, text_size;
	uint32_t zones_from, zones; /* numbers of its zones */
	struct binary *next;
};

/* What is compiled: one source for one RISC. */
struct build {
	const char *source;
	unsigned risc; /* 0 to 4 */
	bool firmware, ethernet;
	bool builtin;                 /* a kernel of ours, beside the firmware */
	const char *const *defines;   /* "NAME=VALUE", NULL at the end */
	const char *const *includes;  /* folders, NULL at the end; may be NULL */
	const char *prologue;         /* text before the kernel; may be NULL */
	const char *text;             /* the kernel itself: SOURCE is only its name; may be NULL */
	const struct binary *symbols; /* of the firmware, for kernels */
};

/* ---- build.c ---- */
/* A whole file; a 0 follows its bytes. The caller frees them. */
int device_read_file(const char *path, uint8_t **bytes, size_t *size);
/* Finds it in memory, in the cache, or compiles it. */
int build_binary(struct tacho_device *d, const struct build *build, const struct binary **out);
/* The error of a set-user-id program: it neither compiles nor loads anything. */
int build_refuse(void);
void binary_free(struct binary *b);
/* Path of a source of our own, NAME below firmware/src. */
int build_own_source(const char *name, char *path, size_t size);
/* FNV-1a of bytes, from BUILD_HASH or what came before them. */
#define BUILD_HASH 0xcbf29ce484222325ull
uint64_t build_hash(uint64_t h, const void *bytes, size_t len);

/* ---- source.c: what the compiler reads ---- */
bool source_is_cpp(const char *path);
/* FIRMWARE: the folder; PATH: the kernel's, when B has no text. */
int source_text(struct buf *out, const struct build *b, const char *firmware, const char *path);

/* ---- cache.c: the folder of compiled kernels ---- */
int kernels_folder(char *path, size_t size);
int kernels_writable(const char *folder);
/* The files of one are used; one was added, so others may have to go: once per device. */
void kernels_used(const char *elf, const char *deps);
void kernels_trim(struct tacho_device *d, const char *folder);

#endif
