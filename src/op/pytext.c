/* SPDX-License-Identifier: Apache-2.0 */
/* Formats values as Python's str() and repr() do. */
#include "op/pytext.h"

#include "base/fmt.h"

#include <string.h>

/* One UTF-8 character at P: its code and length; an invalid byte is (byte, 1). */
static uint32_t pytext_decode(const unsigned char *p, size_t left, size_t *n)
{
	static const unsigned char mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	size_t len = *p < 0x80 ? 1 : *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : *p >= 0xc0 ? 2 : 1;
	uint32_t c = *p & mask[len];

	*n = 1;
	if (len > left || (len == 1 && *p >= 0x80))
		return *p;
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return *p;
		c = c << 6 | (p[i] & 0x3f);
	}
	*n = len;
	return c;
}

/* Python's isprintable(), for the ranges that occur in texts of programs. */
static bool pytext_printable(uint32_t c)
{
	return !(c < 0x20 || (c >= 0x7f && c <= 0xa0) || c == 0xad ||
		 (c >= 0x2000 && c <= 0x200f) || (c >= 0x2028 && c <= 0x202f) ||
		 (c >= 0x205f && c <= 0x206f) || c == 0x3000 || (c >= 0xd800 && c <= 0xf8ff) ||
		 c == 0xfeff || (c >= 0xfff0 && c <= 0xfffb) || c == 0xfffe || c == 0xffff ||
		 (c >= 0xe0000 && !(c >= 0xe0100 && c <= 0xe01ef)));
}

/* repr() of a string, with Python's choice of quotes. */
static void pytext_quote(struct buf *out, const char *text, size_t len)
{
	bool single = memchr(text, '\'', len), dbl = memchr(text, '"', len);
	char quote = single && !dbl ? '"' : '\'';
	size_t n;

	buf_addc(out, quote);
	for (size_t i = 0; i < len; i += n) {
		uint32_t c = pytext_decode((const unsigned char *)text + i, len - i, &n);

		if (c == '\\' || c == (uint32_t)quote) {
			buf_addc(out, '\\');
			buf_addc(out, (char)c);
		} else if (pytext_printable(c)) {
			buf_add(out, text + i, n);
		} else {
			if (c == '\n')
				buf_adds(out, "\\n");
			else if (c == '\r')
				buf_adds(out, "\\r");
			else if (c == '\t')
				buf_adds(out, "\\t");
			else if (c < 0x100)
				buf_addf(out, "\\x%02x", c);
			else if (c < 0x10000)
				buf_addf(out, "\\u%04x", c);
			else
				buf_addf(out, "\\U%08x", c);
		}
	}
	buf_addc(out, quote);
}

void pytext_repr(struct buf *out, const struct jread_value *v)
{
	char number[FMT_SIZE];
	bool object;

	switch (v->type) {
	case JREAD_NULL:
		buf_adds(out, "None");
		break;
	case JREAD_TRUE:
		buf_adds(out, "True");
		break;
	case JREAD_FALSE:
		buf_adds(out, "False");
		break;
	case JREAD_INT:
		if (v->len == 2 && !memcmp(v->text, "-0", 2))
			buf_addc(out, '0');
		else
			buf_add(out, v->text, v->len);
		break;
	case JREAD_REAL:
		buf_adds(out, fmt_python(number, jread_double(v)));
		break;
	case JREAD_STRING:
		pytext_quote(out, v->text, v->len);
		break;
	case JREAD_ARRAY:
	case JREAD_OBJECT:
		object = v->type == JREAD_OBJECT;
		buf_addc(out, object ? '{' : '[');
		for (const struct jread_value *c = v->first; c; c = c->next) {
			if (c != v->first)
				buf_adds(out, ", ");
			if (object) {
				pytext_quote(out, c->key, c->key_len);
				buf_adds(out, ": ");
			}
			pytext_repr(out, c);
		}
		buf_addc(out, object ? '}' : ']');
		break;
	}
}

void pytext_str(struct buf *out, const struct jread_value *v)
{
	if (v->type == JREAD_STRING)
		buf_add(out, v->text, v->len);
	else
		pytext_repr(out, v);
}
