#include "base/json.h"
#include "base/fmt.h"

#include <string.h>

void json_init(struct json *j, struct buf *out)
{
	memset(j, 0, sizeof(*j));
	j->out = out;
}

/* The length of the UTF-8 sequence at TEXT, 0 if it is none (overlong ones and surrogates too). */
static size_t utf8_length(const unsigned char *t, size_t len)
{
	size_t n = t[0] < 0x80 ? 1 : t[0] < 0xc2 ? 0 : t[0] < 0xe0 ? 2 : t[0] < 0xf0 ? 3 : 4;

	if (n == 0 || n > len || t[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((t[i] & 0xc0) != 0x80)
			return 0;
	if ((t[0] == 0xe0 && t[1] < 0xa0) || (t[0] == 0xed && t[1] > 0x9f) ||
	    (t[0] == 0xf0 && t[1] < 0x90) || (t[0] == 0xf4 && t[1] > 0x8f))
		return 0;
	return n;
}

static void add_quoted(struct buf *out, const char *text, size_t len)
{
	size_t n;

	buf_addc(out, '"');
	for (size_t i = 0; i < len; i += n) {
		unsigned char c = (unsigned char)text[i];

		n = utf8_length((const unsigned char *)text + i, len - i);
		if (n == 0) {
			buf_adds(out, "\\ufffd");
			n = 1;
		} else if (c == '"' || c == '\\') {
			buf_addc(out, '\\');
			buf_addc(out, (char)c);
		} else if (c < 0x20 || c == 0x7f) {
			buf_addf(out, "\\u%04x", c);
		} else {
			buf_add(out, text + i, n);
		}
	}
	buf_addc(out, '"');
}

/* What stands before a value: the comma, the new line, the key. */
static void begin(struct json *j, const char *key)
{
	if (j->depth) {
		if (j->any[j->depth - 1])
			buf_addc(j->out, ',');
		j->any[j->depth - 1] = true;
		buf_addc(j->out, '\n');
		for (int i = 0; i < j->depth; i++)
			buf_addc(j->out, ' ');
	}
	if (key) {
		add_quoted(j->out, key, strlen(key));
		buf_add(j->out, ": ", 2);
	}
}

static void open_with(struct json *j, const char *key, char opening, char closing)
{
	begin(j, key);
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
	if (j->any[j->depth]) {
		buf_addc(j->out, '\n');
		for (int i = 0; i < j->depth; i++)
			buf_addc(j->out, ' ');
	}
	buf_addc(j->out, j->closing[j->depth]);
	if (j->depth == 0)
		buf_addc(j->out, '\n');
}

void json_string(struct json *j, const char *key, const char *text, size_t len)
{
	begin(j, key);
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
	const char *number = fmt_double(text, value);

	begin(j, key);
	buf_adds(j->out, number ? number : "null");
}

void json_int(struct json *j, const char *key, int64_t value)
{
	begin(j, key);
	buf_addf(j->out, "%lld", (long long)value);
}

void json_bool(struct json *j, const char *key, bool value)
{
	begin(j, key);
	buf_adds(j->out, value ? "true" : "false");
}

void json_null(struct json *j, const char *key)
{
	begin(j, key);
	buf_adds(j->out, "null");
}
