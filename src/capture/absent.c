/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that could not be recorded: those that the session's table reports, and those whose
 * rings the recorder cannot read. They are written to the trace with the next checkpoint.
 */
#include "capture/private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ABSENT_NAMED 1024u /* a hostile program could add processes without end */
#define SLOTS        ((size_t)RING_JOINS * (RING_MAX_ATTACHED + 1))

_Static_assert((int)RING_JOIN_VERSION == (int)TRACE_ABSENT_VERSION &&
		       (int)RING_JOIN_CREATE == (int)TRACE_ABSENT_CREATE &&
		       (int)RING_JOIN_MAP == (int)TRACE_ABSENT_MAP &&
		       (int)RING_JOIN_MEMORY == (int)TRACE_ABSENT_MEMORY &&
		       (int)RING_JOIN_BOUND == (int)TRACE_ABSENT_BOUND,
	       "the table's reasons are those of the trace");

static char *copy_printable(const char *name)
{
	char *copy = strndup(name, LIMIT_NAME);

	for (char *at = copy; at && *at; at++)
		if ((unsigned char)*at < ' ' || (unsigned char)*at >= 0x7f)
			*at = '?';
	return copy;
}

/* A killed recorder may have left entries that it had already stored. */
static bool absent_is_there(const struct absent *a, const struct trace_absent *new)
{
	for (size_t i = 0; i < a->list.n; i++) {
		const struct trace_absent *old = &a->list.v[i];

		if (old->pid == new->pid && old->reason == new->reason &&
		    old->error == new->error && !strcmp(old->name, new->name))
			return true;
	}
	return false;
}

/* False: it is already in the list, or the list is full. */
static bool absent_list_add(struct capture *c, struct trace_absent new)
{
	char *copy = copy_printable(new.name);
	int64_t id;

	if (!copy) {
		capture_error(c, TACHO_ENOMEM);
		return false;
	}
	new.name = copy;
	if (c->absent.list.n >= ABSENT_NAMED || absent_is_there(&c->absent, &new) ||
	    vec_push(&c->absent.list, new) < 0) {
		free(copy);
		return false;
	}
	id = trace_add_absent(c->writer, &new);
	if (id < 0)
		capture_error(c, id);
	return true;
}

void absent_add(struct capture *c, uint32_t pid, uint32_t reason, int error, const char *name)
{
	struct trace_absent new = {.count = 1,
				   .pid = pid,
				   .reason =
					   reason < TRACE_ABSENCES ? reason : TRACE_ABSENT_UNKNOWN,
				   .error = (uint32_t)error,
				   .name = name};

	absent_list_add(c, new);
	c->since_checkpoint++;
}

/* Processes that could not join since the last checkpoint. */
static uint64_t count_new(const struct capture *c)
{
	size_t none;

	return ring_session_failed_joins(&c->session, NULL, 0, &none) - c->absent.joins_seen;
}

bool absent_is_new(const struct capture *c)
{
	return count_new(c) != 0;
}

bool absent_is_many(const struct capture *c)
{
	return count_new(c) >= RING_JOINS / 2;
}

/*
 * Processes that found no slot, or died before they had filled theirs: only their number is known.
 */
static void absent_others_count(struct capture *c, uint64_t total)
{
	struct absent *a = &c->absent;
	struct trace_absent *others = a->others == TRACE_NONE ? NULL : &a->list.v[a->others];
	struct trace_absent new = {.count = total > a->joins ? total - a->joins : 0, .name = ""};

	if (new.count > UINT32_MAX)
		new.count = UINT32_MAX;
	if (others && others->count != new.count) {
		others->count = new.count;
		if (trace_update_absent(c->writer, a->others, others) < 0)
			capture_error(c, TACHO_EWRITE);
	} else if (!others && new.count && absent_list_add(c, new)) {
		a->others = (uint32_t)a->list.n - 1;
	}
}

void absent_collect(struct capture *c)
{
	struct absent *a = &c->absent;
	uint64_t total;

	if (!absent_is_new(c))
		return;
	if (!a->slots)
		a->slots = calloc(SLOTS, sizeof(*a->slots));
	if (!a->slots) {
		capture_error(c, TACHO_ENOMEM);
		return;
	}
	total = ring_session_failed_joins(&c->session, a->slots, SLOTS, &a->slot_count);
	for (size_t i = 0; i < a->slot_count; i++) {
		const struct ring_failed_join *f = &a->slots[i];
		struct trace_absent new = {.count = 1,
					   .pid = f->pid,
					   .reason = f->reason < TRACE_ABSENCES ? f->reason : 0,
					   .error = f->error,
					   .name = f->name};

		a->joins += absent_list_add(c, new);
	}
	absent_others_count(c, total);
	a->joins_seen = total;
}

void absent_release(struct capture *c)
{
	ring_session_free_joins(&c->session, c->absent.slots, c->absent.slot_count);
	c->absent.slot_count = 0;
}

void absent_summary(const struct capture *c, struct capture_summary *summary)
{
	char reason[TRACE_ABSENT_TEXT];
	size_t lines = 0;

	summary->absent = 0;
	for (size_t i = 0; i < c->absent.list.n; i++) {
		const struct trace_absent *a = &c->absent.list.v[i];

		summary->absent += a->count;
		if (!a->pid || lines == CAPTURE_ABSENT_LINES)
			continue;
		trace_absent_text(a, reason, sizeof(reason));
		snprintf(summary->absent_text[lines++], sizeof(summary->absent_text[0]),
			 "process %u%s%.32s%s was not recorded: %s", a->pid, a->name[0] ? " (" : "",
			 a->name, a->name[0] ? ")" : "", reason);
	}
}

void absent_free(struct capture *c)
{
	for (size_t i = 0; i < c->absent.list.n; i++)
		free((char *)c->absent.list.v[i].name);
	vec_free(&c->absent.list);
	free(c->absent.slots);
	c->absent.slots = NULL;
}
