/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of calls, each checked before it is used. */
#include "view/lane_numbers.h"
#include "view/tiles.h"

#include <string.h>
#include <strings.h>

/* Digits alone, below 2^63. */
static bool call_args_number(const char **text, uint64_t *value)
{
	uint64_t n = 0;
	const char *at = *text;

	if (*at < '0' || *at > '9')
		return false;
	for (; *at >= '0' && *at <= '9'; at++) {
		if (n > (INT64_MAX - 9) / 10)
			return false;
		n = n * 10 + (uint64_t)(*at - '0');
	}
	*text = at;
	*value = n;
	return true;
}

int arg_uint(struct view_call *c, const char *key, uint64_t most, uint64_t *value)
{
	const char *text = query_get(c->query, key);
	uint64_t n;

	if (!text)
		return 0;
	if (!call_args_number(&text, &n) || *text)
		return call_fail(c, VIEW_BAD, "%s is not a number", key);
	if (n > most)
		return call_fail(c, VIEW_BAD, "%s is above %llu", key, (unsigned long long)most);
	*value = n;
	return 1;
}

int arg_need(struct view_call *c, const char *key, uint64_t most, uint64_t *value)
{
	int r = arg_uint(c, key, most, value);

	if (r == 0)
		return call_fail(c, VIEW_BAD, "%s is missing", key);
	return r < 0 ? r : 0;
}

int arg_int32(struct view_call *c, const char *key, int32_t *value)
{
	const char *text = query_get(c->query, key);
	bool minus = text && *text == '-';
	uint64_t n;

	if (!text)
		return call_fail(c, VIEW_BAD, "%s is missing", key);
	text += minus;
	if (!call_args_number(&text, &n) || *text || n > (uint64_t)INT32_MAX + minus)
		return call_fail(c, VIEW_BAD, "%s is not a number of 32 bits", key);
	*value = (int32_t)(minus ? -(int64_t)n : (int64_t)n);
	return 0;
}

int arg_moment(struct view_call *c, uint64_t *t, uint64_t *reach)
{
	uint64_t ns, res;
	int r = arg_need(c, "t", INT64_MAX / 2, &ns);

	if (r == 0)
		r = arg_uint(c, "res", VIEW_RES_MAX, &res);
	if (r < 0)
		return r;
	*t = trace_ticks(c->trace, (int64_t)ns);
	*reach = r > 0 ? trace_ticks(c->trace, (int64_t)(ns + (2ull << res))) - *t : 0;
	return 0;
}

int arg_span(struct view_call *c, const char *key, uint64_t *first, uint64_t *last)
{
	const char *text = query_get(c->query, key);

	if (!text)
		return call_fail(c, VIEW_BAD, "%s is missing", key);
	if (!call_args_number(&text, first))
		return call_fail(c, VIEW_BAD, "%s is not a number", key);
	*last = *first;
	if (*text == '-' && text++ && !call_args_number(&text, last))
		return call_fail(c, VIEW_BAD, "%s is not a number or two", key);
	if (*text || *last < *first)
		return call_fail(c, VIEW_BAD, "%s is not a number or two", key);
	return 0;
}

int arg_bool(struct view_call *c, const char *key, bool *value)
{
	uint64_t n;
	int r = arg_uint(c, key, 1, &n);

	if (r > 0)
		*value = n;
	return r;
}

int arg_choice(struct view_call *c, const char *key, const char *const *choices, int *value)
{
	const char *text = query_get(c->query, key);

	if (!text)
		return 0;
	for (int i = 0; choices[i]; i++)
		if (!strcmp(choices[i], text)) {
			*value = i;
			return 1;
		}
	return call_fail(c, VIEW_BAD, "%s is none of those that are known", key);
}

const char *const arg_range_keys[2] = {"t0", "t1"};

int arg_range_of(struct view_call *c, const char *const keys[2], uint64_t *t0, uint64_t *t1)
{
	uint64_t from = 0, to = INT64_MAX;
	int r0 = arg_uint(c, keys[0], INT64_MAX, &from), r1;

	if (r0 < 0)
		return r0;
	r1 = arg_uint(c, keys[1], INT64_MAX, &to);
	if (r1 < 0)
		return r1;
	if (r1 > 0 && to < from)
		return call_fail(c, VIEW_BAD, "%s is before %s", keys[1], keys[0]);
	*t0 = r0 > 0 ? trace_ticks(c->trace, (int64_t)from) : 0;
	*t1 = r1 > 0 ? trace_ticks(c->trace, (int64_t)to) : UINT64_MAX;
	return 0;
}

