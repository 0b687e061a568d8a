/*
 * Calls of C functions and lines, before 3.12: a profile function or a trace function in C. Both
 * belong to a thread, so threads that start later are told by way of threading.setprofile().
 */
#include "_tracy.h"

#if !PY_AT_LEAST(3, 12)

static int profile_event(PyObject *self, PyFrameObject *frame, int what, PyObject *arg)
{
	PyCodeObject *code;

	(void)self;
	switch (what) {
	case PyTrace_C_CALL:
		track_begin(callable_word(arg), arg);
		return 0;
	case PyTrace_C_RETURN:
	case PyTrace_C_EXCEPTION:
		track_end(arg);
		return 0;
	case PyTrace_CALL:
	case PyTrace_RETURN:
	case PyTrace_LINE:
		break;
	default:
		return 0;
	}
	code = PyFrame_GetCode(frame);
	if (what == PyTrace_CALL)
		track_begin(code_word(code), code);
	else if (what == PyTrace_RETURN)
		track_end(code);
	else
		track_line(code, PyFrame_GetLineNumber(frame));
	Py_DECREF(code);
	return 0;
}

static void profile_set(int on)
{
	if (settings.lines)
		PyEval_SetTrace(on ? profile_event : NULL, NULL);
	else
		PyEval_SetProfile(on ? profile_event : NULL, NULL);
}

/* The first event of a new thread comes here, and puts the C function in its own place. */
static PyObject *profile_thread(PyObject *self, PyObject *args)
{
	(void)self;
	(void)args;
	profile_set(1);
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
	PyThreadState *state = PyThreadState_Get();

	if (settings.lines ? state->c_tracefunc != NULL : state->c_profilefunc != NULL) {
		PyErr_Format(PyExc_RuntimeError,
			     "tracy: another %s is active (sys.%s); only one can be",
			     settings.lines ? "debugger or coverage tool" : "profiler",
			     settings.lines ? "settrace" : "setprofile");
		return -1;
	}
	if (profile_threads(1) < 0)
		return -1;
	profile_set(1);
	return 0;
}

/* Somebody who took our place meanwhile keeps it. */
static int profile_stop(void)
{
	PyThreadState *state = PyThreadState_Get();
	Py_tracefunc now = settings.lines ? state->c_tracefunc : state->c_profilefunc;

	if (now == profile_event)
		profile_set(0);
	return profile_threads(0);
}

const struct backend backend_profile = {"profile", profile_start, profile_stop};

#endif
