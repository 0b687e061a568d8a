/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a trace file in memory, for the fuzz targets of src/trace: opens it and reads every
 * byte that the reader returns. Fuzz builds do not compare checksums, since no fuzzer guesses them.
 */
#ifndef FUZZ_TRACE_BYTES_H
#define FUZZ_TRACE_BYTES_H

#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* A small file may contain many zones: reading them all finds nothing new. */
#define ENOUGH 10000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink; /* reads every byte that the reader returns */

static inline void use_bytes(const void *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		sink += ((const uint8_t *)bytes)[i];
}

static inline void use_text(const char *s)
{
	while (*s)
		sink += (uint8_t)*s++;
}

static inline void use_model(const struct trace *t)
{
	for (uint32_t i = 0; i < t->process_count; i++) {
		use_text(t->processes[i].name);
		use_text(t->processes[i].command);
	}
	for (uint32_t i = 0; i < t->track_count; i++) {
		use_text(t->tracks[i].name);
		use_text(t->processes[t->tracks[i].process].name);
		sink += t->ledgers[i].rows_lost;
		if (t->tracks[i].srcloc != TRACE_NONE)
			use_text(trace_srcloc_name(t, t->tracks[i].srcloc));
	}
	for (uint32_t i = 0; i < t->srcloc_count; i++)
		use_text(t->srclocs[i].file);
	for (uint32_t i = 0; i < t->property_count; i++)
		use_text(t->properties[i].value);
	sink += (uint64_t)(trace_ns(t, t->end) + trace_realtime_ns(t, t->end));
	sink += trace_ticks(t, 1000) + (trace_duration_ns(t, t->start, t->end) > 0);
}

static inline void use_zones(struct trace *t)
{
	struct trace_walk *w;
	struct trace_zone z;
	struct trace_extra x;
	uint32_t lane;

	if (trace_walk_open(&w, t, TRACE_NONE, 0, UINT64_MAX) < 0)
		return;
	for (int n = 0; n < ENOUGH && trace_walk_next(w, &z, &lane) > 0; n++) {
		use_text(t->srclocs[z.srcloc].name);
		for (uint32_t i = 0; i < z.extras; i++)
			if (trace_cursor_extra(trace_walk_cursor(w), i, &x) == 0)
				use_bytes(x.text, x.len);
	}
	trace_walk_close(w);
}

static inline void use_rows(struct trace *t)
{
	struct trace_rows *r;
	struct trace_row row;
	uint32_t track;

	if (trace_rows_open(&r, t, TRACE_NONE, 0, UINT64_MAX) < 0)
		return;
	for (int n = 0; n < ENOUGH && trace_rows_next(r, &row, &track) > 0; n++) {
		use_bytes(row.text, row.text_len);
		use_text(t->tracks[track].name);
	}
	trace_rows_close(r);
}

/* One file for all inputs, with SIZE bytes of DATA. */
static inline int bytes_file(const uint8_t *data, size_t size, const char **path)
{
	static char name[64];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("trace", MFD_CLOEXEC);
		snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	}
	if (fd < 0 || ftruncate(fd, 0) < 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	*path = name;
	return fd;
}

#endif
