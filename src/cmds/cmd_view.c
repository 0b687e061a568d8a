/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "view": serve traces to a browser. */
#include "base/environ.h"
#include "cmds/cmds.h"
#include "cmds/history_call.h"
#include "cmds/query_call.h"
#include "cmds/record.h"
#include "cmds/viewer.h"
#include "db/db.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct opt opts[] = {
	OPT_INT('p', "port", "PORT", struct viewer_conf, port,
		"serve on PORT; 0 is any free port (default 8086, or the next free one)"),
	OPT_FLAG('o', "open", struct viewer_conf, open, "open the page in the default browser"),
	OPT_STR(0, "live", "SESSION", struct viewer_conf, live,
		"follow a recording: its trace, its folder, or the pid of its recorder"),
	OPT_STR(0, "bind", "ADDRESS", struct viewer_conf, bind,
		"listen on ADDRESS (default 127.0.0.1: this machine alone)"),
	OPT_LIST(0, "source", "DIR", struct viewer_conf, sources,
		 "show source files below DIR; may be repeated"),
	OPT_INT(0, "idle-exit", "SECONDS", struct viewer_conf, idle,
		"exit after SECONDS without a request"),
	OPT_TIME(0, "share", "TIME", struct viewer_conf, share,
		 "print a second URL that ends after TIME (2h, 30m), for others"),
	OPT_STR(0, "db", "URL", struct viewer_conf, db,
		"show the history of the runs in a database, as of 'tacho db' (default: TACHO_DB)"),
	OPT_STR(0, "assets", "DIR", struct viewer_conf, assets,
		"serve the page from DIR: for its developers"),
	OPT_END,
};

static void cmd_view_init(void *conf)
{
	((struct viewer_conf *)conf)->port = VIEWER_ANY_PORT;
}

static int check_folder(const char *option, const char *path, struct tacho_error *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return err_errno(err, TACHO_EREAD, "--%s: cannot open %s", option, path);
	return S_ISDIR(st.st_mode)
		       ? 0
		       : err_set(err, TACHO_EREAD, "--%s: %s is not a folder", option, path);
}

static int view_check(const struct viewer_conf *conf, struct tacho_error *err)
{
	int r = viewer_check_port(conf->port, err);

	if (r == 0 && conf->share < 0)
		r = err_set(err, TACHO_EUSAGE, "--share: not a time");
	if (r == 0 && conf->idle < 0)
		r = err_set(err, TACHO_EUSAGE, "--idle-exit: not a number of seconds");
	for (size_t i = 0; r == 0 && i < conf->sources.n; i++)
		r = check_folder("source", conf->sources.v[i], err);
	if (r == 0 && conf->assets)
		r = check_folder("assets", conf->assets, err);
	return r;
}

/*
 * Opens PAGE, which leads to the URL. Discards the browser's output; signals that end the viewer do
 * not reach it.
 */
static void browser_open(char *page)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	char name[] = "xdg-open", *argv[] = {name, page, NULL};
	sigset_t none, all;
	pid_t pid;
	int e;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	e = posix_spawnp(&pid, name, &files, &attributes, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	if (e)
		fprintf(stderr, "tacho: cannot open a browser (xdg-open: %s): open the URL\n",
			strerror(e));
}

static int db_check(const char *url, struct tacho_error *err)
{
	struct db *db = NULL;
	int r = db_open(&db, &(struct db_options){.url = url}, err);

	db_close(db);
	return r;
}

/* Without a file: the current recording, or else the next one. */
static int view_live_add(struct view *view, const struct viewer_conf *conf, struct tacho_error *err)
{
	int r = view_add_session(view, conf->live, err);

	if (r != TACHO_ECONNECT || conf->live)
		return r;
	fprintf(stderr,
		"tacho: nothing is being recorded: waiting for a program ('tacho view FILE' "
		"shows a trace); Ctrl-C ends\n");
	while (r == TACHO_ECONNECT && !record_stops()) {
		usleep(50000);
		r = view_add_session(view, NULL, err);
	}
	return r;
}

