/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that programs call to record zones, messages, plots and memory. */
#include "_tracy.h"

#include <stdlib.h>
#include <string.h>

/* UTF-8 of a string for libtacho; escaped if it is not valid UTF-8. The caller releases *OWNER. */
static const char *string_utf8(PyObject *string, Py_ssize_t *length, PyObject **owner)
{
	const char *text;

	*owner = NULL;
	if (!PyUnicode_Check(string)) {
		PyErr_Format(PyExc_TypeError, "a string is needed, not %s",
			     Py_TYPE(string)->tp_name);
		return NULL;
	}
	text = PyUnicode_AsUTF8AndSize(string, length);
	if (text)
		return text;
	PyErr_Clear();
	*owner = PyUnicode_AsEncodedString(string, "utf-8", "backslashreplace");
	if (!*owner)
		return NULL;
	*length = PyBytes_GET_SIZE(*owner);
	return PyBytes_AS_STRING(*owner);
}

/* A converter for "O&" of PyArg_ParseTuple(): a name; the caller releases the owner. */
struct name {
	const char *text; /* NULL: None, or not given */
	PyObject *owner;
};

static int name_get(PyObject *object, void *out)
{
	struct name *name = out;
	Py_ssize_t length = 0;

	if (!object) { /* another argument is wrong */
		Py_CLEAR(name->owner);
		return 1;
	}
	if (object == Py_None)
		return 1;
	name->text = string_utf8(object, &length, &name->owner);
	return name->text ? Py_CLEANUP_SUPPORTED : 0;
}

/* Records pending begins of open functions first. */
static void api_flush(void)
{
	if (settings.min_ticks)
		track_flush();
}

static PyObject *api_recording(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return PyBool_FromLong(tacho_is_recording());
}

static PyObject *api_message(PyObject *self, PyObject *args, PyObject *keywords)
{
	static char *names[] = {"message", "color", "severity", NULL};
	PyObject *message, *owner;
	unsigned int color = 0, severity = TACHO_INFO;
	Py_ssize_t length;
	const char *text;

	(void)self;
	if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|II:message", names, &message, &color,
					 &severity))
		return NULL;
	text = string_utf8(message, &length, &owner);
	if (!text)
		return NULL;
	api_flush();
	tacho_message(text, (size_t)length, severity, color);
	Py_XDECREF(owner);
	Py_RETURN_NONE;
}

static PyObject *api_frame(PyObject *self, PyObject *args)
{
	struct name name = {NULL, NULL};

	(void)self;
	if (!PyArg_ParseTuple(args, "|O&:frame", name_get, &name))
		return NULL;
	api_flush();
	tacho_frame(name.text);
	Py_XDECREF(name.owner);
	Py_RETURN_NONE;
}

/* -1: not a number, and a Python error is set. */
static int plot_value(const char *name, PyObject *value)
{
	double number;

	if (PyLong_Check(value)) {
		int overflow;
		long long whole = PyLong_AsLongLongAndOverflow(value, &overflow);

		if (!overflow) {
			tacho_plot_int(name, whole);
			return 0;
		}
	}
	number = PyFloat_AsDouble(value);
	if (number == -1 && PyErr_Occurred())
		return -1;
	tacho_plot_double(name, number);
	return 0;
}

