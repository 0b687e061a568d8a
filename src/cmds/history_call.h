/* SPDX-License-Identifier: Apache-2.0 */
/* The calls "history" and "history/series" of the viewer: runs over commits in a database. */
#ifndef CMDS_HISTORY_CALL_H
#define CMDS_HISTORY_CALL_H

#include "view/view.h"

/* Adds them to VIEW, before the first query. URL as of db_open(), borrowed. */
void history_call_add(struct view *view, const char *url);

#endif
