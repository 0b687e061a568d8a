/* SPDX-License-Identifier: Apache-2.0 */
/* Private: answers about large saved traces that took long are kept in the cache folder. */
#ifndef VIEW_ANSWER_CACHE_H
#define VIEW_ANSWER_CACHE_H

#include "view/call.h"

#define ANSWERS_FROM 1000000u /* zones and rows: smaller traces are quick */

/* Puts the answer of call NAME, if it is kept, into the answer's body. */
bool answer_cache_find(struct view_call *c, const char *name);
/* Keeps the answer, if it took long since BEGAN, by now_seconds(). */
void answer_cache_keep(struct view_call *c, const char *name, double began);

#endif
