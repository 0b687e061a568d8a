/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the host's messages, and the report of them. */
#include "op/build.h"
#include "op/csv.h"
#include "ttlog/host_logs.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *out;
	struct op_host host = {0};
	struct op_issues issues = {0};
	struct op_rows rows = {0};
	struct devlog dev = {0};
	struct op_build_input in = {.host = &host, .rows = &rows, .dev = &dev, .issues = &issues};
	char *copy = malloc(size + 32);

	if (!out)
		out = fopen("/dev/null", "w");
	/* With the header in front the rest is always read. */
	memcpy(copy, "MessageName;total_ns\n", 21);
	memcpy(copy + 21, data, size);
	if (ttlog_messages_parse(&host, copy, size + 21, &issues, NULL) == 0 &&
	    op_join_host(&host, &rows, &issues, NULL) == 0 && op_build(&in, NULL) == 0)
		op_table_write_csv(&host.table, out, NULL);
	free(copy);
	op_host_free(&host);
	op_issues_free(&issues);
	vec_free(&rows);
	return 0;
}
