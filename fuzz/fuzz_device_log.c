/* Any bytes as a device log: reading, sorting, finding ops, counters, the device-only tables. */
#include "ops/detect.h"
#include "ops/metrics.h"
#include "ops/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void tables(const struct devlog *dev, struct ops_issues *issues, FILE *out)
{
	struct ops_device_ops ops = {0};
	struct ops_metrics *metrics = NULL;
	struct ops_report_input in = {.device_ops = &ops, .dev = dev, .issues = issues};

	for (size_t i = 0; i < dev->devices.n; i++) {
		ops_detect(dev, dev->devices.v[i], OPS_DETECT_EACH, OPS_ANALYSES_ALL, &ops, issues,
			   NULL);
		ops_dispatch(dev, dev->devices.v[i], false, OPS_ANALYSES_ALL, &ops, issues, NULL);
	}
	ops_metrics_compute(&metrics, dev, OPS_METRICS_DEVICE_ONLY, NULL);
	in.metrics = metrics;
	ops_device_only_write(&in, out, NULL);
	ops_per_core_write(dev, true, out, NULL);
	ops_metrics_free(metrics);
	vec_free(&ops);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *out;
	struct devlog dev = {0};
	struct ops_issues issues = {0};

	if (!out)
		out = fopen("/dev/null", "w");
	if (devlog_parse(&dev, (const char *)data, size, DEVLOG_ALL, &issues, NULL) == 0 &&
	    devlog_sort(&dev, NULL) == 0)
		tables(&dev, &issues, out);
	devlog_free(&dev);
	ops_issues_free(&issues);
	return 0;
}
