/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache folder of the indices. An index is larger than its trace and nobody says when it is
 * not needed any more, so old ones are removed.
 */
#include "base/cache.h"
#include "base/environ.h"
#include "base/own.h"
#include "trace/lod.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CACHE_BYTES (4ull << 30)
#define UUID_DIGITS 32

/* Makes the folder; false when there is no place for it. */
static bool cache_folder(struct buf *path, const char *dir)
{
	const char *cache = environ_get("XDG_CACHE_HOME"), *home = environ_get("HOME");
	int folder;

	if (dir) {
		buf_adds(path, dir);
	} else {
		if (cache && cache[0] == '/')
			buf_adds(path, cache);
		else if (home && home[0] == '/')
			buf_addf(path, "%s/.cache", home);
		else
			return false;
		if (!path->failed)
			mkdir(path->data, 0700);
		buf_adds(path, "/tacho");
	}
	/* In a folder that others can write to, an index could be theirs: it stays in memory then.
	 */
	folder = path->failed ? -1 : own_folder_at(AT_FDCWD, path->data, true);
	if (folder < 0)
		return false;
	close(folder);
	return true;
}

/* "FOLDER/UUID-SIZE" and END. */
static char *cached_path(const struct trace *t, const char *dir, char separator, const char *end)
{
	struct buf path = BUF_INIT;

	if (!cache_folder(&path, dir)) {
		buf_free(&path);
		return NULL;
	}
	buf_addc(&path, '/');
	for (int i = 0; i < UUID_DIGITS / 2; i++)
		buf_addf(&path, "%02x", t->uuid[i]);
	buf_addf(&path, "-%llx%c%s", (unsigned long long)t->file_size, separator, end);
	return buf_detach(&path);
}

char *lod_cache_path(const struct trace *t, const char *dir)
{
	return cached_path(t, dir, '.', "lod");
}

char *trace_cache_path(const struct trace *t, const char *name)
{
	return cached_path(t, NULL, '-', name);
}

int lod_cache_unnamed(const char *dir)
{
	struct buf path = BUF_INIT;
	int fd = -1;

	if (cache_folder(&path, dir) && !path.failed)
		fd = open(path.data, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	buf_free(&path);
	return fd >= 0 ? fd : open(P_tmpdir, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
}

/*
 * "UUID-SIZE.lod" and "UUID-SIZE-KEY.answer" and nothing else: other files of the folder are not
 * ours to remove.
 */
static bool is_index(const char *name, bool *whole)
{
	static const char digits[] = "0123456789abcdef";
	size_t n = strspn(name, digits);

	if (n != UUID_DIGITS || name[n] != '-')
		return false;
	name += n + 1;
	n = strspn(name, digits);
	if (!n || n > 16)
		return false;
	name += n;
	n = name[0] == '-' ? strspn(name + 1, digits) : 0;
	if (n == 16 && !strncmp(name + 17, ".answer", 7))
		name += 24;
	else if (!strncmp(name, ".lod", 4))
		name += 4;
	else
		return false;
	*whole = !name[0];
	if (*whole)
		return true;
	n = name[0] == '.' ? strspn(name + 1, "0123456789") : 0;
	return n && !strcmp(name + 1 + n, ".tmp");
}

void trace_cache_trim(const char *path)
{
	static const struct cache_kind kind = {is_index, CACHE_BYTES};
	const char *name = strrchr(path, '/') + 1;
	char *folder = strndup(path, (size_t)(name - path));

	if (folder)
		cache_trim(folder, &kind, name);
	free(folder);
}
