/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fast paths of track.c, for callbacks. Each returns 1 when it is done, and 0 when it did
 * nothing and the caller must take the slow path. They call functions only at the end of a
 * segment, so that a callback that jumps to its slow path needs no stack and saves no register.
 *
 * They are enabled while track.epoch is track_quick: then the track of this thread is valid, and no
 * begin in it is pending, since no limit of depth or duration is set.
 */
#ifndef TRACY_QUICK_H
#define TRACY_QUICK_H

#include "_tracy.h"

#pragma GCC visibility push(hidden)

/* The ring's segment is full: the slow rest of a fast begin or end. */
void quick_full_begin(uint64_t key, uint64_t now, uint32_t word, const void *owner);
void quick_full_end(uint64_t key, uint64_t now, uint32_t word);
/* The same for two words of one time, which were given POSITION. */
void quick_full_ends(uint64_t key, uint64_t now, uint64_t position, uint32_t first,
		     uint32_t second);
void quick_full_line(uint64_t key, uint64_t now, uint64_t position, uint32_t before);
void quick_full_first_line(uint64_t key, uint64_t now, uint64_t position, PyCodeObject *code,
			   uint32_t word);

/*
 * The recorder used this memory last, to read and clear it: the thread would wait for the lines
 * that it is about to write. Unmapped memory does no harm.
 */
static inline void ring_prefetch(uint64_t position)
{
#if defined(__x86_64__)
	__asm__ volatile("prefetchw %0" : : "m"(*(const char *)(uintptr_t)(position + 256)));
#else
	__builtin_prefetch((const char *)(uintptr_t)(position + 256), 1);
#endif
}

static inline int quick_is_open(void)
{
	return __builtin_expect(track.epoch == track_quick, 1);
}

/* Whether a zone fits the track. */
static inline int quick_has_room(void)
{
	return quick_is_open() && track.top != track.limit;
}

static inline int quick_put(uint64_t now, uint32_t word, const void *owner)
{
	struct tacho_thread *self = tacho_self;
	uint64_t key = tacho_key(), position;
	struct track_zone *zone;

	if (!tacho_fits(self->key, key, now))
		return 0;
	position = tacho_claim(self, 8);
	if (tacho_is_full(position)) {
		quick_full_begin(key, now, word, owner);
		return 1;
	}
	tacho_store(position, now, word | TACHO_KIND_BEGIN);
	ring_prefetch(position);
	zone = track.top++;
	zone->owner = owner;
	zone->ticks = 0;
	zone->word = word;
	return 1;
}

/* VALUE: a word, or code_value() ^ code_plain: too large if it is not cached or not plain. */
static inline int quick_begin(uint64_t value, const void *owner)
{
	if (value - 2 > UINT32_MAX - 2 || !quick_has_room())
		return 0;
	return quick_put(tacho_ticks(), (uint32_t)value & ~CODE_GENERATOR, owner);
}

static inline int quick_end(const void *owner)
{
	struct tacho_thread *self = tacho_self;
	uint64_t key = tacho_key(), now, position;
	uint32_t word;

	if (!quick_is_open() || track.top[-1].owner != owner)
		return 0;
	word = track.top[-1].word;
	if (word & CODE_COROUTINE)
		return 0;
	now = tacho_ticks();
	if (!tacho_fits(self->key, key, now))
		return 0;
	track.top--;
	position = tacho_claim(self, 8);
	if (tacho_is_full(position)) {
		quick_full_end(key, now, word);
		return 1;
	}
	tacho_store(position, now, word | TACHO_KIND_END);
	return 1;
}

/*
 * ------------------------------------------------------------- lines
 *
 * A line ends when the next begins; the first one begins with its function and the last one ends
 * with it: one clock read and one claim serve both words. The clock is read first: it need not wait
 * for the loads that lead to the word.
 */

static inline const struct lines *quick_lines(PyCodeObject *code)
{
	const struct lines *lines = code_extra_get(code, lines_index);

	return lines && lines->generation == code_generation ? lines : NULL;
}

/* The same as code_line_word() if it is cached, else 0. */
static inline uint32_t quick_line_word(PyCodeObject *code, int line)
{
	const struct lines *lines = quick_lines(code);
	unsigned index;

	if (!lines)
		return 0;
	index = (unsigned)line - (unsigned)lines->first;
	return index < (unsigned)lines->count ? lines->words[index] : 0;
}

/* A function begins and the event of its first line comes next: see struct lines. */
static inline int quick_enter(PyCodeObject *code, const void *instruction)
{
	const struct lines *lines = quick_lines(code);
	struct track_zone *zone;

	if (!lines || lines->entry != instruction || !quick_has_room())
		return 0;
	zone = track.top++;
	zone->owner = entry_owner(code);
	zone->ticks = 0;
	zone->word = lines->word;
	return 1;
}

