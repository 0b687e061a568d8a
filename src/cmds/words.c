/* SPDX-License-Identifier: Apache-2.0 */
/* Split a command line into words as a shell does, without running one. */
#include "cmds/words.h"

#include "base/vec.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

struct splitter {
	const char *in;
	char *out;
	struct {
		VEC(char *);
	} words;
	struct tacho_error *err;
};

static int words_quoted(struct splitter *s, char quote)
{
	for (s->in++; *s->in && *s->in != quote; s->in++) {
		if (quote == '"' && *s->in == '\\' && s->in[1] && strchr("\"\\$`", s->in[1]))
			s->in++;
		*s->out++ = *s->in;
	}
	if (!*s->in)
		return err_set(s->err, TACHO_EUSAGE, "the command has a quote (%c) without its end",
			       quote);
	s->in++;
	return 0;
}

/* Parses one word up to a blank into s->out. */
static int words_next(struct splitter *s)
{
	while (*s->in && !isspace((unsigned char)*s->in)) {
		if (*s->in == '\'' || *s->in == '"') {
			int r = words_quoted(s, *s->in);

			if (r < 0)
				return r;
			continue;
		}
		if (strchr("|&;<>`", *s->in) || (s->in[0] == '$' && s->in[1] == '('))
			return err_set(s->err, TACHO_EUSAGE,
				       "the command is run without a shell, which '%c' would need; "
				       "quote it, or say: sh -c '...'",
				       *s->in);
		if (*s->in == '\\' && s->in[1])
			s->in++;
		*s->out++ = *s->in++;
	}
	*s->out++ = 0;
	return 0;
}

static bool is_setting(const char *text)
{
	const char *p = text;

	while (isalnum((unsigned char)*p) || *p == '_')
		p++;
	return p > text && *p == '=' && !isdigit((unsigned char)*text);
}

static int words_parse(struct splitter *s)
{
	for (;;) {
		char *start = s->out;
		int r;

		while (isspace((unsigned char)*s->in))
			s->in++;
		if (!*s->in)
			return vec_push(&s->words, NULL);
		r = words_next(s);
		if (r < 0)
			return r;
		if (vec_push(&s->words, start) < 0)
			return err_set(s->err, TACHO_ENOMEM, "out of memory");
	}
}

int words_split(struct words *words, const char *command, struct tacho_error *err)
{
	struct splitter s = {.in = command, .err = err};
	int r;

	memset(words, 0, sizeof(*words));
	/* Words are never longer than their source, except for the NULs between them. */
	words->text = s.out = malloc(strlen(command) * 2 + 2);
	r = words->text ? words_parse(&s) : err_set(err, TACHO_ENOMEM, "out of memory");
	words->v = s.words.v;
	words->n = s.words.n ? s.words.n - 1 : 0;
	while (r == 0 && words->settings < words->n && is_setting(words->v[words->settings]))
		words->settings++;
	if (r == 0 && words->settings == words->n)
		r = err_set(err, TACHO_EUSAGE, "no command to run");
	if (r < 0)
		words_free(words);
	return r;
}

void words_free(struct words *words)
{
	free(words->v);
	free(words->text);
	memset(words, 0, sizeof(*words));
}
