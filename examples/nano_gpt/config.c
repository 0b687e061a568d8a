/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configuration files and options. A file is the part of YAML that those of tt-train use: sections
 * of "key: value" lines, indented by two blanks, and one section more for the optimizer.
 */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void __attribute__((format(printf, 1, 2), noreturn)) usage_fail(const char *format, ...)
{
	va_list args;

	fputs("nano_gpt: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputs("; --help lists the options\n", stderr);
	exit(2);
}

void config_default(struct config *c)
{
	*c = (struct config){
		.shape = {.blocks = 2, .heads = 2, .dim = 64, .sequence = 64, .batch = 4},
		.seed = 5489,
		.steps = 100,
		.accumulate = 1,
		.optimizer = {.lr = 3e-3f,
			      .beta1 = 0.9f,
			      .beta2 = 0.999f,
			      .epsilon = 1e-8f,
			      .weight_decay = 0.01f},
		.noops = 1,
		.share = 4,
		.name = "nano_gpt",
	};
}

/* ---- values ---- */
enum kind { K_U32, K_U64, K_FLOAT, K_BOOL, K_TEXT, K_ONE_OF };

/* A setting: its key in a file, its option, or both. */
struct setting {
	const char *section, *key, *option;
	char letter; /* of a short option; 0: none */
	enum kind kind;
	size_t offset;
	double least, most; /* of numbers; of texts: the size */
	const char *values; /* K_ONE_OF: in the order of their numbers; else of the argument */
	const char *help;
};

#define AT(member) offsetof(struct config, member)
static const struct setting settings[] = {
	{"training_config", "max_steps", "steps", 0, K_U32, AT(steps), 1, 1e6, "N",
	 "training steps (100)"},
	{"transformer_config", "num_blocks", "layers", 0, K_U32, AT(shape.blocks), 1, 64, "N",
	 "transformer blocks (2)"},
	{"transformer_config", "num_heads", "heads", 0, K_U32, AT(shape.heads), 1, 256, "N",
	 "heads of a block (2); dim / heads must be a multiple of 32"},
	{"transformer_config", "embedding_dim", "dim", 0, K_U32, AT(shape.dim), 32, 8192, "N",
	 "width of the embedding (64)"},
	{"transformer_config", "max_sequence_length", "seq", 0, K_U32, AT(shape.sequence), 32, 4096,
	 "N", "characters of a sequence (64), a multiple of 32"},
	{"training_config", "batch_size", "batch", 0, K_U32, AT(shape.batch), 1, 256, "N",
	 "sequences of a step (4)"},
	{"optimizer", "lr", "lr", 0, K_FLOAT, AT(optimizer.lr), 0, 10, "X",
	 "learning rate (0.003)"},
	{"training_config", "seed", "seed", 0, K_U64, AT(seed), 0, 1.8e19, "N",
	 "seed of weights and batches (5489)"},
	{"training_config", "data_path", "data", 0, K_TEXT, AT(data), 0, 4096, "FILE",
	 "learn this text instead of the built-in one"},
	{NULL, NULL, "noops", 0, K_U32, AT(noops), 0, 1000, "N",
	 "marker ops before and after each mark, if the device is profiled (1)"},
	{NULL, NULL, "device-log", 0, K_ONE_OF, AT(log), 0, 0, "every|last|none",
	 "steps after which the device's log is written (every)"},
	{NULL, NULL, "l1", 0, K_BOOL, AT(l1), 0, 0, NULL, "tensors in L1 instead of DRAM"},
	{NULL, NULL, "tiles-per-core", 0, K_U32, AT(share), 1, 1000, "N",
	 "tiles that a core gets at least (4); fewer spread an op over more cores"},
	{NULL, NULL, "zones", 0, K_BOOL, AT(zones), 0, 0, NULL, "markers around blocks"},
	{NULL, NULL, "sample", 0, K_U32, AT(sample), 0, 100000, "N",
	 "generate N characters at the end"},
	{NULL, NULL, "checkpoint", 0, K_TEXT, AT(save), 0, 4096, "FILE",
	 "write parameters and moments at the end"},
	{NULL, NULL, "restore", 0, K_TEXT, AT(restore), 0, 4096, "FILE",
	 "start from such a file; the steps count on"},
	{"training_config", "project_name", "name", 'n', K_TEXT, AT(name), 0, 256, "NAME",
	 "name of the run"},
	{NULL, NULL, "save_and_exit", 's', K_BOOL, AT(save_and_exit), 0, 0, NULL,
	 "write the initial parameters to --checkpoint and exit"},
	{NULL, NULL, "track_memory", 0, K_BOOL, AT(track_memory), 0, 0, NULL,
	 "print the bytes of all tensors"},
	{"training_config", "gradient_accumulation_steps", NULL, 0, K_U32, AT(accumulate), 1, 1,
	 NULL, NULL},
	{"training_config", "scheduler_type", NULL, 0, K_ONE_OF, AT(warmup), 0, 0,
	 "identity|warmup_linear", NULL},
	{"optimizer", "beta1", NULL, 0, K_FLOAT, AT(optimizer.beta1), 0, 1, NULL, NULL},
	{"optimizer", "beta2", NULL, 0, K_FLOAT, AT(optimizer.beta2), 0, 1, NULL, NULL},
	{"optimizer", "epsilon", NULL, 0, K_FLOAT, AT(optimizer.epsilon), 0, 1, NULL, NULL},
	{"optimizer", "weight_decay", NULL, 0, K_FLOAT, AT(optimizer.weight_decay), 0, 1, NULL,
	 NULL},
	{"transformer_config", "vocab_size", NULL, 0, K_U32, AT(shape.vocabulary), 0, 256, NULL,
	 NULL},
};
#define SETTINGS (sizeof(settings) / sizeof(settings[0]))

/* Keys of tt-train with only one possible value here, and the one that is accepted. */
static const struct {
	const char *section, *key, *value;
} fixed[] = {
	{"training_config", "num_epochs", "0"},
	{"training_config", "model_config", NULL}, /* any: the model is in this file */
	{"training_config", "model_type", "gpt2"},
	{"training_config", "model_save_interval", NULL},
	{"training_config", "tokenizer_type", "char"},
	{"training_config", "use_clip_grad_norm", "false"},
	{"training_config", "clip_grad_norm_max_norm", NULL},
	{"optimizer", "type", "AdamW"},
	{"optimizer", "amsgrad", "false"},
	{"transformer_config", "model_type", "gpt2"},
	{"transformer_config", "dropout_prob", "0"},
	{"transformer_config", "positional_embedding_type", "trainable"},
	{"transformer_config", "weight_tying", "disabled"},
};

/* Returns why VALUE is wrong, or NULL. */
static const char *setting_set(struct config *c, const struct setting *s, const char *value)
{
	static char why[128];
	void *to = (char *)c + s->offset;
	char *end;
	double x = 0;

	if (s->kind == K_TEXT) {
		if (strlen(value) >= s->most)
			return "is too long";
		strcpy(to, value);
		return NULL;
	}
	if (s->kind == K_BOOL) {
		*(bool *)to = true;
		return NULL;
	}
	if (s->kind == K_ONE_OF) {
		const char *p = s->values;
		unsigned n = 0;

		for (size_t len; *p; p += len + (p[len] == '|'), n++) {
			len = strcspn(p, "|");
			if (strlen(value) != len || strncmp(p, value, len))
				continue;
			if (s->offset == AT(log))
				c->log = (enum config_log)n;
			else
				*(bool *)to = n;
			return NULL;
		}
		snprintf(why, sizeof(why), "must be one of %s", s->values);
		return why;
	}
	errno = 0;
	if (s->kind == K_U64) {
		uint64_t n = strtoull(value, &end, 10);

		if (errno || *end || end == value || *value == '-')
			return "must be a number";
		*(uint64_t *)to = n;
		return NULL;
	}
	x = strtod(value, &end);
	if (*end || end == value || !(x >= s->least && x <= s->most) ||
	    (s->kind == K_U32 && x != floor(x))) {
		snprintf(why, sizeof(why), "must be %s from %g to %g",
			 s->kind == K_U32 ? "a whole number" : "a number", s->least, s->most);
		return why;
	}
	if (s->kind == K_U32)
		*(uint32_t *)to = (uint32_t)x;
	else
		*(float *)to = (float)x;
	return NULL;
}

/* ---- files ---- */
static void key_set(struct config *c, const char *path, unsigned line, const char *section,
		    const char *key, const char *value)
{
	for (size_t i = 0; i < SETTINGS; i++) {
		const struct setting *s = &settings[i];
		const char *why;

		if (!s->key || strcmp(s->section, section) || strcmp(s->key, key))
			continue;
		why = setting_set(c, s, value);
		if (why)
			gpt_fail("%s:%u: %s %s", path, line, key, why);
		return;
	}
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		char *end;

		if (strcmp(fixed[i].section, section) || strcmp(fixed[i].key, key))
			continue;
		if (fixed[i].value && strcmp(fixed[i].value, value) &&
		    !(!strcmp(fixed[i].value, "0") && *value && strtod(value, &end) == 0 && !*end))
			gpt_fail("%s:%u: %s can only be %s here", path, line, key, fixed[i].value);
		return;
	}
	gpt_fail("%s:%u: unknown key %s in %s", path, line, key, *section ? section : "the file");
}

