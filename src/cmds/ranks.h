/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders of reports. A job of several processes, such as one of tt-run, has a folder rankN for
 * each below its own, with its logs and reports.
 */
#ifndef CMDS_RANKS_H
#define CMDS_RANKS_H

#include "base/vec.h"

struct rank_paths {
	VEC(char *);
};

/* Adds the paths FOLDER/rank0, FOLDER/rank1 and so on, by number. 0 or TACHO_ENOMEM. */
int ranks_find(const char *folder, struct rank_paths *paths);

/*
 * Adds the newest ops report in PATH, or of each of its ranks; a file, or a folder without any, is
 * added itself. The texts belong to PATHS: ranks_free().
 */
int ranks_reports(const char *path, struct rank_paths *paths);
void ranks_free(struct rank_paths *paths);

#endif
