/* The module: starting and stopping. */
#include "_tracy.h"

struct settings settings;
static const struct backend *backend; /* that is started, or NULL */

static const struct backend *backend_choose(void)
{
#if PY_AT_LEAST(3, 12)
	return &backend_monitor;
#else
	return settings.c_calls || settings.lines ? &backend_profile : &backend_eval;
#endif
}

static PyObject *tracy_configure(PyObject *self, PyObject *args, PyObject *keywords)
{
	static char *names[] = {"c_calls", "lines", "tt_names", "max_depth", "filter", NULL};
	struct settings new = {0};

	(void)self;
	if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$pppIO:configure", names, &new.c_calls,
					 &new.lines, &new.tt_names, &new.max_depth, &new.filter))
		return NULL;
	if (backend) {
		PyErr_SetString(PyExc_RuntimeError, "tracy: cannot be changed while it is active");
		return NULL;
	}
	if (new.filter == Py_None)
		new.filter = NULL;
	Py_XINCREF(new.filter);
	Py_XDECREF(settings.filter);
	settings = new;
	code_forget();
	Py_RETURN_NONE;
}

static PyObject *tracy_start(PyObject *self, PyObject *unused)
{
	const struct backend *chosen = backend_choose();

	(void)self;
	(void)unused;
	if (!backend) {
		track_epoch++;
		if (chosen->start() < 0)
			return NULL;
		backend = chosen;
	}
	Py_RETURN_NONE;
}

static PyObject *tracy_stop(PyObject *self, PyObject *unused)
{
	const struct backend *started = backend;

	(void)self;
	(void)unused;
	if (started) {
		backend = NULL;
		if (started->stop() < 0)
			return NULL;
		track_renew();
	}
	Py_RETURN_NONE;
}

static PyObject *tracy_active(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	if (!backend)
		Py_RETURN_NONE;
	return PyUnicode_FromString(backend->name);
}

static PyMethodDef methods[] = {
	{"configure", (PyCFunction)(void (*)(void))tracy_configure, METH_VARARGS | METH_KEYWORDS,
	 "configure(*, c_calls=False, lines=False, tt_names=False, max_depth=0, filter=None)"},
	{"start", tracy_start, METH_NOARGS, "start()\n\nFunctions become zones from now on."},
	{"stop", tracy_stop, METH_NOARGS, "stop()"},
	{"active", tracy_active, METH_NOARGS,
	 "active() -> str | None\n\nThe source of events that is in use."},
	{NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
	PyModuleDef_HEAD_INIT,
	.m_name = "tracy._tracy",
	.m_doc = "What the package tracy is made of; use that.",
	.m_size = -1,
	.m_methods = methods,
};

PyMODINIT_FUNC PyInit__tracy(void);

PyMODINIT_FUNC PyInit__tracy(void)
{
	PyObject *self;

	if (code_init() < 0 || track_init() < 0 || PyType_Ready(&zone_type) < 0)
		return NULL;
	self = PyModule_Create(&module);
	if (!self)
		return NULL;
	if (PyModule_AddFunctions(self, api_methods) < 0 ||
	    PyModule_AddObject(self, "zone", Py_NewRef((PyObject *)&zone_type)) < 0) {
		Py_DECREF(self);
		return NULL;
	}
	return self;
}
