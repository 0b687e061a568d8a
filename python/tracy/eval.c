/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Python functions by a frame evaluator (PEP 523). Unlike a profile function it leaves the
 * interpreter's specialised instructions on and needs no frame objects: a loop without calls runs
 * at full speed. It is called once for what sys.monitoring calls back twice for. Up to 3.12: later
 * interpreters do not call it for every function.
 */
#define Py_BUILD_CORE
#include "quick.h"

#if !PY_AT_LEAST(3, 13)

#include <pthread.h>

#if PY_AT_LEAST(3, 11)
#include <internal/pycore_frame.h>
typedef _PyInterpreterFrame eval_frame;
#else
typedef PyFrameObject eval_frame;
#endif

static _PyFrameEvalFunction previous; /* the next evaluator: the default one, or another hook */
static int wanted;                    /* between start and stop */
static int buried;                    /* below a hook that was set after ours */
static int special;                   /* limits are set: each zone is tracked */
static uint64_t eval_plain;           /* code_plain, or a value it never has: slow path */
static int seen;                      /* a frame took the slow path */
static int deep;                      /* threads whose stack is too deep for the hook */

static PyObject *eval_hook(PyThreadState *state, eval_frame *frame, int throwing);

/*
 * Installs or removes the hook. A hook that was set after ours calls ours: then nothing changes,
 * and ours just forwards calls while it is not wanted.
 */
static void eval_update(int on)
{
	PyInterpreterState *interpreter = PyInterpreterState_Get();
	_PyFrameEvalFunction top = _PyInterpreterState_GetEvalFrameFunc(interpreter);

	if (top == eval_hook) {
		buried = 0;
		if (!on)
			_PyInterpreterState_SetEvalFrameFunc(interpreter, previous);
	} else if (!on) {
		buried = 1;
	} else if (!buried || top == _PyEval_EvalFrameDefault) {
		previous = top;
		_PyInterpreterState_SetEvalFrameFunc(interpreter, eval_hook);
	}
}

static inline PyCodeObject *frame_code(eval_frame *frame)
{
	return frame->f_code;
}

/*
 * From 3.12 on each evaluator that runs is taken off a budget of C calls that is meant for calls
 * from Python to C and back; a program of a thousand nested functions would use it up. Here it is
 * returned: the stack itself is checked (stack_limit).
 */
static inline PyObject *frame_evaluate(PyThreadState *state, eval_frame *frame, int throwing)
{
#if PY_AT_LEAST(3, 12)
	enum { UNITS = 2 };
	PyObject *result;

	state->c_recursion_remaining += UNITS;
	result = previous(state, frame, throwing);
	state->c_recursion_remaining -= UNITS;
	return result;
#else
	return previous(state, frame, throwing);
#endif
}

static inline eval_frame *frame_back(eval_frame *frame)
{
#if PY_AT_LEAST(3, 11)
	return frame->previous;
#else
	return frame->f_back;
#endif
}

static const void *frame_owner(PyFrameObject *frame)
{
#if PY_AT_LEAST(3, 11)
	return frame->f_frame;
#else
	return frame;
#endif
}

/*
 * In 3.11 the call that makes a generator or a coroutine runs a frame as well, up to the
 * instruction that makes it: nothing of the function has been done yet.
 */
static inline int only_makes_generator(eval_frame *frame)
{
#if PY_AT_LEAST(3, 11)
	return frame->owner != FRAME_OWNED_BY_GENERATOR;
#else
	(void)frame;
	return 0;
#endif
}

/*
 * Below this address the stack is too deep for the hook. When the next frame has to be checked
 * for other reasons no address is good enough: one comparison asks for both.
 */
static __thread uintptr_t stack_limit __attribute__((tls_model("initial-exec"))) = UINTPTR_MAX;

/*
 * track.older: frames that were on the stack when recording started are in the track, outermost,
 * but no event reports their return. Those that are no longer among the callers of FRAME have
 * returned; that is checked when one that they called begins. While it runs none of them returns.
 */
static int frame_is_called(const void *caller, eval_frame *frame)
{
	while (frame && frame != caller)
		frame = frame_back(frame);
	return frame != NULL;
}

static void eval_mode(void)
{
	eval_plain = wanted ? code_plain : UINT64_MAX;
}

/* FRAME: NULL to end all of them. */
static void older_end(eval_frame *frame)
{
	track_drop();
	if (track_count() < track.older)
		track.older = track_count(); /* they ended with a zone of the program itself */
	if (track_count() != track.older)
		return;
	while (track.older && !frame_is_called(track.open[track.older - 1].owner, frame)) {
		track_end_last(track.open[track.older - 1].owner);
		track.older--;
	}
}

