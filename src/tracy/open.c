#include "tracy/tracy.h"

#include <errno.h>
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

bool tracy_is_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool yes = fd >= 0 && starts_like_tracy(fd);

	if (fd >= 0)
		close(fd);
	return yes;
}

/* A file that cannot be read further keeps what was read; anything else is no trace at all. */
static int convert(int fd, const char *path, const char *to, struct tracy_notes *notes,
		   struct tacho_error *damage, struct tacho_error *err)
{
	struct trace_writer_options options = {.force = true};
	struct trace_writer *w;
	int r = trace_writer_open(&w, to, &options, err);

	if (r < 0)
		return r;
	r = tracy_import(w, fd, path, notes, err);
	if (r < 0 && r != TACHO_EDAMAGED) {
		trace_writer_abandon(w);
		return r;
	}
	if (r < 0)
		*damage = *err;
	return trace_writer_close(w, err);
}

static void take_damage(struct trace *trace, const struct tacho_error *damage)
{
	if (!damage->code)
		return;
	trace->damage.missing_bytes = 1;
	snprintf(trace->damage.text, sizeof(trace->damage.text), "%.*s",
		 (int)sizeof(trace->damage.text) - 1, damage->text);
}

static int open_converted(struct trace **trace, int fd, const char *path, struct tracy_notes *notes,
			  struct tacho_error *err)
{
	const char *folder = getenv("TMPDIR");
	struct tacho_error damage = {0};
	char *dir = NULL, *file = NULL, *part = NULL;
	int r = TACHO_ENOMEM;

	if (asprintf(&dir, "%s/tacho-XXXXXX", folder && *folder ? folder : "/tmp") < 0)
		return TACHO_ENOMEM;
	if (!mkdtemp(dir)) {
		r = err_errno(err, TACHO_EWRITE, "cannot make a temporary folder %s", dir);
		free(dir);
		return r;
	}
	if (asprintf(&file, "%s/trace.tacho", dir) < 0)
		file = NULL;
	if (asprintf(&part, "%s/trace.tacho.part", dir) < 0)
		part = NULL;
	if (file && part)
		r = convert(fd, path, file, notes, &damage, err);
	if (r == 0)
		r = trace_open(trace, file, err);
	if (r == 0) {
		const char *source = trace_property(*trace, "source");

		(*trace)->path = source ? source : (*trace)->path;
		take_damage(*trace, &damage);
	}
	/* An open trace needs no name. */
	if (file && part) {
		unlink(file);
		unlink(part);
	}
	rmdir(dir);
	free(file);
	free(part);
	free(dir);
	return r;
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
