/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a trace file that is loaded as ops, in all ways. */
#include "op/live.h"
#include "op/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* A small file may contain many zones: reading them all finds nothing new. */
#define ENOUGH 50000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void report_make(struct trace *t)
{
	struct op_live live = {0};
	/* Twice as a recording: the second time nothing is new. */
	const struct op_load_options ways[] = {{.noc = true},
					       {.legacy = true, .noc = true},
					       {.device_only = true},
					       {.live = &live},
					       {.live = &live}};
	struct tacho_error err;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct op_loaded loaded = {0};

		op_load_trace(&loaded, t, NULL, NULL, &ways[i], &err);
		op_loaded_free(&loaded);
	}
	op_live_free(&live);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	char path[64];
	struct trace *t;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (trace_open(&t, path, NULL) == 0) {
		if (t->zones + t->rows < ENOUGH)
			report_make(t);
		trace_close(t);
	}
	close(fd);
	return 0;
}
