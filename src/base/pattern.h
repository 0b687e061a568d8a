/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What users write to choose by name:
 *	text       the name contains it
 *	=text      the name is exactly this
 *	a*b?c      a glob for the whole name, when there is a '*' or a '?' in it
 *	/regex/    an extended regular expression, found anywhere in the name
 */
#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include "base/err.h"

#include <regex.h>
#include <stdbool.h>

enum pattern_kind { PATTERN_ALL, PATTERN_PART, PATTERN_EXACT, PATTERN_GLOB, PATTERN_REGEX };

struct pattern {
	enum pattern_kind kind;
	const char *text; /* of the caller: must outlive the pattern */
	regex_t regex;
};

/* TEXT NULL matches everything. Returns 0, or TACHO_EUSAGE for a wrong regular expression. */
int pattern_init(struct pattern *p, const char *text, struct tacho_error *err);
bool pattern_match(const struct pattern *p, const char *name);
void pattern_free(struct pattern *p);

#endif
