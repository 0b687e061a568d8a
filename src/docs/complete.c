/* SPDX-License-Identifier: Apache-2.0 */
/* Write the completions for bash, zsh and fish. */
#include "docs/docs.h"

#include <string.h>

/* TEXT inside single quotes of SHELL; zsh's _arguments also takes [ ] and : as its own. */
static void put_quoted(FILE *out, const char *text, bool zsh)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs(zsh ? "'\\''" : "\\'", out);
		else if (zsh && strchr("[]:\\", *text))
			fprintf(out, "\\%c", *text);
		else if (!zsh && *text == '\\')
			fputs("\\\\", out);
		else
			fputc(*text, out);
	}
}

static void put_aliases(FILE *out)
{
	for (int i = 0; cmds_table[i]; i++)
		for (const char *const *a = cmds_table[i]->aliases; *a; a++)
			fprintf(out, " %s", *a);
}

static void complete_verbs_put(FILE *out)
{
	for (int i = 0; cmds_table[i]; i++)
		fprintf(out, "%s%s", i ? " " : "", cmds_table[i]->name);
}

static void each_opt(FILE *out, const struct cmd *cmd,
		     void (*put)(FILE *, const struct cmd *, const struct opt *))
{
	static const struct opt help[] = {
		{.type = OPT_T_FLAG,
		 .letter = 'h',
		 .name = "help",
		 .help = "print the help of the verb"},
		OPT_END,
	};
	const struct opt *const tables[] = {cmd->opts, cmds_common_opts, help};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct opt *o = tables[i]; o && o->type != OPT_T_END; o++)
			if (!o->hidden)
				put(out, cmd, o);
}

static void put_choices(FILE *out, const struct opt *o)
{
	for (int i = 0; o->choices[i]; i++)
		fprintf(out, "%s%s", i ? " " : "", o->choices[i]);
}

/* -------------------------------------------------------------------- bash */

static void bash_word(FILE *out, const struct cmd *cmd, const struct opt *o)
{
	(void)cmd;
	if (o->name)
		fprintf(out, " --%s%s", o->name, o->type == OPT_T_FLAG ? "" : "=");
	else
		fprintf(out, " -%c", o->letter);
}

/* The values of an option with choices; files for the others. */
static void bash_values(FILE *out, const struct cmd *cmd, const struct opt *o)
{
	if (o->type != OPT_T_ENUM || !o->name)
		return;
	fprintf(out, "\t%s:--%s", cmd->name, o->name);
	if (o->letter)
		fprintf(out, "|%s:-%c", cmd->name, o->letter);
	fputs(") values=\"", out);
	put_choices(out, o);
	fputs("\" ;;\n", out);
}

void complete_bash(FILE *out)
{
	fputs("# Completion of tacho for bash; made from the option tables.\n"
	      "_tacho()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} "
	      "verb=${COMP_WORDS[1]}\n"
	      "\tlocal verbs options='' values=''\n"
	      "\tif [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then "
	      "prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
	      "\tcase ${COMP_WORDS[0]##*/} in\n",
	      out);
	for (int i = 0; cmds_table[i]; i++)
		for (const char *const *a = cmds_table[i]->aliases; *a; a++)
			fprintf(out, "\t%s) verb=%s ;;\n", *a, cmds_table[i]->name);
	fputs("\t*)\n\t\tif ((COMP_CWORD == 1)); then\n\t\t\tverbs='", out);
	complete_verbs_put(out);
	fputs("'\n\t\t\tmapfile -t COMPREPLY < <(compgen -W \"$verbs\" -- \"$cur\")\n\t\t\treturn\n\t\tfi ;;\n\tesac\n"
	      "\tcase $verb:$prev in\n",
	      out);
	for (int i = 0; cmds_table[i]; i++)
		each_opt(out, cmds_table[i], bash_values);
	fputs("\thelp:*) values=\"", out);
	complete_verbs_put(out);
	fputs("\" ;;\n\tesac\n\tif [[ $values ]]; then\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$cur\")\n\t\treturn\n\tfi\n"
	      "\t[[ $cur == -* ]] || return\n\tcase $verb in\n",
	      out);
	for (int i = 0; cmds_table[i]; i++) {
		fprintf(out, "\t%s) options='", cmds_table[i]->name);
		each_opt(out, cmds_table[i], bash_word);
		fputs("' ;;\n", out);
	}
	fputs("\tesac\n\tmapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")\n"
	      "\t[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n}\n"
	      "complete -o default -o bashdefault -F _tacho tacho",
	      out);
	put_aliases(out);
	fputc('\n', out);
}

