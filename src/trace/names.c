/* SPDX-License-Identifier: Apache-2.0 */
/* Words for kinds, severities, states and tracks of a trace. */
#include "trace/names.h"
#include "base/fmt.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static const char *names_word(const char *const *words, size_t n, uint64_t i)
{
	return i < n && words[i] ? words[i] : "?";
}
#define WORD(words, i) names_word(words, sizeof(words) / sizeof((words)[0]), i)

const char *trace_severity_name(uint64_t severity)
{
	static const char *const words[] = {
		[TRACE_SEVERITY_TRACE] = "trace", [TRACE_SEVERITY_DEBUG] = "debug",
		[TRACE_SEVERITY_INFO] = "info",   [TRACE_SEVERITY_WARNING] = "warning",
		[TRACE_SEVERITY_ERROR] = "error", [TRACE_SEVERITY_FATAL] = "fatal",
	};

	return WORD(words, severity);
}

const char *trace_loss_name(uint64_t reason)
{
	static const char *const words[] = {
		[TRACE_LOSS_LIMIT] = "ring memory full",
		[TRACE_LOSS_OVERWRITTEN] = "overwritten",
		[TRACE_LOSS_TORN] = "cut short by death",
		[TRACE_LOSS_NO_MEMORY] = "no memory for a ring",
		[TRACE_LOSS_CORRUPT] = "ring corrupt",
		[TRACE_LOSS_DISK] = "trace not writable",
		[TRACE_LOSS_DEVICE] = "device buffers full",
		[TRACE_LOSS_DEVICE_DAMAGE] = "device buffers overwritten",
		[TRACE_LOSS_SAMPLER] = "kernel's ring of samples full",
	};

	return WORD(words, reason);
}

const char *trace_lock_op_name(uint64_t op)
{
	static const char *const words[] = {
		[TRACE_LOCK_WAIT] = "wait",
		[TRACE_LOCK_OBTAIN] = "obtain",
		[TRACE_LOCK_RELEASE] = "release",
		[TRACE_LOCK_WAIT_SHARED] = "wait shared",
		[TRACE_LOCK_OBTAIN_SHARED] = "obtain shared",
		[TRACE_LOCK_RELEASE_SHARED] = "release shared",
		[TRACE_LOCK_MARK] = "mark",
		[TRACE_LOCK_END] = "end",
	};

	return WORD(words, op);
}

const char *trace_row_kind_name(uint32_t kind)
{
	static const char *const words[] = {
#define X(name, text) [TRACE_ROW_##name] = text,
		TRACE_ROWS(X)
#undef X
	};

	return WORD(words, kind);
}

/* Text alone is described, too. */
static const struct row_fields {
	bool described;
	struct trace_field v[3];
} row_fields[TRACE_ROW_KINDS] = {
#define FIELDS(...)                 \
	{                           \
		true,               \
		{                   \
			__VA_ARGS__ \
		}                   \
	}
#define UINT(name)                     \
	{                              \
		name, TRACE_FIELD_UINT \
	}
	[TRACE_ROW_MESSAGE] = FIELDS({"severity", TRACE_FIELD_SEVERITY}, UINT("color")),
	[TRACE_ROW_PLOT_INT] = FIELDS({"value", TRACE_FIELD_INT}),
	[TRACE_ROW_PLOT_REAL] = FIELDS({"value", TRACE_FIELD_REAL}),
	[TRACE_ROW_FRAME] = FIELDS({"end_ns", TRACE_FIELD_TICKS}),
	[TRACE_ROW_ALLOC] = FIELDS(UINT("address"), UINT("bytes")),
	[TRACE_ROW_FREE] = FIELDS(UINT("address")),
	[TRACE_ROW_LOCK] =
		FIELDS({"operation", TRACE_FIELD_LOCK_OP}, {"srcloc", TRACE_FIELD_SRCLOC}),
	[TRACE_ROW_APP_INFO] = FIELDS({0}),
	[TRACE_ROW_LOSS] = FIELDS({"reason", TRACE_FIELD_LOSS}, UINT("zones"), UINT("others")),
	[TRACE_ROW_NOTE] = FIELDS({0}),
	[TRACE_ROW_LATE] = FIELDS(UINT("events"), UINT("step_ticks")),
	[TRACE_ROW_CRASH] = FIELDS({0}),
	[TRACE_ROW_DEVICE_CLOCK] =
		FIELDS(UINT("cycles"), {"bound_ns", TRACE_FIELD_BOUND}, UINT("mhz")),
	[TRACE_ROW_SAMPLE] = FIELDS(UINT("stack"), UINT("cpu"), UINT("cpu_ns")),
	[TRACE_ROW_STATE] = FIELDS(UINT("ticks"), UINT("state"), UINT("stack")),
	[TRACE_ROW_STACK] = FIELDS(UINT("stack"), UINT("caller"), UINT("address")),
	[TRACE_ROW_MODULE] = FIELDS(UINT("module"), UINT("module_kind")),
	[TRACE_ROW_SYMBOL] = FIELDS(UINT("address"), UINT("line"), UINT("inlined")),
	[TRACE_ROW_MARKER] = FIELDS(UINT("cycle"), UINT("marker"), UINT("value")),
	[TRACE_ROW_MARKER_WORD] = FIELDS(UINT("value")),
	[TRACE_ROW_HOST_CLOCK] =
		FIELDS(UINT("source_tick"), {"bound_ns", TRACE_FIELD_BOUND}, UINT("host")),
	[TRACE_ROW_FRAME_IMAGE] = FIELDS({"frames_ago", TRACE_FIELD_INT}, UINT("size")),
	[TRACE_ROW_SECTION] = FIELDS(UINT("section"), UINT("category"), UINT("operation")),
	[TRACE_ROW_PARAMETER] = FIELDS(UINT("parameter"), UINT("type"), {"value", TRACE_FIELD_INT}),
	[TRACE_ROW_OP] = FIELDS(UINT("op"), UINT("device_hit"), UINT("hash")),
	[TRACE_ROW_OP_TRACE] = FIELDS(UINT("op_trace"), UINT("device_step"), UINT("op")),
	[TRACE_ROW_FLOW] = FIELDS(UINT("flow"), UINT("step"), UINT("next")),
#undef UINT
#undef FIELDS
};

