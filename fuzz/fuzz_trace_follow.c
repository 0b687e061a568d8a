/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a trace file that grows by pieces while it is followed and drawn. */
#include "trace_bytes.h"

/* The same bytes in three pieces. */
static void bytes_follow(const char *path, int fd, const uint8_t *data, size_t size)
{
	size_t at[4] = {0, size / 3, size - size / 5, size};
	struct trace_lod *lod = NULL;
	struct trace *t = NULL;

	if (ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		abort();
	for (int i = 0; i < 3; i++) {
		size_t len = at[i + 1] - at[i];

		if (write(fd, data + at[i], len) != (ssize_t)len)
			abort();
		if (!t && trace_follow(&t, path, NULL) < 0)
			break;
		if (t->zones > ENOUGH)
			break;
		if (i && trace_refresh(t, NULL) < 0)
			break;
		use_model(t);
		use_zones(t);
		use_rows(t);
		if (!lod && trace_lod_open(&lod, t, "/proc/nowhere", NULL) < 0)
			break;
		if (trace_lod_refresh(lod, NULL) < 0)
			break;
	}
	trace_lod_close(lod);
	trace_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path;
	int fd = bytes_file(data, size, &path);

	bytes_follow(path, fd, data, size);
	return 0;
}
