/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages beside the report. Libraries do not print: they add notes, and the command decides where
 * a line goes.
 */
#ifndef PERF_NOTES_H
#define PERF_NOTES_H

#include "base/vec.h"

enum perf_level {
	NOTE_INFO,    /* how the input was understood */
	NOTE_WARNING, /* the figures may not be what the reader expects */
};

struct perf_note {
	enum perf_level level;
	char *text;
};

struct perf_notes {
	VEC(struct perf_note);
};

/* A note is dropped if memory runs out. */
void perf_note(struct perf_notes *notes, enum perf_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void perf_notes_free(struct perf_notes *notes);

#endif
