/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command that was given as one string, taken apart as a shell would: words, single and double
 * quotes, backslashes, NAME=VALUE in front. Nothing is expanded and no shell is run; what only a
 * shell could do (pipes, lists, redirections) is refused.
 */
#ifndef CMDS_WORDS_H
#define CMDS_WORDS_H

#include "base/err.h"

#include <stddef.h>

struct words {
	char **v; /* NULL-terminated, for execvp() */
	size_t n;
	size_t settings; /* how many words in front are NAME=VALUE */
	char *text;      /* what v points into */
};

int words_split(struct words *words, const char *command, struct tacho_error *err);
void words_free(struct words *words);

#endif
