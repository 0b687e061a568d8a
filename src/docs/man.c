/* SPDX-License-Identifier: Apache-2.0 */
/* Write the man pages. */
#include "docs/docs.h"

#include <ctype.h>
#include <string.h>

/* Text of a paragraph: dashes of options are minus signs, and no line begins a request. */
static void man_text_put(FILE *out, const char *text, size_t len)
{
	bool line_start = true;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (line_start && (c == '.' || c == '\''))
			fputs("\\&", out);
		if (c == '\\')
			fputs("\\e", out);
		else if (c == '-')
			fputs("\\-", out);
		else if (c == '\'')
			fputs("\\(aq", out);
		else if (c == '~')
			fputs("\\(ti", out);
		else if (c == '^')
			fputs("\\(ha", out);
		else
			fputc(c, out);
		line_start = c == '\n';
	}
}

static void man_put(FILE *out, const char *text)
{
	man_text_put(out, text, strlen(text));
}

/* Paragraphs are separated by blank lines. */
static void put_paragraphs(FILE *out, const char *text)
{
	const char *end;

	while ((end = strstr(text, "\n\n"))) {
		man_text_put(out, text, (size_t)(end - text));
		fputs("\n.PP\n", out);
		text = end + 2;
	}
	man_put(out, text);
	fputc('\n', out);
}

static void man_header_put(FILE *out, const char *verb)
{
	fputs(".TH TACHO", out);
	if (verb) {
		fputs("\\-", out);
		for (; *verb; verb++)
			fputc(toupper((unsigned char)*verb), out);
	}
	fputs(" 1 \"\" \"tacho " TACHO_VERSION "\" \"Tacho\"\n", out);
	fputs(".ad l\n", out); /* long lists of choices leave lines that cannot be justified */
}

static void put_option(FILE *out, const struct opt *o)
{
	char spelling[80];

	opt_spelling(o, spelling, sizeof(spelling));
	fputs(".TP\n\\fB", out);
	man_put(out, spelling);
	fputs("\\fR", out);
	if (o->arg) {
		fputs(o->name ? "=\\fI" : " \\fI", out);
		man_put(out, o->arg);
		fputs("\\fR", out);
	}
	for (int i = 0; o->type == OPT_T_ENUM && o->choices[i]; i++) {
		fputs(i ? "|" : "=", out);
		man_put(out, o->choices[i]);
	}
	fputc('\n', out);
	man_put(out, o->help);
	fputs(".\n", out);
}

static void put_options(FILE *out, const struct opt *table)
{
	for (const struct opt *o = table; o && o->type != OPT_T_END; o++)
		if (!o->hidden)
			put_option(out, o);
}

/* "command\n  what it does\n" pairs. */
static void put_examples(FILE *out, const char *examples)
{
	while (*examples) {
		size_t len = strcspn(examples, "\n");

		if (examples[0] == ' ') {
			while (*examples == ' ')
				examples++, len--;
			man_text_put(out, examples, len);
			fputs(".\n", out);
		} else {
			fputs(".TP\n\\fB", out);
			man_text_put(out, examples, len);
			fputs("\\fR\n", out);
		}
		examples += len + (examples[len] == '\n');
	}
}

void man_program(FILE *out)
{
	man_header_put(out, NULL);
	fputs(".SH NAME\ntacho \\- profiler for programs that drive an accelerator\n", out);
	fputs(".SH SYNOPSIS\n.B tacho\n.I VERB\n.RI [ options ]\n.RB [ \\-\\- ]\n.RI [ operands ]\n",
	      out);
	fputs(".SH DESCRIPTION\n", out);
	put_paragraphs(out, cmds_description);
	fputs(".SH VERBS\n", out);
	for (int i = 0; cmds_table[i]; i++) {
		fputs(".TP\n.BR tacho\\-", out);
		man_put(out, cmds_table[i]->name);
		fputs(" (1)\n", out);
		man_put(out, cmds_table[i]->summary);
		fputs(".\n", out);
	}
	fputs(".SH OPTIONS\nEvery verb knows these besides its own:\n", out);
	put_options(out, cmds_common_opts);
	fputs(".TP\n\\fB\\-h, \\-\\-help\\fR\nprint the help of the verb.\n", out);
	fputs(".SH NAMES AND TIMES\n", out);
	put_paragraphs(out, cmds_choosing);
	fputs(".SH EXIT STATUS\n", out);
	for (const struct cmds_exit *e = cmds_exits; e->meaning; e++) {
		fprintf(out, ".TP\n.B %s\n", e->codes);
		man_put(out, e->meaning);
		fputs(".\n", out);
	}
	fputs(".SH ENVIRONMENT\n", out);
	for (const struct environ_variable *v = environ_variables; v->name; v++) {
		if (!v->help)
			continue;
		fprintf(out, ".TP\n.B %s\n", v->name);
		man_put(out, v->help);
		fputs(".\n", out);
	}
	fputs(".SH EXAMPLES\n", out);
	put_examples(out, cmds_examples);
}

void man_verb(FILE *out, const struct cmd *cmd)
{
	man_header_put(out, cmd->name);
	fputs(".SH NAME\ntacho\\-", out);
	man_put(out, cmd->name);
	fputs(" \\- ", out);
	man_put(out, cmd->summary);
	fputs("\n.SH SYNOPSIS\n\\fBtacho ", out);
	man_put(out, cmd->name);
	fputs("\\fR ", out);
	man_put(out, cmd->usage);
	fputs("\n.SH DESCRIPTION\n", out);
	put_paragraphs(out, cmd->description);
	fputs(".SH OPTIONS\n", out);
	put_options(out, cmd->opts);
	put_options(out, cmds_common_opts);
	fputs(".TP\n\\fB\\-h, \\-\\-help\\fR\nprint this help.\n", out);
	if (cmd->examples) {
		fputs(".SH EXAMPLES\n", out);
		put_examples(out, cmd->examples);
	}
	fputs(".SH EXIT STATUS\nSee\n.BR tacho (1).\n.SH SEE ALSO\n.BR tacho (1)\n", out);
}
