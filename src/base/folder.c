/* SPDX-License-Identifier: Apache-2.0 */
/* Create folders, and choose the output folder of the profiler. */
#include "base/folder.h"
#include "base/environ.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int folder_make(const char *path, struct tacho_error *err)
{
	char *copy = strdup(path);
	int r = copy ? 0 : err_set(err, TACHO_ENOMEM, "out of memory");

	for (char *p = copy; r == 0 && p;) {
		p = strchr(p + 1, '/');
		if (p)
			*p = 0;
		if (mkdir(copy, 0777) < 0 && errno != EEXIST)
			r = err_errno(err, TACHO_EWRITE, "cannot make the folder %s", copy);
		if (p)
			*p = '/';
	}
	free(copy);
	return r;
}

int folder_profiler(const char *option, char *path, size_t size, struct tacho_error *err)
{
	const char *dir = environ_get("TT_METAL_PROFILER_DIR"),
		   *home = environ_get("TT_METAL_HOME");
	int n;

	if (option && *option)
		n = snprintf(path, size, "%s", option);
	else if (dir && *dir)
		n = snprintf(path, size, "%s", dir);
	else
		n = snprintf(path, size, "%s/generated/profiler", home && *home ? home : ".");
	if (n < 0 || (size_t)n >= size)
		return err_set(err, TACHO_EUSAGE, "the folder's name is too long");
	return 0;
}
