/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names for addresses: functions, inlined functions, files and lines, from symbol tables and
 * debugging information (elfutils). Libraries that read files of a sampled program run in a child
 * process, which cannot harm the recorder: if it dies or takes too long, addresses simply have no
 * names.
 */
#ifndef SAMPLE_SYMBOLS_H
#define SAMPLE_SYMBOLS_H

#include "trace/trace.h"

struct symbols;
struct symbols *symbols_new(void);
void symbols_free(struct symbols *s);

/* Uses MODULE, STACK and SYMBOL rows; ignores other rows. */
int symbols_note(struct symbols *s, const struct trace_row *row);

/*
 * Finds names for all addresses that have none, and passes them to ADD as TRACE_ROW_SYMBOL rows
 * with the time TIME. Returns 0 or the result of ADD; names that cannot be found are not an error.
 */
int symbols_resolve(struct symbols *s, uint64_t time,
		    int (*add)(void *context, const struct trace_row *row), void *context);

#endif
