/*
 * Python functions by a frame evaluator (PEP 523). Unlike a profile function it leaves the
 * interpreter's specialised instructions on and needs no frame objects: a loop without calls runs
 * at full speed. From 3.12 on sys.monitoring does better.
 */
#define Py_BUILD_CORE
#include "_tracy.h"

#if !PY_AT_LEAST(3, 12)

#include <pthread.h>

#if PY_AT_LEAST(3, 11)
#include <internal/pycore_frame.h>
typedef _PyInterpreterFrame eval_frame;
#else
typedef PyFrameObject eval_frame;
#endif

static _PyFrameEvalFunction previous; /* whom we call: the default one, or somebody's hook */
static int wanted;                    /* between start and stop */
static int buried;                    /* below a hook that somebody set after ours */
static int special;                   /* limits were asked for: each zone is tracked */
static uint32_t eval_plain;           /* code_generation, or what it never is: ask on */
static int seen;                      /* a frame came the slow way */
static int deep;                      /* threads whose stack is too far down for the hook */

static PyObject *eval_hook(PyThreadState *state, eval_frame *frame, int throwing);

/*
 * Puts the hook on top, or takes it away. A hook that was set after ours calls ours: then nothing
 * is changed, and ours just passes calls on while it is not wanted.
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
 * Frames that were on the stack when recording started are in the track, outermost, but nobody
 * tells when they return. Those that are no longer among the callers of FRAME have; it is asked
 * when one that they called begins.
 */
static __thread uint32_t older __attribute__((tls_model("initial-exec")));
static int threads_with_older;

static int calls(const void *caller, eval_frame *frame)
{
	while (frame && frame != caller)
		frame = frame_back(frame);
	return frame != NULL;
}

static void eval_mode(void)
{
	eval_plain = wanted && !special && !threads_with_older ? code_generation : UINT32_MAX;
}

/* FRAME: NULL when all of them are to end. */
static void older_end(eval_frame *frame)
{
	if (!older || track.count != older)
		return;
	while (older && !calls(track.open[older - 1].owner, frame)) {
		track_end_last(track.open[older - 1].owner);
		older--;
	}
	threads_with_older -= !older;
	eval_mode();
}

static void older_begin(void)
{
	track.epoch = track_epoch;
	if (track.count)
		return; /* still open from an earlier start, in a frame that goes on */
	stack_begin(0, frame_owner);
	older = track.count;
	threads_with_older += older != 0;
}

/* The way for what needs the track: limits, tasks, frames that are older than the start. */
static PyObject *eval_tracked(PyThreadState *state, eval_frame *frame, int throwing, uint32_t word)
{
	PyObject *result;

	track.epoch = track_epoch; /* ends cannot be missed here, so there is nothing to renew */
	older_end(frame_back(frame));
	track_begin(word, frame, 0);
	result = previous(state, frame, throwing);
	if (result)
		track_end(frame);
	else
		track_end_unwound(frame, PyErr_Occurred());
	if (!wanted)
		older_end(NULL);
	return result;
}

/* Any frame, with all questions asked. */
static __attribute__((noinline)) PyObject *eval_slow(PyThreadState *state, eval_frame *frame,
						     int throwing)
{
	uint64_t key = tacho_key();
	uint32_t word;
	struct tacho_zone zone;
	PyObject *result;

	seen = 1;
	if (!key || !wanted || !(word = code_word(frame->f_code)) ||
	    (word & CODE_GENERATOR && only_makes_generator(frame)))
		return previous(state, frame, throwing);
	if (word & CODE_COROUTINE || special || threads_with_older)
		return eval_tracked(state, frame, throwing, word);
	zone = tacho_begin_word(key, word & ~CODE_FLAGS);
	result = previous(state, frame, throwing);
	if (!result && zone.word)
		zone_unwound(zone, PyErr_Occurred());
	tacho_end(zone);
	return result;
}

/* The rest of eval_zone() when its begin comes to the end of a segment. */
static __attribute__((noinline)) PyObject *eval_full(PyThreadState *state, eval_frame *frame,
						     int throwing, uint64_t key, uint64_t now,
						     uint32_t word)
{
	struct tacho_zone zone = {0, (uint32_t)(key >> 32)};
	PyObject *result;

	if (tacho_emit_full(key, now, word | TACHO_KIND_BEGIN))
		zone.word = word;
	result = previous(state, frame, throwing);
	if (!result && zone.word)
		zone_unwound(zone, PyErr_Occurred());
	tacho_end(zone);
	return result;
}

/*
 * The usual frame. Before the call it calls nothing itself, and one word is all that lives across
 * it: the less there is to save the less a call costs, in time and in stack.
 */
