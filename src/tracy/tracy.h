/*
 * Tracy interoperability: its files, its wire protocol, its command-line tools. docs/tracy.md tells
 * users what is kept and what is not.
 *
 *	tracy_write()		a trace becomes a .tracy file (body 0.10.0)
 *	tracy_import()		a .tracy file (0.9.0 to 0.14.0) becomes a trace
 *	tracy_open_any()	opens either kind for reading
 *
 * Nothing here prints. What a format cannot hold is counted in a struct tracy_notes.
 */
#ifndef TRACY_TRACY_H
#define TRACY_TRACY_H

#include "trace/trace.h"

#include <stdio.h>

/* What had no place on the other side. A tool prints "N TEXT" for each that is not 0. */
#define TRACY_NOTES(X)                                                                             \
	X(FOLDED, "source locations were merged into their functions")                             \
	X(STRINGS, "texts were left out: the format has room for 16 million")                      \
	X(THREADS, "threads were left out: the format has room for 65,535")                        \
	X(ORPHANS, "zones without a parent were left out")                                         \
	X(DEVICE_EXTRAS, "texts of device zones were left out")                                    \
	X(LOCK_THREADS, "lock events were left out: the format has room for 64 threads per lock")  \
	X(FREES, "frees of memory that was never allocated were left out")                         \
	X(POINTS, "plot points that are not numbers were left out")                                \
	X(LOSSES, "records of losses were left out")                                               \
	X(CALLSTACKS, "call stacks were left out")                                                 \
	X(SAMPLES, "call stack samples were left out")                                             \
	X(SWITCHES, "context switches were left out")                                              \
	X(SYMBOLS, "symbols were left out")                                                        \
	X(IMAGES, "frame images were left out")                                                    \
	X(SOURCES, "source files were left out")                                                   \
	X(SECTIONS, "sections were left out")                                                      \
	X(TIMELESS, "device zones without times were left out")                                    \
	X(MISMATCHED, "zone ends without a beginning were left out")                               \
	X(OTHERS, "items of other kinds were left out")

enum tracy_note {
#define X(name, text) TRACY_NOTE_##name,
	TRACY_NOTES(X)
#undef X
	TRACY_NOTE_COUNT
};

struct tracy_notes {
	uint64_t n[TRACY_NOTE_COUNT];
};

const char *tracy_note_text(enum tracy_note note);

/* -------------------------------------------------------------------- files */

struct tracy_write_options {
	int level;    /* 0: LZ4, read by every version; 1..19: Zstd, read from 0.11.0 on */
	int gpu_type; /* the type of device contexts; 0 = 6, tt_device of the 0.10 line */
};

/* Writes TRACE to FD; PATH is for messages. *NOTES is added to. */
int tracy_write(struct trace *trace, int fd, const char *path,
		const struct tracy_write_options *options, struct tracy_notes *notes,
		struct tacho_error *err);

/*
 * Adds all that the .tracy file holds to W. FD is at its start. On TACHO_EDAMAGED what stands before
 * the damage has been added, and W may be closed.
 */
int tracy_import(struct trace_writer *w, int fd, const char *path, struct tracy_notes *notes,
		 struct tacho_error *err);

/* Does PATH begin like a .tracy file? Any error means no. */
bool tracy_is_file(const char *path);

/*
 * trace_open() for .tracy files too: those are converted into a file that goes away by itself. A
 * damaged one opens as far as it goes; trace->damage tells. NOTES may be NULL.
 */
int tracy_open_any(struct trace **trace, const char *path, struct tracy_notes *notes,
		   struct tacho_error *err);

/* ---------------------------------------------------------------------- csv */

/* The columns of a list of zones differ between the versions of csvexport. */
enum tracy_csv_layout {
	TRACY_CSV_TT,       /* Tenstorrent's, from 0.12.4 on: ... thread,value,special_parent_text */
	TRACY_CSV_TT10,     /* Tenstorrent's 0.10: the same without value */
	TRACY_CSV_UPSTREAM, /* 0.14: name,src_file,src_line,ns_since_start,exec_time_ns,thread,value */
};

struct tracy_csv_options {
	int layout;             /* enum tracy_csv_layout */
	const char *separator;  /* NULL = "," */
	const char *filter;     /* names that contain it; NULL = all */
	bool case_sensitive;    /* of filter */
	bool self;              /* times without those of zones inside */
	bool unwrap;            /* a row per zone instead of a row per source location */
	bool plots;             /* with unwrap: points of plots and memory too */
	bool messages, devices; /* instead of zones */
	bool tid;               /* the system's thread ids instead of numbers */
	const char *special;    /* names separated by commas whose parent is asked for */
	const char *parent;     /* what the parent's name contains */
};

/*
 * Writes what csvexport writes of a trace. Source locations come by their total time, zones by
 * their start. Text that would break a row is quoted, but for messages, whose readers want them raw.
 */
int tracy_csv(struct trace *trace, FILE *file, const struct tracy_csv_options *options,
	      struct tacho_error *err);

#endif
