/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests whose name ends in _nomem, which are linked with the allocator's functions wrapped: the
 * allocation that COUNTDOWN comes to 0 at fails.
 */
#ifndef TESTS_NOMEM_H
#define TESTS_NOMEM_H

#include <stdbool.h>
#include <stddef.h>

static long countdown = -1; /* < 0: none fails */

static bool call_fails(void)
{
	return countdown >= 0 && countdown-- == 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_reallocarray(void *p, size_t n, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_reallocarray(void *p, size_t n, size_t size);

void *__wrap_malloc(size_t size)
{
	return call_fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return call_fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return call_fails() ? NULL : __real_realloc(p, size);
}

void *__wrap_reallocarray(void *p, size_t n, size_t size)
{
	return call_fails() ? NULL : __real_reallocarray(p, n, size);
}

#endif
