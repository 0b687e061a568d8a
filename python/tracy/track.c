/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the begins and ends of one thread in order, even if the interpreter omits some. */
#include "quick.h"

#include <pthread.h>
#include <stdlib.h>

/* Sentinels before the outermost zone: they have no owner, so the last entry can always be read. */
#define GUARDS 2
static struct track_zone guards[GUARDS];

#define NO_TRACK                                                                          \
	{                                                                                 \
		.top = guards + GUARDS, .limit = guards + GUARDS, .open = guards + GUARDS \
	}
__thread struct track track __attribute__((tls_model("initial-exec"))) = NO_TRACK;
uint32_t track_epoch = 1;
uint32_t track_quick = UINT32_MAX;
uint32_t track_limit = UINT32_MAX;
static pthread_key_t track_key;

/* The thread ends: TLS is still valid, but we own the memory it points to. */
static void track_free(void *zones)
{
	free(zones);
	track = (struct track)NO_TRACK;
}

int track_init(void)
{
	if (pthread_key_create(&track_key, track_free)) {
		PyErr_SetString(PyExc_RuntimeError, "tracy: no thread-specific key is left");
		return -1;
	}
	return 0;
}

int track_grow(void)
{
	uint32_t count = track_count();
	size_t size = count ? 2 * (size_t)count : 256;
	int first = track.open == guards + GUARDS;
	struct track_zone *zones =
		realloc(first ? NULL : track.open - GUARDS, (GUARDS + size) * sizeof(*zones));

	if (!zones)
		return -1;
	if (first)
		memcpy(zones, guards, sizeof(guards));
	track.open = zones + GUARDS;
	track.top = track.open + count;
	track.limit = track.open + size;
	pthread_setspecific(track_key, zones);
	return 0;
}

/* The memory that a thread frees when it ends; NULL if it has none. */
static void *track_memory(const struct track *t)
{
	return t->open == guards + GUARDS ? NULL : t->open - GUARDS;
}

void track_swap(struct track *other)
{
	struct track mine = track;

	track = other->open ? *other : (struct track)NO_TRACK;
	pthread_setspecific(track_key, track_memory(&track));
	*other = mine;
}

void track_discard(struct track *other)
{
	if (!other->open)
		return;
	free(track_memory(other));
	free(other->manual.words);
	*other = (struct track){0};
}

void track_configure(void)
{
	track_quick = settings.max_depth || settings.min_ticks ? UINT32_MAX : track_epoch;
	track_limit = settings.max_depth ? settings.max_depth : UINT32_MAX;
}

void track_restart(void)
{
	track_epoch++;
	track_configure();
}

void track_resume(void)
{
	track_epoch += !track_limit;
	track_configure();
	track_quick = UINT32_MAX;
}

void track_stop(void)
{
	track_epoch++;
	track_quick = UINT32_MAX;
	track_limit = 0;
}

/*
 * Too deep: it is in the track all the same, since its end will come and must not be mistaken for
 * that of an outer call of the same function. The flag selects the slow path, which recognises it
 * by its missing number.
 */
#define HIDDEN CODE_COROUTINE

/*
 * ------------------------------------------------- pending begins
 *
 * With a minimum duration a begin waits in the track until a recorded event follows it: the end of
 * its own zone, if that took long enough, or of one inside, which then took no longer. So events
 * are recorded in time order, and a short function costs a push and a pop.
 */

void track_flush(void)
{
	uint64_t key = tacho_key();
	uint32_t first = track_count();

	while (first && track.open[first - 1].ticks)
		first--;
	for (; first < track_count(); first++) {
		struct track_zone *zone = &track.open[first];

		if (key)
			tacho_emit_at(key, zone->ticks,
				      (zone->word & ~CODE_COROUTINE) | TACHO_KIND_BEGIN);
		zone->ticks = 0;
	}
}

static int is_line(const struct track_zone *zone)
{
	return (uintptr_t)zone->owner & 1; /* see line_owner() */
}

