/* Any bytes as the host's messages, and the report of them. */
#include "ops/hostlog.h"
#include "ops/report.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *out;
	struct ops_host host = {0};
	struct ops_issues issues = {0};
	struct ops_rows rows = {0};
	struct devlog dev = {0};
	struct ops_report_input in = {.host = &host, .rows = &rows, .dev = &dev, .issues = &issues};
	char *copy = malloc(size + 32);

	if (!out)
		out = fopen("/dev/null", "w");
	/* With the header in front the rest is always read. */
	memcpy(copy, "MessageName;total_ns\n", 21);
	memcpy(copy + 21, data, size);
	if (ops_messages_parse(&host, copy, size + 21, &issues, NULL) == 0 &&
	    ops_join_host(&host, &rows, &issues, NULL) == 0)
		ops_report_write(&in, out, NULL);
	free(copy);
	ops_host_free(&host);
	ops_issues_free(&issues);
	vec_free(&rows);
	return 0;
}
