/* SPDX-License-Identifier: Apache-2.0 */
/* Read the ops of a trace for perf-report. */
#include "cmds/perf_trace.h"

#include "tracy/tracy.h"

#include <stdio.h>
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

int perf_trace_open(struct perf_trace *t, const char *path, struct perf_input *in,
		    struct perf_notes *notes, struct tacho_error *err)
{
	struct op_load_options options = {0};
	int r = tracy_open_any(&t->trace, path, NULL, err);

	if (r < 0)
		return r;
	r = op_load_trace(&t->ops, t->trace, NULL, NULL, &options, err);
	if (r == TACHO_ENO || (r == 0 && t->ops.host.table.ops.n == 0))
		return err_set(err, TACHO_EFORMAT, "%s: there are no ops in this trace", path);
	if (r < 0)
		return r;
	if (t->ops.device_only)
		perf_note(notes, NOTE_WARNING,
			  "%s: the host recorded no ops; the device's are reported without names",
			  path);
	return perf_input_ops(in, &t->ops.host.table, path, err);
}

void perf_trace_free(struct perf_trace *t)
{
	op_loaded_free(&t->ops);
	trace_close(t->trace);
	*t = (struct perf_trace){0};
}
