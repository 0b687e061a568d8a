/* SPDX-License-Identifier: Apache-2.0 */
/* Warn about unknown environment variables with a prefix of ours. */
#include "cmds/cmds.h"

#include <unistd.h>

void environ_check(bool quiet)
{
	static bool done;
	char text[256];

	if (done || quiet)
		return;
	done = true;
	for (char **e = environ; *e; e++) {
		if (environ_complaint(*e, text, sizeof(text)))
			err_warn("%s", text);
	}
}