static int is_entry(const struct track_zone *zone)
{
	return (uintptr_t)zone->owner & 2; /* see entry_owner() */
}

/* Such a zone may begin in one line and end in another: the line ends before it does. */
void track_before_zone(void)
{
	if (settings.min_ticks)
		track_flush();
	if (settings.lines && is_line(track.top - 1))
		track_pop();
}

static void track_push_held(uint32_t word, const void *owner)
{
	if (track.top == track.limit && track_grow() < 0)
		return;
	*track.top++ = (struct track_zone){owner, tacho_ticks(), word};
}

/* ------------------------------------------------------------- tasks */

/* A task runs the outermost coroutine of a thread. */
static const char *task_begins(uint32_t word, size_t *size)
{
	return word & CODE_COROUTINE && !track.coroutines ? task_name(size) : NULL;
}

static void track_push_hidden(const void *owner)
{
	if (track.top == track.limit && track_grow() < 0)
		return;
	*track.top++ = (struct track_zone){owner, 0, HIDDEN};
	track.coroutines++;
}

void track_begin_slow(uint64_t key, uint32_t word, const void *owner)
{
	uint32_t before = track_count();
	const char *task;
	size_t size;

	if (before >= track_limit) {
		if (track_limit || track.own > 0)
			track_push_hidden(owner);
		return;
	}
	task = task_begins(word, &size);
	if (task && settings.task_tracks)
		tacho_fiber_enter(task);
	if (settings.min_ticks)
		track_push_held(word, owner);
	else
		track_push(key, word, owner);
	if (track_count() == before) {
		if (task && settings.task_tracks)
			tacho_fiber_leave();
		return;
	}
	track.coroutines += (word & CODE_COROUTINE) != 0;
	if (task && settings.task_tracks)
		track.fiber = track_count();
	else if (task && !settings.min_ticks)
		tacho_zone_text(tacho_zone_current(), task, size);
}

void track_pop_slow(void)
{
	struct track_zone *last = track.top - 1;

	if (last->ticks && tacho_ticks() - last->ticks >= settings.min_ticks)
		track_flush();
	if (!last->ticks && last->word != HIDDEN)
		word_end(last->word & ~CODE_COROUTINE);
	track.coroutines -= (last->word & CODE_COROUTINE) != 0;
	if (track.fiber == (uint32_t)(track.top-- - track.open)) {
		track.fiber = 0;
		tacho_fiber_leave();
	}
}

/* -------------------------------------------------------------- ends */

static void track_end_down_to(uint32_t count)
{
	while (track_count() > count)
		track_pop();
}

static void track_clear(void)
{
	if (is_entry(track.top - 1))
		track.top--; /* its begin is not recorded */
	track_end_down_to(0);
	track.outside = 0;
}

void track_drop(void)
{
	if (track.epoch != track_epoch && track.own <= 0)
		track_clear();
	track.epoch = track_epoch;
}

int track_leave(void)
{
	if (track_limit)
		track_drop(); /* restarted with another backend */
	else if (track.own <= 0)
		track_clear();
	return track_limit || !track_count();
}

/*
 * The frames on the stack began in this zone, when recording started, and will outlast it: end
 * them with it and begin them again.
 */
void track_end_early(void)
{
	if (track.own > track.outside)
		return;
	track_clear();
	track.epoch = 0;
}

void track_end_late(void)
{
	if (track.own > 0)
		return;
	track.late = 0;
	track_clear();
}

void track_renew(int innermost_begins)
{
	track_drop();
	if (track_limit && !track_count())
		stack_begin(innermost_begins, NULL);
}

/* The number of zones outside that of OWNER; track_count() if it is not open. */
static uint32_t track_find(const void *owner)
{
	for (uint32_t i = track_count(); i-- > 0;) {
		if (track.open[i].owner == owner)
			return i;
	}
	return track_count();
}

