/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits in functions with frame pointers, above frames of calls that have returned: in the unused
 * buffer of wait_with_buffer() is a whole frame of stale_inner(), which returned to stale_caller()
 * by a call through a pointer. Only the size of the real frame shows that it is stale.
 */
#include <alloca.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noinline, noclone))
#endif
#define KEEP __asm__ volatile("" ::: "memory")

static volatile int sink;

APART static void stale_leaf(int n)
{
	sink += n;
	KEEP;
}

APART static void stale_inner(int n)
{
	stale_leaf(n);
	KEEP;
}

static void (*volatile stale_pointer)(int) = stale_inner;

APART static void stale_caller(void)
{
	char bytes[64];

	__asm__ volatile("" ::"r"(bytes) : "memory");
	stale_pointer(1);
	KEEP;
}

/* What earlier calls left would end a search before it finds the frame of stale_inner(). */
APART static void stack_clear(void)
{
	char bytes[16384];

	memset(bytes, 0, sizeof(bytes));
	__asm__ volatile("" ::"r"(bytes) : "memory");
	KEEP;
}

/* The buffer is larger than the frames of the calls before, and is not written. */
APART static void wait_with_buffer(void)
{
	char bytes[1024];

	__asm__ volatile("" ::"r"(bytes) : "memory");
	poll(NULL, 0, 30);
	KEEP;
}

/* The frame's size depends on N: the caller is unknown. */
APART static void wait_with_alloca(size_t n)
{
	char *bytes = alloca(n);

	__asm__ volatile("" ::"r"(bytes) : "memory");
	poll(NULL, 0, 30);
	KEEP;
}

APART static void wait_aligned(void)
{
	char bytes[256] __attribute__((aligned(64)));

	__asm__ volatile("" ::"r"(bytes) : "memory");
	poll(NULL, 0, 30);
	KEEP;
}

APART static void waits_caller(void)
{
	stack_clear();
	stale_caller();
	wait_with_buffer();
	stack_clear();
	stale_caller();
	wait_with_alloca((size_t)sink % 8 + 600);
	stack_clear();
	stale_caller();
	wait_aligned();
	KEEP;
}

int main(void)
{
	for (int i = 0; i < 5; i++)
		waits_caller();
	return 0;
}
