/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary input of a Tracy viewer to a served trace: a greeting and queries. */
#include "tracy/serve.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct write model;
static struct tracy_notes notes;

/* A small trace with a bit of everything, made once. */
static void make_model(void)
{
	struct trace_process process = {.pid = 1, .name = "fuzz", .command = ""};
	struct trace_track thread = {
		.kind = TRACE_THREAD, .id = 7, .srcloc = TRACE_NONE, .name = "t"};
	struct trace_track core = {
		.kind = TRACE_CORE, .id = 1, .srcloc = TRACE_NONE, .name = "d/B"};
	struct trace_track messages = {.kind = TRACE_MESSAGES, .srcloc = TRACE_NONE, .name = ""};
	struct trace_srcloc s = {"name", "function", "file.c", 1, 0xff};
	struct trace_row row = {
		.time = 10, .kind = TRACE_ROW_MESSAGE, .text = "text", .text_len = 4};
	struct trace_writer_options options = {.force = true};
	struct trace_writer *w;
	char path[64];

	snprintf(path, sizeof(path), "/dev/shm/fuzz-serve-%d.tacho", (int)getpid());
	if (trace_writer_open(&w, path, &options, NULL) < 0)
		abort();
	trace_add_process(w, &process);
	trace_add_track(w, &thread);
	trace_add_track(w, &core);
	trace_add_track(w, &messages);
	trace_add_srcloc(w, &s);
	for (uint64_t i = 0; i < 20; i++) {
		trace_lane_add(w, trace_lane(w, 0, 0), 100 * i, 100 * i + 50, 0, 0);
		trace_lane_add(w, trace_lane(w, 1, 0), 100 * i, 100 * i + 50, 0, 0);
	}
	trace_add_row(w, 2, &row);
	model.notes = &notes;
	if (trace_writer_close(w, NULL) < 0 || trace_open(&model.trace, path, NULL) < 0 ||
	    write_prepare(&model) < 0 || contexts_grow(&model, 0) < 0)
		abort();
	unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t greeting[12] = {'T', 'r', 'a', 'c', 'y', 'P', 'r', 'f', 66};
	struct serve *s;

	if (!model.trace)
		make_model();
	s = serve_new(&model, false);
	if (size && data[0] & 1)
		serve_input(s, greeting, sizeof(greeting));
	for (size_t at = 1; at < size && !s->over; at += 64) {
		serve_input(s, data + at, size - at < 64 ? size - at : 64);
		buf_reset(&s->out);
		serve_more(s);
	}
	serve_free(s);
	return 0;
}
