/* SPDX-License-Identifier: Apache-2.0 */
/* Read the ops of a trace for perf-report. */
#include "cmds/perf_trace.h"

#include "op/trace_cores.h"
#include "tracy/tracy.h"

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

/* The process whose ops are reported; TRACE_NONE: all. */
static int choose_process(const struct trace *t, int64_t pid, uint32_t *process,
			  struct perf_notes *notes, struct tacho_error *err)
{
	*process = pid ? TRACE_NONE : op_main_process(t);
	for (uint32_t i = 0; pid && i < t->process_count; i++)
		if (t->processes[i].pid == pid)
			*process = i;
	if (pid && *process == TRACE_NONE)
		return err_set(err, TACHO_ENO, "%s has no process %lld", t->path, (long long)pid);
	if (!pid && *process != TRACE_NONE)
		perf_note(
			notes, NOTE_WARNING,
			"%s: several processes used the same device; these are the ops of process "
			"%u (%s), --process=PID selects another",
			t->path, t->processes[*process].pid, t->processes[*process].name);
	return 0;
}

int perf_trace_open(struct perf_trace *t, const char *path, int64_t pid, struct perf_input *in,
		    struct perf_notes *notes, struct tacho_error *err)
{
	struct op_load_options options = {0};
	uint8_t *tracks = NULL;
	int r = tracy_open_any(&t->trace, path, NULL, err);

	if (r == 0)
		r = choose_process(t->trace, pid, &t->process, notes, err);
	if (r < 0)
		return r;
	if (t->process != TRACE_NONE) {
		tracks = malloc(t->trace->track_count + 1);
		if (!tracks)
			return TACHO_ENOMEM;
		op_process_tracks(t->trace, NULL, t->process, tracks);
	}
	r = op_load_trace(&t->ops, t->trace, tracks, NULL, &options, err);
	free(tracks);
	if (r == TACHO_ENO || (r == 0 && t->ops.host.table.ops.n == 0))
		return err_set(err, TACHO_EFORMAT, "%s: the trace has no ops", path);
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
