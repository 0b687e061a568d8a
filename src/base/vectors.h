/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops over arrays take half as long with vectors of 32 bytes, which not every processor has: a
 * function with this in front is compiled for both, and the right one is chosen when the program
 * is loaded.
 */
#ifndef BASE_VECTORS_H
#define BASE_VECTORS_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
	!defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FOR_WIDE_VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define FOR_WIDE_VECTORS
#endif

#endif
