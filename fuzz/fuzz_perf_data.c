/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary bytes as a perf.data file: the result is a sound trace. */
#include "import/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("data", MFD_CLOEXEC), r;
	struct import_notes notes = {0};
	struct tacho_error err = {0};
	struct trace_writer *w;
	struct trace *t;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) < 0 ||
	    trace_writer_open_temporary(&w, "/dev/shm", &err) < 0)
		abort();
	r = import_perf_data(w, fd, "data", &notes, &err);
	if (r == 0 || r == TACHO_EDAMAGED) {
		struct trace_check check;

		if (trace_writer_take(w, &t, &err) < 0 || trace_check(t, &check, &err) < 0)
			abort();
		if (check.errors) {
			fprintf(stderr, "%s\n", check.first_error);
			abort();
		}
		trace_close(t);
	} else {
		trace_writer_abandon(w);
	}
	close(fd);
	return 0;
}
