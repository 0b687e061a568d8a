/* SPDX-License-Identifier: Apache-2.0 */
/* The option parser and the option part of --help, both driven by one table per verb. */
#include "base/opt.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct opt help_opt[] = {
	{.type = OPT_T_FLAG, .letter = 'h', .name = "help", .help = "print this help"},
	OPT_END,
};

#define WIDTH 96 /* of help */

struct parser {
	const struct opt *tables[3];
	void *confs[3];
	struct tacho_error *err;
	bool help;
};

static const struct opt *find_letter(const struct parser *p, char letter, void **conf)
{
	for (int i = 0; i < 3; i++) {
		for (const struct opt *o = p->tables[i]; o && o->type != OPT_T_END; o++) {
			if (o->letter == letter) {
				*conf = p->confs[i];
				return o;
			}
		}
	}
	return NULL;
}

static const struct opt *find_name(const struct parser *p, const char *name, size_t len,
				   void **conf)
{
	for (int i = 0; i < 3; i++) {
		for (const struct opt *o = p->tables[i]; o && o->type != OPT_T_END; o++) {
			if (o->name && strlen(o->name) == len && !memcmp(o->name, name, len)) {
				*conf = p->confs[i];
				return o;
			}
		}
	}
	return NULL;
}

/*
 * The one option whose name begins with the word, or NULL if none or several do. Those that yield
 * count only if no other does.
 */
static const struct opt *find_prefix(const struct parser *p, const char *name, size_t len,
				     void **conf)
{
	const struct opt *found[2] = {NULL, NULL};
	void *confs[2] = {NULL, NULL};
	int n[2] = {0, 0}, which;

	for (int i = 0; i < 3 && len; i++) {
		for (const struct opt *o = p->tables[i]; o && o->type != OPT_T_END; o++) {
			if (!o->name || strncmp(o->name, name, len))
				continue;
			n[o->yields]++;
			found[o->yields] = o;
			confs[o->yields] = p->confs[i];
		}
	}
	which = n[0] == 0;
	if (n[which] != 1)
		return NULL;
	*conf = confs[which];
	return found[which];
}

/* Edit distance with a small bound: enough to distinguish a typing error from another word. */
static unsigned opt_distance(const char *a, const char *b)
{
	unsigned row[64], diagonal, up;
	size_t la = strlen(a), lb = strlen(b);

	if (la >= 64 || lb >= 64)
		return 64;
	for (size_t j = 0; j <= lb; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= la; i++) {
		diagonal = row[0];
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= lb; j++) {
			up = row[j];
			row[j] = diagonal + (a[i - 1] != b[j - 1]);
			if (up + 1 < row[j])
				row[j] = up + 1;
			if (row[j - 1] + 1 < row[j])
				row[j] = row[j - 1] + 1;
			diagonal = up;
		}
	}
	return row[lb];
}

const char *opt_nearest(const char *word, const char *const *words)
{
	unsigned best = 3, d;
	const char *nearest = NULL;

	if (strlen(word) < 4)
		best = 2;
	for (; *words; words++) {
		d = opt_distance(word, *words);
		if (d < best) {
			best = d;
			nearest = *words;
		}
	}
	return nearest;
}

static int unknown_name(const struct parser *p, const char *name, size_t len)
{
	const char *words[256], *near, *like[2];
	char word[64];
	size_t n = 0, likes = 0;

	snprintf(word, sizeof(word), "%.*s", (int)(len < 63 ? len : 63), name);
	for (int i = 0; i < 3; i++) {
		for (const struct opt *o = p->tables[i]; o && o->type != OPT_T_END; o++) {
			if (!o->name)
				continue;
			if (likes < 2 && !strncmp(o->name, word, strlen(word)))
				like[likes++] = o->name;
			if (!o->hidden && n < 255)
				words[n++] = o->name;
		}
	}
	words[n] = NULL;
	if (likes == 2)
		return err_set(p->err, TACHO_EUSAGE, "--%s may be --%s or --%s: which?", word,
			       like[0], like[1]);
	near = opt_nearest(word, words);
	if (near)
		return err_set(p->err, TACHO_EUSAGE, "unknown option --%s; did you mean --%s?",
			       word, near);
	return err_set(p->err, TACHO_EUSAGE, "unknown option --%s; --help lists them", word);
}

