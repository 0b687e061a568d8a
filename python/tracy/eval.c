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

/*
 * In 3.11 the call that makes a generator or a coroutine runs a frame as well, up to the
 * instruction that makes it: nothing of the function has been done yet.
 */
static inline int only_makes_generator(eval_frame *frame)
{
#if PY_AT_LEAST(3, 11)
	return __builtin_expect(frame->f_code->co_flags &
					(CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR),
				0) &&
	       frame->owner != FRAME_OWNED_BY_GENERATOR;
#else
	(void)frame;
	return 0;
#endif
}

/* With a limit of depth, the hook must know how deep it is. */
static PyObject *eval_limited(PyThreadState *state, eval_frame *frame, int throwing, uint32_t word)
{
	static __thread uint32_t depth __attribute__((tls_model("initial-exec")));
	struct tacho_zone zone;
	PyObject *result;

	if (depth >= settings.max_depth)
		return previous(state, frame, throwing);
	depth++;
	zone = tacho_zone_begin_id(word >> 2);
	result = previous(state, frame, throwing);
	tacho_end(zone);
	depth--;
	return result;
}

static inline PyObject *eval_zone(PyThreadState *state, eval_frame *frame, int throwing)
{
	uint64_t key = tacho_key();
	uint32_t word;
	struct tacho_zone zone;
	PyObject *result;

	if (!key || !wanted || !(word = code_word(frame->f_code)) || only_makes_generator(frame))
		return previous(state, frame, throwing);
	if (settings.max_depth)
		return eval_limited(state, frame, throwing, word);
	zone = tacho_begin_word(key, word);
	result = previous(state, frame, throwing);
	tacho_end(zone);
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
		zone = tacho_zone_begin_id(word >> 2);
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
	eval_update(!deep);
	return 0;
}

static int eval_stop(void)
{
	wanted = 0;
	eval_update(0);
	return 0;
}

const struct backend backend_eval = {"eval", eval_start, eval_stop};

#endif
