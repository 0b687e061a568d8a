/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON reader: a whole text becomes a tree of values in one arena. */
#include "base/jread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK (64u << 10)

struct jread_chunk {
	struct jread_chunk *next;
	size_t used, cap;
	_Alignas(16) char data[];
};

static void *jread_take(struct jread *r, size_t size)
{
	struct jread_chunk *c = r->chunks;

	size = (size + 15) & ~(size_t)15;
	if (!c || c->cap - c->used < size) {
		size_t cap = size > CHUNK ? size : CHUNK;

		c = malloc(sizeof(*c) + cap);
		if (!c)
			return NULL;
		c->next = r->chunks;
		c->used = 0;
		c->cap = cap;
		r->chunks = c;
	}
	c->used += size;
	return c->data + c->used - size;
}

/* Keeps one chunk for the next document. */
static void rewind_chunks(struct jread *r)
{
	while (r->chunks && r->chunks->next) {
		struct jread_chunk *next = r->chunks->next;

		free(r->chunks);
		r->chunks = next;
	}
	if (r->chunks)
		r->chunks->used = 0;
}

void jread_free(struct jread *r)
{
	rewind_chunks(r);
	free(r->chunks);
	memset(r, 0, sizeof(*r));
}

static void skip_space(struct jread *r)
{
	while (r->at < r->end &&
	       (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r'))
		r->at++;
}

static int jread_hex4(const char *p, const char *end)
{
	int value = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = p[i];

		value <<= 4;
		if (c >= '0' && c <= '9')
			value |= c - '0';
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			value |= (c | 32) - 'a' + 10;
		else
			return -1;
	}
	return value;
}

static char *put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 63));
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 63));
		*to++ = (char)(0x80 | (c & 63));
	} else {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 63));
		*to++ = (char)(0x80 | (c >> 6 & 63));
		*to++ = (char)(0x80 | (c & 63));
	}
	return to;
}

/* The character of "\uXXXX" at P (after the u), with its low surrogate; advances *P. */
static bool unicode_escape(const char **p, const char *end, uint32_t *c)
{
	int high = jread_hex4(*p, end), low;

	if (high < 0)
		return false;
	*p += 4;
	*c = (uint32_t)high;
	if (high < 0xd800 || high > 0xdbff || end - *p < 6 || (*p)[0] != '\\' || (*p)[1] != 'u')
		return true;
	low = jread_hex4(*p + 2, end);
	if (low < 0xdc00 || low > 0xdfff)
		return true;
	*c = 0x10000 + (((uint32_t)high - 0xd800) << 10) + ((uint32_t)low - 0xdc00);
	*p += 6;
	return true;
}

/* The string from P up to its quote at END_QUOTE into fresh memory. */
static bool jread_unescape(struct jread *r, const char *p, const char *end, const char **text,
			   size_t *len)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	char *out = jread_take(r, (size_t)(end - p) + 1), *q = out;
	const char *known;
	uint32_t c;

	if (!out)
		return false;
	while (p < end) {
		if (*p != '\\') {
			*q++ = *p++;
			continue;
		}
		if (++p == end)
			return false;
		if (*p == 'u') {
			p++;
			if (!unicode_escape(&p, end, &c))
				return false;
			q = put_utf8(q, c);
			continue;
		}
		known = memchr(from, *p, sizeof(from) - 1);
		if (!known)
			return false;
		*q++ = to[known - from];
		p++;
	}
	*text = out;
	*len = (size_t)(q - out);
	return true;
}

static bool parse_string(struct jread *r, const char **text, size_t *len)
{
	const char *from = ++r->at;
	bool escaped = false;

	for (; r->at < r->end && *r->at != '"'; r->at++) {
		if ((unsigned char)*r->at < 0x20)
			return false;
		if (*r->at == '\\') {
			escaped = true;
			if (++r->at == r->end)
				return false;
		}
	}
	if (r->at >= r->end)
		return false;
	*text = from;
	*len = (size_t)(r->at - from);
	r->at++;
	return !escaped || jread_unescape(r, from, r->at - 1, text, len);
}

static bool jread_is_digit(const struct jread *r)
{
	return r->at < r->end && *r->at >= '0' && *r->at <= '9';
}

static bool parse_digits(struct jread *r)
{
	if (!jread_is_digit(r))
		return false;
	while (jread_is_digit(r))
		r->at++;
	return true;
}

static bool parse_number(struct jread *r, struct jread_value *v)
{
	v->text = r->at;
	v->type = JREAD_INT;
	if (*r->at == '-')
		r->at++;
	if (r->at < r->end && *r->at == '0')
		r->at++;
	else if (!parse_digits(r))
		return false;
	if (r->at < r->end && *r->at == '.') {
		r->at++;
		v->type = JREAD_REAL;
		if (!parse_digits(r))
			return false;
	}
	if (r->at < r->end && (*r->at | 32) == 'e') {
		r->at++;
		v->type = JREAD_REAL;
		if (r->at < r->end && (*r->at == '+' || *r->at == '-'))
			r->at++;
		if (!parse_digits(r))
			return false;
	}
	v->len = (size_t)(r->at - v->text);
	return true;
}

