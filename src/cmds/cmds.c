#include "cmds/cmds.h"

#include <stdlib.h>
#include <string.h>

extern const struct cmd cmd_run, cmd_capture, cmd_recover, cmd_version, cmd_help;

const struct cmd *const cmds_table[] = {
	&cmd_run,
	&cmd_capture,
	&cmd_recover,
	&cmd_version,
	&cmd_help,
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

const struct cmd *cmds_find(const char *name)
{
	for (int i = 0; cmds_table[i]; i++)
		if (!strcmp(cmds_table[i]->name, name))
			return cmds_table[i];
	return NULL;
}

static const struct cmd *find_alias(const char *program)
{
	const char *base = strrchr(program, '/');

	base = base ? base + 1 : program;
	for (int i = 0; cmds_table[i]; i++)
		if (cmds_table[i]->alias && !strcmp(cmds_table[i]->alias, base))
			return cmds_table[i];
	return NULL;
}

void cmds_print_overview(FILE *out)
{
	fprintf(out, "usage: tacho VERB [options] [--] [operands]\n\n");
	for (int i = 0; cmds_table[i]; i++)
		fprintf(out, "  %-13s %s\n", cmds_table[i]->name, cmds_table[i]->summary);
	fprintf(out, "\n'tacho VERB --help' tells more of a verb.\n");
}

void cmds_print_help(const struct cmd *cmd, FILE *out)
{
	fprintf(out, "usage: tacho %s %s\n\n%s\n", cmd->name, cmd->usage, cmd->description);
	if (cmd->opts && cmd->opts->type != OPT_T_END) {
		fprintf(out, "\noptions:\n");
		opt_print(cmd->opts, out);
	}
	fprintf(out, "\ncommon options:\n");
	opt_print(cmds_common_opts, out);
	if (cmd->examples)
		fprintf(out, "\nexamples:\n%s", cmd->examples);
}

static int unknown_verb(const char *word)
{
	const char *names[64], *near;
	int n = 0;
	struct tacho_error err;

	for (; cmds_table[n] && n < 63; n++)
		names[n] = cmds_table[n]->name;
	names[n] = NULL;
	near = opt_nearest(word, names);
	if (near)
		err_set(&err, TACHO_EUSAGE, "unknown verb '%s'; did you mean '%s'?", word, near);
	else
		err_set(&err, TACHO_EUSAGE, "unknown verb '%s'; 'tacho help' lists them", word);
	return err_report(&err, TACHO_EUSAGE);
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
	} else if (result.help) {
		cmds_print_help(cmd, stdout);
		r = 0;
	} else {
		r = cmd->run(conf, &common, argc - result.first, argv + result.first);
	}
	free(conf);
	if (fflush(stdout) && r == 0)
		r = 5;
	return r;
}

int cmds_main(int argc, char **argv)
{
	const struct cmd *cmd = find_alias(argc ? argv[0] : "tacho");

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
