/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a .tracy file, imported into a trace in memory. The first byte selects how to read
 * the rest: as a file, or as the body of one.
 */
#ifndef FUZZ_TRACY_BYTES_H
#define FUZZ_TRACY_BYTES_H

#include "tracy/container.h"
#include "tracy/tracy.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void tracy_wrap(int fd, const uint8_t *data, size_t size, enum container_kind kind)
{
	struct out out;

	if (out_open(&out, fd, "fuzz", kind, 1, NULL) < 0)
		return;
	if (size < 8 || memcmp(data, "tracy", 5)) {
		static const uint8_t magic[8] = {'t', 'r', 'a', 'c', 'y', 0, 10, 0};

		out_copy(&out, magic, sizeof(magic));
	}
	out_copy(&out, data, size);
	out_close(&out, NULL);
}

/* The writer with everything that could be read, NULL if nothing could. */
static inline struct trace_writer *tracy_bytes_import(const uint8_t *data, size_t size,
						      struct tracy_notes *notes)
{
	static int fd = -1;
	struct trace_writer *w;
	int r;

	if (!size)
		return NULL;
	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		abort();
	if (data[0] % 3 == 0 && write(fd, data + 1, size - 1) < 0)
		abort();
	if (data[0] % 3)
		tracy_wrap(fd, data + 1, size - 1,
			   data[0] >= 192 ? CONTAINER_STREAMED : data[0] % 3 - 1);
	lseek(fd, 0, SEEK_SET);
	if (trace_writer_open_temporary(&w, "/dev/shm", NULL) < 0)
		abort();
	r = tracy_import(w, fd, "fuzz", notes, NULL);
	if (r == 0 || r == TACHO_EDAMAGED)
		return w;
	trace_writer_abandon(w);
	return NULL;
}

#endif
