/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Split a command given as one string as a shell would: words, single and double quotes,
 * backslashes, leading NAME=VALUE. Nothing is expanded and no shell runs; what only a shell can do
 * (pipes, lists, redirections) is refused.
 */
#ifndef CMDS_WORDS_H
#define CMDS_WORDS_H

#include "base/err.h"

#include <stddef.h>

struct words {
	char **v; /* NULL-terminated, for execvp() */
	size_t n;
	size_t settings; /* number of leading NAME=VALUE words */
	char *text;      /* v points into it */
};

/* End WORDS with words_free(). TACHO_EUSAGE: a quote is not closed. */
int words_split(struct words *words, const char *command, struct tacho_error *err);
void words_free(struct words *words);

#endif
