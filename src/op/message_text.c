/* SPDX-License-Identifier: Apache-2.0 */
/* Writes op records as messages: docs/device.md has the grammar. */
#include "op/message_text.h"

#include <inttypes.h>
#include <string.h>

/*
 * Readers search for these anywhere in a message, and end it at a backtick. In a JSON string an
 * escaped character means the same.
 */
static const struct {
	const char *text, *spelled;
} reserved[] = {
	{"`", "\\u0060"},
	{"TT_SIGNPOST", "TT\\u005fSIGNPOST"},
	{"markers were dropped", "markers\\u0020were dropped"},
};
#define RESERVED (sizeof(reserved) / sizeof(reserved[0]))

static size_t reserved_at(const char *at, size_t left)
{
	for (size_t i = 0; i < RESERVED; i++) {
		size_t len = strlen(reserved[i].text);

		if (*at == reserved[i].text[0] && len <= left && !memcmp(at, reserved[i].text, len))
			return i;
	}
	return RESERVED;
}

static void add_spelled(struct buf *out, const char *at, const char *end)
{
	while (at < end) {
		size_t which = reserved_at(at, (size_t)(end - at));

		if (which == RESERVED) {
			buf_addc(out, *at++);
		} else {
			buf_adds(out, reserved[which].spelled);
			at += strlen(reserved[which].text);
		}
	}
}

/* The members of the call, which the row has in its fields, and then those of the description. */
static void text_description(struct buf *out, const struct trace_row *row, const char *json,
			     const char *end)
{
	uint32_t device = TRACE_OP_DEVICE(row->b);

	buf_adds(out, " ->\n{");
	if (device != TRACE_NONE)
		buf_addf(out,
			 "\"device_id\": %" PRIu32 ", \"op_hash\": %" PRIu64
			 ", \"program_cache_hit\": %s, ",
			 device, row->c, TRACE_OP_WHAT(row->b) == 2 ? "true" : "false");
	buf_addf(out, "\"global_call_count\": %" PRIu64, row->a);
	json++; /* the brace */
	if (json < end && *json != '}')
		buf_adds(out, ", ");
	add_spelled(out, json, end);
}

static void text_op(struct buf *out, const struct trace_row *row)
{
	const char *nul = row->text_len ? memchr(row->text, 0, row->text_len) : NULL;
	size_t name = nul ? (size_t)(nul - row->text) : row->text_len;
	const char *end = row->text + row->text_len;
	uint32_t device = TRACE_OP_DEVICE(row->b);
	size_t from;
	char *at;

	buf_adds(out, device == TRACE_NONE ? "`TT_DNN_FALL_BACK_OP:" : "`TT_DNN_DEVICE_OP: ");
	/*
	 * The name in a message's head is not quoted: characters that would end it are replaced.
	 * The description has the unchanged name.
	 */
	from = out->len;
	buf_addc(out, '"');
	for (size_t i = 0; i < name; i++)
		buf_addc(out, (unsigned char)row->text[i] < ' '            ? ' '
			      : row->text[i] == ','                        ? ';'
			      : row->text[i] == '"' || row->text[i] == '`' ? '\''
									   : row->text[i]);
	buf_addc(out, '"');
	for (at = out->data + from; (at = strstr(at, "TT_SIGNPOST"));)
		at[2] = '-';
	for (at = out->data + from; (at = strstr(at, "markers were dropped"));)
		at[7] = '-';
	if (device != TRACE_NONE)
		buf_addf(out, ", %" PRIu64 ", %" PRIu32 ", %s, %" PRIu64, row->c, device,
			 TRACE_OP_WHAT(row->b) == 2 ? "true" : "false", row->a);
	if (nul && nul + 1 < end && nul[1] == '{')
		text_description(out, row, nul + 1, end);
	buf_addc(out, '`');
}

int op_row_message(struct trace_row *row, struct buf *text)
{
	if (row->kind != TRACE_ROW_OP && row->kind != TRACE_ROW_OP_TRACE)
		return 0;
	buf_reset(text);
	if (row->kind == TRACE_ROW_OP)
		text_op(text, row);
	else {
		static const char *const steps[TRACE_OP_STEPS] = {
			[TRACE_OP_TRACE_BEGIN] = "BEGIN",
			[TRACE_OP_TRACE_END] = "END",
			[TRACE_OP_TRACE_REPLAY] = "REPLAY",
			[TRACE_OP_TRACE_RELEASE] = "RELEASE",
			[TRACE_OP_TRACE_PROGRAM] = "ENQUEUE_PROGRAM",
		};
		uint32_t step = TRACE_OP_WHAT(row->b);

		buf_addf(text, "`TT_METAL_TRACE_%s: %" PRIu32 ", %" PRIu64,
			 step < TRACE_OP_STEPS ? steps[step] : "?", TRACE_OP_DEVICE(row->b),
			 row->a);
		if (step == TRACE_OP_TRACE_PROGRAM)
			buf_addf(text, ", %" PRIu64, row->c);
		buf_addc(text, '`');
	}
	if (text->failed)
		return TACHO_ENOMEM;
	row->kind = TRACE_ROW_MESSAGE;
	row->a = TRACE_SEVERITY_INFO;
	row->b = row->c = 0;
	row->text = text->data;
	row->text_len = (uint32_t)text->len;
	return 0;
}
