/*
 * The extension behind "import tracy". One interface, three sources of events:
 *
 *	eval.c      3.9-3.11: a frame evaluator (PEP 523): Python functions, all threads
 *	profile.c   3.9-3.11: PyEval_SetProfile (C calls too), PyEval_SetTrace (lines)
 *	monitor.c   3.12+:    sys.monitoring for all of it
 *
 * They share code.c, which turns a code object or a C callable into the number of a source
 * location, and track.c, which keeps begins and ends of a thread in order. api.c has what programs
 * call by hand, zone.c the type "zone".
 *
 * Everything here runs with the GIL held; only what is __thread is per thread.
 */
#ifndef TRACY_TRACY_H
#define TRACY_TRACY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <frameobject.h>
#include <tacho/tacho.h>

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
	uint32_t max_depth; /* 0: any */
	PyObject *filter;   /* called as filter(file, qualname) once per code object, or NULL */
};
extern struct settings settings;

/* A source of events. start and stop are called in turn, never twice. -1: a Python error is set. */
struct backend {
	const char *name;
	int (*start)(void);
	int (*stop)(void);
};
extern const struct backend backend_eval, backend_profile, backend_monitor;

/* ----------------------------------------------------------- code.c */

extern Py_ssize_t code_index;
extern uint32_t code_generation;

int code_init(void);
/* Forgets what was decided about each code object: the settings have changed. */
void code_forget(void);
uint32_t code_first_sight(PyCodeObject *code);
/* The word of a zone for a line of a function. */
uint32_t code_line_word(PyCodeObject *code, int line);
/* The word of a C function, a type or any other object that is called. */
uint32_t callable_word(PyObject *callable);
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

/*
 * The word (number << 2) of the zones of a function, 0 when they are not wanted. It is kept in the
 * code object itself, so that one which is freed takes its number with it: addresses are used again
 * at once, and a table of addresses would give one function's zones to another.
 */
static inline uint32_t code_word(PyCodeObject *code)
{
	uintptr_t extra = (uintptr_t)code_extra_get(code, code_index);

	if (__builtin_expect(extra >> 32 == code_generation, 1))
		return (uint32_t)extra;
	return code_first_sight(code);
}

/* ---------------------------------------------------------- track.c */

struct open_zone {
	const void *owner; /* the code object or callable */
	uint32_t word;
};

/* The zones that a backend with separate begin and end events has open in this thread. */
struct track {
	struct open_zone *open;
	uint32_t count;
	uint32_t size;
	uint32_t epoch; /* of track_epoch when count was last right */
};
extern __thread struct track track __attribute__((tls_model("initial-exec")));
extern uint32_t track_epoch;

int track_init(void);
int track_grow(void);
void track_renew(void);
/* Ends the zone of OWNER and those inside it that nobody ended; nothing when it is not open. */
void track_end_inner(const void *owner);

/* Zones that were left open by an earlier start(), whose ends were not seen, end now. */
static inline void track_check(void)
{
	if (__builtin_expect(track.epoch != track_epoch, 0))
		track_renew();
}

static inline void word_end(uint32_t word)
{
	uint64_t key = tacho_key();

	if (key)
		tacho_emit(key, word | TACHO_KIND_END);
}

static inline void track_push(uint64_t key, uint32_t word, const void *owner)
{
	if (__builtin_expect(track.count == track.size, 0) && track_grow() < 0)
		return;
	if (!tacho_begin_word(key, word).word)
		return;
	track.open[track.count].owner = owner;
	track.open[track.count++].word = word;
}

static inline void track_begin(uint32_t word, const void *owner)
{
	uint64_t key = tacho_key();

	track_check();
	if (word && key && !(settings.max_depth && track.count >= settings.max_depth))
		track_push(key, word, owner);
}

/* 1 when the zone that was begun last is that of OWNER; it is ended. */
static inline int track_end_last(const void *owner)
{
	track_check();
	if (!track.count || track.open[track.count - 1].owner != owner)
		return 0;
	word_end(track.open[--track.count].word);
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

void track_line(PyCodeObject *code, int line);

/* ------------------------------------------------------------ api.c */

extern PyMethodDef api_methods[];

/* ----------------------------------------------------------- zone.c */

extern PyTypeObject zone_type;

#endif
