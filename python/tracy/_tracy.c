/* SPDX-License-Identifier: Apache-2.0 */
/* The module: starting and stopping. */
#include "_tracy.h"

#include <time.h>

struct settings settings;
static const struct backend *backend; /* the active backend, or NULL */

void backend_is(const struct backend *other)
{
	backend = other;
}

/*
 * The evaluator is faster. sys.monitoring reports more, skips functions at no cost, and starts
 * better in the middle of a program: it reports when frames of all threads return. 3.13
 * runs the __init__() of a class without the evaluator, once the call is specialised.
 */
static const struct backend *backend_choose(void)
{
#if PY_AT_LEAST(3, 13)
	return &backend_monitor;
#else
#if PY_AT_LEAST(3, 12)
	if (settings.c_calls || settings.lines || settings.asks || settings.stack ||
	    !eval_is_free())
		return &backend_monitor;
#else
	if (settings.c_calls || settings.lines)
		return &backend_profile;
#endif
	return &backend_eval;
#endif
}

/* Converts a time to clock ticks, calibrated against the system clock for a moment. */
static uint64_t ticks_of(double seconds)
{
	struct timespec from, to;
	uint64_t first, last;
	double spent;

	if (!(seconds > 0))
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &from);
	first = tacho_ticks();
	do {
		clock_gettime(CLOCK_MONOTONIC, &to);
		last = tacho_ticks();
		spent = (double)(to.tv_sec - from.tv_sec) +
			(double)(to.tv_nsec - from.tv_nsec) * 1e-9;
	} while (spent < 0.005);
	return (uint64_t)((double)(last - first) / spent * (seconds < 1e6 ? seconds : 1e6)) + 1;
}

static PyObject *tracy_configure(PyObject *self, PyObject *args, PyObject *keywords)
{
	static char *names[] = {"c_calls",      "lines",  "tt_names", "task_tracks", "max_depth",
				"min_duration", "filter", "asks",     "package",     NULL};
	struct settings new = {.asks = 1};
	double min_duration = 0;

	(void)self;
	if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$ppppIdOpU:configure", names,
					 &new.c_calls, &new.lines, &new.tt_names, &new.task_tracks,
					 &new.max_depth, &min_duration, &new.filter, &new.asks,
					 &new.package))
		return NULL;
	if (backend) {
		PyErr_SetString(PyExc_RuntimeError, "tracy: cannot be changed while it is active");
		return NULL;
	}
	if (new.filter == Py_None)
		new.filter = NULL;
	new.min_ticks = ticks_of(min_duration);
	Py_XINCREF(new.filter);
	Py_XINCREF(new.package);
	Py_XDECREF(settings.filter);
	Py_XDECREF(settings.package);
	settings = new;
	code_forget();
	Py_RETURN_NONE;
}

/* start(stack): whether frames on the stack become zones. */
static PyObject *tracy_start(PyObject *self, PyObject *stack)
{
	const struct backend *chosen;

	(void)self;
	if (!backend) {
		settings.stack = PyObject_IsTrue(stack) == 1;
		chosen = backend_choose();
		room_make();
		if (chosen->start() < 0)
			return NULL;
		backend = chosen;
	}
	Py_RETURN_NONE;
}

static PyObject *tracy_stop(PyObject *self, PyObject *unused)
{
	const struct backend *started = backend;

	(void)self;
	(void)unused;
	if (started) {
		backend = NULL;
		callable_forget();
		if (started->stop() < 0)
			return NULL;
	}
	Py_RETURN_NONE;
}

static PyObject *tracy_active(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	if (!backend)
		Py_RETURN_NONE;
	return PyUnicode_FromString(backend->name);
}

static PyObject *tracy_displaced(PyObject *self, PyObject *unused)
{
	int displaced = backend ? backend->displaced() : 0;

	(void)self;
	(void)unused;
	return displaced < 0 ? NULL : PyBool_FromLong(displaced);
}

static PyMethodDef methods[] = {
	{"configure", (PyCFunction)(void (*)(void))tracy_configure, METH_VARARGS | METH_KEYWORDS,
	 "configure(*, c_calls=False, lines=False, tt_names=False, task_tracks=False, max_depth=0, "
	 "min_duration=0.0, filter=None, asks=True, package='')"},
	{"start", tracy_start, METH_O,
	 "start(stack)\n\nFunctions become zones from now on; with stack also those that run."},
	{"stop", tracy_stop, METH_NOARGS, "stop()"},
	{"active", tracy_active, METH_NOARGS,
	 "active() -> str | None\n\nThe source of events that is in use."},
	{"displaced", tracy_displaced, METH_NOARGS,
	 "displaced() -> bool\n\nWhether another profiler has taken its place since start()."},
	{"outermost", tracy_outermost, METH_VARARGS,
	 "outermost(function, *arguments) -> bool\n\nCalls it as if nothing had called us. False: it "
	 "raised an error, which was shown."},
	{NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
	PyModuleDef_HEAD_INIT,
	.m_name = "tracy._tracy",
	.m_doc = "The C part of the package tracy; use that.",
	.m_size = -1,
	.m_methods = methods,
};

PyMODINIT_FUNC PyInit__tracy(void);

PyMODINIT_FUNC PyInit__tracy(void)
{
	PyObject *self;

	if (code_init() < 0 || track_init() < 0 || zone_init() < 0)
		return NULL;
	self = PyModule_Create(&module);
	if (!self)
		return NULL;
	if (PyModule_AddFunctions(self, api_methods) < 0 ||
	    PyModule_AddObject(self, "zone", Py_NewRef((PyObject *)&zone_type)) < 0) {
		Py_DECREF(self);
		return NULL;
	}
	return self;
}
