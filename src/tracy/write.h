/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: the parts of the .tracy writer.
 *
 * The file has every table before its references, and a count before every list, so the trace is
 * read twice. The first pass (prepare) builds the tables: strings, source locations, threads,
 * attachments of zones, and the counts. The second pass writes. Memory is that of the tables; zones
 * are never held.
 */
#ifndef TRACY_WRITE_H
#define TRACY_WRITE_H

#include "base/map.h"
#include "sample/profile.h"
#include "tracy/by_track.h"
#include "tracy/container.h"
#include "tracy/strings.h"
#include "tracy/tracy.h"

#define SRCLOC_MAX   32767u           /* for each of the two tables */
#define STRING_MAX   ((1u << 24) - 2) /* addressable by 24 bits */
#define THREAD_MAX   65535u
#define LOCK_THREADS 64u
#define DEPTH_MAX    16384u /* Tracy reads zones recursively: as deep as its stack allows */

/* A source location as written: one of the trace, or several merged. */
struct out_srcloc {
	int64_t name, function, file; /* strings, -1 = none */
	uint32_t line, color;
	uint64_t zones, device_zones;
};

struct out_thread {
	uint64_t tid;    /* unique in the file */
	uint16_t number; /* in the list of threads */
	bool written;    /* there was room */
	uint64_t zones;
	uint64_t messages, first_message; /* in message_order */
	uint64_t runs;                    /* intervals on a CPU */
};

struct out_message {
	uint32_t thread; /* track or TRACE_NONE */
	uint32_t text;   /* string */
};

/* Totals of the rows of a track. */
struct out_rows {
	uint64_t n;           /* points, frames, allocations */
	double min, max, sum; /* plots */
};

struct out_section {
	int64_t start, end; /* ns; end -1: it has not ended */
	uint32_t text;      /* string + 1 */
	uint16_t category;
};

struct out_category {
	uint16_t number;
	uint32_t name; /* string + 1, 0 = none */
};

struct out_context {
	uint32_t process;
	uint64_t core; /* id without the RISC */
	int64_t name;  /* string */
	uint64_t zones;
	uint32_t first, count; /* in device_tracks */
};

struct zone_extra {
	uint32_t text, name, color; /* strings + 1, 0 = none; colour BGR */
	uint32_t stack;             /* of the trace, or 0 */
};

/* Samples, and the tables that they refer to. */
struct out_samples {
	uint64_t rows;           /* samples in the trace */
	struct profile *profile; /* NULL: there are none */
	int64_t period;          /* ns */
	struct {
		VEC(uint32_t);
	} stacks, frames;    /* nodes of the profile; frames have different addresses */
	struct map frame_of; /* addresses in frames */
	uint32_t *number_of; /* by node: index in stacks + 1, 0 = not there */
	struct {
		uint32_t name, file, image; /* strings + 1 */
	} * strings;                        /* by function */
	struct {
		int64_t ready, start, end, reference; /* ns; end 0: none */
		uint64_t ready_from, ready_end;       /* ticks, of the state before */
		uint8_t cpu;
	} run; /* second pass: held until the next state */
};

struct write {
	struct trace *trace;
	struct out out;
	bool old; /* 0.10.0, else 0.14.0 */
	struct tracy_notes *notes;
	int64_t origin;   /* nanoseconds of the trace at the file's time 0 */
	int64_t last;     /* latest time, never 0 */
	bool several;     /* processes: names are "process/name" */
	uint32_t process; /* the first with anything to show */
	struct strings strings;
	int16_t *srcloc;     /* by the trace's number */
	int16_t lock_srcloc; /* of locks without one; 0: not needed */
	int64_t *folded;     /* by the trace's number: the lost name, a string, or -1 */
	struct {
		VEC(struct out_srcloc);
	} srclocs; /* the first SRCLOC_MAX are static ones, ids from 1; the rest payload, from -1 */
	struct out_thread *threads; /* by track */
	uint32_t *order;            /* tracks by process: viewers show threads in this order */
	struct {
		VEC(uint64_t);
	} numbers;             /* tids by number; the first is 0 */
	struct out_rows *rows; /* by track */
	struct by_track by_track;
	struct {
		VEC(struct out_message);
	} messages;
	uint64_t *message_order; /* ids by thread */
	struct {
		VEC(uint32_t);
	} infos; /* strings */
	struct {
		VEC(struct zone_extra);
	} extras;
	uint64_t next_extra; /* second pass */
	uint64_t zones, parents, device_zones, device_parents;
	struct {
		VEC(struct out_context);
	} contexts;
	struct {
		VEC(uint32_t);
	} device_tracks;
	struct {
		uint64_t thread;
		int64_t time, text; /* text: a string, -1 = no crash */
	} crash;
	struct out_samples samples;
	uint64_t marks; /* of the first process's unnamed frame set */
	struct {
		VEC(uint64_t);
	} images; /* in the order of their rows: number of the frame's mark, 0 = left out */
	struct map image_of; /* mark to number of the image */
	uint32_t images_kept;
	struct {
		VEC(struct out_section);
	} sections;
	struct {
		VEC(struct out_category);
	} categories;
	struct map section_of; /* track << 32 | number to index in sections + 1 while it is open */
	int64_t *names;        /* by track: its name as a string */
	/* A served trace may grow: this much of it is in the tables. */
	uint32_t tracks_known, srclocs_known;
	struct map tids;       /* in use */
	uint32_t *context_of;  /* by track of a device's core: the context */
	struct map op_srclocs; /* location and op id to index in srclocs */
};

