/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Option tables. One table per verb drives parsing, --help, the man page and shell completion.
 *
 *	struct conf { bool force; const char *output; int64_t top; int sort; };
 *	static const char *const sorts[] = {"total", "count", NULL};
 *	static const struct opt opts[] = {
 *		OPT_FLAG('f', "force", struct conf, force, "overwrite an existing file"),
 *		OPT_STR('o', "output", "FILE", struct conf, output, "write to FILE"),
 *		OPT_INT('n', "top", "N", struct conf, top, "print the first N rows"),
 *		OPT_ENUM(0, "sort", struct conf, sort, sorts, "order of the rows"),
 *		OPT_END,
 *	};
 *
 * Words: "--name value", "--name=value", "-n value", "-nvalue", "-fx" (clustered flags),
 * "--no-name" for flags, "--" ends the options. "-h" and "--help" are known to every verb. A name
 * may be cut short as long as only one option begins so.
 */
#ifndef BASE_OPT_H
#define BASE_OPT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum opt_type {
	OPT_T_END,
	OPT_T_FLAG,   /* bool */
	OPT_T_STR,    /* const char *, points into argv */
	OPT_T_INT,    /* int64_t, decimal or 0x */
	OPT_T_DOUBLE, /* double */
	OPT_T_TIME,   /* int64_t nanoseconds: 3, 3ns, 1.5us, 2ms, 1s */
	OPT_T_ENUM,   /* int, index into choices */
	OPT_T_LIST,   /* struct opt_list, may be given several times */
};

struct opt_list {
	const char **v; /* points into argv; freed by opt_list_free() */
	size_t n;
};

struct opt {
	enum opt_type type;
	char letter;                /* 0: none */
	const char *name;           /* without the dashes; NULL: a letter only */
	const char *arg;            /* placeholder in help, NULL for flags */
	const char *help;           /* one sentence, no full stop */
	size_t offset;              /* of the field in the verb's struct */
	const char *const *choices; /* OPT_T_ENUM: NULL-terminated */
	bool hidden;                /* an old spelling: parsed, not shown */
	bool yields;                /* a beginning that other names have too means them */
	const char
		*bare; /* OPT_T_ENUM: the value of "--name" alone; the value then needs the '=' */
	const char *none; /* OPT_T_ENUM: the value of "--no-name" */
};

#define OPT_(t, l, n, a, s, f, c, h)                                              \
	{                                                                         \
		.type = (t), .letter = (l), .name = (n), .arg = (a), .help = (h), \
		.offset = offsetof(s, f), .choices = (c)                          \
	}
#define OPT_FLAG(l, n, s, f, h)      OPT_(OPT_T_FLAG, l, n, NULL, s, f, NULL, h)
#define OPT_STR(l, n, a, s, f, h)    OPT_(OPT_T_STR, l, n, a, s, f, NULL, h)
#define OPT_INT(l, n, a, s, f, h)    OPT_(OPT_T_INT, l, n, a, s, f, NULL, h)
#define OPT_DOUBLE(l, n, a, s, f, h) OPT_(OPT_T_DOUBLE, l, n, a, s, f, NULL, h)
#define OPT_TIME(l, n, a, s, f, h)   OPT_(OPT_T_TIME, l, n, a, s, f, NULL, h)
#define OPT_ENUM(l, n, s, f, c, h)   OPT_(OPT_T_ENUM, l, n, NULL, s, f, c, h)
#define OPT_LIST(l, n, a, s, f, h)   OPT_(OPT_T_LIST, l, n, a, s, f, NULL, h)
#define OPT_END                   \
	{                         \
		.type = OPT_T_END \
	}

struct opt_result {
	int first; /* index in argv of the first operand after the options */
	bool help; /* -h or --help was given: nothing else matters */
};

enum opt_mode {
	OPT_PERMUTE,    /* options and operands in any order; operands are moved to the end */
	OPT_STOP_FIRST, /* the first operand ends the options: "run CMD ARGS" */
};

/*
 * Parses argv[1..] into CONF by the tables (a verb's own and, if not NULL, COMMON whose offsets are
 * into COMMON_CONF). argv may be reordered (OPT_PERMUTE). Returns 0 or TACHO_EUSAGE.
 */
int opt_parse(const struct opt *table, void *conf, const struct opt *common, void *common_conf,
	      enum opt_mode mode, int argc, char **argv, struct opt_result *result,
	      struct tacho_error *err);

void opt_list_free(struct opt_list *list);

/* "--output=FILE" and the like, for help, man pages and completion. */
void opt_spelling(const struct opt *o, char *text, size_t size);

/*
 * LEN bytes of TEXT for help, wrapped at 96 columns; lines after the first begin at COLUMN, where
 * the first has been brought already.
 */
void opt_print_wrapped(FILE *out, const char *text, size_t len, int column);

/* The option list of --help, aligned and wrapped. */
void opt_print(const struct opt *table, FILE *out);

/* "1.5us" to nanoseconds. 0 or TACHO_EUSAGE. */
int opt_time(const char *text, int64_t *ns);

/* Of the NULL-terminated WORDS the one nearest to WORD, or NULL if none is near. */
const char *opt_nearest(const char *word, const char *const *words);

#endif
