#include "cmds/cmds.h"
#include "cmds/port.h"
#include "cmds/record.h"
#include "web/web.h"

#include <string.h>
#include <unistd.h>

#define PORTS 20 /* that are tried when none was asked for */

struct conf {
	int64_t port, idle;
	const char *bind, *assets;
	struct opt_list sources;
	bool open;
};

static const struct opt opts[] = {
	OPT_INT('p', "port", "PORT", struct conf, port,
		"serve on PORT; 0 is any free one (default 8086, or the next that is free)"),
	OPT_FLAG('o', "open", struct conf, open, "open the page in the default browser"),
	OPT_STR(0, "bind", "ADDRESS", struct conf, bind,
		"listen on ADDRESS (default 127.0.0.1: this machine alone)"),
	OPT_LIST(0, "source", "DIR", struct conf, sources,
		 "show source files below DIR; may be repeated"),
	OPT_INT(0, "idle-exit", "SECONDS", struct conf, idle,
		"end when no page has asked for anything so long"),
	OPT_STR(0, "assets", "DIR", struct conf, assets,
		"serve the page from DIR: for its developers"),
	OPT_END,
};

static void init(void *conf)
{
	((struct conf *)conf)->port = -1;
}

static int check(const struct conf *conf, int argc, struct tacho_error *err)
{
	if (argc == 0)
		return err_set(err, TACHO_EUSAGE, "view needs a trace: tacho view app.tacho");
	if (conf->port < -1 || conf->port > 65535)
		return err_set(err, TACHO_EUSAGE, "--port: %lld is not a port",
			       (long long)conf->port);
	if (conf->idle < 0)
		return err_set(err, TACHO_EUSAGE, "--idle-exit: not a number of seconds");
	return 0;
}

/* Without --port the first free one from 8086 on. */
static int start(struct web *web, const struct conf *conf, bool quiet, struct tacho_error *err)
{
	int first = conf->port < 0 ? WEB_PORT : (int)conf->port;
	int last = conf->port < 0 ? WEB_PORT + PORTS - 1 : first, r = TACHO_EEXISTS;
	char owner[120];

	for (int port = first; r == TACHO_EEXISTS && port <= last; port++) {
		r = web_start(web, (uint16_t)port, err);
		if (r != TACHO_EEXISTS)
			break;
		port_owner(port, owner, sizeof(owner));
		if (port == last)
			return err_set(err, TACHO_ECONNECT, "port %d is taken by %s", port, owner);
		if (port == first && !quiet)
			fprintf(stderr, "tacho: port %d is taken by %s; looking for the next\n",
				port, owner);
	}
	return r;
}

static void announce(const struct web *web, const struct conf *conf)
{
	const char *address = conf->bind ? conf->bind : "127.0.0.1";
	bool six = strchr(address, ':');
	unsigned port = web_port(web);
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	printf("http://%s%s%s:%u/?token=%s\n", six ? "[" : "", address, six ? "]" : "", port,
	       web_token(web));
	if (!conf->bind)
		printf("from elsewhere: ssh -L %u:127.0.0.1:%u %s, then open the same URL there\n",
		       port, port, host);
	fflush(stdout);
}

static void browser_open(const struct web *web)
{
	char url[128];
	pid_t pid;

	snprintf(url, sizeof(url), "http://127.0.0.1:%u/?token=%s", web_port(web), web_token(web));
	pid = fork();
	if (pid == 0) {
		record_restore();
		if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
			_exit(126);
		execlp("xdg-open", "xdg-open", url, (char *)NULL);
		_exit(127);
	}
}

static void serve(struct web *web, const struct conf *conf, bool quiet)
{
	if (!quiet)
		fprintf(stderr, "tacho: serving %zu trace%s; Ctrl-C ends\n", web_traces(web),
			web_traces(web) == 1 ? "" : "s");
	while (!record_stops() && !(conf->idle && web_idle(web) > (double)conf->idle))
		usleep(100000);
}

static int view(const struct conf *conf, const struct cmd_common *common, int argc, char **argv,
		struct tacho_error *err)
{
	struct web_options options = {.bind = conf->bind,
				      .assets = conf->assets,
				      .sources = conf->sources.v,
				      .source_count = conf->sources.n};
	struct web *web = NULL;
	int r = check(conf, argc, err);

	if (r == 0)
		r = web_open(&web, &options, err);
	record_catch_signals();
	for (int i = 0; r == 0 && i < argc && !record_stops(); i++)
		r = web_add(web, argv[i], err);
	if (r == 0)
		r = start(web, conf, common->quiet, err);
	if (r == 0) {
		announce(web, conf);
		if (conf->open)
			browser_open(web);
		serve(web, conf, common->quiet);
	}
	web_close(web);
	return r;
}

static int run(void *conf, const struct cmd_common *common, int argc, char **argv)
{
	struct conf *cf = conf;
	struct tacho_error err = {0};
	int r = view(cf, common, argc, argv, &err);

	opt_list_free(&cf->sources);
	return r < 0 ? err_report(&err, r) : 0;
}

const struct cmd cmd_view = {
	.name = "view",
	.summary = "show traces in a browser",
	.usage = "[options] FILE|DIR...",
	.description =
		"Serves a page with the timeline, statistics, messages, plots and ops of traces on one "
		"port of this machine and prints its URL. Takes .tacho and .tracy files and folders "
		"of them. Traces of any size open at once: the page gets only what it shows. The first "
		"time a large trace is opened an index is made, which is kept in the cache folder.\n\n"
		"The URL has a token in it, which no other page and no other user knows. To look from "
		"another machine forward the port by ssh, as the printed line says. Ctrl-C ends.",
	.examples = "tacho view app.tacho\n  then open the URL that is printed\n"
		    "tacho view --idle-exit=600 traces/\n  all traces of a folder, for ten minutes "
		    "after the last look\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.init = init,
	.run = run,
};
