/* SPDX-License-Identifier: Apache-2.0 */
/* The progress line: only on a terminal, only after a second. */
#include "base/progress.h"
#include "base/now.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define FIRST_NS    1000000000
#define INTERVAL_NS 100000000

void progress_start(struct progress *p, bool quiet)
{
	p->enabled = !quiet && isatty(STDERR_FILENO);
	p->shown = false;
	p->start_ns = now_ns();
	p->next_ns = p->start_ns + FIRST_NS;
}

bool progress_due(const struct progress *p)
{
	return p->enabled && now_ns() >= p->next_ns;
}

void progress_update(struct progress *p, const char *format, ...)
{
	char line[160];
	uint64_t t;
	va_list args;

	if (!progress_due(p))
		return;
	t = now_ns();
	p->next_ns = t + INTERVAL_NS;
	p->shown = true;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	fprintf(stderr, "\r%.1f s  %s\033[K", (double)(t - p->start_ns) / 1e9, line);
	fflush(stderr);
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
