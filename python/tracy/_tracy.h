/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The extension of "import tracy". One interface, three sources of events:
 *
 *	eval.c      3.9-3.12: a frame evaluator (PEP 523): Python functions, all threads
 *	profile.c   3.9-3.11: PyEval_SetProfile (C calls too), PyEval_SetTrace (lines)
 *	monitor.c   3.12+:    sys.monitoring, in 3.12 for what eval.c cannot do, or not as well
 *
 * They share code.c and callable.c, which turn a code object or a C callable into the number of a
 * source location, and track.c, which keeps begins and ends of a thread in order, with quick.h for
 * what is usual; task.c knows the tasks of asyncio, greenlet.c those of greenlet. api.c has what
 *programs call by hand, zone.c the type "zone". outermost.c runs the program itself, room.c gives
 *it more stack. getitem.c lets eval.c see what some releases would hide from it.
 *
 * Everything here runs with the GIL held; only what is __thread is per thread.
 */
#ifndef TRACY_TRACY_H
#define TRACY_TRACY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <frameobject.h>
#include <tacho/tacho.h>

#pragma GCC visibility push(hidden) /* what is declared below is found without a table */

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

/* What start() was asked for. */
struct settings {
	int c_calls;
	int lines;
	int tt_names;       /* PY_FUNC_name and PY_LINE_name instead of the qualified name */
	int task_tracks;    /* tasks of asyncio have tracks of their own */
	uint32_t max_depth; /* 0: any */
	uint64_t min_ticks; /* functions that take less are left out; 0: none */
	int stack;          /* frames that are on the stack at the start become zones too */
	PyObject *filter;   /* called as filter(file, qualname) once per code object, or NULL */
	int asks;           /* 0: all of the program is wanted, the filter need not be called */
	PyObject *package;  /* the folder of the package: its frames are not the program's */
};
extern struct settings settings;

/* A source of events. start and stop are called in turn, never twice. -1: a Python error is set. */
struct backend {
	const char *name;
	int (*start)(void);
	int (*stop)(void);
	int (*displaced)(void); /* 1: somebody else has taken its place, and it sees no more */
};
extern const struct backend backend_eval, backend_profile, backend_monitor;
/* Replaces the backend that was started. */
void backend_is(const struct backend *other);
/* Whether the evaluator of frames is the interpreter's own. */
int eval_is_free(void);
/* Starts; open zones stay open. The current frames have been reported already. */
int monitor_take_over(void);
/* Stops waiting for threads that were in a function when recording stopped. */
int monitor_forget(void);

/* ----------------------------------------------------------- code.c */

extern Py_ssize_t code_index;
extern uint32_t code_generation;
extern uint64_t code_plain; /* code_values() without limits begin with this; else with nothing */

int code_init(void);
/* Forgets what was decided about each code object: the settings have changed. */
void code_forget(void);
uint32_t code_first_sight(PyCodeObject *code);
/* The next time it is seen as if it were the first. */
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
/* A word for a place, by content; strings that UTF-8 cannot carry are escaped. */
uint32_t place_word(PyObject *name, PyObject *function, PyObject *file, int line, uint32_t color);

/*
 * What PyCodeObject.co_extra points to, from 3.6 to 3.13 at least; code_init() refuses to work with
 * an interpreter that does it otherwise. Reading it here saves a call per event.
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
#define CODE_COROUTINE 2u /* may be what a task runs */
#define CODE_FLAGS     3u

/*
 * What is known of a code object: generation << 33 | coroutine << 32 | number << 2 | generator. The
 * number is 0 when its zones are not wanted. It is kept in the code object itself, so that one
 * which is freed takes its number with it: addresses are used again at once, and a table of
 * addresses would give one function's zones to another.
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
 * The same, perhaps with CODE_GENERATOR, when it is known already, is no coroutine, and PLAIN is
 * code_plain: one comparison answers it all. Else 0.
 */
static inline uint32_t code_quick(PyCodeObject *code, uint64_t plain)
{
	uint64_t value = code_value(code) ^ plain;

	return __builtin_expect(value <= UINT32_MAX, 1) ? (uint32_t)value : 0;
}

/* ------------------------------------------------------- callable.c */

/*
 * What a callable is known by: two addresses, the second being that of its (or its type's) name.
 * Objects that are known by their own address are held on to, or another one could come to lie
 * there.
 */
