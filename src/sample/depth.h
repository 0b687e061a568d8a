/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far RSP is below RBP at an instruction of a function that uses RBP as its frame pointer, by
 * the function's machine code. It restores RBP where only RSP is known.
 */
#ifndef SAMPLE_DEPTH_H
#define SAMPLE_DEPTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEPTH_CODE_MOST 65536u /* larger functions are not examined */

struct depth {
	uint32_t least; /* RBP - RSP, in bytes */
	uint32_t slack; /* the function aligned its stack: it can be up to this much more */
};

/*
 * CODE is all instructions of the function, LEN at most DEPTH_CODE_MOST bytes. AT is the offset of
 * the instruction, or if CALLED the offset after its call instruction. False: the depth is not a
 * constant (alloca(), large frames that are probed in a loop), or the code is not understood.
 */
bool depth_find(const uint8_t *code, size_t len, size_t at, bool called, struct depth *depth);

#endif