static bool parse_word(struct jread *r, struct jread_value *v)
{
	static const struct {
		const char *word;
		enum jread_type type;
	} words[] = {
		{"null", JREAD_NULL}, {"true", JREAD_TRUE},     {"false", JREAD_FALSE},
		{"NaN", JREAD_REAL},  {"Infinity", JREAD_REAL}, {"-Infinity", JREAD_REAL},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t len = strlen(words[i].word);

		if ((size_t)(r->end - r->at) >= len && !memcmp(r->at, words[i].word, len)) {
			v->type = words[i].type;
			v->text = r->at;
			v->len = len;
			r->at += len;
			return true;
		}
	}
	return *r->at == '-' && parse_number(r, v);
}

static bool parse_value(struct jread *r, struct jread_value *v);

/* Looking for a repeated key is quadratic, so only objects of a sane size get it. */
#define REPEATS_LOOKED_FOR 1000

/* Puts CHILD at the end as number N, or its value where a member of that key is already. */
static void jread_append(struct jread_value *parent, struct jread_value *child, size_t n)
{
	if (child->key && n < REPEATS_LOOKED_FOR)
		for (struct jread_value *m = parent->first; m; m = m->next)
			if (m->key_len == child->key_len &&
			    !memcmp(m->key, child->key, m->key_len)) {
				struct jread_value *next = m->next;

				*m = *child;
				m->next = next;
				return;
			}
	if (parent->last)
		parent->last->next = child;
	else
		parent->first = child;
	parent->last = child;
}

static bool parse_child(struct jread *r, struct jread_value *parent, size_t n)
{
	struct jread_value *child = jread_take(r, sizeof(*child));

	if (!child)
		return false;
	memset(child, 0, sizeof(*child));
	skip_space(r);
	if (parent->type == JREAD_OBJECT) {
		if (r->at == r->end || *r->at != '"' ||
		    !parse_string(r, &child->key, &child->key_len))
			return false;
		skip_space(r);
		if (r->at == r->end || *r->at++ != ':')
			return false;
	}
	if (!parse_value(r, child))
		return false;
	jread_append(parent, child, n);
	return true;
}

static bool parse_children(struct jread *r, struct jread_value *v)
{
	char close = v->type == JREAD_OBJECT ? '}' : ']';

	r->at++;
	if (++r->depth > JREAD_DEPTH)
		return false;
	skip_space(r);
	if (r->at < r->end && *r->at == close) {
		r->at++;
		r->depth--;
		return true;
	}
	for (size_t n = 0;; n++) {
		if (!parse_child(r, v, n))
			return false;
		skip_space(r);
		if (r->at == r->end)
			return false;
		if (*r->at == close)
			break;
		if (*r->at++ != ',')
			return false;
	}
	r->at++;
	r->depth--;
	return true;
}

static bool parse_value(struct jread *r, struct jread_value *v)
{
	skip_space(r);
	if (r->at == r->end)
		return false;
	switch (*r->at) {
	case '{':
		v->type = JREAD_OBJECT;
		return parse_children(r, v);
	case '[':
		v->type = JREAD_ARRAY;
		return parse_children(r, v);
	case '"':
		v->type = JREAD_STRING;
		return parse_string(r, &v->text, &v->len);
	default:
		return jread_is_digit(r) ? parse_number(r, v) : parse_word(r, v);
	}
}

const struct jread_value *jread_parse(struct jread *r, const char *text, size_t len,
				      struct tacho_error *err)
{
	struct jread_value *v;

	rewind_chunks(r);
	r->from = r->at = text;
	r->end = text + len;
	r->depth = 0;
	v = jread_take(r, sizeof(*v));
	if (!v) {
		err_set(err, TACHO_ENOMEM, "out of memory");
		return NULL;
	}
	memset(v, 0, sizeof(*v));
	if (parse_value(r, v)) {
		skip_space(r);
		if (r->at == r->end)
			return v;
	}
	err_set(err, TACHO_EFORMAT, "no JSON at byte %zu of %zu", (size_t)(r->at - r->from), len);
	if (err)
		err->offset = (uint64_t)(r->at - r->from);
	return NULL;
}

const struct jread_value *jread_get(const struct jread_value *v, const char *key)
{
	size_t len = strlen(key);

	if (!v || v->type != JREAD_OBJECT)
		return NULL;
	for (const struct jread_value *m = v->first; m; m = m->next)
		if (m->key_len == len && !memcmp(m->key, key, len))
			return m;
	return NULL;
}

bool jread_uint(const struct jread_value *v, uint64_t *value)
{
	uint64_t n = 0;

	if (!v || v->type != JREAD_INT || v->text[0] == '-')
		return false;
	for (size_t i = 0; i < v->len; i++)
		if (__builtin_mul_overflow(n, 10u, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(v->text[i] - '0'), &n))
			return false;
	*value = n;
	return true;
}

bool jread_int(const struct jread_value *v, int64_t *value)
{
	int64_t n = 0;
	size_t i;
	bool negative;

	if (!v || v->type != JREAD_INT)
		return false;
	negative = v->text[0] == '-';
	for (i = negative; i < v->len; i++)
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, v->text[i] - '0', &n))
			return false;
	*value = negative ? -n : n;
	return true;
}

double jread_double(const struct jread_value *v)
{
	char text[64];

	if (!v || (v->type != JREAD_INT && v->type != JREAD_REAL) || v->len >= sizeof(text))
		return NAN;
	memcpy(text, v->text, v->len);
	text[v->len] = 0;
	return strtod(text, NULL);
}
