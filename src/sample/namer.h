/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the addresses of one module, using elfutils. Run in a child process: see symbols.h. */
#ifndef SAMPLE_NAMER_H
#define SAMPLE_NAMER_H

#include <stdint.h>

struct name {
	const char *function; /* demangled; "" if unknown */
	const char *file;
	uint32_t line;
	uint32_t inlined; /* 0 = innermost; the last is the function itself */
};

struct namer;
/* NULL: it is unknown, or the file has changed. */
struct namer *namer_open(uint32_t kind, const char *path, const char *build_id);
void namer_close(struct namer *n);

/* Calls FOUND for each function at ADDRESS, inlined ones first. */
void namer_find(struct namer *n, uint64_t address,
		void (*found)(void *context, const struct name *name), void *context);

#endif