/* After a stop, when no frame called by them runs. */
static void older_leave(void)
{
	if (track.own > 0)
		track.late = 1;
	else
		older_end(NULL);
}

static void older_begin(void)
{
	track_drop();
	track.late = 0;
	if (track_count())
		return; /* still open from an earlier start, in a frame that still runs */
	stack_begin(0, frame_owner);
	track.older = track_count();
	if (track.older)
		stack_limit = UINTPTR_MAX;
}

/* The slow path for events that need the track: limits and tasks. */
static PyObject *eval_tracked(PyThreadState *state, eval_frame *frame, int throwing, uint32_t word)
{
	PyObject *result;

	track_drop(); /* from another backend: here no end is missed */
	track_begin(word, frame, 0);
	result = frame_evaluate(state, frame, throwing);
	track_drop();
	if (result)
		track_end(frame);
	else
		track_end_unwound(frame, PyErr_Occurred());
	return result;
}

static PyObject *end_zone(PyObject *result, struct tacho_zone zone)
{
	if (!result && zone.word)
		zone_unwound(zone, PyErr_Occurred());
	tacho_end(zone);
	return result;
}

static PyObject *eval_any(PyThreadState *state, eval_frame *frame, int throwing)
{
	uint64_t key = tacho_key();
	struct tacho_zone zone;
	uint32_t word;

	seen = 1;
	if (!key || !wanted || !(word = code_word(frame_code(frame))) ||
	    (word & CODE_GENERATOR && only_makes_generator(frame)))
		return frame_evaluate(state, frame, throwing);
	if (word & CODE_COROUTINE || special)
		return eval_tracked(state, frame, throwing, word);
	zone = tacho_begin_word(key, word & ~CODE_FLAGS);
	return end_zone(frame_evaluate(state, frame, throwing), zone);
}

#if PY_AT_LEAST(3, 11)
/* The body of a class always takes this path. */
static PyObject *eval_class(PyThreadState *state, eval_frame *frame, int throwing)
{
	PyObject *result = eval_any(state, frame, throwing);

	getitem_hold(frame->f_locals);
	code_unknown(frame_code(frame));
	return result;
}
#else
#define eval_class eval_any
#endif

/* The general path for any frame. */
static __attribute__((noinline)) PyObject *eval_slow(PyThreadState *state, eval_frame *frame,
						     int throwing)
{
	if (getitem_is_defined(frame_code(frame)))
		return eval_class(state, frame, throwing);
	return eval_any(state, frame, throwing);
}

/*
 * ---- the usual frame
 *
 * The fast path makes no call before the frame runs, and keeps only one word across it: the less
 * there is to save, the less a call costs in time and stack. So unusual cases are handled by
 * functions in tail position.
 */

static inline struct tacho_zone zone_of(uint64_t zone)
{
	return (struct tacho_zone){(uint32_t)zone, (uint32_t)(zone >> 32)};
}

/* The rest of eval_zone() when its begin reaches the end of a segment. */
static __attribute__((noinline)) PyObject *eval_full(PyThreadState *state, eval_frame *frame,
						     int throwing, uint64_t zone, uint64_t now)
{
	if (!tacho_emit_full(zone >> 32 << 32, now, (uint32_t)zone | TACHO_KIND_BEGIN))
		zone = 0;
	return end_zone(frame_evaluate(state, frame, throwing), zone_of(zone));
}

static __attribute__((noinline)) PyObject *end_unwound(uint64_t zone)
{
	return end_zone(NULL, zone_of(zone));
}

static __attribute__((noinline)) PyObject *end_slow(PyObject *result, uint64_t zone, uint64_t now)
{
	tacho_emit_slow(zone >> 32 << 32, now, (uint32_t)zone | TACHO_KIND_END);
	return result;
}

static __attribute__((noinline)) PyObject *end_full(PyObject *result, uint64_t zone, uint64_t now)
{
	tacho_emit_full(zone >> 32 << 32, now, (uint32_t)zone | TACHO_KIND_END);
	return result;
}

/*
 * Load VALUE before the clock is read: a later load stalls, which costs an empty function 3 %. The
 * compiler would load it where it is compared.
 */
static inline uint64_t word_load(uint64_t value)
{
	__asm__ volatile("" : "+r"(value));
	return value;
}

