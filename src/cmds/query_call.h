/* SPDX-License-Identifier: Apache-2.0 */
/* The call "query" of the viewer: SQL from the page. */
#ifndef CMDS_QUERY_CALL_H
#define CMDS_QUERY_CALL_H

#include "view/view.h"

/* Adds it to VIEW, before the first query. */
void query_call_add(struct view *view);

#endif
