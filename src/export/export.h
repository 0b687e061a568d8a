/*
 * What a trace looks like outside: zones with all that belongs to them, rows folded into spans
 * (frames, locks, memory), and files in other formats. Everything is read as a stream: memory does
 * not grow with the number of zones or rows, but for allocations that are alive at one time.
 *
 * Functions return 0 (or 1 for "here is one") or a negative enum tacho_err. A stream, a fold or a
 * table is used by one thread at a time.
 */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include "base/buf.h"
#include "base/map.h"
#include "base/pattern.h"
#include "base/progress.h"
#include "base/table.h"
#include "base/vec.h"
#include "trace/trace.h"

#include <stdio.h>

/* ---------------------------------------------------------------- choosing */

struct export_filter {
	struct trace_filter in;     /* times, tracks, source locations */
	const struct pattern *name; /* a zone's own name may match instead of its source location */
	bool overlap;          /* zones that reach into the time, not only those that start in it */
	uint64_t min_duration; /* ticks */
};

/* Does the filter take rows of this track, made by this thread? */
bool export_takes(const struct export_filter *f, uint32_t track, uint32_t thread);

/* ------------------------------------------------------------------- zones */

struct export_zone {
	struct trace_zone zone;
	uint32_t lane, track;
	uint64_t self;     /* ticks; 0 unless it was asked for */
	uint32_t color;    /* its own, else of its source location, else 0 */
	struct buf name;   /* its own, else of its source location */
	struct buf text;   /* its texts, a line each */
	struct buf values; /* its values, separated by blanks */
};

struct export_zones;

/* Zones by start, parents before children. FILTER must outlive the stream. */
int export_zones_open(struct export_zones **s, struct trace *trace,
		      const struct export_filter *filter, bool self);
/* 1 and *ZONE, valid until the next call; 0 at the end. */
int export_zones_next(struct export_zones *s, struct export_zone **zone);
void export_zones_close(struct export_zones *s);

/* A table of zones: the same columns for the verb and for the CSV file. */
void export_zone_table(struct table *t, FILE *out, const struct table_style *style);
int export_zone_row(struct table *t, const struct trace *trace, const struct export_zone *zone);

/* ------------------------------------------------------------------- folds */

/* Frames of one set: from mark to mark, or from start to end. */
struct export_frames {
	bool pairs; /* track.format: rows have their end */
	bool started;
	uint64_t last; /* the last mark */
	uint64_t count;
};

struct export_frame {
	uint64_t number; /* from 0 */
	uint64_t start, end;
};

/* 1 when the row completes a frame. */
int export_frames_row(struct export_frames *f, const struct trace_row *row,
		      struct export_frame *frame);

/* One lock: how long threads waited for it and held it. */
struct export_lock_use {
	uint32_t thread;
	uint32_t depth; /* how often this thread holds it */
	bool waiting, shared;
	uint64_t waits_since, holds_since;
};

struct export_lock {
	uint64_t obtained;
	uint64_t waits, wait_total, wait_max; /* ticks */
	uint64_t holds, hold_total, hold_max; /* ticks */
	struct {
		VEC(struct export_lock_use);
	} uses;
	struct map by_thread; /* thread to index in uses */
	struct {
		VEC(uint32_t);
	} holders; /* indices in uses, of the threads that hold it now */
};

/* A time in which one thread waited for the lock or held it. */
struct export_lock_span {
	bool held; /* else: waited */
	bool shared;
	bool ended; /* else: it begins, and the end is not known */
	bool again; /* it begins in place of a wait that was given up */
	uint32_t thread;
	uint64_t start, end;
};

/*
 * Takes a row and reports each span that begins or ends with it. A thread records that it has
 * released a lock when the next one may have it already, and the record may be lost, so a hold
 * ends at the latest when another thread obtains the lock and one of the two is exclusive. A thread
 * that waits anew without having obtained the lock gave up the wait before (a try with a timeout).
 */
typedef int export_lock_fn(void *context, const struct export_lock_span *span);
int export_lock_row(struct export_lock *l, const struct trace_row *row, export_lock_fn *take,
		    void *context);
void export_lock_free(struct export_lock *l);

/* Ticks of the self time of one zone in which its thread waited for locks. A zone may have several.
 */
struct export_wait {
	uint32_t track, depth, srcloc;
	uint64_t start; /* of the zone */
	uint64_t ticks;
};

struct export_waits_options {
	int (*take)(void *context, const struct export_wait *wait);
	bool (*stop)(void *context); /* asked now and then; NULL: never */
	void *context;
};

/* All waits that have ended. Zones of one track come in the order of the waits. Needs memory for
 * each wait. */
int export_waits(struct trace *t, const struct export_waits_options *o);

/* Moves lock waits from .self to .wait of statistics that were made with FILTER. */
int export_stats_waits(struct trace *t, const struct trace_filter *filter, struct trace_stat *stats,
		       size_t count);
