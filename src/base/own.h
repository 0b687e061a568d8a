/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders and files of this user alone, used by descriptor.
 *
 * Anybody may create, rename or replace names in a shared folder such as /dev/shm or /tmp, and may
 * do so between two calls. So a folder is opened once, without following a link, its owner and mode
 * are checked on the descriptor, and from then on everything inside is opened and removed relative
 * to that descriptor. docs/security.md says what is opened this way.
 *
 * The inline part is for libtacho too, which links libc only.
 */
#ifndef BASE_OWN_H
#define BASE_OWN_H

#include "base/err.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

/* Owned by this user, and nobody else may write. An ACL that lets others write shows in the group
 * bits. */
static inline bool own_is_private(const struct stat *st)
{
	return st->st_uid == geteuid() && !(st->st_mode & 022);
}

/*
 * Opens the folder NAME of PARENT, a single name or, with AT_FDCWD, a path; MAKE: creates it when
 * it is missing. -1 and errno; EPERM: it is not private to this user.
 */
static inline int own_folder_at(int parent, const char *name, bool make)
{
	struct stat st;
	int fd;

	if (make && mkdirat(parent, name, 0700) < 0 && errno != EEXIST)
		return -1;
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &st) < 0 || !own_is_private(&st))) {
		close(fd);
		errno = EPERM;
		return -1;
	}
	return fd;
}

/*
 * A folder that is in use. The parent is needed to remove it: there is no call that removes an open
 * folder.
 */
struct own_folder {
	int fd, parent; /* -1: not open; parent also when the path has no last name, as "." */
	char name[NAME_MAX + 1];
};
#define OWN_FOLDER_INIT ((struct own_folder){.fd = -1, .parent = -1})

/* Opens PATH; MAKE: creates it, not its parents. The error says whose it is. */
int own_folder_open(struct own_folder *f, const char *path, bool make, struct tacho_error *err);
/* Opens NAME in the open folder PARENT. */
int own_folder_open_in(struct own_folder *f, int parent, const char *name, struct tacho_error *err);
/* Creates PREFIX and six random characters in the open folder PARENT, as mkdtemp() does. */
int own_folder_temporary(struct own_folder *f, int parent, const char *prefix,
			 struct tacho_error *err);
/* Removes the folder if it is empty and still has its name; closes it in any case. */
bool own_folder_remove(struct own_folder *f);
void own_folder_close(struct own_folder *f);

/*
 * Opens the regular file NAME of the open folder FOLDER: this user's, with one link, and writable
 * by nobody else. -1 and errno; EPERM: it is something else.
 */
int own_file_open(int folder, const char *name, int flags);

/* Reads an open folder without moving the descriptor's own offset. Ends with closedir(). */
DIR *own_folder_read(int folder);

#endif
