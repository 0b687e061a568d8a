/* SPDX-License-Identifier: Apache-2.0 */
/* The queue from the sampler's thread to the recorder. */
#include "sample/private.h"

#include "base/limits.h"

#include <string.h>

/* If the recorder is too slow, events that do not fit are lost and counted. */
void queue_put(struct sampler *s, const struct sampler_event *e, const char *text, size_t len)
{
	struct sampler_event copy = *e;
	bool room;

	if (text) {
		copy.text = malloc(len + 1);
		if (copy.text) {
			memcpy(copy.text, text, len);
			copy.text[len] = 0;
			copy.len = len;
		}
	}
	pthread_mutex_lock(&s->lock);
	room = s->queue.n < LIMIT_SAMPLE_QUEUE && vec_push(&s->queue, copy) == 0;
	s->totals.queue_full += !room;
	pthread_mutex_unlock(&s->lock);
	if (!room)
		free(copy.text);
}

void queue_row(struct sampler *s, const struct sampled_thread *t, uint32_t row, uint64_t time,
	       uint64_t a, uint64_t b, uint64_t c)
{
	struct sampler_event e = {.kind = SAMPLER_ROW, .row = row, .time = time, .a = a, .b = b};

	e.c = c;
	if (t) {
		e.pid = t->pid;
		e.tid = t->tid;
	}
	queue_put(s, &e, NULL, 0);
}
