/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of traces: the file name, and as much of its folders as makes it unique. Every report has
 * its table in a file of the same name.
 */
#include "view/call.h"

#include <string.h>

/* The last PARTS parts of a path. */
static const char *trace_names_tail(const char *path, unsigned parts)
{
	const char *at = path + strlen(path);

	while (at > path)
		if (*--at == '/' && !--parts)
			return at + 1;
	return path;
}

static bool trace_names_taken(const struct view *view, size_t mine, unsigned parts)
{
	const char *name = trace_names_tail(view->traces.v[mine]->path, parts);

	for (size_t i = 0; i < view->traces.n; i++)
		if (i != mine && strcmp(view->traces.v[i]->path, view->traces.v[mine]->path) != 0 &&
		    !strcmp(trace_names_tail(view->traces.v[i]->path, parts), name))
			return true;
	return false;
}

int trace_names_make(struct view *view)
{
	for (size_t i = 0; i < view->traces.n; i++) {
		struct view_trace *t = view->traces.v[i];
		unsigned parts = 1;
		char *name;

		while (trace_names_taken(view, i, parts))
			parts++;
		if (parts == 1)
			continue;
		name = strdup(trace_names_tail(t->path, parts));
		if (!name)
			return TACHO_ENOMEM;
		free(t->name);
		t->name = name;
	}
	return 0;
}