int arg_range(struct view_call *c, uint64_t *t0, uint64_t *t1)
{
	return arg_range_of(c, arg_range_keys, t0, t1);
}

int arg_page(struct view_call *c, struct page *page)
{
	int r;

	*page = (struct page){0, 100};
	r = arg_uint(c, "offset", UINT32_MAX, &page->offset);
	if (r >= 0)
		r = arg_uint(c, "limit", VIEW_ROWS, &page->limit);
	return r < 0 ? r : 0;
}

int arg_lane(struct view_call *c, uint32_t *lane)
{
	uint64_t n;
	int r = arg_need(c, "lane", UINT32_MAX, &n);

	if (r < 0)
		return r;
	*lane = lane_place(c, (uint32_t)n);
	return *lane == TRACE_NONE ? call_fail(c, VIEW_MISSING, "there is no such lane") : 0;
}

int arg_track(struct view_call *c, uint32_t *track)
{
	uint64_t n;
	int r = arg_uint(c, "track", UINT32_MAX, &n);

	if (r > 0 && n >= c->trace->track_count)
		return call_fail(c, VIEW_MISSING, "there is no such track");
	*track = r > 0 ? (uint32_t)n : TRACE_NONE;
	return r < 0 ? r : 0;
}

int arg_numbers(struct view_call *c, const char *key, uint32_t most, uint32_t *numbers, size_t room,
		size_t *count)
{
	const char *text = query_get(c->query, key);

	*count = 0;
	while (text && *text) {
		uint64_t first, last;

		if (!call_args_number(&text, &first))
			return call_fail(c, VIEW_BAD, "%s is not a list of numbers", key);
		last = first;
		if (*text == '-') {
			text++;
			if (!call_args_number(&text, &last))
				return call_fail(c, VIEW_BAD, "%s is not a list of numbers", key);
		}
		if (last < first || last >= most)
			return call_fail(c, VIEW_MISSING, "there is no such %s", key);
		if (last - first >= room - *count)
			return call_fail(c, VIEW_BAD, "%s: more than %zu", key, room);
		for (; first <= last; first++)
			numbers[(*count)++] = (uint32_t)first;
		if (*text == ',' && text[1])
			text++;
		else if (*text)
			return call_fail(c, VIEW_BAD, "%s is not a list of numbers", key);
	}
	return text ? 1 : 0;
}

int arg_tracks(struct view_call *c, uint8_t **tracks)
{
	uint32_t all = c->trace->track_count;
	uint32_t *numbers = malloc((all + 1) * sizeof(*numbers));
	size_t count;
	int r = numbers ? arg_numbers(c, "track", all, numbers, all, &count) : TACHO_ENOMEM;

	*tracks = r > 0 ? calloc(all + 1, 1) : NULL;
	if (r > 0 && !*tracks)
		r = TACHO_ENOMEM;
	for (size_t i = 0; r > 0 && i < count; i++)
		(*tracks)[numbers[i]] = 1;
	free(numbers);
	return r < 0 ? r : 0;
}

/* ------------------------------------------------------------------ words */

void arg_words(struct view_call *c, struct words *w)
{
	const char *text = query_get(c->query, "q");

	w->text = text && *text ? text : NULL;
}

static char call_args_fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Fast path for millions of messages: the first letter rules out most positions. */
static bool call_args_contains(const char *text, size_t len, const char *part, size_t part_len)
{
	char first = call_args_fold(*part);

	for (size_t i = 0; i + part_len <= len; i++)
		if (call_args_fold(text[i]) == first &&
		    !strncasecmp(text + i + 1, part + 1, part_len - 1))
			return true;
	return false;
}

bool words_take(const struct words *w, const char *text, size_t len)
{
	bool wanted = false, found = false;
	const char *at = w->text;

	while (at && *at) {
		size_t n = strcspn(at, ",");
		bool minus = *at == '-' && n > 1;
		bool has = n && call_args_contains(text, len, at + minus, n - minus);

		if (minus && has)
			return false;
		if (!minus && n) {
			wanted = true;
			found |= has;
		}
		at += n + (at[n] == ',');
	}
	return found || !wanted;
}
