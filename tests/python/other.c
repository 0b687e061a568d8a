/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What other extensions do, for test_others.py: a frame evaluator as that of torch.compile, and
 * callables as binding generators make them.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#if PY_VERSION_HEX >= 0x030b0000
typedef struct _PyInterpreterFrame eval_frame;
#else
typedef PyFrameObject eval_frame;
#endif

static _PyFrameEvalFunction below;
static long frames;

static PyObject *other_hook(PyThreadState *state, eval_frame *frame, int throwing)
{
	frames++;
	return below(state, frame, throwing);
}

/* install(chain): calls whoever was there before, or else the interpreter itself. */
static PyObject *other_install(PyObject *self, PyObject *chain)
{
	PyInterpreterState *interpreter = PyInterpreterState_Get();

	below = PyObject_IsTrue(chain) ? _PyInterpreterState_GetEvalFrameFunc(interpreter)
				       : _PyEval_EvalFrameDefault;
	_PyInterpreterState_SetEvalFrameFunc(interpreter, other_hook);
	Py_RETURN_NONE;
}

static PyObject *remove_hook(PyObject *self, PyObject *unused)
{
	_PyInterpreterState_SetEvalFrameFunc(PyInterpreterState_Get(), below);
	Py_RETURN_NONE;
}

static PyObject *other_count(PyObject *self, PyObject *unused)
{
	return PyLong_FromLong(frames);
}

static PyObject *on_top(PyObject *self, PyObject *unused)
{
	return PyBool_FromLong(_PyInterpreterState_GetEvalFrameFunc(PyInterpreterState_Get()) ==
			       other_hook);
}

/* ---- an object that is called by its vectorcall and knows its name, as nanobind's functions */

struct function {
	PyObject_HEAD;
	vectorcallfunc call;
	PyObject *name, *qualname, *module;
};

static PyObject *function_call(PyObject *self, PyObject *const *args, size_t count, PyObject *names)
{
	Py_RETURN_NONE;
}

static PyMemberDef function_members[] = {
	{"__name__", T_OBJECT, offsetof(struct function, name), READONLY, NULL},
	{"__qualname__", T_OBJECT, offsetof(struct function, qualname), READONLY, NULL},
	{"__module__", T_OBJECT, offsetof(struct function, module), READONLY, NULL},
	{NULL, 0, 0, 0, NULL},
};

static void function_free(PyObject *self)
{
	struct function *function = (struct function *)self;

	Py_XDECREF(function->name);
	Py_XDECREF(function->qualname);
	Py_XDECREF(function->module);
	PyObject_Free(self);
}

static PyTypeObject function_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "other.function",
	.tp_basicsize = sizeof(struct function),
	.tp_dealloc = function_free,
	.tp_call = PyVectorcall_Call,
	.tp_vectorcall_offset = offsetof(struct function, call),
	.tp_members = function_members,
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
};

/* function(name) */
static PyObject *make_function(PyObject *self, PyObject *name)
{
	struct function *function = PyObject_New(struct function, &function_type);

	if (!function)
		return NULL;
	function->call = function_call;
	function->name = (Py_INCREF(name), name);
	function->qualname = PyUnicode_FromFormat("Class.%U", name);
	function->module = PyUnicode_FromString("bindings");
	return (PyObject *)function;
}

/* ---- a C function whose "self" is a capsule and whose description is on the heap, as pybind11's
 */

static PyObject *captured_call(PyObject *self, PyObject *unused)
{
	Py_RETURN_NONE;
}

static void captured_free(PyObject *capsule)
{
	free(PyCapsule_GetContext(capsule));
}

/* captured(name) */
static PyObject *make_captured(PyObject *self, PyObject *name)
{
	PyMethodDef *method = calloc(1, sizeof(*method));
	PyObject *capsule = PyCapsule_New(method, NULL, captured_free);
	PyObject *module = PyUnicode_FromString("bindings");
	PyObject *result;

	PyCapsule_SetContext(capsule, method);
	method->ml_name = strdup(PyUnicode_AsUTF8(name));
	method->ml_meth = captured_call;
	method->ml_flags = METH_NOARGS;
	result = PyCFunction_NewEx(method, capsule, module);
	Py_DECREF(capsule);
	Py_DECREF(module);
	return result;
}

static PyMethodDef methods[] = {
	{"install", other_install, METH_O, NULL},
	{"remove", remove_hook, METH_NOARGS, NULL},
	{"count", other_count, METH_NOARGS, NULL},
	{"on_top", on_top, METH_NOARGS, NULL},
	{"function", make_function, METH_O, NULL},
	{"captured", make_captured, METH_O, NULL},
	{NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
	PyModuleDef_HEAD_INIT,
	.m_name = "other",
	.m_size = -1,
	.m_methods = methods,
};

PyMODINIT_FUNC PyInit_other(void)
{
	return PyType_Ready(&function_type) < 0 ? NULL : PyModule_Create(&module);
}
