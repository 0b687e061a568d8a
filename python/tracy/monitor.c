/*
 * From 3.12 on: sys.monitoring, for functions, C calls and lines, in all threads. Functions that
 * are not wanted cost nothing, and no call needs C stack.
 */
#include "quick.h"

#if PY_AT_LEAST(3, 12)

static PyObject *disable; /* sys.monitoring.DISABLE: no more of this event at this place */
static int tool = -1;
static PyObject *functions; /* a list: where events are on for one function alone, or NULL */

static PyCodeObject *code_of(PyObject *const *args)
{
	return (PyCodeObject *)args[0];
}

/* What the interpreter calls: no method object, which would check more on the way. */
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
	if (code_word(code_of(args)))
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

/* Calls of Python functions have events of their own, and no C_RETURN. */
static PyObject *callee(PyObject *callable)
{
	if (PyMethod_Check(callable))
		callable = PyMethod_GET_FUNCTION(callable);
	return PyFunction_Check(callable) ? NULL : callable;
}

/* What a function that is not wanted calls is not wanted either. */
CALLBACK(on_call)
{
	PyObject *callable = callee(args[2]);

	if (!code_word(code_of(args)))
		return Py_NewRef(disable);
	if (callable && !quick_begin(quick_callable_word(callable), callable))
		callable_begin(callable);
	Py_RETURN_NONE;
}

CALLBACK(on_c_return)
{
	PyObject *callable = callee(args[2]);

	if (callable && code_word(code_of(args)) && !quick_end(callable))
		track_end(callable);
	Py_RETURN_NONE;
}

/* Which exception it is, it is not told. */
CALLBACK(on_c_raise)
{
	PyObject *callable = callee(args[2]);

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

static struct {
	const char *event;
	enum when when;
	struct callback callback;
} events[] = {
#define EVENT(name, when, function)                                 \
	{                                                           \
		name, when,                                         \
		{                                                   \
			PyObject_HEAD_INIT(&callback_type) function \
		}                                                   \
	}
	EVENT("PY_START", ALWAYS, on_begin),   EVENT("PY_RESUME", ALWAYS, on_begin),
	EVENT("PY_THROW", ALWAYS, on_throw),   EVENT("PY_RETURN", ALWAYS, on_end),
	EVENT("PY_YIELD", ALWAYS, on_end),     EVENT("PY_UNWIND", ALWAYS, on_unwind),
	EVENT("CALL", C_CALLS, on_call),       EVENT("C_RETURN", C_CALLS, on_c_return),
	EVENT("C_RAISE", C_CALLS, on_c_raise), EVENT("LINE", LINES, on_line),
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

/* Sets the callback of an event, NULL: takes it away; its bit of the event set, or -1. */
static long monitor_register(PyObject *monitoring, const char *name, struct callback *callback)
{
	PyObject *set = PyObject_GetAttrString(monitoring, "events");
	PyObject *event = set ? PyObject_GetAttrString(set, name) : NULL;
	PyObject *function = callback ? (PyObject *)callback : Py_None;
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

static int monitor_events(PyObject *monitoring)
{
	PyObject *result;
	long mask = 0;

	for (size_t i = 0; i < EVENTS; i++) {
		long bit;

		if ((events[i].when == C_CALLS && !settings.c_calls) ||
		    (events[i].when == LINES && !settings.lines))
			continue;
		bit = monitor_register(monitoring, events[i].event, &events[i].callback);
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

/* Turns the events of MASK on in functions that threads were in, and no others there. */
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

static int monitor_release(PyObject *monitoring)
{
	PyObject *result;

	if (monitor_call(monitoring, "set_events", "il", 0) < 0 ||
	    monitor_functions(monitoring, 0) < 0)
		return -1;
	Py_CLEAR(functions);
	/* Else they would be called for the next one who takes the number. */
	for (size_t i = 0; i < EVENTS; i++) {
		if (monitor_register(monitoring, events[i].event, NULL) < 0)
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

	if (!monitoring || (tool >= 0 && monitor_release(monitoring) < 0) ||
	    PyType_Ready(&callback_type) < 0 || monitor_take_tool(monitoring) < 0)
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

/* --------------------------------------------- other threads after a stop
 *
 * Only a thread itself can end its zones. Of those that are in functions with zones the next return
 * is waited for: else what they have open would last until the end of the trace. That costs calls of
 * these very functions, and exceptions, until all have come by or it is started again.
 */

static int waited_for; /* threads */

CALLBACK(on_leave)
{
	(void)args;
	if (track_drop() && !--waited_for && monitor_release(monitor_module()) < 0)
		PyErr_Clear();
	Py_RETURN_NONE;
}

static int has_zones(PyCodeObject *code)
{
	uint64_t value = code_value(code);

	return value >> CODE_GENERATION_SHIFT == code_generation && (uint32_t)value & ~CODE_FLAGS;
}

/* The innermost function of a thread that has zones; a new reference, or NULL. */
static PyObject *function_of(PyThreadState *state)
{
	PyFrameObject *frame = PyThreadState_GetFrame(state);

	while (frame) {
		PyFrameObject *back = PyFrame_GetBack(frame);
		PyCodeObject *code = PyFrame_GetCode(frame);

		Py_DECREF(frame);
		if (has_zones(code)) {
			Py_XDECREF(back);
			return (PyObject *)code;
		}
		Py_DECREF(code);
		frame = back;
	}
	return NULL;
}

/* A list of those of all threads but this one, or NULL. */
static PyObject *functions_of_others(void)
{
	PyThreadState *state = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
	PyObject *list = PyList_New(0);

	for (; list && state; state = PyThreadState_Next(state)) {
		PyObject *code = state == PyThreadState_Get() ? NULL : function_of(state);

		if (code && PyList_Append(list, code) < 0)
			Py_CLEAR(list);
		Py_XDECREF(code);
	}
	return list;
}

static int monitor_wait(PyObject *monitoring)
{
	static struct callback callback = {PyObject_HEAD_INIT(&callback_type) on_leave};
	static const char *const names[] = {"PY_RETURN", "PY_YIELD", "PY_UNWIND"};
	long bits[3];

	functions = functions_of_others();
	if (!functions)
		return -1;
	waited_for = (int)PyList_GET_SIZE(functions);
	if (!waited_for)
		return 0;
	if (monitor_take_tool(monitoring) < 0)
		return -1;
	for (int i = 0; i < 3; i++) {
		bits[i] = monitor_register(monitoring, names[i], &callback);
		if (bits[i] < 0)
			return -1;
	}
	/* An exception that leaves a function is an event of all functions or none. */
	if (monitor_functions(monitoring, bits[0] | bits[1]) < 0)
		return -1;
	return monitor_call(monitoring, "set_events", "il", bits[2]);
}

static int monitor_stop(void)
{
	PyObject *monitoring = monitor_module();

	if (!monitoring || monitor_release(monitoring) < 0)
		return -1;
	track_stop();
	if (monitor_wait(monitoring) < 0) {
		PyErr_Clear(); /* it is stopped all the same */
		return tool >= 0 ? monitor_release(monitoring) : 0;
	}
	return 0;
}

/* The number is ours until we give it back, unless somebody gives back what he never took. */
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
