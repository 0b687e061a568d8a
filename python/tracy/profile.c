/*
 * Calls of C functions and lines, before 3.12: a profile function or a trace function in C. Both
 * belong to a thread: those that run are given it, those that start later are told by way of
 * threading.setprofile().
 */
#define Py_BUILD_CORE
#include "_tracy.h"

#if !PY_AT_LEAST(3, 12)

#if PY_AT_LEAST(3, 11)
#include <internal/pycore_frame.h>
#endif

/* Without a new reference, unlike PyFrame_GetCode(): the frame is there. */
static inline PyCodeObject *frame_code(PyFrameObject *frame)
{
#if PY_AT_LEAST(3, 11)
	return frame->f_frame->f_code;
#else
	return frame->f_code;
#endif
}

/* The interpreter has set f_lineno before it tells of a line. */
static inline int frame_line(PyFrameObject *frame)
{
	return frame->f_lineno ? frame->f_lineno : PyFrame_GetLineNumber(frame);
}

/* ARG: the value that is returned, NULL when an exception leaves the function. */
static void profile_return(PyCodeObject *code, PyObject *arg)
{
	if (arg)
		track_end(code);
	else
		track_end_unwound(code, PyErr_Occurred());
}

static __attribute__((noinline)) int profile_slow(PyFrameObject *frame, int what, PyObject *arg)
{
	PyCodeObject *code;

	switch (what) {
	case PyTrace_CALL:
		code = frame_code(frame);
		track_begin(code_word(code), code, 1);
		break;
	case PyTrace_RETURN:
		profile_return(frame_code(frame), arg);
		break;
	case PyTrace_LINE:
		track_line(frame_code(frame), frame_line(frame));
		break;
	case PyTrace_C_RETURN:
		track_end(arg);
		break;
	case PyTrace_C_EXCEPTION:
		if (code_word(frame_code(frame)))
			track_end_unwound(arg, PyErr_Occurred());
		break;
	default:
		break;
	}
	return 0;
}

static int profile_event(PyObject *self, PyFrameObject *frame, int what, PyObject *arg)
{
	PyCodeObject *code = frame_code(frame);

	(void)self;
	switch (what) {
	case PyTrace_CALL:
		if (track_begin_fast(code_quick(code, code_plain), code))
			return 0;
		break;
	case PyTrace_RETURN:
		if (arg && track_end_fast(code))
			return 0;
		break;
	/* What a function that is not wanted calls is not wanted either. */
	case PyTrace_C_CALL:
		if (code_word(code))
			callable_begin(arg);
		return 0;
	case PyTrace_C_RETURN:
		if (!code_word(code) || track_end_fast(arg))
			return 0;
		break;
	default:
		break;
	}
	return profile_slow(frame, what, arg);
}

static int trace_event(PyObject *self, PyFrameObject *frame, int what, PyObject *arg)
{
	PyCodeObject *code = frame_code(frame);

	if (what == PyTrace_LINE && track_line_fast(code, frame_line(frame)))
		return 0;
	if (what == PyTrace_RETURN && arg && track_end_with_line_fast(code))
		return 0;
	return profile_event(self, frame, what, arg);
}

static Py_tracefunc profile_function(void)
{
	return settings.lines ? trace_event : profile_event;
}

static void profile_set(PyThreadState *state, int on)
{
	Py_tracefunc function = on ? profile_function() : NULL;

	if ((settings.lines ? _PyEval_SetTrace(state, function, NULL)
			    : _PyEval_SetProfile(state, function, NULL)) < 0)
		PyErr_Clear(); /* an audit hook forbids it */
}

static Py_tracefunc profile_now(PyThreadState *state)
{
	return settings.lines ? state->c_tracefunc : state->c_profilefunc;
}

/* Threads that run already. Somebody who has a place keeps it. */
static void profile_all(int on)
{
	PyThreadState *state = PyInterpreterState_ThreadHead(PyInterpreterState_Get());

	for (; state; state = PyThreadState_Next(state)) {
		if (profile_now(state) == (on ? NULL : profile_function()))
			profile_set(state, on);
	}
}

/* The first event of a new thread comes here, and puts the C function in its own place. */
static PyObject *profile_thread(PyObject *self, PyObject *args)
{
	(void)self;
	(void)args;
	profile_set(PyThreadState_Get(), 1);
	Py_RETURN_NONE;
}

static PyMethodDef thread_method = {"tracy_thread", profile_thread, METH_VARARGS, NULL};

static int profile_threads(int on)
{
	PyObject *threading = PyImport_ImportModule("threading");
	PyObject *function = NULL, *result = NULL;

	if (!threading)
		return -1;
	function = on ? PyCFunction_New(&thread_method, NULL) : Py_NewRef(Py_None);
	if (function)
		result = PyObject_CallMethod(threading, settings.lines ? "settrace" : "setprofile",
					     "O", function);
	Py_XDECREF(function);
	Py_DECREF(threading);
	Py_XDECREF(result);
	return result ? 0 : -1;
}

static int profile_start(void)
{
	if (profile_now(PyThreadState_Get())) {
		PyErr_Format(PyExc_RuntimeError,
			     "tracy: another %s is active (sys.%s); only one can be",
			     settings.lines ? "debugger or coverage tool" : "profiler",
			     settings.lines ? "settrace" : "setprofile");
		return -1;
	}
	if (profile_threads(1) < 0)
		return -1;
	track_epoch++;
	profile_all(1);
	return 0;
}

static int profile_stop(void)
{
	profile_all(0);
	track_clear();
	return profile_threads(0);
}

static int profile_displaced(void)
{
	return profile_now(PyThreadState_Get()) != profile_function();
}

const struct backend backend_profile = {"profile", profile_start, profile_stop, profile_displaced};

#endif