bool trace_row_is_described(uint32_t kind)
{
	return kind < TRACE_ROW_KINDS && row_fields[kind].described;
}

const struct trace_field *trace_row_fields(uint32_t kind)
{
	static const struct trace_field none[3];

	return trace_row_is_described(kind) ? row_fields[kind].v : none;
}

const char *trace_track_kind_name(uint32_t kind)
{
	static const char *const words[] = {
		[TRACE_THREAD] = "thread", [TRACE_FIBER] = "fiber",   [TRACE_CORE] = "core",
		[TRACE_PLOT] = "plot",     [TRACE_FRAMES] = "frames", [TRACE_MESSAGES] = "messages",
		[TRACE_MEMORY] = "memory", [TRACE_LOCK] = "lock",     [TRACE_OTHER] = "other",
	};

	return WORD(words, kind);
}

const char *trace_exit_text(const struct trace_process *process, char *text)
{
	int status = process->exit_status;

	if (status == TRACE_EXIT_UNKNOWN)
		return process->end ? "unknown" : "running";
	if (WIFSIGNALED(status))
		snprintf(text, FMT_SIZE, "signal %d", WTERMSIG(status));
	else
		snprintf(text, FMT_SIZE, "%d", WEXITSTATUS(status));
	return text;
}

const char *trace_color_text(uint32_t color, char *text)
{
	if (color == 0)
		return "";
	snprintf(text, FMT_SIZE, "#%06x", color & 0xffffff);
	return text;
}

const char *trace_zone_state(uint32_t flags)
{
	if (flags & TRACE_ZONE_UNFINISHED)
		return "unfinished";
	return flags & TRACE_ZONE_END_LOST ? "end lost" : "";
}

const char *trace_track_name(const struct trace *trace, uint32_t track, char *text, size_t size)
{
	const struct trace_track *t;

	if (track >= trace->track_count)
		return "";
	t = &trace->tracks[track];
	if (t->name[0])
		return t->name;
	if (t->kind == TRACE_LOCK && t->srcloc < trace->srcloc_count)
		return trace_srcloc_name(trace, t->srcloc);
	if (t->kind == TRACE_FRAMES || t->kind == TRACE_MESSAGES || t->kind == TRACE_MEMORY)
		return trace_track_kind_name(t->kind);
	snprintf(text, size, "%s %" PRIu64, trace_track_kind_name(t->kind), t->id);
	return text;
}

const struct trace_process *trace_process_of(const struct trace *trace, uint32_t track)
{
	static const struct trace_process none = {
		.name = "", .command = "", .exit_status = TRACE_EXIT_UNKNOWN};
	uint32_t process = track < trace->track_count ? trace->tracks[track].process : TRACE_NONE;

	return process < trace->process_count ? &trace->processes[process] : &none;
}

const struct trace_srcloc *trace_srcloc_of(const struct trace *trace, uint32_t srcloc)
{
	static const struct trace_srcloc none = {.name = "", .function = "", .file = ""};

	return srcloc < trace->srcloc_count ? &trace->srclocs[srcloc] : &none;
}

double trace_plot_value(const struct trace_row *row)
{
	double value;

	if (row->kind == TRACE_ROW_PLOT_INT)
		return (double)(int64_t)row->a;
	memcpy(&value, &row->a, sizeof(value));
	return value;
}
