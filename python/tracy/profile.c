/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of C functions and lines, before 3.12: a profile function or a trace function in C. Both
 * belong to a thread: running threads get it directly, later ones by
 * threading.setprofile().
 */
#define Py_BUILD_CORE
#include "quick.h"

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

/* ARG: the return value, NULL if an exception leaves the function. */
static void profile_return(PyCodeObject *code, PyObject *arg)
{
	if (arg)
		track_end(code);
	else
		track_end_unwound(code, PyErr_Occurred());
}

static int started;

static int profile_leave(void);

static __attribute__((noinline)) int profile_slow(PyFrameObject *frame, int what, PyObject *arg)
{
	PyCodeObject *code = frame_code(frame);

	if (!started && profile_leave())
		return 0;
	track_settle(code);
	switch (what) {
	case PyTrace_CALL:
		track_begin(code_word(code), code, 1);
		break;
	case PyTrace_RETURN:
		profile_return(code, arg);
		break;
	case PyTrace_LINE:
		track_line(code, PyFrame_GetLineNumber(frame));
		break;
	/* Skip calls made by an unwanted function too. */
	case PyTrace_C_CALL:
		if (code_word(code))
			callable_begin(arg);
		break;
	case PyTrace_C_RETURN:
		if (code_word(code))
			track_end(arg);
		break;
	case PyTrace_C_EXCEPTION:
		if (code_word(code))
			track_end_unwound(arg, PyErr_Occurred());
		break;
	default:
		break;
	}
	return 0;
}

/*
 * One function for each event: it has enough registers, so none is saved, and it jumps to the slow
 * path where needed.
 */
#define EVENT static __attribute__((noinline)) int

EVENT on_call(PyFrameObject *frame, int what, PyObject *arg)
{
	PyCodeObject *code = frame_code(frame);

	return quick_begin(code_value(code) ^ code_plain, code) ? 0
								: profile_slow(frame, what, arg);
}

EVENT on_return(PyFrameObject *frame, int what, PyObject *arg)
{
	return arg && quick_end(frame_code(frame)) ? 0 : profile_slow(frame, what, arg);
}

EVENT on_c_call(PyFrameObject *frame, int what, PyObject *arg)
{
	return code_quick(frame_code(frame), code_plain) &&
			       quick_begin(quick_callable_word(arg), arg)
		       ? 0
		       : profile_slow(frame, what, arg);
}

EVENT on_c_return(PyFrameObject *frame, int what, PyObject *arg)
{
	return code_quick(frame_code(frame), code_plain) && quick_end(arg)
		       ? 0
		       : profile_slow(frame, what, arg);
}

static int profile_event(PyObject *self, PyFrameObject *frame, int what, PyObject *arg)
{
	(void)self;
	if (what == PyTrace_CALL)
		return on_call(frame, what, arg);
	if (what == PyTrace_RETURN)
		return on_return(frame, what, arg);
	if (what == PyTrace_C_CALL)
		return on_c_call(frame, what, arg);
	if (what == PyTrace_C_RETURN)
		return on_c_return(frame, what, arg);
	return profile_slow(frame, what, arg);
}

/* ------------------------------------------------------------- lines */

EVENT on_call_with_lines(PyFrameObject *frame, int what, PyObject *arg)
{
#if PY_AT_LEAST(3, 11)
	if (quick_enter(frame_code(frame), frame->f_frame->prev_instr))
		return 0;
#endif
	return on_call(frame, what, arg);
}

/* The interpreter sets f_lineno before it reports a line. */
EVENT on_line(PyFrameObject *frame, int what, PyObject *arg)
{
	return quick_line(frame_code(frame), frame->f_lineno) ? 0 : profile_slow(frame, what, arg);
}

EVENT on_return_with_line(PyFrameObject *frame, int what, PyObject *arg)
{
	return arg && quick_end_with_line(frame_code(frame)) ? 0 : profile_slow(frame, what, arg);
}

static int trace_event(PyObject *self, PyFrameObject *frame, int what, PyObject *arg)
{
	(void)self;
	if (what == PyTrace_LINE)
		return on_line(frame, what, arg);
	if (what == PyTrace_CALL)
		return on_call_with_lines(frame, what, arg);
	if (what == PyTrace_RETURN)
		return on_return_with_line(frame, what, arg);
	return profile_slow(frame, what, arg);
}

static Py_tracefunc profile_function(void)
{
	return settings.lines ? trace_event : profile_event;
}

static void profile_set(PyThreadState *state, int lines, Py_tracefunc function)
{
	if ((lines ? _PyEval_SetTrace : _PyEval_SetProfile)(state, function, NULL) < 0)
		PyErr_Clear(); /* an audit hook forbids it */
}

static Py_tracefunc profile_now(PyThreadState *state)
{
	return settings.lines ? state->c_tracefunc : state->c_profilefunc;
}

/* The settings may have changed since the function was installed. */
static void profile_remove(PyThreadState *state)
{
	if (state->c_profilefunc == profile_event)
		profile_set(state, 0, NULL);
	if (state->c_tracefunc == trace_event)
		profile_set(state, 1, NULL);
}

/* After a stop, at an event of this thread. 1: it was the last one needed. */
static int profile_leave(void)
{
	if (!track_leave())
		return 0;
	profile_remove(PyThreadState_Get());
	return 1;
}

/* Running threads. A profiler already installed there stays. */
static void profile_all(void)
{
	PyThreadState *state = PyInterpreterState_ThreadHead(PyInterpreterState_Get());

	for (; state; state = PyThreadState_Next(state)) {
		profile_remove(state);
		if (!profile_now(state))
			profile_set(state, settings.lines, profile_function());
	}
}

/* The first event of a new thread, which installs the C function instead. */
static PyObject *profile_thread(PyObject *self, PyObject *args)
{
	(void)self;
	(void)args;
	profile_set(PyThreadState_Get(), settings.lines, profile_function());
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
	profile_remove(PyThreadState_Get());
	if (profile_now(PyThreadState_Get())) {
		PyErr_Format(PyExc_RuntimeError,
			     "tracy: another %s is active (sys.%s); only one can be",
			     settings.lines ? "debugger or coverage tool" : "profiler",
			     settings.lines ? "settrace" : "setprofile");
		return -1;
	}
	if (profile_threads(1) < 0)
		return -1;
	track_restart();
	started = 1;
	profile_all();
	return 0;
}

/* The other threads keep the function: otherwise their open zones would last until the end. */
static int profile_stop(void)
{
	started = 0;
	track_stop();
	profile_leave();
	return profile_threads(0);
}

static int profile_displaced(void)
{
	return profile_now(PyThreadState_Get()) != profile_function();
}

const struct backend backend_profile = {"profile", profile_start, profile_stop, profile_displaced};

#endif
