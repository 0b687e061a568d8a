/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "run": start a command and record it and its children. */
#include "base/buf.h"
#include "cmds/cmds.h"
#include "cmds/query_call.h"
#include "cmds/record.h"
#include "cmds/viewer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define NO_PORT (-1)

struct conf {
	struct record_conf record;
	const char *session;
	bool wait, view, wrapped;
	int64_t port, tracy_port;
};

static const struct opt opts[] = {
	RECORD_OPTS(struct conf, record),
	RECORD_SAMPLE_OPTS(struct conf, record),
	OPT_FLAG(
		'w', "wait", struct conf, wait,
		"record until every descendant of the command has ended, daemons included; Ctrl-C once "
		"stops waiting and saves"),
	OPT_STR('s', "session", "DIR", struct conf, session,
		"make DIR and keep what is not yet in the trace there, not in memory"),
	OPT_FLAG(0, "view", struct conf, view,
		 "show the recording in a browser while it runs, and afterwards until Ctrl-C"),
	OPT_INT(0, "port", "PORT", struct conf, port,
		"serve --view on PORT (default 8086, or the next free one)"),
	OPT_INT(0, "tracy-port", "PORT", struct conf, tracy_port,
		"set TRACY_PORT for the command: programs built with Tracy that listen there, or on one of "
		"the next ports, are recorded too"),
	OPT_FLAG(
		0, "wrapped", struct conf, wrapped,
		"for a parent that sends signals on to us: the command gets each once, how often it "
		"is interrupted is its own affair, and when the parent is killed it is too"),
	OPT_END,
};

static void cmd_run_init(void *conf)
{
	record_init(&((struct conf *)conf)->record);
	((struct conf *)conf)->port = VIEWER_ANY_PORT;
	((struct conf *)conf)->tracy_port = NO_PORT;
}

static void set_command_property(struct capture *c, char **argv)
{
	struct buf b = BUF_INIT;

	for (int i = 0; argv[i]; i++)
		buf_addf(&b, "%s%s", i ? " " : "", argv[i]);
	capture_property(c, "command", b.data);
	buf_free(&b);
}

/* A child waits here until its events are open: a byte starts it, end of file ends it. */
struct gate {
	int fds[2];
};

static void gate_open(const struct gate *gate, bool go)
{
	ssize_t n = go ? write(gate->fds[1], "", 1) : 0;

	(void)n; /* a child that has ended needs no byte */
	close(gate->fds[0]);
	close(gate->fds[1]);
}

