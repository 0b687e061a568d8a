/* Read the ops of a trace for perf-report. */
#include "cmds/perf_trace.h"

#include "base/environ.h"
#include "tracy/tracy.h"
#include "ttlog/report.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool perf_trace_is(const char *path)
{
	static const char *const starts[] = {"\x89TACHO\r\n", "tracy", "tlZ\004", "tZst"};
	const char *dot = strrchr(path, '.');
	char head[8] = "";
	FILE *file = fopen(path, "re");
	size_t n = file ? fread(head, 1, sizeof(head), file) : 0;

	if (file)
		fclose(file);
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (n >= strlen(starts[i]) && !memcmp(head, starts[i], strlen(starts[i])))
			return true;
	return dot && (!strcmp(dot, ".tacho") || !strcmp(dot, ".tracy"));
}

static int folder_make_temporary(struct perf_trace *t, struct tacho_error *err)
{
	const char *tmp = environ_get("TMPDIR");

	if (asprintf(&t->folder, "%s/tacho-perf-XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0) {
		t->folder = NULL;
		return err_set(err, TACHO_ENOMEM, "out of memory");
	}
	if (mkdtemp(t->folder))
		return 0;
	err_errno(err, TACHO_EWRITE, "cannot make a temporary folder");
	free(t->folder);
	t->folder = NULL;
	return TACHO_EWRITE;
}

int perf_trace_open(struct perf_trace *t, const char *path, struct perf_input *in,
		    struct perf_notes *notes, struct tacho_error *err)
{
	struct ttlog_options options = {.force = true, .no_copies = true};
	struct ttlog_result result = {0};
	int r = tracy_open_any(&t->trace, path, NULL, err);

	if (r == 0)
		r = folder_make_temporary(t, err);
	if (r == 0) {
		options.trace = t->trace;
		options.folder = t->folder;
		r = ttlog_report(&options, &result, err);
	}
	if (r == 0 && !(t->table = strdup(result.report)))
		r = err_set(err, TACHO_ENOMEM, "out of memory");
	ttlog_result_free(&result);
	if (r == 0)
		r = perf_input_read(in, &t->table, 1, notes, err);
	if (r == TACHO_EFORMAT)
		r = err_set(err, TACHO_EFORMAT, "%s: there are no ops in this trace", path);
	if (r == 0)
		in->files.v[0].path = path;
	return r;
}

static int tree_remove(const char *path, const struct stat *s, int kind, struct FTW *at)
{
	(void)s;
	(void)kind;
	(void)at;
	return remove(path);
}

void perf_trace_free(struct perf_trace *t)
{
	if (t->folder)
		nftw(t->folder, tree_remove, 16, FTW_DEPTH | FTW_PHYS);
	free(t->folder);
	free(t->table);
	trace_close(t->trace);
	*t = (struct perf_trace){0};
}
