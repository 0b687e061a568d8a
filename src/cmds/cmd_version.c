#include "cmds/cmds.h"

static int run(void *conf, const struct cmd_common *common, int argc, char **argv)
{
	(void)conf, (void)common, (void)argc, (void)argv;
	printf("tacho %s\n", TACHO_VERSION);
	return 0;
}

const struct cmd cmd_version = {
	.name = "version",
	.summary = "print the version",
	.usage = "",
	.description = "Prints the version of the program.",
	.run = run,
};