struct callable {
	const void *key;
	const char *name;
	uint32_t word;
	PyObject *held;
};

#define CALLABLES 4096 /* a direct-mapped cache: a collision costs a look-up by content */
extern struct callable callables[CALLABLES];

/* Begins the zone of a C function, a type or any other object that is called; it is the owner. */
void callable_begin(PyObject *callable);
/* Gives up what is held on to for the sake of names. */
void callable_forget(void);

/* ----------------------------------------------------------- task.c */

/* The name of the task that runs in this thread and its size, until the next call; NULL: none. No
 * error is set. */
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
	struct track_zone *limit; /* end of the allocated room */
	struct track_zone *open;  /* the outermost */
	uint32_t epoch;           /* of track_epoch when top was last right */
	uint32_t coroutines;      /* of the open zones */
	uint32_t fiber;           /* 1 + that of them which began the track of a task */
	int32_t own;              /* open zones of the program's own, which are not here */
	int32_t outside;          /* how many of those all that is here is in */
	int late;                 /* all is to end when the last of them has */
	uint32_t older;           /* of the open zones, those that eval.c found on the stack */
	struct {
		uint32_t *words;
		uint32_t count;
		uint32_t size;
	} manual; /* zones of start_zone() */
};
extern __thread struct track track __attribute__((tls_model("initial-exec")));
extern uint32_t track_epoch;
extern uint32_t track_quick; /* track_epoch while the ways of quick.h are open, else UINT32_MAX */
extern uint32_t track_limit; /* of depth; UINT32_MAX: none, 0: recording has stopped */

int track_init(void);
int track_grow(void);
/* Swaps this thread's track with *OTHER; { 0 } is an empty one. */
void track_swap(struct track *other);
/* Frees a track that no thread has. */
void track_discard(struct track *other);
/* A new start: what threads have in their tracks is no longer right. */
void track_restart(void);
/* A new start of a backend that misses no end, and does without quick.h: only what another one has
 * left is no longer right. */
void track_resume(void);
/*
 * A stop. Only a thread itself can end its zones, and those that a zone of the program's own is in
 * have to outlast that: until track_leave() says 1 each event of a thread is still needed, to end
 * the zone that it is about; begins are hidden.
 */
void track_stop(void);
int track_leave(void);
/* The settings are those of now. */
void track_configure(void);
/* Ends what this thread has had open since before the last start or stop. */
void track_drop(void);
/* The first event after a start: what was left open ends, the frames on the stack begin (but the
 * innermost, when its own begin is the event). */
void track_renew(int innermost_begins);
void track_begin_slow(uint64_t key, uint32_t word, const void *owner);
void track_pop_slow(void);
/* Ends the zone of OWNER and those inside it that nobody ended; nothing when it is not open. */
void track_end_inner(const void *owner);
/* The same for a function that an exception leaves: EXCEPTION is it or its type, or NULL. */
void track_end_unwound(const void *owner, PyObject *exception);
/* Begins that were held back are recorded: something that is inside them is to be. */
void track_flush(void);
/* A zone of the program's own is about to begin or to end. */
void track_before_zone(void);
/* The rest of track_own_ends() and track_own_has_ended(). */
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

/* Zones of the program's own, which those of functions must not cross. */
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

/* 1 when the zone that was begun last is that of OWNER; it is ended. */
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

/* A function whose begin is recorded with that of its first line. */
static inline const void *entry_owner(PyCodeObject *code)
{
	return (const char *)code + 2;
}

void track_line(PyCodeObject *code, int line);
/* The begin of a function that waits for its first line is recorded now. */
void track_settle(PyCodeObject *code);

/* ---------------------------------------------------------- stack.c */

/*
 * Begins the zones of the program's frames on this thread's stack, outermost first. They belong to
 * OWNER(frame), or to their code objects when that is NULL.
 */
void stack_begin(int innermost_begins, const void *(*owner)(PyFrameObject *));

/* ----------------------------------------------------------- room.c */

/* The main thread's stack gets room for what recording takes of it. */
void room_make(void);

/* -------------------------------------------------------- getitem.c */

/* Whether CODE may be the body of a class with a __getitem__() that needs getitem_hold(). */
int getitem_is_defined(PyCodeObject *code);
/* NAMESPACE: what the body has made, or NULL. */
void getitem_hold(PyObject *namespace);
/* The same for all classes that there are. */
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
