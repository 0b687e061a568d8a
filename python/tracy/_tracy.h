/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The extension of "import tracy". One interface, three sources of events:
 *
 *	eval.c      3.9-3.12: a frame evaluator (PEP 523): Python functions, all threads
 *	profile.c   3.9-3.11: PyEval_SetProfile (C calls too), PyEval_SetTrace (lines)
 *	monitor.c   3.12+:    sys.monitoring, in 3.12 for what eval.c cannot do, or not as well
 *
 * They share code.c and callable.c, which map a code object or a C callable to the number of a
 * source location, and track.c, which keeps the begins and ends of a thread in order, with the fast
 * paths in quick.h. task.c handles asyncio tasks, greenlet.c greenlets. api.c has the functions
 * that programs call, zone.c the type "zone". outermost.c runs the program itself, room.c
 * enlarges its stack. getitem.c makes __getitem__() visible to eval.c in some releases.
 *
 * Everything here runs with the GIL held; only __thread variables are per thread.
 */
#ifndef TRACY_TRACY_H
#define TRACY_TRACY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <frameobject.h>
#include <tacho/tacho.h>

#pragma GCC visibility push(hidden) /* access without the global offset table */

#define PY_AT_LEAST(major, minor) (PY_VERSION_HEX >= ((major) << 24 | (minor) << 16))

#if PY_AT_LEAST(3, 12)
#define code_extra_index PyUnstable_Eval_RequestCodeExtraIndex
#define code_extra_set   PyUnstable_Code_SetExtra
#else
#define code_extra_index _PyEval_RequestCodeExtraIndex
#define code_extra_set   _PyCode_SetExtra
#endif

#if !PY_AT_LEAST(3, 10)
static inline PyObject *Py_NewRef(PyObject *object)
{
	Py_INCREF(object);
	return object;
}
#endif

/* The settings of start(). */
struct settings {
	int c_calls;
	int lines;
	int tt_names;       /* PY_FUNC_name and PY_LINE_name instead of the qualified name */
	int task_tracks;    /* asyncio tasks have their own tracks */
	uint32_t max_depth; /* 0: any */
	uint64_t min_ticks; /* shorter functions are skipped; 0: none */
	int stack;          /* frames on the stack at the start become zones too */
	PyObject *filter;   /* called as filter(file, qualname) once per code object, or NULL */
	int asks;           /* 0: the whole program is wanted, the filter need not be called */
	PyObject *package;  /* the folder of the package: its frames are not the program's */
};
extern struct settings settings;

/* A source of events. start and stop are called in turn, never twice. -1: a Python error is set. */
struct backend {
	const char *name;
	int (*start)(void);
	int (*stop)(void);
	int (*displaced)(void); /* 1: another tool replaced it, and it gets no more events */
};
extern const struct backend backend_eval, backend_profile, backend_monitor;
/* Replaces the active backend. */
void backend_is(const struct backend *other);
/* Whether the frame evaluator is the interpreter's own. */
int eval_is_free(void);
/* Starts; open zones stay open. The current frames have been reported already. */
int monitor_take_over(void);
/* Stops waiting for threads that were in a function when recording stopped. */
int monitor_forget(void);

/* ----------------------------------------------------------- code.c */

extern Py_ssize_t code_index;
extern uint32_t code_generation;
extern uint64_t code_plain; /* high bits of code_value() without limits; else no match */

int code_init(void);
/* Drops the cached decisions about code objects: the settings have changed. */
void code_forget(void);
uint32_t code_first_sight(PyCodeObject *code);
/* Treats the next event of CODE as its first. */
void code_unknown(PyCodeObject *code);
int code_is_ours(PyCodeObject *code); /* of this package, not of the program */
/* The word of a zone for a line of a function. */
uint32_t code_line_word(PyCodeObject *code, int line);
/* The words of the lines of one code object, from its first line on; 0 where not yet known. */
struct lines {
	/*
	 * The instruction at which a call begins when the event of its first line is sure to come
	 * next, and its word may wait for that; else NULL.
	 */
	const void *entry;
	uint32_t word;
	uint32_t generation;
	int first;
	int count;
	uint32_t words[];
};
extern Py_ssize_t lines_index;
/* A word for a place, by content; strings that are not valid UTF-8 are escaped. */
uint32_t place_word(PyObject *name, PyObject *function, PyObject *file, int line, uint32_t color);

/*
 * PyCodeObject.co_extra points to this, from 3.6 to 3.13 at least; code_init() refuses to work with
 * an interpreter that differs. Reading it here saves a call per event.
 */
struct code_extra {
	Py_ssize_t size;
	void *values[];
};

static inline void *code_extra_get(PyCodeObject *code, Py_ssize_t index)
{
	const struct code_extra *extra = code->co_extra;

	return extra && index < extra->size ? extra->values[index] : NULL;
}