static __attribute__((noinline)) PyObject *eval_end(PyObject *result, uint64_t zone)
{
	struct tacho_thread *self = tacho_self;
	uint64_t joined, now, position;

	if (__builtin_expect(!result, 0))
		return end_unwound(zone);
	joined = word_load(self->key);
	now = tacho_ticks();
	if (!tacho_fits(joined, zone >> 32 << 32, now))
		return end_slow(result, zone, now);
	position = tacho_claim(self, 8);
	if (tacho_is_full(position))
		return end_full(result, zone, now);
	tacho_store(position, now, (uint32_t)zone | TACHO_KIND_END);
	return result;
}

static inline __attribute__((always_inline)) PyObject *
eval_zone(PyThreadState *state, eval_frame *frame, int throwing, uint32_t word)
{
	struct tacho_thread *self = tacho_self;
	uint64_t key = tacho_key(), joined = word_load(self->key), now = tacho_ticks();
	uint64_t position, zone;

	if (!tacho_fits(joined, key, now))
		return eval_slow(state, frame, throwing);
	zone = key >> 32 << 32 | word;
	position = tacho_claim(self, 8);
	if (tacho_is_full(position))
		return eval_full(state, frame, throwing, zone, now);
	tacho_store(position, now, word | TACHO_KIND_BEGIN);
	ring_prefetch(position);
	return eval_end(frame_evaluate(state, frame, throwing), zone);
}

/* A step of a task: the zone of its coroutine has the task's name. */
static __attribute__((noinline)) PyObject *eval_task(PyThreadState *state, eval_frame *frame,
						     int throwing, uint32_t word)
{
	size_t size;
	const char *name = task_name(&size);
	struct tacho_zone zone = tacho_begin_word(tacho_key(), word);
	PyObject *result;

	if (name)
		tacho_zone_text(zone, name, size);
	track.coroutines++;
	result = frame_evaluate(state, frame, throwing);
	track.coroutines--;
	return end_zone(result, zone);
}

/* Coroutines, unwanted functions, and those not yet cached. */
static __attribute__((noinline)) PyObject *eval_other(PyThreadState *state, eval_frame *frame,
						      int throwing)
{
	uint64_t value = code_value(frame_code(frame)) ^ eval_plain;
	uint32_t word = (uint32_t)value & ~CODE_FLAGS;

	if (value >> CODE_GENERATION_SHIFT)
		return eval_slow(state, frame, throwing);
	if (!value || only_makes_generator(frame))
		return frame_evaluate(state, frame, throwing);
	if (track.coroutines)
		return eval_zone(state, frame, throwing, word);
	/* A task runs the outermost one. */
	return settings.task_tracks ? eval_slow(state, frame, throwing)
				    : eval_task(state, frame, throwing, word);
}

#if PY_AT_LEAST(3, 11)
/* The share of a thread's stack for frames that run through the hook. */
#define STACK_SHARE(size) ((size) / 2)

static int reported;

static uintptr_t stack_measure(void)
{
	pthread_attr_t attributes;
	void *low = NULL;
	size_t size = 0;
	uintptr_t limit = 0;

	if (pthread_getattr_np(pthread_self(), &attributes))
		return 0;
	if (!pthread_attr_getstack(&attributes, &low, &size)) {
		uintptr_t high = (uintptr_t)low + size;

		/* An unlimited stack is as large as the address space: assume the usual size. */
		if (size > 64u << 20)
			size = 8u << 20;
		limit = high - STACK_SHARE(size);
	}
	pthread_attr_destroy(&attributes);
	return limit;
}

/*
 * A call from Python to Python needs no C stack, so programs recurse 100,000 deep; with a hook each
 * call needs some. At this depth the hook is removed until the frame returns: its calls are not
 * recorded (nor those of other threads meanwhile), and the zone says so.
 */
static PyObject *eval_unseen(PyThreadState *state, eval_frame *frame, int throwing)
{
	static const char text[] = "calls below this depth are not recorded";
	struct tacho_zone zone = {0, 0};
	uint32_t word;
	PyObject *result;

	if (wanted && tacho_is_recording() && (word = code_word(frame_code(frame)))) {
		zone = tacho_begin_word(tacho_key(), word & ~CODE_FLAGS);
		tacho_zone_text(zone, text, sizeof(text) - 1);
		if (!reported++)
			tacho_messagef(TACHO_WARNING, 0,
				       "Python recursion is so deep that %s (said once)", text);
	}
	if (!deep++)
		eval_update(0);
	result = _PyEval_EvalFrameDefault(state, frame, throwing);
	if (!--deep)
		eval_update(wanted);
	tacho_end(zone);
	return result;
}

