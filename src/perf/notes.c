/* SPDX-License-Identifier: Apache-2.0 */
/* Collects notes, which the command prints. */
#include "perf/notes.h"

#include <stdarg.h>
#include <stdio.h>

void perf_note(struct perf_notes *notes, enum perf_level level, const char *format, ...)
{
	struct perf_note note = {.level = level};
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(&note.text, format, args);
	va_end(args);
	if (n >= 0 && vec_push(notes, note) < 0)
		free(note.text);
}

void perf_notes_free(struct perf_notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		free(notes->v[i].text);
	vec_free(notes);
}
