/* SPDX-License-Identifier: Apache-2.0 */
/* Find the cache folder of compiled kernels, and bound its size. */
#include "base/cache.h"
#include "base/environ.h"
#include "device/kernel_build.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CACHE_BYTES (1ull << 30)
#define KEY_DIGITS  16

static bool make_folders(char *path)
{
	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = 0;
		mkdir(path, 0777);
		*p = '/';
	}
	return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/*
 * Why a cache at PATH could hold kernels of another user; NULL when it cannot. The owner of a
 * folder above it could replace it too, but is trusted: using another user's build folder is a
 * choice.
 */
static const char *folder_danger(const char *path)
{
	char *real = realpath(path, NULL), *slash;
	const char *danger = NULL;
	struct stat st;

	if (!real || stat(real, &st) < 0 || !S_ISDIR(st.st_mode)) {
		free(real);
		return NULL; /* it does not exist: a write will fail and report why */
	}
	if (st.st_uid != geteuid() && st.st_uid != 0)
		danger = "another user owns it";
	else if (st.st_mode & (S_IWGRP | S_IWOTH))
		danger = "others may write to it";
	while (!danger && (slash = strrchr(real, '/')) && real[1]) {
		slash[slash == real] = 0;
		if (stat(real, &st) < 0 || ((st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX)))
			danger = "others may replace a folder above it";
	}
	free(real);
	return danger;
}

/*
 * For users without a home directory. Others may write to its parent, so only this user may own it.
 */
static bool make_private(char *path, size_t size)
{
	const char *tmp = environ_get("TMPDIR");
	struct stat st;

	snprintf(path, size, "%s/tacho-%u", tmp && *tmp ? tmp : "/tmp", (unsigned)geteuid());
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return false;
	if (lstat(path, &st) < 0)
		return false;
	errno = EPERM;
	return S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 022);
}

int kernels_folder(char *path, size_t size)
{
	const char *own = environ_get("TACHO_CACHE"), *xdg = environ_get("XDG_CACHE_HOME"),
		   *home = environ_get("HOME");
	bool named = own && *own;
	const char *danger = NULL;

	if (named)
		snprintf(path, size, "%s", own);
	else if (xdg && *xdg)
		snprintf(path, size, "%s/tacho", xdg);
	else if (home && *home)
		snprintf(path, size, "%s/.cache/tacho", home);
	else
		*path = 0;
	if (*path && make_folders(path)) {
		danger = folder_danger(path);
		if (!danger)
			return 0;
	}
	if (named && danger)
		return device_fail(TACHO_EWRITE,
				   "the kernel cache %s is not safe: %s; TACHO_CACHE names another",
				   path, danger);
	if (!named && make_private(path, size))
		return 0;
	return device_fail(TACHO_EWRITE,
			   "cannot make the kernel cache %s: %s; TACHO_CACHE names another", path,
			   strerror(errno));
}

int kernels_writable(const char *folder)
{
	char inside[900];

	snprintf(inside, sizeof(inside), "%s/.", folder);
	if (access(inside, W_OK | X_OK) < 0)
		return device_fail(
			TACHO_EWRITE,
			"cannot write to the kernel cache %s: %s; TACHO_CACHE names another",
			folder, strerror(errno));
	return 0;
}

/* KEY.elf, KEY.elf.log, KEY.deps, and leftover temporary files with a thread id. */
static bool is_kernel(const char *name, bool *whole)
{
	static const char *const ends[] = {".elf", ".elf.log", ".deps"};
	size_t n = strspn(name, "0123456789abcdef");

	if (n != KEY_DIGITS)
		return false;
	name += n;
	*whole = true;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!strcmp(name, ends[i]))
			return true;
	*whole = false;
	if (strncmp(name, ".elf.", 5) && strncmp(name, ".deps.", 6))
		return false;
	for (; *name; name++)
		if (isdigit((unsigned char)*name))
			return true;
	return false;
}

void kernels_trim(struct tacho_device *d, const char *folder)
{
	static const struct cache_kind kind = {is_kernel, CACHE_BYTES};

	if (!d->trimmed)
		cache_trim(folder, &kind, NULL);
	d->trimmed = true;
}

void kernels_used(const char *elf, const char *deps)
{
	char log[1200];

	snprintf(log, sizeof(log), "%s.log", elf);
	cache_touch(elf);
	cache_touch(deps);
	cache_touch(log);
}
