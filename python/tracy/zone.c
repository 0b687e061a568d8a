/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zone(name, color=0, text=None, *, file, line): a span of time, as a context manager or a
 * decorator. A C type, because contextlib costs ten times what a zone should.
 */
#define Py_BUILD_CORE
#include "_tracy.h"

#include <structmember.h>

#if PY_AT_LEAST(3, 11) && !PY_AT_LEAST(3, 12)
#include <internal/pycore_frame.h>
#endif

struct zone {
	PyObject base;
	vectorcallfunc call;
	PyObject *name;
	PyObject *text; /* attached to each zone, or NULL */
	uint32_t color;
	uint32_t word;
	uint32_t open; /* recorded and not ended: it may be entered recursively */
};

/*
 * A cache of the places that create zones, so that a zone in a loop costs four comparisons. Strong
 * references: an address cannot be reused.
 */
struct place {
	PyObject *name;
	PyCodeObject *code;
	int instruction;
	uint32_t color;
	uint32_t word;
};
#define PLACES 1024
static struct place places[PLACES];

/* The location of the innermost Python function, without creating a frame object. */
#if PY_AT_LEAST(3, 11)
static PyCodeObject *where_am_i(int *instruction)
{
	PyThreadState *state = PyThreadState_Get();
#if PY_AT_LEAST(3, 13)
	struct _PyInterpreterFrame *frame = state->current_frame;
#else
	struct _PyInterpreterFrame *frame = state->cframe->current_frame;
#endif
#if PY_AT_LEAST(3, 12)
	PyObject *code = frame ? PyUnstable_InterpreterFrame_GetCode(frame) : NULL;

	if (!code || !PyCode_Check(code)) {
		Py_XDECREF(code);
		return NULL;
	}
	*instruction = PyUnstable_InterpreterFrame_GetLasti(frame);
	return (PyCodeObject *)code;
#else
	if (!frame)
		return NULL;
	*instruction = _PyInterpreterFrame_LASTI(frame) * (int)sizeof(_Py_CODEUNIT);
	return (PyCodeObject *)Py_NewRef((PyObject *)frame->f_code);
#endif
}
#else
static PyCodeObject *where_am_i(int *instruction)
{
	PyFrameObject *frame = PyEval_GetFrame();

	if (!frame)
		return NULL;
	*instruction = frame->f_lasti * (PY_AT_LEAST(3, 10) ? (int)sizeof(_Py_CODEUNIT) : 1);
	return PyFrame_GetCode(frame);
}
#endif

static uint32_t place_find(PyObject *name, uint32_t color)
{
	int instruction = 0;
	PyCodeObject *code = where_am_i(&instruction);
	struct place *place;
	uintptr_t hash;

	if (!code)
		return place_word(name, NULL, NULL, 0, color);
	hash = ((uintptr_t)name >> 4) ^ ((uintptr_t)code >> 4) ^ (uintptr_t)instruction;
	place = &places[(hash ^ hash >> 10) % PLACES];
	if (place->name != name || place->code != code || place->instruction != instruction ||
	    place->color != color) {
		Py_XSETREF(place->name, Py_NewRef(name));
		Py_XSETREF(place->code, (PyCodeObject *)Py_NewRef((PyObject *)code));
		place->instruction = instruction;
		place->color = color;
		place->word = place_word(name, code->co_name, code->co_filename,
					 PyCode_Addr2Line(code, instruction), color);
	}
	Py_DECREF(code);
	return place->word;
}

static PyObject *zone_vectorcall(PyObject *self, PyObject *const *args, size_t count,
				 PyObject *names);

/*
 * Python code wraps functions, because it handles generators and coroutines: decorate(zone,
 * function), or name(type, object) for anything other than a Python function.
 */
static PyObject *zone_decorate(const char *how, PyObject *zone, PyObject *function)
{
	PyObject *module = PyImport_ImportModule("tracy._decorate");
	PyObject *result;

	if (!module)
		return NULL;
	result = PyObject_CallMethod(module, how, "OO", zone, function);
	Py_DECREF(module);
	return result;
}

