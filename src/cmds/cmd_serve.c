/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verb "serve": serve a trace to Tracy viewers. Each viewer has its own process, so a slow one
 * delays no other.
 */
#include "base/environ.h"
#include "base/now.h"
#include "cmds/cmds.h"
#include "cmds/record.h"
#include "ring/ring.h"
#include "tracy/tracy.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define VIEWERS  16 /* at a time; further ones wait */
#define REFUSALS 10 /* reported refusals */

struct conf {
	int64_t port;
	bool everywhere, once, live, wait;
	struct opt_list allow;
};

static const struct opt opts[] = {
	OPT_INT('p', "tracy-port", "PORT", struct conf, port,
		"listen on PORT (default 8086); 0 picks a free one and prints it"),
	OPT_FLAG('l', "live", struct conf, live,
		 "serve a recording in progress: a session (its directory, its recorder's pid, its "
		 "trace), or the only one"),
	OPT_FLAG(0, "any-address", struct conf, everywhere,
		 "listen on all addresses, not only on the loopback; needs --allow"),
	OPT_LIST(0, "allow", "ADDRESS[/BITS]", struct conf, allow,
		 "with --any-address: let this machine or network connect; may be repeated"),
	OPT_FLAG(
		'w', "wait", struct conf, wait,
		"with --live: wait for the recording to begin; exit when every viewer has all of the trace, "
		"or none connects within two seconds of its end"),
	OPT_FLAG('1', "once", struct conf, once, "exit when one viewer has received everything"),
	OPT_END,
};

static void cmd_serve_init(void *conf)
{
	((struct conf *)conf)->port = 8086;
}

/* A followed session. */
struct live {
	struct ring_follow follow;
	bool on;
};

/* Reads what was recorded since, once the viewer has received everything before. */
static int live_refresh(struct live *live, struct tracy_server *server, struct trace *trace,
			struct tacho_error *err)
{
	bool ended;
	int change;

	if (!tracy_server_is_ready(server))
		return 0;
	/* Check first: data written after the check is read below. */
	ended = !ring_follow_recorded(&live->follow);
	if (tracy_server_is_watched(server))
		ring_follow_touch(&live->follow);
	change = trace_refresh(trace, err);
	if (change < 0)
		return change;
	if (change == TRACE_RELOADED)
		return err_set(err, TACHO_EREAD, "%s has been replaced by another recording",
			       trace->path);
	ended |= !trace->damage.unfinished;
	live->on = !ended;
	return change || ended ? tracy_server_grown(server, ended, err) : 0;
}

/* Forks a process for a viewer. It exits with 0 if the viewer received everything. */
static int serve_viewer_start(struct tracy_server *server, int fd, struct trace *trace,
			      struct live *live, struct tacho_error *err)
{
	pid_t parent = getpid(), child;
	int r;

	fflush(NULL);
	child = fork();
	if (child) {
		close(fd);
		return child < 0 ? err_errno(err, TACHO_ECONNECT, "cannot start a process") : 0;
	}
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	record_catch_signals();
	if (getppid() != parent)
		_exit(1);
	/* The parent reports errors of the recording. */
	r = tracy_server_take(server, fd, err);
	while (r == 0 && !record_stops() && tracy_server_is_watched(server)) {
		r = tracy_server_round(server, live->on ? 20 : 200, err);
		if (r == 0 && live->on)
			r = live_refresh(live, server, trace, err);
	}
	_exit(r < 0 || !tracy_server_served(server));
}

struct viewers {
	unsigned count, served, refused;
};

static int viewer_wait(struct tracy_server *server, struct trace *trace, struct live *live,
		       struct viewers *v, struct tacho_error *err)
{
	int ms = live->on || v->count ? 20 : 200, fd;
	char refused[16];

