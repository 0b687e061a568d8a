/* SPDX-License-Identifier: Apache-2.0 */
/* Creates and copies the folders and files of a report without overwriting any. */
#include "ttlog/files.h"

#include "base/buf.h"
#include "base/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OLDER 100000 /* numbered copies of one name */

char *ttlog_path(const char *a, const char *b)
{
	struct buf path = BUF_INIT;

	buf_addf(&path, "%s/%s", a, b);
	return buf_detach(&path);
}

bool ttlog_exists(const char *folder, const char *name)
{
	char *path = ttlog_path(folder, name);
	bool exists = path && access(path, F_OK) == 0;

	free(path);
	return exists;
}

/*
 * Renames FOLDER/NAME to the first free one of NAME.1, NAME.2, ..., with the extension kept. Does
 * nothing if it is absent.
 */
static int ttlog_keep_older(const char *folder, const char *name, struct tacho_error *err)
{
	const char *ending = strrchr(name, '.');
	size_t stem = ending && ending != name ? (size_t)(ending - name) : strlen(name);
	char *path = ttlog_path(folder, name);
	int r = path ? TACHO_EWRITE : TACHO_ENOMEM;

	if (path && access(path, F_OK) < 0) {
		free(path);
		return 0;
	}
	for (int i = 1; path && i < OLDER && r < 0; i++) {
		struct buf older = BUF_INIT;

		buf_addf(&older, "%s/%.*s.%d%s", folder, (int)stem, name, i, name + stem);
		/* link() fails if the name exists, so two runs cannot use the same one. */
		if (!older.failed && link(path, older.data) == 0)
			r = 0;
		else if (older.failed || errno != EEXIST)
			i = OLDER;
		buf_free(&older);
	}
	if (r < 0)
		err_errno(err, r, "cannot keep the older %s", path ? path : name);
	free(path);
	return r;
}

int ttlog_create(struct output *out, const char *folder, const char *name, bool force,
		 struct tacho_error *err)
{
	char *path = ttlog_path(folder, name);
	int r = path ? 0 : err_set(err, TACHO_ENOMEM, "out of memory");

	if (r == 0 && !force)
		r = ttlog_keep_older(folder, name, err);
	if (r == 0)
		r = output_open(out, path, true, err);
	free(path);
	return r;
}

/* True if TO has FROM's size and modification time. */
static bool is_copy(const char *from, const char *to)
{
	struct stat a, b;

	return stat(from, &a) == 0 && stat(to, &b) == 0 && a.st_size == b.st_size &&
	       a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

static int copy_bytes(int in, FILE *out)
{
	char window[1 << 16];
	ssize_t n;

	fflush(out);
	do
		n = copy_file_range(in, NULL, fileno(out), NULL, 1 << 30, 0);
	while (n > 0);
	if (n == 0)
		return 0;
	/* These two file systems do not support it: copy with read and write. */
	while ((n = read(in, window, sizeof(window))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || fwrite(window, 1, (size_t)n, out) < (size_t)n)
			return TACHO_EWRITE;
	}
	return 0;
}

static int copy_file(const char *from, const char *folder, const char *name, bool force,
		     struct tacho_error *err)
{
	int in = open(from, O_RDONLY | O_CLOEXEC), r;
	struct output out;
	struct stat st;

	if (in < 0 || fstat(in, &st) < 0) {
		r = err_errno(err, TACHO_EREAD, "cannot read %s", from);
		if (in >= 0)
			close(in);
		return r;
	}
	r = ttlog_create(&out, folder, name, force, err);
	if (r == 0) {
		r = copy_bytes(in, out.file);
		if (r < 0)
			err_errno(err, r, "cannot copy %s", from);
		fflush(out.file);
		futimens(fileno(out.file), (struct timespec[]){st.st_atim, st.st_mtim});
		if (r == 0)
			r = output_close(&out, err);
		else
			output_abandon(&out);
	}
	close(in);
	return r;
}

int ttlog_copy(const char *from, const char *to, const char *name, bool force,
	       struct tacho_error *err)
{
	char *source = ttlog_path(from, name), *target = ttlog_path(to, name);
	int r = 0;

	if (!source || !target)
		r = err_set(err, TACHO_ENOMEM, "out of memory");
	else if (access(source, F_OK) == 0 && !is_copy(source, target))
		r = copy_file(source, to, name, force, err);
	free(source);
	free(target);
	return r;
}

int ttlog_copy_folder(const char *from, const char *to, const char *name, bool force,
		      struct tacho_error *err)
{
	char *source = ttlog_path(from, name), *target = ttlog_path(to, name);
	DIR *dir = source ? opendir(source) : NULL;
	struct dirent *e;
	int r = 0;

	if (dir && target)
		r = folder_make(target, err);
	while (dir && target && r == 0 && (e = readdir(dir)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) {
			char *path = ttlog_path(source, e->d_name);
			struct stat st;

			if (!path)
				r = err_set(err, TACHO_ENOMEM, "out of memory");
			else if (lstat(path, &st) == 0 && S_ISREG(st.st_mode))
				r = ttlog_copy(source, target, e->d_name, force, err);
			else if (S_ISDIR(st.st_mode))
				r = ttlog_copy_folder(source, target, e->d_name, force, err);
			free(path);
		}
	if (dir)
		closedir(dir);
	free(source);
	free(target);
	return r;
}
