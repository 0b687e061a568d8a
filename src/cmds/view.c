#include "cmds/view.h"
#include "cmds/port.h"
#include "cmds/record.h"

#include <string.h>
#include <unistd.h>

#define PORTS 20 /* that are tried when none was asked for */

int view_check_port(int64_t port, struct tacho_error *err)
{
	if (port != VIEW_ANY_PORT && (port < 0 || port > 65535))
		return err_set(err, TACHO_EUSAGE, "--port: %lld is not a port", (long long)port);
	return 0;
}

/* Without --port the first free one from 8086 on. */
int view_start(struct web *web, int64_t wanted, bool quiet, struct tacho_error *err)
{
	bool any = wanted == VIEW_ANY_PORT;
	int first = any ? WEB_PORT : (int)wanted, last = any ? WEB_PORT + PORTS - 1 : first;
	int r = TACHO_EEXISTS;
	char owner[120];

	for (int port = first; r == TACHO_EEXISTS && port <= last; port++) {
		r = web_start(web, (uint16_t)port, err);
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

bool view_is_everywhere(const char *address)
{
	return !strcmp(address, "0.0.0.0") || !strcmp(address, "::");
}

void view_announce(const struct web *web, const char *bind, FILE *out)
{
	const char *address = bind ? bind : "127.0.0.1";
	bool six = strchr(address, ':');
	unsigned port = web_port(web);
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	if (view_is_everywhere(address)) { /* all addresses are none to go to */
		address = host;
		six = false;
	}
	fprintf(out, "http://%s%s%s:%u/?token=%s\n", six ? "[" : "", address, six ? "]" : "", port,
		web_token(web));
	if (!bind)
		fprintf(out,
			"from elsewhere: ssh -L %u:127.0.0.1:%u %s, then open the same URL there\n",
			port, port, host);
	fflush(out);
}

void view_serve(struct web *web, int64_t idle, int stops)
{
	while (record_stops() <= stops && !record_orphaned() &&
	       !(idle && web_idle(web) > (double)idle))
		usleep(100000);
}
