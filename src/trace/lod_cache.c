/* The folder of the indices. They are larger than their traces, and nothing says when a trace is
 * removed: so old ones are removed here. */
#include "base/cache.h"
#include "base/own.h"
#include "trace/lod.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CACHE_BYTES (4ull << 30)
#define UUID_DIGITS 32

char *lod_cache_path(const struct trace *t, const char *dir)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	struct buf path = BUF_INIT;
	int folder;

	if (dir) {
		buf_adds(&path, dir);
	} else {
		if (cache && cache[0] == '/')
			buf_adds(&path, cache);
		else if (home && home[0] == '/')
			buf_addf(&path, "%s/.cache", home);
		else
			return NULL;
		if (!path.failed)
			mkdir(path.data, 0700);
		buf_adds(&path, "/tacho");
	}
	/* In a folder that others can write to, an index could be theirs: it stays in memory then. */
	folder = path.failed ? -1 : own_folder_at(AT_FDCWD, path.data, true);
	if (folder < 0) {
		buf_free(&path);
		return NULL;
	}
	close(folder);
	buf_addc(&path, '/');
	for (int i = 0; i < UUID_DIGITS / 2; i++)
		buf_addf(&path, "%02x", t->uuid[i]);
	buf_addf(&path, "-%llx.lod", (unsigned long long)t->file_size);
	return buf_detach(&path);
}

/* "UUID-SIZE.lod" and nothing else: other files of the folder are not ours to remove. */
static bool is_index(const char *name, bool *whole)
{
	static const char digits[] = "0123456789abcdef";
	size_t n = strspn(name, digits);

	if (n != UUID_DIGITS || name[n] != '-')
		return false;
	name += n + 1;
	n = strspn(name, digits);
	if (!n || n > 16 || strncmp(name + n, ".lod", 4))
		return false;
	name += n + 4;
	*whole = !name[0];
	if (*whole)
		return true;
	n = name[0] == '.' ? strspn(name + 1, "0123456789") : 0;
	return n && !strcmp(name + 1 + n, ".tmp");
}

void lod_cache_trim(const char *path)
{
	static const struct cache_kind kind = {is_index, CACHE_BYTES};
	const char *name = strrchr(path, '/') + 1;
	char *folder = strndup(path, (size_t)(name - path));

	if (folder)
		cache_trim(folder, &kind, name);
	free(folder);
}
