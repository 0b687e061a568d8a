/* SPDX-License-Identifier: Apache-2.0 */
/* Runs git to describe a commit. */
#include "cmds/git.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The output of "git -C FOLDER ARGUMENTS" without its last line end; its exit code, or -1. */
static int git_run(const char *folder, const char *const *arguments, char *out, size_t size)
{
	const char *argv[12] = {"git", "-C", folder};
	posix_spawn_file_actions_t actions;
	int pipes[2], status = -1;
	size_t len = 0;
	ssize_t n = 0;
	pid_t pid;

	for (int i = 0; i < 8 && arguments[i]; i++)
		argv[3 + i] = arguments[i];
	if (pipe2(pipes, O_CLOEXEC) < 0)
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	errno = posix_spawnp(&pid, "git", &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(pipes[1]);
	if (errno == 0) {
		while (len + 1 < size && (n = read(pipes[0], out + len, size - 1 - len)) > 0)
			len += (size_t)n;
		close(pipes[0]);
		pipes[0] = -1;
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			continue;
	}
	if (pipes[0] >= 0)
		close(pipes[0]);
	out[len] = 0;
	if (len && out[len - 1] == '\n')
		out[len - 1] = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int git_commit_read(struct git_commit *c, const char *folder, struct tacho_error *err)
{
	char text[512];

	*c = (struct git_commit){0};
	if (git_run(folder, (const char *[]){"log", "-1", "--format=%H %ct", NULL}, text,
		    sizeof(text)))
		return err_set(err, TACHO_EREAD, "--git: git knows no commit in %s", folder);
	if (sscanf(text, "%64s %lld", c->sha, (long long *)&c->time) != 2)
		return err_set(err, TACHO_EREAD, "--git: git describes the commit as '%.100s'",
			       text);
	c->time *= 1000000000;
	if (git_run(folder, (const char *[]){"rev-list", "--count", "--first-parent", "HEAD", NULL},
		    text, sizeof(text)) == 0)
		c->count = strtoll(text, NULL, 10);
	if (git_run(folder, (const char *[]){"symbolic-ref", "--short", "-q", "HEAD", NULL}, text,
		    sizeof(text)) == 0)
		snprintf(c->branch, sizeof(c->branch), "%.255s", text);
	c->dirty = git_run(folder, (const char *[]){"status", "--porcelain", "-uno", NULL}, text,
			   sizeof(text)) == 0 &&
		   text[0];
	return 0;
}
