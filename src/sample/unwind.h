/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwinding: from registers and a copy of the top of a stack to the chain of return addresses, by
 * the rules of .eh_frame. Data outside the copy is not guessed: the stack is marked incomplete.
 */
#ifndef SAMPLE_UNWIND_H
#define SAMPLE_UNWIND_H

#include "sample/space.h"

/* How a stack ends. Numbers of the file format: offsets of module 0, the root of such stacks. */
enum stack_end {
	STACK_WHOLE,    /* at the function that the kernel started */
	STACK_CUT,      /* it continues beyond the copied bytes */
	STACK_DEEP,     /* it has more frames than are stored */
	STACK_NO_MAP,   /* an address that is in no known code */
	STACK_NO_ROW,   /* code without unwinding rules or a usable frame pointer */
	STACK_BROKEN,   /* the rules lead nowhere: damaged stack or wrong rules */
	STACK_UNWINDER, /* inside the C++ run-time's own switch of stacks */
	STACK_NONE,     /* no registers: a 32-bit program, or a thread that is ending */
	STACK_LIMIT,    /* the trace has reached its limit of stacks */
	STACK_NO_FRAME, /* a waiting thread in a function whose code does not show its frame's size
			 */
	STACK_ENDS
};
extern const char *const stack_end_names[STACK_ENDS];

struct stack_frame {
	struct module *module;
	uint64_t address; /* of the module; for callers, inside the call instruction */
	bool guessed;     /* found by a frame pointer in code without rules */
};

struct unwind_input {
	uint64_t regs[CFI_REGS]; /* DWARF's numbers; CFI_RA: the instruction pointer */
	uint32_t known;          /* bit per register */
	const uint8_t *stack;    /* bytes from regs[CFI_RSP] on */
	size_t size;
	/*
	 * Reads code of the program, for callers that do not know RBP: the code shows how far it is
	 * from RSP (depth.h). NULL: RBP is known.
	 */
	bool (*code)(void *context, uint64_t address, void *to, size_t len);
	void *context;
};

/* Cached rules of addresses, shared by all processes. */
struct unwind_cache;
struct unwind_cache *unwind_cache_new(void);
void unwind_cache_free(struct unwind_cache *cache);

/*
 * Fills FRAMES, innermost first, and PCS with their addresses in the process; at most
 * LIMIT_STACK_FRAMES, *COUNT is their number. Reads the files of modules that it meets for the
 * first time.
 */
enum stack_end unwind(struct unwind_cache *cache, const struct space *space,
		      const struct unwind_input *input, struct stack_frame *frames, uint64_t *pcs,
		      unsigned *count);

#endif
