/*
 * zone(name, color=0, text=None, *, file, line): a span of time, as a context manager or a
 * decorator. A C type, because contextlib costs ten times what a zone should.
 */
#include "_tracy.h"

#include <structmember.h>

struct zone {
	PyObject base;
	PyObject *name;
	PyObject *text; /* attached to each zone, or NULL */
	uint32_t color;
	uint32_t word;
	uint32_t open; /* recorded and not ended: it may be entered again inside itself */
};

/*
 * The places where zones are made, so that one in a loop is looked up by four comparisons. Strong
 * references: an address that is used again cannot be mistaken.
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

static int frame_instruction(PyFrameObject *frame)
{
#if PY_AT_LEAST(3, 11)
	return PyFrame_GetLasti(frame);
#else
	return frame->f_lasti;
#endif
}

static uint32_t place_find(PyObject *name, uint32_t color)
{
	PyFrameObject *frame = PyEval_GetFrame();
	PyCodeObject *code;
	struct place *place;
	int instruction;
	uintptr_t hash;

	if (!frame)
		return place_word(name, NULL, NULL, 0, color);
	code = PyFrame_GetCode(frame);
	instruction = frame_instruction(frame);
	hash = ((uintptr_t)name >> 4) ^ ((uintptr_t)code >> 4) ^ (uintptr_t)instruction;
	place = &places[(hash ^ hash >> 10) % PLACES];
	if (place->name != name || place->code != code || place->instruction != instruction ||
	    place->color != color) {
		Py_XSETREF(place->name, Py_NewRef(name));
		Py_XSETREF(place->code, (PyCodeObject *)Py_NewRef((PyObject *)code));
		place->instruction = instruction;
		place->color = color;
		place->word = place_word(name, code->co_name, code->co_filename,
					 PyFrame_GetLineNumber(frame), color);
	}
	Py_DECREF(code);
	return place->word;
}

/* Functions are wrapped by Python code, which knows generators and coroutines. */
static PyObject *zone_decorate(PyObject *zone, PyObject *function)
{
	PyObject *module = PyImport_ImportModule("tracy._decorate");
	PyObject *result;

	if (!module)
		return NULL;
	result = PyObject_CallMethod(module, "decorate", "OO", zone, function);
	Py_DECREF(module);
	return result;
}

static PyObject *zone_make(PyTypeObject *type, PyObject *name, PyObject *text, uint32_t color,
			   uint32_t word)
{
	struct zone *zone = (struct zone *)type->tp_alloc(type, 0);

	if (!zone)
		return NULL;
	zone->name = Py_NewRef(name);
	zone->text = text && text != Py_None ? Py_NewRef(text) : NULL;
	zone->color = color;
	zone->word = word;
	return (PyObject *)zone;
}

/* @zone without brackets: named after the function, placed where that is. */
static PyObject *zone_of_function(PyTypeObject *type, PyObject *function)
{
	PyObject *name = PyObject_GetAttrString(function, "__qualname__");
	PyObject *code = name ? PyObject_GetAttrString(function, "__code__") : NULL;
	PyObject *zone = NULL, *result = NULL;
	PyCodeObject *where = (PyCodeObject *)code;

	if (code && PyCode_Check(code))
		zone = zone_make(
			type, name, NULL, 0,
			place_word(NULL, name, where->co_filename, where->co_firstlineno, 0));
	else if (code)
		PyErr_SetString(PyExc_TypeError, "zone: only Python functions can be decorated");
	if (zone)
		result = zone_decorate(zone, function);
	Py_XDECREF(zone);
	Py_XDECREF(code);
	Py_XDECREF(name);
	return result;
}

static PyObject *zone_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
	static char *names[] = {"name", "color", "text", "file", "line", NULL};
	PyObject *name, *text = NULL, *file = NULL;
	unsigned int color = 0;
	int line = 0;

	if (!keywords && PyTuple_GET_SIZE(args) == 1 && PyUnicode_Check(PyTuple_GET_ITEM(args, 0)))
		name = PyTuple_GET_ITEM(args, 0);
	else if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|IO$Ui:zone", names, &name, &color,
					      &text, &file, &line))
		return NULL;
	if (!PyUnicode_Check(name) && PyCallable_Check(name))
		return zone_of_function(type, name);
	if (!PyUnicode_Check(name) || (text && text != Py_None && !PyUnicode_Check(text))) {
		PyErr_SetString(PyExc_TypeError, "zone: name and text must be strings");
		return NULL;
	}
	return zone_make(type, name, text, color,
			 file ? place_word(name, NULL, file, line, color)
			      : place_find(name, color));
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

static PyObject *zone_enter(PyObject *self, PyObject *unused)
{
	struct zone *zone = (struct zone *)self;
	struct tacho_zone open = tacho_zone_begin_id(zone->word >> 2);

	(void)unused;
	if (open.word) {
		zone->open++;
		if (zone->text)
			zone_attach_text(open, zone->text);
	}
	return Py_NewRef(self);
}

static PyObject *zone_exit(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
	struct zone *zone = (struct zone *)self;

	(void)args;
	(void)count;
	if (zone->open) {
		zone->open--;
		word_end(zone->word);
	}
	Py_RETURN_FALSE;
}

static PyObject *zone_call(PyObject *self, PyObject *args, PyObject *keywords)
{
	PyObject *function;

	if (keywords || !PyArg_ParseTuple(args, "O:zone", &function))
		return keywords ? PyErr_Format(PyExc_TypeError, "zone: takes one function") : NULL;
	return zone_decorate(self, function);
}

static PyMethodDef zone_methods[] = {
	{"__enter__", zone_enter, METH_NOARGS, NULL},
	{"__exit__", (PyCFunction)(void (*)(void))zone_exit, METH_FASTCALL, NULL},
	{NULL, NULL, 0, NULL},
};

static PyMemberDef zone_members[] = {
	{"name", T_OBJECT, offsetof(struct zone, name), READONLY, "the name of the zone"},
	{"color", T_UINT, offsetof(struct zone, color), READONLY, "0xRRGGBB, 0 = automatic"},
	{NULL, 0, 0, 0, NULL},
};

PyTypeObject zone_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tracy.zone",
	.tp_basicsize = sizeof(struct zone),
	.tp_dealloc = zone_dealloc,
	.tp_call = zone_call,
	.tp_flags = Py_TPFLAGS_DEFAULT,
	.tp_doc =
		"zone(name, color=0, text=None, *, file=None, line=0)\n--\n\n"
		"A span of time with a name: \"with zone('load'):\", \"@zone('load')\" or \"@zone\".\n"
		"A decorated generator or coroutine has a zone for each time it runs.\n"
		"It is placed where it is made, unless file and line say otherwise.",
	.tp_methods = zone_methods,
	.tp_members = zone_members,
	.tp_new = zone_new,
};
