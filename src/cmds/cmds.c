/* SPDX-License-Identifier: Apache-2.0 */
/* The table of verbs, their help, and the entry point of the program. */
#include "cmds/cmds.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Each is a const struct cmd cmd_NAME; in the order of help. */
#define VERBS(X)         \
	X(run)           \
	X(capture)       \
	X(recover)       \
	X(view)          \
	X(info)          \
	X(stats)         \
	X(stacks)        \
	X(zones)         \
	X(messages)      \
	X(plots)         \
	X(frames)        \
	X(memory)        \
	X(locks)         \
	X(cores)         \
	X(query)         \
	X(merge)         \
	X(stragglers)    \
	X(db)            \
	X(export)        \
	X(import)        \
	X(tracy)         \
	X(tracy_capture) \
	X(serve)         \
	X(csvexport)     \
	X(csv_release)   \
	X(check)         \
	X(ops)           \
	X(tt_profile)    \
	X(diff)          \
	X(perf_report)   \
	X(device)        \
	X(python)        \
	X(version)       \
	X(help)

#define X(name) extern const struct cmd cmd_##name;
VERBS(X)
#undef X

const char *cmds_commit = "";

const struct cmd *const cmds_table[] = {
#define X(name) &cmd_##name,
	VERBS(X)
#undef X
		NULL,
};

static const char *const color_choices[] = {"auto", "always", "never", NULL};

const struct opt cmds_common_opts[] = {
	{.type = OPT_T_ENUM,
	 .name = "color",
	 .help = "when to colour the output; --color is always, --no-color is never",
	 .offset = offsetof(struct cmd_common, color),
	 .choices = color_choices,
	 .bare = "always",
	 .none = "never"},
	OPT_FLAG('q', "quiet", struct cmd_common, quiet, "print no notes on stderr"),
	OPT_END,
};

const char cmds_description[] =
	"Tacho records what a program, its threads, its children and the cores of its "
	"accelerator do, puts it all on one clock and keeps it in one file, the trace. The "
	"other verbs read traces: they sum up, list, check and export.\n\n"
	"Times are counted from the start of the trace. Text has human units; --format=csv and "
	"--format=json have plain nanoseconds and bytes. A damaged trace, or one that is still "
	"being written (.tacho.part), is read as far as it goes.";

const char cmds_choosing[] =
	"A PATTERN chooses by name. Text is found anywhere in the name; =text is the whole name; a "
	"pattern with * or ? in it is a glob for the whole name; /text/ is an extended regular "
	"expression.\n\n"
	"A range of times is T0..T1; either may be left out. A comma, a colon or a dash may replace "
	"the dots, and T0+LENGTH names a length instead of an end. The units are ns, us, "
	"ms, s and m; without one it is ns, but 1..2s means seconds on both sides. 25% is a "
	"part of the whole trace, and a negative time counts back from its end. What starts at T0 is "
	"in the range, what starts at T1 is not.";

const char cmds_examples[] = "tacho run -- ./app --its options\n  record a program in app.tacho\n"
			     "tacho info app.tacho\n  what is in the trace\n"
			     "tacho stats --top=20 app.tacho\n  where the time went\n"
			     "tacho zones --longest=20 app.tacho\n  the longest zones\n"
			     "tacho export --to=chrome app.tacho\n  a file for Perfetto\n";

const struct cmds_exit cmds_exits[] = {
	{"0", "all is well"},
	{"1", "the answer is no, or a difference was found"},
	{"2", "the command line is wrong"},
	{"3", "the input cannot be read"},
	{"4", "the input is damaged; what could be read was printed or written"},
	{"5", "the output cannot be written, or exists and -f was not given"},
	{"6", "data was lost, and --strict was given"},
	{"7", "cannot connect, or the port is in use"},
	{"70", "out of memory, or a defect of the program"},
	{"126, 127", "the command of 'tacho run' cannot be run, or was not found"},
	{"128+N",
	 "the command of 'tacho run' was ended by signal N; otherwise 'tacho run' exits as its "
	 "command does"},
	{NULL, NULL},
};

const struct cmd *cmds_find(const char *name)
{
	for (int i = 0; cmds_table[i]; i++)
		if (!strcmp(cmds_table[i]->name, name))
			return cmds_table[i];
	return NULL;
}

/* The link that the program was called by; NULL: its own name. */
static const char *link_name;

static const struct cmd *find_alias(const char *program)
{
	const char *base = strrchr(program, '/');

	base = base ? base + 1 : program;
	for (int i = 0; cmds_table[i]; i++) {
		for (const char *const *a = cmds_table[i]->aliases; *a; a++) {
			if (!strcmp(*a, base)) {
				link_name = *a;
				return cmds_table[i];
			}
		}
	}
	return NULL;
}