int opt_time(const char *text, int64_t *ns)
{
	static const struct {
		const char *unit;
		double scale;
	} units[] = {{"", 1},    {"ns", 1},   {"us", 1e3},  {"ms", 1e6},
		     {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
	char *end;
	double value;

	errno = 0;
	value = strtod(text, &end);
	if (end == text || errno || !isfinite(value))
		return TACHO_EUSAGE;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].unit))
			continue;
		value *= units[i].scale;
		if (fabs(value) > 9.2e18)
			return TACHO_EUSAGE;
		*ns = llround(value);
		return 0;
	}
	return TACHO_EUSAGE;
}

static int bad_value(const struct parser *p, const struct opt *o, const char *value,
		     const char *want)
{
	char spelling[80];

	opt_spelling(o, spelling, sizeof(spelling));
	return err_set(p->err, TACHO_EUSAGE, "%s: '%s' is not %s", spelling, value, want);
}

static int set_enum(const struct parser *p, const struct opt *o, int *field, const char *value)
{
	char want[200] = "one of";
	size_t used;

	for (int i = 0; o->choices[i]; i++) {
		if (!strcmp(o->choices[i], value)) {
			*field = i;
			return 0;
		}
		used = strlen(want);
		snprintf(want + used, sizeof(want) - used, "%s%s", i ? ", " : " ", o->choices[i]);
	}
	return bad_value(p, o, value, want);
}

static int list_push(struct opt_list *list, const char *value)
{
	const char **v = reallocarray(list->v, list->n + 1, sizeof(*v));

	if (!v)
		return TACHO_ENOMEM;
	list->v = v;
	list->v[list->n++] = value;
	return 0;
}

static int set_value(const struct parser *p, const struct opt *o, void *conf, const char *value)
{
	char *field = (char *)conf + o->offset, *end;
	long long number;
	double real;

	errno = 0;
	switch (o->type) {
	case OPT_T_STR:
		*(const char **)field = value;
		return 0;
	case OPT_T_INT:
		number = strtoll(value, &end, 0);
		if (end == value || *end || errno)
			return bad_value(p, o, value, "a whole number");
		*(int64_t *)field = number;
		return 0;
	case OPT_T_DOUBLE:
		real = strtod(value, &end);
		if (end == value || *end || !isfinite(real))
			return bad_value(p, o, value, "a number");
		*(double *)field = real;
		return 0;
	case OPT_T_TIME:
		if (opt_time(value, (int64_t *)field) < 0)
			return bad_value(p, o, value, "a time such as 1.5ms");
		return 0;
	case OPT_T_ENUM:
		return set_enum(p, o, (int *)field, value);
	case OPT_T_LIST:
		return list_push((struct opt_list *)field, value);
	default:
		return TACHO_EINTERNAL;
	}
}

static void set_flag(struct parser *p, const struct opt *o, void *conf, bool value)
{
	if (o == help_opt)
		p->help = true;
	else
		*(bool *)((char *)conf + o->offset) = value;
}

/* One "--word"; returns how many further words of argv it used, or an error. */
static int parse_long(struct parser *p, const char *word, const char *next)
{
	size_t len = strcspn(word, "=");
	const char *value = word[len] ? word + len + 1 : NULL;
	const struct opt *o;
	void *conf = NULL;
	bool negated = false;
	int r;

	o = find_name(p, word, len, &conf);
	if (!o && len > 3 && !memcmp(word, "no-", 3)) {
		o = find_name(p, word + 3, len - 3, &conf);
		negated = o && (o->type == OPT_T_FLAG || o->none);
		if (!negated)
			o = NULL;
	}
	if (!o)
		o = find_prefix(p, word, len, &conf);
	if (!o)
		return unknown_name(p, word, len);
	if (o->type == OPT_T_FLAG) {
		if (value)
			return err_set(p->err, TACHO_EUSAGE, "--%s takes no value", o->name);
		set_flag(p, o, conf, !negated);
		return 0;
	}
	if (negated && value)
		return err_set(p->err, TACHO_EUSAGE, "--no-%s takes no value", o->name);
	if (!value && (negated || o->bare)) {
		r = set_value(p, o, conf, negated ? o->none : o->bare);
		return r < 0 ? r : 0;
	}
	if (!value && !next)
		return err_set(p->err, TACHO_EUSAGE, "--%s needs a value", o->name);
	r = set_value(p, o, conf, value ? value : next);
	return r < 0 ? r : !value;
}

