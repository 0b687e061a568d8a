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

/* A collected zone. */
struct chrome_zone {
	int64_t start, end; /* ns */
	uint32_t track, srcloc;
	uint32_t text;                       /* offset in texts; 0: none */
	uint32_t unfinished : 1, order : 31; /* in the file */
};

struct chrome_row {
	int64_t time;
	uint32_t track, thread; /* of our lists */
	uint32_t kind;
	uint32_t text, len;
	double value;
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
	struct map by_pid, by_tid, plots;
	struct buf texts; /* NUL-terminated */
	int64_t first, last;
};

/* chrome_write.c: writes all of it to the trace. */
int chrome_write(struct chrome_reader *r, const char *path);

#endif
