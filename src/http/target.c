/* SPDX-License-Identifier: Apache-2.0 */
/* Parse a request's target: "/path?key=value&key=value", percent-encoded. */
#include "http/private.h"

#include <string.h>

/* Accepts only the characters of our own paths, so "..", "//" or a drive cannot be spelled. */
static bool path_is_plain(const char *path)
{
	if (path[0] != '/' || strstr(path, "..") || strstr(path, "//"))
		return false;
	for (; *path; path++)
		if (!strchr("/._-", *path) && !(*path >= '0' && *path <= '9') &&
		    !((*path | 0x20) >= 'a' && (*path | 0x20) <= 'z'))
			return false;
	return true;
}

int target_parse(struct http_target *t, const char *text)
{
	size_t len = strnlen(text, HTTP_TARGET + 1);
	char *query;

	t->path[0] = 0;
	t->query.count = 0;
	if (len > HTTP_TARGET)
		return 414;
	memcpy(t->path, text, len + 1);
	query = strchr(t->path, '?');
	if (query)
		*query++ = 0;
	if (!query_decode(t->path, false) || !path_is_plain(t->path))
		return 404;
	return query_parse(&t->query, query) ? 0 : 400;
}
