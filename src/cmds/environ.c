#include "cmds/cmds.h"

#include <unistd.h>

void environ_check(bool quiet)
{
	static bool done;
	char name[80];

	if (done || quiet)
		return;
	done = true;
	for (char **e = environ; *e; e++) {
		const char *near = environ_unknown(*e, name, sizeof(name));

		if (near)
			err_warn("unknown environment variable %s; the nearest known one is %s",
				 name, near);
	}
}
