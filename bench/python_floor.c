/*
 * What the interpreter itself charges for telling of calls, for bench/python.sh: the least that any
 * profiler can do. set("profile"), set("trace") and set("eval") install a function that reads the
 * clock and stores it with one word, in a megabyte that is written over and over; set("") removes
 * it. monitor() is the same for sys.monitoring.
 */
#define Py_BUILD_CORE
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <frameobject.h>
#include <string.h>
#include <tacho/detail.h>

#define EVENTS (1u << 16)
static struct {
	uint64_t ticks, what;
} events[EVENTS];
static uint32_t next;

static inline void note(uint64_t what)
{
	events[next % EVENTS].ticks = tacho_ticks();
	events[next++ % EVENTS].what = what;
}

static int on_event(PyObject *self, PyFrameObject *frame, int what, PyObject *arg)
{
	(void)self, (void)frame, (void)arg;
	note((uint64_t)what);
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

	note((uintptr_t)frame);
	result = _PyEval_EvalFrameDefault(state, frame, throwing);
	note(0);
	return result;
}

static PyObject *monitor(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
	(void)self, (void)count;
	note((uintptr_t)args[0]);
	Py_RETURN_NONE;
}

static PyObject *set(PyObject *self, PyObject *arg)
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
	{"set", set, METH_O, NULL},
	{"monitor", (PyCFunction)(void (*)(void))monitor, METH_FASTCALL, NULL},
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
	return PyModule_Create(&module);
}
