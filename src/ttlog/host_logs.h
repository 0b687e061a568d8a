/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host's logs: tracy_ops_data.csv (messages) and tracy_ops_times.csv (zones). The readers skip
 * anything unreadable and report it in ISSUES; they fail only when a file cannot be read at all or
 * memory runs out.
 */
#ifndef TTLOG_HOST_LOGS_H
#define TTLOG_HOST_LOGS_H

#include "op/messages.h"

int ttlog_messages_read(struct op_host *host, const char *path, struct op_issues *issues,
			struct tacho_error *err);

/* The same for a log in memory, which the reader modifies and which need not outlive it. */
int ttlog_messages_parse(struct op_host *host, char *text, size_t len, struct op_issues *issues,
			 struct tacho_error *err);

/* After the messages: an op that they did not name is added as unknown. */
int ttlog_times_read(struct op_host *host, const char *path, struct op_issues *issues,
		     struct tacho_error *err);

/* The whole of PATH as a malloc()ed string, at most LIMIT_OPS_FILE bytes. */
int ttlog_slurp(const char *path, char **text, size_t *len, struct tacho_error *err);

#endif
