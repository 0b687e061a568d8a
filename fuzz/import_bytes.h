/* SPDX-License-Identifier: Apache-2.0 */
/* Import a file of arbitrary bytes: the result is a sound trace, or an error. */
#include "import/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int import_bytes(int (*import)(struct trace_writer *w, int fd, const char *name,
				      struct import_notes *notes, struct tacho_error *err),
			const uint8_t *data, size_t size)
{
	int fd = memfd_create("import", MFD_CLOEXEC), r;
	struct import_notes notes = {0};
	struct tacho_error err = {0};
	struct trace_writer *w;
	struct trace *t;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) < 0 ||
	    trace_writer_open_temporary(&w, "/dev/shm", &err) < 0)
		abort();
	r = import(w, fd, "import", &notes, &err);
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
