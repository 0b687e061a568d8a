/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: the parts of the .tracy reader. It makes one pass from the first byte to the last; every
 * section of the body is a function in the table of read.c. Tables (strings, source locations,
 * attachments of zones) are held in memory; zones and most rows go straight to the trace.
 *
 * Counts are untrusted: memory is allocated only for elements that were really in the file, within
 * a budget for all of them that depends on the file's size.
 */
#ifndef TRACY_READ_H
#define TRACY_READ_H

#include "base/map.h"
#include "tracy/container.h"
#include "tracy/sink.h"
#include "tracy/stacks.h"
#include "tracy/tracy.h"

#define TRACY_VERSION(major, minor, patch) ((major) << 16 | (minor) << 8 | (patch))

/* The tick of time 0 of the file: some events start slightly before it. */
#define READ_ORIGIN (1ull << 41)

struct read_string {
	size_t at; /* in text; NUL-terminated */
	uint32_t len;
};

struct read_extra {
	uint32_t text, name, color; /* strings + 1, 0 = none */
};

struct read_message {
	uint64_t id;
	uint64_t time;
	uint32_t text; /* string + 1 */
	uint32_t color;
	uint32_t thread; /* track */
	uint32_t severity;
};

/* A plot, lock or memory pool. */
struct read_track {
	struct trace_track info;
	uint32_t track;
};

struct read_thread {
	uint64_t tid;
	struct trace_track info;
	uint32_t track;
};

/* Samples and stacks are held until their frames are known: see read_samples.c. */
struct read_sample {
	uint64_t time;
	uint32_t track, stack;
};

struct read_stack {
	uint64_t first; /* in stack_frames */
	uint32_t depth, node;
	bool resolved; /* node is known; 0: no frame is */
};

struct read_image {
	uint32_t image;
	uint64_t time; /* of the frame */
};

struct read_section {
	uint64_t time;
	uint32_t number, text; /* text: string + 1 */
	uint16_t category;
	uint8_t op; /* enum trace_section_op */
};

/* Ids of tracks of kind TRACE_OTHER. */
enum { READ_IMAGES = 1 << 20, READ_SECTIONS };

struct read {
	struct in in;
	struct sink sink;
	const char *path;
	struct tracy_notes *notes;
	uint32_t version;
	uint64_t budget;
	int64_t last; /* time of the last event, from the header */
	uint32_t process;
	uint32_t pid;
	uint32_t messages_track;

	struct buf text;
	struct {
		VEC(struct read_string);
	} strings;
	struct map by_address;   /* address of a string to its number */
	struct map by_pointer;   /* pointer to a number */
	struct map thread_names; /* tid to a number */
	struct {
		VEC(struct read_thread);
	} threads;
	struct map thread_of; /* tid to index in threads */
	struct {
		VEC(struct read_track);
	} tracks;
	struct {
		VEC(uint64_t);
	} numbers;                 /* tid by compressed number */
	struct map number_of;      /* the inverse */
	struct map static_srclocs; /* address to index in srclocs */
	struct {
		VEC(uint32_t);
	} srclocs, payload; /* ids in the trace; srclocs by the index of the list of addresses */
	struct {
		VEC(uint32_t);
	} fixed; /* ids in the trace, in the order of the file */
	struct {
		VEC(struct read_extra);
	} extras;
	struct {
		VEC(struct read_message);
	} messages;
	struct map message_of; /* id to index */
	struct {
		uint32_t track;
		uint64_t pointer;
		struct trace_track info;
	} * frame_sets; /* named once the strings are known */
	size_t frame_set_count;
	struct {
		uint64_t thread, message;
		int64_t time;
	} crash;
	int64_t period; /* of samples, ns */
	uint32_t images_track, sections_track;
	struct {
		VEC(struct read_image);
	} images; /* of frames */
	struct {
		VEC(struct read_section);
	} sections;
	uint64_t section_count;
	struct {
		VEC(struct read_sample);
	} samples;
	struct {
		VEC(struct read_stack);
	} stacks;
	struct {
		VEC(uint64_t);
	} stack_frames, keys; /* addresses; frames of the trace, module << 48 | offset */
	struct stacks rows;   /* of stacks, and what they refer to */
	struct map frame_of;  /* address to index in keys */
	struct map pids;      /* tid to pid, including other processes */
};

