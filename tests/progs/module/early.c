/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into 'tacho run': a signal that comes just before its fork(), or to the child just
 * after. */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((visibility("default"))) pid_t fork(void)
{
	pid_t (*real)(void) = (pid_t(*)(void))dlsym(RTLD_NEXT, "fork");
	const char *when = getenv("EARLY");
	pid_t pid;

	if (when && !strcmp(when, "before"))
		kill(getpid(), SIGTERM);
	pid = real();
	if (pid == 0 && when && !strcmp(when, "after"))
		kill(getpid(), SIGTERM);
	return pid;
}
