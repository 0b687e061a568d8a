/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the sessions and attach pages of a user are: one rule for the recorder and for libtacho,
 * which must find each other without a word. docs/ring.md has the reasons.
 *
 *	RING_RUNTIME	$XDG_RUNTIME_DIR/tacho, or /run/user/UID/tacho
 *	RING_SHARED	/dev/shm/tacho-UID
 *	RING_OTHER	/dev/shm/tacho-UID.XXXXXX: created only if another user has that name
 *
 * A place is used only if it is a folder of this user that only this user can write to. Writers
 * take the first that they can have; readers look into all. Only libc is used.
 */
#ifndef RING_PLACE_H
#define RING_PLACE_H

#include "base/own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum ring_where { RING_RUNTIME, RING_SHARED, RING_OTHER, RING_PLACES };

#define RING_PLACE_PATH   512
#define RING_PLACE_FOLDER "/dev/shm"

/* $XDG_RUNTIME_DIR/tacho. After a change of user the variable names the wrong folder. */
static inline int ring_place_runtime(bool make, char *path)
{
	const char *dir = secure_getenv("XDG_RUNTIME_DIR");
	char usual[64];
	int parent = -1, fd;

	path[0] = 0;
	if (dir && dir[0] == '/' && strlen(dir) < RING_PLACE_PATH - sizeof("/tacho"))
		parent = own_folder_at(AT_FDCWD, dir, false);
	if (parent < 0) {
		snprintf(usual, sizeof(usual), "/run/user/%u", (unsigned)geteuid());
		dir = usual;
		parent = own_folder_at(AT_FDCWD, dir, false);
	}
	if (parent < 0)
		return -1;
	snprintf(path, RING_PLACE_PATH, "%s/tacho", dir);
	fd = own_folder_at(parent, "tacho", make);
	close(parent);
	return fd;
}

static inline int ring_place_shared(bool make, char *path)
{
	snprintf(path, RING_PLACE_PATH, RING_PLACE_FOLDER "/tacho-%u", (unsigned)geteuid());
	return own_folder_at(AT_FDCWD, path, make);
}

/*
 * The first of our folders whose name has a suffix: nobody else can plant one, since only we can
 * create a folder that we own. If two were created at the same time, all processes take the same
 * one. No opendir(): libtacho allocates nothing.
 */
static inline int ring_place_find(int folder, const char *prefix, char *name)
{
	char entries[4096] __attribute__((aligned(8)));
	size_t len = strlen(prefix);
	ssize_t n;
	int fd;

	name[0] = 0;
	while ((n = getdents64(folder, entries, sizeof(entries))) > 0) {
		for (ssize_t at = 0; at < n;) {
			struct dirent64 *e = (struct dirent64 *)(void *)(entries + at);

			at += e->d_reclen;
			if (strncmp(e->d_name, prefix, len) || strlen(e->d_name) != len + 6 ||
			    (name[0] && strcmp(e->d_name, name) > 0))
				continue;
			fd = own_folder_at(folder, e->d_name, false);
			if (fd >= 0) {
				strcpy(name, e->d_name);
				close(fd);
			}
		}
	}
	return name[0] ? own_folder_at(folder, name, false) : -1;
}

/* Another user has the usual name, or it is not a folder of this user only. */
static inline bool ring_place_is_taken(void)
{
	char path[RING_PLACE_PATH];
	int fd = ring_place_shared(false, path);

	if (fd >= 0)
		close(fd);
	return fd < 0 && (errno == EPERM || errno == EACCES || errno == ENOTDIR || errno == ELOOP);
}

static inline int ring_place_other(bool make, char *path)
{
	int folder = open(RING_PLACE_FOLDER, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd;
	char prefix[32], name[64], made[RING_PLACE_PATH];

	snprintf(prefix, sizeof(prefix), "tacho-%u.", (unsigned)geteuid());
	fd = ring_place_find(folder, prefix, name);
	if (fd < 0 && make && ring_place_is_taken()) {
		snprintf(made, sizeof(made), RING_PLACE_FOLDER "/%sXXXXXX", prefix);
		if (mkdtemp(made)) {
			lseek(folder, 0, SEEK_SET);
			fd = ring_place_find(folder, prefix, name);
			if (fd >= 0 && strcmp(made + sizeof(RING_PLACE_FOLDER), name))
				rmdir(made); /* another process was faster */
		}
	}
	if (folder >= 0)
		close(folder);
	snprintf(path, RING_PLACE_PATH, RING_PLACE_FOLDER "/%s", name);
	return fd;
}

/* Opens a place; MAKE: creates it if missing. PATH has RING_PLACE_PATH bytes. -1: not ours. */
static inline int ring_place_at(enum ring_where where, bool make, char *path)
{
	return where == RING_RUNTIME  ? ring_place_runtime(make, path)
	       : where == RING_SHARED ? ring_place_shared(make, path)
				      : ring_place_other(make, path);
}

#endif
