/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary input of a Tracy client: frames of items. The first byte selects the version. */
#include "tracy/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_process process = {.pid = 1, .name = "fuzz", .command = ""};
	struct trace_writer_options options = {.force = true};
	struct tracy_notes notes = {{0}};
	struct stacks stacks = {0};
	struct trace_writer *w;
	struct decoder *d;
	uint8_t query[WIRE_QUERY];
	char path[64];

	if (size < 2)
		return 0;
	snprintf(path, sizeof(path), "/dev/shm/fuzz-wire-%d.tacho", (int)getpid());
	if (trace_writer_open(&w, path, &options, NULL) < 0)
		abort();
	trace_add_process(w, &process);
	d = decoder_new(w, 0, wire_versions[data[0] % 6], &notes);
	d->samples.stacks = &stacks;
	d->clock = (struct decode_clock){data[0] & 64, 100, 5000, 1.5};
	data++, size--;
	/* Each frame starts with its length in two bytes. */
	while (size > 2) {
		size_t len = (size_t)(data[0] | data[1] << 8);

		len = len < size - 2 ? len : size - 2;
		if (decoder_frame(d, data + 2, len, NULL) < 0)
			break;
		while (decoder_query(d, query))
			;
		data += 2 + len;
		size -= 2 + len;
	}
	decoder_finish(d);
	decoder_free(d);
	stacks_free(&stacks);
	trace_writer_close(w, NULL);
	unlink(path);
	return 0;
}
