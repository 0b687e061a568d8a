/* SPDX-License-Identifier: Apache-2.0 */
/* Parse --range. */
#include "cmds/query.h"

#include <stdlib.h>
#include <string.h>

/* One end of a range as written, without blanks. */
struct end {
	char text[64];
	const char *unit; /* after the digits */
};

static int bad_range(const char *text, struct tacho_error *err)
{
	return err_set(
		err, TACHO_EUSAGE,
		"'%s' is not a range of times; try 1s..2s, 250ms.., ..3s, 1s+20ms or 10%%..20%%",
		text);
}

static bool copy_end(struct end *e, const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] == ' ')
			continue;
		if (n == sizeof(e->text) - 1)
			return false;
		e->text[n++] = text[i];
	}
	e->text[n] = 0;
	e->unit = e->text + strspn(e->text, "+-.0123456789");
	return true;
}

/* Finds the separator of the two ends: "..", or one of ",", ":", "+", "-" after the first digit. */
static const char *range_separator_find(const char *text, size_t *len)
{
	const char *s = strstr(text, "..");
	size_t digits = strcspn(text, "0123456789");

	*len = 1;
	if (s) {
		*len = strspn(s, ".");
		return s;
	}
	s = strpbrk(text + digits, ",:+-");
	return s ? s : strpbrk(text, ",:");
}

/* "1..2s" means seconds on both sides. */
static int end_ns(const struct trace *trace, const struct end *e, const char *unit, int64_t *ns)
{
	double span = (double)trace_ns(trace, trace->end), percent;
	char text[160], *stop;

	snprintf(text, sizeof(text), "%s%s", e->text, *e->unit ? "" : unit);
	percent = strtod(text, &stop);
	if (stop != text && !strcmp(stop, "%")) {
		*ns = (int64_t)(span * percent / 100);
		return 0;
	}
	return opt_time(text, ns);
}

int query_range(const struct trace *trace, const char *text, uint64_t *t0, uint64_t *t1,
		struct tacho_error *err)
{
	int64_t ns[2] = {0, 0}, last = trace_ns(trace, trace->end);
	struct end ends[2];
	size_t len;
	const char *separator = range_separator_find(text, &len);

	if (!separator || !copy_end(&ends[0], text, (size_t)(separator - text)) ||
	    !copy_end(&ends[1], separator + len, strlen(separator + len)))
		return bad_range(text, err);
	for (int i = 0; i < 2; i++) {
		if (!ends[i].text[0])
			continue;
		if (end_ns(trace, &ends[i], ends[1].unit, &ns[i]) < 0)
			return bad_range(text, err);
		if (ends[i].text[0] == '-')
			ns[i] += last;
	}
	if (*separator == '+')
		ns[1] += ns[0];
	if (ends[1].text[0] && ns[1] < ns[0])
		return err_set(err, TACHO_EUSAGE, "the range '%s' ends before it begins", text);
	*t0 = ends[0].text[0] && ns[0] > 0 ? trace_ticks(trace, ns[0]) : 0;
	*t1 = !ends[1].text[0] || ns[1] > last ? UINT64_MAX : trace_ticks(trace, ns[1]);
	return 0;
}
