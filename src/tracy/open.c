/* SPDX-License-Identifier: Apache-2.0 */
/* Open any kind of trace: .tacho, or .tracy converted to a temporary trace. */
#include "base/environ.h"
#include "tracy/tracy.h"

#include "base/fmt.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool starts_like_tracy(int fd)
{
	uint8_t magic[4];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	       (!memcmp(magic, "tlZ\004", 4) || !memcmp(magic, "tZst", 4) ||
		!memcmp(magic, "tr\375P", 4));
}

/* The caller that reports damage names the file; the text does not. */
static void take_damage(struct trace *trace, const char *path, const struct tacho_error *damage)
{
	char zones[FMT_SIZE], rows[FMT_SIZE], *text = trace->damage.text;
	size_t len = strlen(path), size = sizeof(trace->damage.text);
	const char *why = damage->text;

	if (!damage->code)
		return;
	if (!strncmp(why, path, len) && !strncmp(why + len, ": ", 2))
		why += len + 2;
	trace->damage.missing_bytes = 1;
	snprintf(text, size, "%.*s; recovered: %s zones, %s other events", (int)size - 80, why,
		 fmt_count(zones, trace->zones), fmt_count(rows, trace->rows));
}

/* A truncated or damaged file keeps what was read; any other error means it is not a trace. */
static int open_converted(struct trace **trace, int fd, const char *path, struct tracy_notes *notes,
			  struct tacho_error *err)
{
	const char *folder = environ_get("TMPDIR"), *source;
	struct tacho_error damage = {0};
	struct trace_writer *w;
	int r = trace_writer_open_temporary(&w, folder && *folder ? folder : "/tmp", err);

	if (r < 0)
		return r;
	r = tracy_import(w, fd, path, notes, err);
	if (r < 0 && r != TACHO_EDAMAGED) {
		trace_writer_abandon(w);
		return r;
	}
	if (r < 0)
		damage = *err;
	r = trace_writer_take(w, trace, err);
	if (r < 0)
		return r;
	source = trace_property(*trace, "source");
	(*trace)->path = source ? source : (*trace)->path;
	take_damage(*trace, path, &damage);
	return 0;
}

int tracy_open_any(struct trace **trace, const char *path, struct tracy_notes *notes,
		   struct tacho_error *err)
{
	struct tracy_notes unused = {{0}};
	struct tacho_error own;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), r;

	if (fd < 0 || !starts_like_tracy(fd)) {
		if (fd >= 0)
			close(fd);
		return trace_open(trace, path, err);
	}
	r = open_converted(trace, fd, path, notes ? notes : &unused, err ? err : &own);
	close(fd);
	return r;
}
