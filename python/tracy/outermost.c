/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the program as if none of our frames were below it on the stack: its frames, tracebacks,
 * faulthandler and the recursion limit start with its own first frame, and the interpreter itself
 * prints its errors.
 */
#include "_tracy.h"

#if PY_AT_LEAST(3, 13)
#define FRAME(state) (state)->current_frame
typedef struct _PyInterpreterFrame *frame_pointer;
#elif PY_AT_LEAST(3, 11)
#define FRAME(state) (state)->cframe->current_frame
typedef struct _PyInterpreterFrame *frame_pointer;
#else
#define FRAME(state) (state)->frame
typedef struct _frame *frame_pointer;
#endif

/* The thread's call depth, as the recursion limit counts it. */
static int depth_get(PyThreadState *state)
{
#if PY_AT_LEAST(3, 12)
	return state->py_recursion_limit - state->py_recursion_remaining;
#elif PY_AT_LEAST(3, 11)
	return state->recursion_limit - state->recursion_remaining;
#else
	return state->recursion_depth;
#endif
}

/* The limit may have changed meanwhile. */
static void depth_set(PyThreadState *state, int depth)
{
#if PY_AT_LEAST(3, 12)
	state->py_recursion_remaining = state->py_recursion_limit - depth;
#elif PY_AT_LEAST(3, 11)
	state->recursion_remaining = state->recursion_limit - depth;
#else
	state->recursion_depth = depth;
#endif
}

/* A call of exec() counts before 3.12, but the interpreter runs a script without one. */
static int depth_of_call(PyObject *function)
{
	return !PY_AT_LEAST(3, 12) && PyCFunction_Check(function);
}

/* The interpreter itself exits on these. */
static int is_an_end(void)
{
	return PyErr_ExceptionMatches(PyExc_SystemExit) ||
	       PyErr_ExceptionMatches(PyExc_KeyboardInterrupt);
}

PyObject *tracy_outermost(PyObject *self, PyObject *arguments)
{
	PyThreadState *state = PyThreadState_Get();
	frame_pointer frame = FRAME(state);
	int depth = depth_get(state), shown = 0;
	PyObject *rest, *result;

	(void)self;
	if (!PyTuple_GET_SIZE(arguments)) {
		PyErr_SetString(PyExc_TypeError, "outermost() needs a function");
		return NULL;
	}
	rest = PyTuple_GetSlice(arguments, 1, PyTuple_GET_SIZE(arguments));
	if (!rest)
		return NULL;
	FRAME(state) = NULL;
	depth_set(state, -depth_of_call(PyTuple_GET_ITEM(arguments, 0)));
	result = PyObject_Call(PyTuple_GET_ITEM(arguments, 0), rest, NULL);
	if (!result && !is_an_end()) {
		PyErr_Print();
		shown = 1;
	}
	FRAME(state) = frame;
	depth_set(state, depth);
	Py_DECREF(rest);
	if (!result && !shown)
		return NULL;
	Py_XDECREF(result);
	return PyBool_FromLong(!shown);
}
