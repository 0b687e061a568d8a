/* SPDX-License-Identifier: Apache-2.0 */
/* The running asyncio task, queried from asyncio's own modules once for each step of a task. */
#include "_tracy.h"

/* Of the module _asyncio, in 3.9 to 3.13; NULL until a program has imported it. */
static PyObject *running_loop;  /* function */
static PyObject *current_tasks; /* dict: loop -> task */
static PyObject *get_name;      /* that word */

/* The type Task, which is immutable, and its method: called without a lookup. */
static PyTypeObject *task_type;
static PyCFunction task_get_name;

static void task_method(PyObject *module)
{
	PyObject *type = task_type ? NULL : PyObject_GetAttrString(module, "Task");
	PyObject *method = type && get_name ? PyObject_GetAttr(type, get_name) : NULL;

	if (method && Py_IS_TYPE(method, &PyMethodDescr_Type) && PyType_CheckExact(type) &&
	    ((PyMethodDescrObject *)method)->d_method->ml_flags == METH_NOARGS) {
		task_get_name = ((PyMethodDescrObject *)method)->d_method->ml_meth;
		task_type = (PyTypeObject *)Py_NewRef(type);
	}
	Py_XDECREF(method);
	Py_XDECREF(type);
}

static int task_init(void)
{
	PyObject *modules = PySys_GetObject("modules");
	PyObject *module = modules ? PyDict_GetItemString(modules, "_asyncio") : NULL;

	if (!module)
		return 0;
	Py_XSETREF(running_loop, PyObject_GetAttrString(module, "_get_running_loop"));
	Py_XSETREF(current_tasks, PyObject_GetAttrString(module, "_current_tasks"));
	Py_XSETREF(get_name, PyUnicode_InternFromString("get_name"));
	task_method(module);
	return get_name && running_loop && current_tasks && PyDict_Check(current_tasks);
}

static PyObject *task_of_thread(void)
{
	PyObject *loop = PyObject_CallNoArgs(running_loop);
	PyObject *task = loop && loop != Py_None ? PyDict_GetItem(current_tasks, loop) : NULL;

	Py_XDECREF(loop);
	return task;
}

/*
 * The dict has one task for each thread that runs one. Querying the loop of this thread costs a
 * system call, up to 3.11; with one thread it is not needed.
 */
static PyObject *task_find(void)
{
	PyThreadState *first = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
	PyObject *key, *only;
	Py_ssize_t position = 0;

	if (!PyThreadState_Next(first))
		return PyDict_Next(current_tasks, &position, &key, &only) ? only : NULL;
	return task_of_thread();
}

/* The name is copied: the task may be renamed or freed before the next query. */
static const char *name_of(PyObject *task, size_t *size)
{
	static PyObject *name;
	PyObject *now = Py_IS_TYPE(task, task_type) ? task_get_name(task, NULL)
						    : PyObject_CallMethodNoArgs(task, get_name);
	const char *text;
	Py_ssize_t length = 0;

	if (!now || !PyUnicode_Check(now)) {
		Py_XDECREF(now);
		return NULL;
	}
	Py_XSETREF(name, now);
	text = PyUnicode_AsUTF8AndSize(name, &length);
	*size = (size_t)length;
	return length ? text : NULL;
}

const char *task_name(size_t *size)
{
	PyObject *type, *value, *traceback, *task;
	const char *name = NULL;

	PyErr_Fetch(&type, &value, &traceback);
	if ((running_loop && current_tasks) || task_init()) {
		task = task_find();
		if (task)
			name = name_of(task, size);
	}
	PyErr_Clear();
	PyErr_Restore(type, value, traceback);
	return name;
}
