/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the host's messages and zones about ops: the grammar that Tracy clients of this kind of
 * device use, in traces, .tracy files and logs. Readers skip anything unreadable and report it in
 * ISSUES; they fail only when memory runs out.
 */
#ifndef OP_MESSAGES_H
#define OP_MESSAGES_H

#include "op/calls.h"

/*
 * Reads messages one by one. CALLS must outlive it. FILE: they come from a log, the only source of
 * losses. LINE: of the first record.
 */
struct op_messages;
int op_messages_open(struct op_messages **m, struct op_calls *calls, bool file, uint64_t line);
/* RECORD is "TEXT;NANOSECONDS" with the line's end, as in the log; it is modified. */
int op_messages_add(struct op_messages *m, char *record, size_t len);
void op_messages_close(struct op_messages *m);

/* A zone of the host, as in a line of TTLOG_TIMES_FILE. */
struct op_host_zone {
	const char *name, *text, *parent; /* parent: text of the enclosing op's zone; or empty */
	size_t name_len, text_len, parent_len;
	uint64_t start_ns, duration_ns;
	uint64_t line;
};

/* True if a zone of this name marks the call of an op. */
bool op_zone_is_op(const char *name, size_t len);
/* Reports a zone of an op that lacks its id or times. */
int op_zone_bad(struct op_issues *issues, uint64_t line);
int op_zone_add(struct op_host *host, const struct op_host_zone *zone, struct op_issues *issues);

/*
 * One message at a time, for other readers of the same file. *AT advances past the record; TEXT and
 * TIME point into the buffer, whose quoted texts are unescaped in place.
 */
struct op_message {
	char *text;
	size_t len;
	const char *raw; /* the whole record; its quoted text may have moved */
	size_t raw_len;  /* without the line's end */
	uint64_t ns;
	bool timed;    /* the second field was a number */
	uint64_t line; /* where the record starts */
};

struct op_message_reader {
	char *at, *end;
	uint64_t line;
};

bool op_message_next(struct op_message_reader *r, struct op_message *m);

#endif
