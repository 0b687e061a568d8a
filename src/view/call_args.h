/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: parameters of calls, each checked before use. Functions return 1 and a value, 0 if it is
 * absent, or an error that is answered with VIEW_BAD.
 */
#ifndef VIEW_CALL_ARGS_H
#define VIEW_CALL_ARGS_H

#include "view/call.h"

int arg_uint(struct view_call *c, const char *key, uint64_t most, uint64_t *value);
int arg_bool(struct view_call *c, const char *key, bool *value);
int arg_choice(struct view_call *c, const char *key, const char *const *choices, int *value);
/* The same for a required parameter: 0 or an error. */
int arg_need(struct view_call *c, const char *key, uint64_t most, uint64_t *value);
/* A required parameter with a sign. */
int arg_int32(struct view_call *c, const char *key, int32_t *value);
/* The moment "t" in ticks, and how far two pixels reach if there is a resolution "res". */
int arg_moment(struct view_call *c, uint64_t *t, uint64_t *reach);
/* "N" or "N-M"; required. */
int arg_span(struct view_call *c, const char *key, uint64_t *first, uint64_t *last);
/* t0 and t1 in ticks of the trace. */
int arg_range(struct view_call *c, uint64_t *t0, uint64_t *t1);
/* The same with other parameter names; arg_range() uses arg_range_keys. */
extern const char *const arg_range_keys[2];
int arg_range_of(struct view_call *c, const char *const keys[2], uint64_t *t0, uint64_t *t1);
/* offset and limit of a list. */
struct page {
	uint64_t offset, limit;
};
int arg_page(struct view_call *c, struct page *page);
int arg_lane(struct view_call *c, uint32_t *lane);
int arg_track(struct view_call *c, uint32_t *track); /* TRACE_NONE when absent */
/* "track", required and of this kind. */
int arg_track_of(struct view_call *c, uint32_t kind, uint32_t *track);
/* "1,2,5-9" into at most ROOM numbers below MOST. 1, or 0 when absent. */
int arg_numbers(struct view_call *c, const char *key, uint32_t most, uint32_t *numbers, size_t room,
		size_t *count);
/* "track", a list, in the form of struct trace_filter; NULL if absent. The caller frees it. */
int arg_tracks(struct view_call *c, uint8_t **tracks);

/* "a,b,-c": TEXT contains a or b but not c, ignoring case. */
struct words {
	const char *text; /* NULL takes everything */
};
void arg_words(struct view_call *c, struct words *w);
bool words_take(const struct words *w, const char *text, size_t len);

#endif
