/* SPDX-License-Identifier: Apache-2.0 */
/* Any words as a kernel profiler's buffer. */
#include "device/prof_decode.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void item_take(void *context, const struct prof_item *item)
{
	uint64_t *sum = context;

	*sum += item->end - item->start + item->id;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t words[4096];
	struct prof_reader reader = {0};
	struct prof_counts counts = {0};
	uint64_t sum = 0;
	size_t n = size / 4 < 4096 ? size / 4 : 4096;

	memcpy(words, data, 4 * n);
	prof_decode(&reader, words, n, &(struct prof_expect){0}, item_take, &sum, &counts);
	memset(&reader, 0, sizeof(reader));
	prof_decode(&reader, words, n,
		    &(struct prof_expect){
			    .zones = 300, .lap = 500, .earliest = 100, .latest = 1u << 20},
		    item_take, &sum, &counts);
	return 0;
}
