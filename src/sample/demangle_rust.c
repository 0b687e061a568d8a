/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Demangles Rust's own names, "_R...": paths of identifiers, with types as arguments. The hashes of
 * crates are left out. Names come from files that a sampled program chose: what is malformed, too
 * deep or too long has no demangled form.
 */
#include "sample/demangle.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define DEPTH_MAX 64
#define STEPS_MAX 4096 /* items, with those that back references repeat */

struct rust {
	const char *name; /* after "_R" */
	size_t len, at;
	char *text;
	size_t size, used;
	unsigned depth, steps;
	bool quiet; /* what is read is not shown */
	bool bad;
};

static void rust_path(struct rust *r, bool is_value);
static void rust_type(struct rust *r);

static void rust_put(struct rust *r, const char *text, size_t len)
{
	if (r->quiet || r->bad)
		return;
	if (len >= r->size - r->used) {
		r->bad = true;
		return;
	}
	memcpy(r->text + r->used, text, len);
	r->used += len;
}

static void rust_puts(struct rust *r, const char *text)
{
	rust_put(r, text, strlen(text));
}

static char rust_peek(const struct rust *r)
{
	return r->at < r->len && !r->bad ? r->name[r->at] : 0;
}

static bool rust_take(struct rust *r, char c)
{
	if (rust_peek(r) != c)
		return false;
	r->at++;
	return true;
}

static uint64_t rust_decimal(struct rust *r)
{
	uint64_t v = 0;

	if (rust_take(r, '0'))
		return 0;
	if (rust_peek(r) < '1' || rust_peek(r) > '9')
		r->bad = true;
	while (rust_peek(r) >= '0' && rust_peek(r) <= '9' && v < UINT32_MAX)
		v = v * 10 + (uint64_t)(r->name[r->at++] - '0');
	return v;
}

/* "_" is 0, "0_" is 1. The hashes of crates may overflow. */
static uint64_t rust_base62(struct rust *r)
{
	uint64_t v = 0;

	if (rust_take(r, '_'))
		return 0;
	for (char c; (c = rust_peek(r)) != '_'; r->at++) {
		if (c >= '0' && c <= '9')
			v = v * 62 + (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'z')
			v = v * 62 + (uint64_t)(c - 'a') + 10;
		else if (c >= 'A' && c <= 'Z')
			v = v * 62 + (uint64_t)(c - 'A') + 36;
		else
			r->bad = true;
		if (r->bad)
			return 0;
	}
	r->bad |= !rust_take(r, '_');
	return v + 1;
}

static uint64_t rust_disambiguator(struct rust *r)
{
	return rust_take(r, 's') ? rust_base62(r) + 1 : 0;
}

/* Names with other letters are in Punycode, and shown as they are. */
static const char *rust_identifier(struct rust *r, size_t *len)
{
	const char *start;

	rust_take(r, 'u');
	*len = (size_t)rust_decimal(r);
	rust_take(r, '_');
	start = r->name + r->at;
	if (r->bad || *len > r->len - r->at) {
		r->bad = true;
		*len = 0;
	}
	r->at += *len;
	return start;
}

static bool rust_enter(struct rust *r)
{
	if (++r->steps > STEPS_MAX || ++r->depth > DEPTH_MAX)
		r->bad = true;
	return !r->bad;
}

/* Reads the item of a back reference by READ, and continues here. */
static void rust_backref(struct rust *r, void (*read)(struct rust *r))
{
	size_t start = r->at - 1, to = (size_t)rust_base62(r), here = r->at;

	if (to >= start) {
		r->bad = true;
		return;
	}
	if (r->quiet || !rust_enter(r))
		return;
	r->at = to;
	read(r);
	r->at = here;
	r->depth--;
}

static void rust_const(struct rust *r)
{
	char type = rust_peek(r);
	size_t start;

	if (rust_take(r, 'B')) {
		rust_backref(r, rust_const);
		return;
	}
	if (rust_take(r, 'p')) {
		rust_puts(r, "_");
		return;
	}
	r->at++;
	if (rust_take(r, 'n'))
		rust_puts(r, "-");
	for (start = r->at; rust_peek(r) && rust_peek(r) != '_'; r->at++)
		;
	if (type == 'b') {
		rust_puts(r, r->name[start] == '0' ? "false" : "true");
	} else {
		rust_puts(r, "0x");
		rust_put(r, r->name + start, r->at - start);
	}
	r->bad |= !type || !rust_take(r, '_');
}

static void rust_generic(struct rust *r)
{
	if (rust_take(r, 'L')) {
		rust_base62(r);
		rust_puts(r, "'_");
	} else if (rust_take(r, 'K')) {
		rust_const(r);
	} else {
		rust_type(r);
	}
}

/* Items up to "E", separated by commas. Returns how many. */
static unsigned rust_list(struct rust *r, void (*read)(struct rust *r), const char *separator)
{
	unsigned n = 0;

	for (; !r->bad && !rust_take(r, 'E'); n++) {
		if (n)
			rust_puts(r, separator);
		read(r);
	}
	return n;
}

static void rust_binder(struct rust *r)
{
	if (rust_take(r, 'G'))
		rust_base62(r);
}

