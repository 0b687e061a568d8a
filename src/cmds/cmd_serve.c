#include "cmds/cmds.h"
#include "cmds/record.h"
#include "tracy/tracy.h"

struct conf {
	int64_t port;
	bool everywhere, once;
};

static const struct opt opts[] = {
	OPT_INT('p', "tracy-port", "PORT", struct conf, port,
		"listen on PORT (default 8086); 0 picks a free one and prints it"),
	OPT_FLAG(0, "any-address", struct conf, everywhere,
		 "listen on all addresses, not only on this machine's own"),
	OPT_FLAG('1', "once", struct conf, once, "end when one viewer has been told everything"),
	OPT_END,
};

static void init(void *conf)
{
	((struct conf *)conf)->port = 8086;
}

static int serve(struct trace *trace, const struct conf *conf, const struct cmd_common *common,
		 struct tacho_error *err)
{
	struct tracy_server *server;
	int r;

	if (conf->port < 0 || conf->port > 65535)
		return err_set(err, TACHO_EUSAGE, "--tracy-port: %lld is not a port",
			       (long long)conf->port);
	r = tracy_server_open(&server, trace, (uint16_t)conf->port, conf->everywhere, err);
	if (r < 0)
		return r;
	if (!common->quiet)
		fprintf(stderr, "tacho: waiting for a Tracy viewer on port %u; Ctrl-C ends\n",
			tracy_server_port(server));
	record_catch_signals();
	while (r == 0 && !record_stops() && !(conf->once && tracy_server_served(server)))
		r = tracy_server_round(server, 200, err);
	tracy_server_close(server);
	return r;
}

static int run(void *conf, const struct cmd_common *common, int argc, char **argv)
{
	struct tacho_error err = {0};
	struct trace *trace = NULL;
	int r;

	if (argc != 1)
		r = err_set(&err, TACHO_EUSAGE, "serve takes one trace");
	else
		r = tracy_open_any(&trace, argv[0], NULL, &err);
	if (r == 0)
		r = serve(trace, conf, common, &err);
	if (trace)
		trace_close(trace);
	return r < 0 ? err_report(&err, r) : 0;
}

const struct cmd cmd_serve = {
	.name = "serve",
	.summary = "let a Tracy viewer connect to a saved trace",
	.usage = "[options] FILE",
	.description =
		"Listens like a program that was built with Tracy (protocol 66, Tenstorrent's 0.10 "
		"line): a Tracy viewer or capture tool connects to it and gets the whole trace. "
		"Listens on the loopback unless told otherwise. Questions for anything but the names "
		"of the trace are refused.",
	.examples = "tacho serve run.tacho\n  then connect the viewer to 127.0.0.1\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.init = init,
	.run = run,
};
