/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a device log: reading, sorting, finding ops, counters, the device-only tables. */
#include "op/build.h"
#include "op/csv.h"
#include "op/detect.h"
#include "op/metrics.h"
#include "ttlog/device_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void tables_make(const struct devlog *dev, struct op_issues *issues, FILE *out)
{
	struct op_executions ops = {0};
	struct op_metrics *metrics = NULL;
	struct op_host host = {0};
	struct op_build_input in = {
		.host = &host, .executions = &ops, .dev = dev, .issues = issues};

	for (size_t i = 0; i < dev->devices.n; i++) {
		op_detect(dev, dev->devices.v[i], OP_DETECT_EACH, OP_MEASURES_ALL, &ops, issues,
			  NULL);
		op_dispatch(dev, dev->devices.v[i], false, OP_MEASURES_ALL, &ops, issues, NULL);
	}
	op_metrics_compute(&metrics, dev, OP_METRICS_DEVICE_ONLY, NULL);
	in.metrics = metrics;
	if (op_build_device(&in, NULL) == 0)
		op_table_write_csv(&host.table, out, NULL);
	op_per_core_write(dev, true, out, NULL);
	op_metrics_free(metrics);
	vec_free(&ops);
	op_host_free(&host);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *out;
	struct devlog dev = {0};
	struct op_issues issues = {0};

	if (!out)
		out = fopen("/dev/null", "w");
	if (devlog_parse(&dev, (const char *)data, size, DEVLOG_ALL, &issues, NULL) == 0 &&
	    devlog_sort(&dev, NULL) == 0)
		tables_make(&dev, &issues, out);
	devlog_free(&dev);
	op_issues_free(&issues);
	return 0;
}
