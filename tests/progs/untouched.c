/* SPDX-License-Identifier: Apache-2.0 */
/* What a program must not notice: errno, signal mask, descriptors, memory under mlockall(). */
#include "emit.h"

#include <dirent.h>

static int descriptors_count(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static long resident_kb(void)
{
	char line[256];
	long kb = 0;
	FILE *f = fopen("/proc/self/status", "r");

	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, "VmRSS:", 6))
			kb = atol(line + 6);
	fclose(f);
	return kb;
}

static void *check_run(void *arg)
{
	errno = ENOTTY;
	emit_zones(30000);
	tacho_message("x", 1, TACHO_INFO, 0);
	TACHO_MESSAGEF("%s", "y");
	tacho_plot_int("plot", 1);
	if (errno != ENOTTY)
		*(int *)arg = 1;
	return NULL;
}

int main(void)
{
	sigset_t before, after;
	int changed = 0, fds = descriptors_count();
	long kb = resident_kb();

	memset(&before, 0, sizeof(before));
	memset(&after, 0, sizeof(after));
	sigprocmask(SIG_SETMASK, NULL, &before);
	in_threads(2, check_run, &changed);
	check_run(&changed);
	sigprocmask(SIG_SETMASK, NULL, &after);
	if (changed || memcmp(&before, &after, sizeof(before)) || descriptors_count() != fds)
		return 1;
	/* Without locked memory to spare mlockall() fails, which is no matter here. */
	mlockall(MCL_CURRENT | MCL_FUTURE);
	emit_zones(30000);
	if (resident_kb() - kb > 128 * 1024) {
		fprintf(stderr, "resident memory grew from %ld to %ld kB\n", kb, resident_kb());
		return 1;
	}
	text_emit(120000, 6);
	return 0;
}
