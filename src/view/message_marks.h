/* SPDX-License-Identifier: Apache-2.0 */
/* Private: counted lists of messages, and how to start reading one in the middle. */
#ifndef VIEW_MESSAGE_MARKS_H
#define VIEW_MESSAGE_MARKS_H

#include "view/message_list.h"

/* BEFORE messages of the list are older than TIME, and the next one is of that time. */
struct mark {
	uint64_t time, before;
};

/* A list as it is counted. */
struct marks {
	VEC(struct mark);
	uint64_t gen, t0, t1, severity;
	uint32_t thread;
	bool signposts, records;
	char *words;
	uint64_t total, last; /* so far, and the time of the last */
};

int marks_begin(struct marks *m, uint64_t gen, const struct message_choice *ch, uint64_t t0,
		uint64_t t1);
/* One more message, by time. */
int marks_add(struct marks *m, uint64_t time);
/* The list is counted to its end: takes ownership. */
void marks_keep(struct view_trace *t, struct marks *m);
void marks_free(struct marks *m);
/* True: such a list was counted. FROM is where to begin for OFFSET. */
bool marks_find(struct view_trace *t, uint64_t gen, const struct message_choice *ch, uint64_t t0,
		uint64_t t1, uint64_t offset, struct mark *from, uint64_t *total);

#endif
