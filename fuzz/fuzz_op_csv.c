/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an ops report: read into a table, written, and read again. */
#include "op/csv.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *out;
	int fd = memfd_create("report", MFD_CLOEXEC);
	struct tacho_error err;
	char path[64];

	if (!out)
		out = fopen("/dev/null", "w");
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (int all = 0; all < 2; all++) {
		struct op_table t = OP_TABLE_INIT;

		if (op_table_read_csv(&t, path, all, NULL, NULL, &err) == 0)
			op_table_write_csv(&t, out, &err);
		op_table_free(&t);
	}
	close(fd);
	return 0;
}
