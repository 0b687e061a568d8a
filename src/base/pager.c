/* SPDX-License-Identifier: Apache-2.0 */
/* Start a pager for verbs with long text output, and wait for it. */
#include "base/pager.h"
#include "base/environ.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *pager_name(void)
{
	const char *name = environ_get("TACHO_PAGER");

	if (!name)
		name = environ_get("PAGER");
	return name ? name : "less";
}

pid_t pager_start(void)
{
	const char *name = pager_name();
	int fds[2];
	pid_t pid;

	if (!*name || !strcmp(name, "cat") || !isatty(STDOUT_FILENO) || pipe2(fds, O_CLOEXEC) < 0)
		return 0;
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		/* In the child: the name may have arguments, as for git; it comes from the user's
		 * environment. */
		dup2(fds[0], STDIN_FILENO);
		close(fds[0]);
		close(fds[1]);
		setenv("LESS", "FRX", 0); /* leave if it fits, show colours, keep the screen */
		if (strpbrk(name, " \t|&;<>()$`\\\"'"))
			execl("/bin/sh", "sh", "-c", name, (char *)NULL);
		else
			execlp(name, name, (char *)NULL);
		_exit(127);
	}
	if (pid > 0) {
		dup2(fds[1], STDOUT_FILENO);
		signal(SIGPIPE, SIG_IGN); /* leaving a pager early is not an error */
	}
	close(fds[0]);
	close(fds[1]);
	return pid > 0 ? pid : 0;
}

void pager_end(pid_t pager)
{
	if (!pager)
		return;
	fflush(stdout);
	close(STDOUT_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
}