void config_read(struct config *c, const char *path)
{
	FILE *f = fopen(path, "r");
	char line[4400], section[64] = "";
	unsigned number = 0;

	if (!f)
		gpt_fail("cannot read %s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		size_t indent = strspn(line, " ");
		char *key = line + indent, *value = strchr(line, ':'), *end;

		number++;
		if (*key == '#' || *key == '\n' || !*key)
			continue;
		if (!value)
			gpt_fail("%s:%u: expected \"key: value\"", path, number);
		*value++ = 0;
		value += strspn(value, " \"'");
		end = strstr(value, " #");
		if (end)
			*end = 0;
		end = value + strlen(value);
		while (end > value && strchr(" \t\r\n\"'", end[-1]))
			*--end = 0;
		if (!*value) {
			if (strlen(key) >= sizeof(section))
				gpt_fail("%s:%u: unknown section", path, number);
			strcpy(section, key);
		} else {
			key_set(c, path, number, indent ? section : "", key, value);
		}
	}
	if (ferror(f))
		gpt_fail("cannot read %s", path);
	fclose(f);
}

/* ---- options ---- */
static void options_help(void)
{
	puts("Usage: nano_gpt [OPTION]...\n\n"
	     "Trains a character GPT on a device: forward, backward, AdamW.\n\n"
	     "  -c, --config FILE         settings, in the form of tt-train's configurations\n"
	     "  -t, --add_time_to_name    append the time to the name");
	for (size_t i = 0; i < SETTINGS; i++) {
		const struct setting *s = &settings[i];
		char text[64], letter[8] = "    ";

		if (!s->option)
			continue;
		if (s->letter)
			snprintf(letter, sizeof(letter), "-%c, ", s->letter);
		snprintf(text, sizeof(text), "%s--%s%s%s", letter, s->option, s->values ? " " : "",
			 s->values ? s->values : "");
		printf("  %-25s %s\n", text, s->help);
	}
	puts("      --help                this text");
}

