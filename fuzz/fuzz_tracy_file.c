/* SPDX-License-Identifier: Apache-2.0 */
/* Imports arbitrary .tracy files. */
#include "tracy_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tracy_notes notes = {{0}};
	struct trace_writer *w = tracy_bytes_import(data, size, &notes);

	if (w)
		trace_writer_abandon(w);
	return 0;
}
