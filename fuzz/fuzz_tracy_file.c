/* .tracy files. The first byte says how the rest is to be taken: as a file, or as the body of one.
 */
#include "tracy/container.h"
#include "tracy/tracy.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void wrap(int fd, const uint8_t *data, size_t size, int level)
{
	struct out out;

	if (out_open(&out, fd, "fuzz", level, NULL) < 0)
		return;
	if (size < 8 || memcmp(data, "tracy", 5)) {
		static const uint8_t magic[8] = {'t', 'r', 'a', 'c', 'y', 0, 10, 0};

		out_copy(&out, magic, sizeof(magic));
	}
	out_copy(&out, data, size);
	out_close(&out, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int nowhere = -1;
	struct tracy_notes notes = {{0}};
	struct trace_writer *w;
	struct trace *t;
	int fd = memfd_create("fuzz", MFD_CLOEXEC), r;

	if (!size || fd < 0)
		return 0;
	if (data[0] % 3 == 0 && write(fd, data + 1, size - 1) < 0)
		abort();
	if (data[0] % 3)
		wrap(fd, data + 1, size - 1, data[0] % 3 - 1);
	lseek(fd, 0, SEEK_SET);
	if (nowhere < 0)
		nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (trace_writer_open_temporary(&w, "/dev/shm", NULL) < 0)
		abort();
	r = tracy_import(w, fd, "fuzz", &notes, NULL);
	close(fd);
	if (r < 0 && r != TACHO_EDAMAGED) {
		trace_writer_abandon(w);
	} else if (trace_writer_take(w, &t, NULL) == 0) {
		/* What was read can be written again. */
		tracy_write(t, nowhere, "fuzz", NULL, &notes, NULL);
		trace_close(t);
	}
	return 0;
}