static inline PyObject *eval_zone(PyThreadState *state, eval_frame *frame, int throwing)
{
	uintptr_t extra = (uintptr_t)code_extra_get(frame->f_code, code_index);
	uint32_t word = (uint32_t)extra & ~CODE_FLAGS;
	uint64_t key = tacho_key(), now, position, zone;
	PyObject *result;

	/* Of coroutines, the outermost one is what a task runs. */
	if (__builtin_expect(extra >> 32 != eval_plain, 0) ||
	    (extra & CODE_COROUTINE && !track.coroutines))
		return eval_slow(state, frame, throwing);
	if (!word || ((uint32_t)extra & CODE_GENERATOR && only_makes_generator(frame)))
		return previous(state, frame, throwing);
	now = tacho_ticks();
	if (__builtin_expect((now >> TACHO_WRAP_SHIFT | key) != tacho_self->key, 0))
		return eval_slow(state, frame, throwing);
	position = tacho_claim(tacho_self, 8);
	if (__builtin_expect(!(position & TACHO_SEGMENT), 0))
		return eval_full(state, frame, throwing, key, now, word);
	__atomic_store_n((uint64_t *)(uintptr_t)position,
			 now << TACHO_TICK_SHIFT | word | TACHO_KIND_BEGIN, __ATOMIC_RELEASE);
	zone = key >> 32 << 32 | word;
	result = previous(state, frame, throwing);
	if (__builtin_expect(!result, 0))
		zone_unwound((struct tacho_zone){word, (uint32_t)(zone >> 32)}, PyErr_Occurred());
	tacho_end((struct tacho_zone){(uint32_t)zone, (uint32_t)(zone >> 32)});
	return result;
}

#if PY_AT_LEAST(3, 11)
/* Of the stack of a thread, this part is for frames that go through the hook. */
#define STACK_SHARE(size) ((size) / 2)

/* Below this address the stack is too deep. At first no address is good enough. */
static __thread uintptr_t stack_limit __attribute__((tls_model("initial-exec"))) = UINTPTR_MAX;
static int reported;

static void stack_measure(void)
{
	pthread_attr_t attributes;
	void *low = NULL;
	size_t size = 0;

	stack_limit = 0;
	if (pthread_getattr_np(pthread_self(), &attributes))
		return;
	if (!pthread_attr_getstack(&attributes, &low, &size)) {
		uintptr_t high = (uintptr_t)low + size;

		/* An unlimited stack is as large as the address space: take what is usual. */
		if (size > 64u << 20)
			size = 8u << 20;
		stack_limit = high - STACK_SHARE(size);
	}
	pthread_attr_destroy(&attributes);
}

/*
 * 3.11 runs a call from Python to Python without C stack, so programs recurse 100,000 deep; with a
 * hook each call costs some. So far down the hook is taken away until this frame returns: what it
 * calls is not seen (nor what other threads call meanwhile), and the zone says so.
 */
static PyObject *eval_deep(PyThreadState *state, eval_frame *frame, int throwing)
{
	static const char text[] = "calls below this depth are not recorded";
	struct tacho_zone zone = {0, 0};
	uint32_t word;
	PyObject *result;

	if (stack_limit == UINTPTR_MAX) {
		stack_measure();
		return eval_hook(state, frame, throwing);
	}
	if (previous != _PyEval_EvalFrameDefault)
		return previous(state, frame, throwing);
	if (wanted && tacho_is_recording() && (word = code_word(frame->f_code))) {
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
#endif

static PyObject *eval_hook(PyThreadState *state, eval_frame *frame, int throwing)
{
#if PY_AT_LEAST(3, 11)
	if (__builtin_expect((uintptr_t)__builtin_frame_address(0) < stack_limit, 0))
		return eval_deep(state, frame, throwing);
#endif
	return eval_zone(state, frame, throwing);
}

static int eval_start(void)
{
	wanted = 1;
	special = settings.max_depth || settings.min_ticks;
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
	older_end(NULL);
	return 0;
}

/* A hook above ours calls it, or does not: a Python function is called to see. */
static int eval_displaced(void)
{
	_PyFrameEvalFunction top = _PyInterpreterState_GetEvalFrameFunc(PyInterpreterState_Get());
	PyObject *result;

	if (top == eval_hook || deep || !settings.filter)
		return 0;
	seen = 0;
	eval_plain = UINT32_MAX;
	result = PyObject_CallFunction(settings.filter, "ss", "", "");
	eval_mode();
	Py_XDECREF(result);
	return result ? !seen : -1;
}

const struct backend backend_eval = {"eval", eval_start, eval_stop, eval_displaced};

#endif