/* The begin of a function and its first line. LAST is that of the function, not yet recorded. */
static inline int quick_first_line(uint64_t now, PyCodeObject *code, uint32_t word,
				   struct track_zone *last)
{
	struct tacho_thread *self = tacho_self;
	uint64_t key = tacho_key(), position;

	if (track.top == track.limit || !tacho_fits(self->key, key, now))
		return 0;
	position = tacho_claim(self, 16);
	last->owner = code;
	if (tacho_is_full(position + 8)) {
		quick_full_first_line(key, now, position, code, word);
		return 1;
	}
	tacho_store(position, now, last->word | TACHO_KIND_BEGIN);
	tacho_store(position + 8, now, word | TACHO_KIND_BEGIN);
	ring_prefetch(position);
	track.top++;
	last[1].owner = line_owner(code);
	last[1].ticks = 0;
	last[1].word = word;
	return 1;
}

static inline int quick_next_line(uint64_t now, uint32_t word, struct track_zone *last)
{
	struct tacho_thread *self = tacho_self;
	uint64_t key = tacho_key(), position;
	uint32_t before = last->word;

	if (!tacho_fits(self->key, key, now))
		return 0;
	last->word = word;
	position = tacho_claim(self, 16);
	if (tacho_is_full(position + 8)) {
		quick_full_line(key, now, position, before);
		return 1;
	}
	tacho_store(position, now, before | TACHO_KIND_END);
	tacho_store(position + 8, now, word | TACHO_KIND_BEGIN);
	ring_prefetch(position);
	return 1;
}

static inline int quick_line(PyCodeObject *code, int line)
{
	uint64_t now = tacho_ticks();
	uint32_t word = quick_line_word(code, line);
	struct track_zone *last = track.top - 1;

	if (!word || !quick_is_open())
		return 0;
	if (last->owner == line_owner(code))
		return quick_next_line(now, word, last);
	if (last->owner == entry_owner(code))
		return quick_first_line(now, code, word, last);
	return last->owner == code && quick_has_room() && quick_put(now, word, line_owner(code));
}

/* The end of a function with its last line. */
static inline int quick_end_with_line(PyCodeObject *code)
{
	struct tacho_thread *self = tacho_self;
	uint64_t now = tacho_ticks(), key = tacho_key(), position;
	const struct track_zone *last = track.top - 1;
	uint32_t word = last[-1].word;

	if (!quick_is_open() || last->owner != line_owner(code) || last[-1].owner != code ||
	    word & CODE_COROUTINE || !tacho_fits(self->key, key, now))
		return 0;
	track.top -= 2;
	position = tacho_claim(self, 16);
	if (tacho_is_full(position + 8)) {
		quick_full_ends(key, now, position, last->word, word);
		return 1;
	}
	tacho_store(position, now, last->word | TACHO_KIND_END);
	tacho_store(position + 8, now, word | TACHO_KIND_END);
	return 1;
}

/* --------------------------------------------------------- callables */

static inline struct callable *callable_slot(const void *key, const char *name)
{
	uintptr_t hash = ((uintptr_t)key >> 3) ^ ((uintptr_t)name >> 2);

	return &callables[(hash ^ hash >> 12) % CALLABLES];
}

/*
 * The name that distinguishes functions of one method table entry: the class for class methods and
 * methods of objects. Functions of modules have only one; binding generators put a capsule in the
 * module's place and reuse the memory of their entries.
 */
static inline const char *builtin_key(const PyCFunctionObject *function)
{
	PyObject *self = function->m_self;

	if (!self || Py_IS_TYPE(self, &PyModule_Type) || PyCapsule_CheckExact(self))
		return function->m_ml->ml_name;
	return PyType_Check(self) ? ((PyTypeObject *)self)->tp_name : Py_TYPE(self)->tp_name;
}

/* The cached word of a builtin function or method, else 0. */
static inline uint32_t quick_callable_word(PyObject *callable)
{
	const PyMethodDef *key;
	const char *name;
	const struct callable *slot;

	if (Py_IS_TYPE(callable, &PyCFunction_Type)) {
		key = ((PyCFunctionObject *)callable)->m_ml;
		name = builtin_key((PyCFunctionObject *)callable);
	} else if (Py_IS_TYPE(callable, &PyMethodDescr_Type)) {
		key = ((PyMethodDescrObject *)callable)->d_method;
		name = key->ml_name;
	} else {
		return 0;
	}
	slot = callable_slot(key, name);
	return slot->key == key && slot->name == name ? slot->word : 0;
}

#pragma GCC visibility pop

#endif