int viewer_show(const struct viewer_conf *conf, const struct cmd_common *common, int argc,
		char **argv, struct tacho_error *err)
{
	struct view_options shown = {conf->sources.v, conf->sources.n};
	struct http_options served = {conf->bind, conf->assets};
	const char *db = conf->db ? conf->db : environ_get("TACHO_DB");
	struct view *view = NULL;
	struct http *http = NULL;
	char *page = NULL;
	int r = view_check(conf, err);

	if (r == 0)
		r = view_open(&view, &shown, err);
	if (r == 0)
		query_call_add(view);
	if (r == 0 && conf->db)
		r = db_check(db, err);
	if (r == 0 && db)
		history_call_add(view, db);
	record_catch_signals();
	if (r == 0 && (conf->live || (argc == 0 && !conf->db)))
		r = view_live_add(view, conf, err); /* first: the page opens it */
	for (int i = 0; r == 0 && i < argc && !record_stops(); i++)
		r = view_add(view, argv[i], err);
	if (r == 0)
		r = http_open(&http, view, &served, err);
	if (r == 0)
		r = viewer_start(http, conf->port, common->quiet, err);
	if (r == 0) {
		viewer_rotates(conf->bind, stdout);
		viewer_announce(http, conf->bind, stdout);
		if (conf->share)
			r = viewer_share(http, conf->bind, conf->share, stdout, err);
	}
	if (r == 0) {
		if (conf->open) {
			page = viewer_page_make(http, conf->bind);
			if (page)
				browser_open(page);
			else
				err_note("cannot write a page for the browser: open the URL");
		}
		for (size_t i = 0; !common->quiet && view_unread(view, i); i++)
			err_note("not shown: %s", view_unread(view, i));
		if (!common->quiet)
			fprintf(stderr, "tacho: serving %zu trace%s; Ctrl-C ends\n",
				view_count(view), view_count(view) == 1 ? "" : "s");
		viewer_serve(http, conf->idle, 0);
	}
	viewer_page_remove(page);
	http_close(http);
	view_close(view);
	return r;
}

static int cmd_view_run(void *conf, const struct cmd_common *common, int argc, char **argv)
{
	struct viewer_conf *cf = conf;
	struct tacho_error err = {0};
	int r = viewer_show(cf, common, argc, argv, &err);

	opt_list_free(&cf->sources);
	return r < 0 ? err_report(&err, r) : 0;
}

const struct cmd cmd_view = {
	.name = "view",
	.summary = "show traces in a browser",
	.usage = "[options] [FILE|DIR]...",
	.description =
		"Serves a page with the timeline, statistics, messages, plots and ops of traces on one "
		"port of this machine and prints its URL. Takes .tacho, .tracy and Chrome .json files, tables of ops "
		"(ops_perf_results.csv) and folders of them. A trace that is being recorded is followed; "
		"without a file it shows the current recording, or the next one. --db adds a page with the history of "
		"runs that 'tacho db push' stored, and needs no file.\n\n"
		"Traces of any size open at once: the page requests only what it shows. The index of a "
		"large trace is made when it is first opened, and cached.\n\n"
		"The token in the URL is secret and valid until the viewer ends; SIGUSR1 replaces it, "
		"prints the new URL and disconnects open pages. It allows reading, and setting parameters "
		"of recorded programs. --share prints a second URL for others, which only allows reading "
		"and expires. To connect from another machine, forward the port by ssh, as the printed "
		"line says. Ctrl-C ends the viewer.",
	.examples =
		"tacho view app.tacho\n  then open the URL that is printed\n"
		"tacho view --idle-exit=600 traces/\n  all traces of a folder, until ten minutes "
		"after the last request\n",
	.opts = opts,
	.conf_size = sizeof(struct viewer_conf),
	.init = cmd_view_init,
	.run = cmd_view_run,
};