/* One "-xyz"; returns like parse_long(). */
static int parse_short(struct parser *p, const char *letters, const char *next)
{
	const struct opt *o;
	void *conf = NULL;
	int r;

	for (; *letters; letters++) {
		o = find_letter(p, *letters, &conf);
		if (!o)
			return err_set(p->err, TACHO_EUSAGE,
				       "unknown option -%c; --help lists them", *letters);
		if (o->type == OPT_T_FLAG) {
			set_flag(p, o, conf, true);
			continue;
		}
		if (letters[1]) {
			r = set_value(p, o, conf, letters + 1);
			return r < 0 ? r : 0;
		}
		if (!next)
			return err_set(p->err, TACHO_EUSAGE, "-%c needs a value", *letters);
		r = set_value(p, o, conf, next);
		return r < 0 ? r : 1;
	}
	return 0;
}

static void move_word(char **argv, int from, int to)
{
	char *word = argv[from];

	for (int i = from; i > to; i--)
		argv[i] = argv[i - 1];
	argv[to] = word;
}

int opt_parse(const struct opt *table, void *conf, const struct opt *common, void *common_conf,
	      enum opt_mode mode, int argc, char **argv, struct opt_result *result,
	      struct tacho_error *err)
{
	struct parser p = {.tables = {table, common, help_opt},
			   .confs = {conf, common_conf, NULL},
			   .err = err};
	int done = 1, r; /* argv[1..done) are options, argv[done..i) operands */

	for (int i = 1; i < argc; i++) {
		char *word = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;

		if (!strcmp(word, "--")) {
			move_word(argv, i, done++);
			break;
		}
		if (word[0] != '-' || !word[1]) {
			if (mode == OPT_STOP_FIRST)
				break;
			continue;
		}
		r = word[1] == '-' ? parse_long(&p, word + 2, next)
				   : parse_short(&p, word + 1, next);
		if (r < 0)
			return r;
		for (int k = 0; k <= r; k++)
			move_word(argv, i + k, done++);
		i += r;
	}
	result->first = done;
	result->help = p.help;
	return 0;
}

void opt_list_free(struct opt_list *list)
{
	free(list->v);
	list->v = NULL;
	list->n = 0;
}

void opt_spelling(const struct opt *o, char *text, size_t size)
{
	if (o->letter && o->name)
		snprintf(text, size, "-%c, --%s", o->letter, o->name);
	else if (o->name)
		snprintf(text, size, "--%s", o->name);
	else
		snprintf(text, size, "-%c", o->letter);
}

void opt_print_wrapped(FILE *out, const char *text, size_t len, int column)
{
	const char *end = text + len;
	int at = column;

	while (text < end) {
		int word = (int)strcspn(text, " \n");

		if (word > end - text)
			word = (int)(end - text);
		if (at > column && at + 1 + word > WIDTH) {
			fprintf(out, "\n%*s", column, "");
			at = column;
		}
		at += fprintf(out, "%s%.*s", at > column ? " " : "", word, text);
		text += word;
		while (text < end && (*text == ' ' || *text == '\n'))
			text++;
	}
	fputc('\n', out);
}

static void print_one(const struct opt *o, FILE *out)
{
	char left[160], spelling[80];
	int n;

	opt_spelling(o, spelling, sizeof(spelling));
	n = snprintf(left, sizeof(left), "  %s%s", o->letter ? "" : "    ", spelling);
	if (o->arg)
		n += snprintf(left + n, sizeof(left) - (size_t)n, "%s%s", o->name ? "=" : " ",
			      o->arg);
	for (int i = 0; o->type == OPT_T_ENUM && o->choices[i]; i++)
		n += snprintf(left + n, sizeof(left) - (size_t)n, "%c%s", i ? '|' : '=',
			      o->choices[i]);
	if (n < 30)
		fprintf(out, "%-30s", left);
	else
		fprintf(out, "%s\n%30s", left, "");
	opt_print_wrapped(out, o->help, strlen(o->help), 30);
}

void opt_print(const struct opt *table, FILE *out)
{
	for (const struct opt *o = table; o && o->type != OPT_T_END; o++)
		if (!o->hidden)
			print_one(o, out);
}
