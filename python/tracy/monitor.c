/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From 3.12 on: sys.monitoring, for functions, C calls and lines, in all threads. Unwanted
 * functions cost nothing, and no call needs C stack.
 */
#include "quick.h"

#if PY_AT_LEAST(3, 12)

static PyObject *disable; /* sys.monitoring.DISABLE: no more of this event at this place */
static int tool = -1;
static PyObject *functions; /* a list, after a stop: where events stay enabled; or NULL */

static int monitor_left(void);

static PyCodeObject *code_of(PyObject *const *args)
{
	return (PyCodeObject *)args[0];
}

/* Called by the interpreter directly: a method object would add checks. */
#define CALLBACK(name)                                                                       \
	static PyObject *name(PyObject *self __attribute__((unused)), PyObject *const *args, \
			      size_t count __attribute__((unused)),                          \
			      PyObject *names __attribute__((unused)))

static __attribute__((noinline)) PyObject *begin_slow(PyObject *const *args)
{
	uint32_t word = code_word(code_of(args));

	if (!word)
		return Py_NewRef(disable);
	track_begin(word, args[0], 1);
	Py_RETURN_NONE;
}

CALLBACK(on_begin)
{
	if (!quick_begin(code_value(code_of(args)) ^ code_plain, args[0]))
		return begin_slow(args);
	Py_RETURN_NONE;
}

static __attribute__((noinline)) PyObject *end_slow(PyObject *const *args)
{
	if (!track_limit && monitor_left())
		Py_RETURN_NONE;
	if (settings.lines && quick_end_with_line(code_of(args)))
		Py_RETURN_NONE;
	if (track_end_last(args[0]))
		Py_RETURN_NONE;
	if (!code_word(code_of(args)))
		return Py_NewRef(disable);
	track_end_inner(args[0]);
	Py_RETURN_NONE;
}

CALLBACK(on_end)
{
	if (!quick_end(args[0]))
		return end_slow(args);
	Py_RETURN_NONE;
}

/* The events of exceptions cannot be disabled for one place. */
CALLBACK(on_throw)
{
	track_begin(code_word(code_of(args)), args[0], 1);
	Py_RETURN_NONE;
}

CALLBACK(on_unwind)
{
	if ((track_limit || !monitor_left()) && code_word(code_of(args)))
		track_end_unwound(args[0], args[2]);
	Py_RETURN_NONE;
}

CALLBACK(on_line)
{
	int line = (int)PyLong_AsLong(args[1]);

	if (quick_line(code_of(args), line))
		Py_RETURN_NONE;
	if (!code_word(code_of(args)))
		return Py_NewRef(disable);
	track_line(code_of(args), line);
	Py_RETURN_NONE;
}

/* Calls of Python functions have their own events, and no C_RETURN. */
static PyObject *callable_of(PyObject *callable)
{
	if (PyMethod_Check(callable))
		callable = PyMethod_GET_FUNCTION(callable);
	/* Zones of the program itself are not calls, and end before the call that ends them. */
	if (Py_IS_TYPE(callable, &zone_type) || callable == (PyObject *)&zone_type)
		return NULL;
	return PyFunction_Check(callable) ? NULL : callable;
}

/* Skip calls made by an unwanted function too. */
CALLBACK(on_call)
{
	PyObject *callable = callable_of(args[2]);

	if (!code_word(code_of(args)))
		return Py_NewRef(disable);
	if (callable && !quick_begin(quick_callable_word(callable), callable))
		callable_begin(callable);
	Py_RETURN_NONE;
}

CALLBACK(on_c_return)
{
	PyObject *callable = callable_of(args[2]);

	if (callable && code_word(code_of(args)) && !quick_end(callable))
		track_end(callable);
	Py_RETURN_NONE;
}

/* The event does not name the exception. */
CALLBACK(on_c_raise)
{
	PyObject *callable = callable_of(args[2]);

	if (callable && code_word(code_of(args)))
		track_end_unwound(callable, NULL);
	Py_RETURN_NONE;
}

struct callback {
	PyObject_HEAD;
	vectorcallfunc call;
};

static PyTypeObject callback_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tracy.callback",
	.tp_basicsize = sizeof(struct callback),
	.tp_call = PyVectorcall_Call,
	.tp_vectorcall_offset = offsetof(struct callback, call),
	.tp_flags =
		Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
};

