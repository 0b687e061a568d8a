/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Greenlets (gevent, eventlet, SQLAlchemy): several stacks in one thread, between which a program
 * switches. Each has its own track, a fiber; zones of one must not become children of another that
 * was open at the switch. The greenlet module reports every switch of a thread to one function.
 */
#include "_tracy.h"

#include <stdio.h>

/* The open zones of a greenlet that does not run. The greenlet owns it, as an attribute. */
struct strand {
	struct track track;
	unsigned number; /* of its track, 0: the thread's own; reused when the greenlet is freed */
	char task[64];   /* the track of a task that it was in */
};

#define ATTRIBUTE "_tacho_strand"

static PyObject *module;    /* greenlet._greenlet, borrowed: it is never unloaded */
static unsigned char *used; /* by number */
static unsigned used_size;

static unsigned number_take(void)
{
	unsigned number = 1;

	while (number < used_size && used[number])
		number++;
	if (number >= used_size) {
		unsigned size = used_size ? 2 * used_size : 64;
		unsigned char *grown = realloc(used, size);

		if (!grown)
			return number; /* shares its track, if ever */
		memset(grown + used_size, 0, size - used_size);
		used = grown;
		used_size = size;
	}
	used[number] = 1;
	return number;
}

static void strand_free(PyObject *capsule)
{
	struct strand *s = PyCapsule_GetPointer(capsule, ATTRIBUTE);

	if (!s)
		return;
	track_discard(&s->track);
	if (s->number < used_size)
		used[s->number] = 0;
	free(s);
}

static int is_main(PyObject *greenlet)
{
	PyObject *parent = PyObject_GetAttrString(greenlet, "parent");
	int none = parent == Py_None;

	Py_XDECREF(parent);
	return none;
}

/* The strand of a greenlet, created at its first switch; NULL with an error set. */
static struct strand *strand_of(PyObject *greenlet)
{
	PyObject *capsule = PyObject_GetAttrString(greenlet, ATTRIBUTE);
	struct strand *s = capsule ? PyCapsule_GetPointer(capsule, ATTRIBUTE) : NULL;

	if (!capsule) {
		PyErr_Clear();
		s = calloc(1, sizeof(*s));
		capsule = s ? PyCapsule_New(s, ATTRIBUTE, strand_free) : PyErr_NoMemory();
		if (!capsule) {
			free(s);
			return NULL;
		}
		s->number = is_main(greenlet) ? 0 : number_take();
		if (PyObject_SetAttrString(greenlet, ATTRIBUTE, capsule) < 0)
			s = NULL;
	}
	Py_DECREF(capsule);
	return s;
}

static void fiber_switch(const struct strand *s)
{
	char name[32];

	if (*s->task) {
		tacho_fiber_enter(s->task);
	} else if (s->number) {
		snprintf(name, sizeof(name), "greenlet %u", s->number);
		tacho_fiber_enter(name);
	} else {
		tacho_fiber_leave();
	}
}

static void strand_switch(struct strand *from, struct strand *to)
{
	size_t size = 0;
	const char *task = track.fiber ? task_name(&size) : NULL;

	snprintf(from->task, sizeof(from->task), "%.*s", (int)size, task ? task : "");
	from->track = (struct track){0};
	track_swap(&from->track);
	track_swap(&to->track);
	fiber_switch(to);
}

/* The callback of greenlet.settrace(): (event, (origin, target)). */
static PyObject *greenlet_switched(PyObject *previous, PyObject *args)
{
	PyObject *event, *origin, *target;
	struct strand *from, *to;

	if (!PyArg_ParseTuple(args, "O(OO)", &event, &origin, &target))
		return NULL;
	if (origin != target) {
		from = strand_of(origin);
		to = from ? strand_of(target) : NULL;
		if (!to)
			return NULL;
		strand_switch(from, to);
	}
	if (previous && previous != Py_None)
		return PyObject_Call(previous, args, NULL);
	Py_RETURN_NONE;
}

static PyMethodDef switched = {"tracy", greenlet_switched, METH_VARARGS, NULL};

/* For the calling thread; the previous callback is called too. */
static int greenlet_settrace(void)
{
	PyObject *previous = PyObject_CallMethod(module, "gettrace", NULL);
	PyObject *hook = previous ? PyCFunction_New(&switched, previous) : NULL;
	PyObject *was = hook ? PyObject_CallMethod(module, "settrace", "O", hook) : NULL;
	int ok = was != NULL;

	Py_XDECREF(was);
	Py_XDECREF(hook);
	Py_XDECREF(previous);
	return ok;
}

/* A greenlet already runs: it gets its track now. */
static void greenlet_begin_current(void)
{
	PyObject *current = PyObject_CallMethod(module, "getcurrent", NULL);
	struct strand *s = current && !is_main(current) ? strand_of(current) : NULL;

	if (s)
		fiber_switch(s);
	Py_XDECREF(current);
}

void greenlet_follow(void)
{
	static __thread int followed __attribute__((tls_model("initial-exec")));
	PyObject *type, *value, *traceback, *modules;

	if (followed)
		return;
	PyErr_Fetch(&type, &value, &traceback);
	if (!module) {
		modules = PySys_GetObject("modules");
		module = modules ? PyDict_GetItemString(modules, "greenlet._greenlet") : NULL;
	}
	if (module) {
		followed = 1; /* also on failure: once is enough */
		if (greenlet_settrace())
			greenlet_begin_current();
	}
	PyErr_Clear();
	PyErr_Restore(type, value, traceback);
}
