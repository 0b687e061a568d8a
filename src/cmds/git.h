/* SPDX-License-Identifier: Apache-2.0 */
/* The commit of a working tree, as git describes it. */
#ifndef CMDS_GIT_H
#define CMDS_GIT_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct git_commit {
	char sha[65], branch[256];
	int64_t time;  /* ns since 1970 */
	int64_t count; /* commits up to it, along first parents */
	bool dirty;    /* tracked files differ from it */
};

/* Describes HEAD of the working tree FOLDER. TACHO_EREAD: it has none. */
int git_commit_read(struct git_commit *c, const char *folder, struct tacho_error *err);

#endif