static PyObject *api_plot(PyObject *self, PyObject *args)
{
	struct name name = {NULL, NULL};
	PyObject *value;
	int r;

	(void)self;
	if (!PyArg_ParseTuple(args, "O&O:plot", name_get, &name, &value))
		return NULL;
	if (!name.text) {
		PyErr_SetString(PyExc_TypeError, "a string is needed, not None");
		return NULL;
	}
	api_flush();
	r = plot_value(name.text, value);
	Py_XDECREF(name.owner);
	if (r < 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *api_alloc(PyObject *self, PyObject *args)
{
	unsigned long long address, size;
	struct name pool = {NULL, NULL};

	(void)self;
	if (!PyArg_ParseTuple(args, "KK|O&:alloc", &address, &size, name_get, &pool))
		return NULL;
	api_flush();
	tacho_alloc(pool.text, (const void *)(uintptr_t)address, size);
	Py_XDECREF(pool.owner);
	Py_RETURN_NONE;
}

static PyObject *api_free(PyObject *self, PyObject *args)
{
	unsigned long long address;
	struct name pool = {NULL, NULL};

	(void)self;
	if (!PyArg_ParseTuple(args, "K|O&:free", &address, name_get, &pool))
		return NULL;
	api_flush();
	tacho_free(pool.text, (const void *)(uintptr_t)address);
	Py_XDECREF(pool.owner);
	Py_RETURN_NONE;
}

static PyObject *api_set_thread_name(PyObject *self, PyObject *name)
{
	PyObject *owner;
	Py_ssize_t length;
	const char *text = string_utf8(name, &length, &owner);

	(void)self;
	if (!text)
		return NULL;
	tacho_thread_name(text);
	Py_XDECREF(owner);
	Py_RETURN_NONE;
}

static PyObject *api_app_info(PyObject *self, PyObject *info)
{
	PyObject *owner;
	Py_ssize_t length;
	const char *text = string_utf8(info, &length, &owner);

	(void)self;
	if (!text)
		return NULL;
	tacho_app_info(text, (size_t)length);
	Py_XDECREF(owner);
	Py_RETURN_NONE;
}

/* ------------------- zones by start and stop, a stack per thread or greenlet */

static PyObject *api_start_zone(PyObject *self, PyObject *args)
{
	PyObject *file, *name;
	unsigned int color = 0;
	uint32_t word;
	int line = 0;

	(void)self;
	if (!PyArg_ParseTuple(args, "UUi|I:start_zone", &file, &name, &line, &color))
		return NULL;
	if (track.manual.count == track.manual.size) {
		uint32_t size = track.manual.size ? 2 * track.manual.size : 64;
		uint32_t *words = realloc(track.manual.words, size * sizeof(*words));

		if (!words)
			return PyErr_NoMemory();
		track.manual.words = words;
		track.manual.size = size;
	}
	word = place_word(name, NULL, file, line, color);
	track_before_zone();
	word = tacho_zone_begin_id(word >> 2).word;
	track.manual.words[track.manual.count++] = word;
	if (word)
		track_own_has_begun();
	Py_RETURN_NONE;
}

/* True: no zone to stop. */
static PyObject *api_stop_zone(PyObject *self, PyObject *args)
{
	struct name name = {NULL, NULL};
	unsigned int color = 0;
	uint32_t word;

	(void)self;
	if (!PyArg_ParseTuple(args, "|O&I:stop_zone", name_get, &name, &color))
		return NULL;
	if (!track.manual.count) {
		Py_XDECREF(name.owner);
		Py_RETURN_TRUE;
	}
	word = track.manual.words[--track.manual.count];
	if (word) {
		track_own_ends();
		track_before_zone();
		if (name.text && *name.text)
			tacho_zone_name(tacho_zone_current(), name.text, strlen(name.text));
		if (color)
			tacho_zone_color(tacho_zone_current(), color);
		word_end(word);
		track_own_has_ended();
	}
	Py_XDECREF(name.owner);
	if (!track.manual.count) { /* so that an ending thread leaks nothing */
		free(track.manual.words);
		memset(&track.manual, 0, sizeof(track.manual));
	}
	Py_RETURN_FALSE;
}

PyMethodDef api_methods[] = {
	{"recording", api_recording, METH_NOARGS,
	 "recording() -> bool\n\nWhether this process is being recorded."},
	{"message", (PyCFunction)(void (*)(void))api_message, METH_VARARGS | METH_KEYWORDS,
	 "message(message, color=0, severity=2)\n\nRecords a text, of any length."},
	{"frame", api_frame, METH_VARARGS, "frame(name=None)\n\nThe end of a frame."},
	{"plot", api_plot, METH_VARARGS, "plot(name, value)\n\nA point of a plot."},
	{"alloc", api_alloc, METH_VARARGS,
	 "alloc(address, size, pool=None)\n\nMemory was allocated."},
	{"free", api_free, METH_VARARGS, "free(address, pool=None)\n\nMemory will be released."},
	{"set_thread_name", api_set_thread_name, METH_O,
	 "set_thread_name(name)\n\nNames the calling thread."},
	{"app_info", api_app_info, METH_O, "app_info(text)\n\nDescribes the program."},
	{"start_zone", api_start_zone, METH_VARARGS, "start_zone(file, name, line, color=0)"},
	{"stop_zone", api_stop_zone, METH_VARARGS, "stop_zone(name='', color=0) -> bool"},
	{NULL, NULL, 0, NULL},
};
