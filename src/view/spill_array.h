/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: a growable array that moves to an unnamed file when it gets large, so that the kernel
 * can write it out: caches of a long trace do not stay in memory.
 *	struct { SPILL(int); } a = {0};
 *	if (spill_push(&a, 3) < 0) return TACHO_ENOMEM;
 *	spill_free(&a);
 */
#ifndef VIEW_SPILL_ARRAY_H
#define VIEW_SPILL_ARRAY_H

#include "base/err.h"

#include <stddef.h>
#include <stdio.h>

#define SPILL_FROM  ((size_t)256 << 10) /* bytes */
#define SPILL_FILES 256u                /* at most; other arrays stay in memory */

struct spill {
	void *data;
	size_t room; /* bytes */
	FILE *file;  /* NULL: data is in memory */
};

#define SPILL(type) \
	type *v;    \
	size_t n;   \
	struct spill store

#define spill_push(a, item)                                             \
	(((a)->n + 1) * sizeof(*(a)->v) > (a)->store.room &&            \
			 spill_grow(&(a)->store, (void **)&(a)->v,      \
				    ((a)->n + 1) * sizeof(*(a)->v)) < 0 \
		 ? TACHO_ENOMEM                                         \
		 : ((a)->v[(a)->n++] = (item), 0))

/* Makes room for BYTES in all; *V is where they are. */
int spill_grow(struct spill *s, void **v, size_t bytes);
/* Bytes in memory: none of those in a file. */
size_t spill_memory(const struct spill *s);
/* Recently used pages need not stay in memory. */
void spill_rest(const struct spill *s);
void spill_close(struct spill *s);

#define spill_free(a)                     \
	do {                              \
		spill_close(&(a)->store); \
		(a)->v = NULL;            \
		(a)->n = 0;               \
	} while (0)

#endif
