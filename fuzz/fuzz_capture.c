/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder with arbitrary ring contents: the resulting trace is sound. */
#include "capture/capture.h"
#include "session_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_output(void)
{
	struct trace_check check;
	struct trace *t;

	if (trace_open(&t, output, NULL) < 0 || trace_check(t, &check, NULL) < 0)
		abort();
	if (check.errors) {
		fprintf(stderr, "%s\n", check.first_error);
		abort();
	}
	trace_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct capture_options options = {.output = output, .session = session, .force = true};
	struct capture_summary summary;
	struct tacho_error err;
	struct capture *c;

	make_names();
	if (capture_open(&c, &options, &err) < 0)
		abort();
	put_ring(data, size);
	for (int i = 0; i < 3; i++)
		if (capture_round(c, &err) < 0)
			abort();
	if (capture_finish(c, &summary, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	check_output();
	return 0;
}
