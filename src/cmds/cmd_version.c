/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "version": print the release, and the commit if it is known. */
#include "cmds/cmds.h"

static int cmd_version_run(void *conf, const struct cmd_common *common, int argc, char **argv)
{
	(void)conf, (void)common, (void)argc, (void)argv;
	if (*cmds_commit)
		printf("tacho %s (%s)\n", TACHO_VERSION, cmds_commit);
	else
		printf("tacho %s\n", TACHO_VERSION);
	return 0;
}

const struct cmd cmd_version = {
	.name = "version",
	.summary = "print the version",
	.usage = "",
	.description =
		"Prints the version of the program and, in parentheses, the git commit that it was "
		"built from, with \"-dirty\" when the sources had other changes. The commit is left "
		"out when the sources had no git history.",
	.run = cmd_version_run,
};
