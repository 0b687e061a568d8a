/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that could not be recorded: the list of a trace. */
#include "trace/trace.h"

#include <stdio.h>
#include <string.h>

const char *trace_absent_text(const struct trace_absent *a, char *text, size_t size)
{
	static const char *const reasons[TRACE_ABSENCES] = {
		[TRACE_ABSENT_UNKNOWN] = "for a reason that was not stored",
		[TRACE_ABSENT_VERSION] = "its libtacho is of another version",
		[TRACE_ABSENT_CREATE] = "cannot create its ring file",
		[TRACE_ABSENT_MAP] = "cannot map its ring file",
		[TRACE_ABSENT_MEMORY] = "no memory for its ring file",
		[TRACE_ABSENT_BOUND] = "the memory of the session (--session-mb) is used up",
		[TRACE_ABSENT_RECORDER] = "the recorder cannot read its ring file",
	};
	const char *reason = reasons[a->reason < TRACE_ABSENCES ? a->reason : TRACE_ABSENT_UNKNOWN];
	const char *name = a->error ? strerrorname_np((int)a->error) : NULL;

	/* The number comes out of a file: it need not be one that this system knows. */
	if (!a->error)
		snprintf(text, size, "%s", reason);
	else if (!name)
		snprintf(text, size, "%s: error %u", reason, a->error);
	else
		snprintf(text, size, "%s: %s (%s)", reason, name, strerrordesc_np((int)a->error));
	return text;
}

uint64_t trace_absent_total(const struct trace *trace)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < trace->absent_count; i++)
		total += trace->absent[i].count;
	return total;
}
