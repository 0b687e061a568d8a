/* From 3.12 on: sys.monitoring, for functions, C calls and lines, in all threads. */
#include "_tracy.h"

#if PY_AT_LEAST(3, 12)

static PyObject *disable; /* sys.monitoring.DISABLE: no more of this event at this place */
static int tool = -1;

static PyCodeObject *code_of(PyObject *const *args)
{
	return (PyCodeObject *)args[0];
}

static PyObject *on_begin(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
	uint32_t word = code_word(code_of(args));

	(void)self, (void)count;
	if (!word)
		return Py_NewRef(disable);
	track_begin(word, args[0]);
	Py_RETURN_NONE;
}

static PyObject *on_end(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
	(void)self, (void)count;
	if (track_end_last(args[0]))
		Py_RETURN_NONE;
	if (!code_word(code_of(args)))
		return Py_NewRef(disable);
	track_end_inner(args[0]);
	Py_RETURN_NONE;
}

/* The events of exceptions cannot be disabled for one place. */
static PyObject *on_throw(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
	(void)self, (void)count;
	track_begin(code_word(code_of(args)), args[0]);
	Py_RETURN_NONE;
}

static PyObject *on_unwind(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
	(void)self, (void)count;
	if (code_word(code_of(args)))
		track_end(args[0]);
	Py_RETURN_NONE;
}

static PyObject *on_line(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
	(void)self, (void)count;
	if (!code_word(code_of(args)))
		return Py_NewRef(disable);
	track_line(code_of(args), (int)PyLong_AsLong(args[1]));
	Py_RETURN_NONE;
}

/* Calls of Python functions have events of their own, and no C_RETURN. */
static PyObject *callee(PyObject *callable)
{
	if (PyMethod_Check(callable))
		callable = PyMethod_GET_FUNCTION(callable);
	return PyFunction_Check(callable) ? NULL : callable;
}

static PyObject *on_call(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
	PyObject *callable = callee(args[2]);

	(void)self, (void)count;
	if (callable)
		track_begin(callable_word(callable), callable);
	Py_RETURN_NONE;
}

static PyObject *on_c_return(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
	PyObject *callable = callee(args[2]);

	(void)self, (void)count;
	if (callable)
		track_end(callable);
	Py_RETURN_NONE;
}

enum when { ALWAYS, C_CALLS, LINES };

#define FAST(function) (PyCFunction)(void (*)(void)) function

static struct {
	const char *event;
	enum when when;
	PyMethodDef method;
} events[] = {
	{"PY_START", ALWAYS, {"py_start", FAST(on_begin), METH_FASTCALL, NULL}},
	{"PY_RESUME", ALWAYS, {"py_resume", FAST(on_begin), METH_FASTCALL, NULL}},
	{"PY_THROW", ALWAYS, {"py_throw", FAST(on_throw), METH_FASTCALL, NULL}},
	{"PY_RETURN", ALWAYS, {"py_return", FAST(on_end), METH_FASTCALL, NULL}},
	{"PY_YIELD", ALWAYS, {"py_yield", FAST(on_end), METH_FASTCALL, NULL}},
	{"PY_UNWIND", ALWAYS, {"py_unwind", FAST(on_unwind), METH_FASTCALL, NULL}},
	{"CALL", C_CALLS, {"call", FAST(on_call), METH_FASTCALL, NULL}},
	{"C_RETURN", C_CALLS, {"c_return", FAST(on_c_return), METH_FASTCALL, NULL}},
	{"C_RAISE", C_CALLS, {"c_raise", FAST(on_c_return), METH_FASTCALL, NULL}},
	{"LINE", LINES, {"line", FAST(on_line), METH_FASTCALL, NULL}},
};
#define EVENTS (sizeof(events) / sizeof(events[0]))

/*
 * A number is free when it can be taken. The one that is meant for profilers comes last: cProfile
 * takes no other, and a program that uses it should go on working.
 */