/* --------------------------------------------------------------------- zsh */

static void zsh_option(FILE *out, const struct cmd *cmd, const struct opt *o)
{
	char word[80];

	(void)cmd;
	for (int form = 0; form < 2; form++) {
		if (form ? !o->name : !o->letter)
			continue;
		if (form)
			snprintf(word, sizeof(word), "--%s%s", o->name,
				 o->type == OPT_T_FLAG ? "" : "=");
		else
			snprintf(word, sizeof(word), "-%c%s", o->letter,
				 o->type == OPT_T_FLAG ? "" : "+");
		fprintf(out, " \\\n\t\t\t'%s%s[", o->type == OPT_T_LIST ? "*" : "", word);
		put_quoted(out, o->help, true);
		fputc(']', out);
		if (o->type == OPT_T_ENUM) {
			fputs(":value:(", out);
			put_choices(out, o);
			fputc(')', out);
		} else if (o->type != OPT_T_FLAG) {
			fputc(':', out);
			put_quoted(out, o->arg, true);
			fputs(o->type == OPT_T_STR ? ":_files" : ":", out);
		}
		fputc('\'', out);
	}
}

void complete_zsh(FILE *out)
{
	fputs("#compdef tacho", out);
	put_aliases(out);
	fputs("\n# Completion of tacho for zsh; made from the option tables.\n"
	      "local verb\nlocal -a verbs\nverbs=(\n",
	      out);
	for (int i = 0; cmds_table[i]; i++) {
		fprintf(out, "\t'%s:", cmds_table[i]->name);
		put_quoted(out, cmds_table[i]->summary, true);
		fputs("'\n", out);
	}
	fputs(")\ncase $service in\n", out);
	for (int i = 0; cmds_table[i]; i++)
		for (const char *const *a = cmds_table[i]->aliases; *a; a++)
			fprintf(out, "%s) verb=%s ;;\n", *a, cmds_table[i]->name);
	fputs("*)\n\tif ((CURRENT == 2)); then\n\t\t_describe verb verbs\n\t\treturn\n\tfi\n"
	      "\tverb=$words[2]\n\tshift words\n\t((CURRENT--)) ;;\nesac\ncase $verb in\n",
	      out);
	for (int i = 0; cmds_table[i]; i++) {
		fprintf(out, "\t%s)\n\t\t_arguments -s", cmds_table[i]->name);
		each_opt(out, cmds_table[i], zsh_option);
		if (strcmp(cmds_table[i]->name, "help")) {
			fputs(" \\\n\t\t\t'*:operand:_files' ;;\n", out);
		} else {
			fputs(" \\\n\t\t\t'1:verb:(", out);
			complete_verbs_put(out);
			fputs(")' ;;\n", out);
		}
	}
	fputs("esac\n", out);
}

/* -------------------------------------------------------------------- fish */

static void fish_words(FILE *out, const struct opt *o)
{
	if (o->letter)
		fprintf(out, " -s %c", o->letter);
	if (o->name)
		fprintf(out, " -l %s", o->name);
	if (o->type == OPT_T_ENUM) {
		fputs(" -x -a '", out);
		put_choices(out, o);
		fputc('\'', out);
	} else if (o->type != OPT_T_FLAG) {
		fputs(" -r", out);
	}
	fputs(" -d '", out);
	put_quoted(out, o->help, false);
	fputs("'\n", out);
}

static void fish_option(FILE *out, const struct cmd *cmd, const struct opt *o)
{
	fprintf(out, "complete -c tacho -n '__fish_seen_subcommand_from %s'", cmd->name);
	fish_words(out, o);
	for (const char *const *a = cmd->aliases; *a; a++) {
		fprintf(out, "complete -c %s", *a);
		fish_words(out, o);
	}
}

void complete_fish(FILE *out)
{
	fputs("# Completion of tacho for fish; made from the option tables.\n", out);
	for (int i = 0; cmds_table[i]; i++) {
		fprintf(out, "complete -c tacho -f -n __fish_use_subcommand -a %s -d '",
			cmds_table[i]->name);
		put_quoted(out, cmds_table[i]->summary, false);
		fputs("'\n", out);
	}
	fputs("complete -c tacho -f -n '__fish_seen_subcommand_from help' -a '", out);
	complete_verbs_put(out);
	fputs("'\n", out);
	for (int i = 0; cmds_table[i]; i++)
		each_opt(out, cmds_table[i], fish_option);
}
