#include "cmds/cmds.h"
#include "cmds/record.h"
#include "ring/ring.h"
#include "tracy/tracy.h"

struct conf {
	int64_t port;
	bool everywhere, once, live;
};

static const struct opt opts[] = {
	OPT_INT('p', "tracy-port", "PORT", struct conf, port,
		"listen on PORT (default 8086); 0 picks a free one and prints it"),
	OPT_FLAG(
		'l', "live", struct conf, live,
		"serve what is being recorded now: a session (its directory, its recorder's pid, its "
		"trace), or the only one"),
	OPT_FLAG(0, "any-address", struct conf, everywhere,
		 "listen on all addresses, not only on this machine's own"),
	OPT_FLAG('1', "once", struct conf, once, "end when one viewer has been told everything"),
	OPT_END,
};

static void init(void *conf)
{
	((struct conf *)conf)->port = 8086;
}

/* Follows a session; LIVE is over when its recorder has ended. */
struct live {
	struct ring_follow follow;
	bool on;
};

/* What was recorded since, when the viewer has been told all before. */
static int look(struct live *live, struct tracy_server *server, struct trace *trace,
		struct tacho_error *err)
{
	bool ended;
	int change;

	if (!tracy_server_is_ready(server))
		return 0;
	/* Asked first: what the recorder writes after the answer is read below. */
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

static int serve(struct trace *trace, struct live *live, const struct conf *conf,
		 const struct cmd_common *common, struct tacho_error *err)
{
	struct tracy_server *server;
	int r;

	if (conf->port < 0 || conf->port > 65535)
		return err_set(err, TACHO_EUSAGE, "--tracy-port: %lld is not a port",
			       (long long)conf->port);
	r = tracy_server_open(&server, trace, (uint16_t)conf->port, conf->everywhere, err);
	if (r < 0)
		return r;
	if (live->on)
		tracy_server_set_live(server);
	if (!common->quiet)
		fprintf(stderr, "tacho: waiting for a Tracy viewer on port %u; Ctrl-C ends\n",
			tracy_server_port(server));
	record_catch_signals();
	while (r == 0 && !record_stops() && !(conf->once && tracy_server_served(server))) {
		r = tracy_server_round(server, live->on ? 20 : 200, err);
		if (r == 0 && live->on)
			r = look(live, server, trace, err);
	}
	tracy_server_close(server);
	return r;
}

static int open_live(struct trace **trace, struct live *live, const char *text,
		     struct tacho_error *err)
{
	struct ring_session_info session;
	int r = ring_session_find(text, &session, err);

	if (r == 0)
		r = ring_follow_open(&live->follow, session.dir, err);
	if (r < 0)
		return r;
	live->on = true;
	return trace_follow_settled(trace, session.output, err);
}

static int run(void *conf, const struct cmd_common *common, int argc, char **argv)
{
	const struct conf *cf = conf;
	struct live live = {.follow = {.lock = -1}};
	struct tacho_error err = {0};
	struct trace *trace = NULL;
	int r;

	if (cf->live && argc > 1)
		r = err_set(&err, TACHO_EUSAGE, "serve --live takes one session");
	else if (cf->live)
		r = open_live(&trace, &live, argc ? argv[0] : NULL, &err);
	else if (argc != 1)
		r = err_set(&err, TACHO_EUSAGE, "serve takes one trace");
	else
		r = tracy_open_any(&trace, argv[0], NULL, &err);
	if (r == 0)
		r = serve(trace, &live, cf, common, &err);
	if (trace)
		trace_close(trace);
	ring_follow_close(&live.follow);
	return r < 0 ? err_report(&err, r) : 0;
}

const struct cmd cmd_serve = {
	.name = "serve",
	.summary = "let a Tracy viewer connect to a trace, saved or being recorded",
	.usage = "[options] FILE | --live [SESSION]",
	.description =
		"Listens like a program that was built with Tracy (protocol 66, Tenstorrent's 0.10 "
		"line): a Tracy viewer or capture tool connects to it and gets the whole trace.\n\n"
		"With --live it gets what a recorder has written so far, then what comes, a tenth of a "
		"second later, and the end when the recorder ends. Zones that are open are seen at once; what "
		"is attached to them when they end.\n\n"
		"Listens on the loopback unless told otherwise. Questions for anything but the names "
		"of the trace are refused.",
	.examples =
		"  tacho serve run.tacho\n"
		"      then connect the viewer to 127.0.0.1\n"
		"  tacho serve --live\n"
		"      shows what 'tacho run' or 'tacho capture' is recording in another terminal\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.init = init,
	.run = run,
};
