/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the folders of a job's ranks, and the newest report of a folder. */
#include "cmds/ranks.h"

#include "base/buf.h"
#include "base/err.h"

#include <dirent.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEPTH 4 /* FOLDER/reports/NAME/DATE */

static int path_add(struct rank_paths *paths, const char *folder, const char *name)
{
	struct buf path = BUF_INIT;
	char *text;

	buf_addf(&path, "%s%s%s", folder, name ? "/" : "", name ? name : "");
	text = buf_detach(&path);
	if (text && vec_push(paths, text) == 0)
		return 0;
	free(text);
	return TACHO_ENOMEM;
}

static long rank_number(const char *path)
{
	const char *digits = strrchr(path, 'k');

	return digits ? strtol(digits + 1, NULL, 10) : 0;
}

static int rank_compare(const void *a, const void *b)
{
	long x = rank_number(*(char *const *)a), y = rank_number(*(char *const *)b);

	return (x > y) - (x < y);
}

int ranks_find(const char *folder, struct rank_paths *paths)
{
	size_t before = paths->n;
	DIR *dir = opendir(folder);
	struct dirent *e;
	int r = 0;

	while (dir && r == 0 && (e = readdir(dir))) {
		size_t digits =
			strncmp(e->d_name, "rank", 4) ? 0 : strspn(e->d_name + 4, "0123456789");

		if (digits && !e->d_name[4 + digits] && digits < 10)
			r = path_add(paths, folder, e->d_name);
	}
	if (dir)
		closedir(dir);
	if (paths->n > before)
		qsort(paths->v + before, paths->n - before, sizeof(*paths->v), rank_compare);
	return r;
}

struct newest {
	char path[PATH_MAX];
	struct timespec time;
};

static void newest_find(const char *folder, int depth, struct newest *newest)
{
	char path[PATH_MAX];
	DIR *dir = opendir(folder);
	struct dirent *e;
	struct stat st;

	while (dir && (e = readdir(dir))) {
		if (e->d_name[0] == '.' ||
		    snprintf(path, sizeof(path), "%s/%s", folder, e->d_name) >= PATH_MAX ||
		    stat(path, &st) < 0)
			continue;
		if (S_ISDIR(st.st_mode) && depth > 1)
			newest_find(path, depth - 1, newest);
		if (!S_ISREG(st.st_mode) || fnmatch("ops_perf_results*.csv", e->d_name, 0) ||
		    (newest->path[0] && (st.st_mtim.tv_sec < newest->time.tv_sec ||
					 (st.st_mtim.tv_sec == newest->time.tv_sec &&
					  st.st_mtim.tv_nsec <= newest->time.tv_nsec))))
			continue;
		newest->time = st.st_mtim;
		memcpy(newest->path, path, sizeof(path));
	}
	if (dir)
		closedir(dir);
}

static int report_add(const char *folder, struct rank_paths *paths)
{
	struct newest newest = {{0}, {0, 0}};

	newest_find(folder, DEPTH, &newest);
	return path_add(paths, newest.path[0] ? newest.path : folder, NULL);
}

int ranks_reports(const char *path, struct rank_paths *paths)
{
	struct rank_paths ranks = {0};
	struct stat st;
	int r = 0;

	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return path_add(paths, path, NULL);
	r = ranks_find(path, &ranks);
	for (size_t i = 0; i < ranks.n && r == 0; i++)
		r = report_add(ranks.v[i], paths);
	if (r == 0 && !ranks.n)
		r = report_add(path, paths);
	ranks_free(&ranks);
	return r;
}

void ranks_free(struct rank_paths *paths)
{
	for (size_t i = 0; i < paths->n; i++)
		free(paths->v[i]);
	vec_free(paths);
}
