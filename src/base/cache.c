/* SPDX-License-Identifier: Apache-2.0 */
/* Trim a folder of cached files to a size, least recently used first. */
#include "base/cache.h"
#include "base/order.h"
#include "base/own.h"
#include "base/vec.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DAY            86400
#define UNUSED_SECONDS (30 * DAY)
#define HALF_SECONDS   DAY

struct kept {
	time_t used;
	uint64_t bytes;
	char name[96];
};

struct kept_files {
	VEC(struct kept);
};

void cache_touch(const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && st.st_mtime < time(NULL) - DAY)
		utimensat(AT_FDCWD, path, NULL, 0);
}

ORDER_BY(by_use, struct kept, ORDER_DOWN(used));

/* Removes what is old; the others are added to KEPT. */
static void file_check(int folder, const char *name, const struct cache_kind *kind,
		       struct kept_files *kept)
{
	struct kept one;
	struct stat st;
	bool whole;

	if (strlen(name) >= sizeof(one.name) || !kind->is_ours(name, &whole) ||
	    fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode) ||
	    st.st_uid != geteuid())
		return;
	if (time(NULL) - st.st_mtime > (whole ? UNUSED_SECONDS : HALF_SECONDS)) {
		unlinkat(folder, name, 0);
		return;
	}
	one.used = st.st_mtime;
	one.bytes = (uint64_t)st.st_size;
	snprintf(one.name, sizeof(one.name), "%s", name);
	/* Without memory for it, it stays. */
	if (whole && vec_push(kept, one) < 0)
		return;
}

void cache_trim(const char *folder, const struct cache_kind *kind, const char *keep)
{
	struct kept_files kept = {0};
	int fd = own_folder_at(AT_FDCWD, folder, false);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	uint64_t sum = 0;
	struct dirent *e;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((e = readdir(d)))
		if (!keep || strcmp(e->d_name, keep))
			file_check(dirfd(d), e->d_name, kind, &kept);
	if (kept.n)
		qsort(kept.v, kept.n, sizeof(*kept.v), by_use);
	for (size_t i = 0; i < kept.n; i++) {
		sum += kept.v[i].bytes;
		if (sum > kind->bytes)
			unlinkat(dirfd(d), kept.v[i].name, 0);
	}
	vec_free(&kept);
	closedir(d);
}