/* Nanoseconds in the file. */
static inline int64_t write_ns(const struct write *w, uint64_t ticks)
{
	return trace_ns(w->trace, ticks) - w->origin;
}

static inline uint32_t color_to_bgr(uint32_t rgb)
{
	return (rgb & 0xff) << 16 | (rgb & 0xff00) | (rgb >> 16 & 0xff);
}

/* A reference to a string of the list. */
static inline void out_ref(struct out *out, int64_t string)
{
	out_u64(out, string < 0 ? 0 : (uint64_t)string);
	out_u8(out, string < 0 ? 0 : 3);
}

/* The same to one known by its pointer. */
static inline void out_pointer(struct out *out, int64_t string)
{
	out_u64(out, string < 0 ? 0 : STRING_POINTER(string));
	out_u8(out, string < 0 ? 0 : 2);
}

/* ---- write.c */
/* Prepares time, names, threads and source locations: enough to serve the trace. */
int write_prepare(struct write *w);
void write_free(struct write *w);

/* ---- model.c: threads, names, source locations */
int model_prepare(struct write *w);
/* The same for additions to the trace. Assigned numbers stay. */
int model_grow(struct write *w);
/* The string of a name; POINTER: it will be referenced by pointer. */
int64_t model_string(struct write *w, const char *text, bool pointer);
/* The index of the location of the trace's SRCLOC while op ID runs; negative: none. */
int64_t model_op_srcloc(struct write *w, uint32_t srcloc, uint64_t id);
/* The same without creating one. */
int64_t model_find_op_srcloc(const struct write *w, uint32_t srcloc, uint64_t id);
/* The reference to the location of an index. */
int16_t model_srcloc_id(size_t index);
void model_put_strings(struct write *w);
void model_put_threads(struct write *w);
/*
 * The number of a device's track. 0.10 derives the RISC from it, later versions look it up like a
 * thread's.
 */
uint64_t model_device_tid(const struct write *w, uint32_t track);
void model_put_srclocs(struct write *w);

/* ---- write_images.c: frame images and sections. First pass, in order of time: */
void images_count_mark(struct write *w, uint32_t track);
int images_count(struct write *w, const struct trace_row *row, uint32_t track);
int sections_count(struct write *w, const struct trace_row *row, uint32_t track);
/* After it: */
int images_prepare(struct write *w);
/* The image of the frame that begins with mark number MARK (from 1); UINT32_MAX: none. */
uint32_t images_of_frame(const struct write *w, uint32_t track, uint64_t mark);
int images_put(struct write *w);
void sections_put(struct write *w);

/* ---- tree.c: the zones of a track as a tree */
struct tree_zone {
	int64_t start,
		end;     /* nanoseconds of the file; end -1: unfinished. See tree_visitor.leave */
	uint32_t srcloc; /* of the trace */
	uint32_t extras;
	uint32_t depth;
	uint64_t children;
	struct trace_cursor *cursor; /* for trace_cursor_extra() */
};

struct tree_visitor {
	int (*enter)(struct write *w, const struct tree_zone *zone, void *context);
	/* NULL: zones are only counted, and have no times, which take long to convert. */
	void (*leave)(struct write *w, const struct tree_zone *zone, void *context);
	/* Called first, with the number of root zones; or NULL. */
	int (*begin)(struct write *w, uint64_t zones, void *context);
};

int tree_walk(struct write *w, uint32_t track, const struct tree_visitor *visitor, void *context);

/* ---- write_zones.c */
/* Contexts and device_tracks only. */
int contexts_prepare(struct write *w);
/* Contexts and context_of for the tracks from FIRST on. */
int contexts_grow(struct write *w, uint32_t first);
int zones_prepare(struct write *w);
int zones_put(struct write *w);
int device_put(struct write *w);

/* ---- write_rows.c */
int rows_prepare(struct write *w);
int frames_put(struct write *w);
int messages_put(struct write *w);
int plots_put(struct write *w);
/* ---- write_samples.c: samples, stacks, symbols, switches. After rows_prepare(). */
int samples_prepare(struct write *w);
/* The file's number of a stack of the trace; 0: none. */
uint32_t samples_stack(const struct write *w, uint64_t node);
void samples_free(struct write *w);
int samples_put_thread(struct write *w, uint32_t track);
void samples_put_stacks(struct write *w);
int samples_put_switches(struct write *w);
void samples_put_symbols(struct write *w);

/* ---- write_pairs.c: paired rows */
int locks_put(struct write *w);
int memory_put(struct write *w);

#endif
