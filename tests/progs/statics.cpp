/* SPDX-License-Identifier: Apache-2.0 */
/* Events before main, in static and thread-local destructors, from atexit and pthread keys. */
#include "emit.h"

static long total;

struct talker {
	const char *name;
	explicit talker(const char *n) : name(n)
	{
		emit();
	}
	~talker()
	{
		emit();
	}
	void emit() const
	{
		TACHO_ZONE_RUNTIME(name);
		__atomic_add_fetch(&total, 1, __ATOMIC_RELAXED);
	}
};

/* Built first, so destroyed last: it says how many there were. */
struct reporter {
	~reporter()
	{
		text_emit(total, 0);
	}
};

static reporter last;
static talker global("global");
static thread_local talker local("local");
static pthread_key_t key;

static void at_exit()
{
	TACHO_ZONE("atexit");
	__atomic_add_fetch(&total, 1, __ATOMIC_RELAXED);
}

static void key_gone(void *)
{
	TACHO_ZONE("key destructor");
	__atomic_add_fetch(&total, 1, __ATOMIC_RELAXED);
}

static void *run(void *)
{
	pthread_setspecific(key, &key);
	local.emit();
	return nullptr;
}

__attribute__((constructor)) static void before_main()
{
	TACHO_ZONE("constructor");
	__atomic_add_fetch(&total, 1, __ATOMIC_RELAXED);
}

int main()
{
	atexit(at_exit);
	pthread_key_create(&key, key_gone);
	in_threads(3, run, nullptr);
	local.emit();
	return 0;
}
