/* SPDX-License-Identifier: Apache-2.0 */
/* Private: a decoded row block. */
#ifndef TRACE_ROWS_H
#define TRACE_ROWS_H

#include "trace/reader.h"

struct rblock {
	uint64_t offset;
	uint32_t references;
	uint32_t n;
	uint64_t *columns[ROW_COLUMNS]; /* one allocation; the last holds where each text ends */
	struct buf text;
};

/* A new one with one reference, or an error; rblock_put() drops a reference. */
int rblock_read(struct trace_private *p, uint64_t offset, struct rblock **block);
void rblock_put(struct rblock *b);
/* Drops the blocks that were decoded last. */
void rblocks_forget(struct trace_private *p);

/* Row I with its ids made sound; kind TRACE_ROW_KINDS when it is of a kind not known here. */
void rblock_row(const struct trace_private *p, const struct rblock *b, uint32_t i,
		struct trace_row *row);

#endif
