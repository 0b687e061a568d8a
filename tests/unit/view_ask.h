/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to a view, as the page writes them. */
#ifndef TESTS_VIEW_ASK_H
#define TESTS_VIEW_ASK_H

#include "view/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* TEXT is "stats?t0=5&t1=7", of the first trace. The caller frees answer->body. */
static inline enum view_status view_ask_text(struct view *view, const char *text,
					     struct view_answer *answer)
{
	struct view_query *query = malloc(sizeof(*query));
	const char *mark = strchr(text, '?');
	char call[64];
	struct view_question q = {.trace = 0, .call = call, .query = query};

	snprintf(call, sizeof(call), "%.*s", (int)(mark ? mark - text : (long)strlen(text)), text);
	if (!query || !query_parse(query, mark ? mark + 1 : NULL))
		abort();
	view_ask(view, &q, answer);
	free(query);
	return answer->status;
}

#endif
