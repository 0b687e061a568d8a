/* SPDX-License-Identifier: Apache-2.0 */
/* Error texts, exit codes, and the one place that prints errors and warnings. */
#include "base/err.h"
#include "base/environ.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct {
	const char *text;
	int exit_code;
} errors[] = {
#define X(name, text, code) [TACHO_ERR_INDEX_##name] = {text, code},
	TACHO_ERRORS(X)
#undef X
};

static void err_text_set(struct tacho_error *err, int code, const char *format, va_list args)
{
	err->code = code;
	err->offset = 0;
	vsnprintf(err->text, sizeof(err->text), format, args);
}

int err_set(struct tacho_error *err, int code, const char *format, ...)
{
	va_list args;

	if (!err)
		return code;
	va_start(args, format);
	err_text_set(err, code, format, args);
	va_end(args);
	return code;
}

int err_errno(struct tacho_error *err, int code, const char *format, ...)
{
	int number = errno;
	va_list args;
	size_t used;

	if (!err)
		return code;
	va_start(args, format);
	err_text_set(err, code, format, args);
	va_end(args);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", strerror(number));
	return code;
}

static int err_is_known(int code)
{
	return code < 0 && -1 - code < (int)(sizeof(errors) / sizeof(errors[0]));
}

const char *err_text(int code)
{
	return err_is_known(code) ? errors[-1 - code].text : "no error";
}

int err_exit_code(int code)
{
	if (code >= 0)
		return 0;
	return err_is_known(code) ? errors[-1 - code].exit_code : 70;
}

/*
 * The same line with its time and process, appended to the file TACHO_LOG names: for recorders that
 * run where nobody sees their standard error. One write, so that lines of several processes stay
 * whole.
 */
static void err_log_line(const char *line)
{
	const char *path = environ_get("TACHO_LOG");
	char text[PATH_MAX + 640], when[32];
	struct tm tm;
	time_t now = time(NULL);
	int fd, n;

	if (!path || !*path)
		return;
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
	if (fd < 0)
		return;
	gmtime_r(&now, &tm);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
	n = snprintf(text, sizeof(text), "%s %d %s\n", when, (int)getpid(), line);
	if (write(fd, text, (size_t)n) < 0) {
		/* Nowhere is left to say so. */
	}
	close(fd);
}

/* One line, no control characters, whatever a file or a program put into a name. */
static void clean_line(char *line)
{
	size_t len = strlen(line), to = 0, n;
	uint32_t code;

	for (size_t i = 0; i < len; i += n ? n : 1) {
		n = utf8_control(line + i, len - i, &code);
		line[to++] = n ? '?' : line[i];
	}
	line[to] = 0;
}

static void print_line(const char *prefix, const char *text)
{
	char line[PATH_MAX + 512];

	snprintf(line, sizeof(line), "%s%s", prefix, text);
	clean_line(line);
	fprintf(stderr, "%s\n", line);
	err_log_line(line);
}

int err_report(const struct tacho_error *err, int code)
{
	const char *text = err && err->text[0] ? err->text : err_text(code);

	print_line("tacho: ", text);
	return err_exit_code(code);
}

void err_note(const char *format, ...)
{
	char text[PATH_MAX + 256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	clean_line(text);
	fprintf(stderr, "tacho: %s\n", text);
}

void err_warn(const char *format, ...)
{
	char text[PATH_MAX + 480];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	print_line("tacho: warning: ", text);
}
