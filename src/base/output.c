#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_direct(struct output *out, const char *path, struct tacho_error *err)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

	out->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out->file)
		return err_errno(err, TACHO_EWRITE, "cannot write %s", path);
	return 0;
}

static int open_temporary(struct output *out, const char *path, struct tacho_error *err)
{
	int fd;

	if (asprintf(&out->temporary, "%s.%d.tmp", path, (int)getpid()) < 0) {
		out->temporary = NULL;
		return TACHO_ENOMEM;
	}
	fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
	out->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out->file) {
		err_errno(err, TACHO_EWRITE, "cannot write %s", path);
		free(out->temporary);
		out->temporary = NULL;
		return TACHO_EWRITE;
	}
	return 0;
}

int output_open(struct output *out, const char *path, bool force, struct tacho_error *err)
{
	struct stat st;
	int r;

	memset(out, 0, sizeof(*out));
	if (!strcmp(path, "-")) {
		out->file = stdout;
		return 0;
	}
	out->path = strdup(path);
	if (!out->path)
		return TACHO_ENOMEM;
	if (lstat(path, &st) < 0)
		r = open_temporary(out, path, err);
	else if (S_ISDIR(st.st_mode))
		r = err_set(err, TACHO_EWRITE, "%s is a directory", path);
	else if (stat(path, &st) == 0 && (S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode)))
		r = open_direct(out, path, err);
	else if (!force)
		r = err_set(err, TACHO_EEXISTS, "%s exists; -f replaces it", path);
	else
		r = open_temporary(out, path, err);
	if (r < 0) {
		free(out->path);
		out->path = NULL;
	}
	return r;
}

int output_close(struct output *out, struct tacho_error *err)
{
	const char *name = out->path ? out->path : "standard output";
	int r = 0;

	if (!out->file)
		return 0;
	if (fflush(out->file) || ferror(out->file))
		r = err_errno(err, TACHO_EWRITE, "cannot write %s", name);
	if (out->file != stdout && fclose(out->file) && r == 0)
		r = err_errno(err, TACHO_EWRITE, "cannot write %s", name);
	out->file = NULL;
	if (r == 0 && out->temporary && rename(out->temporary, out->path) < 0)
		r = err_errno(err, TACHO_EWRITE, "cannot rename %s to %s", out->temporary,
			      out->path);
	else if (r == 0) {
		free(out->temporary);
		out->temporary = NULL;
	}
	output_abandon(out);
	return r;
}

void output_abandon(struct output *out)
{
	if (out->file && out->file != stdout)
		fclose(out->file);
	if (out->temporary)
		unlink(out->temporary);
	free(out->temporary);
	free(out->path);
	memset(out, 0, sizeof(*out));
}
