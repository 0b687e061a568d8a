/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary recorder state is either refused or yields a trace. */
#include "capture/capture.h"
#include "session_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file with one process, two tracks, and the state. */
static void put_part(uint64_t key, const uint8_t *data, size_t size)
{
	struct trace_writer_options options = {.force = true};
	struct trace_process p = {.pid = 1, .name = "fuzzed", .command = "fuzzed"};
	struct trace_track t = {.kind = TRACE_THREAD, .srcloc = TRACE_NONE, .name = ""};
	struct trace_srcloc l = {.name = "zone", .function = "", .file = ""};
	struct trace_writer *w;
	char text[32];

	if (trace_writer_open(&w, output, &options, NULL) < 0)
		abort();
	snprintf(text, sizeof(text), "%016llx", (unsigned long long)key);
	trace_set_property(w, "session", text);
	trace_add_process(w, &p);
	trace_add_track(w, &t);
	trace_add_track(w, &t);
	trace_add_srcloc(w, &l);
	if (trace_checkpoint(w, data, size) < 0)
		abort();
	trace_writer_abandon(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct capture_options options = {.output = output, .force = true};
	struct ring_session_options ro = {0};
	struct capture_summary summary;
	struct ring_session s;
	struct tacho_error err;
	struct capture *c;

	make_names();
	if (ring_session_create(&s, session, &ro, &err) < 0)
		abort();
	ring_session_set_output(&s, output, NULL);
	put_ring(NULL, 0);
	put_part(s.key, data, size);
	ring_session_close(&s);
	if (capture_resume(&c, session, &options, &err) == 0) {
		capture_finish(c, &summary, &err);
	} else if (ring_session_adopt(&s, session, false, &err) == 0) {
		ring_session_remove(&s);
		ring_session_close(&s);
	}
	return 0;
}