	if (v->count >= VIEWERS) {
		usleep((useconds_t)ms * 1000);
		return 0;
	}
	fd = tracy_server_accept(server, ms, refused);
	if (refused[0] && v->refused++ < REFUSALS)
		err_note("refused a connection from %s: no --allow names it", refused);
	if (fd < 0)
		return 0;
	v->count++;
	return serve_viewer_start(server, fd, trace, live, err);
}

static int networks_parse(const struct conf *conf, struct tracy_network *networks,
			  struct tacho_error *err)
{
	int r = 0;

	if (conf->everywhere && !conf->allow.n)
		return err_set(err, TACHO_EUSAGE,
			       "--any-address needs --allow=ADDRESS[/BITS]: the Tracy protocol has "
			       "no password, so name the machines that may connect");
	if (!conf->everywhere && conf->allow.n)
		return err_set(err, TACHO_EUSAGE, "--allow needs --any-address");
	for (size_t i = 0; r == 0 && i < conf->allow.n; i++)
		r = tracy_network_parse(&networks[i], conf->allow.v[i], err);
	return r;
}

#define GRACE_NS 2000000000ull

/*
 * True when the recording is over and every viewer has left with all of it. A viewer that waited
 * for the program may be about to connect, so if there was none, wait a moment, with TRACY_NO_EXIT
 * forever.
 */
static bool serve_is_over(const struct live *live, const struct viewers *v, uint64_t *ended)
{
	const char *no_exit = environ_get("TRACY_NO_EXIT");
	uint64_t now;

	if (live->on || v->count)
		return false;
	if (v->served)
		return true;
	if (no_exit && !strcmp(no_exit, "1"))
		return false;
	now = now_ns();
	if (!*ended)
		*ended = now;
	return now - *ended >= GRACE_NS;
}

static void serve_set_parameter(void *context, uint32_t pid, uint32_t number, int32_t value)
{
	struct live *live = context;

	if (live->on && !ring_follow_set_parameter(&live->follow, pid, number, value))
		err_note("a parameter was not set: too many values are pending");
}

static int serve_serve(struct trace *trace, struct live *live, const struct conf *conf,
		       const struct tracy_network *networks, const struct cmd_common *common,
		       struct tacho_error *err)
{
	struct tracy_server_options options = {.port = (uint16_t)conf->port,
					       .everywhere = conf->everywhere,
					       .allowed = networks,
					       .allowed_count = conf->allow.n,
					       .set_parameter = serve_set_parameter,
					       .context = live};
	struct tracy_server *server;
	struct viewers viewers = {0};
	uint64_t ended = 0;
	int r = tracy_server_open(&server, trace, &options, err);

	if (r < 0)
		return r;
	if (live->on)
		tracy_server_set_live(server);
	if (!common->quiet)
		fprintf(stderr, "tacho: waiting for a Tracy viewer on port %u; Ctrl-C ends\n",
			tracy_server_port(server));
	for (uint32_t i = 0; i < trace->track_count && !common->quiet; i++)
		if (trace->tracks[i].kind == TRACE_OTHER &&
		    !strcmp(trace->tracks[i].name, TRACE_STACKS))
			err_note("samples and thread states are not served; tacho export "
				 "--to=tracy writes them");
	record_catch_signals();
	while (r == 0 && !record_stops() && !(conf->once && viewers.served) &&
	       !(conf->wait && serve_is_over(live, &viewers, &ended))) {
		int status;

		r = viewer_wait(server, trace, live, &viewers, err);
		if (r == 0 && live->on)
			r = live_refresh(live, server, trace, err);
		while (viewers.count && waitpid(-1, &status, WNOHANG) > 0) {
			viewers.count--;
			viewers.served += WIFEXITED(status) && WEXITSTATUS(status) == 0;
		}
	}
	tracy_server_close(server);
	return r;
}

/* With --wait, waits for a session or a signal. */
static int session_find(const struct conf *conf, const char *text,
			struct ring_session_info *session, bool quiet, struct tacho_error *err)
{
	int r = ring_session_find(text, session, err);