static void time_add(struct config *c)
{
	time_t now = time(NULL);
	struct tm tm;
	size_t n = strlen(c->name);

	localtime_r(&now, &tm);
	strftime(c->name + n, sizeof(c->name) - n, "_%Y-%m-%d_%H-%M-%S", &tm);
}

static void config_check(const struct config *c)
{
	if (c->shape.dim % c->shape.heads || c->shape.dim / c->shape.heads % 32)
		usage_fail("%u dimensions do not split into %u heads of a multiple of 32",
			   c->shape.dim, c->shape.heads);
	if (c->shape.sequence % 32)
		usage_fail("a sequence of %u characters is not a multiple of 32",
			   c->shape.sequence);
	if (c->save_and_exit && !*c->save)
		usage_fail("--save_and_exit needs --checkpoint FILE");
}

void config_options(struct config *c, int argc, char **argv)
{
	enum { CONFIG = 1000, TIME, HELP, REFUSED };
	struct option options[SETTINGS + 8] = {{0}};
	char letters[64] = "c:th";
	bool timed = false;
	unsigned n = 0;
	int got;

	for (size_t i = 0; i < SETTINGS; i++) {
		const struct setting *s = &settings[i];

		if (!s->option)
			continue;
		options[n++] = (struct option){s->option, s->kind == K_BOOL ? 0 : 1, NULL, (int)i};
		if (s->letter)
			snprintf(letters + strlen(letters), 4, "%c%s", s->letter,
				 s->kind == K_BOOL ? "" : ":");
	}
	options[n++] = (struct option){"config", 1, NULL, CONFIG};
	options[n++] = (struct option){"add_time_to_name", 0, NULL, TIME};
	options[n++] = (struct option){"help", 0, NULL, HELP};
	options[n++] = (struct option){"safetensors", 2, NULL, REFUSED};
	options[n++] = (struct option){"multihost", 2, NULL, REFUSED};
	opterr = 0;
	/* The file first, wherever its option is: options override it. */
	while ((got = getopt_long(argc, argv, letters, options, NULL)) != -1)
		if (got == 'c' || got == CONFIG)
			config_read(c, optarg);
	optind = 1;
	while ((got = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		const char *why = NULL;

		for (size_t i = 0; i < SETTINGS; i++)
			if (settings[i].letter && got == settings[i].letter)
				got = (int)i;
		if (got == '?' || got == ':')
			usage_fail("unknown option or missing argument: %s", argv[optind - 1]);
		else if (got == 't' || got == TIME)
			timed = true;
		else if (got == 'h' || got == HELP)
			options_help(), exit(0);
		else if (got == REFUSED)
			usage_fail("%s is not supported", argv[optind - 1]);
		else if (got < (int)SETTINGS)
			why = setting_set(c, &settings[got], optarg ? optarg : "");
		if (why)
			usage_fail("--%s %s", settings[got].option, why);
	}
	if (optind < argc)
		usage_fail("unexpected argument %s", argv[optind]);
	if (timed)
		time_add(c);
	config_check(c);
}
