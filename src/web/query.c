/* A request's target: "/path?key=value&key=value", percent-encoded. */
#include "web/private.h"

#include <string.h>

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes in place; false: not well-formed, or a NUL. PLUS: '+' is a blank. */
static bool decode(char *text, bool plus)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (*from == '%') {
			int high = digit(from[1]), low = high < 0 ? -1 : digit(from[2]);

			if (low < 0 || (high == 0 && low == 0))
				return false;
			*to++ = (char)(high << 4 | low);
			from += 2;
		} else {
			*to++ = plus && *from == '+' ? ' ' : *from;
		}
	}
	*to = 0;
	return true;
}

/* Only what our own paths are made of; so there is no way to spell "..", "//" or a drive. */
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

static int parameter_add(struct web_query *q, char *text)
{
	char *equals = strchr(text, '=');

	if (!*text)
		return 0;
	if (q->count == WEB_PARAMETERS)
		return 400;
	if (equals)
		*equals++ = 0;
	else
		equals = text + strlen(text);
	if (!decode(text, true) || !decode(equals, true) || query_get(q, text))
		return 400;
	q->parameters[q->count].key = text;
	q->parameters[q->count++].value = equals;
	return 0;
}

int query_parse(struct web_query *q, const char *target)
{
	size_t len = strnlen(target, WEB_TARGET + 1);
	char *at, *next;
	int status = 0;

	q->path = q->text;
	q->count = 0;
	q->text[0] = 0;
	if (len > WEB_TARGET)
		return 414;
	memcpy(q->text, target, len + 1);
	at = strchr(q->text, '?');
	if (at)
		*at++ = 0;
	if (!decode(q->path, false) || !path_is_plain(q->path))
		return 404;
	for (; status == 0 && at; at = next) {
		next = strchr(at, '&');
		if (next)
			*next++ = 0;
		status = parameter_add(q, at);
	}
	return status;
}

const char *query_get(const struct web_query *q, const char *key)
{
	for (size_t i = 0; i < q->count; i++)
		if (!strcmp(q->parameters[i].key, key))
			return q->parameters[i].value;
	return NULL;
}
