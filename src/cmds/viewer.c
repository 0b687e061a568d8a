/* SPDX-License-Identifier: Apache-2.0 */
/* The viewer for the verbs that serve a page: its port, its URL, its end. */
#include "cmds/viewer.h"
#include "base/environ.h"
#include "cmds/port.h"
#include "cmds/record.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PORTS 20 /* ports to try without --port */

int viewer_check_port(int64_t port, struct tacho_error *err)
{
	if (port != VIEWER_ANY_PORT && (port < 0 || port > 65535))
		return err_set(err, TACHO_EUSAGE, "--port: %lld is not a port", (long long)port);
	return 0;
}

/*
 * Without --port, the first free one from 8086 on. All threads of the server share one heap: with a
 * heap each, the blocks that one has freed would stay with it while another allocates its own.
 */
int viewer_start(struct http *http, int64_t wanted, bool quiet, struct tacho_error *err)
{
	bool any = wanted == VIEWER_ANY_PORT;
	int first = any ? HTTP_PORT : (int)wanted, last = any ? HTTP_PORT + PORTS - 1 : first;
	int r = TACHO_EEXISTS;
	char owner[120];

	mallopt(M_ARENA_MAX, 1);
	for (int port = first; r == TACHO_EEXISTS && port <= last; port++) {
		r = http_start(http, (uint16_t)port, err);
		if (r != TACHO_EEXISTS)
			break;
		port_owner(port, owner, sizeof(owner));
		if (port == last)
			return err_set(err, TACHO_ECONNECT, "port %d is taken by %s", port, owner);
		if (port == first && !quiet)
			err_note("port %d is taken by %s; looking for the next", port, owner);
	}
	return r;
}

bool viewer_is_everywhere(const char *address)
{
	return !strcmp(address, "0.0.0.0") || !strcmp(address, "::");
}

/* -------------------------------------------------------------------- page */

#define PAGE_NAME "/tacho.html"

/* A folder that only the user can read: in the runtime directory, or else in /tmp. */
static char *page_folder(void)
{
	const char *base = environ_get("XDG_RUNTIME_DIR");
	struct stat st;
	char *path;

	if (!base || base[0] != '/' || stat(base, &st) < 0 || st.st_uid != geteuid() ||
	    (st.st_mode & 077))
		base = "/tmp";
	if (asprintf(&path, "%s/tacho-view.XXXXXX", base) < 0)
		return NULL;
	if (mkdtemp(path))
		return path;
	free(path);
	return NULL;
}

char *viewer_page_make(const struct http *http, const char *bind)
{
	const char *address = bind && !viewer_is_everywhere(bind) ? bind : "127.0.0.1";
	bool six = strchr(address, ':');
	char *folder = page_folder(), *path = NULL;
	int fd = -1, n = -1;

	if (folder && asprintf(&path, "%s" PAGE_NAME, folder) < 0)
		path = NULL;
	if (path)
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0) {
		n = dprintf(
			fd,
			"<!doctype html><meta charset=utf-8><title>tacho</title>"
			"<meta http-equiv=refresh content=\"0;url=http://%s%s%s:%u/?token=%s\">\n",
			six ? "[" : "", address, six ? "]" : "", http_port(http), http_token(http));
		close(fd);
	}
	if (n < 0 && folder) {
		if (path)
			unlink(path);
		rmdir(folder);
	}
	if (n < 0) {
		free(path);
		path = NULL;
	}
	free(folder);
	return path;
}

void viewer_page_remove(char *path)
{
	if (!path)
		return;
	unlink(path);
	path[strlen(path) - strlen(PAGE_NAME)] = 0;
	rmdir(path);
	free(path);
}

static void url_print(const struct http *http, const char *bind, const char *token, FILE *out)
{
	const char *address = bind ? bind : "127.0.0.1";
	bool six = strchr(address, ':');
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	if (viewer_is_everywhere(address)) { /* "all addresses" is not a destination */
		address = host;
		six = false;
	}
	fprintf(out, "http://%s%s%s:%u/?token=%s\n", six ? "[" : "", address, six ? "]" : "",
		http_port(http), token);
}

void viewer_announce(const struct http *http, const char *bind, FILE *out)
{
	unsigned port = http_port(http);
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	url_print(http, bind, http_token(http), out);
	if (!bind)
		fprintf(out,
			"from elsewhere: ssh -L %u:127.0.0.1:%u %s, then open the same URL there\n",
			port, port, host);
	fflush(out);
}

int viewer_share(struct http *http, const char *bind, int64_t ns, FILE *out,
		 struct tacho_error *err)
{
	time_t end = time(NULL) + (time_t)(ns / 1000000000);
	char text[32] = "", token[HTTP_TOKEN_TEXT];
	struct tm tm;
	int r = http_share(http, (double)ns * 1e-9, token);

	if (r < 0)
		return err_set(err, r, "cannot make a token: %s", err_text(r));
	if (localtime_r(&end, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	fprintf(out, "for others, until %s: ", text);
	url_print(http, bind, token, out);
	fflush(out);
	return 0;
}

/* ---------------------------------------------------------------- rotation */

static volatile sig_atomic_t rotation_wanted;
static struct {
	const char *bind;
	FILE *out;
} rotation;

static void on_rotate(int number)
{
	(void)number;
	rotation_wanted = 1;
}

void viewer_rotates(const char *bind, FILE *out)
{
	struct sigaction action = {.sa_handler = on_rotate, .sa_flags = SA_RESTART};

	rotation.bind = bind;
	rotation.out = out;
	sigemptyset(&action.sa_mask);
	sigaction(SIGUSR1, &action, NULL);
}

void viewer_serve(struct http *http, int64_t idle, int stops)
{
	while (record_stops() <= stops && !record_orphaned() &&
	       !(idle && http_idle(http) > (double)idle)) {
		if (rotation_wanted) {
			rotation_wanted = 0;
			if (http_rotate(http) == 0)
				viewer_announce(http, rotation.bind, rotation.out);
		}
		http_share_check(http);
		usleep(100000);
	}
}
