// SPDX-License-Identifier: Apache-2.0
/* Call stacks of events, by tacho.h and by Tracy's macros with a depth. */
#define TRACY_ENABLE 1
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <stdexcept>
#include <tacho/tacho.h>
#include <tracy/Tracy.hpp>

#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noipa))
#endif
#define FUNCTION extern "C" APART void

static void *left[16];
static int count;

extern "C" APART void *grab(size_t size)
{
	void *p = calloc(1, size);

	tacho_alloc_stack(nullptr, p, size, TACHO_STACK_MAX);
	return p;
}

FUNCTION give(void *p)
{
	TracyFreeS(p, 4);
	free(p);
}

FUNCTION first()
{
	for (int i = 0; i < 5; i++)
		left[count++] = grab(100);
}

FUNCTION second()
{
	void *pool = calloc(1, 32);

	for (int i = 0; i < 50; i++)
		give(grab(1000));
	left[count++] = grab(7);
	TracyAllocNS(pool, 32, 3, "pool");
	left[count++] = pool;
}

FUNCTION bottom(int n)
{
	if (n) {
		bottom(n - 1);
		__asm__ volatile("");
		return;
	}
	TACHO_ZONE_STACK("bottom");
	TracyMessageS("said", 4, 8);
}

FUNCTION realigned()
{
	alignas(64) volatile char room[64];

	TACHO_ZONE_STACK("realigned");
	__asm__ volatile("" : : "r"(room) : "memory");
}

FUNCTION of_depth()
{
	ZoneScopedNS("of depth", 2);
}

FUNCTION thrower()
{
	throw std::runtime_error("");
}

FUNCTION catcher()
{
	try {
		thrower();
	} catch (const std::runtime_error &) {
		ZoneScopedNS("caught", 10);
	}
}

extern "C" void handler(int)
{
	TACHO_ZONE_STACK("handler");
}

extern "C" int compare(const void *a, const void *b)
{
	TACHO_ZONE_STACK("compare");
	return *(const int *)a - *(const int *)b;
}

extern "C" void *thread(void *)
{
	TACHO_ZONE_STACK("thread");
	return nullptr;
}

int main()
{
	int v[] = {3, 1, 2, 0};
	pthread_t t;

	signal(SIGUSR1, handler);
	first();
	second();
	bottom(2);
	bottom(100);
	realigned();
	of_depth();
	catcher();
	raise(SIGUSR1);
	qsort(v, 4, sizeof(v[0]), compare);
	pthread_create(&t, nullptr, thread, nullptr);
	pthread_join(t, nullptr);
	return 0;
}
