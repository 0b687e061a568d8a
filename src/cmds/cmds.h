/* SPDX-License-Identifier: Apache-2.0 */
/* The program: the table of verbs and their common parts. */
#ifndef CMDS_CMDS_H
#define CMDS_CMDS_H

#include "base/cmd.h"
#include "base/environ.h"

/* All verbs, NULL-terminated, in the order in which help lists them. */
extern const struct cmd *const cmds_table[];

const struct cmd *cmds_find(const char *name);

/* Options that all verbs have. */
extern const struct opt cmds_common_opts[];

/*
 * Finds the verb by the program's name (an installed link) or by argv[1], parses and runs it.
 * COMMIT is the commit that the program was built from, for "tacho version"; "" if unknown.
 */
int cmds_main(int argc, char **argv, const char *commit);

/* The commit passed to cmds_main(). */
extern const char *cmds_commit;

/*
 * What the program is and how names and times are chosen, in paragraphs separated by blank lines;
 * "command\n  what it does\n" pairs.
 */
extern const char cmds_description[], cmds_choosing[], cmds_examples[];

/* Meanings of exit codes; ends with a NULL meaning. */
struct cmds_exit {
	const char *codes;
	const char *meaning;
};
extern const struct cmds_exit cmds_exits[];

/* True if writing to standard output has failed. */
bool cmds_stdout_failed(void);

/*
 * Warns once about each environment variable that resembles one of ours but is unknown, and
 * suggests the nearest. For verbs that read the environment.
 */
void environ_check(bool quiet);

/* The help of the whole program and of one verb. */
void cmds_print_overview(FILE *out);
void cmds_print_help(const struct cmd *cmd, FILE *out);

#endif