static void gate_wait(const struct gate *gate)
{
	ssize_t n;
	char byte;

	close(gate->fds[1]);
	do
		n = read(gate->fds[0], &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(126);
}

/*
 * Starts the command with its own argv, descriptors and signals. *FAILED is errno of exec, read
 * from a pipe that a successful exec closes. With RECORDING the command is sampled from its first
 * instruction on. Returns less than -1 on a sampling error, which has been reported.
 */
static pid_t run_start(char **argv, const char *session, struct recording *recording,
		       const struct record_conf *conf, int *failed)
{
	struct gate gate = {{-1, -1}};
	bool gated = recording && recording->sampling;
	int pipes[2], code = 0;
	pid_t pid;
	ssize_t n;

	*failed = 0;
	if (pipe2(pipes, O_CLOEXEC) < 0 || (gated && pipe2(gate.fds, O_CLOEXEC) < 0))
		return -1;
	pid = fork();
	if (pid == 0) {
		if (gated)
			gate_wait(&gate);
		record_restore();
		if (session)
			setenv("TACHO_SESSION", session, 1);
		execvp(argv[0], argv);
		*failed = errno;
		n = write(pipes[1], failed, sizeof(*failed));
		_exit(n == sizeof(*failed) ? 127 : 126);
	}
	close(pipes[1]);
	if (gated) {
		code = pid > 0 ? record_sample_add(recording, conf, pid, true) : 0;
		gate_open(&gate, code == 0);
	}
	if (pid > 0) {
		record_has_command();
		do
			n = read(pipes[0], failed, sizeof(*failed));
		while (n < 0 && errno == EINTR);
	}
	close(pipes[0]);
	if (code < 0 && pid > 0)
		waitpid(pid, NULL, 0);
	return code < 0 ? code : pid;
}

/*
 * Reaps children that have ended, with --wait also the orphans that the kernel reparented to us.
 * True if COMMAND is one of them; *STATUS is then its wait status. *LEFT: there are more children.
 */
static bool children_reap(pid_t command, int *status, bool *left)
{
	bool ended = false;
	int code;
	pid_t pid;

	while ((pid = waitpid(-1, &code, WNOHANG)) > 0) {
		if (pid != command)
			continue;
		*status = code;
		ended = true;
	}
	*left = pid == 0;
	return ended;
}

/* Drains until the command has ended; returns its wait status. */
static int run_follow(struct recording *r, pid_t pid)
{
	int status = 0, number;
	bool left;

	for (;;) {
		if (children_reap(pid, &status, &left) || !left)
			return status;
		while ((number = record_take_signal()) != 0)
			kill(pid, number);
		if (record_orphaned())
			kill(pid, SIGKILL);
		if (record_insisted()) {
			kill(pid, SIGTERM);
			return SIGINT; /* as if killed by it */
		}
		if (record_round(r))
			capture_wait(r->capture);
		else
			usleep(20000);
	}
}

/*
 * With --wait every descendant whose parent ends becomes our child, so having no children means
 * that all have ended, whether they have joined the session yet or not. Processes that joined
 * without being descendants are waited for too.
 */
static void follow_rest(struct recording *r, bool wait)
{
	int status;
	bool left = false;

	record_round(r);
	while (wait && !r->failed && record_stops() == 0) {
		children_reap(0, &status, &left);
		if (!left && !capture_alive(r->capture))
			break;
		record_round(r);
		capture_wait(r->capture);
	}
}

static int exit_code_of(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int report_exec(const char *command, int number)
{
	struct tacho_error err;

	errno = number;
	err_errno(&err, TACHO_EUSAGE, "cannot run %s", command);
	err_report(&err, TACHO_EUSAGE);
	return number == ENOENT ? 127 : 126;
}

/* --view: recording continues even if the page cannot be served. */
static struct {
	bool wanted;
	int64_t port;
	struct view *view;
	struct http *http;
	int stops; /* number of stop requests before the recording ended */
} show;

#define STAY_SECONDS 600 /* since the last request after the recording ended */

static void viewer_end(void)
{
	http_close(show.http);
	view_close(show.view);
	show.http = NULL;
	show.view = NULL;
}

static void viewer_begin(const char *session, const struct cmd_common *common)
{
	struct tacho_error err = {0};
	int r = view_open(&show.view, &(struct view_options){0}, &err);

	if (r == 0)
		query_call_add(show.view);
	if (r == 0)
		r = view_add_session(show.view, session, &err);
	if (r == 0)
		r = http_open(&show.http, show.view, &(struct http_options){0}, &err);
	if (r == 0)
		r = viewer_start(show.http, show.port, common->quiet, &err);
	if (r == 0) {
		viewer_announce(show.http, NULL, stderr);
		return;
	}
	err_warn("recording continues without a page: %s", err.text);
	viewer_end();
}

/* Without a place for a session, run the command all the same. */
static int run_unrecorded(char **argv, const struct tacho_error *err)
{
	struct recording r = {.failed = true};
	int failed, status;
	pid_t pid;

	err_warn("not recorded: %s", err->text);
	pid = run_start(argv, NULL, NULL, NULL, &failed);
	if (pid < 0 || failed) {
		status = report_exec(argv[0], pid < 0 ? errno : failed);
		if (pid > 0)
			waitpid(pid, NULL, 0);
		return status;
	}
	status = run_follow(&r, pid);
	return record_is_wrapped() ? exit_code_of(status) : err_exit_code(TACHO_EWRITE);
}

int record_command(const struct record_conf *conf, const struct cmd_common *common,
		   const char *session, bool wait, char **argv)
{
	struct recording r = {.quiet = common->quiet};
	struct capture_options options;
	struct tacho_error err = {0};
	int failed, status, code;
	size_t left;
	pid_t pid;

	record_options(conf, &options);
	options.session = session;
	options.fall_back = true;
	/* First, so that a signal never leaks a session. */
	record_catch_signals();
	record_raise_files();
	code = capture_open(&r.capture, &options, &err);
	if (code == TACHO_ENO)
		return run_unrecorded(argv, &err);
	if (code < 0)
		return err_report(&err, code);
	if (capture_note(r.capture)[0])
		err_warn("%s", capture_note(r.capture));
	for (size_t i = 0; i < conf->tracy_port_count && code == 0; i++)
		code = capture_tracy(r.capture, NULL, conf->tracy_ports[i], &err);
	if (code < 0) {
		capture_abandon(r.capture);
		return err_report(&err, code);
	}
	code = record_sample_open(&r, conf);
	if (code < 0) {
		capture_abandon(r.capture);
		return err_exit_code(code);
	}
	set_command_property(r.capture, argv);
	capture_start(r.capture);
	/* Only now: a daemon that asks for its parent sees us instead of init. */
	if (wait)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = run_start(argv, capture_session(r.capture), &r, conf, &failed);
	if (pid < -1) {
		capture_abandon(r.capture);
		return err_exit_code(pid);
	}
	if (pid < 0 || failed) {
		code = report_exec(argv[0], pid < 0 ? errno : failed);
		if (pid > 0)
			waitpid(pid, NULL, 0);
		capture_abandon(r.capture);
		return code;
	}
	/* A forked child may call only a few functions while other threads run. */
	record_sample_start(&r, conf);
	if (show.wanted)
		viewer_begin(capture_session(r.capture), common);
	status = run_follow(&r, pid);
	if (!r.failed)
		follow_rest(&r, wait);
	/* Earlier signals were for the command; one that arrives while we save is for the page. */
	show.stops = record_stops();
	capture_exit_status(r.capture, (uint32_t)pid, status);
	left = r.failed ? 0 : capture_alive(r.capture);
	code = record_finish(&r, conf);
	if (left && !common->quiet)
		fprintf(stderr, "tacho: %zu process%s left running%s\n", left,
			left == 1 ? " was" : "es were", wait ? "" : "; --wait would have followed");
	/* A parent that uses us internally notices the missing trace itself. */
	return code && !record_is_wrapped() ? code : exit_code_of(status);
}

static int cmd_run_main(void *conf, const struct cmd_common *common, int argc, char **argv)
{
	struct conf *cf = conf;
	struct tacho_error err = {0};
	char *output = NULL;
	int code;

	if (argc == 0) {
		err_set(&err, TACHO_EUSAGE, "run needs a command: tacho run -- ./app");
		return err_report(&err, TACHO_EUSAGE);
	}
	code = viewer_check_port(cf->port, &err);
	if (code < 0)
		return err_report(&err, code);
	if (cf->tracy_port != NO_PORT) {
		code = record_tracy(&cf->record, cf->tracy_port, &err);
		if (code < 0)
			return err_report(&err, code);
	}
	/* A wrapper runs us with --quiet to silence the recording, not the user's mistakes. */
	environ_check(common->quiet && !cf->wrapped);
	if (!cf->record.output) {
		const char *slash = strrchr(argv[0], '/');
		struct buf b = BUF_INIT;

		/* app.tacho for ./bin/app */
		buf_addf(&b, "%s.tacho", slash && slash[1] ? slash + 1 : argv[0]);
		cf->record.output = output = buf_detach(&b);
	}
	if (cf->wrapped)
		record_wrapped();
	show.wanted = cf->view;
	show.port = cf->port;
	code = record_command(&cf->record, common, cf->session, cf->wait, argv);
	if (show.http) {
		/* Printed with --quiet too, like the URL; otherwise the command seems to hang. */
		fprintf(stderr,
			"tacho: the command has ended with %d; the page stays until Ctrl-C, or until "
			"it has been unused for %d minutes\n",
			code, STAY_SECONDS / 60);
		viewer_serve(show.http, STAY_SECONDS, show.stops);
		viewer_end();
	}
	free(output);
	return code;
}

const struct cmd cmd_run = {
	.name = "run",
	.summary = "run a command and record it and all its children",
	.usage = "[options] [--] COMMAND [ARGUMENTS]",
	.description =
		"Runs COMMAND and writes what it and every process below it record to one trace. "
		"The command's arguments, standard streams, signals and exit status are its own. "
		"Programs record when they link libtacho; others run as they always do.\n\n"
		"Ctrl-C once lets the command end as it would, then saves; twice saves at once. "
		"If the recorder itself is killed nothing is lost: see 'tacho recover'.\n\n"
		"With --wait tacho adopts processes whose parents have ended (daemons see it instead "
		"of init as their parent) and records until the last one has ended, which may be "
		"never. Ctrl-C once stops waiting and saves; what still runs is left running.\n\n"
		"Exits with the status of the command, 128+N when signal N killed it, 126 or 127 when "
		"it could not be run or found, 5 when the trace could not be written, 6 with --strict "
		"when data was lost.",
	.examples = "  tacho run --view -- ./app\n"
		    "      shows it in a browser while it runs\n"
		    "  tacho run -- ./app --size 3\n"
		    "      writes app.tacho\n"
		    "  tacho run -f -o /tmp/x.tacho -- make -j8 check\n"
		    "      records every process of the build that links libtacho\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.init = cmd_run_init,
	.mode = OPT_STOP_FIRST,
	.run = cmd_run_main,
};