static PyObject *zone_make(PyTypeObject *type, PyObject *name, PyObject *text, uint32_t color,
			   uint32_t word)
{
	struct zone *zone = (struct zone *)type->tp_alloc(type, 0);

	if (!zone)
		return NULL;
	zone->call = zone_vectorcall;
	zone->name = Py_NewRef(name);
	zone->text = text && text != Py_None ? Py_NewRef(text) : NULL;
	zone->color = color;
	zone->word = word;
	return (PyObject *)zone;
}

/* @zone without parentheses: has the name and the location of the function. */
static PyObject *zone_of_function(PyTypeObject *type, PyObject *function)
{
	PyFunctionObject *f = (PyFunctionObject *)function;
	PyObject *zone, *result;
	PyCodeObject *code;

	if (!PyFunction_Check(function))
		return zone_decorate("name", (PyObject *)type, function);
	code = (PyCodeObject *)f->func_code;
	zone = zone_make(
		type, f->func_qualname, NULL, 0,
		place_word(NULL, f->func_qualname, code->co_filename, code->co_firstlineno, 0));
	result = zone ? zone_decorate("decorate", zone, function) : NULL;
	Py_XDECREF(zone);
	return result;
}

static PyObject *zone_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
	static char *names[] = {"name", "color", "text", "file", "line", NULL};
	PyObject *name, *text = NULL, *file = NULL;
	unsigned int color = 0;
	int line = 0;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|IO$Ui:zone", names, &name, &color,
					 &text, &file, &line))
		return NULL;
	if (!PyUnicode_Check(name))
		return zone_of_function(type, name);
	if (text && text != Py_None && !PyUnicode_Check(text)) {
		PyErr_SetString(PyExc_TypeError, "zone: the text must be a string");
		return NULL;
	}
	return zone_make(type, name, text, color,
			 file ? place_word(name, NULL, file, line, color)
			      : place_find(name, color));
}

/* zone("name"), without an argument tuple; other calls take the slow path. */
static PyObject *zone_type_vectorcall(PyObject *type, PyObject *const *args, size_t flags,
				      PyObject *names)
{
	Py_ssize_t count = PyVectorcall_NARGS(flags);
	PyObject *tuple, *keywords = NULL, *result = NULL;

	if (!names && count == 1 && PyUnicode_Check(args[0]))
		return zone_make((PyTypeObject *)type, args[0], NULL, 0, place_find(args[0], 0));
	tuple = PyTuple_New(count);
	for (Py_ssize_t i = 0; tuple && i < count; i++)
		PyTuple_SET_ITEM(tuple, i, Py_NewRef(args[i]));
	if (tuple && names)
		keywords = PyDict_New();
	for (Py_ssize_t i = 0; keywords && i < PyTuple_GET_SIZE(names); i++) {
		if (PyDict_SetItem(keywords, PyTuple_GET_ITEM(names, i), args[count + i]) < 0)
			Py_CLEAR(keywords);
	}
	if (tuple && (keywords || !names))
		result = zone_new((PyTypeObject *)type, tuple, keywords);
	Py_XDECREF(tuple);
	Py_XDECREF(keywords);
	return result;
}

static void zone_dealloc(PyObject *self)
{
	struct zone *zone = (struct zone *)self;

	Py_XDECREF(zone->name);
	Py_XDECREF(zone->text);
	Py_TYPE(self)->tp_free(self);
}

static void zone_attach_text(struct tacho_zone open, PyObject *text)
{
	PyObject *bytes = PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");

	if (bytes)
		tacho_zone_text(open, PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes));
	else
		PyErr_Clear();
	Py_XDECREF(bytes);
}

static void zone_enter(struct zone *zone)
{
	uint64_t key = tacho_key();
	struct tacho_zone open;

	if (!key || !zone->word)
		return;
	if (settings.min_ticks || settings.lines)
		track_before_zone();
	open = tacho_begin_word(key, zone->word);
	if (open.word) {
		zone->open++;
		track_own_has_begun();
		if (zone->text)
			zone_attach_text(open, zone->text);
	}
}

