/* SPDX-License-Identifier: Apache-2.0 */
/* Maps code objects to numbers of source locations. */
#include "_tracy.h"

#include <stdlib.h>

Py_ssize_t code_index;
uint32_t code_generation = 1;
uint64_t code_plain;
Py_ssize_t lines_index;

/* Skip functions that the filter itself calls, or it would recurse. */
static __thread int in_filter __attribute__((tls_model("initial-exec")));

/* Whether co_extra has the layout that code_extra_get() expects; -1 with an error set if not. */
static int code_extra_check(void)
{
	PyCodeObject *code = PyCode_NewEmpty("tracy", "tracy", 1);
	int same = 0;

	if (!code)
		return -1;
	if (!code_extra_get(code, code_index) &&
	    !code_extra_set((PyObject *)code, code_index, (void *)code))
		same = code_extra_get(code, code_index) == code;
	Py_DECREF(code);
	if (!same && !PyErr_Occurred())
		PyErr_SetString(PyExc_ImportError, "tracy: this interpreter is not known");
	return same ? 0 : -1;
}

int code_init(void)
{
	code_index = code_extra_index(NULL);
	lines_index = code_extra_index(free);
	if (code_index < 0 || lines_index < 0) {
		PyErr_SetString(PyExc_RuntimeError,
				"tracy: too many other profilers keep data in code objects");
		return -1;
	}
	return code_extra_check();
}

void code_forget(void)
{
	code_generation++;
	code_plain = settings.max_depth || settings.min_ticks
			     ? UINT64_MAX
			     : (uint64_t)code_generation << CODE_GENERATION_SHIFT;
}

/* A new bytes object, or NULL without an error set. */
static PyObject *text_of(PyObject *string)
{
	PyObject *bytes;

	if (!string || !PyUnicode_Check(string))
		return NULL;
	bytes = PyUnicode_AsEncodedString(string, "utf-8", "backslashreplace");
	if (!bytes)
		PyErr_Clear();
	return bytes;
}

static const char *chars_of(PyObject *bytes)
{
	return bytes ? PyBytes_AS_STRING(bytes) : NULL;
}

/* libtacho has room for 2^18 places: the rest share one with a name that says so. */
static uint32_t word_of(const char *name, const char *function, const char *file, int line,
			uint32_t color)
{
	uint32_t id = tacho_srcloc_make(name, function, file, line > 0 ? (uint32_t)line : 0, color);

	if (!id)
		id = tacho_srcloc_make("(more functions than fit)", NULL, NULL, 0, 0);
	return id << 2;
}

uint32_t place_word(PyObject *name, PyObject *function, PyObject *file, int line, uint32_t color)
{
	PyObject *texts[3] = {text_of(name), text_of(function), text_of(file)};
	uint32_t word;

	greenlet_follow();
	word = word_of(chars_of(texts[0]), chars_of(texts[1]), chars_of(texts[2]), line, color);

	for (int i = 0; i < 3; i++)
		Py_XDECREF(texts[i]);
	return word;
}

static PyObject *code_name(PyCodeObject *code)
{
#if PY_AT_LEAST(3, 11)
	return code->co_qualname;
#else
	return code->co_name;
#endif
}

int code_is_ours(PyCodeObject *code)
{
	return settings.package &&
	       PyUnicode_Tailmatch(code->co_filename, settings.package, 0, PY_SSIZE_T_MAX, -1) == 1;
}

/* Other tools, such as coverage and cProfile, should trace the program, not the filter. */
static PyObject *filter_call(PyCodeObject *code)
{
	PyThreadState *thread = PyThreadState_Get();
	PyObject *answer;

	in_filter = 1;
#if PY_AT_LEAST(3, 11)
	PyThreadState_EnterTracing(thread);
#else
	thread->tracing++;
#endif
	answer = PyObject_CallFunctionObjArgs(settings.filter, code->co_filename, code_name(code),
					      NULL);
#if PY_AT_LEAST(3, 11)
	PyThreadState_LeaveTracing(thread);
#else
	thread->tracing--;
#endif
	in_filter = 0;
	return answer;
}

/* 1 wanted, 0 not. An error of the filter is printed once per code object and counts as wanted. */
static int filter_wants(PyCodeObject *code)
{
	PyObject *answer = filter_call(code);
	int wants = answer ? PyObject_IsTrue(answer) : -1;

	Py_XDECREF(answer);
	if (wants >= 0)
		return wants;
	if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
		PyErr_Clear();
		PyErr_SetInterrupt(); /* Ctrl-C was meant for the program: raise it again */
	} else {
		PyErr_WriteUnraisable(settings.filter);
	}
	return 1;
}

/* Where the package name of a file begins. */
static const char *package_of(const char *file)
{
	static const char *const markers[] = {"/site-packages/", "/dist-packages/", "/lib/python3"};
	const char *last = strrchr(file, '/');

	for (size_t i = 0; i < sizeof(markers) / sizeof(markers[0]); i++) {
		const char *found = strstr(file, markers[i]);

		if (found) {
			found = strchr(found + 1, '/') + 1;
			return i == 2 && strchr(found, '/') ? strchr(found, '/') + 1 : found;
		}
	}
	return last ? last + 1 : file;
}

