/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one progress line: on stderr, only on a terminal, only when the work has taken a second, and
 * wiped when the work is done.
 *
 *	struct progress p;
 *	progress_start(&p, common->quiet);
 *	while (work)
 *		progress_update(&p, "%s zones", fmt_count(text, n));
 *	progress_end(&p);
 *
 * An update costs a read of the clock; a tight loop calls it every few thousand turns. A zeroed one
 * has not been started: its updates do nothing.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool enabled;
	bool shown;
	uint64_t start_ns, next_ns; /* now_ns(): of progress_start(), of the next line */
};

/* Progress lines go to stderr, if that is a terminal and not QUIET. */
void progress_start(struct progress *p, bool quiet);

/* True if a line is due: for callers whose text is expensive to make. */
bool progress_due(const struct progress *p);

/* Prints the line with the elapsed time before it, at most ten times a second. */
void progress_update(struct progress *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Wipes the line. */
void progress_end(struct progress *p);

#endif