static int monitor_take_tool(PyObject *monitoring)
{
	static const int numbers[] = {4, 3, 2};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		PyObject *result =
			PyObject_CallMethod(monitoring, "use_tool_id", "is", numbers[i], "tacho");

		if (result) {
			Py_DECREF(result);
			tool = numbers[i];
			return 0;
		}
		if (!PyErr_ExceptionMatches(PyExc_ValueError))
			return -1;
		PyErr_Clear();
	}
	PyErr_SetString(PyExc_RuntimeError,
			"tracy: other profilers have taken all tool numbers of sys.monitoring");
	return -1;
}

/* Sets the callback of an event, or takes it away; its bit of the event set, or -1. */
static long monitor_register(PyObject *monitoring, size_t i, int on)
{
	PyObject *set = PyObject_GetAttrString(monitoring, "events");
	PyObject *event = set ? PyObject_GetAttrString(set, events[i].event) : NULL;
	PyObject *function = on ? PyCFunction_New(&events[i].method, NULL) : Py_NewRef(Py_None);
	PyObject *result = NULL;
	long bit = -1;

	if (event && function)
		result = PyObject_CallMethod(monitoring, "register_callback", "iOO", tool, event,
					     function);
	if (result)
		bit = PyLong_AsLong(event);
	Py_XDECREF(result);
	Py_XDECREF(function);
	Py_XDECREF(event);
	Py_XDECREF(set);
	return bit;
}

static int monitor_call(PyObject *monitoring, const char *method, const char *format, long value)
{
	PyObject *result = PyObject_CallMethod(monitoring, method, format, tool, value);

	Py_XDECREF(result);
	return result ? 0 : -1;
}

static int monitor_events(PyObject *monitoring)
{
	PyObject *result;
	long mask = 0;

	for (size_t i = 0; i < EVENTS; i++) {
		long bit;

		if ((events[i].when == C_CALLS && !settings.c_calls) ||
		    (events[i].when == LINES && !settings.lines))
			continue;
		bit = monitor_register(monitoring, i, 1);
		if (bit < 0)
			return -1;
		mask |= bit;
	}
	/* What an earlier filter had disabled may be wanted now. */
	result = PyObject_CallMethod(monitoring, "restart_events", NULL);
	if (!result)
		return -1;
	Py_DECREF(result);
	return monitor_call(monitoring, "set_events", "il", mask);
}

static PyObject *monitor_module(void)
{
	PyObject *monitoring = PySys_GetObject("monitoring");

	if (!monitoring)
		PyErr_SetString(PyExc_RuntimeError, "tracy: there is no sys.monitoring");
	return monitoring;
}

static int monitor_release(PyObject *monitoring)
{
	PyObject *result;

	if (monitor_call(monitoring, "set_events", "il", 0) < 0)
		return -1;
	/* Else they would be called for the next one who takes the number. */
	for (size_t i = 0; i < EVENTS; i++) {
		if (monitor_register(monitoring, i, 0) < 0)
			return -1;
	}
	result = PyObject_CallMethod(monitoring, "free_tool_id", "i", tool);
	Py_XDECREF(result);
	tool = -1;
	return result ? 0 : -1;
}

static int monitor_start(void)
{
	PyObject *monitoring = monitor_module();
	PyObject *type, *value, *traceback;

	if (!monitoring || monitor_take_tool(monitoring) < 0)
		return -1;
	if (!disable)
		disable = PyObject_GetAttrString(monitoring, "DISABLE");
	if (disable && !monitor_events(monitoring))
		return 0;
	PyErr_Fetch(&type, &value, &traceback);
	if (monitor_release(monitoring) < 0)
		PyErr_Clear();
	PyErr_Restore(type, value, traceback);
	return -1;
}

static int monitor_stop(void)
{
	PyObject *monitoring = monitor_module();

	return monitoring ? monitor_release(monitoring) : -1;
}

const struct backend backend_monitor = {"monitoring", monitor_start, monitor_stop};

#endif