/* The same when the ticks of each source location are known. */
void export_stats_split(struct trace_stat *stats, size_t count, const uint64_t *by_srcloc);

/* ------------------------------------------------------------------- cores */

/* By source location: 1 if its zones are the kernels of RISCs. To be freed; NULL: no memory. */
uint8_t *export_kernels(const struct trace *t);

/* The time of a device: from the start of its first zone to the end of its last, in one process or
 * in all (TRACE_NONE). False: it has none. */
bool export_device_times(const struct trace *t, uint32_t device, uint32_t process, uint64_t *first,
			 uint64_t *last);

struct export_busy_options {
	const uint8_t *kernels;      /* of export_kernels() */
	uint64_t t0, t1;             /* a part of the device's time */
	bool (*stop)(void *context); /* asked now and then; NULL: never */
	void *context;
};

struct export_busy {
	uint64_t ticks;   /* of [t0, t1) in which any RISC ran a kernel */
	uint64_t kernels; /* sum over all RISCs of the kernels that start there */
};

/*
 * LANES are those of all RISCs of one core. A core is busy for ticks / (t1 - t0) of the time, a
 * device for the mean of its cores: never more than all of it.
 */
int export_core_busy(struct trace *t, const uint32_t *lanes, size_t count,
		     const struct export_busy_options *o, struct export_busy *busy);

/* One memory pool: what is alive now, and how much there was at most. */
struct export_allocation {
	uint64_t address, bytes, time;
	uint64_t number; /* of the pool's allocations, from 0 */
	uint32_t thread;
	bool used;
};

struct export_pool {
	uint64_t allocs, frees;
	uint64_t unknown_frees; /* of addresses that were not alive */
	uint64_t replaced;      /* allocated again without a free between */
	uint64_t bytes, peak, total;
	uint64_t alive;
	struct export_allocation *slots; /* hash by address; those with .used are alive */
	size_t slot_count;               /* a power of two, or 0 */
};

int export_pool_row(struct export_pool *p, const struct trace_row *row);
/* What is alive at an address, or NULL. */
const struct export_allocation *export_pool_at(const struct export_pool *p, uint64_t address);
void export_pool_free(struct export_pool *p);

/* ------------------------------------------------------------------- lists */

/*
 * Tables of what a trace has few of. At most MOST rows are printed (0 = all). Return the number of
 * rows there are, or an error.
 */
typedef int64_t export_list(FILE *out, const struct table_style *style, const struct trace *trace,
			    size_t most);
export_list export_properties, export_processes, export_threads, export_tracks, export_srclocs;

/* ------------------------------------------------------------------- names */

/* The words of a severity, a loss, a lock operation; "?" for numbers that are none. */
const char *export_severity(uint64_t severity);
const char *export_loss(uint64_t reason);
const char *export_lock_op(uint64_t op);
const char *export_row_kind(uint32_t kind);
const char *export_track_kind(uint32_t kind);

/* "0", "signal 9", "running", "unknown". TEXT has FMT_SIZE bytes. */
const char *export_exit(const struct trace_process *process, char *text);

/* "#rrggbb", or "" for 0. TEXT has FMT_SIZE bytes. */
const char *export_color(uint32_t color, char *text);

/* "unfinished", "end lost" or "". */
const char *export_zone_state(uint32_t flags);

/* The name to show for a track: its own, else "thread 123" and the like. TEXT has SIZE bytes. */
const char *export_track_name(const struct trace *trace, uint32_t track, char *text, size_t size);

/* The process of a track and a source location by its id; blank ones for ids that are none. */
const struct trace_process *export_process(const struct trace *trace, uint32_t track);
const struct trace_srcloc *export_srcloc(const struct trace *trace, uint32_t srcloc);

/* The value of a plot row as a double. */
double export_plot_value(const struct trace_row *row);

/* ------------------------------------------------------------------- files */

enum export_format { EXPORT_CHROME, EXPORT_CSV, EXPORT_JSON };

/* Writes the trace to OUT. A write error is TACHO_EWRITE. */
int export_write(FILE *out, struct trace *trace, enum export_format format,
		 const struct export_filter *filter, struct progress *progress);

/* What has no place in a trace. */
struct export_notes {
	uint64_t left_out; /* events of kinds that are not kept, or that make no sense */
	uint64_t cut;      /* zones that reached over the end of the one they began in */
};

/*
 * Adds what a Chrome trace (JSON: complete, begin, end, instant, counter and metadata events) holds
 * to W. On TACHO_EDAMAGED what stands before the damage has been added, and W may be closed.
 */
int export_chrome_import(struct trace_writer *w, int fd, const char *path,
			 struct export_notes *notes, struct tacho_error *err);
/* Does PATH begin like JSON? Any error means no. */
bool export_chrome_is(const char *path);

#endif
