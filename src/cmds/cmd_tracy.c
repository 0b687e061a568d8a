/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verb "tracy": the page under the names of Tracy's viewer. Without a file a recorder of its
 * own records what appears; the page follows it from its start, so it opens before there is a
 * program.
 */
#include "base/buf.h"
#include "base/order.h"
#include "base/vec.h"
#include "cmds/cmds.h"
#include "cmds/record.h"
#include "cmds/viewer.h"
#include "ring/ring.h"
#include "trace/trace.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RECENT_TRACES 10u

struct conf {
	struct viewer_conf view;
	const char *address;
	int64_t port;
};

static const struct opt opts[] = {
	OPT_STR('a', "address", "ADDRESS", struct conf, address,
		"connect to a program built with Tracy on this host, or IPv4 or IPv6 address"),
	OPT_INT('p', "port", "PORT", struct conf, port,
		"connect to a program built with Tracy on this port (default 8086)"),
	OPT_FLAG('o', "open", struct conf, view.open, "open the page in the default browser"),
	OPT_INT(0, "page-port", "PORT", struct conf, view.port,
		"serve the page on PORT (default: any free one)"),
	OPT_INT(0, "idle-exit", "SECONDS", struct conf, view.idle,
		"end when no page has asked for anything so long"),
	OPT_END,
};

/* ------------------------------------------------------------ recent traces */

struct recent {
	char *path;
	time_t when;
};

struct recents {
	VEC(struct recent);
};

ORDER_BY(recents_newest_first, struct recent, ORDER_DOWN(when) ?: strcmp(x->path, y->path));

static void recents_add(struct recents *list, const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		const char *dot = strrchr(e->d_name, '.');
		struct recent r = {0};
		struct stat st;

		if (!dot || (strcmp(dot, ".tacho") && strcmp(dot, ".tracy")) ||
		    asprintf(&r.path, "%s/%s", folder, e->d_name) < 0)
			continue;
		if (stat(r.path, &st) < 0 || !S_ISREG(st.st_mode)) {
			free(r.path);
			continue;
		}
		r.when = st.st_mtime;
		if (vec_push(list, r) < 0)
			free(r.path);
	}
	if (dir)
		closedir(dir);
}

/* The newest RECENT_TRACES of FOLDER and of the current folder, as arguments of the viewer. */
static int recents_list(struct recents *list, const char *folder, char **paths)
{
	int n = 0;

	recents_add(list, folder);
	recents_add(list, ".");
	if (list->n)
		qsort(list->v, list->n, sizeof(list->v[0]), recents_newest_first);
	for (size_t i = 0; i < list->n && n < (int)RECENT_TRACES; i++)
		paths[n++] = list->v[i].path;
	return n;
}

/* ------------------------------------------------------------- the recorder */

struct recorder {
	pid_t pid;
	char number[24]; /* of the pid */
	struct buf folder, file;
};

/* The folder for recordings of this verb: $XDG_STATE_HOME/tacho, or ~/.local/state/tacho. */
static int recorder_folder_make(struct recorder *r, struct tacho_error *err)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (state && state[0] == '/')
		buf_adds(&r->folder, state);
	else if (home && home[0] == '/')
		buf_addf(&r->folder, "%s/.local/state", home);
	else
		buf_adds(&r->folder, ".");
	buf_adds(&r->folder, "/tacho");
	if (r->folder.failed)
		return TACHO_ENOMEM;
	for (char *at = r->folder.data + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = 0;
		mkdir(r->folder.data, 0700);
	}
	mkdir(r->folder.data, 0700);
	return access(r->folder.data, W_OK) < 0
		       ? err_errno(err, TACHO_EWRITE, "cannot write to %s", r->folder.data)
		       : 0;
}

static void recorder_exec(const struct recorder *r, const struct conf *conf, pid_t viewer)
{
	const char *argv[12] = {"tacho", "capture", "-q", "-o", r->file.data};
	char port[24];
	int n = 5;

	snprintf(port, sizeof(port), "%lld", (long long)(conf->port ? conf->port : 8086));
	if (conf->address || conf->port) {
		argv[n++] = "--tracy-port";
		argv[n++] = port;
	} else {
		argv[n++] = "--tracy";
	}
	if (conf->address) {
		argv[n++] = "--tracy-address";
		argv[n++] = conf->address;
	}
	/* Ctrl-C goes to the whole group: the viewer ends first, then its recorder. */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() == viewer)
		execv("/proc/self/exe", (char *const *)argv);
	_exit(127);
}

