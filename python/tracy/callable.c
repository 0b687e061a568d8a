/* SPDX-License-Identifier: Apache-2.0 */
/* Maps C functions and other callable objects to numbers of source locations. */
#include "quick.h"

struct callable callables[CALLABLES];

static PyObject *module_and_name(PyObject *module, const char *name)
{
	if (!module || !PyUnicode_Check(module) ||
	    !PyUnicode_CompareWithASCIIString(module, "builtins"))
		return PyUnicode_FromString(name);
	return PyUnicode_FromFormat("%U.%s", module, name);
}

/*
 * "self" is the module of a function, the class of a class method, the object of a method; binding
 * generators put a capsule with data of their own there.
 */
static PyObject *builtin_name(PyCFunctionObject *function)
{
	const char *name = function->m_ml->ml_name;
	PyObject *self = function->m_self, *module, *result;

	if (!self || PyCapsule_CheckExact(self))
		return module_and_name(function->m_module, name);
	if (!PyModule_Check(self))
		return PyUnicode_FromFormat("%s.%s",
					    PyType_Check(self) ? ((PyTypeObject *)self)->tp_name
							       : Py_TYPE(self)->tp_name,
					    name);
	module = PyModule_GetNameObject(self);
	if (!module)
		PyErr_Clear();
	result = module_and_name(module, name);
	Py_XDECREF(module);
	return result;
}

/* A string attribute that an object of a binding generator has, or NULL without an error. */
static PyObject *string_attribute(PyObject *object, const char *name)
{
	PyObject *value = PyObject_GetAttrString(object, name);

	if (value && PyUnicode_Check(value))
		return value;
	PyErr_Clear();
	Py_XDECREF(value);
	return NULL;
}

/* An object that is neither a C function nor a type: uses its own name, else its type's. */
static PyObject *object_name(PyObject *callable)
{
	PyObject *name = string_attribute(callable, "__qualname__");
	PyObject *module, *result = NULL;

	if (!name)
		name = string_attribute(callable, "__name__");
	if (!name)
		return PyUnicode_FromFormat("%s()", Py_TYPE(callable)->tp_name);
	module = string_attribute(callable, "__module__");
	if (PyUnicode_AsUTF8(name))
		result = module_and_name(module, PyUnicode_AsUTF8(name));
	Py_XDECREF(module);
	Py_DECREF(name);
	return result;
}

static PyObject *callable_name(PyObject *callable)
{
	if (PyCFunction_Check(callable))
		return builtin_name((PyCFunctionObject *)callable);
	if (Py_IS_TYPE(callable, &PyMethodDescr_Type))
		return PyUnicode_FromFormat("%s.%s", PyDescr_TYPE(callable)->tp_name,
					    ((PyMethodDescrObject *)callable)->d_method->ml_name);
	if (PyType_Check(callable))
		return PyUnicode_FromString(((PyTypeObject *)callable)->tp_name);
	return object_name(callable);
}

static struct callable callable_identity(PyObject *callable)
{
	if (PyCFunction_Check(callable)) {
		PyCFunctionObject *function = (PyCFunctionObject *)callable;

		return (struct callable){function->m_ml, builtin_key(function), 0, NULL};
	}
	if (Py_IS_TYPE(callable, &PyMethodDescr_Type)) {
		PyMethodDef *method = ((PyMethodDescrObject *)callable)->d_method;

		return (struct callable){method, method->ml_name, 0, NULL};
	}
	if (PyType_Check(callable))
		return (struct callable){callable, ((PyTypeObject *)callable)->tp_name, 0, NULL};
	return (struct callable){callable, Py_TYPE(callable)->tp_name, 0, callable};
}

/*
 * Bound objects and partials are created by the thousand and have no name: use their type instead,
 * and hold no reference to them.
 */
static struct callable callable_without_name(struct callable who)
{
	PyObject *name;

	if (!who.held || (name = string_attribute(who.held, "__name__"))) {
		if (who.held)
			Py_DECREF(name);
		return who;
	}
	who.key = (const char *)Py_TYPE(who.held) + 1; /* a type and its instances differ */
	who.held = NULL;
	return who;
}

static int slot_has(const struct callable *slot, const struct callable *who)
{
	return slot->word && slot->key == who->key && slot->name == who->name;
}

static uint32_t callable_word(PyObject *callable)
{
	PyObject *name = callable_name(callable);
	PyObject *file = PyUnicode_FromString("<builtin>");
	uint32_t word = place_word(NULL, name, file, 0, 0);

	Py_XDECREF(name);
	Py_XDECREF(file);
	return word;
}

/* Created for this call, like the __init__ of super(): a reference would keep its object alive. */
static int is_passing(const struct callable *who)
{
	return who->held && Py_REFCNT(who->held) == 1;
}

static uint32_t callable_first_sight(PyObject *callable, struct callable who)
{
	PyObject *type, *value, *traceback, *before;
	struct callable *slot;

	PyErr_Fetch(&type, &value, &traceback);
	who = callable_without_name(who);
	slot = callable_slot(who.key, who.name);
	if (slot_has(slot, &who)) {
		who.word = slot->word;
	} else {
		who.word = callable_word(callable);
		if (!is_passing(&who)) {
			Py_XINCREF(who.held);
			before = slot->held;
			*slot = who;
			Py_XDECREF(before);
		}
	}
	PyErr_Clear();
	PyErr_Restore(type, value, traceback);
	return who.word;
}

void callable_begin(PyObject *callable)
{
	struct callable who = callable_identity(callable);
	const struct callable *slot = callable_slot(who.key, who.name);

	track_begin(slot_has(slot, &who) ? slot->word : callable_first_sight(callable, who),
		    callable, 0);
}

void callable_forget(void)
{
	for (size_t i = 0; i < CALLABLES; i++) {
		PyObject *held = callables[i].held;

		if (!held)
			continue;
		callables[i] = (struct callable){NULL, NULL, 0, NULL};
		Py_DECREF(held);
	}
}
