/* SPDX-License-Identifier: Apache-2.0 */
/* Folders and files of this user alone: for sessions, caches and indices of the tools. */
#include "base/own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define SUFFIX 6 /* random characters of a temporary name */
#define TRIES  100

/* Says what is wrong with a folder that could not be opened; errno is as own_folder_at() left it.
 */
static int folder_explain(int parent, const char *name, const char *shown, int code,
			  struct tacho_error *err)
{
	int error = errno;
	struct stat st;

	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		errno = error;
		return err_errno(err, code, "cannot open %s", shown);
	}
	if (S_ISLNK(st.st_mode))
		return err_set(err, code, "%s is a symbolic link: name the folder itself", shown);
	if (!S_ISDIR(st.st_mode))
		return err_set(err, code, "%s is not a folder", shown);
	if (st.st_uid != geteuid())
		return err_set(err, code, "%s belongs to user %u; this is user %u", shown,
			       (unsigned)st.st_uid, (unsigned)geteuid());
	if (!own_is_private(&st))
		return err_set(err, code, "others can write to %s: 'chmod go-w' closes it", shown);
	errno = error;
	return err_errno(err, code, "cannot open %s", shown);
}

static int folder_open_named(struct own_folder *f, bool make, const char *shown,
			     struct tacho_error *err)
{
	int code = make ? TACHO_EWRITE : TACHO_EREAD, r = 0;

	f->fd = own_folder_at(f->parent, f->name, make);
	if (f->fd < 0) {
		r = folder_explain(f->parent, f->name, shown, code, err);
		own_folder_close(f);
	}
	return r;
}

int own_folder_open(struct own_folder *f, const char *path, bool make, struct tacho_error *err)
{
	int code = make ? TACHO_EWRITE : TACHO_EREAD;
	size_t len = strlen(path), from;
	char *parent;

	*f = OWN_FOLDER_INIT;
	while (len > 1 && path[len - 1] == '/')
		len--;
	for (from = len; from > 0 && path[from - 1] != '/';)
		from--;
	if (len - from > NAME_MAX)
		return err_set(err, code, "the name of %s is too long", path);
	snprintf(f->name, sizeof(f->name), "%.*s", (int)(len - from), path + from);
	if (!f->name[0] || !strcmp(f->name, ".") || !strcmp(f->name, "..")) {
		/* No name to remove it by, and none that could be a link. */
		f->fd = own_folder_at(AT_FDCWD, path, false);
		return f->fd < 0 ? folder_explain(AT_FDCWD, path, path, code, err) : 0;
	}
	parent = from ? strndup(path, from) : strdup(".");
	if (!parent)
		return err_set(err, TACHO_ENOMEM, "out of memory");
	f->parent = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(parent);
	if (f->parent < 0)
		return err_errno(err, code, "cannot open %s", path);
	return folder_open_named(f, make, path, err);
}

int own_folder_open_in(struct own_folder *f, int parent, const char *name, struct tacho_error *err)
{
	*f = OWN_FOLDER_INIT;
	if (strlen(name) > NAME_MAX || strchr(name, '/'))
		return err_set(err, TACHO_EUSAGE, "%s is not the name of a folder", name);
	strcpy(f->name, name);
	f->parent = fcntl(parent, F_DUPFD_CLOEXEC, 0);
	if (f->parent < 0)
		return err_errno(err, TACHO_EREAD, "cannot open %s", name);
	return folder_open_named(f, false, name, err);
}

static void random_suffix(char *to)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	uint8_t bytes[SUFFIX];

	/* Only the chance of a clash depends on it: mkdirat() decides. */
	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		memset(bytes, getpid(), sizeof(bytes));
	for (int i = 0; i < SUFFIX; i++)
		to[i] = letters[bytes[i] % (sizeof(letters) - 1)];
	to[SUFFIX] = 0;
}

int own_folder_temporary(struct own_folder *f, int parent, const char *prefix,
			 struct tacho_error *err)
{
	char name[NAME_MAX + 1];
	size_t len = strlen(prefix);

	*f = OWN_FOLDER_INIT;
	if (len > NAME_MAX - SUFFIX)
		return err_set(err, TACHO_EUSAGE, "the name of %s is too long", prefix);
	memcpy(name, prefix, len + 1);
	errno = EEXIST;
	for (int i = 0; i < TRIES && errno == EEXIST; i++) {
		random_suffix(name + len);
		if (mkdirat(parent, name, 0700) == 0)
			return own_folder_open_in(f, parent, name, err);
	}
	return err_errno(err, TACHO_EWRITE, "cannot make a folder");
}

bool own_folder_remove(struct own_folder *f)
{
	struct stat now, then;
	bool done = f->parent >= 0 && fstat(f->fd, &then) == 0 &&
		    fstatat(f->parent, f->name, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
		    now.st_dev == then.st_dev && now.st_ino == then.st_ino &&
		    unlinkat(f->parent, f->name, AT_REMOVEDIR) == 0;

	own_folder_close(f);
	return done;
}

void own_folder_close(struct own_folder *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->parent >= 0)
		close(f->parent);
	*f = OWN_FOLDER_INIT;
}

int own_file_open(int folder, const char *name, int flags)
{
	int fd = openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
	struct stat st;

	if (fd < 0)
		return -1;
	/* No link at all: its owner removed it since. */
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && own_is_private(&st) && st.st_nlink <= 1)
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

DIR *own_folder_read(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !d)
		close(fd);
	return d;
}