/* "command\n  what it does\n" pairs, indented. */
static void print_examples(const char *examples, FILE *out)
{
	fputs("\nexamples:\n", out);
	while (*examples) {
		size_t len = strcspn(examples, "\n");

		fprintf(out, "  %.*s\n", (int)len, examples);
		examples += len + (examples[len] == '\n');
	}
}

void cmds_print_overview(FILE *out)
{
	fprintf(out, "usage: tacho VERB [options] [--] [operands]\n\n");
	for (int i = 0; cmds_table[i]; i++)
		fprintf(out, "  %-17s %s\n", cmds_table[i]->name, cmds_table[i]->summary);
	print_examples(cmds_examples, out);
	fprintf(out, "\n'tacho VERB --help' describes a verb, 'man tacho' exit codes and the "
		     "environment.\n");
}

void cmds_print_help(const struct cmd *cmd, FILE *out)
{
	const char *paragraph = cmd->description, *end;

	if (link_name)
		fprintf(out, "usage: %s %s\n", link_name, cmd->usage);
	else
		fprintf(out, "usage: tacho %s %s\n", cmd->name, cmd->usage);
	while (paragraph) {
		end = strstr(paragraph, "\n\n");
		fputc('\n', out);
		opt_print_wrapped(out, paragraph,
				  end ? (size_t)(end - paragraph) : strlen(paragraph), 0);
		paragraph = end ? end + 2 : NULL;
	}
	if (cmd->opts && cmd->opts->type != OPT_T_END) {
		fprintf(out, "\noptions:\n");
		opt_print(cmd->opts, out);
	}
	fprintf(out, "\ncommon options:\n");
	opt_print(cmds_common_opts, out);
	if (cmd->examples)
		print_examples(cmd->examples, out);
}

static int unknown_verb(const char *word)
{
	const char *names[64], *near;
	int n = 0;
	struct tacho_error err;

	for (; n < 63 && cmds_table[n]; n++)
		names[n] = cmds_table[n]->name;
	names[n] = NULL;
	near = opt_nearest(word, names);
	if (near)
		err_set(&err, TACHO_EUSAGE, "unknown verb '%s'; did you mean '%s'?", word, near);
	else
		err_set(&err, TACHO_EUSAGE, "unknown verb '%s'; 'tacho help' lists them", word);
	return err_report(&err, TACHO_EUSAGE);
}

bool cmds_stdout_failed(void)
{
	return fflush(stdout) || ferror(stdout);
}

/* A closed pipe ("| head") is not an error. */
static int end_stdout(int r)
{
	struct pollfd out = {.fd = STDOUT_FILENO};
	struct tacho_error err;

	if (!cmds_stdout_failed())
		return r;
	if (poll(&out, 1, 0) == 1 && out.revents & POLLERR)
		return r;
	err_errno(&err, TACHO_EWRITE, "cannot write standard output");
	return err_report(&err, TACHO_EWRITE);
}

static int run_verb(const struct cmd *cmd, int argc, char **argv)
{
	struct cmd_common common = {0};
	struct opt_result result;
	struct tacho_error err;
	void *conf = calloc(1, cmd->conf_size ? cmd->conf_size : 1);
	int r;

	if (!conf)
		return err_report(NULL, TACHO_ENOMEM);
	if (cmd->init)
		cmd->init(conf);
	r = opt_parse(cmd->opts, conf, cmds_common_opts, &common, cmd->mode, argc, argv, &result,
		      &err);
	if (r < 0) {
		r = err_report(&err, r);
		r = cmd->usage_code ? cmd->usage_code : r;
		if (cmd->usage_note)
			err_note("%s", cmd->usage_note);
	} else if (result.help) {
		cmds_print_help(cmd, stdout);
		r = 0;
	} else {
		r = cmd->run(conf, &common, argc - result.first, argv + result.first);
	}
	free(conf);
	return end_stdout(r);
}

int cmds_main(int argc, char **argv, const char *commit)
{
	const struct cmd *cmd = find_alias(argc ? argv[0] : "tacho");

	cmds_commit = commit;
	if (cmd)
		return run_verb(cmd, argc, argv);
	if (argc < 2) {
		cmds_print_overview(stderr);
		return 2;
	}
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")) {
		cmds_print_overview(stdout);
		return 0;
	}
	cmd = !strcmp(argv[1], "--version") ? &cmd_version : cmds_find(argv[1]);
	return cmd ? run_verb(cmd, argc - 1, argv + 1) : unknown_verb(argv[1]);
}
