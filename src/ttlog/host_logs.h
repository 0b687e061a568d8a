/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host's logs: tracy_ops_data.csv (messages) and tracy_ops_times.csv (zones). The readers go on
 * after whatever they cannot read and report it in ISSUES; they fail only when a file cannot be
 * read at all or memory runs out.
 */
#ifndef TTLOG_HOST_LOGS_H
#define TTLOG_HOST_LOGS_H

#include "op/messages.h"

int ttlog_messages_read(struct op_host *host, const char *path, struct op_issues *issues,
			struct tacho_error *err);

/* The same over memory, which the reader changes and which need not outlive it. */
int ttlog_messages_parse(struct op_host *host, char *text, size_t len, struct op_issues *issues,
			 struct tacho_error *err);

/* After the messages: an op that they did not name is added, as an unknown one. */
int ttlog_times_read(struct op_host *host, const char *path, struct op_issues *issues,
		     struct tacho_error *err);

/* The whole of PATH as a malloc()ed string, at most LIMIT_OPS_FILE bytes. */
int ttlog_slurp(const char *path, char **text, size_t *len, struct tacho_error *err);

#endif
