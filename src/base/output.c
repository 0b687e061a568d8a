/* SPDX-License-Identifier: Apache-2.0 */
/* Output files: written under a temporary name and renamed when complete. */
#include "base/output.h"
#include "base/term.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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

/* A file without a name in the folder of PATH, or -1. Its name is given through /proc. */
static int open_unnamed(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder;
	int fd;

	if (access("/proc/self/fd", X_OK) < 0)
		return -1;
	folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	fd = folder ? open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666) : -1;
	free(folder);
	return fd;
}

static int open_temporary(struct output *out, const char *path, struct tacho_error *err)
{
	int fd = open_unnamed(path);

	if (asprintf(&out->temporary, "%s.%d.tmp", path, (int)getpid()) < 0)
		out->temporary = NULL;
	out->unnamed = fd >= 0;
	if (fd < 0 && out->temporary)
		fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			  0666);
	out->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (out->file && out->temporary)
		return 0;
	err_errno(err, TACHO_EWRITE, "cannot write %s", path);
	if (fd >= 0 && !out->file)
		close(fd);
	out->unnamed = true; /* a file of that name is not ours to remove */
	return TACHO_EWRITE;
}

/* The last steps, when every byte is written: the temporary name, then the final one. */
static int give_temporary_name(struct output *out, struct tacho_error *err)
{
	char file[40];

	snprintf(file, sizeof(file), "/proc/self/fd/%d", fileno(out->file));
	if (linkat(AT_FDCWD, file, AT_FDCWD, out->temporary, AT_SYMLINK_FOLLOW) < 0)
		return err_errno(err, TACHO_EWRITE, "cannot write %s", out->path);
	out->unnamed = false;
	return 0;
}

static int give_final_name(struct output *out, struct tacho_error *err)
{
	unsigned flags = out->force ? 0 : RENAME_NOREPLACE;
	int r = renameat2(AT_FDCWD, out->temporary, AT_FDCWD, out->path, flags);

	if (r < 0 && errno == EINVAL) /* the file system does not know the flag */
		r = rename(out->temporary, out->path);
	if (r < 0 && errno == EEXIST)
		return err_set(err, TACHO_EEXISTS, "%s exists; -f replaces it", out->path);
	if (r < 0)
		return err_errno(err, TACHO_EWRITE, "cannot rename %s to %s", out->temporary,
				 out->path);
	free(out->temporary);
	out->temporary = NULL;
	return 0;
}

int output_open(struct output *out, const char *path, bool force, struct tacho_error *err)
{
	struct stat st;
	int r;

	memset(out, 0, sizeof(*out));
	if (!strcmp(path, "-")) {
		out->file = term_guard(stdout);
		return 0;
	}
	out->force = force;
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
	if (r < 0)
		output_abandon(out);
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
	if (r == 0 && out->unnamed)
		r = give_temporary_name(out, err);
	if (out->file != stdout && fclose(out->file) && r == 0)
		r = err_errno(err, TACHO_EWRITE, "cannot write %s", name);
	if (!out->path && fflush(stdout) && r == 0) /* what a guard has passed on */
		r = err_errno(err, TACHO_EWRITE, "cannot write %s", name);
	out->file = NULL;
	if (r == 0 && out->temporary)
		r = give_final_name(out, err);
	output_abandon(out);
	return r;
}

void output_abandon(struct output *out)
{
	if (out->file && out->file != stdout)
		fclose(out->file);
	if (out->temporary && !out->unnamed)
		unlink(out->temporary);
	free(out->temporary);
	free(out->path);
	memset(out, 0, sizeof(*out));
}
