/* SPDX-License-Identifier: Apache-2.0 */
/* Check whether the process of a ring is still running. Pids are reused, start times are not. */
#include "ring/identity.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Reads /proc/PID/NAME as a string; false on failure. */
static bool read_proc(uint32_t pid, const char *name, char *text, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, size - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = 0;
	return true;
}

/* A process that had no /proc when it joined does not know its start time: 0. */
static bool started_at(uint32_t pid, uint64_t start_time)
{
	char text[1024];
	uint64_t started = read_proc(pid, "stat", text, sizeof(text)) ? ring_start_time(text) : 0;

	return started && (!start_time || started == start_time);
}

static uint64_t namespace_of(uint32_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u/ns/pid", pid);
	return stat(path, &st) == 0 ? st.st_ino : 0;
}

/* The pid that a process has in its own namespace: the last number of its NSpid line. */
static uint32_t inner_pid_of(uint32_t pid)
{
	char text[4096], *line, *end;

	if (!read_proc(pid, "status", text, sizeof(text)))
		return 0;
	line = strstr(text, "\nNSpid:");
	if (!line)
		return 0;
	end = strchr(line + 1, '\n');
	if (end)
		*end = 0;
	line = strrchr(line, '\t');
	return line ? (uint32_t)strtoul(line + 1, NULL, 10) : 0;
}

uint32_t identity_filters(uint32_t pid)
{
	char text[4096];

	return read_proc(pid, "status", text, sizeof(text)) ? 1 + ring_filters(text) : 0;
}

/* The process's pid in our namespace; 0 if we cannot see it. */
static uint32_t visible_pid(const struct ring_header *h)
{
	DIR *d;
	struct dirent *e;
	uint32_t pid, found = 0;

	if (!h->pid_namespace || h->pid_namespace == namespace_of((uint32_t)getpid()))
		return started_at(h->pid, h->start_time) ? h->pid : 0;
	d = opendir("/proc");
	while (d && !found && (e = readdir(d))) {
		pid = (uint32_t)strtoul(e->d_name, NULL, 10);
		if (pid && started_at(pid, h->start_time) &&
		    namespace_of(pid) == h->pid_namespace && inner_pid_of(pid) == h->pid)
			found = pid;
	}
	if (d)
		closedir(d);
	return found;
}

/* No answer does not mean that there is no such process. */
static bool is_short_of_files(void)
{
	return errno == EMFILE || errno == ENFILE || errno == ENOMEM;
}

bool identity_open(struct identity *id, const struct ring_header *header)
{
	errno = 0;
	id->start_time = header->start_time;
	id->pid = visible_pid(header);
	if (!id->pid)
		return !is_short_of_files();
	id->pidfd = (int)syscall(SYS_pidfd_open, id->pid, 0);
	errno = 0;
	/* It may have ended, and its pid been reused, between the two. */
	if (!started_at(id->pid, id->start_time))
		id->pid = 0;
	return id->pid || !is_short_of_files();
}

void identity_close(struct identity *id)
{
	if (id->pidfd >= 0)
		close(id->pidfd);
	id->pidfd = -1;
}

bool identity_is_alive(const struct identity *id)
{
	struct pollfd p = {.fd = id->pidfd, .events = POLLIN};

	if (!id->pid)
		return false;
	errno = 0;
	if (id->pidfd < 0)
		return started_at(id->pid, id->start_time) || is_short_of_files();
	return poll(&p, 1, 0) == 0;
}