enum when { ALWAYS, C_CALLS, LINES };
/* For one function, for all or none, or with calls. */
enum reach { ONE, ALL, CALLS };

static struct {
	const char *event;
	enum when when;
	enum reach reach;
	struct callback callback;
} events[] = {
#define EVENT(name, when, reach, function)                          \
	{                                                           \
		name, when, reach,                                  \
		{                                                   \
			PyObject_HEAD_INIT(&callback_type) function \
		}                                                   \
	}
	EVENT("PY_START", ALWAYS, ONE, on_begin),
	EVENT("PY_RESUME", ALWAYS, ONE, on_begin),
	EVENT("PY_THROW", ALWAYS, ALL, on_throw),
	EVENT("PY_RETURN", ALWAYS, ONE, on_end),
	EVENT("PY_YIELD", ALWAYS, ONE, on_end),
	EVENT("PY_UNWIND", ALWAYS, ALL, on_unwind),
	EVENT("CALL", C_CALLS, ONE, on_call),
	EVENT("C_RETURN", C_CALLS, CALLS, on_c_return),
	EVENT("C_RAISE", C_CALLS, CALLS, on_c_raise),
	EVENT("LINE", LINES, ONE, on_line),
};
#define EVENTS (sizeof(events) / sizeof(events[0]))

