#include "cmds/view.h"
#include "cmds/port.h"
#include "cmds/record.h"

#include <string.h>
#include <unistd.h>

#define PORTS 20 /* that are tried when none was asked for */

/* Without --port the first free one from 8086 on. */
int view_start(struct web *web, int64_t wanted, bool quiet, struct tacho_error *err)
{
	int first = wanted < 0 ? WEB_PORT : (int)wanted;
	int last = wanted < 0 ? WEB_PORT + PORTS - 1 : first, r = TACHO_EEXISTS;
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

void view_announce(const struct web *web, const char *bind, FILE *out)
{
	const char *address = bind ? bind : "127.0.0.1";
	bool six = strchr(address, ':');
	unsigned port = web_port(web);
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
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
	while (record_stops() <= stops && !(idle && web_idle(web) > (double)idle))
		usleep(100000);
}
