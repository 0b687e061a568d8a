/* The program: the table of verbs and what is common to them. */
#ifndef CMDS_CMDS_H
#define CMDS_CMDS_H

#include "base/cmd.h"

/* All verbs, NULL-terminated, in the order in which help lists them. */
extern const struct cmd *const cmds_table[];

const struct cmd *cmds_find(const char *name);

/* Options that each verb knows besides its own. */
extern const struct opt cmds_common_opts[];

/* Finds the verb by the name of the program (an installed link) or by argv[1], parses and runs it. */
int cmds_main(int argc, char **argv);

/* The help of the whole program and of one verb. */
void cmds_print_overview(FILE *out);
void cmds_print_help(const struct cmd *cmd, FILE *out);

#endif
