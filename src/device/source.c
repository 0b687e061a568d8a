/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiler's input for a kernel or a firmware: one text that defines the user's macros and
 * includes, for a kernel in C++, the kernel API, then the kernel, then its entry. It is text and
 * not command options, so that values may contain anything and their number has no limit.
 */
#include "device/kernel_build.h"

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
		firmware_add(out, firmware, "kernel.c");
	}
	return r == 0 && out->failed ? device_fail(TACHO_ENOMEM, "no memory") : r;
}