/*
 * Tries each tool id. The one meant for profilers comes last: cProfile takes no other, and a
 * program that uses it should keep working.
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

/* Sets or removes the callback of an event; returns its bit of the event set, or -1. */
static long monitor_register(PyObject *monitoring, size_t i, int on)
{
	PyObject *set = PyObject_GetAttrString(monitoring, "events");
	PyObject *event = set ? PyObject_GetAttrString(set, events[i].event) : NULL;
	PyObject *function = on ? (PyObject *)&events[i].callback : Py_None;
	PyObject *result = NULL;
	long bit = -1;

	if (event)
		result = PyObject_CallMethod(monitoring, "register_callback", "iOO", tool, event,
					     function);
	if (result)
		bit = PyLong_AsLong(event);
	Py_XDECREF(result);
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

/* Sets the callbacks of the settings; MASKS: the bits of each reach. */
static int monitor_callbacks(PyObject *monitoring, long *masks)
{
	for (size_t i = 0; i < EVENTS; i++) {
		long bit;

		if ((events[i].when == C_CALLS && !settings.c_calls) ||
		    (events[i].when == LINES && (!settings.lines || functions)))
			continue;
		bit = monitor_register(monitoring, i, 1);
		if (bit < 0)
			return -1;
		masks[events[i].reach] |= bit;
	}
	return 0;
}

/* Enables the events of MASK, and no others, in each of the functions. */
static int monitor_functions(PyObject *monitoring, long mask)
{
	for (Py_ssize_t i = 0; functions && i < PyList_GET_SIZE(functions); i++) {
		PyObject *code = PyList_GET_ITEM(functions, i);
		PyObject *result = PyObject_CallMethod(monitoring, "set_local_events", "iOl", tool,
						       code, mask);

		if (!result)
			return -1;
		Py_DECREF(result);
	}
	return 0;
}

/* In the functions, or everywhere if there are none. */
static int monitor_events(PyObject *monitoring)
{
	long masks[] = {[ONE] = 0, [ALL] = 0, [CALLS] = 0};
	PyObject *result;

	if (monitor_callbacks(monitoring, masks) < 0)
		return -1;
	if (functions)
		return monitor_functions(monitoring, masks[ONE]) < 0
			       ? -1
			       : monitor_call(monitoring, "set_events", "il", masks[ALL]);
	/* Events that an earlier filter disabled may be wanted now. */
	result = PyObject_CallMethod(monitoring, "restart_events", NULL);
	if (!result)
		return -1;
	Py_DECREF(result);
	return monitor_call(monitoring, "set_events", "il", masks[ONE] | masks[ALL] | masks[CALLS]);
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

	if (monitor_call(monitoring, "set_events", "il", 0) < 0 ||
	    monitor_functions(monitoring, 0) < 0)
		return -1;
	Py_CLEAR(functions);
	/* Otherwise the next owner of the id would call them. */
	for (size_t i = 0; i < EVENTS; i++) {
		if (monitor_register(monitoring, i, 0) < 0)
			return -1;
	}
	result = PyObject_CallMethod(monitoring, "free_tool_id", "i", tool);
	Py_XDECREF(result);
	tool = -1;
	return result ? 0 : -1;
}

static int monitor_take(void)
{
	PyObject *monitoring = monitor_module();
	PyObject *type, *value, *traceback;

	if (!monitoring || monitor_forget() < 0 || PyType_Ready(&callback_type) < 0 ||
	    monitor_take_tool(monitoring) < 0)
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

static int monitor_start(void)
{
	track_restart();
	return monitor_take();
}

int monitor_take_over(void)
{
	settings.stack = 0;
	track_configure();
	if (monitor_take() < 0)
		return -1;
	backend_is(&backend_monitor);
	return 0;
}

/*
 * ------------------------------------------------- threads after a stop
 *
 * Threads in functions with zones have to reach track_leave(), or their open zones would last
 * until the end of the trace. So the events of just these functions, and those of exceptions, stay
 * enabled until all threads have done so or recording restarts.
 */

static int waited_for; /* threads */

/* At the end of a function. 1: no event of this thread is needed. */
static int monitor_left(void)
{
	int had_zones = track_count() > 0;

	if (!track_leave())
		return 0;
	if (had_zones && !--waited_for && monitor_release(monitor_module()) < 0)
		PyErr_Clear();
	return 1;
}

static int has_zones(PyCodeObject *code)
{
	uint64_t value = code_value(code);

	return value >> CODE_GENERATION_SHIFT == code_generation && (uint32_t)value & ~CODE_FLAGS;
}

/* Appends the functions with zones that a thread is in; returns how many, or -1. */
static int add_functions(PyObject *list, PyThreadState *state)
{
	PyFrameObject *frame = PyThreadState_GetFrame(state);
	PyObject *last = NULL;
	int count = 0;

	while (frame) {
		PyFrameObject *back = PyFrame_GetBack(frame);
		PyCodeObject *code = PyFrame_GetCode(frame);

		if (count >= 0 && has_zones(code) && (PyObject *)code != last) {
			last = (PyObject *)code;
			count = PyList_Append(list, last) < 0 ? -1 : count + 1;
		}
		Py_DECREF(code);
		Py_DECREF(frame);
		frame = back;
	}
	return count;
}

/* Those of all threads that may have open zones; returns how many threads, or -1. */
static int add_all_functions(PyObject *list)
{
	PyThreadState *state = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
	int threads = 0;

	for (; state; state = PyThreadState_Next(state)) {
		int count = 0;

		if (state != PyThreadState_Get() || track_count())
			count = add_functions(list, state);
		if (count < 0)
			return -1;
		threads += count > 0;
	}
	return threads;
}

static int monitor_wait(PyObject *monitoring)
{
	functions = PyList_New(0);
	waited_for = functions ? add_all_functions(functions) : -1;
	if (waited_for > 0 && !monitor_take_tool(monitoring))
		return monitor_events(monitoring);
	Py_CLEAR(functions);
	return waited_for ? -1 : 0;
}

static int monitor_stop(void)
{
	PyObject *monitoring = monitor_module();

	if (!monitoring || monitor_release(monitoring) < 0)
		return -1;
	track_stop();
	track_leave();
	if (monitor_wait(monitoring) < 0) {
		PyErr_Clear(); /* stop in any case */
		return monitor_forget();
	}
	return 0;
}

int monitor_forget(void)
{
	PyObject *monitoring = tool >= 0 ? monitor_module() : NULL;

	return tool < 0 || (monitoring && !monitor_release(monitoring)) ? 0 : -1;
}

/* The id is ours until we free it, unless other code frees an id that it does not own. */
static int monitor_displaced(void)
{
	PyObject *monitoring = monitor_module();
	PyObject *name = monitoring ? PyObject_CallMethod(monitoring, "get_tool", "i", tool) : NULL;
	int ours =
		name && PyUnicode_Check(name) && !PyUnicode_CompareWithASCIIString(name, "tacho");

	Py_XDECREF(name);
	return PyErr_Occurred() ? -1 : !ours;
}

const struct backend backend_monitor = {"monitoring", monitor_start, monitor_stop,
					monitor_displaced};

#endif
