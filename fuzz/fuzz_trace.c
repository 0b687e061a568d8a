/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a trace file: opened, walked, and checked. */
#include "trace_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_check check;
	const char *path;
	struct trace *t;

	bytes_file(data, size, &path);
	if (trace_open(&t, path, NULL) < 0)
		return 0;
	use_model(t);
	use_zones(t);
	use_rows(t);
	if (t->zones < 10 * ENOUGH)
		trace_check(t, &check, NULL);
	trace_close(t);
	return 0;
}