/* ERROR: the exception (or its type, before 3.12) that leaves the zone, or None. */
static void zone_exit(struct zone *zone, PyObject *error)
{
	if (!zone->open)
		return;
	zone->open--;
	track_own_ends();
	if (settings.lines)
		track_before_zone();
	if (error != Py_None)
		zone_unwound(tacho_zone_current(), error);
	word_end(zone->word);
	track_own_has_ended();
}

/*
 * A zone is also its own __enter__ and __exit__, distinguished by the number of arguments: "with"
 * needs both, and binding two methods would cost more than the zone itself.
 */
static PyObject *zone_vectorcall(PyObject *self, PyObject *const *args, size_t flags,
				 PyObject *names)
{
	Py_ssize_t count = PyVectorcall_NARGS(flags);

	if (names || (count != 0 && count != 1 && count != 3))
		return PyErr_Format(PyExc_TypeError, "zone: takes one function");
	if (count == 1)
		return zone_decorate("decorate", self, args[0]);
	if (count == 0) {
		zone_enter((struct zone *)self);
		return Py_NewRef(self);
	}
	zone_exit((struct zone *)self, args[0]);
	Py_RETURN_FALSE;
}

/* __enter__ and __exit__ of the type: bound to a zone, it is the zone. */
struct method {
	PyObject_HEAD;
	vectorcallfunc call;
};

static PyObject *method_get(PyObject *self, PyObject *zone, PyObject *type)
{
	(void)type;
	return Py_NewRef(zone ? zone : self);
}

/* Not bound, as contextlib.ExitStack calls it. */
static PyObject *method_vectorcall(PyObject *self, PyObject *const *args, size_t flags,
				   PyObject *names)
{
	Py_ssize_t count = PyVectorcall_NARGS(flags);

	(void)self;
	if (count < 1 || !Py_IS_TYPE(args[0], &zone_type))
		return PyErr_Format(PyExc_TypeError, "a zone is needed");
	return zone_vectorcall(args[0], args + 1, (size_t)count - 1, names);
}

static PyTypeObject method_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tracy.zone_method",
	.tp_basicsize = sizeof(struct method),
	.tp_call = PyVectorcall_Call,
	.tp_vectorcall_offset = offsetof(struct method, call),
	.tp_descr_get = method_get,
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
};

int zone_init(void)
{
	static const char *const names[] = {"__enter__", "__exit__"};
	struct method *method;

	if (PyType_Ready(&zone_type) < 0 || PyType_Ready(&method_type) < 0)
		return -1;
	for (int i = 0; i < 2; i++) {
		method = PyObject_New(struct method, &method_type);
		if (!method)
			return -1;
		method->call = method_vectorcall;
		if (PyDict_SetItemString(zone_type.tp_dict, names[i], (PyObject *)method) < 0)
			return -1;
		Py_DECREF(method);
	}
	PyType_Modified(&zone_type);
	return 0;
}

static PyMemberDef zone_members[] = {
	{"name", T_OBJECT, offsetof(struct zone, name), READONLY, "the name of the zone"},
	{"color", T_UINT, offsetof(struct zone, color), READONLY, "0xRRGGBB, 0 = automatic"},
	{NULL, 0, 0, 0, NULL},
};

PyTypeObject zone_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tracy.zone",
	.tp_basicsize = sizeof(struct zone),
	.tp_dealloc = zone_dealloc,
	.tp_call = PyVectorcall_Call,
	.tp_vectorcall_offset = offsetof(struct zone, call),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
	.tp_doc =
		"zone(name, color=0, text=None, *, file=None, line=0)\n--\n\n"
		"A span of time with a name: \"with zone('load'):\", \"@zone('load')\" or \"@zone\".\n"
		"A decorated generator or coroutine has a zone for each time it runs.\n"
		"It is placed where it is made, unless file and line say otherwise.",
	.tp_members = zone_members,
	.tp_new = zone_new,
	.tp_vectorcall = zone_type_vectorcall,
};