	if (!conf->wait || (r != TACHO_ECONNECT && r != TACHO_EREAD))
		return r;
	if (!quiet)
		fprintf(stderr, "tacho: waiting for a recording; Ctrl-C ends\n");
	record_catch_signals();
	while ((r == TACHO_ECONNECT || r == TACHO_EREAD) && !record_stops()) {
		usleep(20000);
		r = ring_session_find(text, session, err);
	}
	return r;
}

static int serve_open(const struct conf *cf, const struct cmd_common *common, struct trace **trace,
		      struct live *live, int argc, char **argv, struct tacho_error *err)
{
	if (cf->port < 0 || cf->port > 65535)
		return err_set(err, TACHO_EUSAGE, "--tracy-port: %lld is not a port",
			       (long long)cf->port);
	if (cf->live && argc > 1)
		return err_set(err, TACHO_EUSAGE, "serve --live takes one session");
	if (cf->live) {
		struct ring_session_info session;
		int r = session_find(cf, argc ? argv[0] : NULL, &session, common->quiet, err);

		if (r == 0)
			r = ring_follow_open(&live->follow, session.dir, err);
		if (r < 0)
			return r;
		live->on = true;
		return trace_follow_settled(trace, session.output, err);
	}
	if (argc != 1)
		return err_set(err, TACHO_EUSAGE, "serve takes one trace");
	return tracy_open_any(trace, argv[0], NULL, err);
}

static int cmd_serve_run(void *conf, const struct cmd_common *common, int argc, char **argv)
{
	struct conf *cf = conf;
	struct tracy_network *networks = calloc(cf->allow.n + 1, sizeof(*networks));
	struct live live = {.follow = {.lock = -1}};
	struct tacho_error err = {0};
	struct trace *trace = NULL;
	int r = networks ? networks_parse(cf, networks, &err)
			 : err_set(&err, TACHO_ENOMEM, "no memory");

	if (r == 0)
		r = serve_open(cf, common, &trace, &live, argc, argv, &err);
	if (r == 0)
		r = serve_serve(trace, &live, cf, networks, common, &err);
	if (trace)
		trace_close(trace);
	ring_follow_close(&live.follow);
	free(networks);
	opt_list_free(&cf->allow);
	return r < 0 ? err_report(&err, r) : 0;
}

const struct cmd cmd_serve = {
	.name = "serve",
	.summary = "serve a trace, saved or being recorded, to a Tracy viewer",
	.usage = "[options] FILE | --live [--wait] [SESSION]",
	.description =
		"Listens like a program that was built with Tracy: a Tracy viewer or capture tool, "
		"Tenstorrent's 0.10 or Tracy 0.11.1 and newer, connects to it and gets the whole "
		"trace. The viewer chooses the protocol (66, 69, 74, 76 or 82).\n\n"
		"With --live it gets what a recorder has written so far, then new data a tenth of a "
		"second later, and the end when the recorder ends. Open zones appear at once; their "
		"attachments when they end.\n\n"
		"Several viewers may be connected; a slow one delays no "
		"other.\n\n"
		"Listens on the loopback. From another machine, forward the port by ssh, or listen "
		"with --any-address and name the machines that may connect with --allow: the protocol has "
		"neither a password nor encryption. Queries for anything but the names "
		"of the trace are refused.",
	.examples =
		"  tacho serve run.tacho\n"
		"      then connect the viewer to 127.0.0.1\n"
		"  tacho serve --live --wait\n"
		"      for a viewer or capture that was started before the program\n"
		"  tacho serve --live\n"
		"      shows what 'tacho run' or 'tacho capture' is recording in another terminal\n"
		"  tacho serve --any-address --allow=192.168.1.20 run.tacho\n"
		"      lets the viewer on that machine connect, and no other\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.init = cmd_serve_init,
	.run = cmd_serve_run,
};
