/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Releases of 3.11 before 3.11.7 run a __getitem__() written in Python without the frame evaluator
 * once "a[i]" at some place is specialised for it; its zones would be missing. An instruction is
 * specialised only for functions whose version fits into 16 bits: functions that classes have as
 * __getitem__ get a higher one. A function that changes, or that becomes a __getitem__ other than
 * by the body of a class during recording, is not noticed.
 */
#include "_tracy.h"

#if PY_AT_LEAST(3, 11) && !PY_AT_LEAST(3, 12)

#define FIXED 0x030b0700ul

static PyObject *name; /* "__getitem__" */

static int is_needed(void)
{
	if (Py_Version < FIXED && !name)
		name = PyUnicode_InternFromString("__getitem__");
	return Py_Version < FIXED && name;
}

static void function_hold(PyObject *namespace)
{
	static uint32_t version = 1u << 31; /* the interpreter counts from 1 on */
	PyObject *function =
		PyDict_Check(namespace) ? PyDict_GetItemWithError(namespace, name) : NULL;

	if (function && PyFunction_Check(function) &&
	    ((PyFunctionObject *)function)->func_version <= UINT16_MAX)
		((PyFunctionObject *)function)->func_version = version++;
}

int getitem_is_defined(PyCodeObject *code)
{
	return !(code->co_flags & CO_OPTIMIZED) && is_needed() &&
	       PySequence_Contains(code->co_names, name) == 1;
}

void getitem_hold(PyObject *namespace)
{
	PyObject *type, *value, *traceback;

	if (!namespace)
		return;
	PyErr_Fetch(&type, &value, &traceback);
	function_hold(namespace);
	PyErr_Clear();
	PyErr_Restore(type, value, traceback);
}

/* Appends those of TYPE that are missing; SEEN has the addresses of all. */
static int subclasses_add(PyObject *types, PyObject *seen, PyObject *type)
{
	PyObject *below =
		PyObject_CallMethod((PyObject *)&PyType_Type, "__subclasses__", "O", type);
	int r = below ? 0 : -1;

	for (Py_ssize_t i = 0; r == 0 && i < PyList_GET_SIZE(below); i++) {
		PyObject *each = PyList_GET_ITEM(below, i), *address = PyLong_FromVoidPtr(each);
		int known = address ? PyDict_Contains(seen, address) : -1;

		if (known < 0 || (!known && (PyDict_SetItem(seen, address, Py_None) < 0 ||
					     PyList_Append(types, each) < 0)))
			r = -1;
		Py_XDECREF(address);
	}
	Py_XDECREF(below);
	return r;
}

void getitem_hold_all(void)
{
	PyObject *types, *seen;

	if (!is_needed())
		return;
	types = Py_BuildValue("[O]", &PyBaseObject_Type);
	seen = PyDict_New();
	for (Py_ssize_t i = 0; types && seen && i < PyList_GET_SIZE(types); i++) {
		PyTypeObject *type = (PyTypeObject *)PyList_GET_ITEM(types, i);

		if (type->tp_flags & Py_TPFLAGS_HEAPTYPE)
			function_hold(type->tp_dict);
		if (subclasses_add(types, seen, (PyObject *)type) < 0)
			break;
	}
	PyErr_Clear();
	Py_XDECREF(types);
	Py_XDECREF(seen);
}

#else

int getitem_is_defined(PyCodeObject *code)
{
	(void)code;
	return 0;
}

void getitem_hold(PyObject *namespace)
{
	(void)namespace;
}

void getitem_hold_all(void)
{
}

#endif
