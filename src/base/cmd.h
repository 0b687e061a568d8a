/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A verb of the program. Each src/cmds/cmd_NAME.c exports one "const struct cmd cmd_NAME"; the
 * table in src/cmds/cmds.c lists them. Help, man pages and completion are made from these fields.
 */
#ifndef BASE_CMD_H
#define BASE_CMD_H

#include "base/opt.h"

/* Options every verb knows; parsed before run() is called. */
struct cmd_common {
	int color;  /* 0 auto, 1 always, 2 never */
	bool quiet; /* no notes on stderr */
};

struct cmd {
	const char *name;
	const char *aliases[4];  /* names of installed links that run this verb; the last is NULL */
	const char *summary;     /* one line, lower case, no full stop */
	const char *usage;       /* operands, printed after "tacho NAME" */
	const char *description; /* paragraphs for the man page, separated by blank lines */
	const char *examples;    /* "command\n  what it does\n" pairs, or NULL */
	const struct opt *opts;
	size_t conf_size; /* of the struct that the offsets in opts are into; zeroed, then init() */
	void (*init)(void *conf); /* sets defaults; NULL when zero is right */
	enum opt_mode mode;
	int usage_code;         /* exit code for options that are wrong; 0: the usual 2 */
	const char *usage_note; /* said after that; NULL: nothing */
	/* Returns an exit code. argv[0..argc) are the operands. The verb frees lists in conf. */
	int (*run)(void *conf, const struct cmd_common *common, int argc, char **argv);
};

#endif
