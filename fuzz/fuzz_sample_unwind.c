/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The input is an ELF file, and the stack and the registers of a program that runs it: unwinding
 * ends, within its bounds.
 */
#include "sample/depth.h"
#include "sample/unwind.h"

#include <stdlib.h>
#include <string.h>

struct bytes {
	const uint8_t *data;
	size_t size;
};

/* The program's code is the file, from the start of its mapping on. */
static bool code_bytes(void *context, uint64_t address, void *to, size_t len)
{
	const struct bytes *b = context;
	uint64_t at = address - 0x1000;

	if (at > b->size || len > b->size - at)
		return false;
	memcpy(to, b->data + at, len);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct stack_frame frames[LIMIT_STACK_FRAMES];
	static uint64_t pcs[LIMIT_STACK_FRAMES];
	static struct unwind_cache *cache;
	struct bytes code = {data, size};
	struct unwind_input in = {.stack = data, .size = size, .context = &code};
	struct space space = {.pid = 1};
	struct mapping map = {0x1000, 0x1000 + 65536, 0, NULL};
	struct modules modules;
	struct depth depth;
	unsigned count;
	bool added;

	if (!cache)
		cache = unwind_cache_new();
	if (modules_init(&modules) < 0)
		abort();
	map.module = modules_get(&modules, MODULE_FILE, "/fuzz", 1, 1, &added);
	module_load_bytes(map.module, data, size);
	space_map(&space, &map);
	for (size_t at = 0; at + sizeof(in.regs) <= size && at < 1024; at += 64) {
		memcpy(in.regs, data + at, sizeof(in.regs));
		in.regs[CFI_RA] = 0x1000 + in.regs[CFI_RA] % 65536;
		in.known = (uint32_t)at | 1u << CFI_RA | 1u << CFI_RSP;
		in.code = at & 64 ? code_bytes : NULL;
		if (unwind(cache, &space, &in, frames, pcs, &count) >= STACK_ENDS ||
		    count > LIMIT_STACK_FRAMES)
			abort();
	}
	/* Any bytes as code, at any place in it. */
	if (size && size <= DEPTH_CODE_MOST)
		depth_find(data, size, data[0] % size, data[size - 1] & 1, &depth);
	space_clear(&space);
	modules_free(&modules);
	unwind_cache_free(cache);
	cache = NULL;
	return 0;
}