/* Bits below the number in the word of a code object. */
#define CODE_GENERATOR 1u /* a generator, a coroutine or both */
#define CODE_COROUTINE 2u /* a task may run it */
#define CODE_FLAGS     3u

/*
 * The cached state of a code object: generation << 33 | coroutine << 32 | number << 2 | generator.
 * The number is 0 when its zones are not wanted. It is stored in the code object itself, so that
 * it is freed with it: addresses are reused at once, and a table of addresses would give one
 * function's zones to another.
 */
#define CODE_GENERATION_SHIFT 33

static inline uint64_t code_value(PyCodeObject *code)
{
	return (uintptr_t)code_extra_get(code, code_index);
}

/* The word (number << 2 | flags) of the zones of a function, 0 when they are not wanted. */
static inline uint32_t code_word(PyCodeObject *code)
{
	uint64_t value = code_value(code);

	if (__builtin_expect(value >> CODE_GENERATION_SHIFT == code_generation, 1))
		return (uint32_t)value | (uint32_t)(value >> 31 & CODE_COROUTINE);
	return code_first_sight(code);
}

/*
 * The same, perhaps with CODE_GENERATOR, if it is cached, no coroutine, and PLAIN is code_plain:
 * one comparison checks all three. Else 0.
 */
static inline uint32_t code_quick(PyCodeObject *code, uint64_t plain)
{
	uint64_t value = code_value(code) ^ plain;

	return __builtin_expect(value <= UINT32_MAX, 1) ? (uint32_t)value : 0;
}

/* ------------------------------------------------------- callable.c */

/*
 * The identity of a callable: two addresses, the second being that of its (or its type's) name.
 * Objects identified by their own address are referenced, because addresses of freed objects are
 * reused.
 */
struct callable {
	const void *key;
	const char *name;
	uint32_t word;
	PyObject *held;
};

#define CALLABLES 4096 /* a direct-mapped cache: a collision costs a look-up by content */
extern struct callable callables[CALLABLES];

/* Begins the zone of a called C function, type or other object, which is also its owner. */
void callable_begin(PyObject *callable);
/* Releases the references that the names hold. */
void callable_forget(void);

/* ----------------------------------------------------------- task.c */

/*
 * The name of this thread's running task and its size, valid until the next call; NULL: none. No
 * error is set.
 */
const char *task_name(size_t *size);

/* ------------------------------------------------------- greenlet.c */

/* Called for every new source location: follows greenlets once the program has imported them. */
void greenlet_follow(void);

/* ---------------------------------------------------------- track.c */

struct track_zone {
	const void *owner; /* the code object, callable or frame */
	uint64_t ticks;    /* of a begin that is not yet recorded, else 0 */
	uint32_t word;     /* perhaps with CODE_COROUTINE */
};

/* The zones that a backend with separate begin and end events has open in this thread. */
struct track {
	struct track_zone *top;   /* after the innermost; two sentinels precede the outermost */
	struct track_zone *limit; /* end of the allocation */
	struct track_zone *open;  /* the outermost */
	uint32_t epoch;           /* track_epoch when top was last valid */
	uint32_t coroutines;      /* of the open zones */
	uint32_t fiber;           /* 1 + the one of them that began the track of a task */
	int32_t own;              /* open zones of the program itself, which are not stored here */
	int32_t outside;          /* how many of those enclose everything stored here */
	int late;                 /* end everything when the last of them has ended */
	uint32_t older;           /* how many of the open zones eval.c found on the stack */
	struct {
		uint32_t *words;
		uint32_t count;
		uint32_t size;
	} manual; /* zones of start_zone() */
};
extern __thread struct track track __attribute__((tls_model("initial-exec")));
extern uint32_t track_epoch;
extern uint32_t track_quick; /* track_epoch while quick.h may be used, else UINT32_MAX */
extern uint32_t track_limit; /* maximum depth; UINT32_MAX: none, 0: recording has stopped */

int track_init(void);
int track_grow(void);
/* Swaps this thread's track with *OTHER; { 0 } is an empty one. */
void track_swap(struct track *other);
/* Frees a track that no thread has. */
void track_discard(struct track *other);
/* A new start: the tracks of all threads are outdated. */
void track_restart(void);
/*
 * A new start of a backend that misses no end and does not use quick.h: only what another backend
 * left is outdated.
 */
void track_resume(void);
/*
 * A stop. Only a thread itself can end its zones, and zones that enclose one of the program itself
 * have to outlast it: until track_leave() returns 1, each event of a thread is still needed to end
 * its zone; begins are hidden.
 */
void track_stop(void);
int track_leave(void);
/* Marks the settings as current. */
void track_configure(void);
/* Ends the zones that this thread has had open since before the last start or stop. */
void track_drop(void);
/*
 * The first event after a start: ends zones left open, begins the frames on the stack (except the
 * innermost, if the event is its own begin).
 */
