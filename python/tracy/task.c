/* The task of asyncio that runs: asked of the modules themselves, once for each step of a task. */
#include "_tracy.h"

/* Of the module _asyncio, in 3.9 to 3.13; NULL until a program has imported it. */
static PyObject *running_loop;  /* function */
static PyObject *current_tasks; /* dict: loop -> task */
static PyObject *get_name;      /* that word */

static int task_init(void)
{
	PyObject *modules = PySys_GetObject("modules");
	PyObject *module = modules ? PyDict_GetItemString(modules, "_asyncio") : NULL;

	if (!module)
		return 0;
	Py_XSETREF(running_loop, PyObject_GetAttrString(module, "_get_running_loop"));
	Py_XSETREF(current_tasks, PyObject_GetAttrString(module, "_current_tasks"));
	Py_XSETREF(get_name, PyUnicode_InternFromString("get_name"));
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
 * There is one task in the dict for each thread that runs one. Asking for the loop of this thread
 * costs a system call, up to 3.11; with one thread it need not be asked for.
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

/* The name is kept here: a task can be renamed, or be gone, when the next one is asked for. */
static const char *name_of(PyObject *task)
{
	static PyObject *name;
	PyObject *now = PyObject_CallMethodNoArgs(task, get_name);
	const char *text;

	if (!now || !PyUnicode_Check(now)) {
		Py_XDECREF(now);
		return NULL;
	}
	Py_XSETREF(name, now);
	text = PyUnicode_AsUTF8(name);
	return text && *text ? text : NULL;
}

const char *task_name(void)
{
	PyObject *type, *value, *traceback, *task;
	const char *name = NULL;

	PyErr_Fetch(&type, &value, &traceback);
	if ((running_loop && current_tasks) || task_init()) {
		task = task_find();
		if (task)
			name = name_of(task);
	}
	PyErr_Clear();
	PyErr_Restore(type, value, traceback);
	return name;
}
