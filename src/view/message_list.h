/* SPDX-License-Identifier: Apache-2.0 */
/* Private: messages, and signposts among them. */
#ifndef VIEW_MESSAGE_LIST_H
#define VIEW_MESSAGE_LIST_H

#include "view/call_args.h"

/* signposts.c */
struct signpost {
	const char *header, *message;
	size_t header_len, message_len;
};
bool signpost_read(const struct trace_row *row, struct signpost *s);

/* Selects messages by q, severity, signposts and records. */
struct message_choice {
	struct words words;
	uint64_t severity;
	uint32_t thread; /* TRACE_NONE: all */
	bool signposts;  /* alone */
	bool records;    /* also the profiler's messages about ops, for other programs */
};
int message_choice_read(struct view_call *c, struct message_choice *ch);
/*
 * 1: CH takes the row; 0: it does not; or TACHO_ENOMEM. An op record becomes a message whose text
 * is in TEXT.
 */
int message_take(const struct message_choice *ch, struct trace_row *row, struct buf *text,
		 bool *signpost);

#endif