/* Relative to the package, so that it is the same in each run and on each machine. */
static uint32_t color_of(PyObject *file)
{
	static const uint32_t colors[] = {0x4c72b0, 0xdd8452, 0x55a868, 0xc44e52,
					  0x8172b3, 0x937860, 0xda8bc3, 0x8c8c8c,
					  0xccb974, 0x64b5cd, 0x3b8686, 0xa05d56};
	PyObject *text = text_of(file);
	uint32_t hash = 2166136261u;

	if (!text)
		return 0;
	for (const char *c = package_of(chars_of(text)); *c && *c != '/' && *c != '.'; c++)
		hash = (hash ^ (unsigned char)*c) * 16777619u;
	Py_DECREF(text);
	return colors[(hash ^ hash >> 16) % (sizeof(colors) / sizeof(colors[0]))];
}

static uint32_t code_flags(PyCodeObject *code)
{
	uint32_t flags = 0;

	if (code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR))
		flags |= CODE_GENERATOR;
	if (code->co_flags & (CO_COROUTINE | CO_ITERABLE_COROUTINE))
		flags |= CODE_COROUTINE;
	return flags;
}

static uint32_t code_name_word(PyCodeObject *code)
{
	PyObject *name = NULL;
	uint32_t word;

	if (settings.tt_names)
		name = PyUnicode_FromFormat("PY_FUNC_%U", code->co_name);
	word = place_word(name, code_name(code), code->co_filename, code->co_firstlineno,
			  color_of(code->co_filename));
	Py_XDECREF(name);
	return word ? word | code_flags(code) : 0;
}

static void code_set(PyCodeObject *code, uint32_t word)
{
	uint64_t value = (uint64_t)code_generation << CODE_GENERATION_SHIFT |
			 (uint64_t)(word & CODE_COROUTINE) << 31 | (word & ~CODE_COROUTINE);

	if (code_extra_set((PyObject *)code, code_index, (void *)(uintptr_t)value) < 0)
		PyErr_Clear();
}

void code_unknown(PyCodeObject *code)
{
	PyObject *type, *value, *traceback;

	PyErr_Fetch(&type, &value, &traceback);
	if (code_extra_set((PyObject *)code, code_index, NULL) < 0)
		PyErr_Clear();
	PyErr_Restore(type, value, traceback);
}

uint32_t code_first_sight(PyCodeObject *code)
{
	PyObject *type, *value, *traceback;
	uint32_t word = 0;

	if (in_filter)
		return 0;
	/* A frame may begin with an exception in flight (generator.throw). */
	PyErr_Fetch(&type, &value, &traceback);
	if (!code_is_ours(code) && (!settings.filter || !settings.asks || filter_wants(code)))
		word = code_name_word(code);
	code_set(code, word);
	PyErr_Restore(type, value, traceback);
	return word;
}

/*
 * Only 3.11 is known to report the first line right after the call, before anything else runs,
 * except if the instruction belongs to no line.
 */
static void lines_enter(struct lines *lines, PyCodeObject *code)
{
#if PY_AT_LEAST(3, 11) && !PY_AT_LEAST(3, 12)
	int entry = code->_co_firsttraceable;

	lines->word = code_quick(code, code_plain) & ~CODE_GENERATOR;
	if (lines->word && PyCode_Addr2Line(code, (entry + 1) * (int)sizeof(_Py_CODEUNIT)) > 0)
		lines->entry = _PyCode_CODE(code) + entry;
#else
	(void)lines, (void)code;
#endif
}

/* Makes room for LINE, which may lie before the first line; NULL when there is no memory. */
static struct lines *lines_for(PyCodeObject *code, int line)
{
	struct lines *old = code_extra_get(code, lines_index), *lines;
	int first = line, last = line;

	if (old && old->generation != code_generation)
		old = NULL;
	if (old && line >= old->first && line < old->first + old->count)
		return old;
	if (old) {
		first = old->first < line ? old->first : line;
		last = old->first + old->count > line ? old->first + old->count : line;
	}
	last += 32;
	lines = calloc(1, sizeof(*lines) + (size_t)(last - first) * sizeof(lines->words[0]));
	if (!lines)
		return NULL;
	lines->first = first;
	lines->count = last - first;
	lines->generation = code_generation;
	lines_enter(lines, code);
	for (int i = 0; old && i < old->count; i++)
		lines->words[old->first - first + i] = old->words[i];
	/* Frees what was there before. */
	if (code_extra_set((PyObject *)code, lines_index, lines) < 0) {
		PyErr_Clear();
		free(lines);
		return NULL;
	}
	return lines;
}

uint32_t code_line_word(PyCodeObject *code, int line)
{
	struct lines *lines = lines_for(code, line);
	PyObject *type, *value, *traceback, *name;
	uint32_t word;

	if (!lines)
		return 0;
	word = lines->words[line - lines->first];
	if (word)
		return word;
	PyErr_Fetch(&type, &value, &traceback);
	name = settings.tt_names ? PyUnicode_FromFormat("PY_LINE_%U", code->co_name)
				 : PyUnicode_FromFormat("%U:%d", code_name(code), line);
	word = place_word(name, code_name(code), code->co_filename, line,
			  color_of(code->co_filename));
	Py_XDECREF(name);
	lines->words[line - lines->first] = word;
	PyErr_Restore(type, value, traceback);
	return word;
}
