/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiler's input for a kernel or a firmware: one text that defines the user's macros and
 * includes, for a kernel in C++, the kernel API, then the kernel, then its entry. It is text and
 * not command options, so that values may contain anything and their number has no limit.
 */
#include "base/vec.h"
#include "device/kernel_build.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool source_is_cpp(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && strcmp(dot, ".c");
}

/* "NAME", "NAME=VALUE", "NAME(x)=VALUE", as for the option -D. */
static int define_add(struct buf *out, const char *define)
{
	const char *value = strchr(define, '=');

	if (strchr(define, '\n'))
		return device_fail(TACHO_EUSAGE, "the define %.*s has more than one line",
				   (int)strcspn(define, "=\n"), define);
	if (value)
		buf_addf(out, "#define %.*s %s\n", (int)(value - define), define, value + 1);
	else
		buf_addf(out, "#define %s 1\n", define);
	return 0;
}

static void firmware_add(struct buf *out, const char *firmware, const char *name)
{
	buf_addf(out, "#include \"%s/src/%s\"\n", firmware, name);
}

/* ---- an entry whose parameters are the arguments ---- */

/*
 * "template <uint32_t n> TT_KERNEL void name(uint32_t address) {...}" takes the place of
 * kernel_main(), which is made from it: name<get_arg(args::n)>(get_arg(args::address)).
 */
struct token {
	const char *text;
	size_t len;
};
struct tokens {
	VEC(struct token);
};

static bool token_is(const struct token *t, const char *text)
{
	return t->len == strlen(text) && memcmp(t->text, text, t->len) == 0;
}

static const char *literal_end(const char *at)
{
	char quote = *at++;

	while (*at && *at != quote)
		at += *at == '\\' && at[1] ? 2 : 1;
	return *at ? at + 1 : at;
}

/* Where a comment, a literal, a preprocessor line or white space at AT ends; AT: none of these. */
static const char *token_skip(const char *at, bool line_start)
{
	const char *end;

	if (isspace((unsigned char)*at))
		return at + 1;
	if (*at == '"' || *at == '\'')
		return literal_end(at);
	if (strncmp(at, "/*", 2) == 0) {
		end = strstr(at + 2, "*/");
		return end ? end + 2 : at + strlen(at);
	}
	if (strncmp(at, "//", 2) != 0 && !(*at == '#' && line_start))
		return at;
	while (*at && *at != '\n')
		at += *at == '\\' && at[1] ? 2 : 1;
	return at;
}

/* Words, and other characters one by one. */
static int tokens_read(struct tokens *out, const char *at)
{
	bool line_start = true;

	while (*at) {
		const char *end = token_skip(at, line_start);

		if (end != at) {
			line_start |= memchr(at, '\n', (size_t)(end - at)) != NULL;
			at = end;
			continue;
		}
		line_start = false;
		while (isalnum((unsigned char)*end) || *end == '_')
			end++;
		end += end == at;
		if (vec_push(out, ((struct token){at, (size_t)(end - at)})) < 0)
			return device_fail(TACHO_ENOMEM, "no memory");
		at = end;
	}
	return 0;
}

/* A parameter "TYPE NAME" or "TYPE NAME = VALUE": its argument, as that type. */
static void kernel_parameter_add(struct buf *out, const struct token *from, const struct token *to,
				 bool first)
{
	const struct token *name = from;

	while (name + 1 < to && name[1].text[0] != '=')
		name++;
	if (name > from)
		buf_addf(out, "%sstatic_cast<%.*s>(get_arg(args::%.*s))", first ? "" : ", ",
			 (int)(name->text - from->text), from->text, (int)name->len, name->text);
}

/* Those from token AT, an opening bracket, to its closing one. */
static void parameters_add(struct buf *out, const struct tokens *t, size_t at)
{
	size_t from = at + 1;
	unsigned depth = 1, round = 0; /* brackets; round ones in them, where < is an operator */

	for (size_t i = from; i < t->n && depth; i++) {
		char c = t->v[i].text[0];

		if (round) {
			round += (c == '(') - (c == ')');
			continue;
		}
		if (strchr(")>", c))
			depth--;
		if (depth == 0 || (depth == 1 && c == ',')) {
			kernel_parameter_add(out, t->v + from, t->v + i, from == at + 1);
			from = i + 1;
		}
		if (c == '(')
			round = 1;
		else if (c == '<')
			depth++;
	}
}

static void kernel_entry_make(struct buf *out, const struct tokens *t, size_t mark)
{
	size_t name = mark, brackets = mark;

	while (name + 1 < t->n && t->v[name + 1].text[0] != '(')
		name++;
	buf_addf(out, "void kernel_main()\n{\n\t%.*s", (int)t->v[name].len, t->v[name].text);
	while (brackets > 0 && t->v[brackets - 1].text[0] != '}' &&
	       t->v[brackets - 1].text[0] != ';' && !token_is(&t->v[brackets - 1], "template"))
		brackets--;
	if (brackets > 0 && token_is(&t->v[brackets - 1], "template")) {
		buf_adds(out, "<");
		parameters_add(out, t, brackets);
		buf_adds(out, ">");
	}
	buf_adds(out, "(");
	parameters_add(out, t, name + 1);
	buf_adds(out, ");\n}\n");
}

/* Adds kernel_main() if the kernel TEXT has such an entry instead. */
static int kernel_entry_add(struct buf *out, const char *text)
{
	struct tokens t = {0};
	size_t mark = SIZE_MAX;
	int r;

	if (!strstr(text, "TT_KERNEL"))
		return 0;
	r = tokens_read(&t, text);
	for (size_t i = 0; r == 0 && i < t.n; i++) {
		if (token_is(&t.v[i], "kernel_main"))
			break;
		if (token_is(&t.v[i], "TT_KERNEL"))
			mark = i;
		if (i + 1 == t.n && mark != SIZE_MAX)
			kernel_entry_make(out, &t, mark);
	}
	vec_free(&t);
	return r;
}

static int kernel_entry_of_file(struct buf *out, const char *path)
{
	uint8_t *bytes;
	size_t size;
	int r = device_read_file(path, &bytes, &size);

	if (r < 0)
		return device_fail(r, "cannot read the kernel %s", path);
	r = kernel_entry_add(out, (const char *)bytes);
	free(bytes);
	return r;
}

int source_text(struct buf *out, const struct build *b, const char *firmware, const char *path)
{
	int r = 0;

	for (size_t i = 0; r == 0 && b->defines && b->defines[i]; i++)
		r = define_add(out, b->defines[i]);
	if (r < 0)
		return r;
	if (b->firmware) {
		firmware_add(out, firmware, b->source);
	} else {
		if (source_is_cpp(b->source))
			buf_adds(out, "#include \"kernel/prelude.h\"\n");
		if (b->prologue)
			buf_addf(out, "%s\n", b->prologue);
		if (b->text)
			buf_addf(out, "#line 1 \"%s\"\n%s\n", b->source, b->text);
		else if (strpbrk(path, "\"\n"))
			r = device_fail(TACHO_EUSAGE, "the path %s cannot be included", path);
		else
			buf_addf(out, "#include \"%s\"\n", path);
		if (r == 0 && source_is_cpp(b->source))
			r = b->text ? kernel_entry_add(out, b->text)
				    : kernel_entry_of_file(out, path);
		firmware_add(out, firmware, "kernel.c");
	}
	return r == 0 && out->failed ? device_fail(TACHO_ENOMEM, "no memory") : r;
}
