/* SPDX-License-Identifier: Apache-2.0 */
/* tacho-gendocs DIR writes DIR/man and DIR/completions. */
#include "docs/docs.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>

static void gendocs_fail(const char *path)
{
	struct tacho_error err;

	exit(err_report(&err, err_errno(&err, TACHO_EWRITE, "cannot write %s", path)));
}

static void make_folder(const char *path)
{
	if (mkdir(path, 0777) < 0 && errno != EEXIST)
		gendocs_fail(path);
}

static FILE *gendocs_create(char *path, size_t size, const char *format, ...)
{
	FILE *out;
	va_list args;

	va_start(args, format);
	vsnprintf(path, size, format, args);
	va_end(args);
	out = fopen(path, "w");
	if (!out)
		gendocs_fail(path);
	return out;
}

static void gendocs_finish(FILE *out, const char *path)
{
	if (fclose(out))
		gendocs_fail(path);
}

static void write_completions(const char *dir)
{
	static const struct {
		const char *folder, *name;
		void (*write)(FILE *out);
	} shells[] = {
		{"bash", "tacho", complete_bash},
		{"zsh", "_tacho", complete_zsh},
		{"fish", "tacho.fish", complete_fish},
	};
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s/completions", dir);
	make_folder(path);
	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
		snprintf(path, sizeof(path), "%s/completions/%s", dir, shells[i].folder);
		make_folder(path);
		out = gendocs_create(path, sizeof(path), "%s/completions/%s/%s", dir,
				     shells[i].folder, shells[i].name);
		shells[i].write(out);
		gendocs_finish(out, path);
	}
	/* bash finds completions by the name of the command. */
	for (int i = 0; cmds_table[i]; i++) {
		for (const char *const *a = cmds_table[i]->aliases; *a; a++) {
			out = gendocs_create(path, sizeof(path), "%s/completions/bash/%s", dir, *a);
			fputs(". \"${BASH_SOURCE[0]%/*}/tacho\"\n", out);
			gendocs_finish(out, path);
		}
	}
}

int main(int argc, char **argv)
{
	char path[4096];
	FILE *out;

	if (argc != 2) {
		fputs("usage: tacho-gendocs DIR\n", stderr);
		return 2;
	}
	snprintf(path, sizeof(path), "%s/man", argv[1]);
	make_folder(path);
	out = gendocs_create(path, sizeof(path), "%s/man/tacho.1", argv[1]);
	man_program(out);
	gendocs_finish(out, path);
	for (int i = 0; cmds_table[i]; i++) {
		const struct cmd *cmd = cmds_table[i];

		out = gendocs_create(path, sizeof(path), "%s/man/tacho-%s.1", argv[1], cmd->name);
		man_verb(out, cmd);
		gendocs_finish(out, path);
		for (const char *const *a = cmd->aliases; *a; a++) {
			out = gendocs_create(path, sizeof(path), "%s/man/%s.1", argv[1], *a);
			fprintf(out, ".so man1/tacho-%s.1\n", cmd->name);
			gendocs_finish(out, path);
		}
	}
	write_completions(argv[1]);
	return 0;
}