/* Starts it and waits for its session. */
static int recorder_start(struct recorder *r, const struct conf *conf, struct tacho_error *err)
{
	struct ring_session_info info;
	time_t now = time(NULL);
	pid_t viewer = getpid();
	char date[40];
	struct tm tm;
	int found = TACHO_ECONNECT, status;

	strftime(date, sizeof(date), "%Y-%m-%d-%H%M%S", localtime_r(&now, &tm));
	buf_addf(&r->file, "%s/tracy-%s-%d.tacho", r->folder.data, date, (int)viewer);
	if (r->file.failed)
		return TACHO_ENOMEM;
	r->pid = fork();
	if (r->pid == 0)
		recorder_exec(r, conf, viewer);
	if (r->pid < 0)
		return err_errno(err, TACHO_ENOMEM, "cannot start a recorder");
	snprintf(r->number, sizeof(r->number), "%d", (int)r->pid);
	while (found < 0 && !record_stops()) {
		if (waitpid(r->pid, &status, WNOHANG) == r->pid) {
			r->pid = 0;
			return err_set(err, TACHO_ECONNECT, "the recorder has failed");
		}
		found = ring_session_find(r->number, &info, NULL);
		usleep(20000);
	}
	return 0;
}

/* Saves the trace; one without a program is removed. */
static void recorder_end(struct recorder *r, bool quiet)
{
	struct trace *trace = NULL;

	if (r->pid <= 0)
		return;
	kill(r->pid, SIGINT);
	waitpid(r->pid, NULL, 0);
	if (trace_open(&trace, r->file.data, NULL) < 0)
		return;
	if (!trace->process_count)
		unlink(r->file.data);
	else if (!quiet)
		err_note("recorded %s", r->file.data);
	trace_close(trace);
}

/* ---------------------------------------------------------------- the verb */

static bool tracy_is_recorded(void)
{
	struct ring_session_info info;

	return ring_session_find(NULL, &info, NULL) == 0 && info.recorder;
}

/* Shows a recording and recent traces: the current one of Tacho, else one of its own. */
static int tracy_watch(struct conf *conf, const struct cmd_common *common, struct tacho_error *err)
{
	struct recorder recorder = {.folder = BUF_INIT, .file = BUF_INIT};
	struct recents list = {0};
	char *paths[RECENT_TRACES];
	bool named = conf->address || conf->port;
	int n = 0, r = recorder_folder_make(&recorder, err);

	record_catch_signals();
	if (r == 0)
		n = recents_list(&list, recorder.folder.data, paths);
	if (r == 0 && (named || !tracy_is_recorded())) {
		r = recorder_start(&recorder, conf, err);
		conf->view.live = recorder.number;
		if (r == 0 && !common->quiet)
			err_note(
				named ? "waiting for the program at %s:%lld"
				      : "waiting for programs on this machine: built with Tracy, or "
					"started with TACHO_CAPTURE=1",
				conf->address ? conf->address : "localhost",
				(long long)(conf->port ? conf->port : 8086));
	} else {
		conf->view.live = "";
	}
	for (int i = 0; r == 0 && i < n && !common->quiet; i++)
		err_note("recent: %s", paths[i]);
	if (r == 0 && !record_stops())
		r = viewer_show(&conf->view, common, n, paths, err);
	recorder_end(&recorder, common->quiet);
	for (size_t i = 0; i < list.n; i++)
		free(list.v[i].path);
	vec_free(&list);
	buf_free(&recorder.folder);
	buf_free(&recorder.file);
	return r;
}

static int cmd_tracy_run(void *conf, const struct cmd_common *common, int argc, char **argv)
{
	struct conf *cf = conf;
	struct tacho_error err = {0};
	int r = 0;

	if (cf->port < 0 || cf->port > 65535)
		r = err_set(&err, TACHO_EUSAGE, "-p: not a port");
	else if (argc && (cf->address || cf->port))
		r = err_set(&err, TACHO_EUSAGE, "a program (-a, -p) or a file, not both");
	else if (argc)
		r = viewer_show(&cf->view, common, argc, argv, &err);
	else
		r = tracy_watch(cf, common, &err);
	return r < 0 ? err_report(&err, r) : 0;
}

const struct cmd cmd_tracy = {
	.name = "tracy",
	.aliases = {"tracy", "tracy-profiler", "Tracy-release"},
	.summary = "show a trace in a browser, with the options of Tracy's viewer",
	.usage = "[-a ADDRESS] [-p PORT] | [FILE]...",
	.description =
		"Does what Tracy's viewer does, in a browser: shows files, or connects to a program "
		"that was built with Tracy and shows it live, or waits for programs on this machine: "
		"those built with Tracy, which announce themselves, and those of Tacho.\n\n"
		"What it records is saved below $XDG_STATE_HOME/tacho (~/.local/state/tacho); recent "
		"traces of that folder and of the current one are in the page's list.",
	.examples = "tracy\n  waits for programs\n"
		    "tracy -a 192.0.2.1 -p 8086\n  a program on another machine\n"
		    "tracy run.tracy\n  a file\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.run = cmd_tracy_run,
};
