/*
 * What traces are called: the names of their files, and as much of the folders as tells them apart.
 * Every report has its table in a file of the same name.
 */
#include "web/private.h"

#include <string.h>

/* The last PARTS parts of a path. */
static const char *tail(const char *path, unsigned parts)
{
	const char *at = path + strlen(path);

	while (at > path)
		if (*--at == '/' && !--parts)
			return at + 1;
	return path;
}

static bool taken(const struct web *web, size_t mine, unsigned parts)
{
	const char *name = tail(web->traces.v[mine]->path, parts);

	for (size_t i = 0; i < web->traces.n; i++)
		if (i != mine && strcmp(web->traces.v[i]->path, web->traces.v[mine]->path) != 0 &&
		    !strcmp(tail(web->traces.v[i]->path, parts), name))
			return true;
	return false;
}

int trace_names_make(struct web *web)
{
	for (size_t i = 0; i < web->traces.n; i++) {
		struct web_trace *t = web->traces.v[i];
		unsigned parts = 1;
		char *name;

		while (taken(web, i, parts))
			parts++;
		if (parts == 1)
			continue;
		name = strdup(tail(t->path, parts));
		if (!name)
			return TACHO_ENOMEM;
		free(t->name);
		t->name = name;
	}
	return 0;
}