static inline bool read_ok(const struct read *r)
{
	return !r->in.error.code && !r->sink.error;
}

/* Takes BYTES off the budget; false if it is exhausted, which is an error of the file. */
bool read_spend(struct read *r, size_t bytes);

/* A tick of the trace. Absurd values are clamped. */
static inline uint64_t read_tick(int64_t ns)
{
	if (__builtin_expect(ns < -(int64_t)READ_ORIGIN, 0))
		return 0;
	if (__builtin_expect(ns > 1ll << 50, 0))
		return READ_ORIGIN + (1ull << 50);
	return READ_ORIGIN + (uint64_t)ns;
}

/* Adds a delta to a running reference. */
static inline int64_t read_delta(struct read *r, int64_t *reference)
{
	*reference = (int64_t)((uint64_t)*reference + (uint64_t)in_i64(&r->in));
	return *reference;
}

static inline uint32_t color_from_bgr(uint32_t bgr)
{
	return (bgr & 0xff) << 16 | (bgr & 0xff00) | (bgr >> 16 & 0xff);
}

/*
 * String NUMBER + 1 of the list, "" for 0; *LEN may be NULL. Valid until the next string is read.
 */
const char *read_string(const struct read *r, uint32_t number, uint32_t *len);
/* The number + 1 of the string with a pointer; 0 if there is none. */
uint32_t read_pointer(const struct read *r, uint64_t pointer);
/* Reads a 9-byte reference: number + 1 of its string. */
uint32_t read_ref(struct read *r);
/* The track of a thread; created on first use. */
uint32_t read_thread(struct read *r, uint64_t tid);
/* The same by compressed number. */
uint32_t read_number(struct read *r, uint16_t number);
/* The trace's source location of a 16-bit id. */
uint32_t read_srcloc(struct read *r, int16_t id);

/* ---- read.c; for fuzz targets too */
void read_free(struct read *r);
/* ---- read_tables.c */
void read_strings(struct read *r);
void read_pointers(struct read *r);
void read_thread_names(struct read *r);
void read_external_names(struct read *r);
void read_thread_numbers(struct read *r);
void read_external_threads(struct read *r);
void read_static_srclocs(struct read *r);
void read_srcloc_list(struct read *r);
void read_payload_srclocs(struct read *r);
void read_zone_counts(struct read *r);
void read_extras(struct read *r);
/* ---- read_zones.c */
void read_zones(struct read *r);
void read_device(struct read *r);
/* ---- read_rows.c */
void read_frames(struct read *r);
void read_locks(struct read *r);
void read_messages(struct read *r);
void read_plots(struct read *r);
void read_memory(struct read *r);
void read_app_info(struct read *r);
/* Messages are held until their threads are known. */
void read_finish_rows(struct read *r);
/* ---- read_images.c */
/* Frame at TIME has IMAGE, UINT32_MAX: none. */
void read_images_frame(struct read *r, uint32_t image, uint64_t time);
void read_images(struct read *r);
void read_old_sections(struct read *r);
void read_sections(struct read *r);
/* Sections are held until the strings are known. */
void read_finish_sections(struct read *r);
/* ---- read_samples.c */
void read_samples(struct read *r, uint32_t track);
void read_callstacks(struct read *r);
void read_callstack_frames(struct read *r);
void read_switches(struct read *r);
/* ---- read_rest.c: sections without a place in the model are counted */
void read_cpu_switches(struct read *r);
void read_pids(struct read *r);
void read_cpu_threads(struct read *r);
void read_symbols(struct read *r);
void read_symbol_code(struct read *r);
void read_code_map(struct read *r);
void read_hardware(struct read *r);
void read_sources(struct read *r);
/* Assigns threads and other tracks of other processes to a process. */
void read_finish_processes(struct read *r);

#endif
