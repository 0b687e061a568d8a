/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interpreter's own cost of reporting calls, for bench/python.sh: the minimum for any
 * profiler. set("profile"), set("trace") and set("eval") install a function that reads the clock
 * and stores it with one word, in a megabyte that is overwritten again and again; set("") removes
 * it. The object monitor does the same for sys.monitoring.
 */
#define Py_BUILD_CORE
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <frameobject.h>
#include <stddef.h>
#include <string.h>
#include <tacho/detail.h>

#define EVENTS (1u << 16)
static struct {
	uint64_t ticks, what;
} events[EVENTS];
static uint32_t next;

static inline void event_store(uint64_t what)
{
	events[next % EVENTS].ticks = tacho_ticks();
	events[next++ % EVENTS].what = what;
}

static int on_event(PyObject *self, PyFrameObject *frame, int what, PyObject *arg)
{
	(void)self, (void)frame, (void)arg;
	event_store((uint64_t)what);
	return 0;
}

#if PY_VERSION_HEX >= 0x030b0000
typedef struct _PyInterpreterFrame eval_frame;
#else
typedef PyFrameObject eval_frame;
#endif

static PyObject *on_frame(PyThreadState *state, eval_frame *frame, int throwing)
{
	PyObject *result;

	event_store((uintptr_t)frame);
	result = _PyEval_EvalFrameDefault(state, frame, throwing);
	event_store(0);
	return result;
}

/* An object that is called directly: a method object would check its arguments first. */
struct callback {
	PyObject_HEAD;
	vectorcallfunc call;
};

static PyObject *on_monitor(PyObject *self, PyObject *const *args, size_t count, PyObject *names)
{
	(void)self, (void)count, (void)names;
	event_store((uintptr_t)args[0]);
	Py_RETURN_NONE;
}

static PyTypeObject callback_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "python_floor.callback",
	.tp_basicsize = sizeof(struct callback),
	.tp_call = PyVectorcall_Call,
	.tp_vectorcall_offset = offsetof(struct callback, call),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
};
static struct callback monitor = {PyObject_HEAD_INIT(&callback_type) on_monitor};

static PyObject *hook_set(PyObject *self, PyObject *arg)
{
	const char *what = PyUnicode_AsUTF8(arg);

	(void)self;
	if (!what)
		return NULL;
	PyEval_SetProfile(!strcmp(what, "profile") ? on_event : NULL, NULL);
	PyEval_SetTrace(!strcmp(what, "trace") ? on_event : NULL, NULL);
	_PyInterpreterState_SetEvalFrameFunc(PyInterpreterState_Get(),
					     !strcmp(what, "eval") ? on_frame
								   : _PyEval_EvalFrameDefault);
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
	{"set", hook_set, METH_O, NULL},
	{NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
	PyModuleDef_HEAD_INIT,
	.m_name = "python_floor",
	.m_size = -1,
	.m_methods = methods,
};

PyMODINIT_FUNC PyInit_python_floor(void);

PyMODINIT_FUNC PyInit_python_floor(void)
{
	PyObject *self = PyType_Ready(&callback_type) < 0 ? NULL : PyModule_Create(&module);

	Py_INCREF((PyObject *)&monitor);
	if (self && PyModule_AddObject(self, "monitor", (PyObject *)&monitor) < 0)
		Py_CLEAR(self);
	return self;
}