/* One clock read for a line and its function, which end together. */
static int track_end_with_line(uint32_t found)
{
	uint64_t key = tacho_key(), now;

	if (found + 2 != track_count() || !key || !track_is_plain(track.open[found].word))
		return 0;
	now = tacho_ticks();
	for (int i = 0; i < 2; i++)
		tacho_emit_at(key, now, ((--track.top)->word & ~CODE_COROUTINE) | TACHO_KIND_END);
	return 1;
}

void track_end_inner(const void *owner)
{
	uint32_t found = track_find(owner);

	if (!track_end_with_line(found))
		track_end_down_to(found);
}

void zone_unwound(struct tacho_zone zone, PyObject *exception)
{
	PyTypeObject *type = NULL;

	if (exception)
		type = PyType_Check(exception) ? (PyTypeObject *)exception : Py_TYPE(exception);
	tacho_zone_textf(zone, "raised %s", type ? type->tp_name : "an exception");
}

void track_end_unwound(const void *owner, PyObject *exception)
{
	uint32_t found;

	track_check(0);
	found = track_find(owner);
	if (found == track_count())
		return;
	track_end_down_to(found + 1);
	if (!track.open[found].ticks && track.open[found].word != HIDDEN)
		zone_unwound(tacho_zone_current(), exception);
	track_pop();
}

/* ------------------------------------------------------------- lines */

/* A line after a line: the end of one is the begin of the next. */
static void track_next_line(uint64_t key, PyCodeObject *code, int line)
{
	struct track_zone *last = track.top - 1;
	uint32_t word = code_line_word(code, line);
	uint64_t now = tacho_ticks();

	tacho_emit_at(key, now, last->word | TACHO_KIND_END);
	if (!word || !tacho_emit_at(key, now, word | TACHO_KIND_BEGIN))
		track.top--;
	else
		last->word = word;
}

void track_line(PyCodeObject *code, int line)
{
	uint64_t key = tacho_key();
	const void *last;

	track_check(0);
	if (!key)
		return;
	last = track.top[-1].owner;
	if (last == line_owner(code) && track_is_plain(0)) {
		track_next_line(key, code, line);
		return;
	}
	if (last == line_owner(code))
		track_pop();
	else if (last != code)
		return; /* the function itself is not shown, so neither are its lines */
	track_begin(code_line_word(code, line), line_owner(code), 0);
}

/* ------------------------------------------- ends of segments: quick.h */

void quick_full_begin(uint64_t key, uint64_t now, uint32_t word, const void *owner)
{
	if (tacho_emit_full(key, now, word | TACHO_KIND_BEGIN))
		*track.top++ = (struct track_zone){owner, 0, word};
}

void quick_full_end(uint64_t key, uint64_t now, uint32_t word)
{
	tacho_emit_full(key, now, word | TACHO_KIND_END);
}

/* One of the two may have taken the last slot. */
static int quick_full_pair(uint64_t key, uint64_t now, uint64_t position, uint32_t first,
			   uint32_t second)
{
	if (tacho_is_full(position)) {
		tacho_emit_full(key, now, first);
		return tacho_emit_at(key, now, second);
	}
	tacho_store(position, now, first);
	return tacho_emit_full(key, now, second);
}

void quick_full_ends(uint64_t key, uint64_t now, uint64_t position, uint32_t first, uint32_t second)
{
	quick_full_pair(key, now, position, first | TACHO_KIND_END, second | TACHO_KIND_END);
}

void quick_full_line(uint64_t key, uint64_t now, uint64_t position, uint32_t before)
{
	if (!quick_full_pair(key, now, position, before | TACHO_KIND_END,
			     track.top[-1].word | TACHO_KIND_BEGIN))
		track.top--;
}

void quick_full_first_line(uint64_t key, uint64_t now, uint64_t position, PyCodeObject *code,
			   uint32_t word)
{
	if (quick_full_pair(key, now, position, track.top[-1].word | TACHO_KIND_BEGIN,
			    word | TACHO_KIND_BEGIN))
		*track.top++ = (struct track_zone){line_owner(code), 0, word};
}

void track_settle(PyCodeObject *code)
{
	if (track.top[-1].owner == entry_owner(code))
		track_begin((--track.top)->word, code, 0);
}
