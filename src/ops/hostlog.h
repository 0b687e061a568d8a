/*
 * The host's logs: tracy_ops_data.csv (messages) and tracy_ops_times.csv (zones). Both readers go
 * on behind whatever they cannot read and say so in ISSUES; they fail only when a file cannot be
 * read at all or memory runs out.
 */
#ifndef OPS_HOSTLOG_H
#define OPS_HOSTLOG_H

#include "ops/issues.h"
#include "ops/record.h"

#define OPS_DATA_FILE  "tracy_ops_data.csv"
#define OPS_TIMES_FILE "tracy_ops_times.csv"

int ops_messages_read(struct ops_host *host, const char *path, struct ops_issues *issues,
		      struct tacho_error *err);

/* The same over memory, which the reader changes and which need not outlive it. */
int ops_messages_parse(struct ops_host *host, char *text, size_t len, struct ops_issues *issues,
		       struct tacho_error *err);

/* Messages that come one by one. HOST and ISSUES must outlive it. */
struct ops_messages;
int ops_messages_open(struct ops_messages **m, struct ops_host *host, struct ops_issues *issues);
/* RECORD is "TEXT;NANOSECONDS" with the line's end, as in the log; it is changed. */
int ops_messages_add(struct ops_messages *m, char *record, size_t len);
void ops_messages_close(struct ops_messages *m);

/* A zone of the host, as a line of OPS_TIMES_FILE tells it. */
struct ops_zone {
	const char *name, *text, *parent; /* parent: text of the op's zone around it; or empty */
	size_t name_len, text_len, parent_len;
	uint64_t start_ns, duration_ns;
	uint64_t line;
};

/* Does a zone of this name say when an op was called? */
bool ops_zone_is_op(const char *name, size_t len);
int ops_zone_add(struct ops_host *host, const struct ops_zone *zone, struct ops_issues *issues);

/* After the messages: an op that they did not name is added, as an unknown one. */
int ops_times_read(struct ops_host *host, const char *path, struct ops_issues *issues,
		   struct tacho_error *err);

/*
 * One message at a time, for other readers of the same file. *AT moves behind the record; TEXT and
 * TIME point into the buffer, whose quoted texts are unescaped in place.
 */
struct ops_message {
	char *text;
	size_t len;
	const char *raw; /* the whole record; its quoted text may have moved */
	size_t raw_len;  /* without the line's end */
	uint64_t ns;
	bool timed;    /* the second field was a number */
	uint64_t line; /* where the record starts */
};

struct ops_message_reader {
	char *at, *end;
	uint64_t line;
};

bool ops_message_next(struct ops_message_reader *r, struct ops_message *m);

/* The whole of PATH as a malloc()ed string, at most LIMIT_OPS_FILE bytes. */
int ops_slurp(const char *path, char **text, size_t *len, struct tacho_error *err);

#endif
