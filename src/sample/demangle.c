/* SPDX-License-Identifier: Apache-2.0 */
/* Demangles with the C++ run-time, if the machine has one, and cleans up Rust's names. */
#include "sample/demangle.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef char *cxa_demangle(const char *name, char *buffer, size_t *size, int *status);

/* libstdc++ is used if it is installed; without C++ programs it is not needed. */
static cxa_demangle *demangle_demangler(void)
{
	static cxa_demangle *function;
	static int tried;

	if (!tried) {
		void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);

		tried = 1;
		if (library)
			*(void **)&function = dlsym(library, "__cxa_demangle");
	}
	return function;
}

/* "::h0123456789abcdef" at the end: the hash of a Rust function. */
static int rust_hash(const char *text, size_t len)
{
	if (len < 19 || strncmp(text + len - 19, "::h", 3) != 0)
		return 0;
	for (size_t i = len - 16; i < len; i++)
		if (!isxdigit((unsigned char)text[i]))
			return 0;
	return 1;
}

/* Rust writes characters that C++ names cannot have as $..$, and :: as two dots. */
static void rust_clean(char *text)
{
	static const struct {
		const char *from;
		const char *to;
	} words[] = {
		{"$LT$", "<"},  {"$GT$", ">"},  {"$RF$", "&"},   {"$BP$", "*"},  {"$C$", ","},
		{"$LP$", "("},  {"$RP$", ")"},  {"$SP$", "@"},   {"$u20$", " "}, {"$u27$", "'"},
		{"$u5b$", "["}, {"$u5d$", "]"}, {"$u7b$", "{"},  {"$u7d$", "}"}, {"$u7e$", "~"},
		{"$u3b$", ";"}, {"$u2b$", "+"}, {"$u22$", "\""}, {"..", "::"},   {"_<", "<"},
	};
	char *to = text;

	while (*text) {
		size_t i = 0, n = sizeof(words) / sizeof(words[0]);

		while (i < n && strncmp(text, words[i].from, strlen(words[i].from)) != 0)
			i++;
		if (i == n) {
			*to++ = *text++;
			continue;
		}
		text += strlen(words[i].from);
		memcpy(to, words[i].to, strlen(words[i].to));
		to += strlen(words[i].to);
	}
	*to = 0;
}

const char *demangle(const char *name, char *text, size_t size)
{
	cxa_demangle *call = name[0] == '_' && name[1] == 'Z' ? demangle_demangler() : NULL;
	int status;
	char *result = call ? call(name, NULL, NULL, &status) : NULL;
	size_t len;

	if (demangle_rust(name, text, size))
		return text;
	if (!result)
		return name;
	snprintf(text, size, "%s", result);
	free(result);
	len = strlen(text);
	if (rust_hash(text, len)) {
		text[len - 19] = 0;
		rust_clean(text);
	}
	return text;
}
