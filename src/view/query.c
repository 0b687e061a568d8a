/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of a query: "key=value&key=value", percent-encoded. */
#include "view/view.h"

#include <string.h>

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool query_decode(char *text, bool plus)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (*from == '%') {
			int high = hex_digit(from[1]), low = high < 0 ? -1 : hex_digit(from[2]);

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

static bool parameter_add(struct view_query *q, char *text)
{
	char *equals = strchr(text, '=');

	if (!*text)
		return true;
	if (q->count == VIEW_PARAMETERS)
		return false;
	if (equals)
		*equals++ = 0;
	else
		equals = text + strlen(text);
	if (!query_decode(text, true) || !query_decode(equals, true) || query_get(q, text))
		return false;
	q->parameters[q->count].key = text;
	q->parameters[q->count++].value = equals;
	return true;
}

bool query_parse(struct view_query *q, const char *text)
{
	size_t len = text ? strnlen(text, VIEW_QUERY + 1) : 0;
	bool good = true;

	q->count = 0;
	if (len > VIEW_QUERY || !text)
		return !text;
	memcpy(q->text, text, len + 1);
	for (char *at = q->text, *next; good && at; at = next) {
		next = strchr(at, '&');
		if (next)
			*next++ = 0;
		good = parameter_add(q, at);
	}
	return good;
}

const char *query_get(const struct view_query *q, const char *key)
{
	for (size_t i = 0; i < q->count; i++)
		if (!strcmp(q->parameters[i].key, key))
			return q->parameters[i].value;
	return NULL;
}
