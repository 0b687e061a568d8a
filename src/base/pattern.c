/* SPDX-License-Identifier: Apache-2.0 */
/* Name filters: a part of the name, the exact name, a glob or a regular expression. */
#include "base/pattern.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static int pattern_parse(struct pattern *p, const char *text, size_t len, struct tacho_error *err)
{
	char *expression = strndup(text + 1, len - 2), reason[120];
	int r;

	if (!expression)
		return TACHO_ENOMEM;
	r = regcomp(&p->regex, expression, REG_EXTENDED | REG_NOSUB);
	free(expression);
	if (r == 0) {
		p->kind = PATTERN_REGEX;
		return 0;
	}
	regerror(r, &p->regex, reason, sizeof(reason));
	return err_set(err, TACHO_EUSAGE, "'%s' is not a regular expression: %s", text, reason);
}

int pattern_init(struct pattern *p, const char *text, struct tacho_error *err)
{
	size_t len = text ? strlen(text) : 0;

	memset(p, 0, sizeof(*p));
	if (len == 0)
		return 0;
	if (len > 2 && text[0] == '/' && text[len - 1] == '/')
		return pattern_parse(p, text, len, err);
	if (text[0] == '=') {
		p->kind = PATTERN_EXACT;
		p->text = text + 1;
	} else {
		p->kind = strpbrk(text, "*?") ? PATTERN_GLOB : PATTERN_PART;
		p->text = text;
	}
	return 0;
}

bool pattern_match(const struct pattern *p, const char *name)
{
	switch (p->kind) {
	case PATTERN_PART:
		return strstr(name, p->text);
	case PATTERN_EXACT:
		return !strcmp(name, p->text);
	case PATTERN_GLOB:
		return fnmatch(p->text, name, 0) == 0;
	case PATTERN_REGEX:
		return regexec(&p->regex, name, 0, NULL, 0) == 0;
	default:
		return true;
	}
}

void pattern_free(struct pattern *p)
{
	if (p->kind == PATTERN_REGEX)
		regfree(&p->regex);
	memset(p, 0, sizeof(*p));
}
