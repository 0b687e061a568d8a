/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary recorder state is either refused or yields a trace. The input is what follows its
 * version.
 */
#include "recorder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One process, two tracks and a source location, to which the state may refer. */
static void trace_begin(struct trace_writer *w)
{
	struct trace_process p = {.pid = 1, .name = "fuzzed", .command = "fuzzed"};
	struct trace_track t = {.kind = TRACE_THREAD, .srcloc = TRACE_NONE, .name = ""};
	struct trace_srcloc l = {.name = "zone", .function = "", .file = ""};

	trace_add_process(w, &p);
	trace_add_track(w, &t);
	trace_add_track(w, &t);
	trace_add_srcloc(w, &l);
}

/* The version of this recorder, then the input. */
static void state_make(struct capture *c, const uint8_t *data, size_t size, struct buf *state)
{
	if (state_save(c, state) < 0)
		abort();
	state->len = 1;
	buf_add(state, data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf state = BUF_INIT;
	struct tacho_error err;
	struct capture *c;

	if (recorder_watch <= 0)
		recorder_set_up();
	recorder_ring_put(NULL, 0);
	c = recorder_open();
	trace_begin(c->writer);
	state_make(c, data, size, &state);
	if (state_load(c, state.data, state.len, &err) == 0) {
		capture_drain(c);
		capture_checkpoint(c);
	}
	trace_writer_abandon(c->writer);
	recorder_close(c);
	buf_free(&state);
	return 0;
}
