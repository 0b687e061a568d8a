/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks in a long list of messages. Without them each page would read all messages before it again:
 * reading a counted list starts at the mark before the page.
 */
#include "view/message_marks.h"

#include <string.h>

#define KEPT 8u    /* lists */
#define STEP 4096u /* messages from mark to mark */

struct marks_cache {
	struct marks v[KEPT];
	size_t next;
};

static void message_marks_clear(struct marks *m)
{
	vec_free(m);
	free(m->words);
	memset(m, 0, sizeof(*m));
}

int marks_begin(struct marks *m, uint64_t gen, const struct message_choice *ch, uint64_t t0,
		uint64_t t1)
{
	*m = (struct marks){.gen = gen,
			    .t0 = t0,
			    .t1 = t1,
			    .severity = ch->severity,
			    .thread = ch->thread,
			    .signposts = ch->signposts,
			    .records = ch->records,
			    .words = strdup(ch->words.text ? ch->words.text : "")};
	return m->words ? 0 : TACHO_ENOMEM;
}

/* The mark is at the first of several messages at one time, since that one can be found again. */
int marks_add(struct marks *m, uint64_t time)
{
	struct mark mark = {time, m->total};
	bool due = !m->n || m->total - m->v[m->n - 1].before >= STEP;

	if (due && (!m->total || time != m->last) && vec_push(m, mark) < 0)
		return TACHO_ENOMEM;
	m->last = time;
	m->total++;
	return 0;
}

void marks_keep(struct view_trace *t, struct marks *m)
{
	pthread_mutex_lock(&t->lock);
	if (!t->marks)
		t->marks = calloc(1, sizeof(*t->marks));
	if (t->marks) {
		struct marks *to = &t->marks->v[t->marks->next++ % KEPT];

		message_marks_clear(to);
		*to = *m;
		*m = (struct marks){0};
	}
	pthread_mutex_unlock(&t->lock);
	marks_free(m);
}

void marks_free(struct marks *m)
{
	message_marks_clear(m);
}

bool marks_find(struct view_trace *t, uint64_t gen, const struct message_choice *ch, uint64_t t0,
		uint64_t t1, uint64_t offset, struct mark *from, uint64_t *total)
{
	bool found = false;
	const char *words = ch->words.text ? ch->words.text : "";

	*from = (struct mark){t0, 0};
	pthread_mutex_lock(&t->lock);
	for (size_t i = 0; t->marks && i < KEPT && !found; i++) {
		const struct marks *m = &t->marks->v[i];

		found = m->words && m->gen == gen && m->t0 == t0 && m->t1 == t1 &&
			m->severity == ch->severity && m->thread == ch->thread &&
			m->signposts == ch->signposts && m->records == ch->records &&
			!strcmp(m->words, words);
		if (!found)
			continue;
		*total = m->total;
		for (size_t k = 0; k < m->n && m->v[k].before <= offset; k++)
			*from = m->v[k];
	}
	pthread_mutex_unlock(&t->lock);
	return found;
}

void marks_forget(struct view_trace *t)
{
	for (size_t i = 0; t->marks && i < KEPT; i++)
		message_marks_clear(&t->marks->v[i]);
	free(t->marks);
	t->marks = NULL;
}