void track_renew(int innermost_begins);
void track_begin_slow(uint64_t key, uint32_t word, const void *owner);
void track_pop_slow(void);
/* Ends the zone of OWNER and unfinished ones inside it; nothing if it is not open. */
void track_end_inner(const void *owner);
/* The same for a function that an exception leaves: EXCEPTION is it or its type, or NULL. */
void track_end_unwound(const void *owner, PyObject *exception);
/* Records pending begins, before an event inside them is recorded. */
void track_flush(void);
/* A zone of the program itself is about to begin or end. */
void track_before_zone(void);
/* The slow paths of track_own_ends() and track_own_has_ended(). */
void track_end_early(void);
void track_end_late(void);
void zone_unwound(struct tacho_zone zone, PyObject *exception);

static inline uint32_t track_count(void)
{
	return (uint32_t)(track.top - track.open);
}

static inline void track_check(int innermost_begins)
{
	if (__builtin_expect(track.epoch != track_epoch, 0))
		track_renew(innermost_begins);
}

static inline void word_end(uint32_t word)
{
	uint64_t key = tacho_key();

	if (key)
		tacho_emit(key, word | TACHO_KIND_END);
}

/* Zones of the program itself, which those of functions must not cross. */
static inline void track_own_has_begun(void)
{
	track.own++;
}

static inline void track_own_ends(void)
{
	if (__builtin_expect(track.outside, 0))
		track_end_early();
}

static inline void track_own_has_ended(void)
{
	track.own--;
	if (__builtin_expect(track.late, 0))
		track_end_late();
}

static inline void track_push(uint64_t key, uint32_t word, const void *owner)
{
	struct track_zone *zone;

	if (__builtin_expect(track.top == track.limit, 0) && track_grow() < 0)
		return;
	if (!tacho_begin_word(key, word & ~CODE_COROUTINE).word)
		return;
	zone = track.top++;
	zone->owner = owner;
	zone->ticks = 0;
	zone->word = word;
}

static inline int track_is_plain(uint32_t word)
{
	return !((track_limit + 1) | settings.min_ticks | (word & CODE_COROUTINE));
}

static inline void track_begin(uint32_t word, const void *owner, int innermost_begins)
{
	uint64_t key = tacho_key();

	track_check(innermost_begins);
	word &= ~CODE_GENERATOR;
	if (!word || !key)
		return;
	if (__builtin_expect(track_is_plain(word), 1))
		track_push(key, word, owner);
	else
		track_begin_slow(key, word, owner);
}

static inline void track_pop(void)
{
	const struct track_zone *last = track.top - 1;

	if (__builtin_expect(last->ticks || last->word & CODE_COROUTINE, 0)) {
		track_pop_slow();
		return;
	}
	track.top--;
	word_end(last->word & ~CODE_COROUTINE);
}

/* Ends the innermost zone and returns 1 if it belongs to OWNER. */
static inline int track_end_last(const void *owner)
{
	track_check(0);
	if (track.top[-1].owner != owner)
		return 0;
	track_pop();
	return 1;
}

static inline void track_end(const void *owner)
{
	if (!track_end_last(owner))
		track_end_inner(owner);
}

/* A line ends where the next one of the same function begins. */
static inline const void *line_owner(PyCodeObject *code)
{
	return (const char *)code + 1;
}

/* A function whose begin is recorded together with its first line. */
static inline const void *entry_owner(PyCodeObject *code)
{
	return (const char *)code + 2;
}

void track_line(PyCodeObject *code, int line);
/* Records the pending begin of a function that waits for its first line. */
void track_settle(PyCodeObject *code);

/* ---------------------------------------------------------- stack.c */

/*
 * Begins the zones of the program's frames on this thread's stack, outermost first. They belong to
 * OWNER(frame), or to their code objects when that is NULL.
 */
void stack_begin(int innermost_begins, const void *(*owner)(PyFrameObject *));

/* ----------------------------------------------------------- room.c */

/* Enlarges the main thread's stack by what recording needs. */
void room_make(void);

/* -------------------------------------------------------- getitem.c */

/* Whether CODE may be the body of a class with a __getitem__() that needs getitem_hold(). */
int getitem_is_defined(PyCodeObject *code);
/* NAMESPACE: what the body defined, or NULL. */
void getitem_hold(PyObject *namespace);
/* The same for all existing classes. */
void getitem_hold_all(void);

/* ------------------------------------------------------ outermost.c */

PyObject *tracy_outermost(PyObject *self, PyObject *arguments);

/* ------------------------------------------------------------ api.c */

extern PyMethodDef api_methods[];

/* ----------------------------------------------------------- zone.c */

extern PyTypeObject zone_type;
int zone_init(void);

#pragma GCC visibility pop

#endif
