/* SPDX-License-Identifier: Apache-2.0 */
/* The text that the model learns, as ids of its symbols. */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>
#include <stdint.h>

struct text {
	uint8_t *ids;
	size_t length;
	unsigned symbols;
	char symbol[256]; /* by id */
	uint64_t random;  /* of the batches */
};

/* PATH NULL: sentences of a small grammar. Ends the program with a line if it fails. */
void text_open(struct text *t, const char *path, uint64_t seed);
void text_free(struct text *t);
/* BATCH random pieces of LENGTH ids, and for each id the one that follows it. */
void text_batch(struct text *t, uint32_t batch, uint32_t length, uint32_t *ids, uint32_t *targets);

#endif
