/* SPDX-License-Identifier: Apache-2.0 */
/* .tracy files: an imported one can be read, and written again. */
#include "tracy_bytes.h"

#include <fcntl.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int nowhere = -1;
	struct tracy_notes notes = {{0}};
	struct trace_writer *w = tracy_bytes_import(data, size, &notes);
	struct trace *t;

	if (nowhere < 0)
		nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (w && trace_writer_take(w, &t, NULL) == 0) {
		tracy_write(t, nowhere, "fuzz", NULL, &notes, NULL);
		trace_close(t);
	}
	return 0;
}
