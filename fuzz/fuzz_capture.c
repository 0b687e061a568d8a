/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder with arbitrary ring contents: the resulting trace is sound. */
#include "recorder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Closes the writer. */
static void output_check(struct trace_writer *w)
{
	struct trace_check check;
	struct trace *t;

	if (trace_writer_take(w, &t, NULL) < 0 || trace_check(t, &check, NULL) < 0)
		abort();
	if (check.errors) {
		fprintf(stderr, "%s\n", check.first_error);
		abort();
	}
	trace_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tacho_error err;
	struct capture *c;

	if (recorder_watch <= 0)
		recorder_set_up();
	recorder_ring_put(data, size);
	c = recorder_open();
	if (capture_add_process(c, RING_NAME, TRACE_NONE, NULL) < 0) {
		trace_writer_abandon(c->writer);
		recorder_close(c);
		return 0;
	}
	for (int i = 0; i < 2; i++)
		if (capture_round(c, &err) < 0)
			abort();
	capture_drain(c);
	if (capture_checkpoint(c) < 0)
		abort();
	output_check(c->writer);
	recorder_close(c);
	return 0;
}
