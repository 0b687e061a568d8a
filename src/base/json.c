/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON writer: values go straight into a buffer. */
#include "base/json.h"
#include "base/fmt.h"
#include "base/utf8.h"

#include <string.h>

void json_init(struct json *j, struct buf *out)
{
	memset(j, 0, sizeof(*j));
	j->out = out;
}

/* True if C is written unescaped. Such bytes are copied in runs. */
static bool json_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void add_quoted(struct buf *out, const char *text, size_t len)
{
	size_t n;

	buf_addc(out, '"');
	for (size_t i = 0; i < len; i += n) {
		unsigned char c = (unsigned char)text[i];

		for (n = 0; i + n < len && json_plain((unsigned char)text[i + n]);)
			n++;
		if (n == 0 && c >= 0x80)
			n = utf8_char(text + i, len - i);
		if (n) {
			buf_add(out, text + i, n);
			continue;
		}
		n = 1;
		if (c >= 0x80)
			buf_adds(out, "\\ufffd");
		else if (c == '"' || c == '\\')
			buf_addf(out, "\\%c", c);
		else
			buf_addf(out, "\\u%04x", c);
	}
	buf_addc(out, '"');
}

static bool is_flat(const struct json *j, int container)
{
	return j->flat && container >= j->flat;
}

static void new_line(struct json *j)
{
	buf_addc(j->out, '\n');
	for (int i = 0; i < j->depth * (j->indent ? j->indent : 1); i++)
		buf_addc(j->out, ' ');
}

/* Writes what precedes a value: comma, newline, key. */
static void json_begin(struct json *j, const char *key)
{
	if (j->depth) {
		if (j->any[j->depth - 1])
			buf_addc(j->out, ',');
		if (!is_flat(j, j->depth - 1))
			new_line(j);
		else if (j->any[j->depth - 1])
			buf_addc(j->out, ' ');
		j->any[j->depth - 1] = true;
	}
	if (key) {
		add_quoted(j->out, key, strlen(key));
		buf_add(j->out, ": ", 2);
	}
}

static void open_with(struct json *j, const char *key, char opening, char closing)
{
	json_begin(j, key);
	buf_addc(j->out, opening);
	if (j->depth == JSON_DEPTH) {
		j->out->failed = true;
		return;
	}
	j->closing[j->depth] = closing;
	j->any[j->depth] = false;
	j->depth++;
}

void json_object(struct json *j, const char *key)
{
	open_with(j, key, '{', '}');
}

void json_array(struct json *j, const char *key)
{
	open_with(j, key, '[', ']');
}

void json_end(struct json *j)
{
	j->depth--;
	if (j->any[j->depth] && !is_flat(j, j->depth))
		new_line(j);
	buf_addc(j->out, j->closing[j->depth]);
	if (j->depth == 0)
		buf_addc(j->out, '\n');
}

void json_string(struct json *j, const char *key, const char *text, size_t len)
{
	json_begin(j, key);
	add_quoted(j->out, text, len);
}

void json_text(struct json *j, const char *key, const char *text)
{
	if (text)
		json_string(j, key, text, strlen(text));
	else
		json_null(j, key);
}

void json_double(struct json *j, const char *key, double value)
{
	char text[FMT_SIZE];

	json_number(j, key, fmt_double(text, value));
}

void json_number(struct json *j, const char *key, const char *digits)
{
	json_begin(j, key);
	buf_adds(j->out, digits ? digits : "null");
}

void json_int(struct json *j, const char *key, int64_t value)
{
	char text[FMT_SIZE];

	json_number(j, key, fmt_int(text, value));
}

void json_uint(struct json *j, const char *key, uint64_t value)
{
	char text[FMT_SIZE];

	json_number(j, key, fmt_uint(text, value));
}

void json_bool(struct json *j, const char *key, bool value)
{
	json_begin(j, key);
	buf_adds(j->out, value ? "true" : "false");
}

void json_null(struct json *j, const char *key)
{
	json_begin(j, key);
	buf_adds(j->out, "null");
}
