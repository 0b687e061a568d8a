/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs itself again under a small limit: limits as|fsize|nofile|nothing. The program must work as
 * it does without a recorder, whether or not anything could be recorded.
 */
#include "emit.h"

#include <fcntl.h>
#include <sys/resource.h>

static void limit_lower(int resource, rlim_t value)
{
	struct rlimit limit = {value, value};

	if (setrlimit(resource, &limit) < 0)
		abort();
}

static int thread_work(void)
{
	void *memory = malloc(64 << 20);

	if (!memory)
		return 1;
	memset(memory, 1, 64 << 20);
	emit_zones(1000);
	free(memory);
	text_emit(1000, 0);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "nothing";

	if (!strcmp(what, "again"))
		return thread_work();
	if (!strcmp(what, "as"))
		limit_lower(RLIMIT_AS, 256 << 20);
	if (!strcmp(what, "fsize"))
		limit_lower(RLIMIT_FSIZE, 4096);
	if (!strcmp(what, "nofile"))
		limit_lower(RLIMIT_NOFILE, 4);
	execl("/proc/self/exe", argv[0], "again", (char *)NULL);
	return 1;
}
