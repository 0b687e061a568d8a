/* The folder of the indices. They are larger than their traces, which nobody tells us the end of.
 */
#include "base/vec.h"
#include "trace/lod.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define UNUSED_SECONDS (30 * 86400) /* an index that nobody has looked at for so long goes */
#define HALF_SECONDS   86400        /* one that was never completed */
#define CACHE_BYTES    (4ull << 30) /* of all; those that were looked at last stay */
#define UUID_DIGITS    32

struct kept {
	time_t used;
	uint64_t bytes;
	char name[96];
};

char *lod_cache_path(const struct trace *t, const char *dir)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	struct buf path = BUF_INIT;

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
	if (!path.failed)
		mkdir(path.data, 0700);
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

static int by_use(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	return x->used < y->used ? 1 : x->used > y->used ? -1 : 0;
}

void lod_cache_trim(const char *path)
{
	struct {
		VEC(struct kept);
	} kept = {0};
	const char *name = strrchr(path, '/') + 1;
	char *folder = strndup(path, (size_t)(name - path));
	DIR *d = folder ? opendir(folder) : NULL;
	time_t now = time(NULL);
	uint64_t sum = 0;
	struct dirent *e;

	while (d && (e = readdir(d))) {
		struct kept one;
		struct stat st;
		bool whole;

		if (strlen(e->d_name) >= sizeof(one.name) || !is_index(e->d_name, &whole) ||
		    !strcmp(e->d_name, name) ||
		    fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode) || st.st_uid != geteuid())
			continue;
		if (now - st.st_mtime > (whole ? UNUSED_SECONDS : HALF_SECONDS)) {
			unlinkat(dirfd(d), e->d_name, 0);
			continue;
		}
		one.used = st.st_mtime;
		one.bytes = (uint64_t)st.st_size;
		snprintf(one.name, sizeof(one.name), "%s", e->d_name);
		if (whole && vec_push(&kept, one) < 0)
			break;
	}
	if (kept.n)
		qsort(kept.v, kept.n, sizeof(*kept.v), by_use);
	for (size_t i = 0; d && i < kept.n; i++) {
		sum += kept.v[i].bytes;
		if (sum > CACHE_BYTES)
			unlinkat(dirfd(d), kept.v[i].name, 0);
	}
	vec_free(&kept);
	if (d)
		closedir(d);
	free(folder);
}
