/* SPDX-License-Identifier: Apache-2.0 */
/* Private: read Chrome traces. */
#ifndef IMPORT_CHROME_READ_H
#define IMPORT_CHROME_READ_H

#include "base/buf.h"
#include "base/jread.h"
#include "base/map.h"
#include "base/vec.h"
#include "import/import.h"

struct chrome_events;

int chrome_events_open(struct chrome_events **events, int fd, const char *path);
/*
 * Returns 1 and an event, valid until the next call; 0 at the end. TACHO_EDAMAGED if the file is
 * truncated or malformed; earlier events are sound.
 */
int chrome_events_next(struct chrome_events *events, const struct jread_value **event,
		       struct tacho_error *err);
void chrome_events_close(struct chrome_events *events);

/* Metadata of a file, outside of the events. Read to its end after the last event. */
struct chrome_head {
	int64_t rank, world; /* -1: unknown */
	int64_t base_ns;     /* real time of time 0; 0: unknown */
};
const struct chrome_head *chrome_events_head(const struct chrome_events *events);

/* A collected zone. */
struct chrome_zone {
	int64_t start, end;                             /* ns */
	uint32_t track, srcloc;                         /* async: number of the chain */
	uint32_t text;                                  /* offset in texts; 0: none */
	uint32_t unfinished : 1, async : 1, order : 30; /* in the file */
};

/* Asynchronous events of one id; they nest. Chains that do not overlap share a track. */
struct chrome_chain {
	uint32_t process, srcloc; /* of its first zone */
	uint32_t name;            /* offset in texts */
	uint32_t track;           /* assigned by chrome_chains_place() */
	int64_t first, last;
	struct {
		VEC(uint32_t);
	} open; /* open zones */
};

struct chrome_row {
	int64_t time;
	uint32_t track, thread; /* of our lists */
	uint32_t kind;
	uint32_t text, len;
	uint8_t step; /* flow: enum trace_flow_step */
	bool next;    /* flow: of the zone that begins next */
	union {
		double value;
		uint64_t flow; /* ends of one flow have the same; reused by later flows */
	};
};

struct chrome_process {
	int64_t pid;
	char *name;
	uint32_t messages; /* track, or TRACE_NONE */
};

struct chrome_track {
	uint32_t process, kind;
	int64_t tid;
	char *name;
	struct {
		VEC(uint32_t);
	} open; /* open zones */
	struct trace_ledger ledger;
};

struct chrome_reader {
	struct trace_writer *w;
	struct import_notes *notes;
	struct {
		VEC(struct chrome_zone);
	} zones;
	struct {
		VEC(struct chrome_row);
	} rows;
	struct {
		VEC(struct chrome_process);
	} processes;
	struct {
		VEC(struct chrome_track);
	} threads;
	struct {
		VEC(struct chrome_chain);
	} chains;
	struct map by_pid, by_tid, plots, by_async;
	struct buf texts; /* NUL-terminated */
	int64_t first, last;
};

/* chrome_read.c */
uint64_t chrome_pair_key(uint32_t a, uint64_t b);
int chrome_track_add(struct chrome_reader *r, uint32_t process, uint32_t kind, int64_t tid,
		     char *name, uint32_t *track);
int chrome_text_add(struct chrome_reader *r, const char *text, size_t len, uint32_t *offset);

/* chrome_async.c. A key of an event's category and id, of flows also of its name. */
uint64_t chrome_async_key(const struct jread_value *event, bool flow);
/* The chain with the key in a process; made on first use. */
int chrome_chain_of(struct chrome_reader *r, uint32_t process, uint64_t key, uint32_t *chain);
/* Gives all chains a track, and their zones the number of it. */
int chrome_chains_place(struct chrome_reader *r);
/* Numbers flows; rows are sorted by time. */
int chrome_flows_number(struct chrome_reader *r);

/* chrome_write.c: writes all of it to the trace. */
int chrome_write(struct chrome_reader *r, const struct chrome_head *head, const char *path);

#endif
