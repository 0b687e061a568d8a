/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ELF files for the device's RISCs: 32-bit, little-endian, RISC-V, executable. An image points into
 * the bytes that were parsed, which must outlive it; nothing in them is trusted.
 */
#ifndef TENSIX_ELF_H
#define TENSIX_ELF_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_segment {
	uint32_t address; /* link address */
	uint32_t load;    /* load address (physical) */
	uint32_t file_size, size;
	uint32_t flags; /* 1 = executable, 2 = writable */
	const uint8_t *bytes;
};

struct elf_symbol {
	uint32_t address, size;
	const char *name; /* NUL-terminated in the file */
};

#define ELF_SEGMENTS 16

struct elf_image {
	uint32_t entry;
	struct elf_segment segment[ELF_SEGMENTS];
	unsigned segments;
	struct elf_symbol *symbols; /* functions and objects, sorted by address */
	size_t nsymbols;
	const uint8_t *bytes;
	size_t size;
	uint32_t shoff, shnum, shstrndx;
};

/* 0, TACHO_EFORMAT or TACHO_EDAMAGED. Call elf_free() afterwards. */
int elf_parse(struct elf_image *elf, const void *bytes, size_t size, struct tacho_error *err);
void elf_free(struct elf_image *elf);

/* The symbol that contains ADDRESS, or NULL. */
const struct elf_symbol *elf_symbol_at(const struct elf_image *elf, uint32_t address);
const struct elf_symbol *elf_symbol_named(const struct elf_image *elf, const char *name);

/* A section's bytes; false when no section has this name. */
bool elf_section(const struct elf_image *elf, const char *name, const uint8_t **bytes,
		 uint32_t *size);

#endif