#if PY_AT_LEAST(3, 12)
/* Switches to sys.monitoring for functions, which needs no C stack. 0: not available. */
static int eval_hand_over(void)
{
	PyObject *type, *value, *traceback;
	int done;

	PyErr_Fetch(&type, &value, &traceback);
	done = !monitor_take_over();
	PyErr_Clear();
	PyErr_Restore(type, value, traceback);
	if (done) {
		wanted = 0;
		eval_mode();
		eval_update(0);
	}
	return done;
}

static PyObject *eval_deep(PyThreadState *state, eval_frame *frame, int throwing)
{
	int half = state->c_recursion_remaining / 2; /* as much as is left of the stack */
	PyObject *result;

	if (!wanted || !eval_hand_over())
		return eval_unseen(state, frame, throwing);
	state->c_recursion_remaining -= half;
	result = previous(state, frame, throwing);
	state->c_recursion_remaining += half;
	return result;
}
#else
#define eval_deep eval_unseen
#endif

#else
static uintptr_t stack_measure(void)
{
	return 0; /* a call needs C stack with or without the hook: Python has a limit for it */
}

static PyObject *eval_deep(PyThreadState *state, eval_frame *frame, int throwing)
{
	return previous(state, frame, throwing);
}
#endif

/* The first frame of this thread, or one called by an older frame: no other runs now. */
static PyObject *eval_outermost(PyThreadState *state, eval_frame *frame, int throwing)
{
	static __thread uintptr_t measured __attribute__((tls_model("initial-exec"))) = UINTPTR_MAX;
	PyObject *result;

	if (measured == UINTPTR_MAX)
		measured = stack_measure();
	stack_limit = measured;
	if (!track.older)
		return eval_hook(state, frame, throwing);
	older_end(frame_back(frame));
	result = eval_hook(state, frame, throwing);
	if (!wanted)
		older_leave();
	if (track.older)
		stack_limit = UINTPTR_MAX;
	return result;
}

static __attribute__((noinline)) PyObject *eval_low(PyThreadState *state, eval_frame *frame,
						    int throwing)
{
	if (stack_limit == UINTPTR_MAX)
		return eval_outermost(state, frame, throwing);
	if (previous != _PyEval_EvalFrameDefault)
		return previous(state, frame, throwing);
	return eval_deep(state, frame, throwing);
}

/* An address in the stack, without a frame pointer if possible. */
static inline uintptr_t stack_now(void)
{
#if defined(__x86_64__)
	uintptr_t now;

	__asm__("mov %%rsp, %0" : "=r"(now));
	return now;
#else
	return (uintptr_t)__builtin_frame_address(0);
#endif
}

static PyObject *eval_hook(PyThreadState *state, eval_frame *frame, int throwing)
{
	uint32_t word;

	if (__builtin_expect(stack_now() < stack_limit, 0))
		return eval_low(state, frame, throwing);
	word = code_quick(frame_code(frame), eval_plain);
	if (__builtin_expect(!word, 0))
		return eval_other(state, frame, throwing);
	if (__builtin_expect(word & CODE_GENERATOR, 0)) {
		if (only_makes_generator(frame))
			return frame_evaluate(state, frame, throwing);
		word &= ~CODE_GENERATOR;
	}
	return eval_zone(state, frame, throwing, word);
}

static int eval_start(void)
{
#if PY_AT_LEAST(3, 12)
	if (monitor_forget() < 0)
		return -1;
#endif
	wanted = 1;
	track_resume();
	special = settings.max_depth || settings.min_ticks;
	getitem_hold_all();
	older_begin();
	eval_mode();
	eval_update(!deep);
	return 0;
}

static int eval_stop(void)
{
	wanted = 0;
	eval_mode();
	eval_update(0);
	if (stack_limit == UINTPTR_MAX) /* otherwise when the outermost frame returns */
		older_leave();
	return 0;
}

/* A hook above ours may or may not call it: call a Python function to find out. */
static int eval_displaced(void)
{
	_PyFrameEvalFunction top = _PyInterpreterState_GetEvalFrameFunc(PyInterpreterState_Get());
	PyObject *result;

	if (top == eval_hook || deep || !settings.filter)
		return 0;
	seen = 0;
	eval_plain = UINT64_MAX;
	result = PyObject_CallFunction(settings.filter, "ss", "", "");
	eval_mode();
	Py_XDECREF(result);
	return result ? !seen : -1;
}

int eval_is_free(void)
{
	return _PyInterpreterState_GetEvalFrameFunc(PyInterpreterState_Get()) ==
	       _PyEval_EvalFrameDefault;
}

const struct backend backend_eval = {"eval", eval_start, eval_stop, eval_displaced};

#endif
