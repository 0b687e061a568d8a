/* SPDX-License-Identifier: Apache-2.0 */
/* Find a free port, and name the process that owns a busy one. */
#include "cmds/port.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LISTENING 0x0a /* the state in /proc/net/tcp */

bool port_is_free(int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons((uint16_t)port),
				      .sin_addr.s_addr = htonl(INADDR_ANY)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
	bool ok;

	if (fd < 0)
		return false;
	/* Lingering connections of an earlier run do not block the port. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	ok = bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 1) == 0;
	close(fd);
	return ok;
}

int port_find(int first, int last)
{
	for (int port = first; port <= last; port++)
		if (port_is_free(port))
			return port;
	return -1;
}

/* The inode of the socket that listens on PORT; 0 if unknown. */
static unsigned long socket_inode(const char *table, int port)
{
	FILE *f = fopen(table, "re");
	unsigned long inode, found = 0;
	unsigned local, state;
	char line[512];

	while (f && !found && fgets(line, sizeof(line), f))
		if (sscanf(line,
			   " %*u: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*s %*s %*s %*s %*s %lu",
			   &local, &state, &inode) == 3 &&
		    local == (unsigned)port && state == LISTENING)
			found = inode;
	if (f)
		fclose(f);
	return found;
}

static bool has_socket(const char *pid, unsigned long inode)
{
	char path[300], target[64], want[64];
	struct dirent *e;
	bool found = false;
	DIR *fds;

	snprintf(want, sizeof(want), "socket:[%lu]", inode);
	snprintf(path, sizeof(path), "/proc/%.20s/fd", pid);
	fds = opendir(path);
	while (fds && !found && (e = readdir(fds))) {
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/%.20s/fd/%.30s", pid, e->d_name);
		n = readlink(path, target, sizeof(target) - 1);
		if (n > 0) {
			target[n] = 0;
			found = !strcmp(target, want);
		}
	}
	if (fds)
		closedir(fds);
	return found;
}

void port_owner(int port, char *text, size_t size)
{
	unsigned long inode = socket_inode("/proc/net/tcp", port);
	struct dirent *e;
	DIR *proc;

	if (!inode)
		inode = socket_inode("/proc/net/tcp6", port);
	snprintf(text, size, "another process");
	proc = inode ? opendir("/proc") : NULL;
	while (proc && (e = readdir(proc)))
		if (isdigit((unsigned char)e->d_name[0]) && has_socket(e->d_name, inode)) {
			char path[64], name[64] = "a process";
			FILE *f;

			snprintf(path, sizeof(path), "/proc/%.20s/comm", e->d_name);
			f = fopen(path, "re");
			if (f) {
				if (fgets(name, sizeof(name), f))
					name[strcspn(name, "\n")] = 0;
				fclose(f);
			}
			snprintf(text, size, "%s (pid %s)", name, e->d_name);
			break;
		}
	if (proc)
		closedir(proc);
}
