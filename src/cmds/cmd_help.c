/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "help". */
#include "cmds/cmds.h"

static int cmd_help_run(void *conf, const struct cmd_common *common, int argc, char **argv)
{
	const struct cmd *cmd;
	struct tacho_error err;

	(void)conf, (void)common;
	if (argc == 0) {
		cmds_print_overview(stdout);
		return 0;
	}
	cmd = cmds_find(argv[0]);
	if (!cmd) {
		err_set(&err, TACHO_EUSAGE, "unknown verb '%s'; 'tacho help' lists them", argv[0]);
		return err_report(&err, TACHO_EUSAGE);
	}
	cmds_print_help(cmd, stdout);
	return 0;
}

const struct cmd cmd_help = {
	.name = "help",
	.summary = "print help on the program or on one verb",
	.usage = "[VERB]",
	.description = "Prints the list of verbs, or what one verb does and its options.",
	.run = cmd_help_run,
};
