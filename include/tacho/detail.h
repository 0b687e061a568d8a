/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inline part of tacho.h: how a zone gets into a ring. Not an interface: programs use tacho.h.
 * docs/ring.md explains the protocol.
 *
 * An event is a 64-bit word: ticks << 26 | what << 2 | kind. A slot is claimed by adding to the
 * thread's position with one instruction that no signal can split, and is committed by storing a
 * nonzero word, so there is no head to publish and a signal handler may emit at any point.
 */
#ifndef TACHO_DETAIL_H
#define TACHO_DETAIL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TACHO_DATA        __attribute__((visibility("default")))
#define TACHO_INLINE      static inline __attribute__((always_inline, unused))
#define TACHO_UNLIKELY(x) __builtin_expect(!!(x), 0)

/*
 * Bound when the program is loaded: at the first call the dynamic linker would need 3 KB of stack,
 * which a handler on a small alternate stack does not have.
 */
#if defined(__has_attribute)
#if __has_attribute(noplt)
#define TACHO_API __attribute__((visibility("default"), noplt))
#endif
#endif
#ifndef TACHO_API
#define TACHO_API __attribute__((visibility("default")))
#endif

#define TACHO_TICK_SHIFT 26
#define TACHO_WRAP_SHIFT 38 /* ticks above this many bits are not in a word */
#define TACHO_KIND_BEGIN 1u
#define TACHO_KIND_END   2u

/* Addresses of words have this bit; a position without it is past the end. */
#define TACHO_SEGMENT 0x10000u

/*
 * A place in the source. Static data of the instrumented program; .word is 0 until the place is
 * first used while recording, then its number << 2.
 */
struct tacho_srcloc {
	const char *name; /* NULL: the function's name is shown */
	const char *function;
	const char *file;
	uint32_t line;
	uint32_t color; /* 0xRRGGBB, 0 = automatic */
	uint32_t word;
	uint32_t reserved;
};

/* A name literal in the source; .id is 0 until it is first used while recording. */
struct tacho_name {
	const char *text;
	uint32_t id;
	uint32_t reserved;
};

/* An open zone. */
struct tacho_zone {
	uint32_t word;    /* its source location's number << 2; 0: not recorded */
	uint32_t session; /* upper half of the control key under which it began */
};

/* The head of a thread's private state. Wiped in a forked child, so that it starts over. */
struct tacho_thread {
	uint64_t position; /* address of the next free word */
	uint64_t key;      /* control key | ticks >> TACHO_WRAP_SHIFT; otherwise: the slow path */
};

/* One page, shared with the recorder. key is 0 while nothing is recorded. */
struct tacho_control {
	uint64_t key;
	char more[4088];
} __attribute__((aligned(4096)));

extern TACHO_DATA struct tacho_control tacho_control;
extern TACHO_DATA __thread struct tacho_thread *tacho_self
	__attribute__((tls_model("initial-exec")));

/* The slow paths. 1 when the word was stored, 0 when it was lost (and counted). */
TACHO_API int tacho_emit_slow(uint64_t key, uint64_t now, uint32_t bits);
TACHO_API int tacho_emit_full(uint64_t key, uint64_t now, uint32_t bits);
/* Numbers a source location or a name; the strings are copied. Returns .word (never 0) or .id. */
TACHO_API uint32_t tacho_srcloc_register(struct tacho_srcloc *loc);
TACHO_API uint32_t tacho_name_register(struct tacho_name *name);

TACHO_INLINE uint64_t tacho_ticks(void)
{
#if defined(__x86_64__)
	uint64_t low, high; /* the instruction clears their upper halves */

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return high << 32 | low;
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
#error "Tacho knows no tick clock for this processor"
#endif
}

/* Claims BYTES: atomic against signals of this thread, which is all that is needed. */
TACHO_INLINE uint64_t tacho_claim(struct tacho_thread *t, uint64_t bytes)
{
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
	__asm__ volatile("xaddq %0, %1" : "+r"(bytes), "+m"(t->position) : : "memory");
	return bytes;
#else
	return __atomic_fetch_add(&t->position, bytes, __ATOMIC_RELAXED);
#endif
}

TACHO_INLINE uint64_t tacho_key(void)
{
	return __atomic_load_n(&tacho_control.key, __ATOMIC_RELAXED);
}

/* JOINED, the key of a thread, shows whether its ring accepts words of this session and time. */
TACHO_INLINE int tacho_fits(uint64_t joined, uint64_t key, uint64_t now)
{
	return !TACHO_UNLIKELY(((now >> TACHO_WRAP_SHIFT) | key) != joined);
}

/* A claim whose last word is at POSITION ends after the segment: the slow path. */
TACHO_INLINE int tacho_is_full(uint64_t position)
{
	return TACHO_UNLIKELY(!(position & TACHO_SEGMENT));
}

/* The commit: a nonzero word has been written. */
TACHO_INLINE void tacho_store(uint64_t position, uint64_t now, uint32_t bits)
{
	__atomic_store_n((uint64_t *)(uintptr_t)position, now << TACHO_TICK_SHIFT | bits,
			 __ATOMIC_RELEASE);
}

/* NOW: a reading of the clock not older than that of the thread's last event. */
TACHO_INLINE int tacho_emit_at(uint64_t key, uint64_t now, uint32_t bits)
{
	struct tacho_thread *t = tacho_self;
	uint64_t position;

	if (!tacho_fits(t->key, key, now))
		return tacho_emit_slow(key, now, bits);
	position = tacho_claim(t, 8);
	if (tacho_is_full(position))
		return tacho_emit_full(key, now, bits);
	tacho_store(position, now, bits);
	return 1;
}

TACHO_INLINE int tacho_emit(uint64_t key, uint32_t bits)
{
	return tacho_emit_at(key, tacho_ticks(), bits);
}

/* WORD: the source location's number << 2, not 0. */
TACHO_INLINE struct tacho_zone tacho_begin_word(uint64_t key, uint32_t word)
{
	struct tacho_zone zone = {0, 0};

	if (tacho_emit(key, word | TACHO_KIND_BEGIN)) {
		zone.word = word;
		zone.session = (uint32_t)(key >> 32);
	}
	return zone;
}

TACHO_INLINE struct tacho_zone tacho_begin(struct tacho_srcloc *loc)
{
	struct tacho_zone zone = {0, 0};
	uint64_t key = tacho_key();
	uint32_t word;

	if (!TACHO_UNLIKELY(key))
		return zone;
	word = __atomic_load_n(&loc->word, __ATOMIC_RELAXED);
	if (TACHO_UNLIKELY(!word))
		word = tacho_srcloc_register(loc);
	return tacho_begin_word(key, word);
}

/*
 * An end is recorded if its begin was. There is no need to check the session here: if another one
 * has started, the thread's key is not this zone's, and if none has, the end goes to the ring that
 * has the begin, whether or not a recorder still reads it.
 */
TACHO_INLINE void tacho_end(struct tacho_zone zone)
{
	if (TACHO_UNLIKELY(zone.word))
		tacho_emit((uint64_t)zone.session << 32, zone.word | TACHO_KIND_END);
}

#ifdef __cplusplus
}
#endif

#endif