static void rust_function(struct rust *r)
{
	size_t len;

	rust_binder(r);
	if (rust_take(r, 'U'))
		rust_puts(r, "unsafe ");
	if (rust_take(r, 'K')) {
		rust_puts(r, "extern ");
		if (!rust_take(r, 'C'))
			rust_identifier(r, &len);
	}
	rust_puts(r, "fn(");
	rust_list(r, rust_type, ", ");
	rust_puts(r, ")");
	if (!rust_take(r, 'u')) {
		rust_puts(r, " -> ");
		rust_type(r);
	}
}

static void rust_dyn(struct rust *r)
{
	const char *text;
	size_t len;

	rust_path(r, false);
	while (rust_take(r, 'p')) {
		text = rust_identifier(r, &len);
		rust_puts(r, "<");
		rust_put(r, text, len);
		rust_puts(r, " = ");
		rust_type(r);
		rust_puts(r, ">");
	}
}

static void rust_type_path(struct rust *r)
{
	rust_path(r, false);
}

static void rust_type(struct rust *r)
{
	static const char *const basic[26] = {"i8",   "bool",  "char",  "f64", "str", "f32", NULL,
					      "u8",   "isize", "usize", NULL,  "i32", "u32", "i128",
					      "u128", "_",     NULL,    NULL,  "i16", "u16", "()",
					      "...",  NULL,    "i64",   "u64", "!"};
	char c = rust_peek(r);

	if (!rust_enter(r))
		return;
	r->at++;
	if (c >= 'a' && c <= 'z') {
		if (basic[c - 'a'])
			rust_puts(r, basic[c - 'a']);
		else
			r->bad = true;
	} else if (c == 'A' || c == 'S') {
		rust_puts(r, "[");
		rust_type(r);
		if (c == 'A') {
			rust_puts(r, "; ");
			rust_const(r);
		}
		rust_puts(r, "]");
	} else if (c == 'T') {
		rust_puts(r, "(");
		rust_puts(r, rust_list(r, rust_type, ", ") == 1 ? ",)" : ")");
	} else if (c == 'R' || c == 'Q') {
		if (rust_take(r, 'L'))
			rust_base62(r);
		rust_puts(r, c == 'R' ? "&" : "&mut ");
		rust_type(r);
	} else if (c == 'P' || c == 'O') {
		rust_puts(r, c == 'P' ? "*const " : "*mut ");
		rust_type(r);
	} else if (c == 'F') {
		rust_function(r);
	} else if (c == 'D') {
		rust_puts(r, "dyn ");
		rust_binder(r);
		rust_list(r, rust_dyn, " + ");
		if (rust_take(r, 'L'))
			rust_base62(r);
	} else if (c == 'B') {
		rust_backref(r, rust_type);
	} else {
		r->at--;
		rust_type_path(r);
	}
	r->depth--;
}

/* Closures and the like, which have numbers, and what has a name. */
static void rust_nested(struct rust *r, bool is_value)
{
	char space = rust_peek(r), number[32];
	uint64_t which;
	const char *text;
	size_t len;

	r->at++;
	rust_path(r, is_value);
	which = rust_disambiguator(r);
	text = rust_identifier(r, &len);
	if (space >= 'A' && space <= 'Z') {
		rust_puts(r, "::{");
		rust_puts(r, space == 'C' ? "closure" : space == 'S' ? "shim" : "inner");
		if (len)
			rust_puts(r, ":");
		rust_put(r, text, len);
		snprintf(number, sizeof(number), "#%llu}", (unsigned long long)which);
		rust_puts(r, number);
	} else if (len) {
		rust_puts(r, "::");
		rust_put(r, text, len);
	}
}

static void rust_value_path(struct rust *r)
{
	rust_path(r, true);
}

static void rust_path(struct rust *r, bool is_value)
{
	char c = rust_peek(r);
	bool quiet = r->quiet;
	const char *text;
	size_t len;

	if (!rust_enter(r))
		return;
	r->at++;
	switch (c) {
	case 'C':
		rust_disambiguator(r);
		text = rust_identifier(r, &len);
		rust_put(r, text, len);
		break;
	case 'M':
	case 'X':
		r->quiet = true; /* where the implementation is */
		rust_disambiguator(r);
		rust_path(r, false);
		r->quiet = quiet;
		/* fall through */
	case 'Y':
		rust_puts(r, "<");
		rust_type(r);
		if (c != 'M') {
			rust_puts(r, " as ");
			rust_path(r, false);
		}
		rust_puts(r, ">");
		break;
	case 'N':
		rust_nested(r, is_value);
		break;
	case 'I':
		rust_path(r, is_value);
		rust_puts(r, is_value ? "::<" : "<");
		rust_list(r, rust_generic, ", ");
		rust_puts(r, ">");
		break;
	case 'B':
		rust_backref(r, is_value ? rust_value_path : rust_type_path);
		break;
	default:
		r->bad = true;
	}
	r->depth--;
}

bool demangle_rust(const char *name, char *text, size_t size)
{
	struct rust r = {.text = text, .size = size};

	if (name[0] != '_' || name[1] != 'R' || !size)
		return false;
	r.name = name + 2;
	r.len = strcspn(r.name, ".$");
	rust_path(&r, true);
	text[r.bad ? 0 : r.used] = 0;
	return !r.bad;
}
