/* SPDX-License-Identifier: Apache-2.0 */
/* A small trace and ops report for fuzz targets that query them. */
#ifndef FUZZ_MODEL_TRACE_H
#define FUZZ_MODEL_TRACE_H

#include "trace/trace.h"

#include <stdlib.h>
#include <unistd.h>

static inline void model_zones_write(struct trace_writer *w, uint32_t track, uint32_t srclocs)
{
	struct trace_extra extra = {.kind = TRACE_EXTRA_TEXT, .len = 4, .text = "text"};
	uint64_t at = 1000000;

	for (uint32_t i = 0; i < 200; i++) {
		for (uint32_t depth = 3; depth-- > 0;)
			trace_lane_add_full(w, trace_lane(w, track, depth), at + depth * 100,
					    at + 1000 - depth * 100, (i + depth) % srclocs, 0,
					    i == 199 ? TRACE_ZONE_UNFINISHED : 0, &extra,
					    i % 3 == 0);
		at += 1500;
	}
}

/* A trace with a little of everything. */
static inline void model_trace_write(const char *path)
{
	struct trace_writer_options options = {.force = true};
	struct trace_process p = {.pid = 1, .start = 1, .name = "p", .command = "p"};
	struct trace_writer *w;

	if (trace_writer_open(&w, path, &options, NULL) < 0)
		abort();
	trace_set_property(w, "ticks per second", "1000000000");
	trace_set_property(w, "device 0 of 1", "{\"device\":0,\"cores\":[[1,1,0,0,\"worker\"]]}");
	trace_add_process(w, &p);
	for (uint32_t i = 0; i < 5; i++) {
		struct trace_srcloc s = {"zone", "f", "/etc/passwd", i, 0};

		trace_add_srcloc(w, &s);
	}
	for (uint32_t kind = 0; kind < TRACE_TRACK_KINDS; kind++) {
		struct trace_track t = {.kind = kind,
					.srcloc = TRACE_NONE,
					.id = kind == TRACE_CORE ? TRACE_CORE_ID(0, 1, 1, 0) : 0,
					.name = kind == TRACE_CORE
							? "Device 0, core 0,0 (NoC 1,1)/BRISC"
							: "Device 0 clock"};

		trace_add_track(w, &t);
		if (kind <= TRACE_CORE)
			model_zones_write(w, kind, 5);
		for (uint32_t row = 0; row < 4 * TRACE_ROW_KINDS && kind > TRACE_CORE; row++) {
			struct trace_row r = {.time = 1000000 + row * 1000,
					      .kind = row % TRACE_ROW_KINDS,
					      .thread = 0,
					      .a = row % 6,
					      .b = row,
					      .text = "TT_SIGNPOST: head\nmessage",
					      .text_len = 25};

			trace_add_row(w, kind, &r);
		}
	}
	if (trace_writer_close(w, NULL) < 0)
		abort();
}

/* Closes FD. */
static inline void model_csv_write(int fd)
{
	static const char text[] = "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,CORE COUNT,"
				   "DEVICE KERNEL DURATION [ns],OP TO OP LATENCY [ns]\n"
				   "Matmul,tt_dnn_device,1024,0,8,1000,2000\n"
				   "here,signpost,,,,,\nSoftmax,tt_dnn_device,2048,1,8,5000,\n";

	if (write(fd, text, sizeof(text) - 1) < 0)
		abort();
	close(fd);
}

#endif
